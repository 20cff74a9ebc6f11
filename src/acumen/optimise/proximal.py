"""Losses with an l1 penalty: proximal gradient and proximal Newton steps.

proximal_gradient    gradient step, then every coordinate towards zero; accelerated (FISTA), with restarts
proximal_newton      the quadratic model with the penalty, minimised by coordinate descent, then a line search
quadratic_l1         that inner problem: g d + d H d / 2 + l1 |x + d|
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.optimise.lbfgs import least_subgradient
from acumen.optimise.trace import (
    NO_LOWER,
    SMALL,
    TOO_MANY,
    Curved,
    Descent,
    Recorder,
    Smooth,
    dot,
    start_of,
)
from acumen.types import Floats


def shrunk(point: Floats, by: Floats) -> Floats:
    """Every coordinate moved towards zero, at most to it."""
    return np.sign(point) * np.maximum(np.abs(point) - by, 0.0)


def proximal_gradient(
    function: Smooth,
    start: Sequence[float] | Floats,
    *,
    l1: Floats,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Descent:
    """Proximal gradient descent, with an l1 penalty of weight `l1` per coordinate.

    The step is halved until the quadratic bound holds (Beck and Teboulle 2009) and lengthened a little each time;
    momentum is forgotten when it points uphill (O'Donoghue and Candes 2015).
    """
    point = start_of(start)
    record = Recorder("proximal gradient", tol)
    ahead, momentum, step = point, 1.0, 1.0
    value, gradient = function(point)
    for _ in range(max_iter):
        subgradient = least_subgradient(point, gradient, l1)
        if record.record_point(value + dot(l1, np.abs(point)), subgradient):
            return record.finish(point, subgradient, True, SMALL)
        if record.stuck(50):
            return record.finish(point, subgradient, False, NO_LOWER)
        there_value, there_gradient = (value, gradient) if ahead is point else function(ahead)
        for _ in range(60):
            new = shrunk(ahead - step * there_gradient, step * l1)
            moved = new - ahead
            new_value, new_gradient = function(new)
            bound = there_value + dot(there_gradient, moved) + dot(moved, moved) / (2 * step)
            if new_value <= bound + 1e-14 * abs(bound):
                break
            step /= 2
        else:
            return record.finish(point, subgradient, False, NO_LOWER)
        if dot(ahead - new, new - point) > 0:
            momentum, ahead = 1.0, new
        else:
            later = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead, momentum = new + (momentum - 1) / later * (new - point), later
        point, value, gradient = new, new_value, new_gradient
        step *= 1.1
    subgradient = least_subgradient(point, gradient, l1)
    converged = record.record_point(value + dot(l1, np.abs(point)), subgradient)
    return record.finish(point, subgradient, converged, SMALL if converged else TOO_MANY)


def proximal_newton(
    function: Curved,
    start: Sequence[float] | Floats,
    *,
    l1: Floats,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> Descent:
    """Proximal Newton method, with an l1 penalty of weight `l1` per coordinate (Lee, Sun and Saunders 2014)."""
    point = start_of(start)
    record = Recorder("proximal Newton", tol)
    value, gradient, hessian = function(point)
    for _ in range(max_iter):
        subgradient = least_subgradient(point, gradient, l1)
        total = value + dot(l1, np.abs(point))
        if record.record_point(total, subgradient):
            # The second derivatives are here already: one more step costs no look at the data.
            direction = quadratic_l1(point, gradient, hessian, l1, 1e-6 * tol)
            short = np.abs(direction).max(initial=0.0) <= 1e-3 * (1.0 + np.abs(point).max(initial=0.0))
            return record.finish(point + direction if short else point, subgradient, True, SMALL, hessian)
        direction = quadratic_l1(point, gradient, hessian, l1, 0.01 * min(record.sizes[-1], 1.0))
        fall = dot(gradient, direction) + dot(l1, np.abs(point + direction) - np.abs(point))
        step = 1.0
        for _ in range(60):
            there = point + step * direction
            terms = function(there)
            reached = terms[0] + dot(l1, np.abs(there))
            if np.isfinite(reached) and reached <= total + 1e-4 * step * fall + 1e-14 * abs(total):
                break
            step /= 2
        else:
            return record.finish(point, subgradient, False, NO_LOWER, hessian)
        if np.array_equal(there, point):
            return record.finish(point, subgradient, False, NO_LOWER, hessian)
        point, (value, gradient, hessian) = there, terms
    subgradient = least_subgradient(point, gradient, l1)
    converged = record.record_point(value + dot(l1, np.abs(point)), subgradient)
    return record.finish(point, subgradient, converged, SMALL if converged else TOO_MANY, hessian)


def quadratic_l1(
    point: Floats, gradient: Floats, hessian: Floats, l1: Floats, tol: float, sweeps: int = 1000
) -> Floats:
    """The direction d that minimises g d + d H d / 2 + l1 |x + d|, coordinate by coordinate.

    All coordinates are visited, then only those not resting at zero until they stand still, and so on.
    """
    diagonal = np.diag(hessian) + 1e-12 * float(np.diag(hessian).max(initial=1.0))
    here, slope = point.copy(), gradient.copy()  # slope: gradient of the quadratic at the point reached
    everyone = np.arange(len(point))
    visited, whole = everyone, True
    for _ in range(sweeps):
        moved = 0.0
        for j in visited.tolist():
            old = here[j]
            aim = old - slope[j] / diagonal[j]
            by = l1[j] / diagonal[j]
            new = aim - by if aim > by else aim + by if aim < -by else 0.0
            if new != old:
                slope += (new - old) * hessian[j]
                here[j] = new
                moved = max(moved, abs(new - old) * diagonal[j])
        if moved <= tol:
            if whole:
                break
            visited, whole = everyone, True
        else:
            visited, whole = np.flatnonzero((here != 0) | (l1 == 0)), False
    return here - point
