#include "kernels/clusters/mixture.hpp"

#include "bind/arrays.hpp"

using FactorsIn = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using SumsOut = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

template <typename Array>
static bool fits(const Array& array, std::size_t k, std::size_t d, bool diagonal) {
    if (array.ndim() != (diagonal ? 2u : 3u)) return false;
    return array.shape(0) == k && array.shape(1) == d && (diagonal || array.shape(2) == d);
}

static acumen::MixtureParts parts_of(const FloatsIn& constants, const MatrixIn& means,
                                     const FactorsIn& factors, std::size_t d, bool diagonal,
                                     const char* who) {
    const std::size_t k = constants.size();
    if (!k || means.shape(0) != k || means.shape(1) != d || !fits(factors, k, d, diagonal))
        throw nb::value_error(
            (std::string(who) + ": constants, means and factors need a line for each component").c_str());
    return {constants.data(), means.data(), factors.data(), k, diagonal};
}

static double mixture_pass(MatrixIn values, FloatsIn weights, FloatsIn constants, MatrixIn means,
                           FactorsIn factors, bool diagonal, FloatsOut weight, MatrixOut first,
                           SumsOut second) {
    const std::size_t n = values.shape(0), d = values.shape(1);
    const auto parts = parts_of(constants, means, factors, d, diagonal, "mixture_pass");
    if (weights.size() && weights.size() != n)
        throw nb::value_error("mixture_pass: there is not one weight for each row");
    if (weight.size() != parts.k || first.shape(0) != parts.k || first.shape(1) != d ||
        !fits(second, parts.k, d, diagonal))
        throw nb::value_error("mixture_pass: sums need a line for each component");
    const nb::gil_scoped_release unlocked;
    return acumen::mixture_pass({values.data(), weights.size() ? weights.data() : nullptr, n, d}, parts,
                                {weight.data(), first.data(), second.data()});
}

static void mixture_logs(MatrixIn values, FloatsIn constants, MatrixIn means, FactorsIn factors,
                         bool diagonal, MatrixOut out) {
    const std::size_t n = values.shape(0), d = values.shape(1);
    const auto parts = parts_of(constants, means, factors, d, diagonal, "mixture_logs");
    if (out.shape(0) != n || out.shape(1) != parts.k)
        throw nb::value_error("mixture_logs: out needs a line for each row and a column for each component");
    const nb::gil_scoped_release unlocked;
    acumen::mixture_logs({values.data(), nullptr, n, d}, parts, out.data());
}

void bind_mixture(nb::module_& m) {
    m.def("mixture_pass", &mixture_pass, "values"_a.noconvert(), "weights"_a.noconvert(),
          "constants"_a.noconvert(), "means"_a.noconvert(), "factors"_a.noconvert(), "diagonal"_a,
          "weight"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(),
          "One pass of a mixture over the complete rows of a block: add to the components' sums about their "
          "means; the log-likelihood.");
    m.def("mixture_logs", &mixture_logs, "values"_a.noconvert(), "constants"_a.noconvert(),
          "means"_a.noconvert(), "factors"_a.noconvert(), "diagonal"_a, "out"_a.noconvert(),
          "Fill `out` with log share + log density of each component at each row; NaN where there are gaps.");
}
