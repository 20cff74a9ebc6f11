"""Newton's method on all slots at once: one answer, and the gradient that certifies it.

    minimise   rows, loss, penalty matrix -> Found
    Found      coefficients, loss, gradient and second derivatives where it ended

One line of coefficients (two classes, or a number) is solved by Cholesky over all slots; shapes that must rise by
holding coordinates at zero while the gradient pushes them there. Several lines (softmax) are solved by conjugate
gradients on the true second derivatives, preconditioned by the Cholesky factors of each line by itself.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.additive.losses import Loss, Softmax
from acumen.additive.penalty import Rising
from acumen.additive.rows import SlotRows
from acumen.errors import AcumenWarning
from acumen.types import Bools, Floats

#: The gradient of the mean loss that is small enough; one more step, already known, is then taken.
TOL = 1e-7
_MOST_STEPS = 200


class Inverse:
    """Cholesky's factor of a matrix, and its inverse when asked for; callers hold BLAS to one thread, so that bytes
    repeat."""

    def __init__(self, matrix: Floats) -> None:
        from scipy.linalg import cho_factor

        scale = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
        self._scale = scale
        even = matrix / np.outer(scale, scale)
        damping = 0.0
        while True:
            try:
                self._factor: Any = cho_factor(
                    even + damping * np.eye(len(even)) if damping else even, lower=True, check_finite=False
                )
                return
            except np.linalg.LinAlgError:
                damping = max(10 * damping, 1e-12)
                if damping > 1.0:
                    raise

    def __call__(self, right: Floats) -> Floats:
        from scipy.linalg import cho_solve

        turned = (right.T / self._scale).T
        made: Floats = (cho_solve(self._factor, turned, check_finite=False).T / self._scale).T
        return made

    def written(self) -> Floats:
        """The inverse itself."""
        from scipy.linalg.lapack import dpotri

        made, _ = dpotri(self._factor[0], lower=1)
        made = np.tril(made)
        made += np.tril(made, -1).T
        result: Floats = made / np.outer(self._scale, self._scale)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where a descent ended."""

    coefficients: Floats  # (width, lines)
    loss: float  # without the penalty
    gradient: float  # the largest entry of the gradient of loss and penalty, over the weight of all rows
    excess: float  # half the squared Newton decrement: to second order, how far the loss is above its least
    steps: int
    curved: tuple[Floats, ...]  # of each line by itself, second derivatives with the penalty
    free: Bools  # coefficients (coordinates where shapes rise) that are not held at their bound
    inverses: tuple[Inverse, ...]  # of `curved`; where shapes rise, of the free coordinates


def minimise(
    rows: SlotRows,
    loss: Loss,
    penalty: Floats,
    start: Floats,
    rising: Rising | None = None,
    tol: float = TOL,
    who: str = "Additive",
) -> Found:
    """The coefficients of least loss and penalty."""
    if isinstance(loss, Softmax):
        return _several(rows, loss, penalty, start, tol, who)
    return _single(rows, loss, penalty, start, rising, tol, who)


def _single(
    rows: SlotRows, loss: Loss, penalty: Floats, start: Floats, rising: Rising | None, tol: float, who: str
) -> Found:
    total = float(loss.weight.sum())
    turn = None if rising is None else rising.turn
    bounded = np.zeros(rows.width, dtype=np.bool_) if rising is None else rising.bounded
    theta = start[:, 0].copy() if rising is None else rising.coordinates(start[:, 0])

    def coefficients(at: Floats) -> Floats:
        return at if turn is None else turn @ at

    def valued(beta: Floats) -> tuple[Floats, float, float]:
        scores = rows.scores(beta[:, None])
        lost = loss.value(scores)
        return scores, lost, lost + 0.5 * float(beta @ (penalty @ beta))

    beta = coefficients(theta)
    scores, lost, value = valued(beta)
    last, steps = False, 0
    while True:
        gradient = rows.sums(loss.slope(scores))[:, 0] + penalty @ beta
        hessian = rows.tables(loss.curvature(scores)[:, 0]) + penalty
        inner = gradient if turn is None else turn.T @ gradient
        curved = hessian if turn is None else turn.T @ hessian @ turn
        # Near a bound a coordinate is held there while the gradient pushes it on; the others are free.
        free = ~(bounded & (theta <= 1e-12) & (inner > 0))
        size = float(np.abs(inner[free]).max(initial=0.0)) / total
        step = np.zeros(len(theta))
        inverse = Inverse(curved if free.all() else curved[np.ix_(free, free)])
        step[free] = inverse(-inner[free])
        excess = -0.5 * float(step @ inner)
        if last or steps >= _MOST_STEPS:
            if not last:
                _tell_of_steps(who, size, tol)
            return Found(beta[:, None], lost, size, excess, steps, (hessian,), free, (inverse,))
        last = size <= tol
        length = 1.0
        while True:
            moved = theta + length * step
            moved[bounded] = np.maximum(moved[bounded], 0.0)
            there = coefficients(moved)
            found = valued(there)
            drop = float(inner @ (theta - moved))
            if found[2] <= value - 1e-4 * drop + 1e-13 * abs(value) or length < 1e-10:
                break
            length /= 2
        steps += 1
        if length < 1e-10:
            last = True
            continue
        theta, beta, (scores, lost, value) = moved, there, found


def _several(rows: SlotRows, loss: Softmax, penalty: Floats, start: Floats, tol: float, who: str) -> Found:
    total = float(loss.weight.sum())
    beta = start.copy()

    def valued(at: Floats) -> tuple[Floats, float, float]:
        scores = rows.scores(at)
        lost = loss.value(scores)
        return scores, lost, lost + 0.5 * float(np.sum(at * (penalty @ at)))

    scores, lost, value = valued(beta)
    last, steps = False, 0
    while True:
        gradient = rows.sums(loss.slope(scores)) + penalty @ beta
        size = float(np.abs(gradient).max(initial=0.0)) / total
        shares, bent = loss.shares(scores), loss.curvature(scores)
        curved = tuple(rows.tables(np.ascontiguousarray(bent[:, k])) + penalty for k in range(loss.lines))
        inverses = [Inverse(each) for each in curved]

        def times(direction: Floats, p: Floats = shares) -> Floats:
            moved = rows.scores(direction)
            moved = loss.weight[:, None] * p * (moved - (p * moved).sum(axis=1, keepdims=True))
            made: Floats = rows.sums(moved) + penalty @ direction
            return made

        def before(residual: Floats, solve: list[Inverse] = inverses) -> Floats:
            made = np.column_stack([one(residual[:, k]) for k, one in enumerate(solve)])
            # All lines moved by the same constant change nothing.
            made[0] -= made[0].mean()
            return made

        precise = min(0.1, np.sqrt(size)) if not last else 1e-6
        step = _conjugate(times, before, -gradient, precise)
        excess = -0.5 * float(np.sum(step * gradient))
        if last or steps >= _MOST_STEPS:
            if not last:
                _tell_of_steps(who, size, tol)
            every = np.ones(rows.width, dtype=np.bool_)
            return Found(beta, lost, size, excess, steps, curved, every, tuple(inverses))
        last = size <= tol
        length = 1.0
        while True:
            there = beta + length * step
            found = valued(there)
            if found[2] <= value - 2e-4 * length * excess + 1e-13 * abs(value) or length < 1e-10:
                break
            length /= 2
        steps += 1
        if length < 1e-10:
            last = True
            continue
        beta, (scores, lost, value) = there, found


def _conjugate(times: Any, before: Any, right: Floats, precise: float) -> Floats:
    """times^-1 right by preconditioned conjugate gradients, until the residual is so small a share of `right`."""
    made = np.zeros_like(right)
    residual = right.copy()
    turned = before(residual)
    direction = turned.copy()
    rho = float(np.sum(residual * turned))
    target = precise**2 * max(rho, 0.0)
    for _ in range(200):
        if rho <= target or rho <= 0:
            break
        product = times(direction)
        bent = float(np.sum(direction * product))
        if bent <= 0:  # nothing but rounding is left
            break
        length = rho / bent
        made += length * direction
        residual -= length * product
        turned = before(residual)
        new = float(np.sum(residual * turned))
        direction = turned + (new / rho) * direction
        rho = new
    return made


def _tell_of_steps(who: str, size: float, tol: float) -> None:
    warnings.warn(
        f"{who}: {_MOST_STEPS} Newton steps left a gradient of {size:.1g}, above {tol:.1g}; some shape has no end. "
        "Give a larger smooth.",
        AcumenWarning,
        stacklevel=2,
    )
