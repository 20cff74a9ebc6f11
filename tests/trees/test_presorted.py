"""Numbers sorted once for many trees, and whole weights: the same trees, faster."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import _native
from acumen.trees.grow import grow
from acumen.trees.inputs import Inputs
from acumen.trees.options import GrowOptions
from acumen.trees.sample import Presorted, PresortedDraw, Sample
from reference.tree_same import same
from trees.grown import sample_of, schema_of

MEASURES = ["gain-ratio", "gain", "gini", "error"]


def order_of(rows: Sample, inputs: Inputs, numeric: list[int]) -> Presorted:
    entries, known = _native.presort([rows.columns[j] for j in numeric], 1)
    return Presorted(inputs, len(rows), entries.reshape(len(numeric), len(rows), 2), known)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 3),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(MEASURES),
    st.sampled_from(["fractional", "surrogate", "branch", "majority"]),
)
def test_a_tree_of_drawn_rows_is_the_same_whether_they_are_sorted_anew_or_before(
    seed: int, classes: int, missing: float, measure: Any, rule: Any
) -> None:
    rng = np.random.default_rng(seed)
    schema = schema_of(classes)
    inputs = Inputs.of(schema)
    rows = sample_of(rng, 120, classes, missing, weighted=False)
    times = rng.poisson(1.0, 120)
    kept = np.flatnonzero(times)
    some = replace(rows.take(kept), weights=times[kept].astype(np.float64))
    options = GrowOptions(measure=measure, missing=rule, min_samples_leaf=1.0)
    given_rows = (some.columns, inputs, schema, some.labels, some.weights)
    drawn = PresortedDraw(order_of(rows, inputs, [0, 3]), kept.astype(np.int32))
    assert same(grow(*given_rows, options=options), grow(*given_rows, options=options, drawn=drawn)) is None


@given(st.integers(0, 2**32 - 1), st.sampled_from(MEASURES[:3]), st.sampled_from([1.0, 3.0]), st.booleans())
def test_whole_weights_grow_the_tree_of_their_halves(
    seed: int, measure: Any, least: float, holes: bool
) -> None:
    """Halves are summed as numbers with a fraction, whole weights by counting; a price of cuts would mind the sum."""
    rng = np.random.default_rng(seed)
    schema = schema_of(2)
    rows = sample_of(rng, 300, 2, 0.1 if holes else 0.0, weighted=False)
    weights = 2.0 * rng.integers(1, 4, 300) + 1.0
    rule: Any = "majority"

    def grown(scale: float) -> Any:
        options = GrowOptions(
            measure=measure,
            missing=rule,
            stop_size=scale,
            min_samples_leaf=least * scale,
            threshold_penalty=False,
            require_average_gain=False,
        )
        if measure == "gain-ratio":  # its least weight of a branch is capped at 25, whatever rows weigh
            options = replace(options, max_depth=1)
        return grow(rows.columns, Inputs.of(schema), schema, rows.labels, weights * scale, options=options)

    whole, halves = grown(1.0), grown(0.5)
    assert same(whole, replace(halves, counts=2 * halves.counts)) is None


@pytest.mark.parametrize(
    "learner",
    [
        acumen.DecisionTree(),
        acumen.DecisionTree(measure="gini", prune="none", missing="majority"),
        acumen.DecisionTree(prune="reduced-error", attribute_weights={"age": "ignore"}),
        acumen.DecisionTree(prune="cost-complexity", folds=3, max_leaf_nodes=12),
        acumen.DecisionTree(construct="pairs", max_depth=3),
        acumen.DecisionTree(method="histogram", bins=16),
        acumen.DecisionTree(class_weight="balanced", missing="surrogate"),
        acumen.RandomTree(max_features=2),
    ],
    ids=str,
)
def test_bagged_trees_are_those_fitted_one_by_one(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    n = 240
    age, pay = rng.normal(40, 10, n).round(), rng.normal(0, 1, n)
    pay[rng.random(n) < 0.1] = np.nan
    town = rng.choice(["a", "b", "c"], n)
    label = np.where((age > 42) ^ (town == "b") ^ (rng.random(n) < 0.1), "yes", "no")
    rows = pd.DataFrame({"age": age, "pay": pay, "pay2": np.nan_to_num(pay) ** 2, "town": town})
    weights = rng.integers(0, 4, n).astype(float)

    def fitted() -> Any:
        return acumen.Bagging(learner, n_estimators=4, random_state=1).fit(rows, label, weights)

    shared = fitted()
    told = []
    monkeypatch.setattr(type(learner), "prepare_rows", lambda self, rows: told.append(1))
    alone = fitted()
    assert told
    for one, other in zip(shared.learners_, alone.learners_, strict=True):
        assert same(one.model_.tree, other.model_.tree, counts=0) is None
    assert shared.out_of_bag_.error == alone.out_of_bag_.error
    np.testing.assert_array_equal(shared.predict_proba(rows), alone.predict_proba(rows))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"places": [0, 0, 1]}, "ascend"),
        ({"places": [0, 1, 9]}, "ascend"),
        ({"places": [0, 1]}, "does not fit"),
        ({"known": [4]}, "too many entries"),
        ({"entries": [[[0, 0], [1, 7], [2, 2]]]}, "names a row that is not there"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(change: dict[str, Any], sentence: str) -> None:
    schema = acumen.Schema((acumen.Attribute("a", "numeric"),), acumen.Attribute("y", "nominal", ("p", "q")))
    columns = [np.array([1.0, 2.0, 3.0])]
    made: dict[str, Any] = {
        "entries": [[[0, 0], [1, 1], [2, 2]]],
        "known": [3],
        "places": [0, 1, 2],
        **change,
    }
    order: Any = SimpleNamespace(
        entries=np.array(made["entries"], dtype=np.uint32),
        known=np.array(made["known"], dtype=np.int32),
        places=np.array(made["places"], dtype=np.int32),
    )
    labels = np.array([0, 1, 0], dtype=np.int32)
    with pytest.raises(ValueError, match=sentence):
        grow(columns, Inputs.of(schema), schema, labels, options=GrowOptions(), drawn=order)
