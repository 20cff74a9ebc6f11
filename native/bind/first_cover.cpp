#include "kernels/first_cover.hpp"

#include "bind/borrow.hpp"

using WordsIn = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using WordsOut = nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WordsLines = nb::ndarray<std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using StartsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumbersOut = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_first_cover(nb::module_& m) {
    m.def(
        "cover_first",
        [](WordsIn bits, StartsIn starts, CodesIn places, std::int32_t first, WordsOut still,
           NumbersOut made) {
            const auto fail = [](const char* what) {
                throw nb::value_error((std::string("cover_first: ") + what).c_str());
            };
            if (bits.shape(1) != still.size() || made.size() != 64 * still.size())
                fail("the arrays are of different rows");
            if (!starts.size() || starts.data()[0] != 0 ||
                starts.data()[starts.size() - 1] != static_cast<std::int64_t>(places.size()))
                fail("starts do not go with the conditions");
            for (std::size_t i = 1; i < starts.size(); ++i)
                if (starts.data()[i] < starts.data()[i - 1]) fail("a body ends before it begins");
            for (std::size_t i = 0; i < places.size(); ++i)
                if (places.data()[i] < 0 || static_cast<std::size_t>(places.data()[i]) >= bits.shape(0))
                    fail("a condition is out of range");
            const nb::gil_scoped_release unlocked;
            return acumen::cover_first({bits.data(), bits.size()}, {starts.data(), starts.size()},
                                       {places.data(), places.size()}, first, {still.data(), still.size()},
                                       {made.data(), made.size()});
        },
        "bits"_a.noconvert(), "starts"_a.noconvert(), "places"_a.noconvert(), "first"_a,
        "still"_a.noconvert(), "made"_a.noconvert(),
        "Write for each row in `still` the number of the first body that holds, which takes it out of "
        "`still`; "
        "gives whether rows are left.");
    m.def(
        "pack_levels",
        [](nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu> codes, CodesIn wanted,
           WordsLines bits) {
            if (bits.shape(0) != wanted.size() || bits.shape(1) * 64 < codes.size())
                throw nb::value_error("pack_levels: there is not a line of words for each level");
            for (std::size_t i = 0; i < wanted.size(); ++i)
                if (wanted.data()[i] > (1 << 26))
                    throw nb::value_error("pack_levels: a level is out of range");
            const nb::gil_scoped_release unlocked;
            acumen::pack_levels(codes.data(), codes.stride(0), codes.size(), span_of(wanted), bits.shape(1),
                                bits.data());
        },
        "codes"_a.noconvert(), "wanted"_a.noconvert(), "bits"_a.noconvert(),
        "Set the bits of the rows of each level wanted, a line of words for each.");
}
