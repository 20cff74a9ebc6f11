"""A linear regressor in words: its coefficients with their intervals, and how well it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.render.text import Heading, many, number, table

if TYPE_CHECKING:
    from acumen.linear.model import LinearModel

#: So many coefficients are listed unless all are asked for: the largest in standard deviations.
_SHOWN = 28
_LEVEL = 0.95


def describe(model: LinearModel, schema: Schema, full: bool) -> str:
    """The fit in two sentences, then a line for each coefficient."""
    target = schema.target.name if schema.target is not None else "value"
    fit = model.fit
    lines = [
        f"{model.head()} of {printable(target)} on {number(fit.weight)} {'row' if fit.weight == 1 else 'rows'}"
    ]
    against = f"; saying the mean alone: {number(_spread(model))}" if model.intercept else ""
    explained = "" if np.isnan(fit.r2) else f", R2 {fit.r2:.4f}"
    lines.append(f"RMS error {number(fit.rms)} on these rows{against}{explained}")
    lines += ["", *coefficient_table(model, full)]
    return "\n".join(lines)


def _spread(model: LinearModel) -> float:
    return float(np.sqrt(model.fit.total / model.fit.weight)) if model.fit.weight > 0 else float("nan")


def coefficient_table(model: LinearModel, full: bool) -> list[str]:
    """Coefficients in the attributes' own units; with 95 % intervals where there are standard errors."""
    names = [printable(name) for name in model.columns.names]
    used = np.flatnonzero(model.coefficient)
    order = np.arange(len(names))
    n_more = 0
    if not full and len(order) > _SHOWN:
        weight = np.abs(model.coefficient)
        kept = np.sort(np.argsort(-weight, kind="stable")[:_SHOWN])
        n_more, order = len(order) - len(kept), kept
    known = not np.isnan(model.error).all()
    headings = [Heading("", least=8), Heading("coefficient", "right")]
    headings += (
        [Heading("95 % interval", "right"), Heading("t", "right"), Heading("p", "right")] if known else []
    )
    rows = [_row(model, "(intercept)", model.constant, model.error[0], known)] if model.intercept else []
    rows += [_row(model, names[j], float(model.coefficient[j]), model.error[1 + j], known) for j in order]
    text = table(headings, rows, 100, indent=0)
    if n_more:
        text.append(
            f"and {many(n_more, 'more column')}, of smaller coefficients; {len(used)} of {len(names)} are not zero"
        )
    return text


def _row(model: LinearModel, name: str, value: float, error: float, known: bool) -> list[str]:
    if not known:
        return [name, number(value)]
    if np.isnan(error):
        return [name, number(value), "", "", ""]
    low, high, t, p = interval(model, value, float(error))
    return [name, number(value), f"{number(low)} to {number(high)}", number(t), _share(p)]


def interval(
    model: LinearModel, value: float, error: float, level: float = _LEVEL
) -> tuple[float, float, float, float]:
    """Student's interval of a coefficient; t, and how often chance alone would make it as large."""
    from scipy.special import stdtr, stdtrit

    freedom_left = model.fit.weight - model.fit.freedom - (1.0 if model.intercept else 0.0)
    half = float(stdtrit(freedom_left, 0.5 + level / 2)) * error
    t = value / error if error > 0 else float(np.inf) * np.sign(value) if value else 0.0
    return value - half, value + half, float(t), float(2 * stdtr(freedom_left, -abs(t)))


def _share(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def condition(row: Table, name: str) -> str:
    """What a row says of an attribute."""
    value = row.column(name)[0]
    if value is None or value != value:
        return f"{printable(name)} is missing"
    value_text = number(float(value)) if isinstance(value, (float, np.floating)) else printable(str(value))
    return f"{printable(name)} = {value_text if len(value_text) <= 40 else value_text[:39] + '…'}"
