"""Newton's method for several lines of coefficients, one a class (softmax).

    minimise_lines   where to start, penalty -> Found
    newton_step      the step of true second derivatives, by conjugate gradients
    Lines            what precondition them: each line's own second derivatives, inverted

All lines together are never written as one matrix: it would be (classes x slots)^2. Their product with a direction is
one pass over the rows. Every line by itself is a matrix of slots, as two classes have it; its inverse, which the bands
and the choice of strengths want anyhow, preconditions the system, and goes on to do so while the place hardly moves.
Lines sum to zero: what all of them share changes no probability, and the gradient has nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acumen.additive.descent import MOST_STEPS, TOL, Found, gradient_at, shortened, tell_of_steps
from acumen.additive.inverse import Inverse
from acumen.additive.newton_state import Place
from acumen.additive.penalty import Charge
from acumen.types import Floats

#: Where the gradient is as small as this, the last second derivatives still tell the way.
_NEAR = 1e-3
#: A share of the gradient that a solved system may leave: while strengths are chosen, and of a certificate.
ROUGHLY, _CERTAIN = 0.1, 1e-2


class Lines:
    """The inverses of each line's second derivatives with the penalty at a place."""

    def __init__(self, inverses: tuple[Inverse, ...]) -> None:
        self.inverses = inverses

    @classmethod
    def at(cls, place: Place, charge: Charge) -> Lines:
        return cls(tuple(Inverse(data + charge.matrix) for data in place.data))

    def __call__(self, residual: Floats) -> Floats:
        made = np.empty_like(residual)
        for k, inverse in enumerate(self.inverses):
            made[:, k] = inverse(residual[:, k])
        made -= made.mean(axis=1, keepdims=True)
        return made


def minimise_lines(
    place: Place, charge: Charge, tol: float, who: str, near: tuple[Inverse, ...] = ()
) -> Found:
    """The coefficients of least loss and penalty; `near` are inverses under the same penalty of a place near by."""
    total = place.ground.total
    last, steps = False, 0
    lines, made_at = (Lines(near), None) if near else (Lines.at(place, charge), place)
    while True:
        gradient = gradient_at(place, charge)
        size = float(np.abs(gradient).max(initial=0.0)) / total
        last = last or (size <= tol and tol > TOL)
        done = last or steps >= MOST_STEPS
        # What a rough answer ends with need not be of its very last place.
        if made_at is not place and (size > _NEAR or (done and tol <= TOL)):
            lines, made_at = Lines.at(place, charge), place
        precise = _CERTAIN if done else min(ROUGHLY, float(np.sqrt(size)))
        step = newton_step(place, charge, lines, gradient, precise)
        excess = -0.5 * float(np.sum(step * gradient))
        if done:
            if not last:
                tell_of_steps(who, size, tol)
            every = np.ones(place.ground.width, dtype=np.bool_)
            return Found(place, size, excess, steps, every, lines.inverses)
        last = size <= tol
        there = shortened(place, charge, step, excess)
        steps += 1
        if there is None:
            last = True
        else:
            place = there


def newton_step(place: Place, charge: Charge, lines: Lines, gradient: Floats, precise: float) -> Floats:
    """Minus the inverse of all lines' second derivatives times the gradient, up to such a share of it."""
    return _conjugate(lambda d: place.bent(d) + charge.times(d), lines, -gradient, precise)


def _conjugate(
    times: Callable[[Floats], Floats], before: Callable[[Floats], Floats], right: Floats, precise: float
) -> Floats:
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
