#include "kernels/trees/prune.hpp"

#include <nanobind/stl/tuple.h>

#include "bind/trees/borrow.hpp"

static void check(const BorrowedTree& tree, const BorrowedInputs& inputs, const CodesIn& labels,
                  const FloatsIn& weights, const MatrixOut& counts, const char* who) {
    const auto fail = [&](const char* what) {
        throw nb::value_error((std::string(who) + ": " + what).c_str());
    };
    if (!tree.fits(inputs.columns().size())) fail("the tree asks for a column that is not there");
    if (weights.size() && weights.size() != labels.size()) fail("labels and weights differ in length");
    if (counts.shape(0) != tree.nodes() || !counts.shape(1)) fail("counts need a row for each node");
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= counts.shape(1))
            fail("a row has no class");
}

void bind_tree_prune(nb::module_& m) {
    m.def(
        "tree_leaf_counts",
        [](nb::handle tree, nb::handle columns, CodesIn labels, FloatsIn weights, FloatsIn node_weight,
           MatrixOut counts, std::size_t n_threads) {
            const BorrowedTree borrowed(tree);
            const BorrowedInputs inputs(columns, labels.size(), "tree_leaf_counts");
            check(borrowed, inputs, labels, weights, counts, "tree_leaf_counts");
            if (node_weight.size() != borrowed.nodes())
                throw nb::value_error("tree_leaf_counts: every node needs a weight");
            bool done = false;
            {
                const nb::gil_scoped_release unlocked;
                const acumen::TreeRows rows{inputs.columns(), span_of(labels), span_of(weights)};
                done = acumen::count_on_leaves(borrowed.arrays(), rows, span_of(node_weight), counts.shape(1),
                                               n_threads, ask_python(), counts.data());
            }
            if (!done) throw nb::python_error();
        },
        "tree"_a, "columns"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "node_weight"_a.noconvert(),
        "counts"_a.noconvert(), "n_threads"_a = 1,
        "Add the weight of each row to `counts` at the leaves it falls on, in place.");
    m.def(
        "tree_raise",
        [](nb::handle tree, nb::handle columns, CodesIn labels, FloatsIn weights, FloatsIn regret, double cf,
           bool raising, MatrixOut counts, std::size_t n_threads) {
            const BorrowedTree borrowed(tree);
            const BorrowedInputs inputs(columns, labels.size(), "tree_raise");
            if (raising) check(borrowed, inputs, labels, weights, counts, "tree_raise");
            if (counts.shape(0) != borrowed.nodes() || !counts.shape(1))
                throw nb::value_error("tree_raise: counts need a row for each node");
            if (regret.size() && regret.size() != counts.shape(1) * counts.shape(1))
                throw nb::value_error("tree_raise: regret needs a row and a column for each class");
            acumen::Raised made;
            bool done = false;
            {
                const nb::gil_scoped_release unlocked;
                const acumen::TreeRows rows{inputs.columns(), span_of(labels), span_of(weights)};
                done = acumen::raise_subtrees(borrowed.arrays(), rows, span_of(regret), counts.shape(1), cf,
                                              raising, n_threads, ask_python(), counts.data(), made);
            }
            if (!done) throw nb::python_error();
            return std::make_tuple(to_numpy(std::move(made.first)), to_numpy(std::move(made.branches)),
                                   to_numpy(std::move(made.place)));
        },
        "tree"_a, "columns"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "regret"_a.noconvert(),
        "cf"_a, "raising"_a, "counts"_a.noconvert(), "n_threads"_a = 1,
        "Pessimistic pruning of C4.5; gives each node's new first child, number of branches and whose test "
        "it "
        "has, and brings `counts` up to date.");
    m.def(
        "extra_errors",
        [](double cases, double errors, double cf) {
            return acumen::extra_errors(cases, errors, cf, acumen::deviate_squared(cf));
        },
        "cases"_a, "errors"_a, "cf"_a,
        "What C4.5 adds to the errors of a leaf: the upper limit of its error rate at confidence `cf`.");
}
