"""Free rows that move together: the dual never gets worse, no row leaves its side or its box."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import acumen
from acumen.geometry.kernels import Linear
from acumen.svm.machine import train
from acumen.svm.settings import SolverSettings
from acumen.svm.solvers import dual_ascent
from acumen.svm.solvers.dual_ascent import FreeRows
from acumen.svm.solvers.linear_rows import native_rows, squares
from acumen.svm.solvers.problem import BoxProblem


def some_problem(rng, n, numbers, loss, balanced=False):
    cost = rng.uniform(0.1, 3.0, size=n)
    if numbers:
        return BoxProblem.of_numbers(rng.normal(size=n), cost, 0.2, loss, balanced=balanced)
    return BoxProblem.of_classes(np.where(rng.random(n) < 0.5, 1.0, -1.0), cost, loss, balanced=balanced)


def dual_value(problem, X, bias, b):
    w = X.T @ b
    return problem.dual(b, X @ w + bias * bias * b.sum())


@given(
    n=st.integers(2, 40), width=st.integers(1, 8), numbers=st.booleans(), loss=st.sampled_from(["hinge", "squared"]),
    bias=st.sampled_from([0.0, 1.0, 3.0]), seed=st.integers(0, 10**6),
)  # fmt: skip
def test_a_common_move_raises_the_dual_and_keeps_every_row_on_its_side(n, width, numbers, loss, bias, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, width))
    problem = some_problem(rng, n, numbers, loss)
    reach = np.where(np.isfinite(problem.high - problem.low), problem.cost, 1.0)
    b = np.clip(rng.uniform(-1.2, 1.2, size=n) * reach, problem.low, problem.high)
    w = np.append(X.T @ b, bias * b.sum())
    before, old = b.copy(), dual_value(problem, X, bias, b)
    free = FreeRows(native_rows(X), problem, squares(X), bias)
    free.improve(problem.z, b, w, 1e-6)
    assert dual_value(problem, X, bias, b) >= old - 1e-9 * (1 + abs(old))
    assert (b >= problem.low).all() and (b <= problem.high).all()
    assert (b * before >= 0).all()
    assert (b[before == 0] == 0).all()
    assert w == pytest.approx(np.append(X.T @ b, bias * b.sum()), abs=1e-9)


def test_rows_already_at_their_minimum_stay():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 5))
    problem = some_problem(rng, 60, False, "squared")
    b = dual_ascent.solve(X, problem, tol=1e-9, max_iter=None).b
    kept, w = b.copy(), np.append(X.T @ b, b.sum())
    FreeRows(native_rows(X), problem, squares(X), 1.0).improve(problem.z, b, w, 1e-9)
    assert b == pytest.approx(kept, abs=1e-8)


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("numbers", [True, False])
def test_sparse_dual_ascent_ends_where_smo_does(numbers, loss, balanced):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 150)) * (rng.random((200, 150)) < 0.08)
    problem = some_problem(rng, 200, numbers, loss, balanced)
    found = [
        train(rows, problem, SolverSettings(Linear(), loss, solver, 1e-7, None, not balanced))
        for rows, solver in ((X, "smo"), (csr_matrix(X), "dual-ascent"), (X, "dual-ascent"))
    ]
    for other in found[1:]:
        assert other.stopped == ""
        assert other.certificate.primal == pytest.approx(found[0].certificate.primal, rel=1e-6)
        assert other.w == pytest.approx(found[0].w, abs=1e-4)


@pytest.mark.parametrize("C", [0.1, 1.0, pytest.param(300.0, marks=pytest.mark.slow)])
def test_sparse_newton_and_dual_ascent_agree(C):
    rng = np.random.default_rng(6)
    X = csr_matrix(rng.normal(size=(1200, 200)) * (rng.random((1200, 200)) < 0.06))
    y = np.where(X @ rng.normal(size=200) + rng.normal(size=1200) > 0, "yes", "no")
    common = {"kernel": "linear", "loss": "squared", "C": C, "scale": False, "tol": 1e-5}
    newton, ascent = (acumen.SVM(solver=solver, **common).fit(X, y) for solver in ("newton", "dual-ascent"))
    assert newton.certificate_.primal == pytest.approx(ascent.certificate_.primal, rel=1e-7)
    assert newton.coef_ == pytest.approx(ascent.coef_, abs=1e-3)


@pytest.mark.parametrize("seed", [4, 5])
@pytest.mark.parametrize("bias", ["free", "folded"])
@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_sparse_newton_ends_within_a_tenth_of_the_tolerance_at_any_cost(C, bias, seed):
    rng = np.random.default_rng(seed)
    X = csr_matrix(rng.normal(size=(150, 150)) * (rng.random((150, 150)) < 0.01))
    y = X @ rng.normal(size=150) + 0.3 * rng.normal(size=150) > 0
    settings = SolverSettings(Linear(), "squared", "newton", 1e-3, None, folded=bias == "folded")
    problem = BoxProblem.of_classes(
        np.where(y, 1.0, -1.0), np.full(150, C), "squared", balanced=bias == "free"
    )
    machine = train(X, problem, settings)
    assert machine.certificate.relative_gap <= 1e-4
    assert machine.stopped == ""
