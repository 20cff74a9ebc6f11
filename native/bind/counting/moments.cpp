#include "kernels/counting/moments.hpp"

#include "bind/borrow.hpp"

static acumen::Moments moments_of(const MatrixOut& weight, const MatrixOut& mean, const MatrixOut& rest,
                                  const MatrixOut& scatter, std::size_t groups, std::size_t columns) {
    for (const auto* array : {&weight, &mean, &rest, &scatter})
        if (array->shape(0) != groups || array->shape(1) != columns)
            throw nb::value_error("moments: each array must be groups x columns");
    return {weight.data(), mean.data(), rest.data(), scatter.data()};
}

static bool add(const BorrowedColumns<double>& values, const acumen::Rows& rows,
                const acumen::Moments& into) {
    if (!values.has_rows(rows.n)) throw nb::value_error("add_moments: values and labels differ in length");
    const auto columns = columns_of(values);
    const nb::gil_scoped_release unlocked;
    return acumen::add_moments(columns, rows, into);
}

void bind_moments(nb::module_& m) {
    m.def(
        "add_moments",
        [](nb::handle values, CodesIn labels, FloatsIn weights, CodesIn parts, std::size_t classes,
           std::size_t n_parts, MatrixOut weight, MatrixOut mean, MatrixOut rest, MatrixOut scatter) {
            const BorrowedColumns<double> columns(values, "add_moments");
            const auto rows = hard_rows(labels, weights, parts, classes, n_parts, "add_moments");
            return add(columns, rows, moments_of(weight, mean, rest, scatter, rows.groups(), columns.size()));
        },
        "values"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "parts"_a.noconvert(), "classes"_a,
        "n_parts"_a, "weight"_a.noconvert(), "mean"_a.noconvert(), "rest"_a.noconvert(),
        "scatter"_a.noconvert(),
        "Add rows to the moments of their groups (part * classes + class), arrays of groups x columns.\n"
        "True when no value was missing.");
    m.def(
        "add_moments_soft",
        [](nb::handle values, SoftIn shares, MatrixOut weight, MatrixOut mean, MatrixOut rest,
           MatrixOut scatter) {
            const BorrowedColumns<double> columns(values, "add_moments");
            const auto rows = soft_rows(shares);
            return add(columns, rows, moments_of(weight, mean, rest, scatter, rows.groups(), columns.size()));
        },
        "values"_a, "shares"_a.noconvert(), "weight"_a.noconvert(), "mean"_a.noconvert(),
        "rest"_a.noconvert(), "scatter"_a.noconvert(),
        "Add rows to the moments of every class by their shares.");
    m.def(
        "merge_moments",
        [](MatrixOut weight, MatrixOut mean, MatrixOut rest, MatrixOut scatter, MatrixIn other_weight,
           MatrixIn other_mean, MatrixIn other_rest, MatrixIn other_scatter) {
            const auto into = moments_of(weight, mean, rest, scatter, weight.shape(0), weight.shape(1));
            for (const auto* array : {&other_weight, &other_mean, &other_rest, &other_scatter})
                if (array->shape(0) != weight.shape(0) || array->shape(1) != weight.shape(1))
                    throw nb::value_error("merge_moments: the arrays differ in shape");
            acumen::merge_moments(into, other_weight.data(), other_mean.data(), other_rest.data(),
                                  other_scatter.data(), weight.size());
        },
        "weight"_a.noconvert(), "mean"_a.noconvert(), "rest"_a.noconvert(), "scatter"_a.noconvert(),
        "other_weight"_a.noconvert(), "other_mean"_a.noconvert(), "other_rest"_a.noconvert(),
        "other_scatter"_a.noconvert(), "Add the other moments to the first four arrays, in place.");
}
