"""The model of STING: the bottom cells of a grid with their clusters; higher levels are computed when needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from acumen.clusters.grid import BINS, KINDS, Grid, GridCells, Layer, child_cells, kinds_of, layers
from acumen.clusters.space import PointSpace
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.model import GroupModel
from acumen.preprocessing.coded import coded_columns
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.render.text import many, percent
from acumen.types import Array, Bools, Codes, Floats

BITS = 62  # of a cell's number
_SHOWN = 12  # groups told in a description


@dataclass(frozen=True, slots=True, eq=False)
class GridModel(GroupModel):
    """Cells of the bottom level and their groups; a row belongs where its cell does."""

    kind: ClassVar[str] = "sting"

    space: PointSpace  # moved to mean 0, in the units of the columns
    active: Bools  # the columns that vary, which the grid is of
    grid: Grid
    cells: GridCells
    group: Codes  # of each cell; -1: of none
    sizes: Floats  # what the rows of each group weigh
    least: float  # the weight from which on a cell is dense
    confidence: float

    @property
    def n_groups(self) -> int:
        return len(self.sizes)

    @property
    def objective(self) -> float:
        """Squared distances of grouped rows from the means of their groups, in units of the attributes' ranges."""
        total = 0.0
        for g in range(self.n_groups):
            members = self.group == g
            weight, mean = self.cells.weight[members, None], self.cells.mean[members]
            middle = (weight * mean).sum(axis=0) / weight.sum()
            # In units of the ranges before anything is squared: the square of a tiny range is 0.
            total += float((self.cells.scatter[members] / self.grid.span / self.grid.span).sum())
            total += float((weight * ((mean - middle) / self.grid.span) ** 2).sum())
        return total

    @property
    def n_parameters(self) -> int:
        return int(self.cells.mean.size)

    def groups(self, rows: Table) -> Codes:
        return self.groups_of(np.ascontiguousarray(self.space.write(rows)[:, self.active]))

    def groups_of(self, points: Floats) -> Codes:
        """The groups of points, by their cells."""
        groups = np.full(len(points), -1, dtype=np.int32)
        there = self.grid.within(points)
        number = self.grid.numbers(self.grid.places(points[there]))
        at = np.minimum(np.searchsorted(self.cells.number, number), len(self.cells) - 1)
        groups[there] = np.where(self.cells.number[at] == number, self.group[at], -1)
        return groups

    def levels(self) -> list[Layer]:
        """From the cell of all rows down to the bottom."""
        return layers(self.grid, self.cells)

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.space.to_arrays(),
            "active": self.active.astype(np.int32),
            "low": self.grid.low,
            "high": self.grid.high,
            "bits": np.array([self.grid.bits], dtype=np.int32),
            **self.cells.to_arrays(),
            "group": self.group,
            "sizes": self.sizes,
            "about": np.array([self.least, self.confidence]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        space = PointSpace.from_arrays(arrays, schema)
        active = stored_codes(arrays, "active", (space.width,), low=0, below=2).astype(np.bool_)
        d = int(active.sum())
        low, high = stored_floats(arrays, "low", (d,)), stored_floats(arrays, "high", (d,))
        bits = int(stored_codes(arrays, "bits", (1,), low=1, below=BITS + 1)[0])
        require(d > 0 and d * bits <= BITS and np.all(high > low), "the grid has no cells, or too many")
        grid = Grid(low, high, bits)
        cells = GridCells.from_arrays(arrays, grid)
        sizes = stored_floats(arrays, "sizes", (None,), low=0)
        group = stored_codes(arrays, "group", (len(cells),), low=-1, below=len(sizes))
        require(len(np.unique(group[group >= 0])) == len(sizes), "a cluster has no cell")
        least, confidence = stored_floats(arrays, "about", (2,), low=0).tolist()
        return cls(space, active, grid, cells, group, sizes, least, confidence)

    def why(self, row: Table, schema: Schema, group: int) -> str:
        point = np.ascontiguousarray(self.space.write(row)[:, self.active])
        if not self.grid.within(point)[0]:
            return "A value is missing or outside the grid, so it is in no cell."
        number = self.grid.numbers(self.grid.places(point))[0]
        at = int(np.searchsorted(self.cells.number, number))
        seen = at < len(self.cells) and self.cells.number[at] == number
        weight = float(self.cells.weight[at]) if seen else 0.0
        sentence = f"Its cell has a weight of {weight:g}, and from {self.least:g} on a cell is dense"
        if group < 0:
            return f"{sentence}; no dense cell touches it."
        return f"{sentence}; it is in cluster {group}{'' if weight >= self.least else ', whose dense cell it touches'}."

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        total = float(self.cells.weight.sum())
        lines = [
            f"{many(self.n_groups, 'cluster')} of dense cells, in a grid of {self.grid.bits + 1} levels and "
            f"{2**self.grid.bits} intervals of each attribute",
            f"{many(len(self.cells), 'cell')} of the lowest level hold rows; one is dense from a weight of "
            f"{self.least:g} on (confidence {self.confidence:g})",
            f"in no cluster: {percent(max(total - float(self.sizes.sum()), 0.0) / total)} of the rows in the grid",
            "",
        ]
        names = [c.name for c, on in zip(coded_columns(schema), self.active, strict=True) if on]
        centre = self.space.centre[self.active]
        shown = self.n_groups if full else min(self.n_groups, _SHOWN)
        for g in range(shown):
            members = self.group == g
            least, most = (
                self.cells.least[members].min(axis=0) + centre,
                self.cells.most[members].max(axis=0) + centre,
            )
            share = percent(float(self.sizes[g]) / total)
            lines.append(
                f"cluster {g}: weight {self.sizes[g]:.6g} ({share}), {many(int(members.sum()), 'cell')}"
            )
            phrases = [f"{n} {a:.4g} to {b:.4g}" for n, a, b in zip(names, least, most, strict=True)]
            lines.append("    " + "; ".join(phrases))
        if shown < self.n_groups:
            lines.append(f"and {many(self.n_groups - shown, 'other cluster')}")
        kinds = kinds_of(self.grid, self.levels()[0].cells, 0, self.confidence)[0]
        lines += [
            "",
            "all rows: " + "; ".join(f"{n} {KINDS[k]}" for n, k in zip(names, kinds.tolist(), strict=True)),
        ]
        return "\n".join(lines)


# -- questions about regions ----------------------------------------------------------------------
#
# Questions about regions of a grid, answered from the top down by cells of any level.
#
# Region   what is known of the rows in a region
# ask      the answer of a model


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """What is known of the rows in a region from the cells of one level.

    Attributes
    ----------
    level : int
        1 is the whole table.
    cells : int
        How many cells hold rows that may be in the region.
    certain, possible : float
        The weight of cells whose rows are all in the region, and of all cells that may hold such rows.
    estimate, low, high : float
        What the region holds by the cells' distributions, and between what, with the confidence asked for.
    mean, deviation, least, most : dicts
        Of the rows of all those cells, by attribute.
    edges : dict
        The edges of the cells that were looked at, by attribute: a region is answered by whole cells.
    """

    level: int
    cells: int
    certain: float
    possible: float
    estimate: float
    low: float
    high: float
    mean: dict[str, float]
    deviation: dict[str, float]
    least: dict[str, float]
    most: dict[str, float]
    edges: dict[str, tuple[float, float]]

    def __str__(self) -> str:
        lines = [
            f"about {self.estimate:.6g} ({self.low:.6g} to {self.high:.6g}) of the rows, from {self.certain:.6g} to "
            f"{self.possible:.6g} for certain; {many(self.cells, 'cell')} of level {self.level}"
        ]
        for name, (low, high) in self.edges.items():
            if self.cells:
                lines.append(
                    f"    {name} {self.mean[name]:.4g} (sd {self.deviation[name]:.3g}, {self.least[name]:.4g} to "
                    f"{self.most[name]:.4g}); cells from {low:.4g} to {high:.4g}"
                )
        return "\n".join(lines)


def shares_inside(grid: Grid, cells: GridCells, bits: int, kinds: Codes, low: Floats, high: Floats) -> Floats:
    """What share of each cell's rows is between the bounds: by its normal density, else by its histogram."""
    from scipy.special import ndtr

    below, above = np.maximum(cells.least, low), np.minimum(cells.most, high)
    width = grid.span / 2**bits / BINS
    start = grid.low + grid.intervals(cells.number, bits) * width * BINS
    bin_low = start[:, :, None] + width[:, None] * np.arange(BINS)
    overlap = np.minimum(bin_low + width[:, None], high[:, None]) - np.maximum(bin_low, low[:, None])
    counted = (cells.bins * np.clip(overlap / width[:, None], 0.0, 1.0)).sum(axis=2) / cells.weight[:, None]
    deviation = np.sqrt(cells.scatter / cells.weight[:, None])
    unit = np.where(deviation > 0, deviation, 1.0)
    ends = [ndtr((x - cells.mean) / unit) for x in (below, above, cells.least, cells.most)]
    whole = ends[3] - ends[2]
    bell = np.maximum(ends[1] - ends[0], 0) / np.where(whole > 0, whole, 1.0)
    share = np.where((kinds == 1) & (whole > 0), bell, counted)
    # Least and most are exact: they know more than the bins at the ends.
    share = np.where((cells.least >= low) & (cells.most <= high), 1.0, share)
    outside = (cells.most < low) | (cells.least > high)
    shares: Floats = np.where(outside, 0.0, np.clip(share, 0.0, 1.0)).prod(axis=1)
    return shares


def ask(model: GridModel, names: list[str], low: Floats, high: Floats, level: int) -> Region:
    """From the top down, below those cells only that may hold rows of the region."""
    from scipy.special import ndtri

    # A column that never varies is at 0, its mean; bounds that leave it out leave out everything.
    fixed = ~model.active
    empty = bool(np.any((low[fixed] > 0) | (high[fixed] < 0)))
    active, low, high = np.flatnonzero(model.active), low[model.active], high[model.active]
    levels = model.levels()
    kept = np.array([] if empty else [0], dtype=np.int64)
    for layer, below in pairwise(levels[:level]):
        kept = child_cells(layer, kept, len(below.cells))
        cells = below.cells
        touched = (cells.most[kept] >= low) & (cells.least[kept] <= high)
        kept = kept[touched.all(axis=1)]
    layer = levels[level - 1]
    every = layer.cells
    cells = GridCells(*(getattr(every, name)[kept] for name in GridCells.__slots__))
    within = ((cells.least >= low) & (cells.most <= high)).all(axis=1)
    possible = float(cells.weight.sum())
    certain = float(cells.weight[within].sum())
    kinds = kinds_of(model.grid, cells, layer.bits, model.confidence)
    share = np.where(within, 1.0, shares_inside(model.grid, cells, layer.bits, kinds, low, high))
    estimate = float((cells.weight * share).sum())
    half = float(ndtri((1 + model.confidence) / 2) * np.sqrt((cells.weight * share * (1 - share)).sum()))
    statistics: dict[str, dict[str, float]] = {"mean": {}, "deviation": {}, "least": {}, "most": {}}
    edges: dict[str, tuple[float, float]] = {}
    width = model.grid.span / 2**layer.bits
    intervals = model.grid.intervals(cells.number, layer.bits)
    for j, column in enumerate(active.tolist()):
        name, centre = names[column], float(model.space.centre[column])
        if not len(cells):
            edges[name] = (float("nan"), float("nan"))
            continue
        middle = float((cells.weight * cells.mean[:, j]).sum() / possible)
        scatter = float((cells.scatter[:, j] + cells.weight * (cells.mean[:, j] - middle) ** 2).sum())
        statistics["mean"][name] = middle + centre
        statistics["deviation"][name] = float(np.sqrt(scatter / possible))
        statistics["least"][name] = float(cells.least[:, j].min()) + centre
        statistics["most"][name] = float(cells.most[:, j].max()) + centre
        start, end = int(intervals[:, j].min()), int(intervals[:, j].max()) + 1
        from_ = float(model.grid.low[j]) + centre
        edges[name] = (from_ + start * float(width[j]), from_ + end * float(width[j]))
    return Region(
        level=level,
        cells=len(cells),
        certain=certain,
        possible=possible,
        estimate=estimate,
        low=max(estimate - half, certain),
        high=min(estimate + half, possible),
        mean=statistics["mean"],
        deviation=statistics["deviation"],
        least=statistics["least"],
        most=statistics["most"],
        edges=edges,
    )
