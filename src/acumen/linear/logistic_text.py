"""Logistic regression in words: a table of coefficients, and how well the rows fit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from acumen import voice
from acumen.data.schema import Schema
from acumen.show.escape import printable
from acumen.show.text import Heading, number, table
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.linear.logistic import LogisticModel

_HEADINGS = (
    Heading("column", least=12),
    Heading("coefficient", "right"),
    Heading("std. error", "right"),
    Heading("z", "right"),
    Heading("p-value", "right"),
    Heading("odds ratio", "right"),
)
#: A test asks whether a coefficient is 0, and a penalty has drawn it there: under one there are none.
_TESTS = ("z", "p-value")
_OF_ERRORS = {
    0: "Standard errors are from the observed information; p-values are Wald's.",
    1: "Standard errors are from the penalised (l2) information: the coefficients are drawn towards 0, which no test "
    "allows for. For p-values fit with {penalty=None}.",
    2: "Standard errors are those of the columns kept, as if they had been chosen beforehand: l1 chose them, which no "
    "test allows for. For p-values fit with {penalty=None}.",
}


def describe(model: LogisticModel, schema: Schema, full: bool) -> str:
    """How well the rows fit; then the coefficients by class, with errors, tests and odds ratios."""
    target = schema.target.name if schema.target else "class"
    names = [*(printable(name) for name in model.coding.names(schema.without_target())), "intercept"]
    classes = [str(schema.classes[place]) for place in model.places]
    if not model.lines:
        return f"Logistic regression for {target}: {classes[0]} is the only class with training rows."
    if model.lines == 1:
        what = f"log-odds of {classes[1]} against {classes[0]}"
    else:
        what = f"a line for each of {len(classes)} classes, of which only differences matter"
    lines = [f"Logistic regression for {target}: {what}", _fit(model), _errors(model)]
    for k, label in enumerate(classes[-model.lines :]):
        if model.lines > 1:
            lines.append(f"{target} = {label}")
        lines += _table(model, k, names, full)
    return "\n".join(lines)


def _fit(model: LogisticModel) -> str:
    logs, k = model.log_likelihood, model.free
    bic = k * math.log(max(model.weight, 1.0)) - 2 * logs
    return (
        f"Log-likelihood {number(logs)}, AIC {number(2 * k - 2 * logs)}, BIC {number(bic)} "
        f"({k} parameters, weight of rows {number(model.weight)})"
    )


def _errors(model: LogisticModel) -> str:
    if len(model.errors):
        several = " Each line is tested against the mean of all lines." if model.lines > 1 else ""
        return voice.spoken(_OF_ERRORS[model.penalty]) + ("" if model.penalty else several)
    return "Standard errors were not computed: the matrix they need is large (standard_errors=True)."


def _table(model: LogisticModel, k: int, names: list[str], full: bool) -> list[str]:
    """The columns of one line, strongest first where not all are shown."""
    coefficients = np.r_[model.coefficients[k], model.intercept[k]]
    errors = model.errors[k] if len(model.errors) else np.full(len(coefficients), np.nan)
    shown = np.arange(len(names))
    most = 30 if model.lines == 1 else max(2, 36 // model.lines - 3)
    left = 0
    if not full and len(names) > most:
        strength = _strength(coefficients, errors)
        shown = np.sort(np.r_[np.argsort(-strength[:-1], kind="stable")[: most - 1], len(names) - 1])
        left = len(names) - len(shown)
    rows = [_row(names[j], float(coefficients[j]), float(errors[j])) for j in shown]
    headings: tuple[Heading, ...] = _HEADINGS
    if model.penalty:
        kept = [i for i, heading in enumerate(_HEADINGS) if heading.title not in _TESTS]
        headings, rows = tuple(_HEADINGS[i] for i in kept), [[row[i] for i in kept] for row in rows]
    made = table(headings, rows, 100)
    return [*made, f"  ... and {left} more columns: {voice.the_rest()}"] if left else made


def _strength(coefficients: Floats, errors: Floats) -> Floats:
    size = np.abs(coefficients)
    return np.where(errors > 0, np.divide(size, errors, out=size.copy(), where=errors > 0), size)


def _row(name: str, coefficient: float, error: float) -> list[str]:
    if not error > 0:  # left out, or not computed
        return [name, number(coefficient), "–", "–", "–", _odds(coefficient)]
    z = coefficient / error
    return [name, number(coefficient), number(error), f"{z:.2f}", p_value(z), _odds(coefficient)]


def p_value(z: float) -> str:
    """Of a two-sided normal test."""
    p = math.erfc(abs(z) / math.sqrt(2))
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


def _odds(coefficient: float) -> str:
    return number(math.exp(coefficient)) if coefficient < 700 else "inf"
