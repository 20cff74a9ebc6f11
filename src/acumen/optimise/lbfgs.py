"""L-BFGS: a direction from the last few steps and gradients (Nocedal and Wright, algorithm 7.4).

lbfgs       the first guess of the inverse matrix may be given (a preconditioner): with the second derivatives of a
            sample of the rows a handful of steps is enough
lbfgs_l1    with an l1 penalty: every penalised coordinate is the difference of two that are not below zero, which
            makes the loss smooth and leaves bounds for scipy's L-BFGS-B to keep
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from acumen.optimise.line_search import wolfe
from acumen.optimise.trace import NO_LOWER, SMALL, TOO_MANY, Descent, Recorder, Smooth, dot, start_of
from acumen.types import Floats


def lbfgs(
    function: Smooth,
    start: Sequence[float] | Floats,
    *,
    memory: int = 10,
    precondition: Callable[[Floats], Floats] | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    known: tuple[float, Floats] | None = None,
) -> Descent:
    """L-BFGS: quasi-Newton descent from the last gradients.

    Parameters
    ----------
    function : callable
        Takes a point and returns value and gradient.
    start : array
        Where to begin.
    memory : int
        How many steps are remembered.
    precondition : callable, optional
        What the inverse matrix of second derivatives roughly does to a vector.
    tol : float
        Ends where no entry of the gradient is larger.
    max_iter : int
        The most steps.
    known : value and gradient, optional
        Those at the start, if they are known already.

    Examples
    --------
    >>> import numpy as np
    >>> from acumen.optimise import lbfgs
    >>> found = lbfgs(lambda w: (float(w[0] ** 2 + 9 * w[1] ** 2), np.array([2 * w[0], 18 * w[1]])), [3.0, 1.0])
    >>> bool(abs(found.point).max() < 1e-6), found.converged
    (True, True)
    """
    point = start_of(start)
    record = Recorder("L-BFGS", tol)
    value, gradient = function(point) if known is None else known
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=memory)
    first = True
    for _ in range(max_iter):
        if record.record_point(value, gradient):
            return record.finish(point, gradient, True, SMALL)
        if record.stuck():
            return record.finish(point, gradient, False, NO_LOWER)
        direction = -_apply_inverse(gradient, pairs, precondition)
        slope = dot(gradient, direction)
        next_point = None
        if slope < 0:
            unscaled = first and precondition is None
            step = min(1.0, 1.0 / float(np.abs(gradient).sum())) if unscaled else 1.0
            next_point = wolfe(function, point, direction, value, slope, step)
        if next_point is None or np.array_equal(next_point[1], point):
            if not pairs:
                return record.finish(point, gradient, False, NO_LOWER)
            pairs.clear()  # what is remembered misleads: begin anew
            continue
        _, there, value, later = next_point
        moved, turned = there - point, later - gradient
        curvature = dot(moved, turned)
        if curvature > 1e-12 * np.sqrt(dot(moved, moved) * dot(turned, turned)):
            pairs.append((moved, turned, curvature))
        point, gradient, first = there, later, False
    converged = record.record_point(value, gradient)
    return record.finish(point, gradient, converged, SMALL if converged else TOO_MANY)


def _apply_inverse(
    gradient: Floats,
    pairs: deque[tuple[Floats, Floats, float]],
    precondition: Callable[[Floats], Floats] | None,
) -> Floats:
    """The inverse matrix, as remembered, times the gradient: the two loops."""
    result = gradient.copy()
    shares = []
    for moved, turned, curvature in reversed(pairs):
        share = dot(moved, result) / curvature
        result -= share * turned
        shares.append(share)
    if precondition is not None:
        result = precondition(result)
    if pairs:
        _, turned, curvature = pairs[-1]
        guessed = turned if precondition is None else precondition(turned)
        result *= curvature / dot(turned, guessed)
    for (moved, turned, curvature), share in zip(pairs, reversed(shares), strict=True):
        result += (share - dot(turned, result) / curvature) * moved
    return result


def lbfgs_l1(
    function: Smooth,
    start: Sequence[float] | Floats,
    *,
    l1: Floats,
    memory: int = 10,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Descent:
    """L-BFGS for a loss with an l1 penalty of weight `l1` per coordinate; `function` excludes the penalty.

    Ends where no entry of the least subgradient is larger than `tol`.
    """
    from scipy.optimize import minimize

    origin = start_of(start)
    held = np.flatnonzero(l1 > 0)
    free = np.flatnonzero(l1 <= 0)
    record = Recorder("L-BFGS-B", tol)
    size = len(held)

    def join_signs(split: Floats) -> Floats:
        point = np.empty_like(origin)
        point[held] = split[:size] - split[size : 2 * size]
        point[free] = split[2 * size :]
        return point

    def smooth(split: Floats) -> tuple[float, Floats]:
        value, gradient = function(join_signs(split))
        both = np.r_[l1[held] + gradient[held], l1[held] - gradient[held], gradient[free]]
        return value + dot(l1[held], split[:size] + split[size : 2 * size]), both

    def note(split: Floats) -> None:
        point = join_signs(split)
        value, gradient = function(point)
        if record.record_point(value + dot(l1, np.abs(point)), least_subgradient(point, gradient, l1)):
            raise StopIteration

    begin = np.r_[np.maximum(origin[held], 0), np.maximum(-origin[held], 0), origin[free]]
    point = origin
    try:
        note(begin)
        result = minimize(
            smooth, begin, jac=True, method="L-BFGS-B", callback=note,
            bounds=[(0.0, None)] * (2 * size) + [(None, None)] * len(free),
            options={"maxiter": max_iter, "maxfun": 20 * max_iter, "maxcor": memory, "gtol": 0.0, "ftol": 0.0},
        )  # fmt: skip
        point = join_signs(result.x)
    except StopIteration:
        pass
    subgradient = least_subgradient(point, function(point)[1], l1)
    converged = record.sizes[-1] <= tol
    reason = SMALL if converged else TOO_MANY if len(record.losses) > max_iter else NO_LOWER
    return record.finish(point, subgradient, converged, reason)


def least_subgradient(point: Floats, gradient: Floats, l1: Floats) -> Floats:
    """Of all subgradients of the loss with its l1 penalty the smallest; zero where the point is best."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    return np.where(point != 0, gradient + l1 * np.sign(point), at_zero)
