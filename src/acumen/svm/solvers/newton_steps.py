"""Newton steps for the primal of squared slack over rows: by a Cholesky factor, or by conjugate gradients.

FactorSteps      n d^2 operations a step; rows that enter and leave the set of those with slack only are added
                 to and taken from the Hessian of the step before
GradientSteps    for sparse and wide rows: the Hessian is never written down, and its products with vectors
                 take one pass over the rows with slack, in C++ over all cores
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acumen.geometry.kernel import Rows, is_sparse
from acumen.optimise.trace import dot
from acumen.svm.solvers.certificate import feasible
from acumen.svm.solvers.linear_rows import ChosenRows, back, native_rows, times, weighted_gram
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Bools, Floats, Indices

#: Beyond so many attributes conjugate gradients take the place of a Cholesky factor.
WIDEST = 2000
_FEW = 1.0e-3  # a step that promises less than this share of tol x objective is the last
_ENOUGH = 0.1  # and it is, if the gap is within this share of tol x objective
_ROUGH = 0.2  # how much of the gradient may be left by conjugate gradients: the next step is better informed
_SOON = 10  # of steps that come to an end; where it takes more, rough ones would go on for long
_FINER, _FINE, _FINEST = 0.7, 1.0e-3, 1.0e-10


class FactorSteps:
    """Weights and bias (u), the rows' decisions, and the Hessian of the last step."""

    exact = True  # whether a step ends at the minimum of its quadratic

    def __init__(self, X: Rows, problem: BoxProblem, u: Floats) -> None:
        self.X, self.problem, self.u = X, problem, u
        self.penalty = np.ones(len(u))
        if problem.balanced:
            self.penalty[-1] = 0.0
        self.active: Bools | None = None
        self.hessian: Floats = np.empty((0, 0))
        self.decision = self.through(u) if u.any() else np.zeros(len(problem))

    def through(self, u: Floats) -> Floats:
        """What weights and bias make of the rows."""
        return times(self.X, u[:-1]) + u[-1]

    def back(self, pull: Floats) -> Floats:
        """The sum of the rows, each times its pull, and of the pulls."""
        return np.append(back(self.X, pull), pull.sum())

    def direction(self, gradient: Floats, active: Bools) -> Floats:
        """The way to the minimum of the quadratic that the active rows make."""
        twice = 2.0 * self.problem.cost
        if self.active is not None and 2 * np.count_nonzero(active != self.active) < np.count_nonzero(active):
            self.hessian += weighted_gram(self.X, twice, active & ~self.active)
            self.hessian -= weighted_gram(self.X, twice, self.active & ~active)
        else:
            self.hessian = weighted_gram(self.X, twice, active)
        self.active = active
        return -solve_psd(self.hessian + np.diag(self.penalty), gradient)

    def objective(self, u: Floats, decision: Floats) -> float:
        return self.problem.primal(dot(self.penalty, u**2), decision)

    def step(self, tol: float) -> bool:
        """One Newton step with its line search; whether it was the last that is needed."""
        problem = self.problem
        pull = problem.pull(self.decision)
        gradient = self.penalty * self.u - self.back(pull)
        active = pull != 0
        direction = self.direction(gradient, active)
        promise = -dot(gradient, direction)
        here = self.objective(self.u, self.decision)
        if promise <= 1e-15 * abs(here):
            return True
        moved = self.through(direction)
        length = 1.0
        while True:
            u, decision = self.u + length * direction, self.decision + length * moved
            there = self.objective(u, decision)
            if there <= here - 1e-4 * length * promise or length < 1e-10:
                break
            length *= 0.5
        if there > here:  # rounding is all that is left
            return True
        self.u, self.decision = u, decision
        settled = self.exact and length == 1.0 and bool(np.array_equal(problem.slack(decision) > 0, active))
        return settled or 0.5 * promise <= _FEW * tol * abs(there)


class GradientSteps(FactorSteps):
    """The same without a Hessian."""

    exact = False

    def __init__(self, X: Rows, problem: BoxProblem, u: Floats) -> None:
        self.rows = native_rows(X)
        self.everyone = self._some(np.arange(X.shape[0]))
        super().__init__(X, problem, u)
        self.scale, self.scaled = np.ones(len(u)), np.zeros(len(problem), dtype=np.bool_)
        self.rough, self.share, self.steps = _ROUGH, 1.0, 0

    def step(self, tol: float) -> bool:
        """The same; rough steps promise less than there is to gain, so the last is one that is proved to be.

        The gap shrinks later than the objective does at high costs, as pulls are slack times cost: while it is large,
        each end of the steps is followed by finer ones, which end at a smaller promise.
        """
        self.steps += 1
        if super().step(self.share * tol):
            if self._gap() <= _ENOUGH * tol or self.rough <= _FINEST:
                return True
            self.rough, self.share = max(0.1 * self.rough, _FINEST), 0.1 * self.share
        elif self.steps > _SOON:
            self.rough = min(self.rough, max(_FINER * self.rough, _FINE))
        return False

    def _gap(self) -> float:
        """The gap that the rows' pulls prove, as a share of the objective."""
        b = feasible(self.problem, self.problem.pull(self.decision))
        w = self.back(b)
        if self.problem.balanced:
            w[-1] = 0.0
        primal = self.objective(self.u, self.decision)
        return (primal - self.problem.dual(b, self.through(w))) / max(abs(primal), 1e-300)

    def through(self, u: Floats) -> Floats:
        return self.everyone.times(u)

    def back(self, pull: Floats) -> Floats:
        return self.everyone.back(pull)

    def direction(self, gradient: Floats, active: Bools) -> Floats:
        which = np.flatnonzero(active)
        some, twice = self._some(which), 2.0 * self.problem.cost[which]
        if 10 * np.count_nonzero(active != self.scaled) > len(which):
            # A free bias has no penalty of its own, and rows may leave it no curvature either.
            self.scale, self.scaled = np.maximum(self.penalty + some.squares(twice), 1e-300), active
        return conjugate_gradients(
            lambda v: self.penalty * v + some.curvature(twice, v), -gradient, self.scale, self.rough
        )

    def _some(self, which: Indices) -> ChosenRows:
        return ChosenRows(self.rows, which, 1.0)


def steps_for(X: Rows, problem: BoxProblem, u: Floats) -> FactorSteps:
    """Steps from u of the kind these rows need."""
    wide = is_sparse(X) or len(u) > WIDEST
    return (GradientSteps if wide else FactorSteps)(X, problem, u)


def conjugate_gradients(
    multiply: Callable[[Floats], Floats], right: Floats, scale: Floats, accuracy: float
) -> Floats:
    """An approximate solution of A x = right, preconditioned by the diagonal `scale`."""
    x = np.zeros(len(right))
    residual = right.copy()
    z = residual / scale
    direction, size = z.copy(), dot(residual, z)
    goal = accuracy * accuracy * size
    for _ in range(10 * len(right) + 10):
        if size <= goal or size == 0:
            break
        along = multiply(direction)
        curve = dot(direction, along)
        if curve <= 0:
            break
        x += size / curve * direction
        residual -= size / curve * along
        z = residual / scale
        before, size = size, dot(residual, z)
        direction = z + size / before * direction
    return x


def solve_psd(matrix: Floats, right: Floats) -> Floats:
    """The solution of a positive semidefinite system; the least one where it is singular."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    try:
        return np.asarray(cho_solve(cho_factor(matrix, check_finite=False), right, check_finite=False))
    except LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0])
