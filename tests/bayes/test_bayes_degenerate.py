"""Data with something wrong: every Bayes learner ends in finite probabilities or in a sentence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.table import Table
from acumen.errors import AcumenError, AcumenWarning
from tables import table_of

KINDS = (
    acumen.NaiveBayes(),
    acumen.NaiveBayes(numeric="histogram"),
    acumen.NaiveBayes(numeric="kernel"),
    acumen.NaiveBayes(numeric="discretise"),
    acumen.NaiveBayes(estimator="mle", var_floor=0),
    acumen.FullBayes(),
    acumen.FullBayes(covariance="shared"),
    acumen.FullBayes(covariance="diagonal"),
    acumen.HistogramBayes(),
    acumen.HistogramBayes(alpha=0),
    acumen.Parzen(),
    acumen.Parzen(window="box"),
    acumen.Parzen(bandwidth="loo"),
)
COUNTS = (acumen.TextBayes(), acumen.TextBayes(event="bernoulli"), acumen.TextBayes(alpha=0))

NAN = float("nan")
CASES: dict[str, Table] = {
    "one class": table_of({"x": [1.0, 2.0, 4.0], "z": [0.0, 1.0, 5.0]}, ["a"] * 3),
    "one row": table_of({"x": [1.0], "z": [2.0]}, ["a"]),
    "a row a class": table_of({"x": [1.0, 2.0], "z": [2.0, 3.0]}, ["a", "b"]),
    "constant": table_of({"x": [1.0] * 4, "z": [0.0] * 4}, ["a", "b", "a", "b"]),
    "constant in one class": table_of(
        {"x": [1.0, 1.0, 2.0, 3.0], "z": [1.0, 2.0, 3.0, 5.0]}, ["a", "a", "b", "b"]
    ),
    "all missing": table_of({"x": [NAN] * 4, "z": [NAN] * 4}, ["a", "b", "a", "b"]),
    "one column missing": table_of({"x": [NAN] * 4, "z": [1.0, 2.0, 5.0, 7.0]}, ["a", "a", "b", "b"]),
    "missing in one class": table_of(
        {"x": [NAN, NAN, 1.0, 4.0], "z": [1.0, 2.0, 5.0, 7.0]}, ["a", "a", "b", "b"]
    ),
    "empty class": table_of(
        {"x": [1.0, 2.0, 5.0], "z": [1.0, 3.0, 2.0]}, ["a", "b", "a"], classes=("a", "b", "c")
    ),
    "huge": table_of({"x": [1e300, 2e300, 0.0, 1.0], "z": [1.0, 2.0, 3.0, 5.0]}, ["a", "a", "b", "b"]),
    "tiny": table_of({"x": [1e-300, 2e-300, 0.0, 3e-300], "z": [1.0, 2.0, 3.0, 5.0]}, ["a", "a", "b", "b"]),
}


@pytest.mark.filterwarnings("ignore::acumen.errors.AcumenWarning")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("learner", (*KINDS, *COUNTS), ids=repr)
def test_probabilities_stay_probabilities(learner: Any, case: str) -> None:
    table = CASES[case]
    try:
        learner.fit(table)
    except AcumenError as error:
        assert case == "huge" and str(error).endswith(".")
        return
    asked = np.array([[0.0, 0.0], [1e300, 1e300], [NAN, NAN], [1.5, NAN], [1e-300, 2.0]])
    rows = table_of({"x": asked[:, 0].tolist(), "z": asked[:, 1].tolist()})
    for form in (table, rows):
        found = learner.predict_proba(form)
        assert np.isfinite(found).all() and (found >= 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
    if case == "empty class":
        assert (learner.predict_proba(rows)[:, 2] == 0).all()
    if case == "one class":
        assert (learner.predict_proba(rows) == 1).all()
    assert learner.describe() and learner.explain({"x": 1.0, "z": 2.0}).label in table.schema.classes


@pytest.mark.parametrize("learner", KINDS, ids=repr)
def test_the_nearer_class_wins_however_far(learner: Any) -> None:
    """Clouds of one shape about 0 and 100: rows beyond either go to it, as far as scores can tell."""
    rng = np.random.default_rng(0)
    cloud = rng.normal(size=(40, 2))
    X, y = np.vstack([cloud, cloud + 100]), np.repeat(["low", "high"], 40)
    learner.fit(X, y)
    assert learner.predict([[0.0, 0.0], [100.0, 100.0]]).tolist() == ["low", "high"]
    far = learner.predict_proba([[1e6, 1e6], [-1e6, -1e6]])
    if not (isinstance(learner, acumen.Parzen) and learner.window == "box"):
        assert learner.classes_[far.argmax(axis=1)].tolist() == ["high", "low"]


@pytest.mark.parametrize("learner", (*KINDS, *COUNTS), ids=repr)
def test_rows_of_weight_zero_are_absent(learner: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = np.abs(rng.normal(size=(30, 2))), np.arange(30) % 2
    w = np.ones(30)
    w[:6] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AcumenWarning)
        one = learner.fit(X, y, sample_weight=w).predict_proba(X)
        other = learner.fit(X[6:], y[6:]).predict_proba(X)
    np.testing.assert_array_equal(one, other)
