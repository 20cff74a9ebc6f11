#include "kernels/svm/single_machine.hpp"

#include <nanobind/stl/pair.h>

#include "bind/linear/linear_rows.hpp"

static std::pair<std::uint64_t, double> run(const LinearRows& held, CodesIn labels, FloatsIn cost,
                                            FloatsIn squares, FloatsIn shift, double bias, MatrixOut a,
                                            MatrixOut w, double tolerance, std::uint64_t max_sweeps,
                                            std::uint64_t seed) {
    const std::size_t n = held.n(), k = shift.size();
    require(k > 0 && labels.size() == n && cost.size() == n && squares.size() == n && a.shape(0) == n &&
                a.shape(1) == k && w.shape(0) == held.width() + 1 && w.shape(1) == k,
            "single_machine: the arrays' shapes do not go together");
    require(n < (1ULL << 32), "single_machine: there are too many rows");
    for (const std::int32_t label : span_of(labels))
        require(label >= 0 && static_cast<std::size_t>(label) < k, "single_machine: a label is no class");
    const acumen::SingleProblem problem{k,    labels.data(), cost.data(), squares.data(), shift.data(),
                                        bias, a.data(),      w.data()};
    acumen::SingleEnd end;
    {
        const nb::gil_scoped_release unlocked;
        end = std::visit(
            [&](const auto& rows) {
                return acumen::single_machine(rows, problem, tolerance, max_sweeps, seed, ask_python());
            },
            held.rows);
    }
    if (end.stopped) throw nb::python_error();
    return {end.sweeps, end.violation};
}

void bind_single_machine(nb::module_& m) {
    m.def("single_machine", &run, "rows"_a, "labels"_a.noconvert(), "cost"_a.noconvert(),
          "squares"_a.noconvert(), "shift"_a.noconvert(), "bias"_a, "a"_a.noconvert(), "w"_a.noconvert(),
          "tolerance"_a, "max_sweeps"_a, "seed"_a,
          "Minimise the dual of Crammer and Singer's machine of all classes, one row at a time; `a` (rows x\n"
          "classes) and `w` ((columns + 1) x classes) change in place. Gives the sweeps and the largest\n"
          "violation left.");
}
