"""Sums over kept rows are those of the kernel matrix, whatever the kernel and the size of the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from acumen.geometry.support import kernel_sums
from acumen.kernels import RBF, Linear, Polynomial, Sigmoid

KERNELS = [
    Linear(),
    RBF(gamma=0.3),
    RBF(sigma=200.0),
    Polynomial(3, offset=2.0),
    Sigmoid(scale=0.1, offset=0.5),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("form", ["rows", "columns", "sparse"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (70, 33, 5), (3, 40, 0)], ids=str)
def test_sums_are_those_of_the_matrix(kernel, form, shape):
    n, m, d = shape
    rng = np.random.default_rng(n)
    X, kept, coefficients = rng.normal(size=(n, d)) + 3, rng.normal(size=(m, d)) + 3, rng.normal(size=(m, 2))
    given = {"rows": X, "columns": np.asfortranarray(X), "sparse": csr_matrix(X)}[form]
    found = kernel_sums(kernel, given, kept, coefficients)
    np.testing.assert_allclose(found, kernel(X, kept) @ coefficients, rtol=1e-9, atol=1e-9)


def test_numbers_whose_squares_are_none_are_answered_as_the_kernel_answers_them():
    kept, coefficients = np.array([[0.0, 1.0], [1e200, 1.0]]), np.array([[2.0], [3.0]])
    rows = np.array([[1e200, 1.0], [0.0, 1.0], [-1e200, 0.0]])
    np.testing.assert_array_equal(
        kernel_sums(RBF(gamma=1.0), rows, kept, coefficients).ravel(), [3.0, 2.0, 0.0]
    )


def test_far_from_the_origin_no_digits_are_lost():
    rng = np.random.default_rng(0)
    rows, kept, coefficients = rng.normal(size=(9, 3)), rng.normal(size=(12, 3)), rng.normal(size=(12, 1))
    near = kernel_sums(RBF(gamma=0.5), rows, kept, coefficients)
    np.testing.assert_allclose(
        kernel_sums(RBF(gamma=0.5), rows + 1e6, kept + 1e6, coefficients), near, atol=1e-8
    )


def test_no_kept_rows_sum_to_nothing():
    found = kernel_sums(RBF(gamma=1.0), np.ones((4, 2)), np.empty((0, 2)), np.empty((0, 3)))
    np.testing.assert_array_equal(found, np.zeros((4, 3)))
