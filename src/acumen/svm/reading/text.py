"""What a machine says of itself, for people; and its weights in the units people know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acumen import messages
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.preprocessing.matrix import NumericMatrix
from acumen.render.text import Heading, number, table
from acumen.svm.expansion import Expansion
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.svm.model import SVMModel

#: Machines told of, and of how many at most the weights are shown, unless everything is asked for.
_MACHINES, _WEIGHED = 12, 3
_HEADINGS = (
    Heading("machine (+ / -)", least=20),
    Heading("rows", "right"),
    Heading("support", "right"),
    Heading("|w|", "right"),
    Heading("margin", "right"),
    Heading("primal", "right"),
    Heading("gap", "right"),
    Heading("KKT", "right"),
)


def describe_machines(model: SVMModel, schema: Schema, *, full: bool = False) -> str:
    """The kernel, then each machine: its sides, support vectors, margin and certificate; weights where linear."""
    target = printable(schema.target.name) if schema.target else "class"
    lines = [f"Support vector machine for {target}: kernel {model.expansion.kernel!r}, {_machines(model)}"]
    if model.calibration is not None:
        lines.append("Probabilities by curves fitted on rows left out.")
    n = len(model.facts)
    shown = range(n if full else min(n, _MACHINES))
    listed = shown[:1] if model.single else shown
    lines += table(_HEADINGS, [_machine_row(model, schema, machine) for machine in listed], 100)
    if len(shown) < n:
        lines.append(f"... {n - len(shown)} more machines: {messages.the_rest()}")
    lines += [
        "support: support vectors, the rows that the margin rests on; margin: its width, 2 / |w|;",
        "primal: what was minimised, and by no more than the gap could it be lower.",
    ]
    if model.is_linear and model.view is not None and (full or n <= _WEIGHED):
        for machine in shown:
            lines.append(f"h(x) of {sides(model.code[machine], schema)}, in the attributes' own units:")
            lines += weight_lines(model.view, model.expansion, machine, None if full else 10 if n == 1 else 7)
    return "\n".join(lines)


def _machines(model: SVMModel) -> str:
    n = len(model.facts)
    if model.single:
        return "one machine for all classes"
    how = {
        "two": "one machine",
        "votes": f"{n} machines of two classes each that vote",
        "largest": f"{n} machines, one for each class",
        "losses": f"{n} machines under an error-correcting code",
    }
    return how[model.decoding]


def _machine_row(model: SVMModel, schema: Schema, machine: int) -> list[str]:
    rows, support, norm, primal, dual, kkt = model.facts[machine].tolist()
    sides = "all classes" if model.single else " / ".join(_both(model.code[machine], schema))
    return [
        sides, number(rows), number(support), number(norm),
        number(2 / norm) if norm > 0 else "none", f"{primal:.6g}", f"{max(primal - dual, 0.0):.2g}", f"{kkt:.2g}",
    ]  # fmt: skip


def sides(code: Floats, schema: Schema) -> str:
    """The classes that a machine separates."""
    up, down = _both(code, schema)
    return f"{up} (+) against {down} (-)" if down else up


def _both(code: Floats, schema: Schema) -> tuple[str, str]:
    """The names of the classes above and below; several against one are not named one by one."""
    signs = list(zip((printable(str(c)) for c in schema.classes), code.tolist(), strict=True))
    up, down = ([name for name, side in signs if side * sign > 0] for sign in (1, -1))
    return ", ".join(up), "the others" if len(up) == 1 and len(down) > 1 else ", ".join(down)


def weight_lines(
    view: NumericMatrix, expansion: Expansion, machine: int, most: int | None = None
) -> list[str]:
    """A linear machine's weights in the attributes' own units, those of most effect first, and its bias."""
    weights, intercept = original_units(view, expansion.coefficients, expansion.intercept)
    machine_weights = weights[:, machine]
    order = np.argsort(-np.abs(expansion.coefficients[:, machine]), kind="stable")[:most].tolist()
    names = view.names
    lines = [f"  {machine_weights[j]:+.6g} x {printable(names[j])}" for j in order]
    if len(order) < len(machine_weights):
        lines.append(
            f"  ... {len(machine_weights) - len(order)} more weights of less effect: {messages.the_rest()}"
        )
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
    unscaled = np.divide(weights, spread[:, None], out=np.zeros_like(weights), where=spread[:, None] != 0)
    return unscaled, intercept - centre @ unscaled
