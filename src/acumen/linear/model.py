"""A fitted linear regressor: a level, and for each column how much a unit of it adds.

    LinearModel     the result of least squares, ridge, lasso and polynomials
    FitStatistics   how well it fits its training rows

A row's value is level + (x - centre) w. A missing value, or a level never seen, stands at the centre and adds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum, attribute_sum, merge_sums
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, article
from acumen.explain.explanation import Contribution
from acumen.linear import model_text
from acumen.linear.model_columns import ColumnBlock, LinearColumns, ModelColumns, restore_plan
from acumen.models.model import RegressionModel
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.types import Array, Floats

_MOST = 1e300


@dataclass(frozen=True, slots=True)
class FitStatistics:
    """The fit to the training rows: their weight, the squares left and in all, and the parameters spent."""

    weight: float
    residual: float  # weighted sum of squared residuals
    total: float  # the same about the mean (about 0 without an intercept)
    freedom: float  # parameters, the intercept aside; fewer than columns where a penalty holds them

    @property
    def rms(self) -> float:
        """The root of the mean squared residual."""
        return float(np.sqrt(self.residual / self.weight)) if self.weight > 0 else float("nan")

    @property
    def r2(self) -> float:
        """The share of the squares that is explained."""
        return 1.0 - self.residual / self.total if self.total > 0 else float("nan")

    def deviation(self, intercept: bool) -> float:
        """The residual standard deviation, by the degrees of freedom left; NaN where none is left."""
        freedom_left = self.weight - self.freedom - (1.0 if intercept else 0.0)
        return float(np.sqrt(self.residual / freedom_left)) if freedom_left > 1e-9 else float("nan")

    def to_array(self) -> Floats:
        return np.array([self.weight, self.residual, self.total, self.freedom])

    @classmethod
    def from_array(cls, array: Floats) -> FitStatistics:
        return cls(*array.tolist())


@dataclass(frozen=True, slots=True)
class LinearModel(Summed, RegressionModel):
    """Level, centre and coefficients over the columns of a table."""

    kind: ClassVar[str] = "linear-regression"

    columns: ModelColumns
    level: float
    centre: Floats  # (p,)
    coefficient: Floats  # (p,)
    error: Floats  # (1 + p,) standard errors, the intercept's first; NaN where there is none
    fit: FitStatistics
    intercept: bool
    penalty: float = 0.0  # the strength of what held the coefficients

    @property
    def constant(self) -> float:
        """The value of a row of zeros: the intercept in the attributes' own units."""
        return self.level - float(self.centre @ self.coefficient) if self.intercept else 0.0

    @property
    def n_parameters(self) -> int:
        """Coefficients that are not zero, and the intercept."""
        return int(np.count_nonzero(self.coefficient)) + int(self.intercept)

    # -- predicting -------------------------------------------------------------------------------

    def values(self, rows: Table) -> Floats:
        values = np.empty(len(rows))
        for piece in self.columns.pieces(rows):
            values[piece.rows] = self._values_of(piece)
        return values

    def _values_of(self, piece: ColumnBlock) -> Floats:
        away = piece.values - self.centre
        if piece.missing is not None:
            away[piece.missing[:, self.columns.owner]] = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            # One product a row and then a sum: BLAS would add in an order that depends on the number of rows.
            values: Floats = self._start + np.einsum("ij,j->i", away, self.coefficient)
        odd = np.flatnonzero(~np.isfinite(values))
        if odd.size:
            with np.errstate(over="ignore"):
                each = np.nan_to_num(away[odd] * self.coefficient, posinf=_MOST, neginf=-_MOST)
            most = _MOST / (1 + len(self.coefficient))
            values[odd] = np.clip(self._start, -most, most) + np.clip(each, -most, most).sum(axis=1)
        return values

    @property
    def _start(self) -> float:
        """The value of a row at the centre."""
        return self.level if self.intercept else float(self.centre @ self.coefficient)

    def residual_weights(self, gaps: Array) -> Floats:
        """Over [1, columns, columns of gaps, target]: what a row's residual is made of.

        A held-out part's triangular factor times this has the length of its residuals, without a look at its rows.
        """
        owner = self.columns.owner
        filled = np.bincount(owner, weights=self.centre * self.coefficient, minlength=len(gaps))
        start = self._start - float(self.centre @ self.coefficient)
        return np.concatenate([[-start], -self.coefficient, -filled[gaps], [1.0]])

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The value as a sum of terms about the centre."""
        if not isinstance(self.columns, LinearColumns):
            raise DataError(f"the columns of {article(self.kind)} model are no terms of a plain sum.")
        owner = self.columns.owner
        parts = [
            attribute_sum(a, self.coefficient[owner == i], self.centre[owner == i])
            for i, a in enumerate(schema.attributes)
        ]
        return (merge_sums(self._start, parts),)

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        piece = next(self.columns.pieces(row))
        x = piece.values[0].copy()
        if piece.missing is not None:
            gone = piece.missing[0][self.columns.owner]
            x[gone] = self.centre[gone]
        with np.errstate(over="ignore", invalid="ignore"):
            each = np.nan_to_num((x - self.centre) * self.coefficient, posinf=_MOST, neginf=-_MOST)
        amounts = np.bincount(self.columns.owner, weights=each, minlength=len(schema))
        parts = tuple(
            Contribution(a.name, model_text.condition(row, a.name), float(amounts[i]))
            for i, a in enumerate(schema)
        )
        return self._start, parts

    # -- reading it -------------------------------------------------------------------------------

    def head(self) -> str:
        """What kind of fit it is, in a few words."""
        return "Least squares"

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return model_text.describe(self, schema, full)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "level": np.array([self.level]),
            "centre": self.centre,
            "coefficient": self.coefficient,
            "error": self.error,
            "fit": self.fit.to_array(),
            "intercept": np.array([self.intercept], dtype=np.uint8),
            "penalty": np.array([self.penalty]),
            **{f"columns/{name}": array for name, array in self.columns.to_arrays().items()},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        columns = cls._columns(_under("columns/", arrays), schema)
        p = len(columns.names)
        flag = stored_array(arrays, "intercept", np.uint8, (1,))
        require(flag[0] in (0, 1), "a flag is neither 0 nor 1")
        error = stored_array(arrays, "error", np.float64, (1 + p,))
        require(
            np.all((error >= 0) | np.isnan(error)) and not np.isinf(error).any(),
            "a standard error is below 0",
        )
        names = {"level", "centre", "coefficient", "error", "fit", "intercept", "penalty", *cls._further()}
        own_names = {name for name in arrays if not name.startswith("columns/")}
        require(own_names == names, "it does not hold the arrays of a linear model")
        return cls(
            columns=columns,
            level=float(stored_floats(arrays, "level", (1,), low=-_MOST, high=_MOST)[0]),
            centre=stored_floats(arrays, "centre", (p,), low=-_MOST, high=_MOST),
            coefficient=stored_floats(arrays, "coefficient", (p,), low=-_MOST, high=_MOST),
            error=error,
            fit=FitStatistics.from_array(stored_floats(arrays, "fit", (4,), low=0.0, high=_MOST)),
            intercept=bool(flag[0]),
            penalty=float(stored_floats(arrays, "penalty", (1,), low=0.0)[0]),
            **cls._read_extra(arrays),
        )

    @classmethod
    def _columns(cls, arrays: Mapping[str, Array], schema: Schema) -> ModelColumns:
        return restore_plan(arrays, schema).columns(schema)

    @classmethod
    def _further(cls) -> tuple[str, ...]:
        """Further arrays of a subclass."""
        return ()

    @classmethod
    def _read_extra(cls, arrays: Mapping[str, Array]) -> dict[str, float]:
        """Further fields of a subclass from its arrays."""
        return {}


def _under(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
