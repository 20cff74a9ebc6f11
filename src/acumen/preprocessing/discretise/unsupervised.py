"""Intervals chosen without a look at classes: of one width, of one weight of training rows, or at given edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.table import Table
from acumen.errors import DataError, did_you_mean
from acumen.preprocessing.discretise.base import Discretiser, require_bins, require_closed
from acumen.preprocessing.discretise.counts import Classes, Extent, Unread, ValueCounts
from acumen.preprocessing.discretise.intervals import Closed, Intervals, along, part
from acumen.types import Codes, Floats


@dataclass(frozen=True)
class EqualWidth(Discretiser):
    """Intervals of one width between the smallest and the largest training value.

    A constant attribute, or one without a known value, has one interval. Values beyond the range fall in
    the outer intervals.

    Parameters
    ----------
    bins : int
        The number of intervals.
    closed : {"right", "left"}
        Whether an edge belongs to the interval on its left, `(a, b]`, or on its right, `[a, b)`.
    """

    bins: int = 10
    closed: Closed = "right"

    def __post_init__(self) -> None:
        require_bins("EqualWidth", self.bins)
        require_closed("EqualWidth", self.closed)

    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> Extent:
        return Extent.of(attribute, values, weights)

    def solve_column(self, summary: Extent) -> Intervals:
        low, high = summary.low, summary.high
        if low > high:
            return Intervals(summary.attribute, np.empty(0), self.closed)
        edges = [along(low, high, i, self.bins) for i in range(1, self.bins)]
        # In a range of few binary numbers edges may fall together, or upon its ends.
        inner = sorted({edge for edge in edges if low < edge < high})
        return Intervals(summary.attribute, np.array(inner, dtype=np.float64), self.closed, low, high)


# -- equal frequency ------------------------------------------------------------------------------
#
# Intervals that hold about the same weight of training rows.


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


# -- given edges ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class GivenEdges(Discretiser):
    """Cut at given edges: k of them make k + 1 intervals.

    Parameters
    ----------
    edges : sequence of numbers, or mapping from attribute names to such sequences
        One sequence is for every numeric attribute; with a mapping the others stay numeric.
        Edges are sorted, and repeated ones count once.
    closed : {"right", "left"}
        Whether an edge belongs to the interval on its left, `(a, b]`, or on its right, `[a, b)`.
    """

    edges: Sequence[float] | Mapping[str, Sequence[float]]
    closed: Closed = "right"

    def __post_init__(self) -> None:
        require_closed("GivenEdges", self.closed)
        many = self.edges.values() if isinstance(self.edges, Mapping) else [self.edges]
        for edges in many:
            Intervals("edges", np.unique(np.asarray(edges, dtype=np.float64)))  # refuses what is not finite

    def attributes_to_cut(self, table: Table) -> tuple[str, ...]:
        numeric = [a.name for a in table.schema.numeric]
        if not isinstance(self.edges, Mapping):
            return tuple(numeric)
        for name in self.edges:
            if name not in numeric:
                hint = did_you_mean(str(name), numeric)
                raise DataError(f"GivenEdges: the table has no numeric attribute {name!r}.{hint}")
        return tuple(self.edges)

    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> Unread:
        return Unread(attribute)

    def solve_column(self, summary: Unread) -> Intervals:
        edges = self.edges[summary.attribute] if isinstance(self.edges, Mapping) else self.edges
        return Intervals(summary.attribute, np.unique(np.asarray(edges, dtype=np.float64)), self.closed)
