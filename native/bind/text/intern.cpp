// Arrow's string layouts as string views; checks every offset against its buffer, releases the GIL, calls.
#include "kernels/text/intern.hpp"

#include <cstring>

#include "bind/arrays.hpp"

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Views = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const char* chars(const Bytes& bytes) { return reinterpret_cast<const char*>(bytes.data()); }

void check_known(const Bytes& known, std::size_t rows) {
    if (known.size() && known.size() != rows)
        throw nb::value_error("intern: the mask needs one value for each string, or none at all");
}

// The codes, and the distinct strings as bytes.
using Found =
    nb::typed<nb::tuple, nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>, nb::typed<nb::list, nb::bytes>>;

Found interned(std::span<const std::string_view> strings, std::span<const std::uint8_t> known) {
    acumen::Interned made;
    {
        nb::gil_scoped_release unlocked;
        made = acumen::intern(strings, known);
    }
    nb::list distinct;
    for (const std::int64_t row : made.first) {
        const std::string_view string = strings[static_cast<std::size_t>(row)];
        distinct.append(nb::bytes(string.data(), string.size()));
    }
    return nb::make_tuple(to_numpy(std::move(made.codes)), distinct);
}

// String i lies between offsets i and i + 1 of the data.
Found intern_offsets(Offsets offsets, Bytes data, Bytes known) {
    if (!offsets.size()) throw nb::value_error("intern: offsets need a last one");
    const std::size_t rows = offsets.size() - 1;
    check_known(known, rows);
    std::vector<std::string_view> strings(rows);
    const std::int64_t* at = offsets.data();
    for (std::size_t i = 0; i < rows; ++i) {
        if (at[i] < 0 || at[i + 1] < at[i] || static_cast<std::size_t>(at[i + 1]) > data.size())
            throw nb::value_error("intern: a string lies outside its buffer");
        strings[i] = {chars(data) + at[i], static_cast<std::size_t>(at[i + 1] - at[i])};
    }
    return interned(strings, span_of(known));
}

// Arrow's string views: 16 bytes each; the length, then the string itself if it has at most 12 bytes, else
// a prefix, the number of its buffer and its place there.
Found intern_views(Views views, std::vector<Bytes> buffers, Bytes known) {
    if (views.shape(1) != 16) throw nb::value_error("intern: a string view has 16 bytes");
    const std::size_t rows = views.shape(0);
    check_known(known, rows);
    std::vector<std::string_view> strings(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        if (known.size() && !known.data()[i]) continue;  // a null's view may hold anything
        const std::uint8_t* view = views.data() + 16 * i;
        std::int32_t length, buffer, place;
        std::memcpy(&length, view, 4);
        if (length >= 0 && length <= 12) {
            strings[i] = {reinterpret_cast<const char*>(view) + 4, static_cast<std::size_t>(length)};
            continue;
        }
        std::memcpy(&buffer, view + 8, 4);
        std::memcpy(&place, view + 12, 4);
        if (length < 0 || buffer < 0 || place < 0 || static_cast<std::size_t>(buffer) >= buffers.size() ||
            static_cast<std::size_t>(place) + static_cast<std::size_t>(length) >
                buffers[static_cast<std::size_t>(buffer)].size())
            throw nb::value_error("intern: a string lies outside its buffer");
        strings[i] = {chars(buffers[static_cast<std::size_t>(buffer)]) + place,
                      static_cast<std::size_t>(length)};
    }
    return interned(strings, span_of(known));
}

}  // namespace

void bind_intern(nb::module_& m) {
    m.def("intern_offsets", &intern_offsets, "offsets"_a.noconvert(), "data"_a.noconvert(),
          "known"_a.noconvert(),
          "Codes of strings in order of first occurrence (-1 where not known), and the distinct strings.");
    m.def("intern_views", &intern_views, "views"_a.noconvert(), "buffers"_a, "known"_a.noconvert(),
          "The same for Arrow's string views.");
}
