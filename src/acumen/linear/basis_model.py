"""Basis functions as a model: what rows tell of their place, and how they are kept in a file.

summarise   rows    -> RangeSummary   the range of each numeric attribute
solve       summary -> BasisModel     functions placed over these ranges
columns     rows    -> what the functions come to
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self, get_args

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.linear.basis import Basis, Kind, n_functions, usual_degree
from acumen.linear.columns import MAX_COLUMNS
from acumen.models.model import ColumnModel
from acumen.models.summary_arrays import empty_table, restored_summary
from acumen.preprocessing.dense import dense_slices
from acumen.preprocessing.stored_arrays import require, stored, stored_floats
from acumen.render.escape import printable
from acumen.render.text import number
from acumen.summaries.algebra import Summary
from acumen.types import Array, Floats

_FORMS: tuple[Kind, ...] = get_args(Kind)
#: Ranges end here; a file's summary holds no larger number.
_MOST = 1e300


@dataclass(frozen=True, slots=True, eq=False)
class RangeSummary(Summary):
    """The weight of all rows, and of each numeric attribute whether it has values and between which they lie."""

    schema: Schema
    weight: Floats
    some: Floats  # 1 where there are values, else 0
    low: Floats
    high: Floats

    def _difference(self, other: Self) -> str | None:
        return None if self.schema == other.schema else "their schemas differ"

    def _merge(self, other: Self) -> Self:
        low = np.where(self.some > 0, self.low, other.low)
        high = np.where(self.some > 0, self.high, other.high)
        both = (self.some > 0) & (other.some > 0)
        return type(self)(
            self.schema,
            self.weight + other.weight,
            np.maximum(self.some, other.some),
            np.where(both, np.minimum(low, other.low), low),
            np.where(both, np.maximum(high, other.high), high),
        )

    def scale_weights(self, factor: float) -> Self:
        return replace(self, weight=self.weight * factor)

    def widen(self, schema: Schema) -> Self:
        return replace(self, schema=schema)  # numbers have no levels


def summarise(rows: Table, plan: None = None) -> RangeSummary:
    """Look at some rows; infinite values do not count."""
    d = len(rows.schema.numeric)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for _, numbers in dense_slices(rows):
        for j, column in enumerate(numbers.columns):
            known = column[np.isfinite(column)]
            if known.size:
                low[j], high[j] = min(low[j], known.min()), max(high[j], known.max())
    some = low <= high
    ends = (np.where(some, np.clip(end, -_MOST, _MOST), 0.0) for end in (low, high))
    return RangeSummary(rows.schema, np.array([rows.total_weight]), some.astype(np.float64), *ends)


def solve(
    summary: RangeSummary, *, kind: Kind, degree: int | None, functions: int, width: float, products: bool
) -> BasisModel:
    """The functions over the ranges found."""
    degree = usual_degree(kind) if degree is None else degree
    low, high = summary.low, summary.high
    return BasisModel(
        Basis.over(low, high, kind, degree=degree, functions=functions, width=width, products=products)
    )


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None) -> RangeSummary:
    """A summary from a model file."""
    made = restored_summary(summarise(empty_table(schema)), arrays)
    require((made.weight >= 0).all(), "the summary's weight is below 0")
    require(
        np.isin(made.some, (0.0, 1.0)).all() and (made.low <= made.high).all(),
        "a range ends before it begins",
    )
    return made


@dataclass(frozen=True, slots=True, eq=False)
class BasisModel(ColumnModel):
    """Functions of the numeric attributes."""

    kind: ClassVar[str] = "basis-expansion"

    basis: Basis

    def inputs(self, schema: Schema) -> Schema:
        return Schema(schema.numeric)

    def names(self, schema: Schema) -> tuple[str, ...]:
        return self.basis.names([attribute.name for attribute in schema.numeric])

    def columns(self, rows: Table) -> Floats:
        pieces = [
            self.basis.values(np.column_stack(numbers.columns))
            for _, numbers in dense_slices(rows)
            if len(numbers)
        ]
        return np.concatenate(pieces) if pieces else np.empty((0, len(self.names(rows.schema))))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        names, own = self.names(schema), self.basis
        lines = [f"{len(names)} functions ({own.kind}) of {len(own.low)} numeric attributes"]
        lines += [
            f"  {printable(a.name)}: from {number(float(low))} to {number(float(low + span))}"
            for a, low, span in zip(schema.numeric, own.low, own.span, strict=True)
        ]
        shown = names if full else names[:12]
        more = f", and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
        return "\n".join([*lines, f"  {', '.join(map(printable, shown))}{more}"])

    def to_arrays(self) -> dict[str, Array]:
        own = self.basis
        form = [_FORMS.index(own.kind), own.degree, int(own.products)]
        places = {"centres": own.centres, "low": own.low, "span": own.span}
        return {"form": np.array(form, dtype=np.int32), "width": np.array([own.width]), **places}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        require(set(arrays) == {"form", "width", "centres", "low", "span"}, "it holds an unknown array")
        d = len(schema.numeric)
        form, degree, products = stored(arrays, "form", np.int32, (3,)).tolist()
        require(0 <= form < len(_FORMS) and products in (0, 1), "it names an unknown kind of function")
        centres = stored_floats(arrays, "centres", (None,), low=0.0, high=1.0)
        require(
            2 <= len(centres) <= MAX_COLUMNS and (np.diff(centres) > 0).all(), "its centres do not ascend"
        )
        require(1 <= degree <= MAX_COLUMNS, "its degree is no such number")
        width = n_functions(d, _FORMS[form], degree, len(centres), bool(products))
        require(1 <= width <= MAX_COLUMNS, "it has too few or too many functions")
        bump = float(stored_floats(arrays, "width", (1,), low=np.finfo(np.float64).tiny)[0])
        low = stored_floats(arrays, "low", (d,))
        span = stored_floats(arrays, "span", (d,), low=np.finfo(np.float64).tiny)
        return cls(Basis(_FORMS[form], degree, centres, bump, low, span, bool(products)))
