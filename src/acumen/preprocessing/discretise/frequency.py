"""Cut so that each interval holds about the same weight of training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.preprocessing.discretise.base import Discretiser, require_bins, require_closed
from acumen.preprocessing.discretise.counts import Classes, ValueCounts
from acumen.preprocessing.discretise.intervals import Closed, Intervals, part
from acumen.types import Codes, Floats


@dataclass(frozen=True)
class EqualFrequency(Discretiser):
    """Intervals of about the same weight of training rows.

    The i-th cut is made between the two neighbouring distinct values where the weight to its left comes
    nearest to i/bins of the whole (of two equally near, the lower), in their middle. Equal values are
    never parted, so that with many of them there may be fewer intervals than asked for.

    Parameters
    ----------
    bins : int
        The number of intervals, at most.
    closed : {"right", "left"}
        Whether an edge belongs to the interval on its left, `(a, b]`, or on its right, `[a, b)`.
    """

    bins: int = 10
    closed: Closed = "right"

    def __post_init__(self) -> None:
        require_bins("EqualFrequency", self.bins)
        require_closed("EqualFrequency", self.closed)

    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> ValueCounts:
        return ValueCounts.of(attribute, values, None, weights)

    def solve_column(self, summary: ValueCounts) -> Intervals:
        values = summary.values
        if not len(values):
            return Intervals(summary.attribute, np.empty(0), self.closed)
        summed = np.cumsum(summary.weights.sum(axis=1))
        weight_below, whole = summed[:-1], summed[-1]
        cuts: set[int] = set()
        for i in range(1, self.bins if len(weight_below) else 1):
            aim = whole * i / self.bins
            above = min(int(np.searchsorted(weight_below, aim)), len(weight_below) - 1)
            below = max(above - 1, 0)
            # The slack makes weights of 0.1, whose sums are inexact, tie as weights of 1 do.
            nearer = aim - weight_below[below] <= weight_below[above] - aim + 1e-12 * whole
            cuts.add(below if nearer and weight_below[below] <= aim else above)
        edges = [part(float(values[j]), float(values[j + 1]), self.closed) for j in sorted(cuts)]
        low, high = float(values[0]), float(values[-1])
        return Intervals(summary.attribute, np.array(edges, dtype=np.float64), self.closed, low, high)
