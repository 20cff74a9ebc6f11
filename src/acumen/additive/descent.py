"""Newton's method on all slots at once: one answer, and the gradient that certifies it.

    minimise   where to start, penalty -> Found
    Found      the place where it ended, gradient, and the inverses of second derivatives there

One line of coefficients (two classes, or a number) is solved by Cholesky over all slots; shapes that must rise by
holding coordinates at zero while the gradient pushes them there. Several lines (softmax): see several.py.

A rough answer (`TOL` not asked for) ends where the gradient is small; else one more step, already known, is taken.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from acumen.additive.inverse import Inverse
from acumen.additive.newton_state import Place
from acumen.additive.penalty import Charge, Rising
from acumen.errors import AcumenWarning
from acumen.types import Bools, Floats

#: The gradient of the mean loss that is small enough.
TOL = 1e-7
MOST_STEPS = 200
#: A step that has to be shortened further than this goes nowhere: rounding is all that is left.
SHORTEST = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where a descent ended."""

    place: Place
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
        return self.place.lost


def minimise(
    place: Place,
    charge: Charge,
    rising: Rising | None = None,
    tol: float = TOL,
    who: str = "Additive",
    near: tuple[Inverse, ...] = (),
) -> Found:
    """The coefficients of least loss and penalty; `near` are inverses under the same penalty of a place near by."""
    if place.ground.several:
        from acumen.additive.several import minimise_lines

        return minimise_lines(place, charge, tol, who, near)
    return _single(place, charge, rising, tol, who, near if rising is None else ())


def _single(
    place: Place, charge: Charge, rising: Rising | None, tol: float, who: str, near: tuple[Inverse, ...]
) -> Found:
    total = place.ground.total
    turn = None if rising is None else rising.turn
    bounded = np.zeros(place.ground.width, dtype=np.bool_) if rising is None else rising.bounded
    theta = place.coefficients[:, 0].copy()
    if rising is not None:
        theta = rising.coordinates(theta)
        place = Place(place.ground, (rising.turn @ theta)[:, None])
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
                tell_of_steps(who, size, tol)
            return Found(place, size, excess, steps, free, (inverse,))
        last = size <= tol
        value, length = valued(place, charge), 1.0
        while True:
            moved = theta + length * step
            moved[bounded] = np.maximum(moved[bounded], 0.0)
            there = Place(place.ground, (moved if turn is None else turn @ moved)[:, None])
            drop = float(inner @ (theta - moved))
            if valued(there, charge) <= value - 1e-4 * drop + 1e-13 * abs(value) or length < SHORTEST:
                break
            length /= 2
        steps += 1
        if length < SHORTEST:
            last = True
            continue
        theta, place = moved, there


def gradient_at(place: Place, charge: Charge) -> Floats:
    """Of loss and penalty (width, lines)."""
    return place.pull + charge.times(place.coefficients)


def valued(place: Place, charge: Charge) -> float:
    """Loss and penalty."""
    beta = place.coefficients
    return place.lost + 0.5 * float(np.sum(beta * charge.times(beta)))


def shortened(place: Place, charge: Charge, step: Floats, excess: float) -> Place | None:
    """The place a step leads to, halved until loss and penalty fall; None where they do not any more."""
    value, length = valued(place, charge), 1.0
    while length >= SHORTEST:
        there = place.moved(length * step)
        if valued(there, charge) <= value - 2e-4 * length * excess + 1e-13 * abs(value):
            return there
        length /= 2
    return None


def tell_of_steps(who: str, size: float, tol: float) -> None:
    """Warn that there was no end."""
    warnings.warn(
        f"{who}: {MOST_STEPS} Newton steps left a gradient of {size:.1g}, above {tol:.1g}; some shape has no end. "
        "Give a larger smooth.",
        AcumenWarning,
        stacklevel=2,
    )
