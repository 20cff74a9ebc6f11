"""Conditions, counts and classes as people write them, short enough to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acumen.conditions.condition import Condition
from acumen.types import Floats, Label

#: So many levels of a set are named; the rest is counted.
MOST_LEVELS = 6


def condition_words(condition: Condition, most: int = MOST_LEVELS) -> str:
    """The condition in words: of many levels only the first are named, and numbers have six figures.

    `str` of the condition, as rules show it, leaves nothing out.
    """
    value = condition.value
    if condition.op in ("in", "not in") and len(value) > most + 1:
        short = Condition(condition.attribute, condition.op, value[:most])
        return f"{str(short)[:-1]}, ... {len(value) - most} more}}"
    if condition.op in ("<=", ">") and isinstance(value, float):
        return str(replace(condition, value=_round_to_six(value)))
    if condition.op == "between" and _round_to_six(value[0]) < _round_to_six(value[1]):
        return str(replace(condition, value=(_round_to_six(value[0]), _round_to_six(value[1]))))
    return str(condition)


def _round_to_six(value: float) -> float:
    return float(f"{value:.6g}")


def class_word(label: Label) -> str:
    """A class as people write it."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def leaf_counts(counts: Floats, winner: int) -> str:
    """The weight of a leaf's rows and of those of other classes, as C4.5 writes it: `(46/1)`."""
    total = float(counts.sum())
    wrong = max(total - float(counts[winner]), 0.0)
    if wrong <= 1e-9 * total:
        return f"({weight(total)})"
    return f"({weight(total)}/{weight(wrong)})"


def weight(value: float) -> str:
    """A weight to two decimals, whole ones as such."""
    return f"{value:.0f}" if abs(value - round(value)) < 5e-7 * max(1.0, value) else f"{value:.2f}"


def listed_counts(counts: Floats, classes: Sequence[Label], most: int = 6) -> str:
    """The classes that are there, the most frequent first: `3 Yes, 1 No`."""
    order = [c for c in (-counts).argsort(kind="stable").tolist() if counts[c] > 0]
    parts = [f"{weight(float(counts[c]))} {class_word(classes[c])}" for c in order[:most]]
    if len(order) > most:
        parts.append(f"{len(order) - most} more classes")
    return ", ".join(parts) or "no rows"
