#include "kernels/sgd.hpp"

#include "bind/linear_rows.hpp"

template <typename Rows>
static void run(const Rows& rows, FloatsIn z, FloatsIn ends, double epsilon, double bias, double shift,
                bool numbers, bool squared, std::uint64_t steps, std::uint64_t seed, double delay,
                FloatsOut w, FloatsOut pulls) {
    require(rows.n > 0 && z.size() == rows.n && ends.size() == rows.n && pulls.size() == rows.n,
            "sgd: rows and their values differ in length");
    require(w.size() == rows.width + 1, "sgd: w needs a number for each column and one for the bias");
    const acumen::DescentProblem problem{z.data(), ends.data(), epsilon, bias, shift, numbers, squared};
    bool whole;
    {
        const nb::gil_scoped_release unlocked;
        whole = acumen::descend(rows, problem, steps, seed, delay, w.data(), pulls.data(), ask_python());
    }
    if (!whole) throw nb::python_error();
}

static void dense(MatrixIn x, FloatsIn z, FloatsIn ends, double epsilon, double bias, double shift,
                  bool numbers, bool squared, std::uint64_t steps, std::uint64_t seed, double delay,
                  FloatsOut w, FloatsOut pulls) {
    run(acumen::DenseRows{x.shape(0), x.shape(1), x.data()}, z, ends, epsilon, bias, shift, numbers, squared,
        steps, seed, delay, w, pulls);
}

static void sparse(Wholes starts, CodesIn columns, FloatsIn values, std::size_t width, FloatsIn z,
                   FloatsIn ends, double epsilon, double bias, double shift, bool numbers, bool squared,
                   std::uint64_t steps, std::uint64_t seed, double delay, FloatsOut w, FloatsOut pulls) {
    run(sparse_rows(starts, columns, values, width), z, ends, epsilon, bias, shift, numbers, squared, steps,
        seed, delay, w, pulls);
}

void bind_sgd(nb::module_& m) {
    const char* about =
        "Steps of primal subgradient descent, a row drawn at random at each; `w` becomes the mean of the "
        "steps'\n"
        "weights, and `pulls` each row's part in the last ones.";
    m.def("sgd", &dense, "x"_a.noconvert(), "z"_a.noconvert(), "ends"_a.noconvert(), "epsilon"_a, "bias"_a,
          "shift"_a, "numbers"_a, "squared"_a, "steps"_a, "seed"_a, "delay"_a, "w"_a.noconvert(),
          "pulls"_a.noconvert(), about);
    m.def("sgd_sparse", &sparse, "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(),
          "width"_a, "z"_a.noconvert(), "ends"_a.noconvert(), "epsilon"_a, "bias"_a, "shift"_a, "numbers"_a,
          "squared"_a, "steps"_a, "seed"_a, "delay"_a, "w"_a.noconvert(), "pulls"_a.noconvert(), about);
}
