"""A table's columns while missing values are filled, with one of them as the target of the others.

ColumnValues       numbers (NaN is missing) and codes (-1 is missing) of every attribute that is not text, by name
prediction_table   columns, attribute -> a Table with this attribute as target
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.preprocessing.columns import remade
from acumen.types import MISSING, Array, Bools, Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValues:
    """Columns of rows by name; infinite numbers do not count as missing, but are not used to predict others."""

    attributes: tuple[Attribute, ...]
    values: dict[str, Array]
    weights: Floats
    rows: int

    @classmethod
    def of(cls, table: Table, target: bool = False) -> ColumnValues:
        """The inputs of a table that are not text; with `target` the target too, at the end."""
        values: dict[str, Array] = {a.name: np.array(v, dtype=np.float64) for a, v in table.numeric_columns()}
        values |= {a.name: np.maximum(v, MISSING) for a, v in table.nominal_columns()}
        attributes = [a for a in table.schema.attributes if a.name in values]
        known = table.schema.target
        if target and known is not None:
            target_values = table.labels if table.labels is not None else table.response
            assert target_values is not None
            values[known.name] = target_values
            attributes.append(known)
        return cls(tuple(attributes), values, table.weights, len(table))

    def gaps(self, name: str) -> Bools:
        """Where an attribute is missing."""
        column = self.values[name]
        return np.isnan(column) if column.dtype.kind == "f" else column < 0

    def is_known(self, name: str) -> Bools:
        """Where an attribute can be used for training."""
        column = self.values[name]
        return np.isfinite(column) if column.dtype.kind == "f" else column >= 0

    def replace_columns(self, more: Mapping[str, Array]) -> ColumnValues:
        """A copy with some columns replaced."""
        return ColumnValues(self.attributes, {**self.values, **more}, self.weights, self.rows)

    def take(self, rows: Array) -> ColumnValues:
        """Some of the rows."""
        weights = self.weights[rows] if self.weights.size else self.weights
        return ColumnValues(self.attributes, {n: v[rows] for n, v in self.values.items()}, weights, len(rows))

    def without(self, name: str, at: Array) -> Array:
        """A copy with missing values of a column at some rows."""
        column = self.values[name].copy()
        column[at] = np.nan if column.dtype.kind == "f" else MISSING
        return column

    def prediction_table(self, name: str) -> Table:
        """A table of the other attributes with this one as target."""
        target = next(a for a in self.attributes if a.name == name)
        schema = asked_schema(self.attributes, target)
        column = self.values[name]
        return Table(
            schema,
            self.rows,
            numeric=[_finite(self.values[a.name]) for a in schema.numeric],
            nominal=[np.ascontiguousarray(self.values[a.name], dtype=np.int32) for a in schema.nominal],
            labels=np.ascontiguousarray(column, dtype=np.int32) if target.is_nominal else None,
            response=_finite(column) if target.is_numeric else None,
            weights=self.weights,
        )

    def into(self, table: Table) -> Table:
        """The table with these columns in place of its own; target, weights, text and the rest are unchanged."""
        numeric = [np.ascontiguousarray(self.values[a.name]) for a in table.schema.numeric]
        nominal: list[Codes] = []
        for attribute, old in table.nominal_columns():
            new = np.asarray(self.values[attribute.name], dtype=np.int32)
            nominal.append(np.where((old < MISSING) & (new < 0), old, new).astype(np.int32))
        return remade(table, list(table.schema.attributes), numeric=numeric, nominal=nominal)


def with_target(table: Table, target: Array) -> Table:
    """A table with other labels, or other numbers as the target."""
    numbers = target.dtype.kind == "f"
    return table.replace(
        labels=None if numbers else np.ascontiguousarray(target, dtype=np.int32),
        response=np.ascontiguousarray(target) if numbers else None,
    )


def asked_schema(attributes: Sequence[Attribute], target: Attribute) -> Schema:
    """All attributes, with one of them as the target."""
    return Schema(tuple(a for a in attributes if a.name != target.name), target)


def _finite(column: Array) -> Floats:
    return np.where(np.isfinite(column), column, np.nan)
