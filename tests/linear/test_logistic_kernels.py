"""The kernels of logistic regression against their slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from acumen import _native
from reference.logistic import logistic_pass

NONE = np.empty(0)


def sparse_rows(X):
    by_rows = csr_matrix(X)
    by_columns = by_rows.tocsc()
    forms = []
    for form in (by_rows, by_columns):
        forms += [form.indptr.astype(np.int64), form.indices.astype(np.int32), form.data]
    return _native.SparseRows(*forms)


@given(
    st.integers(1, 90),
    st.integers(0, 19),
    st.sampled_from([1, 2, 3, 9]),
    st.integers(0, 2**31),
    st.booleans(),
)
@settings(deadline=None)
def test_kernels_equal_their_twin(n, d, lines, seed, weighted):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.4, 0.0, rng.standard_normal((n, d)) * 2)
    labels = rng.integers(0, max(lines, 2), n).astype(np.int32)
    weights = rng.random(n) if weighted else NONE
    coefficients = rng.standard_normal((lines, d + 1))
    loss, gradient, hessian = logistic_pass(X, labels, weights if weighted else np.ones(n), coefficients)
    found, square = np.empty_like(gradient), np.empty_like(hessian)
    for columns in (X, np.asfortranarray(X), [np.ascontiguousarray(c) for c in X.T]):
        if d == 0 and isinstance(columns, list):
            continue
        value = _native.logistic_dense(
            columns, np.zeros(d), np.ones(d), labels, weights, coefficients, found, square, 2
        )
        assert np.isclose(value, loss, rtol=1e-12, atol=1e-12)
        assert np.allclose(found, gradient, rtol=1e-11, atol=1e-11)
        assert np.allclose(square, hessian, rtol=1e-11, atol=1e-11)
    if d:
        sparse = sparse_rows(X)
        value = sparse.logistic(labels, weights, coefficients, np.empty((n, lines)), found, 2)
        sparse.logistic_hessian(labels, weights, coefficients, square, 2)
        assert np.isclose(value, loss, rtol=1e-12, atol=1e-12)
        assert np.allclose(found, gradient, rtol=1e-11, atol=1e-11)
        assert np.allclose(square, hessian, rtol=1e-11, atol=1e-11)


def test_losses_of_any_size_keep_their_digits():
    scores = np.r_[
        np.linspace(-800, 800, 1601), np.geomspace(1e-300, 700, 900), -np.geomspace(1e-20, 40, 900)
    ]
    found = np.empty((1, 2))
    for score in scores.tolist():
        for label, against in ((0, score), (1, -score)):
            loss = _native.logistic_dense(
                np.array([[score]]), np.zeros(1), np.ones(1), np.array([label], dtype=np.int32), NONE,
                np.array([[1.0, 0.0]]), found, None, 1,
            )  # fmt: skip
            assert loss == pytest.approx(
                max(against, 0.0) + np.log1p(np.exp(-abs(score))), rel=1e-15, abs=5e-324
            )


def test_columns_are_centred_and_scaled_and_gaps_are_the_centre():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((50, 4)) * 3 + 7
    centre, factor = X.mean(axis=0), 1 / X.std(axis=0)
    labels, coefficients = rng.integers(0, 3, 50).astype(np.int32), rng.standard_normal((3, 5))
    X[3, 2], X[4, 0], X[5, 1] = np.nan, np.inf, -np.inf
    loss, gradient, _ = logistic_pass((X - centre) * factor, labels, np.ones(50), coefficients)
    found = np.empty_like(gradient)
    value = _native.logistic_dense(X, centre, factor, labels, NONE, coefficients, found, None, 1)
    assert np.isclose(value, loss) and np.allclose(found, gradient)


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(2)
    X, labels = rng.standard_normal((20_000, 11)), rng.integers(0, 4, 20_000).astype(np.int32)
    coefficients = rng.standard_normal((4, 12))
    answers = []
    for threads in (1, 2, 5):
        gradient, hessian = np.empty((4, 12)), np.empty((48, 48))
        loss = _native.logistic_dense(
            X, np.zeros(11), np.ones(11), labels, NONE, coefficients, gradient, hessian, threads
        )
        answers.append((loss, gradient.tobytes(), hessian.tobytes()))
    assert answers[0] == answers[1] == answers[2]


def test_far_scores_stay_numbers():
    X = np.array([[1e6], [-1e6], [0.0]])
    for lines in (1, 3):
        gradient = np.empty((lines, 2))
        coefficients = np.full((lines, 2), 1e3) * np.arange(1, lines + 1)[:, None]
        labels = np.array([0, 1, 1], dtype=np.int32)
        loss = _native.logistic_dense(
            X, np.zeros(1), np.ones(1), labels, NONE, coefficients, gradient, None, 1
        )
        assert np.isfinite(loss) and np.isfinite(gradient).all()


@pytest.mark.parametrize(
    "change",
    [
        {"labels": np.array([0, 2, 1], dtype=np.int32)},
        {"labels": np.array([0, -1, 1], dtype=np.int32)},
        {"labels": np.zeros(2, dtype=np.int32)},
        {"weights": np.ones(2)},
        {"centre": np.zeros(3)},
        {"gradient": np.empty((1, 2))},
        {"hessian": np.empty((2, 3))},
    ],
)
def test_arrays_that_do_not_go_together_are_refused(change):
    given = {
        "columns": np.zeros((3, 2)), "centre": np.zeros(2), "factor": np.ones(2),
        "labels": np.zeros(3, dtype=np.int32), "weights": NONE, "coefficients": np.zeros((1, 3)),
        "gradient": np.empty((1, 3)), "hessian": np.empty((3, 3)),
    }  # fmt: skip
    with pytest.raises(ValueError, match="logistic_dense"):
        _native.logistic_dense(**{**given, **change})


def test_a_sparse_matrix_that_points_outside_is_refused():
    good = csr_matrix(np.eye(3))
    ends, at, value = good.indptr.astype(np.int64), good.indices.astype(np.int32), good.data
    for bad in (np.array([0, 1, 5], dtype=np.int32), np.array([0, -1, 2], dtype=np.int32)):
        with pytest.raises(ValueError, match="no compressed matrix"):
            _native.SparseRows(ends, bad, value, ends, at, value)
    with pytest.raises(ValueError, match="no compressed matrix"):
        _native.SparseRows(np.array([0, 2, 1, 3]), at, value, ends, at, value)
