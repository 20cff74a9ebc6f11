"""Rows as points, for distances that are squared differences of numbers.

    PointSpace  how columns become coordinates; fitted on rows in blocks, in one pass
    write       the points of a table, row by row; NaN where a value is missing
    Points      a block of training rows as points, with weights and what a search remembers about each

Every number is shifted to mean 0 before anything is squared, so that its offset does not matter. With `scale` it is
divided by its standard deviation, and a nominal attribute (one coordinate for each level) by the root of its own
variance (the sum of p (1 - p) over its levels): every attribute then has variance 1. Without it, two different levels
are at distance 1. A missing level leaves all its attribute's coordinates unknown; a new level differs from all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.preprocessing.coded import coded_columns, coded_width
from acumen.preprocessing.stored_arrays import stored_floats
from acumen.rows.persisted import Persisted
from acumen.rows.training_rows import Rows
from acumen.summaries.moments import ClassMoments
from acumen.types import MISSING, Array, Codes, Floats

if TYPE_CHECKING:
    from acumen.engines.worker_state import PersistedOnWorkers


#: Points beyond this are as far as can be: their squares still add.
_FAR = 1e100
#: Rows written at a time, so that columns are turned into rows in cache.
_ROWS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class PointSpace:
    """Coordinates of rows under one schema: (value - centre) * factor."""

    centre: Floats
    factor: Floats

    @classmethod
    def fit(cls, rows: Rows, scale: bool, who: str) -> Self:
        """From rows with their weights, in one pass."""
        moments: ClassMoments = rows.sum(_moments)
        weight, centre, scatter = moments.weight[0], moments.mean[0], moments.scatter[0]
        columns = coded_columns(rows.schema)
        for column, spread in zip(columns, scatter.tolist(), strict=True):
            if not np.isfinite(spread):
                raise DataError(
                    f"{who}: the numbers of {column.name!r} are so large that their squares cannot be added; divide "
                    "them by a constant."
                )
        variance = np.divide(scatter, weight, out=np.zeros_like(scatter), where=weight > 0)
        levels = np.array([column.level is not None for column in columns], dtype=np.bool_)
        owner = np.array([column.attribute for column in columns], dtype=np.intp)
        whole = np.bincount(owner, np.where(levels, variance, 0.0), minlength=len(rows.schema))[owner]
        variance_used = np.where(levels, whole, variance)
        # A spread that is all rounding is none: the mean of equal numbers is off by some digits of their size.
        varies = variance_used > (1e-14 * np.abs(centre)) ** 2
        factor = np.where(levels, np.sqrt(0.5), 1.0)
        if scale:
            factor = np.divide(1.0, np.sqrt(variance_used), out=np.zeros_like(variance_used), where=varies)
        return cls(centre, factor)

    @property
    def width(self) -> int:
        """How many coordinates there are."""
        return len(self.centre)

    def write(self, rows: Table) -> Floats:
        """The points of rows, a line each."""
        matrix = np.empty((len(rows), self.width))
        for start in range(0, len(rows), _ROWS):
            part = slice(start, min(start + _ROWS, len(rows)))
            _write_raw(rows.take(part), matrix[part])
            self.place(matrix[part])
        return matrix

    def place(self, raw: Floats) -> None:
        """Turn values into coordinates, in place; infinite ones are missing."""
        with np.errstate(over="ignore", invalid="ignore"):
            raw -= self.centre
            raw[np.isinf(raw)] = np.nan
            raw *= self.factor
            np.clip(raw, -_FAR, _FAR, out=raw)

    def values(self, points: Floats) -> Floats:
        """Points in the units of the columns; a column that never varies is at its one value."""
        known = np.divide(points, self.factor, out=np.zeros_like(points), where=self.factor > 0)
        values: Floats = self.centre + known
        return values

    def to_arrays(self) -> dict[str, Array]:
        return {"centre": self.centre, "factor": self.factor}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        width = coded_width(schema)
        return cls(
            stored_floats(arrays, "centre", (width,)), stored_floats(arrays, "factor", (width,), low=0)
        )


def no_words(schema: Schema) -> str | None:
    """Object to texts, which have no coordinates."""
    if schema.text:
        return (
            f"text has no coordinates; leave out the text column {schema.text[0].name!r}, or use k-medoids."
        )
    if not coded_width(schema):
        return "the table has 0 feature(s) to compare rows by."
    return None


def _moments(table: Table) -> ClassMoments:
    labels = np.zeros(len(table), dtype=np.int32)
    if table.schema.nominal or table.sparse is not None:
        raw = np.empty((len(table), coded_width(table.schema)))
        _write_raw(table, raw)
        return ClassMoments.of(raw, labels, table.weights, 1)
    return ClassMoments.of(table.numeric, labels, table.weights, 1)


def _write_raw(rows: Table, made: Floats) -> None:
    """The columns as numbers: numeric and ordinal as they are, a 0/1 column for each level; NaN where missing."""
    if rows.sparse is not None:
        numbers = iter(rows.sparse.toarray().astype(np.float64, copy=False).T)
    elif not rows.schema.nominal:
        made[...] = rows.numeric.matrix()
        return
    else:
        numbers = iter(rows.numeric.columns)
    codes = iter(rows.nominal.columns)
    at = 0
    for attribute in rows.schema.attributes:
        if attribute.is_numeric:
            made[:, at] = next(numbers)
            at += 1
        elif attribute.kind == "ordinal":
            column = next(codes)
            made[:, at] = np.where(column >= 0, column, np.nan)
            at += 1
        elif attribute.is_nominal:
            column, width = next(codes), len(attribute.levels)
            block = made[:, at : at + width]
            block[...] = 0.0
            block[column == MISSING] = np.nan
            known = np.flatnonzero(column >= 0)
            block[known, column[known]] = 1.0
            at += width


NO_FLOATS: Floats = np.empty(0)
#: Blocks of points (or of whatever a search takes rows as), wherever they are.
Blocks: TypeAlias = "Persisted | PersistedOnWorkers"


@dataclass(slots=True, eq=False)
class Points:
    """A block of rows as points; labels and bounds are empty until something is remembered of them."""

    values: Floats
    weights: Floats
    labels: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    upper: Floats = field(default_factory=lambda: NO_FLOATS)
    lower: Floats = field(default_factory=lambda: NO_FLOATS)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def row_weights(self) -> Floats:
        return self.weights if self.weights.size else np.ones(len(self))

    def remember(self, bounds: bool) -> None:
        """Make room for labels, and for bounds where asked for."""
        n = len(self)
        self.labels = np.full(n, -1, dtype=np.int32)
        if bounds:
            self.upper, self.lower = np.full(n, np.inf), np.zeros(n)

    @classmethod
    def concatenate(cls, blocks: Iterable[Points]) -> Points:
        """All blocks as one."""
        every = list(blocks)
        if len(every) == 1:
            return every[0]
        weights = [block.row_weights for block in every]
        return cls(np.concatenate([block.values for block in every]), np.concatenate(weights))


def points_of(table: Table, space: PointSpace) -> Points:
    """The rows of a block as points."""
    return Points(space.write(table), table.weights)


def points_in(rows: Rows, space: PointSpace) -> Blocks:
    """All rows as points, block by block."""
    return rows.persist(partial(points_of, space=space), 8 * (space.width + 1))
