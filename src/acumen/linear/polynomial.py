"""Polynomial regression: least squares on powers of the numeric attributes.

    learn   rows -> PolynomialModel   of a given degree, or of the one that does best on rows left out

The factor of the highest degree holds those of all lower ones in its first columns, and the factor of a fold gives the
squared error on its rows without reading them again: all degrees on all folds come from one pass. Powers are taken
about the middle of each attribute's range, which changes no prediction but keeps the digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import ClassVar

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.engines.run import run, run_parts
from acumen.linear.linear_systems import LinearSummary, summarise, summarise_parts
from acumen.linear.model import LinearModel
from acumen.linear.model_columns import PowerColumns, PowerPlan, power_plan, restore_power_plan
from acumen.linear.ols import solve_system
from acumen.render.text import number
from acumen.summaries.algebra import leave_each_out
from acumen.types import Array, Codes, Floats


@dataclass(frozen=True, slots=True)
class PolynomialModel(LinearModel):
    """A linear model over powers."""

    kind: ClassVar[str] = "polynomial-regression"

    @property
    def degree(self) -> int:
        """The highest power."""
        assert isinstance(self.columns, PowerColumns)
        return self.columns.degree

    def head(self) -> str:
        return f"Polynomial of degree {self.degree}"

    def powers(self) -> Floats:
        """Of one numeric attribute and nothing else: the coefficients of 1, x, x^2, ... in x's own unit."""
        columns = self.columns
        assert isinstance(columns, PowerColumns) and len(self.coefficient) == columns.degree
        m, unit = np.float64(columns.centre[0]), np.float64(columns.unit[0])  # which overflow to infinity
        about = np.concatenate([[self.constant], self.coefficient / unit ** np.arange(1, columns.degree + 1)])
        powers = np.zeros(columns.degree + 1)
        for k, a in enumerate(about.tolist()):  # a (x - m)^k, multiplied out
            for i in range(k + 1):
                powers[i] += a * comb(k, i) * np.power(-m, k - i)
        return powers

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        text = LinearModel.describe(self, schema, full=full)
        columns = self.columns
        assert isinstance(columns, PowerColumns)
        attributes = [a.name for a in schema.numeric]
        ranges = [
            f"({printable(n)} - {number(float(c))}) / {number(float(u))}"
            for n, c, u in zip(attributes, columns.centre, columns.unit, strict=True)
        ]
        text += "\nPowers are of " + ", ".join(ranges[:4]) + (" and so on" if len(ranges) > 4 else "")
        if len(schema) == len(attributes) == 1:
            terms = [f"{number(float(w))} x^{k}" for k, w in enumerate(self.powers())]
            text += f"\nMultiplied out, x being {printable(attributes[0])}: " + " + ".join(terms)
        return text

    @classmethod
    def _columns(cls, arrays: Mapping[str, Array], schema: Schema) -> PowerColumns:
        return restore_power_plan(arrays, schema).columns(schema)


def learn(table: Table, degree: int) -> tuple[PolynomialModel, LinearSummary]:
    """The polynomial of a degree."""
    plan = power_plan(blocks(table), degree)
    summary = run(partial(summarise, plan=plan), table)
    return _of_degree(summary, plan, degree), summary


def cross_validate(table: Table, degrees: int, folds: Codes, n_folds: int) -> Floats:
    """The squared error on the rows of each fold by the polynomial of the others: (degrees, folds).

    The means over rows, degree 1 first; a polynomial with more coefficients than rows is worth nothing (infinite).
    """
    plan = power_plan(blocks(table), degrees)

    def block(rows: Table, parts: Codes) -> list[LinearSummary]:
        return summarise_parts(rows, plan, parts, n_folds)

    each = run_parts(block, table, folds)
    errors = np.full((degrees, n_folds), np.inf)
    for fold, (training, held_out) in enumerate(zip(leave_each_out(each), each, strict=True)):
        for degree in range(1, degrees + 1):
            model = _of_degree(training, plan, degree, quiet=True)
            if model.fit.weight > model.fit.freedom + 1 and held_out.weight[0] > 0:
                errors[degree - 1, fold] = squared_error(model, held_out, plan) / float(held_out.weight[0])
    return errors


def squared_error(model: PolynomialModel, left: LinearSummary, plan: PowerPlan) -> float:
    """The weighted squares of what a model leaves of a part, from the part's factor."""
    weights = model.residual_weights(left.gaps)
    columns = plan.columns(left.schema)
    n = len(model.coefficient)
    wide = np.zeros(1 + len(columns.names) + int(left.gaps.sum()) + 1)
    wide[: 1 + n] = weights[: 1 + n]
    wide[1 + len(columns.names) :] = weights[1 + n :]
    apart = left.triangle.factor @ wide
    return float(apart @ apart)


def _of_degree(summary: LinearSummary, plan: PowerPlan, degree: int, quiet: bool = False) -> PolynomialModel:
    import warnings

    from acumen.errors import AcumenWarning

    columns = plan.columns(summary.schema)
    system = summary.centred_system.first(columns.width(degree))
    lower = replace(columns, degree=degree)
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore", AcumenWarning)
        model = solve_system(replace(system, columns=lower), "PolynomialRegression")
    return PolynomialModel(
        lower, model.level, model.centre, model.coefficient, model.error, model.fit, model.intercept
    )
