#include "kernels/clusters/birch.hpp"

#include "bind/arrays.hpp"

static void add_rows(acumen::FeatureTree& tree, MatrixIn values, FloatsIn weights) {
    if (values.shape(1) != tree.width())
        throw nb::value_error("FeatureTree: rows are not as wide as the tree");
    if (weights.size() && weights.size() != values.shape(0))
        throw nb::value_error("FeatureTree: there is not one weight for each row");
    const nb::gil_scoped_release unlocked;
    tree.add(values.data(), weights.size() ? weights.data() : nullptr, values.shape(0));
}

static void join_features(acumen::FeatureTree& tree, FloatsIn weight, MatrixIn mean, FloatsIn scatter,
                          double threshold) {
    const std::size_t n = weight.size();
    if (mean.shape(0) != n || scatter.size() != n || mean.shape(1) != tree.width() || !(threshold >= 0))
        throw nb::value_error("FeatureTree: the subclusters are not those of a tree as wide as this one");
    const nb::gil_scoped_release unlocked;
    tree.join(weight.data(), mean.data(), scatter.data(), n, threshold);
}

static void read_features(const acumen::FeatureTree& tree, FloatsOut weight, MatrixOut mean,
                          FloatsOut scatter) {
    if (weight.size() != tree.size() || scatter.size() != tree.size() || mean.shape(0) != tree.size() ||
        mean.shape(1) != tree.width())
        throw nb::value_error("FeatureTree: there is not one place for each subcluster");
    tree.read(weight.data(), mean.data(), scatter.data());
}

void bind_birch(nb::module_& m) {
    nb::class_<acumen::FeatureTree>(m, "FeatureTree", "Rows summarised by a tree of cluster features.")
        .def(
            "__init__",
            [](acumen::FeatureTree* self, std::size_t d, double threshold, std::size_t branching,
               std::size_t most) {
                if (!(threshold >= 0) || branching < 2)
                    throw nb::value_error("FeatureTree: a threshold of at least 0, branches of at least 2");
                new (self) acumen::FeatureTree(d, threshold, branching, most);
            },
            "d"_a, "threshold"_a, "branching"_a, "most"_a)
        .def("add", &add_rows, "values"_a.noconvert(), "weights"_a.noconvert(),
             "Put rows into the tree, in order.")
        .def("join", &join_features, "weight"_a.noconvert(), "mean"_a.noconvert(), "scatter"_a.noconvert(),
             "threshold"_a, "Put the subclusters of another tree into this one, in order.")
        .def("read", &read_features, "weight"_a.noconvert(), "mean"_a.noconvert(), "scatter"_a.noconvert(),
             "Fill arrays with the subclusters, from the first leaf to the last.")
        .def_prop_ro("width", &acumen::FeatureTree::width, "How many attributes a row has.")
        .def_prop_ro("size", &acumen::FeatureTree::size, "How many subclusters there are.")
        .def_prop_ro("threshold", &acumen::FeatureTree::threshold, "The radius that none of them exceeds.")
        .def_prop_ro("rebuilt", &acumen::FeatureTree::rebuilt, "How often the threshold was raised.");
}
