"""Rows as numbers and codes, for comparison with prototypes.

    MixedSpace   how columns become numbers (moved to mean 0, of variance 1 with `scale`) and codes of levels
    MixedRows    a block of rows in it, with the weight of each

With `as_levels` nothing is a number: ordinal levels are levels, and each different number is a level of its own.
A row counts for as many attributes as there are, however few it knows: its distances are multiplied by
attributes / known ones, which is done by its weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.rows.training_rows import Rows
from acumen.summaries.moments import ClassMoments
from acumen.types import MISSING, UNKNOWN, Array, Codes, Floats

_FAR = 1e100  # points beyond this are as far as can be: their squares still add


@dataclass(frozen=True, slots=True, eq=False)
class MixedRows:
    """A block: numbers (rows, p), codes (q, rows), what rows weigh, and that times the share they do not know."""

    numbers: Floats
    codes: Codes
    weights: Floats
    counted: Floats

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Any, weights: Floats) -> Self:
        """Some rows, with other weights."""
        factor = np.divide(
            self.counted[rows], self.weights[rows], out=np.zeros(len(weights)), where=self.weights[rows] > 0
        )
        return type(self)(
            np.ascontiguousarray(self.numbers[rows]),
            np.ascontiguousarray(self.codes[:, rows]),
            weights,
            weights * factor,
        )

    @classmethod
    def concatenate(cls, parts: list[Self]) -> Self:
        """Blocks as one."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.numbers for part in parts]),
            np.ascontiguousarray(np.concatenate([part.codes for part in parts], axis=1)),
            np.concatenate([part.weights for part in parts]),
            np.concatenate([part.counted for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class MixedSpace:
    """Numbers as (value - centre) * factor, and levels by their codes."""

    centre: Floats
    factor: Floats
    deviation: Floats  # of each number, in the units of the distance
    distinct: tuple[Floats, ...]  # as levels: the different values of each numeric attribute, ascending
    as_levels: bool

    @classmethod
    def fit(cls, rows: Rows, scale: bool, as_levels: bool, who: str) -> Self:
        if as_levels:
            none = np.empty(0)
            return cls(none, none, none, rows.sum(_distinct).values, True)
        schema = rows.schema
        moments: ClassMoments = rows.sum(_moments)
        weight, centre, scatter = moments.weight[0], moments.mean[0], moments.scatter[0]
        for attribute, spread in zip(numbers_of(schema), scatter.tolist(), strict=True):
            if not np.isfinite(spread):
                raise DataError(
                    f"{who}: the numbers of {attribute.name!r} are so large that their squares cannot be added; "
                    "divide them by a constant."
                )
        variance = np.divide(scatter, weight, out=np.zeros_like(scatter), where=weight > 0)
        varies = variance > (1e-14 * np.abs(centre)) ** 2  # a spread that is all rounding is none
        deviation = np.where(varies, np.sqrt(variance), 0.0)
        factor = np.ones_like(deviation)
        if scale:
            factor = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
        return cls(centre, factor, deviation * factor, (), False)

    @property
    def width(self) -> int:
        """How many numbers there are."""
        return len(self.centre)

    def level_attributes(self, schema: Schema) -> tuple[Attribute, ...]:
        """The attributes that are compared by levels, in the order of their codes."""
        return schema.attributes if self.as_levels else tuple(a for a in schema if a.kind == "nominal")

    def level_counts(self, schema: Schema) -> list[int]:
        """How many levels each of them has."""
        values = iter(self.distinct)
        return [len(next(values)) if a.is_numeric else len(a.levels) for a in self.level_attributes(schema)]

    def level_names(self, schema: Schema, codes: Sequence[int]) -> list[str]:
        """One level of each attribute that is compared by levels, for a person."""
        values, names = iter(self.distinct), []
        for attribute, code in zip(self.level_attributes(schema), codes, strict=True):
            numbers = next(values) if attribute.is_numeric else None
            if code < 0:
                names.append("?")
            else:
                names.append(str(attribute.levels[code]) if numbers is None else f"{numbers[code]:g}")
        return names

    def write(self, rows: Table) -> MixedRows:
        """A table's rows, with their weights."""
        numbers = np.empty((len(rows), self.width))
        lines: list[Codes] = []
        for j, column in enumerate(() if self.as_levels else _number_columns(rows)):
            with np.errstate(over="ignore", invalid="ignore"):
                offset = column - self.centre[j]
                offset[np.isinf(offset)] = np.nan
                numbers[:, j] = np.clip(offset * self.factor[j], -_FAR, _FAR)
        values, columns = iter(self.distinct), _columns(rows)
        for attribute in rows.schema.attributes:
            column = next(columns)
            if attribute.is_numeric and self.as_levels:
                lines.append(_codes_among(column, next(values)))
            elif attribute.kind == "nominal" or (attribute.is_nominal and self.as_levels):
                lines.append(np.asarray(column, dtype=np.int32))
        codes = np.array(lines, dtype=np.int32).reshape(len(lines), len(rows))
        known = (~np.isnan(numbers)).sum(axis=1) + (codes != MISSING).sum(axis=0)
        weights = np.asarray(rows.row_weights, dtype=np.float64)
        whole = self.width + len(lines)
        counted = weights * np.divide(whole, known, out=np.zeros(len(rows)), where=known > 0)
        return MixedRows(numbers, np.ascontiguousarray(codes), weights, counted)

    def values(self, points: Floats) -> Floats:
        """Numbers in the units of the columns; a column that never varies is at its one value."""
        values: Floats = self.centre + np.divide(
            points, self.factor, out=np.zeros_like(points), where=self.factor > 0
        )
        return values

    def to_arrays(self) -> dict[str, Array]:
        return {
            "centre": self.centre,
            "factor": self.factor,
            "deviation": self.deviation,
            **{f"distinct/{j}": values for j, values in enumerate(self.distinct)},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema, as_levels: bool) -> Self:
        p = 0 if as_levels else len(numbers_of(schema))
        numeric = len(schema.numeric) if as_levels else 0
        distinct = tuple(stored_floats(arrays, f"distinct/{j}", (None,)) for j in range(numeric))
        for values in distinct:
            require(np.all(np.diff(values) > 0), "different numbers do not ascend")
        return cls(
            stored_floats(arrays, "centre", (p,)),
            stored_floats(arrays, "factor", (p,), low=0),
            stored_floats(arrays, "deviation", (p,), low=0),
            distinct,
            as_levels,
        )


def numbers_of(schema: Schema) -> list[Attribute]:
    """The attributes that are numbers: numeric ones and, by their codes, ordinal ones."""
    return [a for a in schema.attributes if a.is_numeric or a.kind == "ordinal"]


def _columns(rows: Table) -> Iterator[Array]:
    """The columns of all attributes, in the order of the schema."""
    numbers, codes = rows.numeric_columns(), iter(rows.nominal.columns)
    for attribute in rows.schema.attributes:
        yield next(numbers)[1] if attribute.is_numeric else next(codes)


def _number_columns(rows: Table) -> Iterator[Floats]:
    for attribute, column in zip(rows.schema.attributes, _columns(rows), strict=True):
        if attribute.is_numeric:
            yield np.asarray(column, dtype=np.float64)
        elif attribute.kind == "ordinal":
            yield np.where(column >= 0, column, np.nan).astype(np.float64)


def _moments(rows: Table) -> ClassMoments:
    labels = np.zeros(len(rows), dtype=np.int32)
    columns = list(_number_columns(rows))
    moments = np.array(columns).reshape(len(columns), len(rows)).T
    moments[np.isinf(moments)] = np.nan
    return ClassMoments.of(moments, labels, rows.weights, 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Distinct:
    """The different numbers of each numeric attribute."""

    values: tuple[Floats, ...]

    def __add__(self, other: Self) -> Self:
        return type(self)(tuple(map(np.union1d, self.values, other.values)))


def _distinct(table: Table) -> _Distinct:
    columns = [np.asarray(column, dtype=np.float64) for _, column in table.numeric_columns()]
    return _Distinct(tuple(np.unique(here[np.isfinite(here)] + 0.0) for here in columns))  # no -0


def _codes_among(column: Floats, values: Floats) -> Codes:
    """The places of numbers among the different ones; missing ones, and numbers that were never seen."""
    column = np.asarray(column, dtype=np.float64)
    at = np.minimum(np.searchsorted(values, column), max(len(values) - 1, 0))
    seen = values[at] == column if len(values) else np.zeros(len(column), dtype=np.bool_)
    return np.where(seen, at, np.where(np.isfinite(column), UNKNOWN, MISSING)).astype(np.int32)
