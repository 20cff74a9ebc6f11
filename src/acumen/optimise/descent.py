"""Gradient descent: of the whole function at each step, or of a few rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from acumen.errors import ParameterError
from acumen.optimise.line_search import backtrack
from acumen.optimise.trace import (
    NO_LOWER,
    SMALL,
    TOO_MANY,
    Descent,
    Recorder,
    Smooth,
    Trace,
    dot,
    start_of,
)
from acumen.types import Floats, Indices


def gradient_descent(
    function: Smooth,
    start: Sequence[float] | Floats,
    *,
    rate: float | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Descent:
    """Gradient descent.

    Parameters
    ----------
    function : callable
        Takes a point and returns value and gradient.
    start : array
        The starting point.
    rate : float, optional
        Every step is this times the gradient. [default: try twice the last length, and halve it until the loss falls
        enough]
    tol : float
        Stop when no entry of the gradient is larger.
    max_iter : int
        The largest number of steps.

    Returns
    -------
    Descent

    Examples
    --------
    >>> import numpy as np
    >>> from acumen.optimise import gradient_descent
    >>> found = gradient_descent(lambda w: (float(w @ w), 2 * w), [3.0, 4.0], rate=0.25)
    >>> found.trace.loss[:3].tolist()
    [25.0, 6.25, 1.5625]
    """
    if rate is not None and not rate > 0:
        raise ParameterError(f"gradient_descent: rate must be a number above 0 or None; got {rate!r}.")
    point = start_of(start)
    record = Recorder("gradient descent", tol)
    value, gradient = function(point)
    step = 1.0
    for _ in range(max_iter):
        if record.record_point(value, gradient):
            return record.finish(point, gradient, True, SMALL)
        if rate is not None:
            point = point - rate * gradient
            value, gradient = function(point)
            if not np.isfinite(value):
                record.record_point(value, gradient)
                return record.finish(
                    point, gradient, False, "the loss is no number any more: the rate is too large"
                )
            continue
        slope = -dot(gradient, gradient)
        next_point = backtrack(function, point, -gradient, value, slope, 2 * step)
        if next_point is None or (next_point[2] >= value and np.array_equal(next_point[1], point)):
            return record.finish(point, gradient, False, NO_LOWER)
        step, point, value, gradient = next_point
        if record.stuck(50):
            return record.finish(point, gradient, False, NO_LOWER)
    converged = record.record_point(value, gradient)
    return record.finish(point, gradient, converged, SMALL if converged else TOO_MANY)


def stochastic_descent(
    gradient_of: Callable[[Floats, Indices], Floats],
    loss: Callable[[Floats], float],
    n_rows: int,
    start: Sequence[float] | Floats,
    *,
    batch: int = 1,
    rate: float = 0.1,
    epochs: int = 100,
    tol: float = 1e-4,
    shrink: Callable[[Floats, float], Floats] | None = None,
    random_state: Any = None,
) -> Descent:
    """Stochastic gradient descent: `batch` rows per step, all rows once per epoch in random order.

    The rate falls as rate / sqrt(1 + epoch). What counts is the mean of the points of the last half of the epochs
    (Polyak and Ruppert), which the trace follows: one loss an epoch. The descent ends where five epochs together
    have lowered it by less than `tol` of itself.

    Parameters
    ----------
    gradient_of : callable
        (point, rows) -> the gradient of the mean loss over these rows.
    loss : callable
        point -> the mean loss over all rows.
    n_rows : int
        How many rows there are.
    start : array
        The starting point.
    batch : int
        Rows at a time: 1 is stochastic descent, a few are mini-batches.
    rate : float
        The step along the first gradient.
    epochs : int
        The most rounds through the rows.
    tol : float
        See above.
    shrink : callable, optional
        (point, step) -> point, done after each step: a proximal operator.
    random_state : seed or Generator
        For the order of the rows.
    """
    for name, number in (("batch", batch), ("epochs", epochs)):
        if number < 1:
            raise ParameterError(f"stochastic_descent: {name} must be at least 1; got {number!r}.")
    if not rate > 0:
        raise ParameterError(f"stochastic_descent: rate must be a number above 0; got {rate!r}.")
    rng = np.random.default_rng(random_state)
    point = start_of(start)
    means: list[Floats] = []
    losses = [loss(point)]
    reason, answer = TOO_MANY, point
    for epoch in range(epochs):
        step = rate / np.sqrt(1.0 + epoch)
        order = rng.permutation(n_rows)
        summed = np.zeros_like(point)
        for first in range(0, n_rows, batch):
            rows = order[first : first + batch]
            point = point - step * gradient_of(point, rows)
            if shrink is not None:
                point = shrink(point, step)
            summed += point * len(rows)
        means.append(summed / n_rows)
        answer = np.mean(means[len(means) // 2 :], axis=0)
        losses.append(loss(answer))
        if len(losses) > 6 and losses[-6] - losses[-1] <= tol * abs(losses[-1]):
            reason = "the last five epochs hardly lowered the loss"
            break
    name = "stochastic descent" if batch == 1 else f"mini-batches of {batch}"
    trace = Trace(name, np.array(losses), np.full(len(losses), np.nan))
    return Descent(answer, losses[-1], np.full_like(point, np.nan), reason != TOO_MANY, reason, trace)
