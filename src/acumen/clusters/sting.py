"""The STING learner: a grid of cells, clusters of dense ones, queries about regions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.clusterer import Clusterer
from acumen.base.grouping import Grouping, by_first_row
from acumen.clusters.grid import Grid, GridCells, connect_cells, dense_cells, dense_weight, layers
from acumen.clusters.kmeans import cluster_weights
from acumen.clusters.space import PointSpace, no_words
from acumen.clusters.sting_model import BITS, GridModel, Region, ask
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.models.parameters import AtLeast, Between
from acumen.preprocessing.coded import coded_columns
from acumen.render.text import many
from acumen.rows.training_rows import Rows
from acumen.summaries.algebra import add_up
from acumen.types import Codes, Floats

_MOST = 15  # attributes of which each can be cut into 16 intervals at least
_FINEST = 12


class Sting(Clusterer):
    """Summarise rows in a hierarchy of grid cells; clusters are dense cells that touch (STING).

    The range of each attribute is halved level by level. Each occupied cell keeps the weight of its rows and, of every
    attribute, mean, scatter, least, most and a histogram of eight bins, by which the cell's distribution is called
    uniform, normal or none (chi-square). Cells of higher levels are made of lower ones, exactly. Wang, Yang and Muntz
    (1997).

    A cell of the lowest level is dense if uniform rows would hardly give any cell as much (`confidence`). Dense cells
    that touch (at a corner at least) are one group, cells that touch a dense one go with it, and all other
    rows are noise. Groups are
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
    >>> model.n_clusters_, found.certain, found.possible
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
                return f"a grid needs numbers; leave out the nominal column {attribute.name!r}, or use k-prototypes."
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
        return int(np.clip(round(np.log2(max(n / 16, 2.0)) / max(d, 1)), 2, min(_FINEST, BITS // max(d, 1))))

    @property
    def streams(self) -> bool:
        return True

    def cluster(self, rows: Rows) -> Grouping:
        space = PointSpace.fit(rows, False, self._name)

        def points(table: Table) -> Floats:
            return space.write(table)

        low = np.full(space.width, np.inf)
        high = np.full(space.width, -np.inf)

        def ranges(table: Table) -> tuple[Floats, Floats]:
            values = points(table)
            return _least(values), -_least(-values)

        for least, most in rows.each(ranges):
            low, high = np.fmin(low, least), np.fmax(high, most)
        active = high - low > 2e-14 * np.abs(space.centre)
        d = int(active.sum())
        if not d:
            raise DataError(
                f"{self._name}: no attribute varies among the {len(rows):,} rows"
                f"{' (1 sample)' if len(rows) == 1 else ''}, so there is nothing to cut into cells."
            )
        bits = self._bits(rows.weight, d)
        if bits * d > BITS:
            raise ParameterError(
                f"{self._name}: {bits + 1} levels of {many(d, 'attribute')} make 2^{bits * d} cells, and counts go "
                f"up to 2^{BITS}; ask for at most {BITS // d + 1} levels."
            )
        grid = Grid(low[active], high[active], bits)

        def summarise_block(table: Table) -> GridCells:
            return GridCells.of(grid, points(table)[:, active], table.row_weights)

        cells: GridCells = rows.sum(summarise_block)
        if not len(cells):
            raise DataError(
                f"{self._name}: every row has a missing value, so no row is in a cell of the grid."
            )
        dense = dense_weight(grid, float(cells.weight.sum()), self.confidence)
        group = connect_cells(grid, cells, dense_cells(layers(grid, cells), dense))
        n_groups = int(group.max()) + 1
        model = GridModel(space, active, grid, cells, group, np.zeros(n_groups), dense, self.confidence)
        return self._number_groups(model, rows)

    def _number_groups(self, model: GridModel, rows: Rows) -> Grouping:
        """Groups in the order of their first rows."""
        order: dict[int, None] = {}
        n = model.n_groups
        sizes, kept = [], [np.empty(0, dtype=np.int32)]

        keep = rows.table is not None

        def assign_block(table: Table) -> tuple[list[int], Floats, Codes]:
            labels = model.groups(table)
            size = cluster_weights(labels, table.row_weights, n)
            return by_first_row(labels)[1].tolist(), size, labels if keep else labels[:0]

        for met, size, labels in rows.each(assign_block):
            order.update(dict.fromkeys(met))
            sizes.append(size)
            kept.append(labels)
        number = np.full(n + 1, -1, dtype=np.int32)  # the last one stays -1, which -1 finds
        number[list(order)] = np.arange(len(order), dtype=np.int32)
        unnumbered = GridModel(
            model.space, model.active, model.grid, model.cells, number[model.group],
            np.asarray(add_up(sizes))[list(order)], model.least, model.confidence,
        )  # fmt: skip
        return Grouping(unnumbered, number[np.concatenate(kept)])

    @property
    def levels_(self) -> int:
        """The number of levels."""
        levels: int = self._require_fitted().model.grid.bits + 1
        return levels

    @property
    def dense_weight_(self) -> float:
        """The minimum weight of a dense cell."""
        dense_weight: float = self._require_fitted().model.least
        return dense_weight

    def query(
        self, region: Mapping[str, tuple[float | None, float | None]], *, level: int | None = None
    ) -> Region:
        """Estimate statistics of the rows within given bounds from the cells of one level.

        Parameters
        ----------
        region : mapping of names to (low, high)
            Both bounds are part of the region; None: without a bound. Attributes that are not named are not bounded.
        level : int, optional
            From 1, the one cell of all rows, to `levels_`, the finest and the default.
        """
        model: GridModel = self._require_fitted().model
        level = self.levels_ if level is None else level
        whole = isinstance(level, (int, np.integer)) and not isinstance(level, bool)
        if not whole or not 1 <= level <= self.levels_:
            raise ParameterError(
                f"{self._name}: level must be a whole number from 1 to {self.levels_}; got {level!r}."
            )
        low, high = self._bounds(model, region)
        return ask(model, [c.name for c in coded_columns(self.schema_)], low, high, level)

    def _bounds(self, model: GridModel, region: Mapping[str, Any]) -> tuple[Floats, Floats]:
        names = [column.name for column in coded_columns(self.schema_)]
        low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
        if not isinstance(region, Mapping):
            raise ParameterError(
                f"{self._name}: a region is a mapping of attributes to (low, high); got {region!r}."
            )
        for name, bounds in region.items():
            if name not in names:
                raise ParameterError(
                    f"{self._name}: there is no attribute {name!r}.{did_you_mean(str(name), names)}"
                )
            j = names.index(name)
            try:
                least, most = (None if end is None else float(end) for end in bounds)
            except (TypeError, ValueError):
                raise ParameterError(
                    f"{self._name}: the bounds of {name!r} must be two numbers, or None; got {bounds!r}."
                ) from None
            low[j] = -np.inf if least is None else least - model.space.centre[j]
            high[j] = np.inf if most is None else most - model.space.centre[j]
            if not low[j] <= high[j]:
                raise ParameterError(f"{self._name}: the bounds of {name!r} must ascend; got {bounds!r}.")
        return low, high


def _least(points: Floats) -> Floats:
    """The least known value of each column; infinite where there is none."""
    least: Floats = np.where(np.isnan(points), np.inf, points).min(axis=0, initial=np.inf)
    return least
