#include "kernels/rules/first_cover.hpp"

#include "bind/borrow.hpp"

using BitRowsIn = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using BytesIn = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using StartsIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_first_cover(nb::module_& m) {
    m.def(
        "cover_first",
        [](nb::object numbers, nb::object codes, CodesIn kinds, CodesIn columns, FloatsIn low, FloatsIn high,
           StartsIn allowed_at, BytesIn allowed, BitRowsIn given, StartsIn starts, CodesIn places,
           std::size_t n, std::size_t n_threads) {
            const auto fail = [](const char* what) {
                throw nb::value_error((std::string("cover_first: ") + what).c_str());
            };
            const BorrowedColumns<double> numeric(numbers, "cover_first");
            const BorrowedColumns<std::int32_t> coded(codes, "cover_first");
            if (!numeric.has_rows(n) || !coded.has_rows(n)) fail("columns are of different rows");
            const std::size_t size = kinds.size();
            if (columns.size() != size || low.size() != size || high.size() != size ||
                allowed_at.size() != size + 1)
                fail("the conditions' arrays differ in length");
            if (given.shape(0) && given.shape(1) != (n + 63) / 64) fail("given bits are of other rows");
            if (!starts.size() || starts.data()[0] != 0 ||
                starts.data()[starts.size() - 1] != static_cast<std::int64_t>(places.size()))
                fail("starts do not go with the conditions");
            for (std::size_t i = 1; i < starts.size(); ++i)
                if (starts.data()[i] < starts.data()[i - 1]) fail("a body ends before it begins");
            for (std::size_t i = 0; i < places.size(); ++i)
                if (places.data()[i] < 0 || static_cast<std::size_t>(places.data()[i]) >= size)
                    fail("a condition is out of range");
            std::vector<std::int32_t> most(coded.size(), -3);  // the largest code of a column, once asked for
            std::vector<acumen::Probe> probes(size);
            for (std::size_t i = 0; i < size; ++i) {
                acumen::Probe& probe = probes[i];
                const std::int64_t from = allowed_at.data()[i], to = allowed_at.data()[i + 1];
                if (kinds.data()[i] < 0 || kinds.data()[i] > 4 || columns.data()[i] < 0 || from < 0 ||
                    to < from || to > static_cast<std::int64_t>(allowed.size()))
                    fail("a condition is out of range");
                probe.kind = static_cast<acumen::Probe::Kind>(kinds.data()[i]);
                probe.column = static_cast<std::size_t>(columns.data()[i]);
                probe.low = low.data()[i];
                probe.high = high.data()[i];
                probe.allowed = {allowed.data() + from, static_cast<std::size_t>(to - from)};
                if (probe.kind == acumen::Probe::Kind::given) {
                    if (probe.column >= given.shape(0)) fail("a condition is out of range");
                    probe.bits = given.data() + probe.column * given.shape(1);
                } else if (probe.kind == acumen::Probe::Kind::codes) {
                    if (probe.column >= coded.size()) fail("a condition is out of range");
                    std::int32_t& largest = most[probe.column];
                    if (largest == -3) {
                        largest = -2;
                        std::int32_t least = 0;
                        const acumen::CodeColumn column = coded.columns()[probe.column];
                        for (std::size_t r = 0; r < n; ++r) {
                            largest = std::max(largest, column[r]);
                            least = std::min(least, column[r]);
                        }
                        if (least < -2) fail("a code is out of range");
                    }
                    if (static_cast<std::int64_t>(largest) + 2 >= to - from) fail("a code is out of range");
                } else if (probe.column >= numeric.size()) {
                    fail("a condition is out of range");
                }
            }
            std::vector<std::int32_t> made(n);
            bool done = true;
            {
                const nb::gil_scoped_release unlocked;
                done = acumen::cover_first({numeric.columns(), n}, coded.columns(), probes,
                                           {span_of(starts), span_of(places)}, made, n_threads, ask_python());
            }
            if (!done) throw nb::python_error();
            return to_numpy(std::move(made));
        },
        "numbers"_a, "codes"_a, "kinds"_a.noconvert(), "columns"_a.noconvert(), "low"_a.noconvert(),
        "high"_a.noconvert(), "allowed_at"_a.noconvert(), "allowed"_a.noconvert(), "given"_a.noconvert(),
        "starts"_a.noconvert(), "places"_a.noconvert(), "n"_a, "n_threads"_a = 1,
        "The number of the first body that holds for each row, -1 where none does.");
}
