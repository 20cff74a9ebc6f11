#include "kernels/lasso.hpp"

#include <vector>

#include "bind/borrow.hpp"

void bind_lasso(nb::module_& m) {
    m.def(
        "lasso_path",
        [](MatrixIn factor, FloatsIn target, double rest, FloatsIn penalties, double tolerance,
           std::size_t sweeps, MatrixOut coefficients, MatrixOut reached) {
            const std::size_t p = factor.shape(0), rows = factor.shape(1), n = penalties.size();
            if (target.size() != rows || coefficients.shape(0) != n || coefficients.shape(1) != p ||
                reached.shape(0) != n || reached.shape(1) != 2)
                throw nb::value_error("lasso_path: the arrays' shapes do not go together");
            std::vector<acumen::LassoPoint> points(n);
            bool whole;
            {
                const nb::gil_scoped_release unlocked;
                whole =
                    acumen::lasso_path({factor.data(), target.data(), rows, p, rest}, penalties.data(), n,
                                       {tolerance, sweeps}, ask_python(), coefficients.data(), points.data());
            }
            if (!whole) throw nb::python_error();
            for (std::size_t i = 0; i < n; ++i) {
                reached.data()[2 * i] = points[i].gap;
                reached.data()[2 * i + 1] = static_cast<double>(points[i].sweeps);
            }
        },
        "factor"_a.noconvert(), "target"_a.noconvert(), "rest"_a, "penalties"_a.noconvert(), "tolerance"_a,
        "sweeps"_a, "coefficients"_a.noconvert(), "reached"_a.noconvert(),
        "Minimise |target - w factor|^2 / 2 + penalty |w|_1 for each penalty, in the order given; `factor` "
        "has a\n"
        "row for each coordinate. Fills `coefficients` (penalties x coordinates) and `reached`: the duality "
        "gap\n"
        "as a share of the target's square, and the number of sweeps.");
}
