"""Logical relations between conditions: which are redundant, and which contradict each other.

    implies         whether every row that meets one condition meets another
    drop_implied    a body without conditions that another one implies
    covers_all_of   whether a body covers every row that another one covers
    is_impossible   whether no row can meet a body

The answers are conservative: what cannot be shown to follow is taken not to follow. For example, the order of levels
is known to the schema only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from acumen.conditions.condition import Condition

_RANGES = ("<=", ">", "between")


def implies(a: Condition, b: Condition) -> bool:
    """Whether every row that meets `a` also meets `b`."""
    if a.attribute != b.attribute:
        return False
    if (a.op, a.value) == (b.op, b.value):
        return True
    if b.op == "known":
        return a.op != "missing"
    if (named := _listed_values(a)) is not None:
        return all(_holds(b, value) is True for value in named)
    if (low_high := _range(a)) is not None and (other := _range(b)) is not None:
        return other[0] <= low_high[0] and low_high[1] <= other[1]
    if low_high is not None and b.op in ("!=", "not in"):
        return all(not _is_inside(low_high, value) for value in _excluded_values(b))
    if a.op in ("!=", "not in") and b.op in ("!=", "not in"):
        return set(_excluded_values(b)) <= set(_excluded_values(a))
    return False


def drop_implied(body: Sequence[Condition]) -> tuple[Condition, ...]:
    """Remove conditions that another condition of the body implies; of equal ones the first stays."""
    needed: list[Condition] = []
    for at, condition in enumerate(body):
        others = [c for k, c in enumerate(body) if k != at]
        needless = any(
            implies(other, condition) and (not implies(condition, other) or body.index(other) < at)
            for other in others
        )
        if not needless:
            needed.append(condition)
    return tuple(needed)


def covers_all_of(a: Sequence[Condition], b: Sequence[Condition]) -> bool:
    """Whether every row that meets all of `b` meets all of `a`."""
    return all(any(implies(mine, condition) for mine in b) for condition in a)


def is_impossible(body: Sequence[Condition]) -> bool:
    """Whether no row can meet all conditions of the body."""
    return any(_are_disjoint(a, b) for at, a in enumerate(body) for b in body[at + 1 :])


def _are_disjoint(a: Condition, b: Condition) -> bool:
    """Whether no row can meet both."""
    if a.attribute != b.attribute:
        return False
    if "missing" in (a.op, b.op):
        return a.op != b.op
    for one, other in ((a, b), (b, a)):
        if (named := _listed_values(one)) is not None:
            return all(_holds(other, value) is False for value in named)
    first, second = _range(a), _range(b)
    if first is not None and second is not None:
        return max(first[0], second[0]) >= min(first[1], second[1])
    return {a.op, b.op} == {"has", "has not"} and a.value == b.value


def _listed_values(condition: Condition) -> tuple[Any, ...] | None:
    if condition.op == "=":
        return (condition.value,)
    return tuple(condition.value) if condition.op == "in" else None


def _excluded_values(condition: Condition) -> tuple[Any, ...]:
    return (condition.value,) if condition.op == "!=" else tuple(condition.value)


def _range(condition: Condition) -> tuple[float, float] | None:
    """The numbers (low, high] that a condition allows; None if it does not compare numbers."""
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


def _is_inside(ends: tuple[float, float], value: Any) -> bool:
    return not isinstance(value, (int, float)) or ends[0] < value <= ends[1] or -math.inf == ends[0] == value


def _holds(condition: Condition, value: Any) -> bool | None:
    """Whether a condition holds for a known value; None if that cannot be decided here."""
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
            return None if ends is None or not isinstance(value, (int, float)) else _is_inside(ends, value)
