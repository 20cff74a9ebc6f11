"""The kernel that sends rows down a tree says what a walk by hand says."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.data.schema import Schema
from acumen.engines.cores import limited_to
from acumen.trees.model import DecisionTreeModel
from acumen.trees.tree import Tree
from tree_cases import SCHEMA, HandModel, grid, shares_of, trees


@settings(max_examples=30)
@given(trees())
def test_scores_are_those_of_a_walk_by_hand(tree: Tree) -> None:
    rows, shares = grid(tree, SCHEMA), shares_of(tree)
    by_hand = HandModel(tree, shares).scores(rows)
    np.testing.assert_allclose(
        np.exp(DecisionTreeModel(tree, shares).scores(rows)), np.exp(by_hand), rtol=1e-12, atol=1e-15
    )


@settings(max_examples=30)
@given(st.integers(1, 70), st.integers(0, 10**6), st.floats(0, 0.5))
def test_rows_that_go_down_together_end_where_each_ends_alone(n: int, seed: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=200) > 0).astype(int)
    fitted = acumen.DecisionTree(measure="gini", prune="none").fit(X, y)
    asked = rng.normal(size=(n, 3))
    asked[rng.random((n, 3)) < missing] = np.nan
    together = fitted.predict_proba(asked)
    alone = np.concatenate([fitted.predict_proba(asked[i : i + 1]) for i in range(n)])
    assert np.array_equal(together, alone)


def test_threads_do_not_change_scores() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0] * X[:, 1]) > 0).astype(int)
    fitted = acumen.DecisionTree(leaf_estimate="laplace").fit(X[:5_000], y[:5_000])
    rows = acumen.read(X)
    made = []
    for threads in (1, 3):
        with limited_to(threads):
            made.append(fitted.model_.scores(rows))
    assert np.array_equal(made[0], made[1])
    assert np.array_equal(fitted.model_.scores(acumen.read(np.asfortranarray(X))), made[0])


def test_a_single_leaf_answers_for_every_row() -> None:
    schema: Schema = acumen.DecisionTree().fit([[1.0], [1.0]], [0, 1]).schema_
    assert len(schema) == 1
    fitted = acumen.DecisionTree().fit(np.zeros((50, 2)), np.arange(50) % 5 == 0)
    assert fitted.predict_proba(np.full((40, 2), np.nan)).tolist() == [[0.8, 0.2]] * 40


def test_rows_go_down_numbers_alone_where_the_first_column_holds_levels() -> None:
    """Sixteen rows and more go down together, and those that have arrived wait at a column of numbers."""
    x = np.linspace(-1, 1, 64)
    rows = pd.DataFrame({"name": [f"row {i}" for i in range(64)], "x": x})
    tree = acumen.DecisionTree().fit(rows, np.where(x > 0, "p", "q"))
    np.testing.assert_array_equal(tree.predict(rows), np.where(x > 0, "p", "q"))
