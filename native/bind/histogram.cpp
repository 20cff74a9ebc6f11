#include "kernels/histogram.hpp"

#include "bind/borrow.hpp"

using CodesOut = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Tables = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

static void count(const StridedFloatsIn& values, const acumen::Rows& rows, const FloatsIn& cuts,
                  const Tables& table) {
    if (values.shape(0) != rows.n) throw nb::value_error("count_bins: values and labels differ in length");
    if (table.shape(0) != rows.parts || table.shape(1) != rows.classes + 1 ||
        table.shape(2) != cuts.size() + 2)
        throw nb::value_error("count_bins: table must be parts x (classes + 1) x (bins + 1)");
    const acumen::Column column{values.data(), values.stride(0)};
    const nb::gil_scoped_release unlocked;
    acumen::count_bins(column, rows, span_of(cuts), table.data());
}

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
    m.def(
        "count_bins",
        [](StridedFloatsIn values, CodesIn labels, FloatsIn weights, CodesIn parts, FloatsIn cuts,
           Tables table) {
            if (!table.shape(1)) throw nb::value_error("count_bins: table needs a slot for missing labels");
            const auto rows =
                hard_rows(labels, weights, parts, table.shape(1) - 1, table.shape(0), "count_bins");
            count(values, rows, cuts, table);
        },
        "values"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(), "parts"_a.noconvert(),
        "cuts"_a.noconvert(), "table"_a.noconvert(),
        "Add one column's counts to `table`: parts x (classes + 1) x (bins + 1).");
    m.def(
        "count_bins_soft",
        [](StridedFloatsIn values, SoftIn shares, FloatsIn cuts, Tables table) {
            count(values, soft_rows(shares), cuts, table);
        },
        "values"_a.noconvert(), "shares"_a.noconvert(), "cuts"_a.noconvert(), "table"_a.noconvert(),
        "The same, each row shared out over the classes.");
}
