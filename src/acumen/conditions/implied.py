"""What follows from what between conditions: which say nothing new, and which no row can fulfil together.

    implies      whether every row that fulfils one condition fulfils another
    lean         a body without conditions that another one implies
    weaker       whether a body covers all that another one covers
    impossible   whether no row can fulfil a body

What is not known to follow is taken not to: levels of ordered attributes have their order in the schema alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from acumen.conditions.condition import Condition

_RANGES = ("<=", ">", "between")


def implies(a: Condition, b: Condition) -> bool:
    """Whether every row that fulfils `a` fulfils `b` too."""
    if a.attribute != b.attribute:
        return False
    if (a.op, a.value) == (b.op, b.value):
        return True
    if b.op == "known":
        return a.op != "missing"
    if (named := _named(a)) is not None:  # one of some values
        return all(_holds(b, value) is True for value in named)
    if (low_high := _range(a)) is not None and (other := _range(b)) is not None:
        return other[0] <= low_high[0] and low_high[1] <= other[1]
    if low_high is not None and b.op in ("!=", "not in"):
        return all(not _inside(low_high, value) for value in _excluded(b))
    if a.op in ("!=", "not in") and b.op in ("!=", "not in"):
        return set(_excluded(b)) <= set(_excluded(a))
    return False


def lean(body: Sequence[Condition]) -> tuple[Condition, ...]:
    """The body without conditions that another one of it implies; of equal ones the first stays."""
    made: list[Condition] = []
    for at, condition in enumerate(body):
        others = [c for k, c in enumerate(body) if k != at]
        needless = any(
            implies(other, condition) and (not implies(condition, other) or body.index(other) < at)
            for other in others
        )
        if not needless:
            made.append(condition)
    return tuple(made)


def weaker(a: Sequence[Condition], b: Sequence[Condition]) -> bool:
    """Whether every row that fulfils all of `b` fulfils all of `a`."""
    return all(any(implies(mine, condition) for mine in b) for condition in a)


def impossible(body: Sequence[Condition]) -> bool:
    """Whether no row can fulfil all of it."""
    return any(_apart(a, b) for at, a in enumerate(body) for b in body[at + 1 :])


def _apart(a: Condition, b: Condition) -> bool:
    """Whether no row can fulfil both."""
    if a.attribute != b.attribute:
        return False
    if "missing" in (a.op, b.op):
        return a.op != b.op
    for one, other in ((a, b), (b, a)):
        if (named := _named(one)) is not None:
            return all(_holds(other, value) is False for value in named)
    first, second = _range(a), _range(b)
    if first is not None and second is not None:
        return max(first[0], second[0]) >= min(first[1], second[1])
    return {a.op, b.op} == {"has", "has not"} and a.value == b.value


def _named(condition: Condition) -> tuple[Any, ...] | None:
    if condition.op == "=":
        return (condition.value,)
    return tuple(condition.value) if condition.op == "in" else None


def _excluded(condition: Condition) -> tuple[Any, ...]:
    return (condition.value,) if condition.op == "!=" else tuple(condition.value)


def _range(condition: Condition) -> tuple[float, float] | None:
    """The numbers (low, high] that a condition asks for; None where it asks for none, or for levels."""
    if condition.op not in _RANGES:
        return None
    ends = condition.value if condition.op == "between" else (condition.value,)
    if not all(isinstance(end, float) for end in ends):  # a whole number may be a level
        return None
    if condition.op == "<=":
        return -math.inf, float(condition.value)
    if condition.op == ">":
        return float(condition.value), math.inf
    return float(condition.value[0]), float(condition.value[1])


def _inside(ends: tuple[float, float], value: Any) -> bool:
    return not isinstance(value, (int, float)) or ends[0] < value <= ends[1] or -math.inf == ends[0] == value


def _holds(condition: Condition, value: Any) -> bool | None:
    """Whether a condition holds for a value that is known; None where that is not sure."""
    match condition.op:
        case "=":
            return bool(value == condition.value)
        case "!=":
            return bool(value != condition.value)
        case "in":
            return value in condition.value
        case "not in":
            return value not in condition.value
        case "known":
            return True
        case _:
            ends = _range(condition)
            return None if ends is None or not isinstance(value, (int, float)) else _inside(ends, value)
