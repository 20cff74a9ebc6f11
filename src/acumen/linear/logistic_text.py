"""Logistic regression in words: a table of coefficients, and how well the rows fit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from acumen import messages
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.linear.odds_ratios import OddsRatio, odds_ratios
from acumen.render.text import Heading, many, number, table
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
    Heading("95 % interval", "right"),
)
#: A test asks whether a coefficient is 0, and a penalty has drawn it there: under one there are none.
_TESTS = ("z", "p-value")
_OF_ERRORS = {
    0: "Standard errors are from the observed information; p-values are from Wald tests.",
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
        what = f"log-odds of {printable(classes[1])} against {printable(classes[0])}"
    else:
        what = f"a line for each of {len(classes)} classes, of which only differences matter"
    lines = [f"Logistic regression for {target}: {what}", _fit(model), _errors(model)]
    ratios = _ratios(model, schema) if model.lines == 1 else {}
    lines.append(_reference_note(model, ratios))
    for k, label in enumerate(classes[-model.lines :]):
        if model.lines > 1:
            lines.append(f"{target} = {label}")
        lines += _table(model, k, names, full, ratios)
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
        return messages.fill_template(_OF_ERRORS[model.penalty]) + ("" if model.penalty else several)
    return "Standard errors were not computed: the matrix they need is large (standard_errors=True)."


def _ratios(model: LogisticModel, schema: Schema) -> dict[int, OddsRatio]:
    """The odds ratio that belongs to each column: of a level against the first of its attribute."""
    inputs = schema.without_target()
    starts = dict(zip(inputs.names, model.coding.starts(inputs).tolist(), strict=False))
    ratios = {}
    for row in odds_ratios(model, schema):
        attribute = inputs[row.attribute]
        at = 0 if row.value is None else attribute.levels.index(row.value)
        ratios[starts[row.attribute] + at] = row
    return ratios


def _reference_note(model: LogisticModel, ratios: Mapping[int, OddsRatio]) -> str:
    """What odds ratios are against, and how others are had."""
    how = messages.at_the_command_line(f"acumen show MODEL {messages.option('odds')}") or "odds_ratios"
    if model.lines > 1:
        return f"Odds ratios of a line are against the mean of all; {how} gives those of one class against another."
    levels = any(row.value is not None for row in ratios.values())
    sentence = "Odds ratios are per unit" + (
        ", of a level against the first of its attribute" if levels else ""
    )
    why = "" if any(row.low == row.low for row in ratios.values()) else " (without intervals here)"
    return f"{sentence}{why}; {how} gives others."


def _table(
    model: LogisticModel, k: int, names: list[str], full: bool, ratios: Mapping[int, OddsRatio]
) -> list[str]:
    """The columns of one line, strongest first where not all are shown."""
    coefficients = np.r_[model.coefficients[k], model.intercept[k]]
    errors = model.errors[k] if len(model.errors) else np.full(len(coefficients), np.nan)
    shown = np.arange(len(names))
    most = 30 if model.lines == 1 else max(2, 36 // model.lines - 3)
    n_more = 0
    if not full and len(names) > most:
        strength = _strength(coefficients, errors)
        shown = np.sort(np.r_[np.argsort(-strength[:-1], kind="stable")[: most - 1], len(names) - 1])
        n_more = len(names) - len(shown)
    rows = [
        [
            *_row(names[j], float(coefficients[j]), float(errors[j])),
            *_odds(float(coefficients[j]), ratios.get(j)),
        ]
        for j in shown.tolist()
    ]
    headings: tuple[Heading, ...] = _HEADINGS
    gone = _TESTS if model.penalty else ()
    if all(row[-1] == "–" for row in rows):
        gone = (*gone, _HEADINGS[-1].title)
    if gone:
        kept = [i for i, heading in enumerate(_HEADINGS) if heading.title not in gone]
        headings, rows = tuple(_HEADINGS[i] for i in kept), [[row[i] for i in kept] for row in rows]
    text = table(headings, rows, 100)
    return [*text, f"  ... and {many(n_more, 'more column')}: {messages.the_rest()}"] if n_more else text


def _strength(coefficients: Floats, errors: Floats) -> Floats:
    size = np.abs(coefficients)
    return np.where(errors > 0, np.divide(size, errors, out=size.copy(), where=errors > 0), size)


def _row(name: str, coefficient: float, error: float) -> list[str]:
    if not error > 0:  # left out, or not computed
        return [name, number(coefficient), "–", "–", "–"]
    z = coefficient / error
    return [name, number(coefficient), number(error), f"{z:.2f}", p_value(z)]


def p_value(z: float) -> str:
    """Of a two-sided normal test."""
    p = math.erfc(abs(z) / math.sqrt(2))
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


def _odds(coefficient: float, ratio: OddsRatio | None) -> tuple[str, str]:
    if ratio is None:
        return number(math.exp(coefficient)) if coefficient < 700 else "inf", "–"
    return ratio.in_words()
