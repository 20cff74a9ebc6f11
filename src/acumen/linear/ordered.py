"""The proportional-odds model: one set of coefficients for all classes, and a threshold between neighbouring classes.

    log odds of (class k or lower) = threshold k - coefficients (x - centre)

A positive coefficient makes higher classes more likely. A class without training rows has no threshold of its own and
probability 0. `describe` shows the coefficients with their errors, and the thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from acumen import messages
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.linear.design import DesignCoding, facts_array, read_facts
from acumen.linear.logistic_text import p_value
from acumen.models.model import Model
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.text import Heading, many, number, table
from acumen.types import Array, Bools, Floats

_CAP = 1e140
#: The places of what was penalised, as files have them.
PENALTIES: Final = ("none", "l2")


def log_sigmoid(x: Floats) -> Floats:
    """log(1 / (1 + exp(-x))), whatever the size of x."""
    return -np.logaddexp(0.0, -x)


def log_between(upper: Floats, lower: Floats) -> Floats:
    """log(sigmoid(upper) - sigmoid(lower)) for lower < upper, without a difference of nearly equal numbers.

    sigmoid(u) - sigmoid(l) = sigmoid(u) sigmoid(-l) (1 - exp(l - u)).
    """
    apart = upper - lower
    with np.errstate(divide="ignore"):
        return log_sigmoid(upper) + log_sigmoid(-lower) + np.log(-np.expm1(-apart))


@dataclass(frozen=True, slots=True, eq=False)
class OrderedModel(Model):
    """P(class k or lower) = 1 / (1 + exp(-(threshold k - coefficients (x - centre))))."""

    kind: ClassVar[str] = "ordered-logistic"

    coding: DesignCoding
    seen: Bools  # which classes had training rows
    coefficients: Floats  # (columns,), in the columns' own units
    thresholds: Floats  # (classes seen - 1,), ascending: at the centre
    centre: Floats  # (columns,); zero for sparse rows
    errors: Floats  # standard errors of coefficients and thresholds (of a row of zeros), or none
    log_likelihood: float
    weight: float
    free: int
    penalty: int  # place in PENALTIES

    @property
    def places(self) -> Array:
        """The codes of the classes that had training rows."""
        return np.flatnonzero(self.seen)

    @property
    def cuts(self) -> Floats:
        """The thresholds of a row of zeros."""
        return self.thresholds + float(self.coefficients @ self.centre)

    @property
    def n_parameters(self) -> int:
        return self.free

    # -- predicting -------------------------------------------------------------------------------

    def scores(self, rows: Table) -> Floats:
        scores = np.full((len(rows), len(self.seen)), -np.inf)
        scores[:, self.places] = self.log_shares(self.heights(rows))
        return scores

    def heights(self, rows: Table) -> Floats:
        """How far up the one line each row is: coefficients (x - centre)."""
        matrix: Any = self.coding.matrix(rows)
        if hasattr(matrix, "indptr"):
            heights = np.asarray(matrix @ self.coefficients, dtype=np.float64) - float(
                self.coefficients @ self.centre
            )
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                heights = np.einsum("ij,j->i", matrix - self.centre, self.coefficients)
        bad = np.flatnonzero(~np.isfinite(heights))
        if bad.size:  # numbers whose products are none
            some = matrix[bad]
            some = some.toarray() if hasattr(some, "indptr") else some
            with np.errstate(over="ignore", invalid="ignore"):
                away = np.clip(np.nan_to_num(some - self.centre, nan=0.0), -_CAP, _CAP)
            heights[bad] = np.einsum("ij,j->i", away, np.clip(self.coefficients, -_CAP, _CAP))
        return np.asarray(heights)

    def log_shares(self, heights: Floats) -> Floats:
        """log P of each class seen."""
        k = len(self.thresholds) + 1
        logs = np.zeros((len(heights), k))
        if k == 1:
            return logs
        # Beyond +-700 a probability is 0 or 1 to the last digit; thresholds stay apart there.
        height = np.clip(heights, self.thresholds[0] - 700.0, self.thresholds[-1] + 700.0)
        lines = self.thresholds[None, :] - height[:, None]
        logs[:, 0] = log_sigmoid(lines[:, 0])
        logs[:, -1] = log_sigmoid(-lines[:, -1])
        if k > 2:
            logs[:, 1:-1] = log_between(lines[:, 1:], lines[:, :-1])
        return logs

    # -- reading it -------------------------------------------------------------------------------

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return describe_ordered(self, schema, full)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "seen": np.asarray(self.seen, dtype=np.bool_),
            "coefficients": self.coefficients,
            "thresholds": self.thresholds,
            "centre": self.centre,
            "errors": self.errors,
            "facts": facts_array(self),
            **self.coding.to_arrays(),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        coding = DesignCoding.from_arrays(arrays, schema)
        width = coding.width
        seen = stored_array(arrays, "seen", np.bool_, (schema.n_classes,))
        count = int(np.count_nonzero(seen))
        require(count > 0, "no class has training rows")
        thresholds = stored_floats(arrays, "thresholds", (count - 1,), low=-_CAP, high=_CAP)
        require(bool((np.diff(thresholds) > 0).all()), "the thresholds do not rise")
        errors = stored_floats(arrays, "errors", (None,), low=0.0)
        require(len(errors) in (0, width + count - 1), "there must be all standard errors or none")
        return cls(
            coding=coding,
            seen=seen,
            coefficients=stored_floats(arrays, "coefficients", (width,), low=-_CAP, high=_CAP),
            thresholds=thresholds,
            centre=stored_floats(arrays, "centre", (width,)),
            errors=errors,
            **read_facts(arrays, PENALTIES),
        )


_MOST = 28
_HEADINGS = (
    Heading("column", least=12),
    Heading("coefficient", "right"),
    Heading("std. error", "right"),
    Heading("z", "right"),
    Heading("p-value", "right"),
    Heading("odds ratio", "right"),
)


def describe_ordered(model: OrderedModel, schema: Schema, full: bool) -> str:
    """How well the rows fit; then the coefficients, which hold between any two classes; then the thresholds."""
    target = printable(schema.target.name) if schema.target else "class"
    classes = [printable(schema.classes[place]) for place in model.places]
    if len(classes) == 1:
        return f"Proportional odds for {target}: {classes[0]} is the only class with training rows."
    logs, k = model.log_likelihood, model.free
    bic = k * math.log(max(model.weight, 1.0)) - 2 * logs
    order = " < ".join(classes[:8]) + (" < ..." if len(classes) > 8 else "")
    lines = [
        f"Proportional odds for {target}: {order}",
        f"Log-likelihood {number(logs)}, AIC {number(2 * k - 2 * logs)}, BIC {number(bic)} "
        f"({k} parameters, weight of rows {number(model.weight)})",
        "A unit more of a column multiplies the odds of a higher class by its odds ratio, whichever class is asked of.",
        _errors(model),
    ]
    names = [printable(name) for name in model.coding.names(schema.without_target())]
    width = len(names)
    errors = model.errors if len(model.errors) else np.full(width + len(classes) - 1, np.nan)
    shown = list(range(width))
    if not full and width > _MOST - len(classes):
        room = max(_MOST - len(classes), 4)
        size = np.abs(model.coefficients)
        strength = np.where(
            errors[:width] > 0, size / np.where(errors[:width] > 0, errors[:width], 1.0), size
        )
        shown = sorted(np.argsort(-strength, kind="stable")[:room].tolist())
    rows = [_row(names[j], float(model.coefficients[j]), float(errors[j])) for j in shown]
    if rows:
        headings: tuple[Heading, ...] = _HEADINGS
        if model.penalty:  # a penalty has drawn coefficients towards 0, and no test allows for it
            headings, rows = (*_HEADINGS[:3], _HEADINGS[5]), [[*row[:3], row[5]] for row in rows]
        lines += table(headings, rows, 100)
    if len(shown) < width:
        lines.append(f"  ... and {many(width - len(shown), 'more column')}: {messages.the_rest()}")
    cuts = model.cuts.tolist()
    lines.append("Thresholds, at which a row of zeros is as likely above as not:")
    most = len(cuts) if full else min(len(cuts), 8)
    for j in range(most):
        error = errors[width + j]
        error_text = "" if not error > 0 else f" +- {number(float(error))}"
        lines.append(f"  {classes[j]} | {classes[j + 1]}  {number(cuts[j])}{error_text}")
    if most < len(cuts):
        lines.append(f"  ... and {len(cuts) - most} more: {messages.the_rest()}")
    return "\n".join(lines)


def _errors(model: OrderedModel) -> str:
    if not len(model.errors):
        return "Standard errors were not computed: there are too many columns."
    if model.penalty:
        return messages.fill_template(
            "Standard errors are from the penalised (l2) information: the coefficients are drawn towards 0, which no "
            "test allows for. For p-values fit with {penalty=None}."
        )
    return "Standard errors are from the observed information; p-values are Wald's."


def _row(name: str, coefficient: float, error: float) -> list[str]:
    odds = number(math.exp(coefficient)) if coefficient < 700 else "inf"
    if not error > 0:  # left out, or not computed
        return [name, number(coefficient), "–", "–", "–", odds]
    z = coefficient / error
    return [name, number(coefficient), number(error), f"{z:.2f}", p_value(z), odds]
