#include "kernels/linear/perceptron.hpp"

#include <nanobind/stl/pair.h>

#include "bind/arrays.hpp"

using WholeIn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Labels, order and row weights that can be gone through without looking outside of anything.
static acumen::PerceptronRule checked(const CodesIn& labels, const WholeIn& order, const FloatsIn& weight,
                                      std::size_t rows, std::size_t vectors, double rate, bool tie_is_right) {
    require(vectors >= 1, "perceptron: there must be a vector of weights");
    require(labels.size() == rows && (!weight.size() || weight.size() == rows),
            "perceptron: rows, labels and row weights differ in length");
    const auto classes = static_cast<std::int32_t>(vectors == 1 ? 2 : vectors);
    for (const std::int32_t label : span_of(labels))
        require(label >= 0 && label < classes, "perceptron: a label is none of the classes");
    for (const std::int64_t at : span_of(order))
        require(at >= 0 && at < static_cast<std::int64_t>(rows), "perceptron: the order names no row");
    return {rate, tie_is_right, weight.size() ? weight.data() : nullptr};
}

static double* lag_of(const MatrixOut& lag, const MatrixOut& weights) {
    if (!lag.size()) return nullptr;
    require(lag.shape(0) == weights.shape(0) && lag.shape(1) == weights.shape(1),
            "perceptron: lag and weights differ in shape");
    return lag.data();
}

using Done = std::pair<std::size_t, double>;

static Done dense_epoch(MatrixIn rows, CodesIn labels, WholeIn order, FloatsIn weight, double rate,
                        bool tie_is_right, MatrixOut weights, MatrixOut lag, double step) {
    const std::size_t n = rows.shape(0), d = rows.shape(1), vectors = weights.shape(0);
    const auto rule = checked(labels, order, weight, n, vectors, rate, tie_is_right);
    require(weights.shape(1) == d, "perceptron: the weights do not go with the columns");
    double* behind = lag_of(lag, weights);
    const nb::gil_scoped_release unlocked;
    const acumen::PerceptronRows given{n, d, rows.data(), nullptr, nullptr};
    const std::size_t moves = acumen::perceptron_epoch(given, span_of(labels), span_of(order), rule, vectors,
                                                       weights.data(), behind, step);
    return {moves, step};
}

static Done sparse_epoch(FloatsIn values, CodesIn places, WholeIn starts, CodesIn labels, WholeIn order,
                         FloatsIn weight, double rate, bool tie_is_right, MatrixOut weights, MatrixOut lag,
                         double step) {
    require(starts.size() >= 1 && values.size() == places.size(), "perceptron: the sparse rows are none");
    const std::size_t n = starts.size() - 1, d = weights.shape(1), vectors = weights.shape(0);
    std::int64_t before = 0;
    for (const std::int64_t start : span_of(starts)) {
        require(start >= before && start <= static_cast<std::int64_t>(values.size()),
                "perceptron: the sparse rows' starts do not ascend");
        before = start;
    }
    for (const std::int32_t place : span_of(places))
        require(place >= 0 && static_cast<std::size_t>(place) < d, "perceptron: a column lies outside");
    const auto rule = checked(labels, order, weight, n, vectors, rate, tie_is_right);
    double* behind = lag_of(lag, weights);
    const nb::gil_scoped_release unlocked;
    const acumen::PerceptronRows given{n, d, values.data(), starts.data(), places.data()};
    const std::size_t moves = acumen::perceptron_epoch(given, span_of(labels), span_of(order), rule, vectors,
                                                       weights.data(), behind, step);
    return {moves, step};
}

static Done kernel_epoch(MatrixIn kernel, CodesIn labels, WholeIn order, FloatsIn weight, double rate,
                         bool tie_is_right, MatrixOut alpha, MatrixOut products, MatrixOut lag, double step) {
    const std::size_t n = kernel.shape(0), vectors = alpha.shape(0);
    const auto rule = checked(labels, order, weight, n, vectors, rate, tie_is_right);
    require(
        kernel.shape(1) == n && alpha.shape(1) == n && products.shape(0) == vectors && products.shape(1) == n,
        "perceptron: the kernel matrix, alpha and products do not go together");
    double* behind = lag_of(lag, alpha);
    const nb::gil_scoped_release unlocked;
    const std::size_t moves =
        acumen::kernel_perceptron_epoch(kernel.data(), n, span_of(labels), span_of(order), rule, vectors,
                                        alpha.data(), products.data(), behind, step);
    return {moves, step};
}

void bind_perceptron(nb::module_& m) {
    m.def(
        "perceptron_epoch", &dense_epoch, "rows"_a.noconvert(), "labels"_a.noconvert(), "order"_a.noconvert(),
        "weight"_a.noconvert(), "rate"_a, "tie_is_right"_a, "weights"_a.noconvert(), "lag"_a.noconvert(),
        "step"_a,
        "Go through the rows once, moving `weights` (vectors x columns) where they err, in place; gives the "
        "moves and the steps so far. `lag` gathers moves times steps, or is empty.");
    m.def("perceptron_epoch_sparse", &sparse_epoch, "values"_a.noconvert(), "places"_a.noconvert(),
          "starts"_a.noconvert(), "labels"_a.noconvert(), "order"_a.noconvert(), "weight"_a.noconvert(),
          "rate"_a, "tie_is_right"_a, "weights"_a.noconvert(), "lag"_a.noconvert(), "step"_a,
          "The same for compressed sparse rows.");
    m.def("perceptron_epoch_kernel", &kernel_epoch, "kernel"_a.noconvert(), "labels"_a.noconvert(),
          "order"_a.noconvert(), "weight"_a.noconvert(), "rate"_a, "tie_is_right"_a, "alpha"_a.noconvert(),
          "products"_a.noconvert(), "lag"_a.noconvert(), "step"_a,
          "The same in the dual: `alpha` and `products` are vectors x rows, in place.");
}
