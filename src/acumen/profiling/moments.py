"""Mean and standard deviation of a column, from blocks that add: the same however many machines went over them.

    Moments.of    finite values of a block -> what they come to
    Moments +     what two blocks come to together (Chan, Golub and LeVeque 1979)
    moments_of    a whole column, block by block
    in_pairs      the sum of blocks in the order in which every engine adds them

Values are scaled by a power of two, each block by its own, so that no square overflows or vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.types import Floats

#: Rows of a block, counted from the first row of the table.
BLOCK = 65_536


@dataclass(frozen=True, slots=True)
class Moments:
    """Of the finite values of some rows; mean and squares are of values times 2^-exponent."""

    count: int = 0
    total: float = 0.0  # weight
    low: float = math.inf
    high: float = -math.inf
    exponent: int = 0
    mean: float = 0.0
    squares: float = 0.0
    mass2: float = 0.0  # the sum of squared weights
    whole: bool = True  # whether all weights are whole numbers

    @classmethod
    def of(cls, values: Floats, mass: Floats) -> Moments:
        """Of finite values in any order; `mass` is empty where each weighs one."""
        if not values.size:
            return cls()
        low, high = float(values.min()) + 0.0, float(values.max()) + 0.0
        _, exponent = math.frexp(max(abs(low), abs(high)))
        scaled = np.ldexp(values, -exponent)
        if not mass.size:
            n = float(len(values))
            mean = float(scaled.mean())
            return cls(
                len(values), n, low, high, exponent, mean, float(np.square(scaled - mean).sum()), n, True
            )
        total = float(mass.sum())
        mean = float((scaled * mass).sum() / total)
        squares = float((np.square(scaled - mean) * mass).sum())
        mass2 = float(np.square(mass).sum())
        return cls(len(values), total, low, high, exponent, mean, squares, mass2, is_whole(mass))

    def __add__(self, other: Moments) -> Moments:
        if not self.count or not other.count:
            return other if not self.count else self
        exponent = max(self.exponent, other.exponent)
        one, one_squares = self._under(exponent)
        two, two_squares = other._under(exponent)
        total = self.total + other.total
        gap = two - one
        return Moments(
            self.count + other.count,
            total,
            min(self.low, other.low),
            max(self.high, other.high),
            exponent,
            one + gap * (other.total / total),
            one_squares + two_squares + gap * gap * (self.total * (other.total / total)),
            self.mass2 + other.mass2,
            self.whole and other.whole,
        )

    def _under(self, exponent: int) -> tuple[float, float]:
        """Mean and squares as they are of values times 2^-exponent."""
        by = self.exponent - exponent
        return math.ldexp(self.mean, by), math.ldexp(self.squares, 2 * by)

    def mean_and_sd(self) -> tuple[float, float | None]:
        """Of at least one value; the deviation is None of one alone, and where it exceeds the greatest double."""
        if self.low == self.high:
            several = self.count > 1 or (self.whole and self.total > 1)
            return self.low, 0.0 if several else None
        correction = 1.0 if self.whole else self.mass2 / self.total
        freedom = self.total - correction
        sd = None
        if freedom > 1e-12 * self.total:
            with np.errstate(over="ignore"):
                sd = float(np.ldexp(math.sqrt(self.squares / freedom), self.exponent))
            sd = sd if math.isfinite(sd) else None  # it can exceed the greatest double, as nothing else here
        # Rounding may carry the mean of nearly equal values a little beyond them.
        return min(max(math.ldexp(self.mean, self.exponent), self.low), self.high), sd


def moments_of(values: Floats, weights: Floats) -> Moments:
    """Of a whole column; missing and infinite values, and rows that weigh nothing, are left out."""
    made = []
    for start in range(0, max(len(values), 1), BLOCK):
        rows = slice(start, start + BLOCK)
        made.append(block_moments(values[rows], weights[rows] if weights.size else weights))
    return in_pairs(made)


def block_moments(values: Floats, weights: Floats) -> Moments:
    """Of a block's column."""
    known = np.isfinite(values)
    if weights.size:
        known &= weights > 0
    if known.all():
        return Moments.of(values, weights)
    return Moments.of(values[known], weights[known] if weights.size else weights)


def in_pairs(blocks: Sequence[Any]) -> Any:
    """The sum of one block or more: neighbours first, then neighbours of these."""
    made = list(blocks)
    while len(made) > 1:
        made = [made[i] + made[i + 1] if i + 1 < len(made) else made[i] for i in range(0, len(made), 2)]
    return made[0]


def is_whole(mass: Floats) -> bool:
    """Whether all weights are whole numbers."""
    return bool(np.all(mass == np.floor(mass)))
