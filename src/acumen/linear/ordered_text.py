"""Proportional odds in words: coefficients with their errors, and the thresholds between classes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from acumen import messages
from acumen.data.schema import Schema
from acumen.linear.logistic_text import p_value
from acumen.render.escape import printable
from acumen.render.text import Heading, many, number, table

if TYPE_CHECKING:
    from acumen.linear.ordered import OrderedModel

_MOST = 28
_HEADINGS = (
    Heading("column", least=12),
    Heading("coefficient", "right"),
    Heading("std. error", "right"),
    Heading("z", "right"),
    Heading("p-value", "right"),
    Heading("odds ratio", "right"),
)


def describe(model: OrderedModel, schema: Schema, full: bool) -> str:
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
        told = "" if not error > 0 else f" +- {number(float(error))}"
        lines.append(f"  {classes[j]} | {classes[j + 1]}  {number(cuts[j])}{told}")
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
