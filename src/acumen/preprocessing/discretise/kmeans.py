"""Cut between the clusters of k-means, found exactly.

On a line the best clusters are neighbouring runs of the sorted values, so the least sum of squares is
found by dynamic programming instead of by luck with starting points (H. Wang and M. Song, Ckmeans.1d.dp,
The R Journal 3/2, 2011). With D[q][i] the least cost of the first i values in q clusters,

    D[q][i] = min over j of D[q-1][j] + cost of values j .. i-1

and the best j never falls as i rises, so that each layer is filled by divide and conquer: first the
middle i over all j, then the middles of both halves between the j found, and so on, all the middles of
one depth at a time. That is O(bins n log n) for n distinct values, and no answer depends on chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from acumen.preprocessing.discretise.base import Discretiser, require_bins, require_closed
from acumen.preprocessing.discretise.counts import Classes, ValueCounts
from acumen.preprocessing.discretise.intervals import Closed, Intervals, part
from acumen.types import Codes, Floats, Indices


@dataclass(frozen=True)
class KMeansBins(Discretiser):
    """Intervals around centres that minimise the sum of squared distances to the nearest centre.

    The optimum itself, not a local one. An edge lies in the middle between two centres, so that any value
    is in the interval of its nearest centre. Equal values are never parted: of fewer distinct values than
    `bins` each has an interval of its own.

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
        require_bins("KMeansBins", self.bins)
        require_closed("KMeansBins", self.closed)

    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> ValueCounts:
        return ValueCounts.of(attribute, values, None, weights)

    def solve_column(self, summary: ValueCounts) -> Intervals:
        values, weights = summary.values, summary.weights.sum(axis=1)
        if not len(values):
            return Intervals(summary.attribute, np.empty(0), self.closed)
        # Scaled by a power of two, which rounds nothing, so that no square overflows or vanishes.
        _, exponent = math.frexp(float(np.abs(values).max()))
        scaled = np.ldexp(values, -exponent)
        starts = np.r_[0, kmeans_cuts(scaled, weights, min(self.bins, len(values)))]
        centres = np.add.reduceat(scaled * weights, starts) / np.add.reduceat(weights, starts)
        edges = []
        for place, j in enumerate(starts[1:].tolist()):
            middle = math.ldexp((float(centres[place]) + float(centres[place + 1])) / 2, exponent)
            a, b = float(values[j - 1]), float(values[j])
            edges.append(middle if a < middle < b else part(a, b, self.closed))
        low, high = float(values[0]), float(values[-1])
        return Intervals(summary.attribute, np.array(edges, dtype=np.float64), self.closed, low, high)


def kmeans_cuts(values: Floats, weights: Floats, bins: int) -> Indices:
    """Before which of the ascending values to cut, `bins` - 1 times; of equally good cuts the lowest."""
    n = len(values)
    centred = values - np.average(values, weights=weights)  # less cancellation in the sums of squares
    mass, first, second = (
        np.concatenate([[0.0], np.cumsum(term)])
        for term in (weights, weights * centred, weights * centred * centred)
    )

    def cost(start: Indices, end: Indices) -> Floats:
        """The sum of squares of values start .. end-1 around their mean."""
        inside = first[end] - first[start]
        return np.asarray(second[end] - second[start] - inside * inside / (mass[end] - mass[start]))

    ends = np.arange(1, n + 1)
    least = np.concatenate([[np.inf], cost(np.zeros(n, dtype=np.intp), ends)])
    choices: list[Indices] = []
    for q in range(2, bins + 1):
        least, choice = _layer(least, q, n, cost)
        choices.append(choice)
    cuts = [n]
    for choice in reversed(choices):
        cuts.append(int(choice[cuts[-1]]))
    return np.array(cuts[:0:-1], dtype=np.intp)


def _layer(
    least: Floats, q: int, n: int, cost: Callable[[Indices, Indices], Floats]
) -> tuple[Floats, Indices]:
    """For each i from q to n the least cost of the first i values in q clusters, and where the last begins."""
    costs = np.full(n + 1, np.inf)
    choice = np.zeros(n + 1, dtype=np.int64)
    # Open stretches of i, both ends included, each with the least and greatest j worth a trial.
    begin, end = np.array([q]), np.array([n])
    low, high = np.array([q - 1]), np.array([n - 1])
    while begin.size:
        middle = (begin + end) // 2
        top = np.minimum(high, middle - 1)
        sizes = top - low + 1
        offsets = np.cumsum(sizes) - sizes
        j = np.arange(int(sizes.sum())) - np.repeat(offsets - low, sizes)
        trial = least[j] + cost(j, np.repeat(middle, sizes))
        best = np.minimum.reduceat(trial, offsets)
        hits = np.flatnonzero(trial == np.repeat(best, sizes))
        at = j[hits[np.searchsorted(hits, offsets)]]
        costs[middle], choice[middle] = best, at
        begin, end = np.r_[begin, middle + 1], np.r_[middle - 1, end]
        low, high = np.r_[low, at], np.r_[at, high]
        open_ = begin <= end
        begin, end, low, high = begin[open_], end[open_], low[open_], high[open_]
    return costs, choice
