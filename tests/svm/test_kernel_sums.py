"""Tiles of kernel values against numpy; sums and lines are made of the same values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import _native
from acumen.svm.solvers.gram import tile_rows


def naive(kernel, gamma, offset, degree, X, Y):
    products = X @ Y.T
    if kernel == "linear":
        return products
    if kernel == "polynomial":
        return (gamma * products + offset) ** degree
    if kernel == "sigmoid":
        return np.tanh(gamma * products + offset)
    return np.exp(-gamma * ((X[:, None] - Y[None]) ** 2).sum(2))


@given(
    st.sampled_from(["linear", "polynomial", "rbf", "sigmoid"]),
    st.integers(1, 150),
    st.integers(0, 70),
    st.integers(1, 9),
    st.sampled_from([np.float32, np.float64]),
    st.integers(1, 3),
)
def test_sums_and_lines_are_those_of_the_kernel_matrix(kernel, n, m, d, dtype, columns):
    rng = np.random.default_rng(n * 1000 + m)
    X, Y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    (a, aa), (b, bb) = tile_rows(X, dtype), tile_rows(Y, dtype)
    expected = naive(kernel, 0.3, 0.5, 3, a.astype(float), b.astype(float))
    near = 1e-4 if dtype is np.float32 else 1e-11
    size = max(np.abs(expected).max(initial=0.0), 1.0)
    lines = np.full((m + 2, n), -7, dtype=dtype)
    places = rng.permutation(m + 2)[:m].astype(np.int64)
    _native.kernel_lines(kernel, 0.3, 0.5, 3, a, aa, b, bb, lines, places, 2)
    assert np.abs(lines[places] - expected.T).max(initial=0.0) <= near * size
    assert (np.delete(lines, places, axis=0) == -7).all()
    coefficients = rng.normal(size=(m, columns))
    sums = np.ones((n, columns))
    _native.add_kernel_sums(kernel, 0.3, 0.5, 3, a, aa, b, bb, coefficients, sums, 2)
    again = lines[places].astype(float).T @ coefficients + 1
    assert np.abs(sums - again).max() <= 1e-10 * size * max(m, 1)  # the very values of the lines
    kept = np.zeros(n)
    _native.add_kept_lines(lines, places, np.ascontiguousarray(coefficients[:, 0]), kept, 1)
    assert np.abs(kept + 1 - again[:, 0]).max() <= 1e-10 * size * max(m, 1)


def test_threads_and_company_change_nothing():
    rng = np.random.default_rng(1)
    X, Y, c = rng.normal(size=(300, 5)), rng.normal(size=(90, 5)), rng.normal(size=(90, 2))
    (a, aa), (b, bb) = tile_rows(X, np.float32), tile_rows(Y, np.float32)
    found = []
    for rows, threads in ((slice(None), 1), (slice(None), 2), (slice(7, 8), 1)):
        out = np.zeros((len(a[rows]), 2))
        _native.add_kernel_sums("rbf", 0.3, 0.0, 1, a[rows], aa[rows], b, bb, c, out, threads)
        found.append(out)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0][7:8], found[2])


def test_equal_rows_have_the_kernel_one_and_far_ones_zero():
    rows = np.array([[1.0, 2.0], [1.0, 2.0], [1e100, 0.0]])
    a, aa = tile_rows(rows, np.float64)
    out = np.zeros((3, 3))
    _native.kernel_lines("rbf", 1.0, 0.0, 1, a, aa, a, aa, out, np.arange(3), 1)
    assert out.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_shapes_that_do_not_fit_are_refused():
    a, aa = tile_rows(np.ones((3, 2)), np.float64)
    with pytest.raises(ValueError, match="do not go together"):
        _native.add_kernel_sums("rbf", 1.0, 0.0, 1, a, aa, a, aa, np.ones((2, 1)), np.ones((3, 1)), 1)
    with pytest.raises(ValueError, match="outside the matrix"):
        _native.kernel_lines("rbf", 1.0, 0.0, 1, a, aa, a, aa, np.ones((3, 3)), np.arange(1, 4), 1)
    with pytest.raises(ValueError, match="no such kernel"):
        _native.add_kernel_sums("cosine", 1.0, 0.0, 1, a, aa, a, aa, np.ones((3, 1)), np.ones((3, 1)), 1)
