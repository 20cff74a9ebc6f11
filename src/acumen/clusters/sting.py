"""STING: a hierarchy of grid cells as a model of groups, and its face.

GridModel   the bottom cells with their groups; levels above are made of them when they are asked for
Sting       the face
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.base.clusterer import Grouping, by_first_row
from acumen.base.model import GroupModel
from acumen.base.parameters import AtLeast, Between
from acumen.clusters.grid import Cells, Grid, Layer, layers
from acumen.clusters.grid_kinds import KINDS, kinds_of
from acumen.clusters.kmeans import weighed
from acumen.clusters.passes import Rows, StreamingFace, over_blocks
from acumen.clusters.space import Space, no_words
from acumen.clusters.sting_groups import Region, children, dense_cells, dense_weight, grouped, shares_inside
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.show.text import many, percent
from acumen.summaries.algebra import add_up
from acumen.types import Array, Bools, Codes, Floats
from acumen.views.coded import coded_columns
from acumen.views.stored import require, stored_codes, stored_floats

_BITS = 62  # of a cell's number
_MOST = 15  # attributes of which each can be cut into 16 intervals at least
_FINEST = 12
_SHOWN = 12  # groups told in a description


@dataclass(frozen=True, slots=True, eq=False)
class GridModel(GroupModel):
    """Cells of the bottom level and their groups; a row belongs where its cell does."""

    kind: ClassVar[str] = "sting"

    space: Space  # moved to mean 0, in the units of the columns
    active: Bools  # the columns that vary, which the grid is of
    grid: Grid
    cells: Cells
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
            own = self.group == g
            weight, mean = self.cells.weight[own, None], self.cells.mean[own]
            middle = (weight * mean).sum(axis=0) / weight.sum()
            scatter = self.cells.scatter[own] + weight * (mean - middle) ** 2
            total += float((scatter.sum(axis=0) / self.grid.span**2).sum())
        return total

    @property
    def n_parameters(self) -> int:
        return int(self.cells.mean.size)

    def groups(self, rows: Table) -> Codes:
        return self.groups_of(np.ascontiguousarray(self.space.write(rows)[:, self.active]))

    def groups_of(self, points: Floats) -> Codes:
        """The groups of points, by their cells."""
        found = np.full(len(points), -1, dtype=np.int32)
        there = self.grid.within(points)
        number = self.grid.numbers(self.grid.places(points[there]))
        at = np.minimum(np.searchsorted(self.cells.number, number), len(self.cells) - 1)
        found[there] = np.where(self.cells.number[at] == number, self.group[at], -1)
        return found

    def levels(self) -> list[Layer]:
        """From the cell of all rows down to the bottom."""
        return layers(self.grid, self.cells)

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.space.to_arrays(),
            "active": self.active.astype(np.int32),
            "low": self.grid.low,
            "span": self.grid.span,
            "bits": np.array([self.grid.bits], dtype=np.int32),
            **self.cells.to_arrays(),
            "group": self.group,
            "sizes": self.sizes,
            "about": np.array([self.least, self.confidence]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        space = Space.from_arrays(arrays, schema)
        active = stored_codes(arrays, "active", (space.width,), low=0, below=2).astype(np.bool_)
        d = int(active.sum())
        low, span = stored_floats(arrays, "low", (d,)), stored_floats(arrays, "span", (d,), low=0)
        bits = int(stored_codes(arrays, "bits", (1,), low=1, below=_BITS + 1)[0])
        require(d > 0 and d * bits <= _BITS and np.all(span > 0), "the grid has no cells, or too many")
        grid = Grid(low, span, bits)
        cells = Cells.from_arrays(arrays, grid)
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
        told = f"Its cell has a weight of {weight:g}, and from {self.least:g} on a cell is dense"
        if group < 0:
            return f"{told}; no dense cell touches it."
        return f"{told}; it is in group {group}{'' if weight >= self.least else ', of which a dense cell touches it'}."

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        total = float(self.cells.weight.sum())
        lines = [
            f"{many(self.n_groups, 'group')} of dense cells, in a grid of {self.grid.bits + 1} levels and "
            f"{2**self.grid.bits} intervals of each attribute",
            f"{many(len(self.cells), 'cell')} of the lowest level hold rows; from a weight of {self.least:g} on one is dense "
            f"(confidence {self.confidence:g})",
            f"in no group: {percent(max(total - float(self.sizes.sum()), 0.0) / total)} of the rows in the grid",
            "",
        ]
        names = [c.name for c, on in zip(coded_columns(schema), self.active, strict=True) if on]
        centre = self.space.centre[self.active]
        shown = self.n_groups if full else min(self.n_groups, _SHOWN)
        for g in range(shown):
            own = self.group == g
            least, most = (
                self.cells.least[own].min(axis=0) + centre,
                self.cells.most[own].max(axis=0) + centre,
            )
            share = percent(float(self.sizes[g]) / total)
            lines.append(f"group {g}: weight {self.sizes[g]:.6g} ({share}), {many(int(own.sum()), 'cell')}")
            said = [f"{n} {a:.4g} to {b:.4g}" for n, a, b in zip(names, least, most, strict=True)]
            lines.append("    " + "; ".join(said))
        if shown < self.n_groups:
            lines.append(f"and {many(self.n_groups - shown, 'other group')}")
        kinds = kinds_of(self.grid, self.levels()[0].cells, 0, self.confidence)[0]
        lines += [
            "",
            "all rows: " + "; ".join(f"{n} {KINDS[k]}" for n, k in zip(names, kinds.tolist(), strict=True)),
        ]
        return "\n".join(lines)


class Sting(StreamingFace):
    """Summarise rows by a hierarchy of grid cells; groups are dense cells that touch, and regions are answered for.

    The range of each attribute is halved level by level. Each occupied cell keeps the weight of its rows and, of every
    attribute, mean, scatter, least, most and a histogram of eight bins, by which the cell's distribution is called
    uniform, normal or none (chi-square). Cells of higher levels are made of lower ones, exactly. Wang, Yang and Muntz
    (1997).

    A cell of the lowest level is dense if uniform rows would hardly give any cell as much (`confidence`). Dense cells
    that touch (at a corner at least) are one group, cells that touch a dense one go with it, and all other rows are noise. Groups are
    made of whole cells: their borders are cell edges. Rows with a missing value lie in no cell and are noise; so are
    new rows outside the grid. Made for two or three attributes: with many, cells hold a row each. `fit_stream` finds
    what `fit` finds, to the byte.

    Parameters
    ----------
    levels : "auto" or int
        How many levels, the one cell of all rows among them: the lowest has 2^(levels - 1) intervals of each attribute.
        "auto": so many that its cells would hold about 16 rows each, were they uniform; three at least.
    confidence : float
        That no cell of uniform rows would be dense; also of the tests of distributions and of intervals in answers.
    n_jobs : int, optional
        Threads; None for all permitted cores. The answer does not depend on it.

    Attributes
    ----------
    labels_ : array of int
        The group of each row; -1 for noise. Not there after `fit_stream`.
    objective_ : float
        Squared distances of grouped rows from the means of their groups, in units of the attributes' ranges.
    levels_ : int
    dense_weight_ : float
        The weight from which on a cell is dense.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris").select(["petal_length", "petal_width"])
    >>> model = acumen.Sting().fit(iris)
    >>> found = model.query({"petal_length": (1.0, 2.0)})
    >>> model.n_groups_, found.certain, found.possible
    (2, 50.0, 50.0)
    """

    kind: ClassVar[str] = "sting"
    model_type = GridModel

    def __init__(
        self,
        *,
        levels: Annotated[int, AtLeast(2)] | Literal["auto"] = "auto",
        confidence: Annotated[float, Between(0.5, 1 - 1e-12)] = 0.95,
        n_jobs: int | None = None,
    ) -> None:
        self.levels = levels
        self.confidence = confidence
        self.n_jobs = n_jobs

    def objection(self, schema: Schema) -> str | None:
        for attribute in schema.attributes:
            if attribute.kind == "nominal":
                return f"a grid is of numbers; leave out the nominal column {attribute.name!r}, or use k-prototypes."
        n = sum(a.kind != "text" for a in schema.attributes)
        if n > _MOST:
            return (
                f"a grid of {n} attributes has 2^{n} cells for every halving, and hardly two rows in one; take at most "
                f"{_MOST} attributes (principal components, say), or use DBSCAN."
            )
        return no_words(schema)

    def memory(self, rows: int, schema: Schema) -> int | None:
        d = len(schema.attributes)
        cells = min(float(rows), 2.0 ** (d * self._bits(rows, d)))
        return int(rows * (24 * d + 24) + 3 * cells * (24 + 8 * d * 12))

    def _bits(self, n: float, d: int) -> int:
        """Halvings of each attribute."""
        if self.levels != "auto":
            return self.levels - 1
        return int(np.clip(round(np.log2(max(n / 16, 2.0)) / max(d, 1)), 2, min(_FINEST, _BITS // max(d, 1))))

    def found(self, rows: Rows) -> Grouping:
        space = Space.fitted(rows.tables(), rows.schema, False, self._name)

        def points(table: Table) -> Floats:
            return space.write(table)

        low = np.full(space.width, np.inf)
        high = np.full(space.width, -np.inf)
        for table in rows.tables():
            low, high = np.fmin(low, _least(points(table))), np.fmax(high, -_least(-points(table)))
        active = high - low > 2e-14 * np.abs(space.centre)
        d = int(active.sum())
        if not d:
            raise DataError(
                f"{self._name}: no attribute varies among the {rows.n_rows:,} rows"
                f"{' (1 sample)' if rows.n_rows == 1 else ''}, so there is nothing to cut into cells."
            )
        bits = self._bits(rows.weight, d)
        if bits * d > _BITS:
            raise ParameterError(
                f"{self._name}: {bits + 1} levels of {many(d, 'attribute')} make 2^{bits * d} cells, and cells are counted "
                f"up to 2^{_BITS}; ask for at most {_BITS // d + 1} levels."
            )
        grid = Grid(low[active], (high - low)[active], bits)

        def summarised(table: Table) -> Cells:
            return Cells.of(grid, points(table)[:, active], table.row_weights)

        cells: Cells = add_up(over_blocks(rows.tables(), summarised))
        if not len(cells):
            raise DataError(
                f"{self._name}: every row has a missing value, so none lies in a cell of the grid."
            )
        least = dense_weight(grid, float(cells.weight.sum()), self.confidence)
        group = grouped(grid, cells, dense_cells(layers(grid, cells), least))
        n_groups = int(group.max()) + 1
        model = GridModel(space, active, grid, cells, group, np.zeros(n_groups), least, self.confidence)
        return self._numbered(model, rows)

    def _numbered(self, model: GridModel, rows: Rows) -> Grouping:
        """Groups in the order of their first rows."""
        order: dict[int, None] = {}
        n = model.n_groups
        sizes, kept = [], [np.empty(0, dtype=np.int32)]

        def placed(table: Table) -> tuple[Codes, Floats]:
            labels = model.groups(table)
            return labels, weighed(labels, table.row_weights, n)

        for labels, size in over_blocks(rows.tables(), placed):
            order.update(dict.fromkeys(by_first_row(labels)[1].tolist()))
            sizes.append(size)
            if rows.held:
                kept.append(labels)
        number = np.full(n + 1, -1, dtype=np.int32)  # the last one stays -1, which -1 finds
        number[list(order)] = np.arange(len(order), dtype=np.int32)
        made = GridModel(
            model.space, model.active, model.grid, model.cells, number[model.group],
            np.asarray(add_up(sizes))[list(order)], model.least, model.confidence,
        )  # fmt: skip
        return Grouping(made, number[np.concatenate(kept)])

    @property
    def levels_(self) -> int:
        """How many levels there are."""
        found: int = self._fitted().model.grid.bits + 1
        return found

    @property
    def dense_weight_(self) -> float:
        """The weight from which on a cell is dense."""
        found: float = self._fitted().model.least
        return found

    def query(
        self, region: Mapping[str, tuple[float | None, float | None]], *, level: int | None = None
    ) -> Region:
        """What is known of the rows with values between given bounds, from the cells of one level.

        Parameters
        ----------
        region : mapping of names to (low, high)
            Both bounds are part of the region; None: without a bound. Attributes that are not named are not bounded.
        level : int, optional
            From 1, the one cell of all rows, to `levels_`, the finest and the default.
        """
        model: GridModel = self._fitted().model
        level = self.levels_ if level is None else level
        if not 1 <= level <= self.levels_:
            raise ParameterError(f"{self._name}: level must be from 1 to {self.levels_}; got {level!r}.")
        low, high = self._bounds(model, region)
        return ask(model, [c.name for c in coded_columns(self.schema_)], low, high, level)

    def _bounds(self, model: GridModel, region: Mapping[str, Any]) -> tuple[Floats, Floats]:
        names = [column.name for column in coded_columns(self.schema_)]
        low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
        for name, bounds in region.items():
            if name not in names:
                raise ParameterError(
                    f"{self._name}: there is no attribute {name!r}{did_you_mean(name, names)}"
                )
            j = names.index(name)
            low[j] = -np.inf if bounds[0] is None else float(bounds[0]) - model.space.centre[j]
            high[j] = np.inf if bounds[1] is None else float(bounds[1]) - model.space.centre[j]
            if not low[j] <= high[j]:
                raise ParameterError(f"{self._name}: the bounds of {name!r} must ascend; got {bounds!r}.")
        return low, high


def ask(model: GridModel, names: list[str], low: Floats, high: Floats, level: int) -> Region:
    """From the top down, below those cells only that may hold rows of the region."""
    from scipy.special import ndtri

    # A column that never varies is at 0, its mean; bounds that leave it out leave out everything.
    fixed = ~model.active
    empty = bool(np.any((low[fixed] > 0) | (high[fixed] < 0)))
    own, low, high = np.flatnonzero(model.active), low[model.active], high[model.active]
    levels = model.levels()
    kept = np.array([] if empty else [0], dtype=np.int64)
    for layer, below in zip(levels[: level - 1], levels[1:level], strict=True):
        kept = children(layer, kept, len(below.cells))
        cells = below.cells
        touched = (cells.most[kept] >= low) & (cells.least[kept] <= high)
        kept = kept[touched.all(axis=1)]
    layer = levels[level - 1]
    every = layer.cells
    cells = Cells(*(getattr(every, name)[kept] for name in Cells.__slots__))
    within = ((cells.least >= low) & (cells.most <= high)).all(axis=1)
    possible = float(cells.weight.sum())
    certain = float(cells.weight[within].sum())
    kinds = kinds_of(model.grid, cells, layer.bits, model.confidence)
    share = np.where(within, 1.0, shares_inside(cells, kinds, low, high))
    estimate = float((cells.weight * share).sum())
    half = float(ndtri((1 + model.confidence) / 2) * np.sqrt((cells.weight * share * (1 - share)).sum()))
    told: dict[str, dict[str, float]] = {"mean": {}, "deviation": {}, "least": {}, "most": {}}
    edges: dict[str, tuple[float, float]] = {}
    width = model.grid.span / 2**layer.bits
    intervals = model.grid.intervals(cells.number, layer.bits)
    for j, column in enumerate(own.tolist()):
        name, centre = names[column], float(model.space.centre[column])
        if not len(cells):
            edges[name] = (float("nan"), float("nan"))
            continue
        middle = float((cells.weight * cells.mean[:, j]).sum() / possible)
        scatter = float((cells.scatter[:, j] + cells.weight * (cells.mean[:, j] - middle) ** 2).sum())
        told["mean"][name] = middle + centre
        told["deviation"][name] = float(np.sqrt(scatter / possible))
        told["least"][name] = float(cells.least[:, j].min()) + centre
        told["most"][name] = float(cells.most[:, j].max()) + centre
        start, end = int(intervals[:, j].min()), int(intervals[:, j].max()) + 1
        from_ = float(model.grid.low[j]) + centre
        edges[name] = (from_ + start * float(width[j]), from_ + end * float(width[j]))
    return Region(
        level, len(cells), certain, possible, estimate, max(estimate - half, certain),
        min(estimate + half, possible), told["mean"], told["deviation"], told["least"], told["most"], edges,
    )  # fmt: skip


def _least(points: Floats) -> Floats:
    """The least known value of each column; infinite where there is none."""
    made: Floats = np.where(np.isnan(points), np.inf, points).min(axis=0, initial=np.inf)
    return made
