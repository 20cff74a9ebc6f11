"""What a solver of the dual hands back."""

from __future__ import annotations

from dataclasses import dataclass

from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class DualPoint:
    """A feasible point of a BoxProblem.

    `gradient` is (K + D) b - z there; `steps` are what its solver counts (pairs, working sets, sweeps);
    `stopped` says why it ended short of the tolerance: "" if it did not.
    """

    b: Floats
    gradient: Floats
    violation: float
    steps: int
    stopped: str = ""
