"""L-BFGS: a direction from the last few steps and gradients (Nocedal and Wright, algorithm 7.4).

Two things more than the book's: the first guess of the inverse matrix may be given (a preconditioner: with the
second derivatives of a sample of the rows a handful of steps is enough), and an l1 penalty on some
coordinates is minded by keeping every step within one orthant (Andrew and Gao 2007, OWL-QN).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from acumen.optimise.search import enough, wolfe
from acumen.optimise.trace import NO_LOWER, SMALL, TOO_MANY, Descent, Recorder, Smooth, dot, start_of
from acumen.types import Floats


def lbfgs(
    function: Smooth,
    start: Sequence[float] | Floats,
    *,
    memory: int = 10,
    precondition: Callable[[Floats], Floats] | None = None,
    l1: Floats | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Descent:
    """Go down along directions that the last gradients suggest.

    Parameters
    ----------
    function : callable
        Takes a point and returns value and gradient, without the l1 penalty.
    start : array
        Where to begin.
    memory : int
        How many steps are remembered.
    precondition : callable, optional
        What the inverse matrix of second derivatives roughly does to a vector.
    l1 : array, optional
        For each coordinate the weight of its absolute value in the loss.
    tol : float
        Ends where no entry of the gradient (with l1, of the least subgradient) is larger.
    max_iter : int
        The most steps.
    """
    point = start_of(start)
    record = Recorder("L-BFGS", tol)
    value, gradient = function(point)
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=memory)
    first = True
    for _ in range(max_iter):
        slope_of = gradient if l1 is None else least_subgradient(point, gradient, l1)
        total = value if l1 is None else value + dot(l1, np.abs(point))
        if record.reached(total, slope_of):
            return record.done(point, slope_of, True, SMALL)
        direction = -_applied(slope_of, pairs, precondition)
        if l1 is not None:
            direction[direction * slope_of > 0] = 0.0
        slope = dot(slope_of, direction)
        if not slope < 0:  # what is remembered misleads: begin anew
            if not pairs:
                return record.done(point, slope_of, False, NO_LOWER)
            pairs.clear()
            continue
        unscaled = first and precondition is None
        step = min(1.0, 1.0 / float(np.abs(slope_of).sum())) if unscaled else 1.0
        found = (
            wolfe(function, point, direction, value, slope, step)
            if l1 is None
            else _within_orthant(function, point, direction, slope_of, total, l1, step)
        )
        if found is None or np.array_equal(found[1], point):
            if pairs:
                pairs.clear()
                continue
            return record.done(point, slope_of, False, NO_LOWER)
        _, there, value, later = found
        moved, turned = there - point, later - gradient
        curvature = dot(moved, turned)
        if curvature > 1e-12 * np.sqrt(dot(moved, moved) * dot(turned, turned)):
            pairs.append((moved, turned, curvature))
        point, gradient, first = there, later, False
    slope_of = gradient if l1 is None else least_subgradient(point, gradient, l1)
    converged = record.reached(value if l1 is None else value + dot(l1, np.abs(point)), slope_of)
    return record.done(point, slope_of, converged, SMALL if converged else TOO_MANY)


def _applied(
    gradient: Floats,
    pairs: deque[tuple[Floats, Floats, float]],
    precondition: Callable[[Floats], Floats] | None,
) -> Floats:
    """The inverse matrix, as remembered, times the gradient: the two loops."""
    left = gradient.copy()
    shares = []
    for moved, turned, curvature in reversed(pairs):
        share = dot(moved, left) / curvature
        left -= share * turned
        shares.append(share)
    if precondition is not None:
        left = precondition(left)
    if pairs:
        _, turned, curvature = pairs[-1]
        guessed = turned if precondition is None else precondition(turned)
        left *= curvature / dot(turned, guessed)
    for (moved, turned, curvature), share in zip(pairs, reversed(shares), strict=True):
        left += (share - dot(turned, left) / curvature) * moved
    return left


def least_subgradient(point: Floats, gradient: Floats, l1: Floats) -> Floats:
    """Of all subgradients of the loss with its l1 penalty the smallest; zero where the point is best."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    return np.where(point != 0, gradient + l1 * np.sign(point), at_zero)


def _within_orthant(
    function: Smooth,
    point: Floats,
    direction: Floats,
    slope_of: Floats,
    total: float,
    l1: Floats,
    step: float,
) -> tuple[float, Floats, float, Floats] | None:
    """A step that lowers the penalised loss; a penalised coordinate that would change its sign stops at zero."""
    side = np.where(point != 0, np.sign(point), -np.sign(slope_of))
    for _ in range(60):
        there = point + step * direction
        there = np.where((l1 > 0) & (there * side < 0), 0.0, there)
        found, gradient = function(there)
        if enough(found + dot(l1, np.abs(there)), total, 1.0, dot(slope_of, there - point)):
            return step, there, found, gradient
        step /= 2
    return None
