#include "kernels/histogram.hpp"

#include "bind/borrow.hpp"

using CodesOut = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Tables = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Never converted: a converted table would be a copy, and the counts would be lost.
static std::vector<Tables> tables_of(nb::handle given) {
    std::vector<Tables> tables;
    for (nb::handle table : nb::cast<nb::sequence>(given)) tables.push_back(nb::cast<Tables>(table, false));
    return tables;
}

static void count(const BorrowedColumns<double>& values, const acumen::Rows& rows,
                  const std::vector<FloatsIn>& cuts, const std::vector<Tables>& tables) {
    if (!values.has_rows(rows.n)) throw nb::value_error("count_bins: values and labels differ in length");
    if (cuts.size() != values.size() || tables.size() != values.size())
        throw nb::value_error("count_bins: each column needs its cuts and its table");
    std::vector<std::span<const double>> borders;
    std::vector<double*> starts;
    for (std::size_t j = 0; j < tables.size(); ++j) {
        const Tables& table = tables[j];
        if (table.shape(0) != rows.parts || table.shape(1) != rows.classes + 1 ||
            table.shape(2) != cuts[j].size() + 2)
            throw nb::value_error("count_bins: a table must be parts x (classes + 1) x (bins + 1)");
        borders.push_back(span_of(cuts[j]));
        starts.push_back(table.data());
    }
    const auto columns = columns_of(values);
    const nb::gil_scoped_release unlocked;
    acumen::count_bins(columns, rows, borders, starts);
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
        [](nb::handle columns, CodesIn labels, FloatsIn weights, CodesIn parts, std::size_t classes,
           std::size_t n_parts, std::vector<FloatsIn> cuts, nb::handle tables) {
            count(BorrowedColumns<double>(columns, "count_bins"),
                  hard_rows(labels, weights, parts, classes, n_parts, "count_bins"), cuts, tables_of(tables));
        },
        "columns"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "parts"_a.noconvert(), "classes"_a,
        "n_parts"_a, "cuts"_a, "tables"_a,
        "Add every column's counts to its table: parts x (classes + 1) x (bins + 1).");
    m.def(
        "count_bins_soft",
        [](nb::handle columns, SoftIn shares, std::vector<FloatsIn> cuts, nb::handle tables) {
            count(BorrowedColumns<double>(columns, "count_bins"), soft_rows(shares), cuts, tables_of(tables));
        },
        "columns"_a, "shares"_a.noconvert(), "cuts"_a, "tables"_a,
        "The same, each row shared out over the classes.");
}
