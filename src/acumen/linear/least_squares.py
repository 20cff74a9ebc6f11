"""The least-squares classifier: a regression on the 0/1 column of each class, the largest value wins.

    summarise   rows    -> LeastSquaresSummary   the triangular factor of [1, columns, gaps, a target for each class]
    solve       summary -> LeastSquaresModel     K regressions from the one factor
    scores      rows    -> the value of each class's regression

With an intercept the K values of a row sum to 1, but they are no probabilities: they leave 0..1 at both ends, so rows
far on the right side of a boundary pull it towards them, and a class that lies between two others can be masked.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from acumen.base.linear_scores import plane_lines
from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum, attribute_sum, merge_sums
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import AcumenWarning, DataError, article
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import AVERAGE_ROW
from acumen.linear import ridge as ridge_regression
from acumen.linear.linear_systems import LinearSummary, _with_gaps
from acumen.linear.model_columns import LinearColumns, LinearPlan, ModelColumns, restore_plan
from acumen.linear.ols import fill_unseen, least_squares
from acumen.models.model import Model
from acumen.models.summary_arrays import restored_summary
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.summaries.algebra import Summary, add_up
from acumen.summaries.counts import LevelCounts
from acumen.summaries.triangle import Triangle, triangular
from acumen.types import Array, Bools, Codes, Floats

_MOST = 1e150


@dataclass(frozen=True, eq=False)
class LeastSquaresSummary(Summary):
    """Class counts, and the factor of the rows with a 0/1 target for each class."""

    schema: Schema
    classes: LevelCounts
    rows: LinearSummary

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.classes.known_counts[:, 0]

    def widen(self, schema: Schema) -> LeastSquaresSummary:
        """The same under a schema with more levels."""
        return replace(self, schema=schema, rows=self.rows.widen(schema))

    def of_class(self, code: int) -> LinearSummary:
        """The regression on one class alone."""
        triangle = self.rows.triangle
        first = len(triangle.factor) - triangle.targets
        kept = [*range(first), first + code]
        alone = Triangle(triangle.weight, triangular(triangle.factor[:, kept]), 1)
        return LinearSummary(self.rows.schema, self.rows.plan, self.rows.gaps, alone)


def summarise(rows: Table, plan: LinearPlan) -> LeastSquaresSummary:
    """Summarise some rows: a triangular factor."""
    return summarise_parts(rows, plan, np.zeros(len(rows), dtype=np.int32), 1)[0]


def summarise_parts(rows: Table, plan: LinearPlan, parts: Codes, n_parts: int) -> list[LeastSquaresSummary]:
    """The summaries of all parts in one pass; rows with a part outside 0..n_parts-1 are in none."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    classes = LevelCounts.of_parts(np.zeros_like(labels), labels, weights, k, 1, parts, n_parts)
    by_part: list[list[LinearSummary]] = [[] for _ in range(n_parts)]
    for piece in plan.columns(rows.schema).pieces(rows):
        targets = (labels[piece.rows, None] == np.arange(k)).astype(np.float64)
        piece_weights = weights[piece.rows] if weights.size else None
        gaps, values = _with_gaps(piece, len(rows.schema))
        for p, triangle in enumerate(
            Triangle.of_parts(values, targets, piece_weights, parts[piece.rows], n_parts)
        ):
            by_part[p].append(LinearSummary(rows.schema, plan, gaps, triangle))
    nothing = empty(rows.schema, plan, np.zeros(len(rows.schema), dtype=np.bool_))
    summaries = [_drop_idle_missing(add_up(each)) if each else nothing for each in by_part]
    return [LeastSquaresSummary(rows.schema, *each) for each in zip(classes, summaries, strict=True)]


def _drop_idle_missing(summary: LinearSummary) -> LinearSummary:
    """Without the columns of gaps that only other parts of the rows have: a part is as if read alone."""
    first, k = 1 + len(summary.columns.names), summary.triangle.targets
    width = len(summary.triangle.factor)
    idle = ~summary.triangle.factor[:, first : width - k].any(axis=0)
    if not idle.any():
        return summary
    gaps = summary.gaps.copy()
    gaps[np.flatnonzero(summary.gaps)[idle]] = False
    kept = np.concatenate([np.arange(first), first + np.flatnonzero(~idle), np.arange(width - k, width)])
    triangle = replace(summary.triangle, factor=triangular(summary.triangle.factor[:, kept]))
    return replace(summary, gaps=gaps, triangle=triangle)


def empty(schema: Schema, plan: LinearPlan, gaps: Bools) -> LinearSummary:
    """Of no rows."""
    width = len(plan.columns(schema).names) + int(gaps.sum())
    return LinearSummary(schema, plan, gaps, Triangle.empty(width, schema.n_classes))


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: LinearPlan) -> LeastSquaresSummary:
    """Restore a summary, validating shapes, triangle and weights."""
    gaps = stored_array(arrays, "rows/gaps", np.bool_, (len(schema),))
    none = np.empty(0, dtype=np.int32)
    classes = LevelCounts.of(none, none, np.empty(0), schema.n_classes, 1)
    summary = restored_summary(LeastSquaresSummary(schema, classes, empty(schema, plan, gaps)), arrays)
    factor, weight = summary.rows.triangle.factor, summary.rows.weight
    require(np.array_equal(factor, np.triu(factor)), "a factor is not triangular")
    require((weight >= 0).all() and (summary.classes.table >= 0).all(), "a weight is below zero")
    require(
        abs(factor[0, 0] ** 2 - weight[0]) <= 1e-6 * weight[0], "the factor's weight is not that of the rows"
    )
    return summary


def solve(summary: LeastSquaresSummary, *, alpha: float, fit_intercept: bool) -> LeastSquaresModel:
    """Compute a regression per class; collinear columns get the smallest coefficients."""
    totals = summary.class_totals
    slopes, levels = [], []
    open_: Bools | None = None
    for code in range(len(totals)):
        alone = summary.of_class(code)
        system = alone.centred_system if fit_intercept else alone.plain
        if alpha > 0:
            model = ridge_regression.solve(
                alone, alpha=alpha, radius=None, fit_intercept=fit_intercept, scale=False
            )
            slopes.append(model.coefficient)
        else:
            solution = least_squares(system)
            open_ = solution.open if open_ is None else open_ | solution.open
            slopes.append(fill_unseen(system, solution.coefficient))
        levels.append(system.level)
    if open_ is not None and open_.any():
        names = [system.columns.names[j] for j in np.flatnonzero(open_)]
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        warnings.warn(
            f"LeastSquares: {', '.join(map(repr, names[:5]))}{more} can be had from other columns, so the coefficients "
            "are not unique; the smallest are taken. Leave columns out, or set ridge above 0.",
            AcumenWarning,
            stacklevel=2,
        )
    slope = np.array(slopes)
    level = np.array(levels) if fit_intercept else slope @ system.centre
    return LeastSquaresModel(system.columns, system.centre, slope, level, totals)


@dataclass(frozen=True, slots=True)
class LeastSquaresModel(Summed, Model):
    """A plane for each class: level + slope . (x - centre)."""

    kind: ClassVar[str] = "least-squares"
    probabilistic: ClassVar[bool] = False

    columns: ModelColumns
    centre: Floats  # (columns,)
    slope: Floats  # (classes, columns)
    level: Floats  # (classes,): the values at the centre
    weight: Floats  # training weight of each class

    @property
    def constant(self) -> Floats:
        """The values of a row of zeros: the intercepts in the attributes' own units."""
        constant: Floats = self.level - self.slope @ self.centre
        return constant

    def scores(self, rows: Table) -> Floats:
        """The value of each class's regression; a missing value stands at the mean."""
        scores = np.empty((len(rows), len(self.level)))
        for piece in self.columns.pieces(rows):
            with np.errstate(over="ignore", invalid="ignore"):
                scores[piece.rows] = np.nan_to_num(
                    row_products(self._away(piece.values, piece.missing), self.slope.T)
                )
        scores += self.level
        scores[:, self.weight <= 0] = -np.inf
        return scores

    def _away(self, values: Floats, missing: Bools | None) -> Floats:
        away: Floats = values - self.centre
        if missing is not None:
            away[missing[:, self.columns.owner]] = 0.0
        return away

    @property
    def n_parameters(self) -> int:
        return int(self.slope.size + self.level.size)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The plane of each class; what is missing adds nothing."""
        if not isinstance(self.columns, LinearColumns):
            raise DataError(f"the columns of {article(self.kind)} model are no terms of a plain sum.")
        owner = self.columns.owner
        sums = []
        for slope, level, weight in zip(self.slope, self.level.tolist(), self.weight.tolist(), strict=True):
            parts = [
                attribute_sum(a, slope[owner == i], self.centre[owner == i])
                for i, a in enumerate(schema.attributes)
            ]
            sums.append(merge_sums(level, parts) if weight > 0 else TermSum(-np.inf))
        return tuple(sums)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        if not self.weight[[winner, rival]].all():
            return Model.evidence(self, row, schema, winner, rival)
        piece = next(self.columns.pieces(row))
        each = self._away(piece.values, piece.missing)[0] * (self.slope[winner] - self.slope[rival])
        sums = np.bincount(self.columns.owner, weights=np.nan_to_num(each), minlength=len(schema))
        start = float(self.level[winner] - self.level[rival])
        named = [
            Evidence(a.name, cell_text(row, a.name), v) for a, v in zip(schema, sums.tolist(), strict=True)
        ]
        return (Evidence(None, AVERAGE_ROW, start, role="start"), *named)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        heads = [str(c) for c in schema.classes]
        lines = plane_lines(list(self.columns.names), self.slope, self.constant, heads, full)
        head = f"Least squares for {target}, from {self.weight.sum():g} rows: a regression on each class's 0/1 column"
        return "\n".join([head, *lines])

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        arrays = {name: getattr(self, name) for name in ("centre", "slope", "level", "weight")}
        return {**arrays, **{f"columns/{name}": array for name, array in self.columns.to_arrays().items()}}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        words = {n.removeprefix("columns/"): a for n, a in arrays.items() if n.startswith("columns/")}
        columns = restore_plan(words, schema).columns(schema)
        k, p = schema.n_classes, len(columns.names)
        weight = stored_floats(arrays, "weight", (k,), low=0.0, high=1e300)
        require(weight.sum() > 0, "no class has any weight")
        return cls(
            columns,
            stored_floats(arrays, "centre", (p,), low=-_MOST, high=_MOST),
            stored_floats(arrays, "slope", (k, p), low=-_MOST, high=_MOST),
            stored_floats(arrays, "level", (k,), low=-_MOST, high=_MOST),
            weight,
        )
