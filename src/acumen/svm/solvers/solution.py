"""What a solver of the dual hands back."""

from __future__ import annotations

from dataclasses import dataclass

from acumen.types import Floats


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
