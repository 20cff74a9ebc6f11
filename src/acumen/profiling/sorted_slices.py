"""Sorted numbers, a slice of a column at a time: distinct values, quartiles, and how classes change along them.

    SortedNumbers   the distinct numbers of some rows, with their classes
      .of           from a column
      .merge        of several such
    SliceRequest    what to compute for the numbers between two cuts of a column
      .summarise    SortedNumbers -> SliceSummary
    SliceSummary    the statistics of a slice; adds to that of the slice above it

A slice takes as much room as it has different numbers, and no more of a column is in one place at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.profiling.leaks import SUPPORT
from acumen.profiling.numeric import Ends
from acumen.types import Array, Codes, Floats, Indices

_FEW = np.zeros(0, dtype=np.int64)
_NO_CODES = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class SortedNumbers:
    """Distinct numbers in ascending order, infinite ones too; with classes, the smallest and largest class of each."""

    values: Floats
    mass: Floats  # the weight of each number's rows: their number, where each weighs one
    classed: Indices  # rows that have a class; empty where the table has none
    least: Codes
    most: Codes

    @classmethod
    def of(cls, values: Floats, labels: Codes | None, weights: Floats) -> SortedNumbers:
        """The sorted numbers of a column, without missing values."""
        known = ~np.isnan(values)
        kept = values[known] + 0.0  # no -0.0
        mass = weights[known] if weights.size else np.ones(len(kept))
        if labels is None:
            return _group_equal(kept, mass, _FEW, _NO_CODES, _NO_CODES)
        y = labels[known]
        high = np.iinfo(np.int32).max
        return _group_equal(
            kept, mass, (y >= 0).astype(np.int64), np.where(y >= 0, y, high).astype(np.int32),
            np.maximum(y, -1).astype(np.int32),
        )  # fmt: skip

    @classmethod
    def merge(cls, some: Sequence[SortedNumbers]) -> SortedNumbers:
        """Merge several sorted sets of numbers."""
        if len(some) == 1:
            return some[0]
        return _group_equal(
            np.concatenate([each.values for each in some]),
            np.concatenate([each.mass for each in some]),
            np.concatenate([each.classed for each in some]),
            np.concatenate([each.least for each in some]),
            np.concatenate([each.most for each in some]),
        )

    def between(self, begin: int, end: int) -> SortedNumbers:
        """The numbers at these positions; copied, so that the others can be freed."""
        rows = slice(begin, end)
        return SortedNumbers(
            self.values[rows].copy(), self.mass[rows].copy(), self.classed[rows].copy(),
            self.least[rows].copy(), self.most[rows].copy(),
        )  # fmt: skip


def _group_equal(values: Floats, mass: Floats, classed: Indices, least: Codes, most: Codes) -> SortedNumbers:
    if not values.size:
        return SortedNumbers(values, mass, classed, least, most)
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    summed = np.asarray(np.add.reduceat(mass[order], starts))
    if not classed.size:
        return SortedNumbers(ranked[starts], summed, classed, least, most)
    return SortedNumbers(
        ranked[starts], summed, np.add.reduceat(classed[order], starts),
        np.minimum.reduceat(least[order], starts), np.maximum.reduceat(most[order], starts),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class SliceSummary:
    """A slice: finite numbers, their weight in each bin, requested values and those at its ends, and class changes."""

    distinct: int  # finite numbers of some weight
    counts: Floats
    found: tuple[float, ...]
    lowest: Ends
    highest: Ends
    apart: int  # numbers of rows that have a class
    covered: int  # rows in numbers that have enough of them
    mixed: bool  # whether some number has rows of several classes
    runs: tuple[tuple[int, int], ...] | None  # (class, rows) along the numbers; None of too many

    def __add__(self, other: SliceSummary) -> SliceSummary:
        runs = None
        if self.runs is not None and other.runs is not None:
            runs = (*self.runs, *other.runs)
            if self.runs and other.runs and self.runs[-1][0] == other.runs[0][0]:
                both = (self.runs[-1][0], self.runs[-1][1] + other.runs[0][1])
                runs = (*self.runs[:-1], both, *other.runs[1:])
        return SliceSummary(
            self.distinct + other.distinct,
            self.counts + other.counts,
            self.found + other.found,
            (self.lowest + other.lowest)[:2],
            (other.highest + self.highest)[:2],
            self.apart + other.apart,
            self.covered + other.covered,
            self.mixed or other.mixed,
            runs,
        )


@dataclass(frozen=True, slots=True, eq=False)
class SliceRequest:
    """What to compute for one slice of a column.

    `edges` are of the column's histogram; `wanted` the weights at which numbers are looked for, `before` the weight of
    all slices below. A number is found where the weight goes beyond what is wanted, or with `at` where it reaches it.
    """

    edges: Floats
    wanted: tuple[float, ...]
    before: float
    at: bool
    most_runs: int

    def summarise(self, some: SortedNumbers) -> SliceSummary:
        """Summarise the numbers of this slice."""
        finite = np.isfinite(some.values) & (some.mass > 0)
        values, mass = some.values[finite], some.mass[finite]
        reached = np.cumsum(mass)
        cuts = np.searchsorted(values, self.edges)
        if values.size and self.edges.size:
            cuts[-1] = np.searchsorted(values, self.edges[-1], side="right")
        counts = np.diff(np.concatenate([[0.0], reached])[cuts])
        quantiles: list[float] = []
        if values.size:
            places = np.searchsorted(self.before + reached, self.wanted, side="left" if self.at else "right")
            quantiles = values[np.minimum(places, len(values) - 1)].tolist()
        outer = sorted({*range(min(2, len(values))), *range(max(0, len(values) - 2), len(values))})
        ends = tuple((float(values[i]), float(mass[i])) for i in outer)
        chosen = some.classed > 0
        sizes, least, most = some.classed[chosen], some.least[chosen], some.most[chosen]
        mixed = bool(np.any(least != most))
        return SliceSummary(
            len(values), counts, tuple(quantiles), ends[:2], ends[:-3:-1], len(sizes),
            int(sizes[sizes >= SUPPORT].sum()), mixed, None if mixed else self._runs(least, sizes),
        )  # fmt: skip

    def _runs(self, classes: Codes, sizes: Array) -> tuple[tuple[int, int], ...] | None:
        if not len(classes):
            return ()
        starts = np.flatnonzero(np.concatenate([[True], classes[1:] != classes[:-1]]))
        if len(starts) > self.most_runs:
            return None
        return tuple(zip(classes[starts].tolist(), np.add.reduceat(sizes, starts).tolist(), strict=True))
