"""The kernels that grow trees, send rows down them and prune them, against their slow twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acumen import _native
from acumen.trees import node_tests as branching
from acumen.trees.grow import kernel_options
from acumen.trees.options import GrowOptions
from acumen.trees.tree import Tree
from reference.tree import How
from reference.tree_prune import Branch, Estimator, estimated
from reference.tree_same import same
from tree_cases import distribution, shares_of
from trees.grown import Case, sample_of, schema_of

CLASSES = 3
NUMBERS, CODES = np.array([0, 3], dtype=np.int32), np.array([1, 2], dtype=np.int32)
LEVELS, ORDERED = np.array([3, 3], dtype=np.int32), np.array([0, 1], dtype=np.uint8)
ALL_EQUAL = np.empty(0)


def case(seed: int, missing: str = "fractional", measure: str = "gain-ratio", weighted: bool = True) -> Case:
    """Forty rows of two numeric, a nominal and an ordinal column, with missing values."""
    rng = np.random.default_rng(seed)
    how = How(measure=measure, missing=missing, split="binary" if seed % 2 else "multiway")
    return Case(schema_of(CLASSES), sample_of(rng, 40, CLASSES, 0.15, weighted), how)


def options(how: How) -> dict[str, Any]:
    choices = GrowOptions(
        measure=how.measure, split=how.split, missing=how.missing, min_samples_leaf=how.min_branch  # type: ignore[arg-type]
    )  # fmt: skip
    return kernel_options(choices)


def growing(some: Case) -> dict[str, Any]:
    columns, weights = some.sample.columns, some.sample.weights
    return {
        "numbers": [columns[j] for j in NUMBERS],
        "number_at": NUMBERS,
        "codes": [columns[j] for j in CODES],
        "code_at": CODES,
        "levels": LEVELS,
        "ordered": ORDERED,
        "labels": some.sample.labels,
        "weights": weights,
        "classes": CLASSES,
        "factors": ALL_EQUAL,
        "attribute_costs": ALL_EQUAL,
        "options": options(some.how),
    }


def tree_of(arrays: dict[str, Any], some: Case) -> Tree:
    fields = "input", "cut_at", "cuts", "branch_at", "branch"
    return Tree(
        some.inputs,
        branching.Tests(*(arrays[name] for name in fields)),
        arrays["first"],
        arrays["branches"],
        arrays["otherwise"],
        arrays["counts"].reshape(-1, CLASSES),
        arrays["surrogate_at"],
        branching.Tests(*(arrays[f"surrogate_{name}"] for name in fields)),
    )


@pytest.mark.parametrize("missing", ["fractional", "branch", "majority", "surrogate"])
@pytest.mark.parametrize(("seed", "measure"), [(0, "gain-ratio"), (1, "gini"), (2, "gain"), (3, "twoing")])
def test_grow_tree_grows_the_tree_of_its_twin(seed: int, measure: str, missing: str) -> None:
    some = case(seed, missing, measure)
    tree = some.tree()
    assert len(tree) > 4
    assert same(tree_of(_native.grow_tree(**growing(some)), some), tree) is None


def test_grow_tree_takes_no_weights_as_equal_ones_and_an_order_as_its_own_sorting() -> None:
    some = case(0, weighted=False)
    arguments = growing(some)
    equal = _native.grow_tree(**(arguments | {"weights": ALL_EQUAL}))
    entries, known = _native.presort(arguments["numbers"])
    order = SimpleNamespace(
        entries=entries.reshape(2, 40, 2), known=known, places=np.arange(40, dtype=np.int32)
    )
    ordered = _native.grow_tree(**arguments, order=order)
    for name, array in _native.grow_tree(**arguments).items():
        np.testing.assert_array_equal(array, equal[name])
        np.testing.assert_array_equal(array, ordered[name])


def test_grow_tree_refuses_arrays_that_do_not_fit() -> None:
    good = growing(case(0))
    for name, value, message in [
        ("labels", good["labels"][1:], "differ in length"),
        ("weights", good["weights"][1:], "differ in length"),
        ("number_at", NUMBERS[1:], "a place for each number column"),
        ("code_at", CODES[1:], "a place for each code column"),
        ("code_at", NUMBERS, "each input has one place"),
        ("levels", LEVELS[1:], "levels for each code column"),
        ("levels", -LEVELS, "levels below zero"),
        ("ordered", ORDERED[1:], "an order flag"),
        ("labels", good["labels"] + np.int32(1), "a label is no class"),
        ("factors", np.ones(2), "a factor for each class"),
        ("attribute_costs", np.ones(2), "a cost for each input"),
        ("options", good["options"] | {"measure": "luck"}, "no such measure"),
    ]:
        with pytest.raises(ValueError, match=f"grow_tree: .*{message}"):
            _native.grow_tree(**(good | {name: value}))


# -- rows go down a tree ------------------------------------------------------------------------------


def score(some: Case, tree: Tree) -> np.ndarray:
    shares = shares_of(tree)
    with np.errstate(divide="ignore"):
        logs = np.log(shares)
    out = np.empty((len(some.sample), CLASSES))
    _native.tree_scores(tree, list(some.sample.columns), tree.weight.copy(), shares, logs, out)
    return out


@pytest.mark.parametrize("missing", ["fractional", "branch", "majority", "surrogate"])
def test_tree_scores_are_the_leaves_that_a_row_falls_on(missing: str) -> None:
    some = case(4, missing)
    tree = some.tree()
    shares = shares_of(tree)
    expected = [distribution(tree, shares, some.sample.columns, i) for i in range(len(some.sample))]
    np.testing.assert_allclose(np.exp(score(some, tree)), expected, rtol=1e-12, atol=1e-15)


def count(some: Case, tree: Tree) -> np.ndarray:
    """The weight of each class on the leaves, rows going down in shares."""
    estimator = Estimator(tree, some.sample.columns, some.sample.labels, 0.25)
    counts = np.zeros_like(tree.counts)
    open_nodes = [(Branch.of(tree), [(i, float(w)) for i, w in enumerate(some.sample.weights)])]
    while open_nodes:
        branch, rows = open_nodes.pop()
        if branch.children:
            open_nodes += zip(branch.children, estimator.split(branch, rows), strict=True)
        else:
            counts[branch.place] = estimator.counts(rows)
    return counts


@pytest.mark.parametrize("missing", ["fractional", "branch", "majority", "surrogate"])
def test_tree_leaf_counts_adds_rows_to_the_leaves_they_fall_on(missing: str) -> None:
    grown, some = case(5, missing), case(6, missing)  # other rows than those the tree is grown of
    tree = grown.tree()
    counts = np.ones_like(tree.counts)
    sample = some.sample
    _native.tree_leaf_counts(
        tree, list(sample.columns), sample.labels, sample.weights, tree.weight.copy(), counts
    )
    np.testing.assert_allclose(counts, 1.0 + count(some, tree), rtol=1e-12)


# -- pruning ------------------------------------------------------------------------------------------


def shape(arrays: tuple[Any, Any, Any], counts: np.ndarray, node: int = 0) -> Any:
    """The pruned tree as nested tuples of the places its tests come from."""
    first, branches, place = arrays
    if not branches[node]:
        return tuple(np.round(counts[node], 9).tolist())
    return int(place[node]), tuple(
        shape(arrays, counts, int(first[node]) + b) for b in range(int(branches[node]))
    )


def size(shape_: Any) -> int:
    return sum(map(size, shape_[1])) if isinstance(shape_[1], tuple) else 1


@pytest.mark.parametrize("costly", [False, True])
@pytest.mark.parametrize("missing", ["fractional", "majority"])
def test_tree_raise_prunes_as_c45_does(missing: str, costly: bool) -> None:
    regret = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]) if costly else None
    smaller = raised = 0
    for seed in range(8):
        some = case(seed, missing)
        tree, sample = some.tree(), some.sample
        counts = tree.counts.copy()
        flat = ALL_EQUAL if regret is None else regret.ravel()
        arrays = _native.tree_raise(
            tree, list(sample.columns), sample.labels, sample.weights, flat, 0.25, True, counts
        )
        expected = estimated(tree, sample.columns, sample.labels, sample.weights, 0.25, regret=regret)
        assert shape(arrays, counts) == expected
        smaller += size(expected) < np.count_nonzero(tree.leaves)
        raised += bool((arrays[2] != np.arange(len(tree))).any())
    assert smaller > 2 and raised


def test_tree_raise_without_rows_only_cuts() -> None:
    some = case(1)
    tree = some.tree()
    arrays = _native.tree_raise(
        tree, [np.empty(0)] * 4, np.empty(0, dtype=np.int32), ALL_EQUAL, ALL_EQUAL, 0.25, False, tree.counts.copy()
    )  # fmt: skip
    assert np.array_equal(arrays[2], np.arange(len(tree)))
    whole = Branch.of(tree)
    rows = [(i, float(w)) for i, w in enumerate(some.sample.weights)]
    Estimator(tree, some.sample.columns, some.sample.labels, 0.25).estimate(whole, rows, True, False)
    assert shape(arrays, tree.counts) == whole.shape()


def test_kernels_on_trees_refuse_arrays_that_do_not_fit() -> None:
    some = case(0)
    tree, sample = some.tree(), some.sample
    columns, weight, counts = list(sample.columns), tree.weight.copy(), tree.counts.copy()
    scores = {
        "tree": tree,
        "columns": columns,
        "weight": weight,
        "shares": counts,
        "logs": counts,
        "out": np.empty((40, CLASSES)),
    }
    for name, value, message in [
        ("columns", columns[:1], "a test looks at a column that is not there"),
        ("weight", weight[1:], "each node needs a weight"),
        ("logs", counts[1:], "each node needs a weight and its class probabilities"),
    ]:
        with pytest.raises(ValueError, match=f"tree_scores: {message}"):
            _native.tree_scores(**(scores | {name: value}))
    leaves = {
        "tree": tree,
        "columns": columns,
        "labels": sample.labels,
        "weights": sample.weights,
        "counts": counts,
    }
    for name, value, message in [
        ("columns", columns[:1], "the tree asks for a column that is not there"),
        ("labels", sample.labels + np.int32(1), "a row has no class"),
        ("weights", sample.weights[1:], "labels and weights differ in length"),
        ("counts", counts[1:], "counts need a row for each node"),
    ]:
        with pytest.raises(ValueError, match=f"tree_leaf_counts: {message}"):
            _native.tree_leaf_counts(**(leaves | {name: value}), node_weight=weight)
        with pytest.raises(ValueError, match=f"tree_raise: {message}"):
            _native.tree_raise(**(leaves | {name: value}), regret=ALL_EQUAL, cf=0.25, raising=True)
    with pytest.raises(ValueError, match="tree_leaf_counts: every node needs a weight"):
        _native.tree_leaf_counts(**leaves, node_weight=weight[1:])
    with pytest.raises(ValueError, match="tree_raise: regret needs"):
        _native.tree_raise(**leaves, regret=np.ones(4), cf=0.25, raising=True)
