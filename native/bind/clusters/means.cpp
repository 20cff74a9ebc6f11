#include "kernels/clusters/means.hpp"

#include "bind/arrays.hpp"

using CodesOut = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static acumen::MeansRows rows_of(const MatrixIn& values, const FloatsIn& weights, const char* who) {
    if (weights.size() && weights.size() != values.shape(0))
        throw nb::value_error((std::string(who) + ": there is not one weight for each row").c_str());
    return {values.data(), values.shape(0), values.shape(1), weights.size() ? weights.data() : nullptr};
}

static std::size_t means_pass(MatrixIn values, FloatsIn weights, MatrixIn centres, FloatsIn moved,
                              CodesOut labels, FloatsOut upper, FloatsOut lower, MatrixOut sum,
                              FloatsOut whole, MatrixOut known) {
    const auto rows = rows_of(values, weights, "means_pass");
    const std::size_t k = centres.shape(0);
    if (!k || centres.shape(1) != rows.d)
        throw nb::value_error("means_pass: centres need a line each, as wide as rows");
    if (labels.size() != rows.n || (upper.size() && upper.size() != rows.n) || lower.size() != upper.size())
        throw nb::value_error("means_pass: labels and bounds need a place for each row");
    if ((moved.size() && moved.size() != k) || whole.size() != k || sum.shape(0) != k ||
        sum.shape(1) != rows.d || known.shape(0) != k || known.shape(1) != rows.d)
        throw nb::value_error("means_pass: sums, weights and moves need a line for each centre");
    for (std::size_t i = 0; i < rows.n; ++i)
        if (labels.data()[i] >= static_cast<std::int32_t>(k))
            throw nb::value_error("means_pass: a label is of no centre");
    const nb::gil_scoped_release unlocked;
    const acumen::Centres all(centres.data(), k, rows.d, moved.size() ? moved.data() : nullptr);
    const acumen::Remembered kept{labels.data(), upper.size() ? upper.data() : nullptr,
                                  upper.size() ? lower.data() : nullptr};
    acumen::MeansSums sums{sum.data(), whole.data(), known.data(), 0};
    acumen::means_pass(rows, all, kept, sums);
    return sums.changed;
}

static void squared_distances(MatrixIn values, MatrixIn centres, MatrixOut out) {
    const auto rows = rows_of(values, FloatsIn(), "squared_distances");
    if (centres.shape(1) != rows.d || out.shape(0) != rows.n || out.shape(1) != centres.shape(0))
        throw nb::value_error(
            "squared_distances: out needs a line for each row and a column for each centre");
    const nb::gil_scoped_release unlocked;
    acumen::squared_distances(rows, centres.data(), centres.shape(0), out.data());
}

static void own_squares(MatrixIn values, MatrixIn centres, CodesIn labels, FloatsOut out) {
    const auto rows = rows_of(values, FloatsIn(), "own_squares");
    if (centres.shape(1) != rows.d || out.size() != rows.n || labels.size() != rows.n)
        throw nb::value_error("own_squares: out and labels need a place for each row");
    for (const std::int32_t label : span_of(labels))
        if (label >= static_cast<std::int32_t>(centres.shape(0)))
            throw nb::value_error("own_squares: a label is of no centre");
    const nb::gil_scoped_release unlocked;
    acumen::own_squares(rows, centres.data(), labels.data(), out.data());
}

void bind_means(nb::module_& m) {
    m.def(
        "means_pass", &means_pass, "values"_a.noconvert(), "weights"_a.noconvert(), "centres"_a.noconvert(),
        "moved"_a.noconvert(), "labels"_a.noconvert(), "upper"_a.noconvert(), "lower"_a.noconvert(),
        "sum"_a.noconvert(), "whole"_a.noconvert(), "known"_a.noconvert(),
        "One pass of k-means over a block: fill labels and bounds, add to sums and weights; how many labels "
        "changed.");
    m.def("own_squares", &own_squares, "values"_a.noconvert(), "centres"_a.noconvert(),
          "labels"_a.noconvert(), "out"_a.noconvert(),
          "Fill `out` with the squared distance of each row to the centre of its label.");
    m.def("squared_distances", &squared_distances, "values"_a.noconvert(), "centres"_a.noconvert(),
          "out"_a.noconvert(),
          "Fill `out` with the squared distance of each row to each centre, over what is known.");
}
