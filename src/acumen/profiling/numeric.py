"""The figures of a numeric column: five numbers, mean, standard deviation, histogram.

Quartiles are numpy's linear method (Hyndman and Fan's type 7). Row weights that are whole numbers count
as repeated rows, so a weight of 2 gives the figures of a row written twice. With other weights, whose
scale may mean nothing, a quartile is the least value with at least that share of the weight at or below
it, and the standard deviation is the unbiased one for reliability weights; neither depends on the scale.

Mean and standard deviation of a column, from blocks that add: the same however many machines went over them.

    Moments.of    finite values of a block -> what they come to
    Moments +     what two blocks come to together (Chan, Golub and LeVeque 1979)
    moments_of    a whole column, block by block
    in_pairs      the sum of blocks in the order in which every engine adds them

Values are scaled by a power of two, each block by its own, so that no square overflows or vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from acumen.profiling.figures import ColumnFigures, NumericFigures, share
from acumen.types import Floats

#: Rows of a block, counted from the first row of the table.
BLOCK = 65_536


@dataclass(frozen=True, slots=True)
class Moments:
    """Moments of finite values; mean and squares are of values times 2^-exponent."""

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
    """The moments of a whole column, without missing and infinite values and rows of weight 0."""
    blocks = []
    for start in range(0, max(len(values), 1), BLOCK):
        rows = slice(start, start + BLOCK)
        blocks.append(block_moments(values[rows], weights[rows] if weights.size else weights))
    return in_pairs(blocks)


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
    sums = list(blocks)
    while len(sums) > 1:
        sums = [sums[i] + sums[i + 1] if i + 1 < len(sums) else sums[i] for i in range(0, len(sums), 2)]
    return sums[0]


def is_whole(mass: Floats) -> bool:
    """Whether all weights are whole numbers."""
    return bool(np.all(mass == np.floor(mass)))


#: Bins of the small histogram.
BINS = 10
#: A value is taken to stand for none if so many rows have it, and so many others do not.
_REPEATED, _OTHERS = 3, 10
_QUARTILES = np.array([0.25, 0.5, 0.75])
#: The one or two values at an end, the outermost first, each with what its rows weigh.
Ends: TypeAlias = tuple[tuple[float, float], ...]


def numeric_column(name: str, values: Floats, weights: Floats, form: str = "") -> ColumnFigures:
    """The figures of one attribute; `weights` is empty when every row weighs one."""
    absent = np.isnan(values)
    missing = int(np.count_nonzero(absent))
    if weights.size:
        missing_share = share(float(weights[absent].sum()), float(weights.sum()))
    else:
        missing_share = share(missing, len(values))
    figures, distinct = numeric_figures(values, weights)
    return ColumnFigures(
        name, "numeric", missing, missing_share, distinct, numeric=replace(figures, form=form)
    )


def numeric_figures(values: Floats, weights: Floats) -> tuple[NumericFigures, int]:
    """The figures of the finite values, and the number of distinct known ones (infinities too)."""
    finite = np.isfinite(values)
    infinite = int(np.count_nonzero(np.isinf(values)))
    ends = len(np.unique(values[np.isinf(values)])) if infinite else 0
    if weights.size:
        finite &= weights > 0
        order = np.argsort(values[finite], kind="stable")
        ranked, mass = values[finite][order], weights[finite][order]
    else:
        ranked, mass = np.sort(values[finite]), weights
    if not ranked.size:
        return NumericFigures(infinite=infinite), ends
    distinct = 1 + int(np.count_nonzero(ranked[1:] != ranked[:-1])) + ends
    moments = moments_of(values, weights)
    figures = figures_of(moments, _quartiles(ranked, mass), _histogram(ranked, mass), infinite)
    return replace(figures, placeholder=placeholder(*_ends(ranked, mass), moments)), distinct


def _ends(ranked: Floats, mass: Floats) -> tuple[Ends, Ends]:
    """The two smallest and the two largest of sorted values, each with the weight of its rows."""
    reached = np.concatenate([[0.0], np.cumsum(mass)]) if mass.size else np.arange(len(ranked) + 1.0)

    def at(value: float) -> tuple[float, float, int, int]:
        first, last = int(np.searchsorted(ranked, value)), int(np.searchsorted(ranked, value, side="right"))
        return value, float(reached[last] - reached[first]), first, last

    low, high = at(float(ranked[0])), at(float(ranked[-1]))
    if low[3] == len(ranked):
        return (low[:2],), (high[:2],)
    return (low[:2], at(float(ranked[low[3]]))[:2]), (high[:2], at(float(ranked[high[2] - 1]))[:2])


def placeholder(lowest: Ends, highest: Ends, moments: Moments) -> tuple[float, int] | None:
    """Find a value of nines (999, -99) at an end, in several rows, that is far from all others.

    It needs the two values at each end with the weights of their rows. Fractional weights are not counts, so with them
    it returns nothing.
    """
    if len(lowest) < 2 or not moments.whole:
        return None
    for ((value, rows), (near, _)), (far, _) in ((highest, lowest[0]), (lowest, highest[0])):
        nines = value.is_integer() and abs(value) >= 99 and set(f"{abs(value):.0f}") == {"9"}
        outward = value > 0 if value > near else value < 0
        enough = rows >= _REPEATED and moments.total - rows >= _OTHERS
        if nines and outward and enough and abs(value - near) > abs(near - far) > 0:
            return value, int(rows)
    return None


def figures_of(
    moments: Moments, quartiles: Floats, counts: Floats, infinite: int, form: str = ""
) -> NumericFigures:
    """The figures of one or more finite values; `counts` are the weights in the bins of `histogram_edges`."""
    mean, sd = moments.mean_and_sd()
    q1, median, q3 = (float(q) + 0.0 for q in quartiles)  # no -0.0, which sorts as 0 does
    edges = histogram_edges(moments.low, moments.high)
    return NumericFigures(
        min=moments.low,
        q1=q1,
        median=median,
        q3=q3,
        max=moments.high,
        mean=mean,
        sd=sd,
        infinite=infinite,
        edges=tuple(edges.tolist()),
        counts=tuple(counts.tolist()),
        form=form,
    )


def _quartiles(ranked: Floats, mass: Floats) -> Floats:
    """Quartiles of sorted values."""
    if mass.size and not is_whole(mass):
        reached = np.cumsum(mass)
        places = np.searchsorted(reached, quartile_masses(reached[-1]))
        return np.asarray(ranked[np.minimum(places, len(ranked) - 1)])
    below, above, part = quartile_places(int(mass.sum()) if mass.size else len(ranked))
    if mass.size:
        reached = np.cumsum(mass)
        low = ranked[np.searchsorted(reached, below, side="right")]
        high = ranked[np.searchsorted(reached, above, side="right")]
    else:
        low, high = ranked[below.astype(np.intp)], ranked[above.astype(np.intp)]
    return between_places(low, high, part)


def quartile_masses(total: float) -> Floats:
    """The weight reached at each quartile, minus a small allowance for rounding."""
    return np.asarray(_QUARTILES * total * (1 - 1e-12))


def quartile_places(n: int) -> tuple[Floats, Floats, Floats]:
    """For n sorted values, the two positions around each quartile, counted from 0, and the fraction between them."""
    positions = (n - 1) * _QUARTILES
    below = np.floor(positions)
    return below, np.minimum(below + 1, n - 1), positions - below


def between_places(low: Floats, high: Floats, part: Floats) -> Floats:
    """The value at a fraction between two values."""
    with np.errstate(over="ignore"):
        gap = high - low
    if not np.all(np.isfinite(gap)):  # huge values of opposite sign: halve first, double last
        return np.asarray(2 * (low / 2 * (1 - part) + high / 2 * part))
    # From the nearer end, as numpy does it, so that the figures are its figures to the last bit.
    return np.asarray(np.where(part < 0.5, low + gap * part, high - gap * (1 - part)))


def histogram_edges(low: float, high: float) -> Floats:
    """Edges of equal-width bins from the smallest value to the largest; one bin for a single value."""
    if low == high:
        return np.array([low, high])
    steps = np.arange(BINS + 1) / BINS
    if math.isfinite(high - low):
        return np.linspace(low, high, BINS + 1)
    return np.asarray(low * (1 - steps) + high * steps)


def _histogram(ranked: Floats, mass: Floats) -> Floats:
    """The weight in each bin of sorted values."""
    edges = histogram_edges(float(ranked[0]) + 0.0, float(ranked[-1]) + 0.0)
    cuts = np.searchsorted(ranked, edges)
    cuts[-1] = len(ranked)
    if not mass.size:
        return np.diff(cuts).astype(np.float64)
    return np.diff(np.concatenate([[0.0], np.cumsum(mass)])[cuts])
