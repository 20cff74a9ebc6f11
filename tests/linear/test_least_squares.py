"""The least-squares classifier: against scipy, Fisher's direction, its faults, and the laws of its summary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier

import acumen
from acumen.checks import data
from acumen.errors import AcumenWarning
from iris_tables import sepals


def sample(seed: int, k: int = 3, n: int = 90, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + rng.normal(size=(k, d))[y], y


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(2, 5), st.booleans())
def test_each_class_is_a_regression_on_its_column(seed: int, k: int, intercept: bool) -> None:
    X, y = sample(seed, k)
    model = acumen.LeastSquares(fit_intercept=intercept).fit(X, y)
    inputs = np.column_stack([X, np.ones(len(X))]) if intercept else X
    found = np.linalg.lstsq(inputs, (y[:, None] == np.arange(k)).astype(float), rcond=None)[0]
    np.testing.assert_allclose(model.coef_, found[:4].T, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, found[4] if intercept else np.zeros(k), atol=1e-10)
    values = model.predictor_.scores(model._query(X))
    np.testing.assert_allclose(values, inputs @ found, atol=1e-9)
    if intercept:
        np.testing.assert_allclose(values.sum(axis=1), 1.0)


@pytest.mark.parametrize("ridge", [0.01, 1.0, 50.0])
def test_the_ridge_is_that_of_the_peer(ridge: float) -> None:
    X, y = sample(1)
    peer = RidgeClassifier(alpha=ridge).fit(X, y)  # on -1 and 1: twice the values of 0 and 1, less one
    mine = acumen.LeastSquares(alpha=ridge).fit(X, y)
    np.testing.assert_allclose(2 * mine.coef_, peer.coef_, atol=1e-9)
    np.testing.assert_allclose(2 * mine.intercept_ - 1, peer.intercept_, atol=1e-9)
    assert np.array_equal(mine.predict(X), peer.predict(X))


def test_w004_08_two_classes_as_minus_one_and_one() -> None:
    rows = sepals()
    model = acumen.LeastSquares().fit(rows)
    assert model.coef_[1] - model.coef_[0] == pytest.approx([0.7541683546, -1.1418918971], abs=5e-11)
    assert model.intercept_[1] - model.intercept_[0] == pytest.approx(-0.5861858983, abs=5e-11)
    assert np.count_nonzero(model.predict(rows) != rows.label_values()) == 1
    direction = model.coef_[1] / np.linalg.norm(model.coef_[1])
    assert direction == pytest.approx(acumen.Fisher().fit(rows).directions_[0], rel=1e-9)


def test_w004_04_the_solution_is_where_the_gradient_of_the_squares_vanishes() -> None:
    X = np.column_stack([np.ones(4), [1.0, 2, 3, 4]])
    y, w = np.array([1.0, 2, 2, 4]), np.array([0.5, 0.5])
    # Of the mean square, which changes by 2 / n of residual times input; the printed form is another.
    assert (2 / 4 * (X @ w - y) @ X).tolist() == [-1.0, -3.5]
    rows, labels = sample(2, 2)
    model = acumen.LeastSquares().fit(rows, labels)
    values = rows @ model.coef_[1] + model.intercept_[1]
    gradient = -(labels - values) @ np.column_stack([np.ones(len(rows)), rows])
    np.testing.assert_allclose(gradient, 0.0, atol=1e-10)


def test_the_middle_class_is_masked_and_logistic_finds_it() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    X = rng.normal(size=(180, 2)) * 0.6 + 4.0 * y[:, None]
    assert acumen.LeastSquares().fit(X, y).score(X, y) < 0.8
    assert acumen.Logistic().fit(X, y).score(X, y) > 0.98
    assert acumen.Fisher().fit(X, y).score(X, y) > 0.98


def test_rows_far_on_the_right_side_pull_the_boundary() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 1)) + 5.0 * y[:, None]
    far = np.vstack([X, np.full((30, 1), 60.0)]), np.concatenate([y, np.ones(30, int)])
    assert acumen.LeastSquares().fit(X, y).score(X, y) > 0.98
    assert acumen.LeastSquares().fit(*far).score(X, y) < 0.9
    assert acumen.Logistic().fit(*far).score(X, y) > 0.98


def test_kfold_models_equal_refits() -> None:
    rows = data.table(("size", "colour", "age", "grade"))
    once, anew = (
        acumen.assess(acumen.LeastSquares(), rows, acumen.KFold(5), random_state=0, refit=refit)
        for refit in (False, True)
    )
    assert np.array_equal(once.values, anew.values)


def test_missing_values_stand_at_the_mean() -> None:
    X, y = sample(3)
    X[::5, 2] = np.nan
    X[1, 0] = np.inf
    known = np.isfinite(X)
    filled = np.where(known, X, [X[known[:, j], j].mean() for j in range(4)])
    gaps, full = acumen.LeastSquares().fit(X, y), acumen.LeastSquares().fit(filled, y)
    np.testing.assert_allclose(gaps.coef_, full.coef_, atol=1e-9)
    np.testing.assert_allclose(gaps.decision_function(X), full.decision_function(filled), atol=1e-9)


def test_dependent_columns_warn_once_and_change_nothing() -> None:
    X, y = sample(4)
    wider = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(AcumenWarning, match="not unique") as told:
        model = acumen.LeastSquares().fit(wider, y)
    assert len(told) == 1
    plain = acumen.LeastSquares().fit(X, y)
    np.testing.assert_allclose(model.decision_function(wider), plain.decision_function(X), atol=1e-9)


def test_a_weight_is_a_repeated_row() -> None:
    X, y = sample(5)
    weights = np.random.default_rng(5).integers(0, 4, len(y))
    heavy = acumen.LeastSquares(alpha=0.3).fit(X, y, sample_weight=weights)
    repeated = acumen.LeastSquares(alpha=0.3).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(heavy.coef_, repeated.coef_, atol=1e-10)


def test_texts_are_learned_from_and_named() -> None:
    rows = data.table()
    model = acumen.LeastSquares(alpha=0.1).fit(rows)
    assert model.score(rows) > 0.6 and "note:stop" in model.columns_
    evidence = model.explain(rows.take(slice(0, 1)))
    scores = np.sort(model.predictor_.scores(rows.take(slice(0, 1)))[0])
    assert evidence.log_odds == pytest.approx(scores[-1] - scores[-2])


def test_units_beyond_all_reason_do_not_change_predictions() -> None:
    X, y = sample(6)
    scale = np.array([1e8, 1e-8, 1.0, 1e3])
    one, two = acumen.LeastSquares().fit(X, y), acumen.LeastSquares().fit(X * scale, y)
    np.testing.assert_allclose(two.decision_function(X * scale), one.decision_function(X), atol=1e-6)
