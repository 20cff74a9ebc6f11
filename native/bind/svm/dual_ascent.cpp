#include "kernels/svm/dual_ascent.hpp"

#include <nanobind/stl/pair.h>

#include "bind/linear/linear_rows.hpp"

static std::pair<std::uint64_t, double> ascend(const LinearRows& held, FloatsIn z, FloatsIn low,
                                               FloatsIn high, FloatsIn ridge, FloatsIn squares,
                                               double epsilon, double bias, FloatsOut b, FloatsOut w,
                                               double tolerance, std::uint64_t max_sweeps,
                                               std::uint64_t seed) {
    const std::size_t n = held.n();
    require(z.size() == n && low.size() == n && high.size() == n && ridge.size() == n &&
                squares.size() == n && b.size() == n,
            "dual_ascent: rows and their values differ in length");
    require(w.size() == held.width() + 1,
            "dual_ascent: w needs a number for each column and one for the bias");
    require(n < (1ULL << 32), "dual_ascent: there are too many rows");
    const acumen::AscentProblem problem{z.data(), low.data(), high.data(), ridge.data(), squares.data(),
                                        epsilon,  bias,       b.data(),    w.data()};
    acumen::AscentEnd end;
    {
        const nb::gil_scoped_release unlocked;
        end = std::visit(
            [&](const auto& rows) {
                return acumen::dual_ascent(rows, problem, tolerance, max_sweeps, seed, ask_python());
            },
            held.rows);
    }
    if (end.stopped) throw nb::python_error();
    return {end.sweeps, end.violation};
}

void bind_dual_ascent(nb::module_& m) {
    m.def("dual_ascent", &ascend, "rows"_a, "z"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
          "ridge"_a.noconvert(), "squares"_a.noconvert(), "epsilon"_a, "bias"_a, "b"_a.noconvert(),
          "w"_a.noconvert(), "tolerance"_a, "max_sweeps"_a, "seed"_a,
          "Minimise the dual of a linear machine, one row at a time in random order; b and w (whose last\n"
          "number is the bias attribute's) change in place. Gives the number of sweeps and the largest\n"
          "violation left.");
}
