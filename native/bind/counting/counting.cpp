#include "kernels/counting/counting.hpp"

#include "bind/borrow.hpp"

using CodeLine = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu>;
using Tables = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

static void count(const CodeLine& codes, const acumen::Rows& rows, const Tables& table) {
    if (codes.shape(0) != rows.n) throw nb::value_error("count_levels: codes and labels differ in length");
    if (table.shape(0) != rows.parts || table.shape(1) != rows.classes + 1 || !table.shape(2))
        throw nb::value_error("count_levels: table must be parts x (classes + 1) x (levels + 1)");
    const acumen::CodeColumn column{codes.data(), codes.stride(0)};
    const nb::gil_scoped_release unlocked;
    acumen::count_levels(column, rows, table.shape(2) - 1, table.data());
}

void bind_counting(nb::module_& m) {
    m.def(
        "count_levels",
        [](CodeLine codes, CodesIn labels, FloatsIn weights, CodesIn parts, Tables table) {
            if (!table.shape(1)) throw nb::value_error("count_levels: table needs a slot for missing labels");
            count(codes,
                  hard_rows(labels, weights, parts, table.shape(1) - 1, table.shape(0), "count_levels"),
                  table);
        },
        // noconvert: a converted `table` would be a copy, and the counts would be lost.
        "codes"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(), "parts"_a.noconvert(),
        "table"_a.noconvert(), "Add one column's counts to `table`: parts x (classes + 1) x (levels + 1).");
    m.def(
        "count_levels_soft",
        [](CodeLine codes, SoftIn shares, Tables table) { count(codes, soft_rows(shares), table); },
        "codes"_a.noconvert(), "shares"_a.noconvert(), "table"_a.noconvert(),
        "Add one column's counts to `table`, each row shared out over the classes.");
}
