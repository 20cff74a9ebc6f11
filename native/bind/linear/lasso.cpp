#include "kernels/linear/lasso.hpp"

#include <vector>

#include "bind/borrow.hpp"

void bind_lasso(nb::module_& m) {
    m.def(
        "lasso_path",
        [](MatrixIn columns, bool is_gram, FloatsIn product, double total, FloatsIn penalties,
           double tolerance, std::size_t sweeps, MatrixOut coefficients, MatrixOut reached) {
            const std::size_t p = columns.shape(0), rows = columns.shape(1), n = penalties.size();
            if (product.size() != p || (is_gram && rows != p) || coefficients.shape(0) != n ||
                coefficients.shape(1) != p || reached.shape(0) != n || reached.shape(1) != 2)
                throw nb::value_error("lasso_path: the arrays' shapes do not go together");
            std::vector<acumen::LassoPoint> points(n);
            const acumen::LassoProblem problem{is_gram ? nullptr : columns.data(),
                                               is_gram ? columns.data() : nullptr,
                                               product.data(),
                                               rows,
                                               p,
                                               total};
            bool whole;
            {
                const nb::gil_scoped_release unlocked;
                whole = acumen::lasso_path(problem, penalties.data(), n, {tolerance, sweeps}, ask_python(),
                                           coefficients.data(), points.data());
            }
            if (!whole) throw nb::python_error();
            for (std::size_t i = 0; i < n; ++i) {
                reached.data()[2 * i] = points[i].gap;
                reached.data()[2 * i + 1] = static_cast<double>(points[i].sweeps);
            }
        },
        "columns"_a.noconvert(), "is_gram"_a, "product"_a.noconvert(), "total"_a, "penalties"_a.noconvert(),
        "tolerance"_a, "sweeps"_a, "coefficients"_a.noconvert(), "reached"_a.noconvert(),
        "Minimise |target - w columns|^2 / 2 + penalty |w|_1 for each penalty, in the order given; `columns` "
        "has a\n"
        "row for each coordinate, or holds their inner products if `is_gram`; `product` is that of each with "
        "the\n"
        "target, `total` the target's own. Fills `coefficients` (penalties x coordinates) and `reached`: "
        "the\n"
        "duality gap as a share of `total`, and the number of sweeps.");
}
