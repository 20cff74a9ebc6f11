"""What a descent leaves behind: the point reached, and the loss at every step on the way.

Descent    point, value, gradient, whether it converged and why it stopped
Trace      loss and size of the gradient at each step; draws itself
Recorder   what the methods write a trace with
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.render.learning_plot import LearningFigure

#: A function to be minimised: its value and its gradient at a point.
Smooth: TypeAlias = Callable[[Floats], tuple[float, Floats]]
#: The same with the matrix of second derivatives.
Curved: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The loss at the start and after each step, and the largest entry of the gradient there.

    Where a method does not know the gradient of the whole function (stochastic descent), `gradient` holds NaN.
    """

    method: str
    loss: Floats
    gradient: Floats

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.loss) - 1

    def figure(self, *others: Trace, excess: bool = False) -> LearningFigure:
        """Plot the loss over the steps, with other traces for comparison; notebooks show it.

        With `excess`: how far each loss is above the lowest of them all, as a power of ten.
        """
        from acumen.render.learning_plot import Band, LearningFigure

        every = (self, *others)
        longest = max(len(trace.loss) for trace in every)
        lowest = min(float(np.nanmin(trace.loss)) for trace in every)
        bands = []
        for trace in every:
            height = trace.loss
            if excess:
                above = height - lowest
                height = np.log10(above, out=np.full(len(above), np.nan), where=above > 0)
            bands.append(Band(trace.method, np.r_[height, np.full(longest - len(height), np.nan)]))
        label = "log10 of the loss above the lowest" if excess else "loss"
        return LearningFigure(np.arange(longest, dtype=np.float64), bands, "step", label, title="Descent")

    def draw(self, *others: Trace, excess: bool = False) -> str:
        """The figure as SVG."""
        return self.figure(*others, excess=excess)._repr_svg_()

    def _repr_svg_(self) -> str:
        return self.draw()

    def __str__(self) -> str:
        return f"{self.method}: {len(self)} steps, loss {self.loss[0]:.6g} to {self.loss[-1]:.6g}"


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """The result of a descent. `reason` completes the sentence "it stopped because ..."."""

    point: Floats
    value: float
    gradient: Floats
    converged: bool
    reason: str
    trace: Trace
    #: The second derivatives at the last point they were computed for, where the method has them.
    hessian: Floats | None = None
    #: Whether a last step was taken without looking, so that `value` and `gradient` are those before it.
    ahead: bool = False

    @property
    def steps(self) -> int:
        return len(self.trace)


@dataclass(slots=True)
class Recorder:
    """Writes a trace, and knows when the gradient is small enough."""

    method: str
    tol: float
    losses: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)

    def record_point(self, value: float, gradient: Floats) -> bool:
        """Note a point; whether no entry of its gradient exceeds the tolerance."""
        self.losses.append(float(value))
        self.sizes.append(float(np.abs(gradient).max(initial=0.0)))
        return self.sizes[-1] <= self.tol

    def stuck(self, steps: int = 10) -> bool:
        """Whether the last steps lowered neither the loss, rounding apart, nor the gradient."""
        if len(self.losses) <= 2 * steps:
            return False
        old, new = min(self.losses[:-steps]), min(self.losses[-steps:])
        return new >= old - 1e-15 * abs(old) and min(self.sizes[-steps:]) >= min(self.sizes[:-steps])

    def trace(self) -> Trace:
        return Trace(self.method, np.array(self.losses), np.array(self.sizes))

    def finish(
        self,
        point: Floats,
        gradient: Floats,
        converged: bool,
        reason: str,
        hessian: Floats | None = None,
        ahead: bool = False,
    ) -> Descent:
        return Descent(point, self.losses[-1], gradient, converged, reason, self.trace(), hessian, ahead)


SMALL = "the gradient is small enough"
NO_LOWER = "no step lowers the loss any further in double precision"
TOO_MANY = "the number of steps allowed was reached"


def dot(one: Floats, other: Floats) -> float:
    """The inner product, without BLAS: its threads would go on waiting on the cores our kernels need."""
    return float(np.einsum("i,i->", one, other))


def start_of(point: Sequence[float] | Floats) -> Floats:
    """The starting point as an array of its own."""
    return np.array(point, dtype=np.float64)
