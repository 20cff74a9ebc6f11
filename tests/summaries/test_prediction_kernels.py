"""The kernels behind prediction: against their twins, for odd rows, and independent of threads."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import multivariate_normal

from acumen import _native
from reference import summaries as twin
from summary_cases import Rows, layouts, some_rows


def gaussian(values, mean, variance, threads: int = 1) -> np.ndarray:
    n = len(values[0]) if isinstance(values, list) else len(values)
    total = np.zeros((n, len(mean)))
    _native.add_gaussian_logs(values, np.asarray(mean, float), np.asarray(variance, float), total, threads)
    return total


@given(rows=some_rows())
def test_gaussian_logs_equal_the_twin(rows: Rows) -> None:
    d = rows.values.shape[1]
    mean, variance = np.arange(3 * d).reshape(3, d) * 1.5, 0.5 + np.arange(3 * d).reshape(3, d)
    expected = twin.gaussian_logs(rows.values, mean, variance)
    for values in layouts(rows.values):
        np.testing.assert_allclose(gaussian(values, mean, variance), expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 4097, 10_000])
def test_logs_are_the_same_for_every_number_of_threads(n: int) -> None:
    rng = np.random.default_rng(n)
    values = rng.normal(size=(n, 5))
    values[rng.random((n, 5)) < 0.05] = np.nan
    mean, variance = rng.normal(size=(3, 5)), rng.random((3, 5)) + 0.1
    expected = gaussian(values, mean, variance)
    np.testing.assert_allclose(expected[:200], twin.gaussian_logs(values[:200], mean, variance), rtol=1e-11)
    codes = rng.integers(-2, 5, (n, 4)).astype(np.int32)
    tables = [rng.normal(size=(3, 4)) for _ in range(4)]
    levels = np.zeros((n, 3))
    _native.add_level_logs(codes, tables, levels)
    for threads in (2, 7):
        assert gaussian(values, mean, variance, threads).tobytes() == expected.tobytes()
        again = np.zeros((n, 3))
        _native.add_level_logs(list(codes.T), tables, again, threads)
        assert again.tobytes() == levels.tobytes()


EXTREMES = [0.0, 1.0, -1e150, 1e155, -1e300, 1e300, np.finfo(float).max, -np.finfo(float).max]
PAIRS = list(itertools.product(EXTREMES, repeat=2))


@pytest.mark.parametrize("pair", PAIRS)
def test_gaussian_logs_of_finite_rows_are_finite_for_every_variance(pair: tuple[float, float]) -> None:
    values = np.array([pair])
    for variance in (0.0, 5e-324, 1e-300, 1.0, 1e300, np.inf):
        total = gaussian(values, [[0.0, 1.0], [1e300, -1e300]], np.full((2, 2), variance))
        assert np.isfinite(total).all(), (pair, variance)


def test_the_nearer_class_stays_ahead_however_far_the_row() -> None:
    for x in (1e10, 1e149, 1e152, 1e160, 1e200, 1e300, 1.7e308):
        total = gaussian(np.array([[x]]), [[0.0], [0.0]], [[1.0], [4.0]])
        assert total[0, 1] > total[0, 0], x
        both = gaussian(np.array([[x], [x / 1.5]]), [[0.0]], [[1.0]])
        assert both[1, 0] > both[0, 0], x


def test_a_class_without_mean_or_variance_adds_nothing() -> None:
    total = gaussian(np.array([[1.0, 2.0]]), [[np.nan, 0.0]], [[1.0, 1.0]])
    assert total[0, 0] == pytest.approx(-0.5 * np.log(2 * np.pi) - 2)
    assert gaussian(np.array([[1.0]]), [[0.0]], [[np.nan]])[0, 0] == 0


def test_codes_outside_the_levels_add_nothing() -> None:
    total = np.zeros((4, 2))
    codes = np.array([0, 1, -1, -2], dtype=np.int32)
    _native.add_level_logs([codes], [np.array([[0.25], [0.5]])], total)
    assert total.tolist() == [[0.25, 0.5], [0, 0], [0, 0], [0, 0]]
    three = np.zeros((4, 3))
    _native.add_level_logs([codes], [np.array([[0.25, 1], [0.5, 2], [1, 3]])], three)
    assert three.tolist() == [[0.25, 0.5, 1], [1, 2, 3], [0, 0, 0], [0, 0, 0]]


def factors(covariance: np.ndarray) -> np.ndarray:
    return np.linalg.inv(np.linalg.cholesky(covariance))


def quadratic(values, mean, factor, threads: int = 1) -> tuple[np.ndarray, int]:
    n = len(values[0]) if isinstance(values, list) else len(values)
    total = np.zeros((n, len(mean)))
    skipped = _native.add_quadratic_logs(values, mean, factor, total, threads)
    return total, skipped


@pytest.mark.parametrize("d", [1, 2, 4, 7, 13])
def test_quadratic_logs_equal_the_twin_and_scipy(d: int) -> None:
    rng = np.random.default_rng(d)
    roots = rng.normal(size=(2, d, d + 2))
    covariance = roots @ roots.transpose(0, 2, 1)
    mean, values = rng.normal(size=(2, d)), rng.normal(size=(150, d))
    expected = twin.quadratic_logs(values, mean, covariance)
    for layout in layouts(values):
        total, skipped = quadratic(layout, mean, factors(covariance))
        np.testing.assert_allclose(total, expected, rtol=1e-9, atol=1e-9)
        assert skipped == 0
    oracle = multivariate_normal(mean[0], covariance[0]).logpdf(values)
    np.testing.assert_allclose(expected[:, 0], oracle, rtol=1e-8)
    assert (
        quadratic(np.tile(values, (40, 1)), mean, factors(covariance), 3)[0].tobytes()
        == np.tile(quadratic(values, mean, factors(covariance))[0], (40, 1)).tobytes()
    )


def test_quadratic_logs_leave_rows_with_a_missing_value_as_they_were() -> None:
    values = np.array([[0.0, 0.0], [np.nan, 0.0], [0.0, np.inf]])
    total, skipped = quadratic(values, np.zeros((1, 2)), np.eye(2)[None])
    assert skipped == 2
    np.testing.assert_allclose(total, [[-np.log(2 * np.pi)], [0], [0]])


@pytest.mark.parametrize("pair", PAIRS)
def test_quadratic_logs_of_finite_rows_are_finite(pair: tuple[float, float]) -> None:
    factor = factors(np.array([[[1.0, 0.5], [0.5, 1.0]], [[1e-200, 0.0], [0.0, 1e200]]]))
    total, _ = quadratic(np.array([pair]), np.array([[0.0, 0.0], [1e300, -1e300]]), factor)
    assert np.isfinite(total).all()


def test_the_nearer_class_stays_ahead_with_a_covariance_too() -> None:
    factor = factors(np.array([np.eye(2), 4 * np.eye(2)]))
    for x in (1e149, 1e152, 1e160, 1e300, 1.7e308):
        total, _ = quadratic(np.array([[x, x / 3]]), np.zeros((2, 2)), factor)
        assert total[0, 1] > total[0, 0], x


def test_shapes_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ValueError, match="do not go together"):
        gaussian(np.ones((2, 2)), [[0.0]], [[1.0]])
    with pytest.raises(ValueError, match="do not go together"):
        quadratic(np.ones((2, 2)), np.zeros((1, 2)), np.ones((1, 1, 2)))
    with pytest.raises(ValueError, match="columns differ in length"):
        gaussian([np.ones(2), np.ones(3)], [[0.0, 0.0]], [[1.0, 1.0]])
    with pytest.raises(TypeError, match="float64"):
        _native.add_gaussian_logs(np.ones(3), np.ones((1, 1)), np.ones((1, 1)), np.zeros((3, 1)))
