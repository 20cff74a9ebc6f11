"""Stochastic dual ascent: linear machines, one row at a time.

The documents' SVM-Dual with its bias folded into the weights, rows in an order drawn afresh each sweep, and
shrinking; the loop is C++ and takes dense and sparse rows. Every few sweeps the rows between their bounds move
together, since one at a time they agree but slowly. A free bias is found by the method of multipliers: a folded
bias whose target moves until the sum of b is zero, so that what is penalised is only its last step.
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.geometry.kernel import Rows
from acumen.svm.solvers.certificate import feasible
from acumen.svm.solvers.free_rows import FreeRows
from acumen.svm.solvers.linear_rows import back, native_rows, squares, times
from acumen.svm.solvers.problem import BoxProblem
from acumen.svm.solvers.solution import DualPoint
from acumen.types import Floats

_SWEEPS = 20_000  # at most, unless said otherwise
_MULTIPLIERS = 60
_ALONE, _SETTLED = 5, 2  # sweeps between two common moves, and once the same rows stay free
_FINE = 0.02  # of the tolerance is what sweeps aim at: the last digits come cheaply


def solve(
    X: Rows,
    problem: BoxProblem,
    *,
    tol: float,
    max_iter: int | None,
    seed: int = 0,
    start: Floats | None = None,
) -> DualPoint:
    """Sweeps until no row violates its conditions by more than `tol`; `max_iter` counts sweeps."""
    run = _Run(X, problem, _SWEEPS if max_iter is None else max_iter, seed, start)
    if problem.balanced:
        run.balance(_FINE * tol)
    else:
        run.sweep(_FINE * tol, 1.0, problem.z)
    run.b = feasible(problem, run.b)  # the last digits of the sum
    b, gradient = run.b, run.gradient()
    worst = problem.violation(b, gradient)
    # With a free bias two rows, each within the tolerance, may be off by twice that.
    near = tol if run.sweeps >= run.limit else 3 * tol
    return DualPoint(b, gradient, worst, run.sweeps, "max_iter" if worst > near else "")


class _Run:
    """b and w on their way."""

    def __init__(self, X: Rows, problem: BoxProblem, limit: int, seed: int, start: Floats | None) -> None:
        self.X, self.problem, self.limit, self.seed, self.sweeps = X, problem, limit, seed, 0
        self.rows, self.squares = native_rows(X), squares(X)
        self.b = np.zeros(len(problem)) if start is None else start.copy()
        self.w = np.append(back(X, self.b), 0.0)

    def sweep(self, tol: float, bias: float, z: Floats) -> None:
        """Sweeps with a folded bias attribute of value `bias`, towards `z`."""
        problem, rows = self.problem, self.rows
        self.w[-1] = bias * self.b.sum()
        free = FreeRows(rows, problem, self.squares, bias)
        while self.sweeps < self.limit:
            some = min(_SETTLED if free.settled else _ALONE, self.limit - self.sweeps)
            self.seed += 1
            done, worst = _native.dual_ascent(
                rows, z, problem.low, problem.high, problem.ridge, self.squares, problem.epsilon, bias,
                self.b, self.w, tol, some, self.seed,
            )  # fmt: skip
            self.sweeps += done
            if worst <= tol:
                return
            free.improve(z, self.b, self.w, tol)

    def balance(self, tol: float) -> None:
        """The method of multipliers on the sum of b."""
        problem, bias = self.problem, self._folded()
        # Numbers may all be far from zero, and a bounded b would go there by small steps only.
        multiplier = float(np.median(problem.z)) if problem.numbers else 0.0
        near = max(0.1, tol)
        for _ in range(_MULTIPLIERS):
            self.sweep(0.3 * near, bias, problem.z - multiplier)
            off = bias * bias * float(self.b.sum())
            multiplier += off
            if (near <= tol and abs(off) <= 0.1 * tol) or self.sweeps >= self.limit:
                break
            near = max(0.2 * near, tol) if abs(off) <= near else near

    def _folded(self) -> float:
        """The bias attribute's value: that of a usual row, whatever single rows hold.

        At the least one by which rows at their bounds can move the bias over all of z in one step.
        """
        problem = self.problem
        each = self.squares + problem.ridge
        some = each[each > 0]
        usual = float(np.median(some)) if len(some) else 0.0
        bounds = float((problem.high - problem.low).sum())  # infinite for squared loss
        return float(np.sqrt(max(usual, float(np.ptp(problem.z)) / bounds))) or 1.0

    def gradient(self) -> Floats:
        """(K + D) b - z, the kernel with the folded bias."""
        self.w[:-1] = back(self.X, self.b)
        made = times(self.X, self.w[:-1]) + self.problem.ridge * self.b - self.problem.z
        return made if self.problem.balanced else made + self.b.sum()
