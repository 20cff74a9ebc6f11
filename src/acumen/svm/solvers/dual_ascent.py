"""Stochastic dual ascent: linear machines, one row at a time.

SVM-Dual with its bias folded into the weights, a new random row order in each sweep, and shrinking; the loop is C++ and
takes dense and sparse rows. A free bias is found by the method of multipliers: a folded bias whose target moves until
the sum of b is zero, so that only its last step is penalised.

Single rows converge slowly against each other. So every few sweeps `FreeRows` moves all rows strictly between their
bounds together: given these rows, the dual is an unbounded quadratic function of them, and conjugate gradients find its
minimum in far fewer passes. Sweeps find out which rows they are; the two alternate (Moré and Toraldo 1991, with sweeps
in place of projected gradients).
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.geometry.kernel import Rows
from acumen.optimise.trace import dot
from acumen.svm.solvers.certificate import DualPoint, feasible
from acumen.svm.solvers.linear_rows import ChosenRows, back, native_rows, squares, times
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Floats, Indices

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
    run = _AscentRun(X, problem, _SWEEPS if max_iter is None else max_iter, seed, start)
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


class _AscentRun:
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
        problem, bias = self.problem, self._bias_value()
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

    def _bias_value(self) -> float:
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
        gradient = times(self.X, self.w[:-1]) + self.problem.ridge * self.b - self.problem.z
        return gradient if self.problem.balanced else gradient + self.b.sum()


_FEWEST, _MOST = 5, 500  # steps of conjugate gradients
_SHARE = 0.5  # a step this much poorer than the mean step so far shows that bounds matter more now


class FreeRows:
    """Which rows were free the last time, and whether they still are."""

    def __init__(self, rows: _native.LinearRows, problem: BoxProblem, squares: Floats, bias: float) -> None:
        self.rows, self.problem, self.bias = rows, problem, bias
        self.curvature = squares + bias * bias + problem.ridge  # each row's own
        self.which: Indices = np.empty(0, dtype=np.int64)
        self.settled = False

    def improve(self, z: Floats, b: Floats, w: Floats, tol: float) -> None:
        """Bring the free rows of b towards their common minimum, and w (with the bias attribute's) along."""
        problem = self.problem
        which = np.flatnonzero((b != 0) & (b > problem.low) & (b < problem.high))
        known = np.array_equal(which, self.which)
        self.which, self.settled = which, False
        if not len(which):
            return
        some = ChosenRows(self.rows, which, self.bias)
        here, ridge = b[which], problem.ridge[which]
        slope = some.times(w) + ridge * here - z[which] + problem.epsilon * np.sign(here)
        goal = here + self._descent(some, slope, ridge, 0.3 * tol, patient=known)
        # Beyond zero a row would be on its other side, where other costs hold.
        low = np.where(here > 0, np.maximum(problem.low[which], 0.0), problem.low[which])
        high = np.where(here < 0, np.minimum(problem.high[which], 0.0), problem.high[which])
        bounded = np.clip(goal, low, high)
        move = bounded - here
        downhill = -dot(slope, move)
        if not downhill > 0:
            return
        along = some.back(move)
        curve = dot(along, along) + dot(ridge * move, move)
        length = min(1.0, downhill / curve) if curve > 0 else 1.0
        b[which] = bounded if length == 1.0 else here + length * move
        w += length * along
        self.settled = known and bool((bounded == goal).all())

    def _descent(
        self, some: ChosenRows, slope: Floats, ridge: Floats, tol: float, *, patient: bool
    ) -> Floats:
        """Conjugate gradients from where the rows are, scaled by each row's own curvature.

        Impatient, it leaves off when steps get poor, since by then rows beyond their bounds matter more.
        """
        scale = self.curvature[some.which]
        scale = np.where(scale > 0, scale, 1.0)
        x, residual = np.zeros(len(slope)), -slope
        direction = residual / scale
        size, gained = dot(residual, direction), 0.0
        for step in range(1, _MOST + 1):
            along = some.back(direction)
            curve = dot(along, along) + dot(ridge * direction, direction)
            if curve <= 1e-15 * dot(scale * direction, direction):
                break
            length = size / curve
            x += length * direction
            residual -= length * (some.times(along) + ridge * direction)
            gain = length * size
            gained += gain
            if np.abs(residual).max() <= tol:
                break
            if not patient and step >= _FEWEST and gain * step <= _SHARE * gained:
                break
            turned = residual / scale
            before, size = size, dot(residual, turned)
            direction = turned + size / before * direction
        return x
