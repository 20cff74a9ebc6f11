#include "kernels/counting/distinct.hpp"

#include "bind/borrow.hpp"

using CountsOut = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static acumen::Distinct distinct_of(const MatrixOut& values, const CountsOut& count) {
    if (values.shape(0) != count.size() || !values.shape(1))
        throw nb::value_error("distinct values: each count needs a row of values");
    for (std::size_t k = 0; k < count.size(); ++k)
        if (count.data()[k] < 0 || static_cast<std::size_t>(count.data()[k]) > values.shape(1) + 1)
            throw nb::value_error("distinct values: a count is out of range");
    return {values.data(), count.data(), values.shape(1)};
}

void bind_distinct(nb::module_& m) {
    m.def(
        "add_distinct",
        [](nb::handle columns, CodesIn labels, FloatsIn weights, CodesIn parts, std::size_t classes,
           std::size_t n_parts, MatrixOut values, CountsOut count) {
            const BorrowedColumns<double> borrowed(columns, "add_distinct");
            const auto rows = hard_rows(labels, weights, parts, classes, n_parts, "add_distinct");
            if (!borrowed.has_rows(rows.n))
                throw nb::value_error("add_distinct: columns and labels differ in length");
            if (count.size() != n_parts * borrowed.size())
                throw nb::value_error("add_distinct: there must be a count for each part and column");
            const auto into = distinct_of(values, count);
            const auto lines = columns_of(borrowed);
            const nb::gil_scoped_release unlocked;
            acumen::add_distinct(lines, rows, into);
        },
        "columns"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "parts"_a.noconvert(), "classes"_a,
        "n_parts"_a, "values"_a.noconvert(), "count"_a.noconvert(),
        "Add the columns' values to the sets of their parts, (parts * columns, limit), in place.");
    m.def(
        "merge_distinct",
        [](MatrixOut values, CountsOut count, MatrixIn other_values, CodesIn other_count) {
            const auto into = distinct_of(values, count);
            if (other_values.shape(0) != values.shape(0) || other_values.shape(1) != values.shape(1) ||
                other_count.size() != count.size())
                throw nb::value_error("merge_distinct: the arrays differ in shape");
            for (std::size_t k = 0; k < other_count.size(); ++k)
                if (other_count.data()[k] < 0 ||
                    static_cast<std::size_t>(other_count.data()[k]) > values.shape(1) + 1)
                    throw nb::value_error("merge_distinct: a count is out of range");
            acumen::merge_distinct(into, other_values.data(), other_count.data(), other_count.size());
        },
        "values"_a.noconvert(), "count"_a.noconvert(), "other_values"_a.noconvert(),
        "other_count"_a.noconvert(), "Add other sets to the first two arrays, in place.");
}
