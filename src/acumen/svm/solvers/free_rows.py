"""The rows strictly between their bounds, moved all together.

Once it is known which rows these are, the dual is a quadratic function of them that nothing bounds, and
conjugate gradients find its minimum in far fewer passes than rows that take turns, each undoing a little of
what the others did. Sweeps over single rows find out which rows they are; the two alternate (Moré and Toraldo
1991, with sweeps in place of projected gradients).
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.svm.solvers.chosen_rows import ChosenRows
from acumen.svm.solvers.inner import inner
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Floats, Indices

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
        downhill = -inner(slope, move)
        if not downhill > 0:
            return
        along = some.back(move)
        curve = inner(along, along) + inner(ridge * move, move)
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
        size, gained = inner(residual, direction), 0.0
        for step in range(1, _MOST + 1):
            along = some.back(direction)
            curve = inner(along, along) + inner(ridge * direction, direction)
            if curve <= 1e-15 * inner(scale * direction, direction):
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
            before, size = size, inner(residual, turned)
            direction = turned + size / before * direction
        return x
