"""With Gini's index or the entropy and binary splits the tree is scikit-learn's, node for node.

Where two splits are equally good either may be taken: scikit-learn tries attributes in an order drawn at random, and
among equal cuts goes by the last bit. What is below such a node cannot be compared, and is not.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import acumen
from acumen.trees.measures import MEASURES
from acumen.trees.tree import Tree


def compared(tree: Tree, other: DecisionTreeClassifier, measure: str = "gini") -> int:
    """How many nodes are the same; fails at the first that is not, ties aside."""
    theirs = other.tree_
    pairs, nodes = [(0, 0)], 0
    while pairs:
        a, b = pairs.pop()
        nodes += 1
        leaf = theirs.children_left[b] < 0
        assert leaf == bool(tree.leaves[a]), f"node {a} is a leaf in one of them"
        counts = theirs.value[:, 0] * theirs.weighted_n_node_samples[:, None]
        np.testing.assert_allclose(tree.counts[a], counts[b], rtol=1e-9, atol=1e-9)
        if leaf:
            continue
        below = [theirs.children_left[b], theirs.children_right[b]]
        if (tree.tests.input[a], tree.tests.cuts_of(a)[0]) == (theirs.feature[b], theirs.threshold[b]):
            pairs += zip(tree.children(int(a)), below, strict=True)
            continue
        gain = MEASURES[measure].gain
        mine = gain(tree.counts[list(tree.children(int(a)))])
        assert gain(counts[below]) == pytest.approx(mine, rel=1e-10), f"node {a} asks another question"
    return nodes


def as_singles(X: np.ndarray) -> np.ndarray:
    return X.astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("classes", "measure", "criterion"),
    [(2, "gini", "gini"), (4, "gini", "gini"), (2, "gain", "entropy"), (3, "gain", "entropy")],
)
def test_the_tree_is_that_of_scikit_learn(seed: int, classes: int, measure: str, criterion: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 3000))
    X = as_singles(rng.normal(size=(n, int(rng.integers(1, 6)))))
    y = np.digitize(X[:, 0] * X[:, -1] + rng.normal(size=n), np.linspace(-1, 1, classes - 1))
    least = max(n // 25, 6)
    theirs = DecisionTreeClassifier(criterion=criterion, min_samples_leaf=least, random_state=seed).fit(X, y)
    mine = acumen.DecisionTree(
        measure=measure,
        split="binary",
        prune="none",
        min_samples_leaf=least,  # type: ignore[arg-type]
    ).fit(X, y)
    assert compared(mine.model_.tree, theirs, measure) >= 3


def test_one_attribute_is_split_to_the_end_as_scikit_learn_does() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = as_singles(rng.normal(size=(400, 1)))
        y = (np.sin(3 * X[:, 0]) + rng.normal(size=400) > 0).astype(int)
        theirs = DecisionTreeClassifier(random_state=0).fit(X, y)
        mine = acumen.DecisionTree(measure="gini", split="binary", prune="none").fit(X, y)
        assert compared(mine.model_.tree, theirs) > 100


def test_rows_may_weigh_what_they_like() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, w = as_singles(rng.normal(size=(2000, 4))), rng.gamma(2.0, size=2000)
        y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=2000) > 1).astype(int)
        theirs = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y, sample_weight=w / w.mean())
        mine = acumen.DecisionTree(
            measure="gini", split="binary", prune="none", max_depth=4, stop_size=0, min_samples_leaf=1e-9
        ).fit(X, y, sample_weight=w)
        assert compared(mine.model_.tree, theirs) > 20


def test_many_rows_are_grown_in_parts_into_the_same_tree() -> None:
    X, y = make_classification(30_000, 8, n_informative=5, random_state=3)
    X = as_singles(X)
    theirs = DecisionTreeClassifier(min_samples_leaf=60, random_state=0).fit(X, y)
    mine = acumen.DecisionTree(measure="gini", split="binary", prune="none", min_samples_leaf=60).fit(X, y)
    assert compared(mine.model_.tree, theirs) > 250


def test_best_first_growing_is_that_of_scikit_learn() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = as_singles(rng.normal(size=(1500, 3)))
        y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=1500) > 0).astype(int)
        theirs = DecisionTreeClassifier(max_leaf_nodes=12, min_samples_leaf=20, random_state=0).fit(X, y)
        mine = acumen.DecisionTree(
            measure="gini", split="binary", prune="none", min_samples_leaf=20, max_leaf_nodes=12
        ).fit(X, y)
        assert compared(mine.model_.tree, theirs) > 20
