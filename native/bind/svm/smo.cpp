#include "kernels/svm/smo.hpp"

#include <nanobind/stl/pair.h>

#include "bind/borrow.hpp"

template <typename T>
using Kernel = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// (steps, largest violation); b and gradient are in order even when Ctrl-C raises.
template <typename T>
static std::pair<std::uint64_t, double> solve(Kernel<T> kernel, FloatsIn low, FloatsIn high, FloatsOut b,
                                              FloatsOut gradient, double epsilon, bool balanced,
                                              double tolerance, std::uint64_t max_steps) {
    const std::size_t n = kernel.shape(0), stride = kernel.shape(1);
    if (stride < n || stride % acumen::SMO_LANES)
        throw nb::value_error("smo: lines of the kernel must hold n values, filled up to a multiple of 8");
    if (low.size() != n || high.size() != n || b.size() != n || gradient.size() != n)
        throw nb::value_error("smo: kernel, bounds, b and gradient differ in length");
    acumen::SmoEnd end;
    {
        const nb::gil_scoped_release unlocked;
        acumen::HeldLines<T> lines(kernel.data(), stride);
        const acumen::BoxProblem<T> problem{n,        &lines,          low.data(), high.data(),
                                            b.data(), gradient.data(), epsilon,    balanced};
        end = acumen::smo(problem, tolerance, max_steps, ask_python());
    }
    if (end.stopped) throw nb::python_error();
    return {end.steps, end.violation};
}

void bind_smo(nb::module_& m) {
    const char* about =
        "Minimise 1/2 b'Kb - z'b + epsilon sum |b| within low <= b <= high, and with the sum of b as it is "
        "where `balanced`, "
        "by\n"
        "steps of sequential minimal optimisation; b and gradient (Kb - z) change in place. Gives the number "
        "of\n"
        "steps and the largest violation left.";
    const auto define = [&](auto* function) {
        m.def("smo", function, "kernel"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
              "b"_a.noconvert(), "gradient"_a.noconvert(), "epsilon"_a, "balanced"_a, "tolerance"_a,
              "max_steps"_a, about);
    };
    define(&solve<double>);
    define(&solve<float>);
}
