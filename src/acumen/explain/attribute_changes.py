"""Explaining any model by what changing each attribute would do.

    class_changes    evidence for a class: how far the log-odds (or scores) fall when an attribute gets a typical value
    value_changes    the same of a number

A row's own value is set beside a typical one (`profiling/typical_row.py`): the median of a number, the most
common level, or
the next one where the row has that already. A reason says by how much the answer differs with all else as it is. Such
differences need not add up: the base is what the model says of a typical row, reasons that hold of that row too are
counted back, and what is then missing to the whole is told as a rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text, value_said
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import TYPICAL_ROW
from acumen.profiling.typical_row import Typical
from acumen.types import Floats

#: What a rest is called.
TOGETHER = "what the attributes do together, beyond each alone"
NOTE = "Each reason: how the answer would differ with a typical value there, all else as it is."


def class_changes(
    apart: Callable[[Table], Floats], row: Table, schema: Schema, typical: Typical
) -> tuple[Evidence, ...] | None:
    """Evidence of one row, by how far two classes are apart; None where that is not finite."""
    changes = _effect_of_attributes(apart, row, schema, typical)
    if changes is None:
        return None
    base, reasons, rest = changes
    return (Evidence(None, TYPICAL_ROW, base, role="start"), *reasons, *rest)


def value_changes(
    values: Callable[[Table], Floats], row: Table, schema: Schema, typical: Typical
) -> tuple[float, tuple[Evidence, ...]] | None:
    """Where a number starts, and what each attribute adds to it."""
    changes = _effect_of_attributes(values, row, schema, typical)
    return None if changes is None else (changes[0], (*changes[1], *changes[2]))


def _effect_of_attributes(
    answer: Callable[[Table], Floats], row: Table, schema: Schema, typical: Typical
) -> tuple[float, list[Evidence], list[Evidence]] | None:
    changed, places = typical.instead(row)
    here, base = float(answer(row)[0]), float(answer(typical.row(schema))[0])
    other = answer(changed) if places else np.zeros(0)
    if not (np.isfinite(here) and np.isfinite(base) and np.isfinite(other).all()):
        return None
    reasons = []
    for i, (place, there) in enumerate(zip(places, other.tolist(), strict=True)):
        name = schema.attributes[place].name
        instead = value_said(changed.take(slice(i, i + 1)), name)
        text = f"{cell_text(row, name)} rather than {instead}" if instead else cell_text(row, name)
        reasons.append(Evidence(name, text, here - there))
    had = [part for part, place in zip(reasons, places, strict=True) if typical.has(row, place)]
    back = -sum(part.log_odds for part in had)
    known = f"what a typical row has too ({', '.join(str(part.attribute) for part in had)})"
    rest = here - base - sum(part.log_odds for part in reasons) - back
    return (
        base,
        reasons,
        [
            *([Evidence(None, known, back, role="rest")] if had else []),
            Evidence(None, TOGETHER, rest, role="rest"),
        ],
    )
