"""Rows as a system of least squares: the summary of every linear regressor, and what is left to solve of it.

    summarise   rows    -> LinearSummary   the triangular factor of [1, columns, gaps, target]
    system      summary -> System          gaps filled by the mean, and centred if there is an intercept

A missing value is 0 in its columns and 1 in its attribute's column of gaps. A column filled by its mean is then a
combination of the two, so the filling needs no pass of its own, and each training set of a cross-validation fills
by its own means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.caching import cached_property
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.linear.model_columns import ColumnBlock, ColumnPlan, ModelColumns
from acumen.models.summary_arrays import restored_summary
from acumen.preprocessing.stored_arrays import require, stored_array
from acumen.summaries.algebra import Summary, add_up, plan_difference
from acumen.summaries.triangle import Triangle, triangular
from acumen.types import Array, Bools, Codes, Floats

#: A column whose spread is below this share of its size is rounding, not variation.
_CONSTANT = 1e-13


# No slots: the systems are remembered, since every strength of a penalty is solved from the same.
@dataclass(frozen=True, eq=False)
class LinearSummary(Summary):
    """The triangular factor of rows with a number each.

    Attributes
    ----------
    gaps : array of bool
        Which attributes have missing values; each of these has a column of its own, after the others.
    triangle : Triangle
        Of the columns of `plan`, then those of `gaps`; the target last.
    """

    schema: Schema
    plan: ColumnPlan
    gaps: Bools
    triangle: Triangle

    @property
    def weight(self) -> Floats:
        """The weight of all rows."""
        return self.triangle.weight

    @cached_property
    def columns(self) -> ModelColumns:
        return self.plan.columns(self.schema)

    def widen(self, schema: Schema) -> LinearSummary:
        """The same under a schema with more levels, whose columns are all zero."""
        if schema == self.schema:
            return self
        wide = self.plan.columns(schema)
        place = {name: i for i, name in enumerate(wide.names)}
        own_columns = [place[name] for name in self.columns.names]
        own_columns += [len(wide.names) + i for i in range(int(self.gaps.sum()))]
        spread = self.triangle.spread(own_columns, len(wide.names) + int(self.gaps.sum()))
        return replace(self, schema=schema, triangle=spread)

    def with_gaps(self, gaps: Bools) -> LinearSummary:
        """The same with columns for further gaps, of which there are none here."""
        if np.array_equal(gaps, self.gaps):
            return self
        n = len(self.columns.names)
        rank = np.cumsum(gaps) - 1
        own_columns = [*range(n), *(n + rank[np.flatnonzero(self.gaps)])]
        return replace(self, gaps=gaps, triangle=self.triangle.spread(own_columns, n + int(gaps.sum())))

    @cached_property
    def centred_system(self) -> System:
        """What is left to solve where there is an intercept."""
        return _system(self, intercept=True)

    @cached_property
    def plain(self) -> System:
        """What is left to solve where there is none."""
        return _system(self, intercept=False)

    def scale_weights(self, factor: float) -> LinearSummary:
        """The same of rows so many times as heavy."""
        return replace(self, triangle=self.triangle.scale_weights(factor))

    def _difference(self, other: Any) -> str | None:
        return self.schema.difference(other.schema) or plan_difference(self.plan, other.plan)

    def _merge(self, other: Any) -> LinearSummary:
        gaps = self.gaps | other.gaps
        mine, theirs = self.with_gaps(gaps), other.with_gaps(gaps)
        return LinearSummary(self.schema, self.plan, gaps, mine.triangle + theirs.triangle)


# -- rows -----------------------------------------------------------------------------------------


def summarise(rows: Table, plan: ColumnPlan) -> LinearSummary:
    """Summarise some rows: a triangular factor."""
    return summarise_parts(rows, plan, np.zeros(len(rows), dtype=np.int32), 1)[0]


def summarise_parts(rows: Table, plan: ColumnPlan, parts: Codes, n_parts: int) -> list[LinearSummary]:
    """The summaries of all parts in one pass; rows with a part outside 0..n_parts-1 are in none."""
    columns = plan.columns(rows.schema)
    by_part: list[list[LinearSummary]] = [[] for _ in range(n_parts)]
    for piece in columns.pieces(rows):
        target = rows.target_numbers[piece.rows]
        weights = rows.weights[piece.rows] if rows.weights.size else None
        gaps, values = _with_gaps(piece, len(rows.schema))
        if n_parts == 1 and not parts[piece.rows].any():
            triangles = [Triangle.of(values, target, weights)]
        else:
            triangles = Triangle.of_parts(values, target, weights, parts[piece.rows], n_parts)
        for part, triangle in enumerate(triangles):
            by_part[part].append(LinearSummary(rows.schema, plan, gaps, triangle))
    nothing = empty(rows.schema, plan, np.zeros(len(rows.schema), dtype=np.bool_))
    return [_drop_idle_missing(add_up(each)) if each else nothing for each in by_part]


def _with_gaps(piece: ColumnBlock, attributes: int) -> tuple[Bools, Floats]:
    """Which attributes have gaps here, and the columns with one for each of these behind them."""
    if piece.missing is None:
        return np.zeros(attributes, dtype=np.bool_), piece.values
    gaps: Bools = np.asarray(piece.missing.any(axis=0))
    return gaps, np.concatenate([piece.values, piece.missing[:, gaps]], axis=1)


def _drop_idle_missing(summary: LinearSummary) -> LinearSummary:
    """Without the columns of gaps that only other parts of the rows have: a part is as if read alone."""
    n = 1 + len(summary.columns.names)
    idle = ~summary.triangle.factor[:, n:-1].any(axis=0)
    if not idle.any():
        return summary
    gaps = summary.gaps.copy()
    gaps[np.flatnonzero(summary.gaps)[idle]] = False
    kept = np.concatenate([np.arange(n), n + np.flatnonzero(~idle), [len(summary.triangle.factor) - 1]])
    triangle = replace(summary.triangle, factor=triangular(summary.triangle.factor[:, kept]))
    return replace(summary, gaps=gaps, triangle=triangle)


def empty(schema: Schema, plan: ColumnPlan, gaps: Bools) -> LinearSummary:
    """Of no rows."""
    width = len(plan.columns(schema).names) + int(gaps.sum())
    return LinearSummary(schema, plan, gaps, Triangle.empty(width))


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: ColumnPlan) -> LinearSummary:
    """Restore a summary from a model file."""
    gaps = stored_array(arrays, "gaps", np.bool_, (len(schema),))
    summary = restored_summary(empty(schema, plan, gaps), arrays)
    factor = summary.triangle.factor
    require(np.array_equal(factor, np.triu(factor)), "a factor is not triangular")
    require((summary.weight >= 0).all() and abs(factor[0, 0] ** 2 - summary.weight[0]) <= 1e-6 * summary.weight[0],
            "the factor's weight is not that of the rows")  # fmt: skip
    return summary


# -- what is left to solve ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class System:
    """min | factor w - target |, the rows having been turned so that few are left.

    With an intercept everything is about the means, `centre` and `level`; a fitted row is
    level + (x - centre) w. Without one, the centre only replaces missing values.
    """

    columns: ModelColumns
    nominal: tuple[tuple[int, ...], ...]  # for each nominal attribute its columns
    factor: Floats  # (p, p), upper triangular
    target: Floats  # (p,)
    rest: float  # length of the part of the target that no column reaches
    centre: Floats  # (p,)
    level: float
    weight: float
    intercept: bool

    @property
    def total(self) -> float:
        """The target's squared length: about its mean where there is an intercept."""
        return float(self.target @ self.target) + self.rest**2

    @property
    def norms(self) -> Floats:
        """The length of each column; 0 where it does not vary."""
        return np.sqrt(np.einsum("ij,ij->j", self.factor, self.factor))

    def units(self, scale: bool) -> Floats:
        """What columns are divided by: ones, or standard deviations (without an intercept root mean squares)."""
        norms = self.norms
        return np.where(norms > 0, norms / np.sqrt(self.weight), 1.0) if scale else np.ones(len(norms))

    def first(self, columns: int) -> System:
        """The system of only the first `n` columns."""
        whole = np.column_stack([self.factor[:, :columns], self.target])
        bottom = np.zeros((1, columns + 1))
        bottom[0, -1] = self.rest
        turned = triangular(np.vstack([whole, bottom]))
        return replace(
            self,
            nominal=tuple(each for each in self.nominal if each and each[-1] < columns),
            factor=turned[:columns, :columns],
            target=turned[:columns, columns],
            rest=float(turned[columns, columns]),
            centre=self.centre[:columns],
        )


def _system(summary: LinearSummary, intercept: bool) -> System:
    triangle, columns = summary.triangle, summary.columns
    if not np.isfinite(triangle.factor).all() or np.abs(triangle.factor).max(initial=0.0) > 1e280:
        raise DataError(
            "least squares: the numbers of the table are too large to be squared; leave out absurd values, or divide "
            "the columns by a constant."
        )
    n, owner = len(columns.names), columns.owner
    weight = float(summary.weight[0])
    gone = np.zeros(len(summary.gaps))
    gone[summary.gaps] = triangle.sums[n:-1]
    known = np.maximum(weight - gone, 0.0)[owner]
    # A share of rows that rounding has left over is no row.
    mean = np.divide(triangle.sums[:n], known, out=np.zeros(n), where=known > 1e-9 * weight)
    mixing = np.zeros((len(triangle.factor), n + 2))
    mixing[0, 0] = mixing[-1, -1] = 1.0
    mixing[1 + np.arange(n), 1 + np.arange(n)] = 1.0
    for i, attribute in enumerate(np.flatnonzero(summary.gaps).tolist()):
        mine = np.flatnonzero(owner == attribute)
        mixing[1 + n + i, 1 + mine] = mean[mine]
    whole = triangle.recombine(mixing) if summary.gaps.any() else triangle.factor
    size = np.sqrt(np.einsum("ij,ij->j", whole, whole))[1:]
    if intercept:
        level, turned = (float(whole[0, -1] / whole[0, 0]) if weight else 0.0), whole[1:, 1:].copy()
    else:
        level, turned = 0.0, triangular(whole[:, 1:])
    spread = np.sqrt(np.einsum("ij,ij->j", turned, turned))
    turned[:, spread <= _CONSTANT * size] = 0.0
    nominal = tuple(
        tuple(np.flatnonzero(owner == i).tolist())
        for i, attribute in enumerate(summary.schema)
        if attribute.kind == "nominal"
    )
    return System(
        columns, nominal, turned[:n, :n], turned[:n, n], float(turned[n, n]), mean, level, weight, intercept
    )
