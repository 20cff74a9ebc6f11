"""The kernel adatron beside a loop by the book, and beside smo."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import acumen
from acumen import _native
from acumen.geometry.kernels import RBF, Linear
from acumen.svm.machine import train
from acumen.svm.settings import SolverSettings
from acumen.svm.solvers.problem import BoxProblem


def by_the_book(K: np.ndarray, y: np.ndarray, C: float, sweeps: int) -> np.ndarray:
    """Friess, Cristianini and Campbell (1998): alpha_i + (1 - y_i f(x_i)) / K_ii, cut off at 0 and C."""
    alpha = np.zeros(len(y))
    for _ in range(sweeps):
        for i in range(len(y)):
            alpha[i] = min(max(alpha[i] + (1 - y[i] * ((alpha * y) @ K[i])) / K[i, i], 0.0), C)
    return alpha


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10_000), st.floats(0.1, 10), st.integers(1, 6))
def test_a_sweep_is_the_books(n: int, seed: int, C: float, sweeps: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.5, 1.0, -1.0)
    K = X @ X.T + 1.0
    problem = BoxProblem.of_classes(y, np.full(n, C), "hinge", balanced=False)
    b, gradient = np.zeros(n), -problem.z
    done, _ = _native.adatron(K, problem.low, problem.high, b, gradient, 0.0, 0.0, 0.0, 0.0, sweeps)
    assert done <= sweeps
    np.testing.assert_allclose(b * y, by_the_book(K, y, C, sweeps), atol=1e-9)
    np.testing.assert_allclose(gradient, K @ b - y, atol=1e-9)


def test_the_dual_never_falls_from_sweep_to_sweep() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.where(rng.random(30) < 0.5, 1.0, -1.0)
    K = RBF(gamma=0.5)(X)
    problem = BoxProblem.of_classes(y, np.full(30, 2.0), "hinge", balanced=False)
    b, gradient, values = np.zeros(30), -problem.z, []
    for _ in range(20):
        _native.adatron(K, problem.low, problem.high, b, gradient, 0.0, 0.0, 0.0, 1e-9, 1)
        values.append(problem.dual(b, K @ b))
    assert (np.diff(values) >= -1e-12).all() and values[-1] > values[0]


@pytest.mark.parametrize("bias", ["free", "folded"])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_iris_has_the_machines_of_smo_and_a_certificate(bias: str, multiclass: str) -> None:
    iris = acumen.datasets.load("iris").take(np.arange(0, 150, 3))
    made = [
        acumen.SVM(solver=solver, bias=bias, multiclass=multiclass, tol=1e-5).fit(iris)
        for solver in ("adatron", "smo")
    ]
    found, other = made
    assert found.certificate_.relative_gap < 1e-5 and found.certificate_.kkt <= 3e-5
    assert found.certificate_.primal == pytest.approx(other.certificate_.primal, rel=1e-5)
    np.testing.assert_allclose(found.decision_function(iris), other.decision_function(iris), atol=1e-3)


def test_numbers_are_fitted_as_smo_fits_them() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] - X[:, 1] + 0.2 * rng.normal(size=60) + 30.0
    found, other = (acumen.SVR(solver=s, tol=1e-5).fit(X, y) for s in ("adatron", "smo"))
    np.testing.assert_allclose(found.predict(X), other.predict(X), atol=1e-3)


def test_weights_are_repeated_rows() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    weights = rng.integers(1, 4, 20)
    learner = acumen.SVM(solver="adatron", scale=False, gamma=0.5, tol=1e-6)
    once = learner.fit(X, y, sample_weight=weights).decision_function(X)
    again = learner.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).decision_function(X)
    np.testing.assert_allclose(once, again, atol=1e-3)


def test_one_side_alone_and_rows_that_are_all_alike_end_too() -> None:
    same = np.ones((6, 2))
    for sides in (np.ones(6), np.array([1.0, -1.0, 1.0, -1.0, 1.0, 1.0])):
        for balanced in (True, False):
            problem = BoxProblem.of_classes(sides, np.ones(6), "hinge", balanced=balanced)
            made = train(
                same, problem, SolverSettings(Linear(), "hinge", "adatron", 1e-4, None, not balanced)
            )
            fine = train(same, problem, SolverSettings(Linear(), "hinge", "smo", 1e-6, None, not balanced))
            assert made.certificate.dual == pytest.approx(fine.certificate.dual, abs=1e-3)


def test_a_solve_that_ends_early_warns_with_its_gap_and_one_machine_for_all_refuses() -> None:
    iris = acumen.datasets.load("iris")
    with pytest.warns(ConvergenceWarning, match="solver='adatron' stopped after 2 steps.*gap"):
        acumen.SVM(solver="adatron", max_iter=2).fit(iris)
    with pytest.raises(acumen.errors.ParameterError, match="solved by dual ascent"):
        acumen.SVM(solver="adatron", multiclass="single").fit(iris)
