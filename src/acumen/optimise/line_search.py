"""How far to go along a direction.

backtrack    halve the step until the loss falls enough (Armijo); for Newton and gradient steps
wolfe        halve or double it until the slope has flattened as well, as L-BFGS needs (Lewis and Overton 2013)
"""

from __future__ import annotations

import numpy as np

from acumen.optimise.trace import Smooth, dot
from acumen.types import Floats

_ENOUGH = 1e-4  # share of the fall that the slope promises
_FLAT = 0.9
_ROUNDING = 1e-14  # of the loss: differences below are not to be trusted


def enough(value: float, before: float, step: float, slope: float, slope_there: float) -> bool:
    """Whether the loss fell as much as a small share of the slope promises.

    Near the optimum the fall drowns in rounding; then the slope decides, which must not have turned round so far
    that the step overshot (Hager and Zhang 2005).
    """
    rounding = _ROUNDING * abs(before)
    if -step * slope > rounding and value <= before + _ENOUGH * step * slope:
        return bool(np.isfinite(value))
    return bool(value <= before + rounding) and slope_there <= (2 * _ENOUGH - 1) * slope


def backtrack(
    function: Smooth, point: Floats, direction: Floats, value: float, slope: float, step: float = 1.0
) -> tuple[float, Floats, float, Floats] | None:
    """(step, point, value, gradient) after enough halvings; None where no step is short enough."""
    for _ in range(60):
        there = point + step * direction
        value_there, gradient = function(there)
        if enough(value_there, value, step, slope, dot(gradient, direction)):
            return step, there, value_there, gradient
        step /= 2
    return None


def wolfe(
    function: Smooth, point: Floats, direction: Floats, value: float, slope: float, step: float = 1.0
) -> tuple[float, Floats, float, Floats] | None:
    """The same with both of Wolfe's conditions; the best point found if the second cannot be had."""
    low, high = 0.0, np.inf
    best: tuple[float, Floats, float, Floats] | None = None
    for _ in range(40):
        there = point + step * direction
        accepted, gradient = function(there)
        slope_there = dot(gradient, direction)
        if not enough(accepted, value, step, slope, slope_there):
            high = step
        else:
            best = (step, there, accepted, gradient)
            if slope_there >= _FLAT * slope:
                return best
            low = step
        step = (low + high) / 2 if np.isfinite(high) else 2 * step
        if high - low <= 1e-12 * high:
            break
    return best
