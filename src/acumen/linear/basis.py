"""Basis functions of numeric attributes: powers and products, Gaussian bumps, splines.

    Basis.over     ranges -> the functions, placed by the range of each column
    names, values  the functions' names and values
    n_functions    how many functions there would be
    usual_degree   the default degree of each kind
    summarise      rows    -> RangeSummary   the range of each numeric attribute
    solve          summary -> BasisModel     functions placed over these ranges

A linear model on these functions is a curve in the original columns. A missing value stays missing in all functions of
its column. Beyond the range, splines continue as they end, and a power too large for a float is the largest float.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.linear.model_columns import MAX_COLUMNS
from acumen.models.model import ColumnModel
from acumen.models.summary_arrays import empty_table, restored_summary
from acumen.preprocessing.sparse import dense_slices
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.text import number
from acumen.summaries.algebra import Summary
from acumen.types import Array, Floats

Kind = Literal["polynomial", "gaussian", "spline"]
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Functions of columns of numbers.

    Attributes
    ----------
    kind : {"polynomial", "gaussian", "spline"}
    degree : int
        Of polynomials and of the pieces of splines.
    centres : array of (functions,)
        Where between 0 and 1, the ends of a column's range, bumps or knots stand.
    width : float
        Of bumps, as a share of the range.
    low, span : arrays of (columns,)
        Where each column's range begins, and how long it is (1 where it does not vary).
    products : bool
        Whether polynomials have products of different columns.
    """

    kind: Kind
    degree: int
    centres: Floats
    width: float
    low: Floats
    span: Floats
    products: bool

    @classmethod
    def over(
        cls,
        low: Floats,
        high: Floats,
        kind: Kind,
        *,
        degree: int,
        functions: int,
        width: float,
        products: bool,
    ) -> Basis:
        """Functions placed evenly over the range of each column."""
        with np.errstate(over="ignore"):
            span = np.where(high > low, np.minimum(high - low, _LARGEST), 1.0)
        functions = 2 if kind == "polynomial" else functions  # of which there are none
        step = 1.0 / max(functions - 1, 1)
        return cls(kind, degree, np.linspace(0.0, 1.0, functions), width * step, low, span, products)

    def exponents(self) -> list[tuple[int, ...]]:
        """Of polynomials: for each function the columns that are multiplied, by rising degree."""
        d = len(self.low)
        exponents: list[tuple[int, ...]] = []
        for degree in range(1, self.degree + 1):
            every = combinations_with_replacement(range(d), degree)
            exponents += [each for each in every if self.products or len(set(each)) == 1]
        return exponents

    def names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """What the functions are called, given the names of the columns."""
        if self.kind == "polynomial":
            return tuple(_product(each, columns) for each in self.exponents())
        word = "bump" if self.kind == "gaussian" else "spline"
        return tuple(f"{word} {i + 1} of {name}" for name in columns for i in range(self.functions))

    @property
    def functions(self) -> int:
        """How many functions each column has, products apart."""
        return n_functions(1, self.kind, self.degree, len(self.centres), self.products)

    def values(self, rows: Floats) -> Floats:
        """What the functions come to, one line per row."""
        with np.errstate(invalid="ignore", over="ignore"):
            place = np.where(np.isfinite(rows), (rows - self.low) / self.span, np.nan)
            if self.kind == "polynomial":
                # About the middle of the range, in halves of it, so that powers stay near 1 and keep their digits.
                about = np.clip(2.0 * place - 1.0, -_LARGEST, _LARGEST)
                products = [np.prod(about[:, list(each)], axis=1) for each in self.exponents()]
                return (
                    np.clip(np.column_stack(products), -_LARGEST, _LARGEST)
                    if products
                    else np.empty((len(rows), 0))
                )
            if self.kind == "gaussian":
                away = (place[:, :, None] - self.centres) / self.width
                bumps = np.exp(-0.5 * away**2)
            else:
                # All of them sum to 1, as an intercept does; the first follows from the others.
                bumps = _splines(np.clip(place, 0.0, 1.0), self.centres, self.degree)[:, :, 1:]
        flat: Floats = bumps.reshape(len(rows), -1)
        return flat


def usual_degree(kind: Kind) -> int:
    """Cubic pieces are smooth to the eye; of powers the cubic ones are many, one for every three columns."""
    return 3 if kind == "spline" else 2


def n_functions(columns: int, kind: Kind, degree: int, functions: int, products: bool) -> int:
    """The total number of basis functions of `columns` columns."""
    if kind == "polynomial":
        return comb(columns + degree, degree) - 1 if products else columns * degree
    return columns * (functions if kind == "gaussian" else functions + degree - 2)


def _product(columns: tuple[int, ...], names: Sequence[str]) -> str:
    parts = []
    for j in dict.fromkeys(columns):
        power = columns.count(j)
        parts.append(names[j] if power == 1 else f"{names[j]}^{power}")
    return " * ".join(parts)


def _splines(place: Floats, knots: Floats, degree: int) -> Floats:
    """B-splines by the recursion of Cox and de Boor, (rows, columns, knots + degree - 1); NaN stays NaN."""
    step = knots[1] - knots[0] if len(knots) > 1 else 1.0
    before = knots[0] - step * np.arange(degree, 0, -1)
    after = knots[-1] + step * np.arange(1, degree + 1)
    every = np.concatenate([before, knots, after])
    x = np.minimum(place, np.nextafter(knots[-1], -np.inf))[
        :, :, None
    ]  # the right end belongs to the last piece
    splines = ((x >= every[:-1]) & (x < every[1:])).astype(np.float64)
    for k in range(1, degree + 1):
        rising = (x - every[: -k - 1]) / (every[k:-1] - every[: -k - 1])
        right = (every[k + 1 :] - x) / (every[k + 1 :] - every[1:-k])
        splines = rising * splines[:, :, :-1] + right * splines[:, :, 1:]
    splines[np.isnan(place)] = np.nan
    return splines


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
    """Record the ranges of some rows; infinite values do not count."""
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
    """Compute the functions over the observed ranges."""
    degree = usual_degree(kind) if degree is None else degree
    low, high = summary.low, summary.high
    return BasisModel(
        Basis.over(low, high, kind, degree=degree, functions=functions, width=width, products=products)
    )


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None) -> RangeSummary:
    """Restore a summary from a model file."""
    summary = restored_summary(summarise(empty_table(schema)), arrays)
    require((summary.weight >= 0).all(), "the summary's weight is below 0")
    require(
        np.isin(summary.some, (0.0, 1.0)).all() and (summary.low <= summary.high).all(),
        "a range ends before it begins",
    )
    return summary


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
        names, basis = self.names(schema), self.basis
        lines = [f"{len(names)} functions ({basis.kind}) of {len(basis.low)} numeric attributes"]
        lines += [
            f"  {printable(a.name)}: from {number(float(low))} to {number(float(low + span))}"
            for a, low, span in zip(schema.numeric, basis.low, basis.span, strict=True)
        ]
        shown = names if full else names[:12]
        more = f", and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
        return "\n".join([*lines, f"  {', '.join(map(printable, shown))}{more}"])

    def to_arrays(self) -> dict[str, Array]:
        basis = self.basis
        form = [_FORMS.index(basis.kind), basis.degree, int(basis.products)]
        places = {"centres": basis.centres, "low": basis.low, "span": basis.span}
        return {"form": np.array(form, dtype=np.int32), "width": np.array([basis.width]), **places}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        require(set(arrays) == {"form", "width", "centres", "low", "span"}, "it holds an unknown array")
        d = len(schema.numeric)
        form, degree, products = stored_array(arrays, "form", np.int32, (3,)).tolist()
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
