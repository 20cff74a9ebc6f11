"""The model of STING: the bottom cells of a grid with their groups; levels above are made of them when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.clusters.grid import KINDS, Grid, GridCells, Layer, kinds_of, layers
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
        require(len(np.unique(group[group >= 0])) == len(sizes), "a group has no cell")
        least, confidence = stored_floats(arrays, "about", (2,), low=0).tolist()
        return cls(space, active, grid, cells, group, sizes, least, confidence)

    def why(self, row: Table, schema: Schema, group: int) -> str:
        point = np.ascontiguousarray(self.space.write(row)[:, self.active])
        if not self.grid.within(point)[0]:
            return "A value is missing or outside the grid, so it lies in no cell."
        number = self.grid.numbers(self.grid.places(point))[0]
        at = int(np.searchsorted(self.cells.number, number))
        seen = at < len(self.cells) and self.cells.number[at] == number
        weight = float(self.cells.weight[at]) if seen else 0.0
        sentence = f"Its cell has a weight of {weight:g}, and from {self.least:g} on a cell is dense"
        if group < 0:
            return f"{sentence}; no dense cell touches it."
        return f"{sentence}; it is in group {group}{'' if weight >= self.least else ', whose dense cell it touches'}."

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        total = float(self.cells.weight.sum())
        lines = [
            f"{many(self.n_groups, 'group')} of dense cells, in a grid of {self.grid.bits + 1} levels and "
            f"{2**self.grid.bits} intervals of each attribute",
            f"{many(len(self.cells), 'cell')} of the lowest level hold rows; one is dense from a weight of "
            f"{self.least:g} on (confidence {self.confidence:g})",
            f"in no group: {percent(max(total - float(self.sizes.sum()), 0.0) / total)} of the rows in the grid",
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
                f"group {g}: weight {self.sizes[g]:.6g} ({share}), {many(int(members.sum()), 'cell')}"
            )
            phrases = [f"{n} {a:.4g} to {b:.4g}" for n, a, b in zip(names, least, most, strict=True)]
            lines.append("    " + "; ".join(phrases))
        if shown < self.n_groups:
            lines.append(f"and {many(self.n_groups - shown, 'other group')}")
        kinds = kinds_of(self.grid, self.levels()[0].cells, 0, self.confidence)[0]
        lines += [
            "",
            "all rows: " + "; ".join(f"{n} {KINDS[k]}" for n, k in zip(names, kinds.tolist(), strict=True)),
        ]
        return "\n".join(lines)
