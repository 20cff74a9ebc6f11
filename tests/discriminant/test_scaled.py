"""Learners that measure distances scale by themselves, on training rows only."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import acumen

LEARNERS = (
    acumen.KernelFisher(),
    acumen.NearestMean(),
    acumen.Perceptron(random_state=0, max_iter=50),
    acumen.Perceptron(kernel="rbf", random_state=0, max_iter=50),
    acumen.Parzen(),
    acumen.Parzen(bandwidth=0.5),
    acumen.Parzen(window="box", bandwidth=1.5),
)


def rings(n: int = 200, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    angle = rng.uniform(0, 2 * np.pi, n)
    far = 1 + 2 * y + rng.normal(scale=0.2, size=n)
    return np.column_stack([far * np.cos(angle) + y, far * np.sin(angle)]), y


def new(learner, **changes):
    return type(learner)(**(learner.get_params() | changes))


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_column_in_other_units_changes_nothing(learner) -> None:
    X, y = rings()
    units, offset = np.array([1024.0, 2.0**-12]), np.array([0.0, 3.0])
    one, other = new(learner).fit(X, y), new(learner).fit(X * units + offset, y)
    assert (one.predict(X) == other.predict(X * units + offset)).mean() > 0.98


def test_kernel_fisher_keeps_its_accuracy_with_one_column_in_other_units() -> None:
    X, y = rings()
    more, truth = rings(seed=1)
    units = np.array([1.0, 1e4])
    assert acumen.KernelFisher().fit(X * units, y).score(more * units, truth) > 0.9
    assert acumen.KernelFisher(scale=False).fit(X * units, y).score(more * units, truth) < 0.9


@pytest.mark.parametrize(
    "learner", [acumen.Perceptron(random_state=0, max_iter=20), acumen.KernelFisher()], ids=repr
)
def test_sparse_rows_and_gaps_are_scaled_alike(learner) -> None:
    X, y = rings()
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    one, other = new(learner).fit(X, y), new(learner).fit(csr_matrix(X), y)
    assert (one.predict(X) == other.predict(csr_matrix(X))).all()
    gaps = X.copy()
    gaps[0, 0], gaps[1, 1] = np.inf, np.nan
    filled = np.where(np.isfinite(gaps), gaps, X.mean(axis=0))
    assert (one.predict(gaps) == one.predict(filled)).all()


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_saved_models_answer_the_same(learner, tmp_path) -> None:
    X, y = rings()
    model = new(learner).fit(X * [1.0, 1e3], y)
    acumen.save(model, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert again.scale is True
    assert (again.predict(X * [1.0, 1e3]) == model.predict(X * [1.0, 1e3])).all()


def test_the_means_of_the_nearest_mean_are_in_the_columns_own_units() -> None:
    X, y = rings()
    X = X * [1.0, 1e3] + [0.0, 5e3]
    model = acumen.NearestMean().fit(X, y).model_
    np.testing.assert_allclose(model.mean, [X[y == c].mean(axis=0) for c in (0, 1)])
