"""How good a solution is, proved rather than believed.

    Certificate   primal and dual objective, their gap, and the largest violation of the optimality conditions
    certify       a dual point and, if the solver has one, its own function -> decision values, certificate

Every feasible dual value is below every primal one, so the gap bounds how far the solution is from the best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is proved of a solution.

    Attributes
    ----------
    primal : float
        1/2 |w|^2 + the sum of the rows' costs, as the model has it.
    dual : float
        The objective of the dual point: no function can have a primal value below it.
    gap : float
        primal - dual.
    kkt : float
        The largest violation of the Karush-Kuhn-Tucker conditions by the dual point.
    """

    primal: float
    dual: float
    gap: float
    kkt: float

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the primal objective."""
        return self.gap / max(abs(self.primal), 1e-300)

    def __str__(self) -> str:
        return (
            f"primal {self.primal:.9g}, dual {self.dual:.9g}, gap {self.gap:.3g} "
            f"({self.relative_gap:.2g} of the primal), KKT violated by at most {self.kkt:.3g}"
        )


def certificate_of(primal: float, dual: float, kkt: float) -> Certificate:
    """A certificate; rounding may put the dual a hair above the primal, but a gap is never negative."""
    return Certificate(primal, dual, max(primal - dual, 0.0), kkt)


def certify(
    problem: BoxProblem, b: Floats, kernel_times_b: Floats, *, square: float, decision: Floats
) -> Certificate:
    """The certificate of a function (its squared norm and decisions) by a dual point b.

    `kernel_times_b` includes the folded bias where there is one.
    """
    primal = problem.primal(square, decision)
    dual = problem.dual(b, kernel_times_b)
    gradient = kernel_times_b + problem.ridge * b - problem.z
    return certificate_of(primal, dual, problem.violation(b, gradient))


def together(parts: list[Certificate]) -> Certificate:
    """The certificate of several machines side by side: sums, and the largest violation."""
    return Certificate(
        float(sum(part.primal for part in parts)),
        float(sum(part.dual for part in parts)),
        float(sum(part.gap for part in parts)),
        float(max((part.kkt for part in parts), default=0.0)),
    )


def feasible(problem: BoxProblem, b: Floats) -> Floats:
    """Something near b within the box and, where the bias is free, of sum zero.

    What is too much on one side is taken from rows strictly between their bounds, as long as there are some, so
    that rows at a bound stay there; then the heavier side is scaled down to balance the lighter.
    """
    inside = np.clip(b, problem.low, problem.high)
    if not problem.balanced:
        return inside
    enough = 1e-15 * max(float(np.abs(inside).sum()), 1e-300)
    for _ in range(20):
        off = float(inside.sum())
        free = (inside > problem.low) & (inside < problem.high) & (inside != 0)
        count = np.count_nonzero(free)
        if abs(off) <= enough or not count:
            break
        # A row must not cross zero, where it would change sides.
        moved = inside[free] - off / count
        moved[np.sign(moved) != np.sign(inside[free])] = 0.0
        inside[free] = np.clip(moved, problem.low[free], problem.high[free])
    up, down = float(inside[inside > 0].sum()), -float(inside[inside < 0].sum())
    if up > down + enough:
        inside[inside > 0] *= down / up
    elif down > up + enough:
        inside[inside < 0] *= up / down
    return inside


# -- solutions of the dual ------------------------------------------------------------------------
#
# What a solver of the dual hands back.


@dataclass(frozen=True, slots=True)
class DualPoint:
    """A feasible point of a BoxProblem.

    `gradient` is (K + D) b - z there; `steps` are what its solver counts (pairs, working sets, sweeps);
    `stopped` says why it ended short of the tolerance: "" if it did not. `bias` is the solver's own, where it
    knows it better than the rows between their bounds do.
    """

    b: Floats
    gradient: Floats
    violation: float
    steps: int
    stopped: str = ""
    bias: float | None = None


@dataclass(frozen=True, slots=True)
class PrimalPoint:
    """A linear function that a primal solver found, with a dual point that certifies it.

    `w` and `bias` are the function; `b` is feasible in the dual, and its own function need not be w; `decision` are
    the rows' values, where the solver has them.
    """

    w: Floats
    bias: float
    b: Floats
    steps: int
    stopped: str = ""
    decision: Floats | None = None
