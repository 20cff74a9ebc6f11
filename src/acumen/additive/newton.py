"""Newton's method on all slots at once: one answer, and the gradient that certifies it.

    minimise   a start, a penalty -> Minimum
    Minimum    the point where it ended, the gradient, and the inverse second derivatives there

One line of coefficients (two classes, or a number) is solved by Cholesky over all slots; shapes that must rise by
holding coordinates at zero while the gradient pushes them there. Several lines (softmax): see several.py.

A rough answer (`TOL` not asked for) ends where the gradient is small; else one more step, already known, is taken.

Where a descent stands, and what the rows have to say there.

    NewtonPoint   coefficients, with their loss, gradient and second derivatives, each computed once

Nothing of it knows a penalty: one place serves whatever strengths are tried there.

Newton's method for several lines of coefficients, one a class (softmax).

    minimise_lines   a start, a penalty -> Minimum
    newton_step      the step of true second derivatives, by conjugate gradients
    LineInverses     the preconditioner: each line's own second derivatives, inverted

All lines together are never written as one matrix: it would be (classes x slots)^2. Their product with a direction is
one pass over the rows. Every line by itself is a matrix of slots, as two classes have it; its inverse, which the bands
and the choice of strengths want anyhow, preconditions the system, and goes on to do so while the place hardly moves.
Lines sum to zero: what all of them share changes no probability, and the gradient has nothing of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from acumen.additive.cholesky import Inverse
from acumen.additive.penalty import Charge, Rising
from acumen.additive.row_source import SlottedRows, curvature_products, curvatures
from acumen.caching import cached_property
from acumen.errors import AcumenWarning
from acumen.types import Bools, Floats


class NewtonPoint:
    """Coefficients (width, lines) and the rows' answer to them."""

    def __init__(self, ground: SlottedRows, coefficients: Floats) -> None:
        self.ground, self.coefficients = ground, coefficients
        self.row_answers = ground.answers_to(coefficients)

    def step_to(self, step: Floats) -> NewtonPoint:
        """So far away."""
        return NewtonPoint(self.ground, self.coefficients + step)

    @cached_property
    def loss(self) -> float:
        """The loss."""
        return self.row_answers.total_loss

    @property
    def pull(self) -> Floats:
        """The gradient of the loss (width, lines)."""
        return self.row_answers.pull

    @cached_property
    def data(self) -> tuple[Floats, ...]:
        """The second derivatives of the loss, of each line by itself."""
        second_derivatives: tuple[Floats, ...] = self.row_answers.sum(curvatures).things
        return second_derivatives

    def bent(self, direction: Floats) -> Floats:
        """The second derivatives of all lines together times a direction."""
        product: Floats = self.row_answers.sum(curvature_products, direction)
        return product


#: The gradient of the mean loss that is small enough.
TOL = 1e-7
MOST_STEPS = 200
#: A step that has to be shortened further than this goes nowhere: rounding is all that is left.
SHORTEST = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Where a descent ended."""

    place: NewtonPoint
    gradient: float  # the largest entry of the gradient of loss and penalty, over the weight of all rows
    excess: float  # half the squared Newton decrement: to second order, how far the loss is above its least
    steps: int
    free: Bools  # coefficients (coordinates where shapes rise) that are not held at their bound
    inverses: tuple[
        Inverse, ...
    ]  # of second derivatives with the penalty, each line by itself; of the free ones

    @property
    def coefficients(self) -> Floats:
        return self.place.coefficients

    @property
    def loss(self) -> float:
        """Without the penalty."""
        return self.place.loss


def minimise(
    place: NewtonPoint,
    charge: Charge,
    rising: Rising | None = None,
    tol: float = TOL,
    who: str = "Additive",
    near: tuple[Inverse, ...] = (),
) -> Minimum:
    """The coefficients of least loss and penalty; `near` are inverses under the same penalty of a place near by."""
    if place.ground.several:
        from acumen.additive.newton import minimise_lines

        return minimise_lines(place, charge, tol, who, near)
    return _minimise_single(place, charge, rising, tol, who, near if rising is None else ())


def _minimise_single(
    place: NewtonPoint, charge: Charge, rising: Rising | None, tol: float, who: str, near: tuple[Inverse, ...]
) -> Minimum:
    total = place.ground.total
    turn = None if rising is None else rising.turn
    bounded = np.zeros(place.ground.width, dtype=np.bool_) if rising is None else rising.bounded
    theta = place.coefficients[:, 0].copy()
    if rising is not None:
        theta = rising.coordinates(theta)
        place = NewtonPoint(place.ground, (rising.turn @ theta)[:, None])
    last, steps, before = False, 0, np.inf
    while True:
        gradient = gradient_at(place, charge)[:, 0]
        inner = gradient if turn is None else turn.T @ gradient
        # Near a bound a coordinate is held there while the gradient pushes it on; the others are free.
        free = ~(bounded & (theta <= 1e-12) & (inner > 0))
        size = float(np.abs(inner[free]).max(initial=0.0)) / total
        last = last or (size <= tol and tol > TOL)
        # Second derivatives of a place near by lead on while the gradient falls fast; what is kept is of the end.
        if last or size > 0.1 * before or steps >= MOST_STEPS:
            near = ()
        before = size
        if near:
            inverse = near[0]
        else:
            curved = place.data[0] + charge.matrix
            curved = curved if turn is None else turn.T @ curved @ turn
            inverse = Inverse(curved if free.all() else curved[np.ix_(free, free)])
        step = np.zeros(len(theta))
        step[free] = inverse(-inner[free])
        excess = -0.5 * float(step @ inner)
        if last or steps >= MOST_STEPS:
            if not last:
                warn_of_steps(who, size, tol)
            return Minimum(place, size, excess, steps, free, (inverse,))
        last = size <= tol
        value, length = objective(place, charge), 1.0
        while True:
            moved = theta + length * step
            moved[bounded] = np.maximum(moved[bounded], 0.0)
            there = NewtonPoint(place.ground, (moved if turn is None else turn @ moved)[:, None])
            drop = float(inner @ (theta - moved))
            if objective(there, charge) <= value - 1e-4 * drop + 1e-13 * abs(value) or length < SHORTEST:
                break
            length /= 2
        steps += 1
        if length < SHORTEST:
            last = True
            continue
        theta, place = moved, there


def gradient_at(place: NewtonPoint, charge: Charge) -> Floats:
    """Of loss and penalty (width, lines)."""
    return place.pull + charge.times(place.coefficients)


def objective(place: NewtonPoint, charge: Charge) -> float:
    """Loss and penalty."""
    beta = place.coefficients
    return place.loss + 0.5 * float(np.sum(beta * charge.times(beta)))


def shorten_step(place: NewtonPoint, charge: Charge, step: Floats, excess: float) -> NewtonPoint | None:
    """The place a step leads to, halved until loss and penalty fall; None where they do not any more."""
    value, length = objective(place, charge), 1.0
    while length >= SHORTEST:
        there = place.step_to(length * step)
        if objective(there, charge) <= value - 2e-4 * length * excess + 1e-13 * abs(value):
            return there
        length /= 2
    return None


def warn_of_steps(who: str, size: float, tol: float) -> None:
    """Warn that there was no end."""
    warnings.warn(
        f"{who}: {MOST_STEPS} Newton steps left a gradient of {size:.1g}, above {tol:.1g}; some shape "
        "grows without limit. Give a larger smooth.",
        AcumenWarning,
        stacklevel=2,
    )


#: Where the gradient is as small as this, the last second derivatives still tell the way.
_NEAR = 1e-3
#: A share of the gradient that a solved system may leave: while strengths are chosen, and of a certificate.
ROUGHLY, _CERTAIN = 0.1, 1e-2


class LineInverses:
    """The inverses of each line's second derivatives with the penalty at a place."""

    def __init__(self, inverses: tuple[Inverse, ...]) -> None:
        self.inverses = inverses

    @classmethod
    def at(cls, place: NewtonPoint, charge: Charge) -> LineInverses:
        return cls(tuple(Inverse(data + charge.matrix) for data in place.data))

    def __call__(self, residual: Floats) -> Floats:
        solution = np.empty_like(residual)
        for k, inverse in enumerate(self.inverses):
            solution[:, k] = inverse(residual[:, k])
        solution -= solution.mean(axis=1, keepdims=True)
        return solution


def minimise_lines(
    place: NewtonPoint, charge: Charge, tol: float, who: str, near: tuple[Inverse, ...] = ()
) -> Minimum:
    """The coefficients of least loss and penalty; `near` are inverses under the same penalty of a place near by."""
    total = place.ground.total
    last, steps = False, 0
    lines, made_at = (LineInverses(near), None) if near else (LineInverses.at(place, charge), place)
    while True:
        gradient = gradient_at(place, charge)
        size = float(np.abs(gradient).max(initial=0.0)) / total
        last = last or (size <= tol and tol > TOL)
        done = last or steps >= MOST_STEPS
        # What a rough answer ends with need not be of its very last place.
        if made_at is not place and (size > _NEAR or (done and tol <= TOL)):
            lines, made_at = LineInverses.at(place, charge), place
        precise = _CERTAIN if done else min(ROUGHLY, float(np.sqrt(size)))
        step = newton_step(place, charge, lines, gradient, precise)
        excess = -0.5 * float(np.sum(step * gradient))
        if done:
            if not last:
                warn_of_steps(who, size, tol)
            every = np.ones(place.ground.width, dtype=np.bool_)
            return Minimum(place, size, excess, steps, every, lines.inverses)
        last = size <= tol
        there = shorten_step(place, charge, step, excess)
        steps += 1
        if there is None:
            last = True
        else:
            place = there


def newton_step(
    place: NewtonPoint, charge: Charge, lines: LineInverses, gradient: Floats, precise: float
) -> Floats:
    """Minus the inverse of all lines' second derivatives times the gradient, up to such a share of it."""
    return _conjugate(lambda d: place.bent(d) + charge.times(d), lines, -gradient, precise)


def _conjugate(
    times: Callable[[Floats], Floats], before: Callable[[Floats], Floats], right: Floats, precise: float
) -> Floats:
    """times^-1 right by preconditioned conjugate gradients, until the residual is so small a share of `right`."""
    solution = np.zeros_like(right)
    residual = right.copy()
    preconditioned = before(residual)
    direction = preconditioned.copy()
    rho = float(np.sum(residual * preconditioned))
    target = precise**2 * max(rho, 0.0)
    for _ in range(200):
        if rho <= target or rho <= 0:
            break
        product = times(direction)
        bent = float(np.sum(direction * product))
        if bent <= 0:  # nothing but rounding is left
            break
        length = rho / bent
        solution += length * direction
        residual -= length * product
        preconditioned = before(residual)
        new = float(np.sum(residual * preconditioned))
        direction = preconditioned + (new / rho) * direction
        rho = new
    return solution
