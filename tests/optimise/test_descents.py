"""Every method reaches the optimum, says why it stopped, and leaves a trace."""

from __future__ import annotations

import doctest
import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen import optimise
from acumen.errors import DataError, ParameterError
from acumen.optimise.newton import CholeskyFactor, solve


def quadratic(seed=0, size=5):
    """A convex quadratic with its lowest point."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((size, size)) + 2 * np.eye(size)
    H, best = root @ root.T / size + 0.5 * np.eye(size), rng.standard_normal(size)

    def curved(x):
        away = x - best
        return float(away @ H @ away) / 2 - 1.0, H @ away, H

    return (lambda x: curved(x)[:2]), curved, best


def banana(x):
    """Rosenbrock's valley, with its matrix of second derivatives."""
    a, b = x
    value = (1 - a) ** 2 + 100 * (b - a * a) ** 2
    gradient = np.array([-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)])
    hessian = np.array([[2 - 400 * (b - 3 * a * a), -400 * a], [-400 * a, 200.0]])
    return float(value), gradient, hessian


@given(st.integers(0, 10_000), st.integers(1, 7))
@settings(max_examples=25)
def test_methods_find_the_lowest_point_of_a_quadratic(seed, size):
    smooth, curved, lowest = quadratic(seed, size)
    start = np.zeros(size)
    for found in (
        optimise.newton(curved, start),
        optimise.lbfgs(smooth, start, tol=1e-9),
        optimise.gradient_descent(smooth, start, tol=1e-9, max_iter=20_000),
    ):
        assert found.converged and np.abs(found.gradient).max() <= 1e-8
        assert np.abs(found.point - lowest).max() < 1e-6
        assert (np.diff(found.trace.loss) <= 1e-12 * np.abs(found.trace.loss[:-1])).all()
        assert found.trace.loss[0] == smooth(start)[0]


@pytest.mark.parametrize("method", ["newton", "lbfgs"])
def test_a_curved_valley_is_followed(method):
    function = banana if method == "newton" else lambda x: banana(x)[:2]
    found = getattr(optimise, method)(function, [-1.2, 1.0], tol=1e-9)
    assert found.converged and np.allclose(found.point, [1, 1], atol=1e-6)


def test_what_is_known_of_the_start_is_not_computed_again():
    asked = []

    def function(w):
        asked.append(w.copy())
        return float(w @ w), 2 * w

    start = np.array([3.0, -1.0])
    known = function(start)
    asked.clear()
    found = optimise.lbfgs(function, start, known=known)
    assert found.converged and not any(np.array_equal(w, start) for w in asked)
    assert found.trace.loss[0] == 10.0


def test_newton_damps_where_the_matrix_is_not_positive_definite():
    """cos has its top at zero; from near there Newton's plain step would go up to it."""
    found = optimise.newton(lambda x: (float(np.cos(x[0])), -np.sin(x), np.array([[-np.cos(x[0])]])), [0.1])
    assert found.converged and np.isclose(np.cos(found.point[0]), -1.0)
    assert CholeskyFactor(np.diag([1.0, -1.0])).damping >= 1.0


def test_a_fixed_rate_multiplies_the_error_by_one_less_rate_times_curvature():
    found = optimise.gradient_descent(lambda w: (float(w @ w) / 2, w), [1.0], rate=0.1, tol=1e-3)
    assert np.allclose(found.trace.gradient, 0.9 ** np.arange(len(found.trace.gradient)))
    with np.errstate(over="ignore"):
        wild = optimise.gradient_descent(lambda w: (float(w @ w) / 2, w), [1.0], rate=1e200, max_iter=50)
    assert not wild.converged and "rate is too large" in wild.reason


def test_w004_04_the_gradient_of_squared_loss_has_the_right_sign():
    """Mean squared loss, x = 1..4 with intercept, y = 1, 2, 2, 4, w = (.5, .5): (-1, -3.5)."""
    X, y = np.c_[np.ones(4), np.arange(1, 5)], np.array([1.0, 2, 2, 4])

    def squared(w):
        left = X @ w - y
        return float(left @ left) / 4, X.T @ left / 2

    assert squared(np.array([0.5, 0.5]))[1].tolist() == [-1.0, -3.5]
    found = optimise.gradient_descent(squared, [0.5, 0.5], rate=0.01, max_iter=1)
    assert np.allclose(found.point, [0.51, 0.535])
    best = optimise.gradient_descent(squared, [0.5, 0.5], tol=1e-9, max_iter=100_000)
    assert np.allclose(best.point, np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-7)


# -- with an l1 penalty ---------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=12)
def test_l1_methods_agree_and_their_answer_is_optimal(seed, size):
    smooth, curved, _ = quadratic(seed, size)
    l1 = np.random.default_rng(seed).random(size) * 1.5
    l1[-1] = 0.0  # one coordinate is free
    start = np.zeros(size)
    points = [
        optimise.proximal_newton(curved, start, l1=l1, tol=1e-10).point,
        optimise.proximal_gradient(smooth, start, l1=l1, tol=1e-9, max_iter=20_000).point,
        optimise.lbfgs_l1(smooth, start, l1=l1, tol=1e-9, max_iter=5000).point,
    ]
    for point in points:
        gradient = smooth(point)[1]
        resting = point == 0
        assert (np.abs(gradient[resting]) <= l1[resting] + 1e-6).all()
        assert np.allclose(gradient[~resting], -l1[~resting] * np.sign(point[~resting]), atol=1e-5)
        assert np.allclose(point, points[0], atol=1e-4)


# -- stochastic -----------------------------------------------------------------------------------


def test_mini_batches_come_near_the_optimum_and_repeat_by_seed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.standard_normal(400)

    def gradient_of(w, rows):
        return X[rows].T @ (X[rows] @ w - y[rows]) / len(rows)

    def loss(w):
        return float(((X @ w - y) ** 2).mean() / 2)

    for batch in (1, 16):
        found = optimise.stochastic_descent(gradient_of, loss, 400, np.zeros(3), batch=batch, random_state=3)
        again = optimise.stochastic_descent(gradient_of, loss, 400, np.zeros(3), batch=batch, random_state=3)
        assert np.array_equal(found.point, again.point)
        assert np.allclose(found.point, [1.0, -2.0, 0.5], atol=0.05)
        assert len(found.trace) == found.steps and found.trace.loss[-1] < 0.01


def test_wrong_settings_are_refused_in_a_sentence():
    with pytest.raises(ParameterError, match="rate must be a number above 0"):
        optimise.gradient_descent(lambda w: (0.0, w), [1.0], rate=-1)
    with pytest.raises(ParameterError, match="batch must be at least 1"):
        optimise.stochastic_descent(lambda w, r: w, lambda w: 0.0, 3, [1.0], batch=0)
    with pytest.raises(ParameterError, match="epochs must be at least 1"):
        optimise.stochastic_descent(lambda w, r: w, lambda w: 0.0, 3, [1.0], epochs=0)


# -- traces ---------------------------------------------------------------------------------------


def test_traces_draw_themselves_beside_others():
    smooth, curved, _ = quadratic()
    one = optimise.newton(curved, np.zeros(5)).trace
    other = optimise.gradient_descent(smooth, np.zeros(5), max_iter=30).trace
    drawn = one.draw(other)
    assert drawn.startswith("<svg") and "Newton" in drawn and "gradient descent" in drawn
    assert one._repr_svg_().startswith("<svg")
    above = other.figure(one, excess=True).bands[0].mean
    lowest = min(one.loss.min(), other.loss.min())
    assert np.allclose(above[:5], np.log10(other.loss[:5] - lowest))
    assert str(one).startswith("Newton: ") and len(one.figure(other).bands) == 2


@pytest.mark.parametrize("name", ["descent", "lbfgs", "newton"])
def test_documented_examples_are_true(name):
    result = doctest.testmod(importlib.import_module(f"acumen.optimise.{name}"))
    assert result.attempted > 0 and result.failed == 0


def test_a_factor_is_the_inverse_whatever_the_units_of_its_lines():
    rng = np.random.default_rng(0)
    for size in (1, 5, 130):
        unit = np.exp(8 * rng.standard_normal(size))
        rows = rng.standard_normal((3 * size, size)) * unit
        matrix = rows.T @ rows
        factor, right = CholeskyFactor(matrix), matrix @ (1 / unit)
        assert factor.damping == 0
        assert np.allclose(factor(right) * unit, 1.0, rtol=1e-9)
        assert np.allclose(factor.inverse() @ right * unit, 1.0, rtol=1e-9)


def test_a_factor_of_a_singular_matrix_is_damped_and_of_none_is_refused():
    assert CholeskyFactor(np.ones((3, 3))).damping > 0
    with pytest.raises(DataError):
        CholeskyFactor(np.full((2, 2), np.nan))


def test_a_matrix_that_rounding_has_spoiled_is_damped_and_one_that_is_none_refused() -> None:
    """Second derivatives of rows told apart for certain: what rounding leaves is larger than the diagonal."""
    spoiled = np.array([[1e-32, 1e-19], [1e-19, 1e-32]])
    direction = solve(spoiled, np.array([1.0, -1.0]))
    assert np.isfinite(direction).all() and direction[0] > 0 > direction[1]
    with pytest.raises(DataError, match="second derivatives"):
        solve(np.array([[1.0, np.nan], [np.nan, 1.0]]), np.ones(2))
