"""The kernel adatron: rows take turns, each projected back into its bounds.

The documents' projection method (Friess, Cristianini and Campbell 1998): multiplier by multiplier, alpha_i becomes
alpha_i + (1 - y_i f(x_i)) / K_ii, cut off at 0 and C. That step ends at the row's own minimum, so that the dual never
falls. Without a free bias that is all. With one the sum of y alpha is to be zero, which single rows cannot keep: a
multiplier of that sum, which is the bias, is moved until it holds, as in `dual_ascent`, rows taking turns in between.
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.svm.solvers.certificate import DualPoint, feasible
from acumen.svm.solvers.gram import Gram
from acumen.svm.solvers.problem import BoxProblem
from acumen.svm.solvers.smo import require_room
from acumen.types import Floats

_SWEEPS = 50_000  # at most, unless said otherwise
_MULTIPLIERS = 200
_FINE = 0.02  # of the tolerance is what sweeps aim at: the last digits come cheaply


def solve(
    gram: Gram, problem: BoxProblem, *, tol: float, max_iter: int | None, start: Floats | None = None
) -> DualPoint:
    """Sweeps until no row violates its conditions by more than `tol`; `max_iter` counts sweeps."""
    n = gram.n
    require_room("adatron", n)
    kernel = gram.in_double().square(np.arange(n))
    kernel[np.arange(n), np.arange(n)] += problem.ridge
    run = _AdatronRun(kernel, problem, _SWEEPS if max_iter is None else max_iter, start)
    if problem.balanced:
        run.balance(_FINE * tol)
    else:
        run.sweep(_FINE * tol, 0.0, 0.0)
    b = feasible(problem, run.b)  # the last digits of the sum
    gradient = kernel[:, :n] @ b - problem.z
    worst = problem.violation(b, gradient)
    # With a free bias two rows, each within the tolerance, may be off by twice that.
    near = tol if run.sweeps >= run.limit else 3 * tol
    return DualPoint(b, gradient, worst, run.sweeps, "max_iter" if worst > near else "")


class _AdatronRun:
    """b and its gradient on their way."""

    def __init__(self, kernel: Floats, problem: BoxProblem, limit: int, start: Floats | None) -> None:
        self.kernel, self.problem, self.limit, self.sweeps = kernel, problem, limit, 0
        n = len(problem)
        self.b = np.zeros(n) if start is None else start.copy()
        self.gradient = -problem.z if start is None else kernel[:, :n] @ start - problem.z

    def sweep(self, tol: float, fold: float, shift: float) -> None:
        """Sweeps with a constant added to the kernel, and another to every slope."""
        p = self.problem
        done, _ = _native.adatron(
            self.kernel, p.low, p.high, self.b, self.gradient, p.epsilon, fold, shift, tol, self.limit - self.sweeps
        )  # fmt: skip
        self.sweeps += done

    def balance(self, tol: float) -> None:
        """The method of multipliers on the sum of b: the constant in the kernel draws it near, the multiplier there."""
        problem, fold = self.problem, self._bias_curvature()
        bias = float(np.median(problem.z)) if problem.numbers else 0.0
        near = max(0.1, tol)
        for _ in range(_MULTIPLIERS):
            self.sweep(0.3 * near, fold, bias)
            off = fold * float(self.b.sum())
            bias += off
            if (near <= tol and abs(off) <= 0.1 * tol) or self.sweeps >= self.limit:
                break
            near = max(0.2 * near, tol) if abs(off) <= near else near

    def _bias_curvature(self) -> float:
        """As much as a usual row's own curvature; at the least so much that rows at their bounds can move the bias."""
        problem = self.problem
        diagonal = np.diagonal(self.kernel)
        some = diagonal[diagonal > 0]
        usual = float(np.median(some)) if len(some) else 0.0
        bounds = float((problem.high - problem.low).sum())  # infinite for squared loss
        return max(usual, float(np.ptp(problem.z)) / bounds) or 1.0
