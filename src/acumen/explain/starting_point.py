"""Where an explanation starts: at the average of the training rows, for every learner alike.

    class_average    the log-odds of two classes among the training rows
    from_average     evidence that starts there, whatever the model itself starts from

A model counts its reasons from a point of its own: an average row, a typical row, the root of a tree. Where that is not
the training average, the difference is a part of its own (a rest), so that the parts still add up to the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text, value_said
from acumen.explain.explanation import Evidence
from acumen.profiling.typical_row import Typical
from acumen.types import Floats

#: What explanations start from, in words.
TRAINING_AVERAGE = "average of the training rows"


#: Points that models count their reasons from.
CLASS_FREQUENCIES = "class frequencies in the model"


AVERAGE_ROW = "an average row"


TYPICAL_ROW = "a typical row"


#: Where a model names no point of its own, a class's reasons are counted from equal odds.
_EVEN = "even odds"


#: Log-odds that differ by less are the same but for rounding.
_SAME = 1e-9


def class_average(totals: Floats, winner: int, rival: int) -> float | None:
    """The log-odds of two classes among the training rows; None where one of them has no rows."""
    if not (totals[winner] > 0 and totals[rival] > 0):
        return None
    return float(np.log(totals[winner]) - np.log(totals[rival]))


def from_average(
    evidence: Sequence[Evidence],
    average: float,
    support: float | None = None,
    confidence: float | None = None,
) -> tuple[Evidence, ...]:
    """The same evidence, starting from `average`; the way to the model's own starting point is a rest."""
    starts = [part for part in evidence if part.role == "start"]
    others = [part for part in evidence if part.role != "start"]
    amount = sum(part.log_odds for part in starts)
    if not np.isfinite(amount):
        return tuple(evidence)
    away = amount - average
    if abs(away) <= _SAME:  # the model starts there too
        return (Evidence(None, TRAINING_AVERAGE, amount, support, confidence, role="start"), *others)
    name = ", ".join(part.text for part in starts) or _EVEN
    rest = Evidence(None, f"{name}, compared with the training average", away, role="rest")
    return (Evidence(None, TRAINING_AVERAGE, average, support, confidence, role="start"), *others, rest)


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
