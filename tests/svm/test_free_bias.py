"""Dual ascent's free bias: found whatever the units of rows and responses, and feasible even where it was stopped."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse import random as sparse_random

import acumen


def rows_and_weights(n=400, width=300):
    rng = np.random.default_rng(5)
    X = sparse_random(n, width, 0.02, format="csr", random_state=5)
    return X, rng.normal(size=width), rng.normal(size=n)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("offset", [0.0, -1e4, 1e8])
def test_a_response_far_from_zero_has_the_same_weights(loss, offset):
    X, w, noise = rows_and_weights()
    near = acumen.SVR(kernel="linear", scale=False, solver="dual-ascent", loss=loss, tol=1e-5)
    far = acumen.SVR(kernel="linear", scale=False, solver="dual-ascent", loss=loss, tol=1e-5)
    response = X @ w + 0.1 * noise
    near.fit(X, response)
    far.fit(X, response + offset)
    assert far.coef_ == pytest.approx(near.coef_, abs=1e-3)
    assert far.intercept_ - offset == pytest.approx(near.intercept_, abs=1e-3)


def test_one_row_of_large_numbers_does_not_spoil_the_others():
    X, w, noise = rows_and_weights()
    y = X @ w + 0.5 * noise > 0.2
    X.data[3] = 1e4
    made = acumen.SVM(kernel="linear", scale=False, solver="dual-ascent", max_iter=2000).fit(X, y)
    assert made.certificate_.relative_gap < 1e-4


@pytest.mark.parametrize("units", [1e-3, 1.0, 10.0])
def test_the_bias_is_found_in_any_units_of_dense_rows(units):
    rng = np.random.default_rng(3)
    X = units * rng.normal(size=(300, 4))
    y = X[:, 0] / units + rng.normal(size=300) > 0.7
    made = acumen.SVM(kernel="linear", scale=False, solver="dual-ascent", C=1.0 / units).fit(X, y)
    other = acumen.SVM(kernel="linear", scale=False, solver="smo", C=1.0 / units, tol=1e-6).fit(X, y)
    assert made.certificate_.primal == pytest.approx(other.certificate_.primal, rel=1e-4)


def test_of_rows_without_entries_the_bias_is_the_middle_response():
    response = np.array([5.0, 6.0, 7.0, 8.0, 100.0])
    model = acumen.SVR(kernel="linear", scale=False, solver="dual-ascent", epsilon=0.0)
    model.fit(csr_matrix((5, 3)), response)
    assert model.intercept_ == pytest.approx(7.0)
    assert model.certificate_.gap == pytest.approx(0.0, abs=1e-9)
