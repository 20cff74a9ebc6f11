"""A grid and its cells: what STING keeps of rows, and how cells of one level make those of the level above.

    Grid     where each attribute is cut into 2^bits intervals; the cell of a row is one whole number
    Cells    occupied cells of one level: weight, mean, scatter, least, most and a small histogram of each attribute
    layers   the levels above: every cell from the cells below it, exactly

The number of a cell interleaves the bits of its intervals (Morton's order), so the cell above is the number without its
last d bits, and the cells of one parent lie side by side. Only occupied cells are kept. Histograms of eight bins add up
too: two neighbouring bins of a cell are one bin of its parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen.preprocessing.stored_arrays import require, stored, stored_floats
from acumen.summaries.moments import ClassMoments
from acumen.types import Array, Bools, Floats, Indices

BINS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Attributes (of those that vary) from `low` to `high`, in 2^bits intervals each."""

    low: Floats
    high: Floats
    bits: int

    @property
    def d(self) -> int:
        return len(self.low)

    @property
    def span(self) -> Floats:
        made: Floats = self.high - self.low
        return made

    def places(self, points: Floats, bits: int | None = None) -> Indices:
        """The interval of each value, finer with more bits; ends belong to the outermost ones."""
        n = 2 ** (self.bits if bits is None else bits)
        with np.errstate(invalid="ignore"):
            made = np.floor((points - self.low) / self.span * n)
        return np.clip(np.nan_to_num(made, nan=0.0), 0, n - 1).astype(np.int64)

    def within(self, points: Floats) -> Bools:
        """Rows that know every attribute and lie in the grid."""
        with np.errstate(invalid="ignore"):
            made = ((points >= self.low) & (points <= self.high)).all(axis=1)
        return np.asarray(made, dtype=np.bool_)

    def numbers(self, places: Indices) -> Indices:
        """Intervals interleaved to the numbers of cells."""
        made = np.zeros(len(places), dtype=np.int64)
        for bit in range(self.bits):
            for j in range(self.d):
                made |= ((places[:, j] >> bit) & 1) << (bit * self.d + j)
        return made

    def intervals(self, numbers: Indices, bits: int) -> Indices:
        """The numbers of cells at a level of so many bits taken apart again."""
        made = np.zeros((len(numbers), self.d), dtype=np.int64)
        for bit in range(bits):
            for j in range(self.d):
                made[:, j] |= ((numbers >> (bit * self.d + j)) & 1) << bit
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Occupied cells by ascending numbers; arrays are (cells, attributes)."""

    number: Indices
    weight: Floats  # (cells,)
    mean: Floats
    scatter: Floats
    least: Floats
    most: Floats
    bins: Floats  # (cells, attributes, 8)

    def __len__(self) -> int:
        return len(self.number)

    @classmethod
    def of(cls, grid: Grid, points: Floats, weights: Floats) -> Self:
        """The bottom cells of rows; those that know not every attribute are in none."""
        there = grid.within(points)
        points, weights = points[there], weights[there]
        fine = grid.places(points, grid.bits + 3)
        number, which = np.unique(grid.numbers(fine >> 3), return_inverse=True)
        which = which.ravel()
        m, d = len(number), grid.d
        moments = ClassMoments.of(points, which.astype(np.int32), weights, m)
        order = np.argsort(which, kind="stable")
        starts = np.searchsorted(which[order], np.arange(m))
        least, most = np.zeros((m, d)), np.zeros((m, d))
        if m:
            least = np.minimum.reduceat(points[order], starts, axis=0)
            most = np.maximum.reduceat(points[order], starts, axis=0)
        slot = (which[:, None] * d + np.arange(d)) * BINS + (fine & 7)
        bins = np.bincount(slot.ravel(), np.repeat(weights, d), m * d * BINS)
        boxes: Floats = bins.astype(np.float64).reshape(m, d, BINS)
        weight = np.bincount(which, weights, m).astype(np.float64)
        return cls(number.astype(np.int64), weight, moments.mean, moments.scatter, least, most, boxes)

    def __add__(self, other: Self) -> Self:
        number = np.union1d(self.number, other.number)
        a, b = self._spread(number), other._spread(number)
        weight = a.weight + b.weight
        share = np.divide(b.weight, weight, out=np.zeros_like(weight), where=weight > 0)[:, None]
        by = np.where((a.weight > 0)[:, None], b.mean - a.mean, 0.0)
        by = np.where((b.weight > 0)[:, None], by, 0.0)
        mean = np.where((a.weight > 0)[:, None], a.mean, b.mean) + by * share
        scatter = a.scatter + b.scatter + by**2 * share * a.weight[:, None]
        return type(self)(
            number, weight, mean, scatter, np.minimum(a.least, b.least), np.maximum(a.most, b.most),
            a.bins + b.bins,
        )  # fmt: skip

    def _spread(self, number: Indices) -> Self:
        """The same among more cells, which are empty."""
        at = np.searchsorted(number, self.number)

        def placed(values: Floats, fill: float) -> Floats:
            made = np.full((len(number), *values.shape[1:]), fill)
            made[at] = values
            return made

        return type(self)(
            number, placed(self.weight, 0.0), placed(self.mean, 0.0), placed(self.scatter, 0.0),
            placed(self.least, np.inf), placed(self.most, -np.inf), placed(self.bins, 0.0),
        )  # fmt: skip

    def above(self, d: int) -> tuple[Self, Indices]:
        """The cells of the level above, and where the children of each begin."""
        number, first = np.unique(self.number >> d, return_index=True)
        weight = np.add.reduceat(self.weight, first)
        size = np.diff(np.append(first, len(self)))
        share = (self.weight / np.repeat(weight, size))[:, None]
        origin = np.repeat(self.mean[first], size, axis=0)  # differences, so that an offset costs no digit
        mean = self.mean[first] + np.add.reduceat((self.mean - origin) * share, first, axis=0)
        apart = self.mean - np.repeat(mean, size, axis=0)
        scatter = np.add.reduceat(self.scatter + self.weight[:, None] * apart**2, first, axis=0)
        upper = (
            self.number[:, None] >> np.arange(d)
        ) & 1  # which half of its parent a child is, by attribute
        halves = self.bins.reshape(len(self), d, BINS // 2, 2).sum(axis=3)
        bins = np.zeros_like(self.bins)
        bins[:, :, : BINS // 2] = np.where(upper[:, :, None] == 0, halves, 0.0)
        bins[:, :, BINS // 2 :] = np.where(upper[:, :, None] == 1, halves, 0.0)
        made = type(self)(
            number, weight, mean, scatter, np.minimum.reduceat(self.least, first, axis=0),
            np.maximum.reduceat(self.most, first, axis=0), np.add.reduceat(bins, first, axis=0),
        )  # fmt: skip
        return made, first.astype(np.int64)

    def to_arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], grid: Grid) -> Self:
        number: Indices = stored(arrays, "number", np.int64, (None,))
        m, d = len(number), grid.d
        require(m > 0 and np.all(np.diff(number) > 0) and number[0] >= 0, "cells do not ascend")
        require(number[-1] < 2 ** (grid.bits * d), "a cell is outside the grid")
        weight = stored_floats(arrays, "weight", (m,), low=0)
        require(np.all(weight > 0), "a cell is empty")
        found = {name: stored_floats(arrays, name, (m, d)) for name in ("mean", "least", "most")}
        require(np.all(found["least"] <= found["most"]), "a cell's least value is above its most")
        return cls(
            number, weight, found["mean"], stored_floats(arrays, "scatter", (m, d), low=0), found["least"],
            found["most"], stored_floats(arrays, "bins", (m, d, BINS), low=0),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One level: its cells, and where the children of each begin among those of the level below."""

    cells: Cells
    first: Indices
    bits: int


def layers(grid: Grid, bottom: Cells) -> list[Layer]:
    """From the one cell of all rows down to the bottom."""
    made = [Layer(bottom, np.empty(0, dtype=np.int64), grid.bits)]
    for bits in range(grid.bits - 1, -1, -1):
        cells, first = made[0].cells.above(grid.d)
        made.insert(0, Layer(cells, first, bits))
    return made
