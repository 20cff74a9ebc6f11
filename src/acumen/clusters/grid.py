"""The grid of STING: cells, their statistics at every level, and clusters of dense cells.

    Grid            cuts each attribute into 2^bits intervals; a row's cell is one integer
    GridCells       occupied cells of one level: weight, mean, scatter, minimum, maximum and a small histogram
    layers          all levels, each computed exactly from the one below
    kinds_of        whether values in a cell look uniform, normal or neither, by goodness of fit
    dense_weight    the smallest cell weight that uniform rows would rarely reach
    connect_cells   clusters of dense cells that touch, found from the top of the grid down

A cell's number interleaves the bits of its intervals (Morton order), so its parent's number drops the last d bits, and
cells with one parent lie side by side. Only occupied cells are stored. Histograms of eight bins add up too: two
neighbouring bins of a cell are one bin of its parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.summaries.moments import ClassMoments
from acumen.types import Array, Bools, Codes, Floats, Indices

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
        span: Floats = self.high - self.low
        return span

    def places(self, points: Floats, bits: int | None = None) -> Indices:
        """The interval of each value, finer with more bits; ends belong to the outermost ones."""
        n = 2 ** (self.bits if bits is None else bits)
        with np.errstate(invalid="ignore"):
            places = np.floor((points - self.low) / self.span * n)
        return np.clip(np.nan_to_num(places, nan=0.0), 0, n - 1).astype(np.int64)

    def within(self, points: Floats) -> Bools:
        """Rows that know every attribute and lie in the grid."""
        with np.errstate(invalid="ignore"):
            inside = ((points >= self.low) & (points <= self.high)).all(axis=1)
        return np.asarray(inside, dtype=np.bool_)

    def numbers(self, places: Indices) -> Indices:
        """Intervals interleaved to the numbers of cells."""
        numbers = np.zeros(len(places), dtype=np.int64)
        for bit in range(self.bits):
            for j in range(self.d):
                numbers |= ((places[:, j] >> bit) & 1) << (bit * self.d + j)
        return numbers

    def intervals(self, numbers: Indices, bits: int) -> Indices:
        """Split the numbers of cells at a level into their coordinates, of this many bits each."""
        intervals = np.zeros((len(numbers), self.d), dtype=np.int64)
        for bit in range(bits):
            for j in range(self.d):
                intervals[:, j] |= ((numbers >> (bit * self.d + j)) & 1) << bit
        return intervals


@dataclass(frozen=True, slots=True, eq=False)
class GridCells:
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

        def spread(values: Floats, fill: float) -> Floats:
            array = np.full((len(number), *values.shape[1:]), fill)
            array[at] = values
            return array

        return type(self)(
            number, spread(self.weight, 0.0), spread(self.mean, 0.0), spread(self.scatter, 0.0),
            spread(self.least, np.inf), spread(self.most, -np.inf), spread(self.bins, 0.0),
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
        parents = type(self)(
            number, weight, mean, scatter, np.minimum.reduceat(self.least, first, axis=0),
            np.maximum.reduceat(self.most, first, axis=0), np.add.reduceat(bins, first, axis=0),
        )  # fmt: skip
        return parents, first.astype(np.int64)

    def to_arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], grid: Grid) -> Self:
        number: Indices = stored_array(arrays, "number", np.int64, (None,))
        m, d = len(number), grid.d
        require(m > 0 and np.all(np.diff(number) > 0) and number[0] >= 0, "cells do not ascend")
        require(number[-1] < 2 ** (grid.bits * d), "a cell is outside the grid")
        weight = stored_floats(arrays, "weight", (m,), low=0)
        require(np.all(weight > 0), "a cell is empty")
        matrices = {name: stored_floats(arrays, name, (m, d)) for name in ("mean", "least", "most")}
        require(np.all(matrices["least"] <= matrices["most"]), "a cell's least value is above its most")
        return cls(
            number, weight, matrices["mean"], stored_floats(arrays, "scatter", (m, d), low=0), matrices["least"],
            matrices["most"], stored_floats(arrays, "bins", (m, d, BINS), low=0),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One level: its cells, and where the children of each begin among those of the level below."""

    cells: GridCells
    first: Indices
    bits: int


def layers(grid: Grid, bottom: GridCells) -> list[Layer]:
    """From the one cell of all rows down to the bottom."""
    stack = [Layer(bottom, np.empty(0, dtype=np.int64), grid.bits)]
    for bits in range(grid.bits - 1, -1, -1):
        cells, first = stack[0].cells.above(grid.d)
        stack.insert(0, Layer(cells, first, bits))
    return stack


KINDS = ("none", "normal", "uniform")
_FEWEST = 40.0  # five rows a bin


def kinds_of(grid: Grid, cells: GridCells, bits: int, confidence: float) -> Codes:
    """Of each cell and attribute the place in KINDS: the better of those a chi-square test does not reject.

    Eight bins of the cell; bins of which less than one row is expected count together. Cells of fewer than forty rows
    say nothing.
    """
    from scipy.special import gammaincc, ndtr

    n = cells.weight[:, None]
    width = grid.span / 2**bits
    start = grid.low + grid.intervals(cells.number, bits) * width
    edges = start[:, :, None] + width[:, None] * np.arange(BINS + 1) / BINS
    deviation = np.sqrt(cells.scatter / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = ndtr((edges - cells.mean[:, :, None]) / deviation[:, :, None])
        shares = np.diff(below, axis=2) / (below[:, :, -1:] - below[:, :, :1])
    chances = []
    for share, spent in ((shares, 2), (np.full_like(cells.bins, 1 / BINS), 0)):
        expected = share * n[:, :, None]
        squares, used = _chi_square(cells.bins, np.nan_to_num(expected))
        freedom = np.maximum(used - 1 - spent, 1)
        fits = np.isfinite(share).all(axis=2) & (used - 1 - spent >= 1)
        chances.append(np.where(fits, gammaincc(freedom / 2, squares / 2), 0.0))
    normal, uniform = chances
    least = 1 - confidence
    best = np.where(uniform >= normal, 2, 1)
    accepted = (np.maximum(normal, uniform) >= least) & (n >= _FEWEST) & (deviation > 0)
    return np.where(accepted, best, 0).astype(np.int32)


def _chi_square(observed: Floats, expected: Floats) -> tuple[Floats, Floats]:
    """The statistic and how many bins it is of, the small ones taken together."""
    small = expected < 1
    large = np.where(small, 1.0, expected)
    terms = np.where(small, 0.0, (observed - expected) ** 2 / large).sum(axis=2)
    expected_small, seen = (
        np.where(small, expected, 0.0).sum(axis=2),
        np.where(small, observed, 0.0).sum(axis=2),
    )
    together = np.where(
        expected_small > 0, (seen - expected_small) ** 2 / np.maximum(expected_small, 1e-12), 0.0
    )
    return terms + together, (~small).sum(axis=2) + (expected_small > 0)


def dense_weight(grid: Grid, weight: float, confidence: float) -> float:
    """The least whole weight such that, were all rows uniform, no cell had it with this confidence (Bonferroni)."""
    from scipy.special import gammainc

    cells = 2.0 ** (grid.bits * grid.d)
    expected, wanted = weight / cells, (1 - confidence) / cells
    low, high = 1.0, max(2.0, float(np.ceil(expected)))
    while gammainc(high, expected) > wanted:  # P(Poisson(expected) >= high)
        low, high = high, 2 * high
    while high - low > 1:
        middle = np.floor((low + high) / 2)
        if gammainc(middle, expected) > wanted:
            low = middle
        else:
            high = middle
    return float(max(high, 2.0))


def dense_cells(levels: list[Layer], least: float) -> Indices:
    """The places of dense bottom cells, looked for below cells that are as heavy at least."""
    kept = np.array([0], dtype=np.int64)
    for layer, below in pairwise(levels):
        kept = kept[layer.cells.weight[kept] >= least]
        kept = child_cells(layer, kept, len(below.cells))
    return kept[levels[-1].cells.weight[kept] >= least]


def child_cells(layer: Layer, kept: Indices, n_below: int) -> Indices:
    """The places of the cells below those kept, in order."""
    ends = np.append(layer.first[1:], n_below)
    sizes = ends[kept] - layer.first[kept]
    if not sizes.size:
        return np.empty(0, dtype=np.int64)
    run = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(np.repeat(layer.first[kept], sizes) + run, dtype=np.int64)


def connect_cells(grid: Grid, cells: GridCells, dense: Indices) -> Codes:
    """The group of each bottom cell by the first of its dense cells; -1 where it neither is dense nor touches one.

    A cell that touches several goes with the heaviest, of equally heavy ones with the first.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(cells)
    group = np.full(n, -1, dtype=np.int32)
    if not len(dense):
        return group
    heavy = np.zeros(n, dtype=np.bool_)
    heavy[dense] = True
    one, other = _neighbours(grid, cells)
    both = heavy[one] & heavy[other]
    graph = coo_matrix((np.ones(int(both.sum())), (one[both], other[both])), shape=(n, n))
    part = connected_components(graph, directed=False)[1]
    group[heavy] = np.unique(part[heavy], return_inverse=True)[1].ravel().astype(np.int32)
    a, b = np.concatenate([one, other]), np.concatenate([other, one])
    touching = ~heavy[a] & heavy[b]
    a, b = a[touching], b[touching]
    order = np.lexsort((b, -cells.weight[b], a))
    first = np.unique(a[order], return_index=True)[1]
    group[a[order][first]] = group[b[order][first]]
    return group


def _neighbours(grid: Grid, cells: GridCells) -> tuple[Indices, Indices]:
    """Places of occupied cells that touch, at a corner at least, each pair once."""
    from scipy.spatial import cKDTree

    places = grid.intervals(cells.number, grid.bits).astype(np.float64)
    pairs = cKDTree(places).query_pairs(1.5, p=np.inf, output_type="ndarray")
    return pairs[:, 0].astype(np.intp), pairs[:, 1].astype(np.intp)
