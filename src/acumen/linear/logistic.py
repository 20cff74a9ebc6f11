"""The model of logistic regression: lines of coefficients, and what they say of a row.

    scores     rows -> log P(class | row), but for what all classes share
    evidence   one row -> how far each attribute speaks for a class, against an average row

Two classes have one line: the log-odds of the second against the first. K classes have K lines that sum to
zero wherever no penalty keeps them from it. A class without training rows has no line and probability 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

import numpy as np

from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum, attribute_sum, merge_sums
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import AVERAGE_ROW
from acumen.linear.design import DesignCoding, facts_array, read_facts
from acumen.linear.odds_ratios import OddsRatios, odds_ratios
from acumen.models.model import Model
from acumen.models.predictor import AnyPredictor
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.forest_plot import ForestFigure
from acumen.types import Array, Bools, Floats, Label

PENALTIES: Final = ("none", "l2", "l1")
_ROWS = 8192  # at a time
_CAP = 1e140


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel(Summed, Model):
    """score = coefficients (x - centre) + offset, one line or one for each class with training rows."""

    kind: ClassVar[str] = "logistic"

    coding: DesignCoding
    seen: Bools  # which classes had training rows
    coefficients: Floats  # (lines, columns), in the columns' own units
    offset: Floats  # (lines,): the score at the centre
    centre: Floats  # (columns,); zero for sparse rows
    errors: Floats  # standard errors (lines, columns and intercept), or no lines
    log_likelihood: float  # of the training rows
    weight: float  # of the training rows
    free: int  # number of free parameters
    penalty: int  # place in PENALTIES
    #: How the coefficients of all lines vary together, line after line and without intercepts; or nothing.
    covariance: Floats = field(default_factory=lambda: np.empty((0, 0)))
    #: The training rows' mean of each column, where the centre is not that; reasons are counted from it.
    average: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def lines(self) -> int:
        return len(self.offset)

    @property
    def intercept(self) -> Floats:
        """The scores of a row of zeros."""
        return self.offset - self.coefficients @ self.centre

    @property
    def n_parameters(self) -> int:
        return self.free

    @property
    def places(self) -> Array:
        """The codes of the classes that had training rows."""
        return np.flatnonzero(self.seen)

    # -- predicting -------------------------------------------------------------------------------

    def scores(self, rows: Table) -> Floats:
        total = np.full((len(rows), len(self.seen)), -np.inf)
        total[:, self.places] = self._by_class(self.linear(self.coding.matrix(rows)))
        return total

    def _by_class(self, lines: Floats) -> Floats:
        """The scores of the classes seen: with one line the first one's are zero."""
        if self.lines > 1:
            return lines
        first = np.zeros((len(lines), 1))
        return np.hstack([first, lines]) if self.lines else first

    def linear(self, matrix: Any) -> Floats:
        """The score of each line for the rows of a matrix, dense or sparse."""
        values = np.empty((matrix.shape[0], self.lines))
        if hasattr(matrix, "indptr"):
            values[:] = matrix @ self.coefficients.T + self.intercept
            bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
            if bad.size:
                values[bad] = self._cap(matrix[bad].toarray())
            return values
        for first in range(0, len(matrix), _ROWS):
            part = slice(first, first + _ROWS)
            with np.errstate(over="ignore", invalid="ignore"):
                values[part] = row_products(matrix[part] - self.centre, self.coefficients.T) + self.offset
            bad = first + np.flatnonzero(~np.isfinite(values[part]).all(axis=1))
            if bad.size:
                values[bad] = self._cap(matrix[bad])
        return values

    def _cap(self, rows: Floats) -> Floats:
        """For numbers whose products are none."""
        return row_products(self._apart(rows), np.clip(self.coefficients, -_CAP, _CAP).T) + self.offset

    def _apart(self, rows: Floats) -> Floats:
        """How far rows are from the centre, no further than products can bear; what is no number is there."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.clip(np.nan_to_num(rows - self.centre, nan=0.0), -_CAP, _CAP)

    # -- reading it -------------------------------------------------------------------------------

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        from acumen.linear.logistic_text import describe

        return describe(self, schema, full)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The score of each class as a sum of terms about the centre; of two classes the first one's is 0."""
        lines = [self._line(schema, at) for at in range(self.lines)]
        if self.lines <= 1:
            lines = [TermSum(0.0), *lines]
        sums = iter(lines)
        return tuple(next(sums) if seen else TermSum(-np.inf) for seen in self.seen.tolist())

    def _line(self, schema: Schema, at: int) -> TermSum:
        slope = self.coefficients[at]
        starts = self.coding.starts(schema.without_target()).tolist()
        parts = []
        for i, a in enumerate(schema.attributes):
            mine = slice(starts[i], starts[i + 1])
            weights, centre = slope[mine], self.centre[mine]
            absent: float | None = None
            if a.kind not in ("nominal", "text"):
                fill = self.coding.fill[mine.start] if self.coding.view is None else self.coding.view.fill[i]
                absent = float((fill - centre[0]) * weights[0])
            parts.append(attribute_sum(a, weights, centre, absent))
        return merge_sums(float(self.offset[at]), parts)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        at = {int(code): i for i, code in enumerate(self.places)}
        if winner not in at or rival not in at:
            return super(LogisticModel, self).evidence(row, schema, winner, rival)
        both = self._by_class(np.vstack([self.coefficients.T, self.offset]))  # a line for each column
        apart = both[:, at[winner]] - both[:, at[rival]] if self.lines else np.zeros(len(both))
        matrix: Any = self.coding.matrix(row)
        values = matrix.toarray()[0] if hasattr(matrix, "indptr") else np.asarray(matrix)[0]
        # Every sum below is finite, as `scores` is: products are capped in the same way.
        slopes = np.clip(apart[:-1], -_CAP, _CAP)
        average = self._apart(self.average) if self.average.size else np.zeros(len(slopes))
        parts = (self._apart(values) - average) * slopes
        start = Evidence(None, AVERAGE_ROW, float(apart[-1] + average @ slopes), self.weight, role="start")
        return (start, *self._reasons(row, schema, parts))

    def _reasons(self, row: Table, schema: Schema, parts: Floats) -> Iterator[Evidence]:
        starts = self.coding.starts(schema.without_target()).tolist()
        for i, attribute in enumerate(schema.attributes):
            part = float(parts[starts[i] : starts[i + 1]].sum())
            if part:
                yield Evidence(attribute.name, cell_text(row, attribute.name), part)

    def odds_ratios(
        self,
        schema: Schema,
        *,
        reference_levels: Mapping[str, Label] | None = None,
        level: float = 0.95,
        reference_class: Label | None = None,
        units: Mapping[str, float] | None = None,
    ) -> OddsRatios:
        """By what each attribute multiplies the odds of a class against another, with intervals."""
        return odds_ratios(
            self,
            schema,
            reference_levels=reference_levels,
            level=level,
            reference_class=reference_class,
            units=units,
        )

    def to_figure(self, predictor: AnyPredictor) -> ForestFigure:
        """The odds ratios with their intervals as a forest plot."""
        return self.odds_ratios(predictor.schema).figure()

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        together = {"covariance": self.covariance} if len(self.covariance) else {}
        if self.average.size:
            together["average"] = self.average
        return {
            "seen": np.asarray(self.seen, dtype=np.bool_),
            "coefficients": self.coefficients,
            "offset": self.offset,
            "centre": self.centre,
            "errors": self.errors,
            "facts": facts_array(self),
            **together,
            **self.coding.to_arrays(),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        coding = DesignCoding.from_arrays(arrays, schema)
        width = coding.width
        seen = stored_array(arrays, "seen", np.bool_, (schema.n_classes,))
        count = int(np.count_nonzero(seen))
        require(count > 0, "no class has training rows")
        lines = {1: 0, 2: 1}.get(count, count)
        errors = stored_floats(arrays, "errors", (None, width + 1), low=0.0)
        require(len(errors) in (0, lines), "there must be standard errors for every line or none")
        return cls(
            coding=coding,
            seen=seen,
            coefficients=stored_floats(arrays, "coefficients", (lines, width), low=-_CAP, high=_CAP),
            offset=stored_floats(arrays, "offset", (lines,), low=-_CAP, high=_CAP),
            centre=stored_floats(arrays, "centre", (width,)),
            errors=errors,
            **read_facts(arrays, PENALTIES),
            covariance=_read_covariance(arrays, lines * width),
            average=stored_floats(arrays, "average", (width,)) if "average" in arrays else np.empty(0),
        )


def _read_covariance(arrays: Mapping[str, Array], size: int) -> Floats:
    """Older files have none."""
    if "covariance" not in arrays:
        return np.empty((0, 0))
    covariance = stored_floats(arrays, "covariance", (size, size))
    require(
        bool((np.diag(covariance) >= 0).all()) and np.allclose(covariance, covariance.T),
        "its covariance is missing",
    )
    return covariance
