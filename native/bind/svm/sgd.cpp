#include "kernels/svm/sgd.hpp"

#include "bind/linear/linear_rows.hpp"

static void run(const LinearRows& held, FloatsIn z, FloatsIn ends, double epsilon, double bias, double shift,
                bool numbers, bool squared, std::uint64_t steps, std::uint64_t seed, double delay,
                FloatsOut w, FloatsOut pulls) {
    const std::size_t n = held.n();
    require(n > 0 && z.size() == n && ends.size() == n && pulls.size() == n,
            "sgd: rows and their values differ in length");
    require(w.size() == held.width() + 1, "sgd: w needs a number for each column and one for the bias");
    const acumen::DescentProblem problem{z.data(), ends.data(), epsilon, bias, shift, numbers, squared};
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = std::visit(
            [&](const auto& rows) {
                return acumen::descend(rows, problem, steps, seed, delay, w.data(), pulls.data(),
                                       ask_python());
            },
            held.rows);
    }
    if (!whole) throw nb::python_error();
}

void bind_sgd(nb::module_& m) {
    m.def("sgd", &run, "rows"_a, "z"_a.noconvert(), "ends"_a.noconvert(), "epsilon"_a, "bias"_a, "shift"_a,
          "numbers"_a, "squared"_a, "steps"_a, "seed"_a, "delay"_a, "w"_a.noconvert(), "pulls"_a.noconvert(),
          "Steps of primal subgradient descent, a row drawn at random at each; `w` becomes the mean of the\n"
          "steps' weights, and `pulls` each row's part in the last ones.");
}
