#include "kernels/dual_ascent.hpp"

#include <nanobind/stl/pair.h>

#include "bind/linear_rows.hpp"

template <typename Rows>
static std::pair<std::uint64_t, double> ascend(const Rows& rows, FloatsIn z, FloatsIn low, FloatsIn high,
                                               FloatsIn ridge, FloatsIn squares, double epsilon, double bias,
                                               FloatsOut b, FloatsOut w, double tolerance,
                                               std::uint64_t max_sweeps, std::uint64_t seed) {
    const std::size_t n = rows.n;
    require(z.size() == n && low.size() == n && high.size() == n && ridge.size() == n &&
                squares.size() == n && b.size() == n,
            "dual_ascent: rows and their values differ in length");
    require(w.size() == rows.width + 1, "dual_ascent: w needs a number for each column and one for the bias");
    require(n < (1ULL << 32), "dual_ascent: there are too many rows");
    const acumen::AscentProblem problem{z.data(), low.data(), high.data(), ridge.data(), squares.data(),
                                        epsilon,  bias,       b.data(),    w.data()};
    acumen::AscentEnd end;
    {
        const nb::gil_scoped_release unlocked;
        end = acumen::dual_ascent(rows, problem, tolerance, max_sweeps, seed, ask_python());
    }
    if (end.stopped) throw nb::python_error();
    return {end.sweeps, end.violation};
}

static std::pair<std::uint64_t, double> dense(MatrixIn x, FloatsIn z, FloatsIn low, FloatsIn high,
                                              FloatsIn ridge, FloatsIn squares, double epsilon, double bias,
                                              FloatsOut b, FloatsOut w, double tolerance,
                                              std::uint64_t max_sweeps, std::uint64_t seed) {
    const acumen::DenseRows rows{x.shape(0), x.shape(1), x.data()};
    return ascend(rows, z, low, high, ridge, squares, epsilon, bias, b, w, tolerance, max_sweeps, seed);
}

static std::pair<std::uint64_t, double> sparse(Wholes starts, CodesIn columns, FloatsIn values,
                                               std::size_t width, FloatsIn z, FloatsIn low, FloatsIn high,
                                               FloatsIn ridge, FloatsIn squares, double epsilon, double bias,
                                               FloatsOut b, FloatsOut w, double tolerance,
                                               std::uint64_t max_sweeps, std::uint64_t seed) {
    const acumen::SparseRows rows = sparse_rows(starts, columns, values, width);
    return ascend(rows, z, low, high, ridge, squares, epsilon, bias, b, w, tolerance, max_sweeps, seed);
}

void bind_dual_ascent(nb::module_& m) {
    const char* about =
        "Minimise the dual of a linear machine, one row at a time in random order; b and w (whose last "
        "number is\n"
        "the bias attribute's) change in place. Gives the number of sweeps and the largest violation left.";
    m.def("dual_ascent", &dense, "x"_a.noconvert(), "z"_a.noconvert(), "low"_a.noconvert(),
          "high"_a.noconvert(), "ridge"_a.noconvert(), "squares"_a.noconvert(), "epsilon"_a, "bias"_a,
          "b"_a.noconvert(), "w"_a.noconvert(), "tolerance"_a, "max_sweeps"_a, "seed"_a, about);
    m.def("dual_ascent_sparse", &sparse, "starts"_a.noconvert(), "columns"_a.noconvert(),
          "values"_a.noconvert(), "width"_a, "z"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
          "ridge"_a.noconvert(), "squares"_a.noconvert(), "epsilon"_a, "bias"_a, "b"_a.noconvert(),
          "w"_a.noconvert(), "tolerance"_a, "max_sweeps"_a, "seed"_a, about);
}
