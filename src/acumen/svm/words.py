"""What a machine says of itself and of its decisions, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acumen.base.explanation import Evidence
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.svm.rows import view_rows
from acumen.types import Floats
from acumen.views.matrix import NumericMatrix

if TYPE_CHECKING:
    from acumen.svm.model import SVMModel


def described(model: SVMModel, schema: Schema, *, full: bool = False) -> str:
    """The kernel, then each machine: its sides, support vectors, margin and certificate; weights where linear."""
    lines = [f"Support vector machine, kernel {model.expansion.kernel!r}, {_machines(model)}."]
    if model.calibration is not None:
        lines.append("Probabilities by curves fitted on rows left out.")
    many = len(model.facts) > 12 and not full
    shown = range(12 if many else len(model.facts))
    lines.extend(_machine_line(model, schema, machine) for machine in shown)
    if many:
        lines.append(f"... {len(model.facts) - 12} more machines: describe(full=True)")
    if model.is_linear and model.view is not None:
        for machine in shown if len(model.facts) <= 3 or full else ():
            lines.extend(_weights(model, schema, machine, full))
    return "\n".join(lines)


def _machines(model: SVMModel) -> str:
    n = len(model.facts)
    how = {
        "two": "one machine",
        "votes": f"{n} machines of two classes each that vote",
        "largest": f"{n} machines, one for each class",
        "losses": f"{n} machines under an error-correcting code",
    }
    return how[model.decoding]


def _machine_line(model: SVMModel, schema: Schema, machine: int) -> str:
    rows, support, norm, primal, dual, kkt = model.facts[machine].tolist()
    width = f"margin {2 / norm:.4g} wide" if norm > 0 else "no margin (w = 0)"
    return (
        f"{sides(model.code[machine], schema)}: {support:.0f} support vectors of {rows:.0f} rows, |w| = {norm:.4g}, "
        f"{width}; primal {primal:.6g}, dual {dual:.6g}, KKT within {kkt:.2g}"
    )


def sides(code: Floats, schema: Schema) -> str:
    """Which classes a machine tells apart."""
    up = [str(c) for c, side in zip(schema.classes, code.tolist(), strict=True) if side > 0]
    down = [str(c) for c, side in zip(schema.classes, code.tolist(), strict=True) if side < 0]
    if not down:
        return f"{', '.join(up)} in the machine of all classes"
    rest = "the others" if len(up) == 1 and len(down) > 1 else ", ".join(down)
    return f"{', '.join(up)} (+) against {rest} (-)"


def _weights(model: SVMModel, schema: Schema, machine: int, full: bool) -> list[str]:
    assert model.view is not None
    weights, intercept = original_units(model.view, model.expansion.coefficients, model.expansion.intercept)
    own = weights[:, machine]
    order = np.argsort(-np.abs(model.expansion.coefficients[:, machine]), kind="stable")
    shown = order if full else order[:10]
    names = model.view.names
    lines = [
        f"h(x) of {sides(model.code[machine], schema)}, in the attributes' own units, the weightiest first:"
    ]
    lines += [f"  {own[j]:+.6g} x {names[j]}" for j in shown.tolist()]
    if len(shown) < len(own):
        lines.append(f"  ... {len(own) - len(shown)} more weights: describe(full=True)")
    return [*lines, f"  {intercept[machine]:+.6g}"]


def column_scales(view: NumericMatrix) -> tuple[Floats, Floats]:
    """Centre and spread of each column of the matrix; 0 and 1 for those not scaled."""
    centre, spread = np.zeros(len(view.names)), np.ones(len(view.names))
    for j, (start, attribute) in enumerate(zip(view.starts[:-1].tolist(), view.schema, strict=True)):
        if attribute.kind != "text" and not view.is_one_hot(attribute):
            centre[start], spread[start] = view.centre[j], view.spread[j]
    return centre, spread


def original_units(view: NumericMatrix, weights: Floats, intercept: Floats) -> tuple[Floats, Floats]:
    """Weights and intercepts that apply to the columns before they were scaled; constant ones weigh nothing."""
    centre, spread = column_scales(view)
    own = np.divide(weights, spread[:, None], out=np.zeros_like(weights), where=spread[:, None] != 0)
    return own, intercept - centre @ own


def evidence_of(model: SVMModel, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
    """For one linear machine each attribute's part in the decision; else the difference of the scores."""
    scores = model.scores(row)[0]
    total = float(scores[winner] - scores[rival])
    if not np.isfinite(total):
        return (Evidence(None, "a class that was never seen", 0.0),)
    if not model.is_linear or model.view is None or model.calibration is not None:
        return (Evidence(None, "all support vectors together", total),)
    X = view_rows(model.view, row)
    line = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)[0]
    if model.decoding == "two":
        sign = float(model.code[0, winner])
        weights, intercept = (
            sign * model.expansion.coefficients[:, 0],
            sign * float(model.expansion.intercept[0]),
        )
    elif model.decoding == "largest":
        known = np.flatnonzero((model.code != 0).any(axis=0))
        one, other = int(np.searchsorted(known, winner)), int(np.searchsorted(known, rival))
        weights = model.expansion.coefficients[:, one] - model.expansion.coefficients[:, other]
        intercept = float(model.expansion.intercept[one] - model.expansion.intercept[other])
    else:
        return (Evidence(None, "all machines' votes together", total),)
    with np.errstate(over="ignore", invalid="ignore"):
        parts = np.nan_to_num(weights * line)
    found = []
    for attribute, start, end in zip(
        model.view.schema, model.view.starts[:-1].tolist(), model.view.starts[1:].tolist(), strict=True
    ):
        found.append(
            Evidence(attribute.name, condition_of(row, attribute.name), float(parts[start:end].sum()))
        )
    return (*found, Evidence(None, "bias", intercept))


def condition_of(row: Table, name: str) -> str:
    """What a row says of an attribute, in words."""
    value = row.column(name)[0]
    if value is None or value != value:
        return f"{name} is missing"
    return f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"
