#include "kernels/counting/histogram.hpp"

#include "bind/borrow.hpp"

using CodesOut = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_histogram(nb::module_& m) {
    m.def(
        "bin_codes",
        [](StridedFloatsIn values, FloatsIn cuts, CodesOut codes) {
            if (values.shape(0) != codes.size())
                throw nb::value_error("bin_codes: values and codes differ in length");
            const acumen::Column column{values.data(), values.stride(0)};
            const nb::gil_scoped_release unlocked;
            acumen::bin_codes(column, codes.size(), span_of(cuts), codes.data());
        },
        "values"_a.noconvert(), "cuts"_a.noconvert(), "codes"_a.noconvert(),
        "Write the bin of each value (how many sorted cuts are at most it; NaN -1) to `codes`.");
}
