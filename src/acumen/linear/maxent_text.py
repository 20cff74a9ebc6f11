"""A maximum entropy model in words: each feature's multiplier, and that its averages match."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from acumen import messages
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.render.text import Heading, many, number, table

if TYPE_CHECKING:
    from acumen.linear.maxent import MaxEntModel

_SHOWN = 28
_HEADINGS = (
    Heading("feature", least=12),
    Heading("class", least=6),
    Heading("multiplier", "right"),
    Heading("observed", "right"),
    Heading("expected", "right"),
)


def describe(model: MaxEntModel, schema: Schema, full: bool) -> str:
    """The features, strongest multipliers first where not all are shown."""
    target = schema.target.name if schema.target else "class"
    names = model.features.names(model.view.names)
    of = [*(str(schema.classes[c]) for c in model.features.of), *(["any"] * len(model.features.functions))]
    shown = np.arange(len(names))
    if not full and len(names) > _SHOWN:
        shown = np.sort(np.argsort(-np.abs(model.multipliers), kind="stable")[:_SHOWN])
    rows = [
        [
            printable(names[i]),
            printable(of[i]),
            number(float(model.multipliers[i])),
            f"{model.observed[i]:.6g}",
            f"{model.expected[i]:.6g}",
        ]
        for i in shown
    ]
    apart = float(np.abs(model.observed - model.expected).max(initial=0.0))
    lines = [
        f"Maximum entropy for {target}: {many(len(names), 'feature')}, weight of rows {number(model.weight)}",
        *table(_HEADINGS, rows, 100),
    ]
    if len(shown) < len(names):
        lines.append(f"  ... and {len(names) - len(shown)} more features: {messages.the_rest()}")
    within = 10.0 ** math.ceil(math.log10(max(apart, 1e-9)) - 1e-9)
    lines.append(f"Observed and expected averages agree within {within:.0e}.")
    return "\n".join(lines)
