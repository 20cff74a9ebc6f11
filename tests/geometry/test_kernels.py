"""Kernel functions: values, algebra, definiteness, and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

import acumen
from acumen import _native
from acumen.errors import DataError, ParameterError
from acumen.kernels import RBF, Function, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from reference import kernels as twin

PAIRS: list[tuple[Kernel, Callable[..., float]]] = [
    (Linear(), twin.inner),
    (Polynomial(3), twin.polynomial(3, 1.0, 1.0)),
    (Polynomial(6, 0.5, 0.25), twin.polynomial(6, 0.5, 0.25)),
    (RBF(sigma=1.5), twin.rbf(1 / (2 * 1.5**2))),
    (RBF(gamma=0.3), twin.rbf(0.3)),
    (Sigmoid(0.2, -0.5), twin.sigmoid(0.2, -0.5)),
]
NUMBERS = st.floats(-5, 5, allow_nan=False).map(lambda v: round(v, 3))
SAMPLES = st.integers(1, 4).flatmap(
    lambda d: st.tuples(
        arrays(np.float64, st.tuples(st.integers(1, 9), st.just(d)), elements=NUMBERS),
        arrays(np.float64, st.tuples(st.integers(1, 9), st.just(d)), elements=NUMBERS),
    )
)


@pytest.mark.parametrize(("kernel", "pairwise"), PAIRS, ids=[repr(kernel) for kernel, _ in PAIRS])
@given(SAMPLES)
def test_kernels_equal_their_formula_pair_by_pair(kernel, pairwise, rows) -> None:
    A, B = rows
    expected = np.array(twin.matrix(pairwise, A.tolist(), B.tolist()))
    for left in (A, csr_matrix(A)):
        for right in (B, csr_matrix(B)):
            np.testing.assert_allclose(kernel(left, right), expected, rtol=1e-11, atol=1e-10)
    own = np.array(twin.matrix(pairwise, A.tolist(), A.tolist()))
    np.testing.assert_allclose(kernel(A), own, rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(kernel.diagonal(A), np.diag(own), rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(kernel(A, B, dtype=np.float32), expected, rtol=2e-5, atol=2e-4)
    assert kernel(A, B, dtype=np.float32).dtype == np.float32


@given(SAMPLES)
def test_sums_products_and_multiples_are_kernels(rows) -> None:
    A, B = rows
    one, two, three = Linear(), RBF(sigma=2.0), Polynomial(2)
    made = 2.5 * (one + two) * three + two
    expected = 2.5 * (one(A, B) + two(A, B)) * three(A, B) + two(A, B)
    np.testing.assert_allclose(made(A, B), expected, rtol=1e-12)
    np.testing.assert_allclose(made.diagonal(A), np.diag(made(A)), rtol=1e-9, atol=1e-9)
    assert made == 2.5 * (one + two) * three + two
    assert made.is_psd(A)


def test_the_rbf_matrix_is_symmetric_with_ones_on_its_diagonal() -> None:
    X = np.random.default_rng(0).normal(size=(70, 5)) + 1e5
    K = RBF(sigma=0.5)(X)
    assert np.array_equal(K, K.T)
    assert np.array_equal(np.diag(K), np.ones(70))
    apart = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(K, np.exp(-2 * apart), atol=1e-9)  # far from the origin digits would cancel


def test_rows_of_huge_numbers_are_far_apart_or_equal() -> None:
    X = np.array([[1e200, 0.0], [1e200, 0.0], [-1e200, 1e300], [0.0, 0.0]])
    expected = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    for rows in (X, csr_matrix(X)):
        assert np.array_equal(RBF(sigma=1.0)(rows), expected)
        assert np.array_equal(RBF(sigma=1.0)(rows, X), expected)


def test_missing_numbers_stay_missing() -> None:
    K = RBF(gamma=1.0)(np.array([[np.nan], [1.0]]))
    assert np.isnan(K[0]).all() and np.isnan(K[1, 0]) and K[1, 1] == 1.0


@pytest.mark.parametrize("threads", [1, 2])
def test_the_fused_exponential_is_exact_to_two_units(threads: int) -> None:
    distances = np.concatenate([np.linspace(0, 746, 100_001), [1e300, np.inf]])
    products = np.zeros((3, len(distances)))
    _native.rbf_of_products(products, np.zeros(3), distances, 1.0, threads)
    exact = np.array([math.exp(-v) for v in distances.tolist()])
    assert (np.abs(products - exact) <= 2 * np.spacing(exact)).all()
    assert products[0, -1] == 0.0 and products[0, 0] == 1.0
    single = np.zeros((3, len(distances)), dtype=np.float32)
    _native.rbf_of_products_to_single(products * 0, np.zeros(3), distances, 1.0, single, threads)
    exact32 = exact.astype(np.float32)
    # The distance itself is rounded to single precision first.
    assert np.allclose(single, exact32, rtol=5e-5, atol=1e-44)
    again = np.zeros((3, len(distances)), dtype=np.float32)
    with np.errstate(over="ignore"):
        _native.rbf_of_products(again, np.zeros(3, np.float32), distances.astype(np.float32), 1.0, threads)
    assert np.array_equal(single, again)


def test_distances_below_zero_count_as_zero_and_nan_stays() -> None:
    products = np.array([[1.0, np.nan]])
    _native.rbf_of_products(products, np.array([0.5]), np.array([0.5, 0.5]), 1.0)
    assert products[0, 0] == 1.0 and np.isnan(products[0, 1])
    with pytest.raises(ValueError, match="norm"):
        _native.rbf_of_products(products, np.array([0.5]), np.array([0.5]), 1.0)


def test_w001_38_rbf_is_positive_semidefinite_and_tanh_is_not() -> None:
    X = np.random.default_rng(38).normal(size=(30, 3))
    rbf = RBF(sigma=1.0).is_psd(X)
    assert rbf and rbf.smallest > 0 and "positive semidefinite" in str(rbf)
    for offset in (1.0, -1.0):
        tanh = Sigmoid(1.0, offset).is_psd(X)
        assert not tanh and tanh.smallest < -1 and "not positive" in str(tanh)


def test_w001_37_the_quadratic_kernel_is_the_product_of_its_features() -> None:
    assert Polynomial(2, offset=0)([[1, 2]], [[3, -1]])[0, 0] == 1.0
    assert Polynomial(2, offset=0)([[2, 3]], [[1, 4]])[0, 0] == 196.0  # W002-22


def test_a_singular_matrix_counts_as_positive_semidefinite() -> None:
    found = Linear().is_psd(np.random.default_rng(1).normal(size=(60, 2)))
    assert found and abs(found.smallest) <= found.tolerance
    assert Linear().is_psd(np.empty((0, 2)))


def test_rbf_takes_exactly_one_width() -> None:
    assert RBF(sigma=2.0).gamma == 0.125 and RBF(gamma=0.125).sigma == 2.0
    assert RBF(sigma=2.0) == RBF(gamma=0.125)
    with pytest.raises(ParameterError, match="got both"):
        RBF(sigma=1.0, gamma=1.0)
    with pytest.raises(ParameterError, match="got neither"):
        RBF()
    for wrong in (0, -1.0, math.nan, math.inf, "wide", True):
        with pytest.raises(ParameterError, match="sigma"):
            RBF(sigma=wrong)


@pytest.mark.parametrize("factor", [0, -2.0, math.inf, math.nan])
def test_only_positive_multiples_are_kernels(factor: float) -> None:
    with pytest.raises(ParameterError, match="above 0"):
        factor * Linear()


def test_other_parameters_out_of_range_are_refused() -> None:
    for degree in (0, 2.5, -1, True, 10**6):
        with pytest.raises(ParameterError, match="degree"):
            Polynomial(degree)
    with pytest.raises(ParameterError, match="offset"):
        Sigmoid(1.0, math.inf)
    with pytest.raises(ParameterError, match="function"):
        Function(3)
    with pytest.raises(TypeError):
        Linear() + 1


def test_functions_of_matrices_and_of_pairs_are_kernels() -> None:
    X = np.random.default_rng(2).normal(size=(6, 3))
    matrices = Function(lambda A, B: A @ B.T)
    pairs = Function(lambda a, b: float(a @ b), by_pairs=True)
    for kernel in (matrices, pairs):
        np.testing.assert_allclose(kernel(X, X[:2]), Linear()(X, X[:2]))
        np.testing.assert_allclose(kernel(csr_matrix(X)), Linear()(X))
        np.testing.assert_allclose(kernel.diagonal(X), Linear().diagonal(X))
    with pytest.raises(DataError, match="by_pairs"):
        Function(lambda a, b: 1.0)(X)
    with pytest.raises(DataError, match="not symmetric"):
        Function(lambda A, B: A[:, :1] + 0 * B[:, 0]).is_psd(X)


def test_a_precomputed_kernel_is_its_rows() -> None:
    K = RBF(sigma=1.0)(np.random.default_rng(3).normal(size=(5, 2)))
    assert np.array_equal(Precomputed()(K), K)
    assert np.array_equal(Precomputed()(K[:2], K), K[:2])
    assert np.array_equal(Precomputed().diagonal(K), np.ones(5))
    with pytest.raises(DataError, match="5 of them; got 3"):
        Precomputed()(K[:, :3])


def test_rows_that_are_no_matrix_are_refused() -> None:
    with pytest.raises(DataError, match="wrap a single row"):
        Linear()([1.0, 2.0])
    with pytest.raises(DataError, match="matrix of numbers"):
        Linear()([["a", "b"]])
    with pytest.raises(DataError, match="2 columns and 3"):
        Linear()(np.ones((1, 2)), np.ones((1, 3)))


def test_kernels_do_not_write_into_their_rows() -> None:
    X = np.random.default_rng(4).normal(size=(8, 2))
    X.flags.writeable = False
    for kernel, _ in PAIRS:
        kernel(X)
        kernel(X, X)


def test_the_public_module_holds_them() -> None:
    assert acumen.kernels.RBF is RBF


def test_a_function_of_the_users_own_must_answer_with_finite_numbers():
    for wrong in (np.nan, np.inf):
        kernel = Function(lambda A, B, wrong=wrong: np.full((len(A), len(B)), wrong))
        with pytest.raises(DataError, match="must answer with finite numbers"):
            kernel(np.eye(3))
