"""Products with rows: our own kernels, BLAS and the plain formula say the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen import _native
from acumen.svm.solvers import linear_rows


def plain_gram(X, weights):
    """X' diag(weights) X with a column of ones, row by row; rows of weight zero are passed over."""
    total = np.zeros((X.shape[1] + 1, X.shape[1] + 1))
    for row, weight in zip(X, weights, strict=True):
        if weight:
            x = np.append(row, 1.0)
            total += weight * np.outer(x, x)
    return total


@given(st.integers(0, 150), st.integers(0, 35), st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_weighted_gram_equals_its_twin(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    weights = np.where(rng.random(n) < 0.4, 0.0, rng.standard_normal(n))
    X[weights == 0] = np.nan  # never looked at
    expected = plain_gram(X, weights)
    for columns in (X, np.asfortranarray(X)):
        found = np.full((d + 1, d + 1), np.nan)
        _native.weighted_gram(columns, weights, found, 2)
        assert np.allclose(found, expected, rtol=1e-11, atol=1e-11)
        assert np.array_equal(found, found.T)


def test_weighted_gram_does_not_depend_on_threads():
    rng = np.random.default_rng(0)
    X, weights = rng.standard_normal((30_000, 11)), rng.random(30_000)
    one, three = np.empty((12, 12)), np.empty((12, 12))
    _native.weighted_gram(X, weights, one, 1)
    _native.weighted_gram(X, weights, three, 3)
    assert np.array_equal(one, three)


def test_weighted_gram_rejects_shapes_that_do_not_go_together():
    X = np.ones((5, 2))
    for weights, out in ((np.ones(4), np.empty((3, 3))), (np.ones(5), np.empty((2, 2)))):
        with pytest.raises(ValueError, match="weighted_gram"):
            _native.weighted_gram(X, weights, out, 1)


def test_products_of_many_rows_do_not_depend_on_their_layout():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((9000, 12))
    other = np.asfortranarray(X)
    w, v = rng.standard_normal(12), rng.standard_normal(9000)
    which = rng.random(9000) < 0.5
    assert np.allclose(linear_rows.times(X, w), linear_rows.times(other, w))
    assert np.allclose(linear_rows.back(X, v), linear_rows.back(other, v))
    weight = rng.random(9000)
    ours, theirs = (linear_rows.weighted_gram(rows, weight, which) for rows in (X, other))
    assert np.allclose(ours, theirs)
    assert np.allclose(ours, plain_gram(X, np.where(which, weight, 0.0)))
