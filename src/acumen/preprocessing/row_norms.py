"""Rows brought to a common size: each row's numbers divided by what the row itself comes to.

    none            as it is
    euclidean       divided by the row's Euclidean length: rows lie on the unit sphere
    sum             divided by the sum of magnitudes: numbers of at least 0 become shares
    max             divided by the largest magnitude
    min-max         (value - smallest) / range of the row: its numbers lie in 0..1
    z-score         (value - mean) / standard deviation of the row (divisor: how many numbers it knows)
    mean-deviation  (value - mean) / mean absolute deviation of the row

`Scaler` compares a value with its column, this with its row: for numbers of one unit side by side (counts of words,
hours of a day, parts of a budget), where the size of a row says how much there is and not what it is like. Nothing is
learned from other rows. A row whose size is 0 becomes 0. Missing values stay missing; sizes are of finite values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ModelFileError, ParameterError, did_you_mean
from acumen.preprocessing import columns
from acumen.preprocessing.packing import Arrays, pack_json, stored_schema, unpack_json
from acumen.types import Array, Floats

Norm = Literal["none", "euclidean", "sum", "max", "min-max", "z-score", "mean-deviation"]
NORMS: tuple[str, ...] = get_args(Norm)

#: Those that leave a 0 a 0, whatever else the row holds.
_KEEP_ZEROS = ("none", "euclidean", "sum", "max")
#: So many rows are brought to size at a time.
_ROWS = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class RowScaler:
    """Scale the numeric attributes of each row to a common size.

    Attributes
    ----------
    schema : Schema
        The inputs it was fitted on, and applies to.
    norm : str
        What a row is divided by.
    """

    schema: Schema
    norm: str

    @classmethod
    def fit(cls, table: Table, norm: Norm = "euclidean") -> RowScaler:
        """Settle the schema; of the rows nothing is learned."""
        columns.require_table("RowScaler", table)
        if norm not in NORMS:
            raise ParameterError(
                f"RowScaler: norm must be one of {', '.join(NORMS)}; got {norm!r}."
                + did_you_mean(str(norm), NORMS)
            )
        return cls(table.schema.without_target(), norm)

    def transform(self, table: Table) -> Table:
        """The same table with its rows brought to size; other columns are borrowed.

        A sparse table is refused when the norm would turn its zeros into other numbers.
        """
        columns.require_table("RowScaler", table)
        self.schema.require_same(table.schema.without_target())
        attributes = table.schema.attributes
        if table.sparse is not None:
            return columns.remade(table, attributes, nominal=table.nominal, sparse=self._sparse(table.sparse))
        scaled = [column.copy() for column in table.numeric.columns]
        if scaled and self.norm != "none":
            for start in range(0, len(table), _ROWS):
                some = slice(start, start + _ROWS)
                block = scale_rows(np.column_stack([column[some] for column in scaled]), self.norm)
                for column, values in zip(scaled, block.T, strict=True):
                    column[some] = values
        return columns.remade(table, attributes, numeric=scaled, nominal=table.nominal)

    def _sparse(self, rows: Any) -> Any:
        if self.norm not in _KEEP_ZEROS:
            raise DataError(
                f"RowScaler: norm={self.norm!r} would turn the zeros of a sparse table into other numbers; use one of "
                f"{', '.join(_KEEP_ZEROS)}."
            )
        if self.norm == "none":
            return rows
        finite = np.isfinite(rows.data)
        row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        small = np.where(finite, np.abs(rows.data), 0.0)
        largest = np.zeros(rows.shape[0])
        np.maximum.at(largest, row, small)
        unit = np.where(largest > 0, largest, 1.0)
        small = small / unit[row]
        if self.norm == "max":
            size = np.ones(rows.shape[0])
        elif self.norm == "sum":
            size = np.bincount(row, small, rows.shape[0])
        else:
            size = np.sqrt(np.bincount(row, small**2, rows.shape[0]))
        divided = rows.data / unit[row] / np.where(size > 0, size, 1.0)[row]
        data = np.where(finite, divided, rows.data)
        return type(rows)((data, rows.indices, rows.indptr), shape=rows.shape)

    def to_arrays(self) -> dict[str, Array]:
        """Plain arrays for a model file."""
        about: dict[str, Any] = {"schema": self.schema.to_dict(), "norm": self.norm}
        return {"about": pack_json(about)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> RowScaler:
        """Read what `to_arrays` gave, checking every part."""
        about = unpack_json("RowScaler", arrays, schema=dict, norm=str)
        schema = stored_schema("RowScaler", about["schema"])
        if about["norm"] not in NORMS:
            raise ModelFileError(f"RowScaler: the file names the unknown norm {about['norm']!r}.")
        return cls(schema, about["norm"])


def scale_rows(values: Floats, norm: str) -> Floats:
    """Rows brought to size. Each is first divided by its largest magnitude, so that no square overflows."""
    finite = np.isfinite(values)
    known = np.where(finite, values, 0.0)
    largest = np.abs(known).max(axis=1, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)[:, None]
    small = known / unit
    count = np.maximum(finite.sum(axis=1), 1)
    centre = np.zeros(len(values))
    if norm in ("z-score", "mean-deviation"):
        centre = small.sum(axis=1) / count
    elif norm == "min-max":
        centre = np.where(finite, small, np.inf).min(axis=1, initial=np.inf)
        centre = np.where(np.isfinite(centre), centre, 0.0)
    apart = np.where(finite, small - centre[:, None], 0.0)
    match norm:
        case "euclidean":
            size = np.sqrt((apart**2).sum(axis=1))
        case "z-score":
            size = np.sqrt((apart**2).sum(axis=1) / count)
        case "sum":
            size = np.abs(apart).sum(axis=1)
        case "mean-deviation":
            size = np.abs(apart).sum(axis=1) / count
        case _:
            size = np.abs(apart).max(axis=1, initial=0.0)
    # Equal numbers need not have a computed deviation of exactly 0.
    low = np.where(finite, small, np.inf).min(axis=1, initial=np.inf)
    high = np.where(finite, small, -np.inf).max(axis=1, initial=-np.inf)
    if norm in ("z-score", "mean-deviation"):
        size = np.where(low < high, size, 0.0)
    divided = np.where(size > 0, size, 1.0)[:, None]
    unit_rows: Floats = np.where(size[:, None] > 0, apart / divided, 0.0)
    return np.where(finite, unit_rows, values)
