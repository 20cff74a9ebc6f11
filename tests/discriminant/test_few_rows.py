"""Fisher where columns do not vary, and where there are more of them than rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import acumen
from acumen.discriminant.class_directions import oracle_shrinkage
from acumen.errors import DataError
from acumen.summaries import leave_each_out


def wide(n: int, d: int, seed: int, signal: float = 0.8, factors: float = 0.0):
    """Training and test rows of two classes that differ in ten of many columns."""
    rng = np.random.default_rng(seed)
    mean = np.zeros((2, d))
    mean[:, :10] = rng.normal(size=(2, 10)) * signal
    loads = rng.normal(size=(5, d)) * np.sqrt(factors)

    def draw(m: int):
        y = np.arange(m) % 2
        return mean[y] + rng.normal(size=(m, d)) + rng.normal(size=(m, 5)) @ loads, y

    return draw(n), draw(400)


@pytest.mark.parametrize("constant", [1e6 + 0.1, 0.1, -7.3e11])
def test_a_constant_column_separates_nothing(constant: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        y = rng.integers(0, 3, 50)
        X = rng.normal(size=(50, 2))
        shaken = constant * (1 + 2.0**-52 * rng.integers(-2, 3, 50))
        wider = np.column_stack([X, np.full(50, constant), shaken])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", acumen.errors.TableWarning)  # of the table, not of the fit
            one, two = acumen.Fisher().fit(X, y), acumen.Fisher().fit(wider, y)
        np.testing.assert_allclose(one.separation_, two.separation_, rtol=1e-6)
        np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(wider), atol=1e-8)


def test_one_pass_models_equal_refits_with_constant_columns_and_few_rows() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    for d in (3, 60):
        rows = acumen.read((np.column_stack([rng.normal(size=(40, d)), np.full(40, 1e6 + 0.1)]), y))
        parts = (np.arange(40) % 4).astype(np.int32)
        folds = acumen.Training.of(acumen.Fisher(), rows).parts(parts, 4)
        for p, others in enumerate(leave_each_out(folds)):
            alone = acumen.Fisher().fit(rows.take(np.flatnonzero(parts != p))).model_
            np.testing.assert_allclose(others.model.scores(rows), alone.scores(rows), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("signal", "factors"),
    [
        pytest.param(0.8, 0.0, marks=pytest.mark.slow),
        pytest.param(0.0, 0.5, marks=pytest.mark.slow),
        (0.8, 0.5),
    ],
)
def test_probabilities_of_few_rows_can_be_believed(signal: float, factors: float) -> None:
    right, sure = [], []
    for seed in range(12):
        (X, y), (more, truth) = wide(40, 150, seed, signal, factors)
        model = acumen.Fisher().fit(X, y)
        right.append(model.score(more, truth))
        sure.append(model.predict_proba(more).max(axis=1).mean())
    assert abs(np.mean(sure) - np.mean(right)) < 0.1  # without shrinkage every row has 1


def test_a_column_that_separates_counts_among_few_rows() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    X = np.column_stack([rng.normal(size=(20, 40)), 5.0 * y])
    model = acumen.Fisher().fit(X, y)
    more = np.column_stack([rng.normal(size=(100, 40)), 5.0 * (np.arange(100) % 2)])
    assert model.score(more, np.arange(100) % 2) > 0.95


def test_the_shrinkage_is_the_oracle_approximation() -> None:
    # Equation 23 of Chen, Wiesel, Eldar and Hero (2010), for S = diag(3, 1) and n = 10.
    assert oracle_shrinkage(np.array([3.0, 1.0]), 10.0) == pytest.approx(16.0 / (10.0 * (10.0 - 8.0)))
    assert oracle_shrinkage(np.ones(4), 10.0) == 1.0


@pytest.mark.parametrize("learner", [acumen.Fisher(), acumen.FullBayes()], ids=repr)
def test_ten_thousand_columns_are_objected_to_with_the_numbers(learner) -> None:
    X = np.random.default_rng(0).normal(size=(5, 10_000))
    with pytest.raises(DataError, match=r"10,000 .* GB .*4,096"):
        learner.fit(X, [0, 1, 0, 1, 0])
