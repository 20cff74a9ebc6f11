#include "kernels/svm/adatron.hpp"

#include <nanobind/stl/pair.h>

#include "bind/borrow.hpp"

using KernelMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// (sweeps, largest violation); b and gradient are in order even when Ctrl-C raises.
static std::pair<std::uint64_t, double> adatron(KernelMatrix kernel, FloatsIn low, FloatsIn high, FloatsOut b,
                                                FloatsOut gradient, double epsilon, double fold, double shift,
                                                double tolerance, std::uint64_t max_sweeps) {
    const std::size_t n = kernel.shape(0), stride = kernel.shape(1);
    if (stride < n) throw nb::value_error("adatron: lines of the kernel must hold n values");
    if (low.size() != n || high.size() != n || b.size() != n || gradient.size() != n)
        throw nb::value_error("adatron: kernel, bounds, b and gradient differ in length");
    acumen::SmoEnd end;
    {
        const nb::gil_scoped_release unlocked;
        acumen::HeldLines<double> lines(kernel.data(), stride);
        const acumen::BoxProblem<double> problem{n,        &lines,          low.data(), high.data(),
                                                 b.data(), gradient.data(), epsilon,    false};
        end = acumen::adatron(problem, {fold, shift}, tolerance, max_sweeps, ask_python());
    }
    if (end.stopped) throw nb::python_error();
    return {end.steps, end.violation};
}

void bind_adatron(nb::module_& m) {
    m.def(
        "adatron", &adatron, "kernel"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
        "b"_a.noconvert(), "gradient"_a.noconvert(), "epsilon"_a, "fold"_a, "shift"_a, "tolerance"_a,
        "max_sweeps"_a,
        "Minimise 1/2 b'(K + fold)b + (shift - z)'b + epsilon sum |b| within low <= b <= high by the kernel\n"
        "adatron: rows take turns. b and gradient (Kb - z) change in place. Gives the number of sweeps and "
        "the\nlargest violation met in the last one.");
}
