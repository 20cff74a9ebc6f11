"""Why rules of a list did not answer for a row, and what would be said without the one that did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.conditions.condition import Condition, numbers_of
from acumen.conditions.rule import Rule
from acumen.data.table import Table
from acumen.explain.explanation import PassedRule
from acumen.rulelist.content import RuleContent
from acumen.types import Label


def passed_over(
    rules: Sequence[Rule], answering: Sequence[int], row: Table, *, ordered: bool
) -> tuple[PassedRule, ...]:
    """The rules before the one that answers (of unordered ones all others), each with its first failing condition."""
    last = answering[0] if ordered and answering else len(rules)
    held: dict[Condition, bool] = {}
    made = []
    for at, rule in enumerate(rules[:last]):
        failed = []
        for condition in rule.conditions:
            if condition not in held:
                held[condition] = bool(condition.holds(row)[0])
            if not held[condition]:
                failed.append(condition)
        if failed:
            value = value_of(failed[0], row)
            made.append(PassedRule(at, rule, failed[0], value, off_by(failed[0], value), len(failed) == 1))
    return tuple(made)


def value_of(condition: Condition, row: Table) -> Label | None:
    """What the row has where a condition looks; None where that is missing, or no single value."""
    if not isinstance(condition.attribute, str):
        return None
    attribute = row.schema[condition.attribute]
    if attribute.is_numeric:
        number = float(numbers_of(row, attribute)[0])
        return None if np.isnan(number) else number
    found: Any = row.column(attribute.name)[0]
    if found is None or (isinstance(found, float) and np.isnan(found)):
        return None
    made = found.item() if isinstance(found, np.generic) else found
    return made if isinstance(made, (str, int, float, bool)) else None


def off_by(condition: Condition, value: Label | None) -> float | None:
    """How far a number is from fulfilling a comparison; None of anything else."""
    if value is None or isinstance(value, (str, bool)):
        return None
    low, high = {
        "<=": (None, condition.value),
        ">": (condition.value, None),
        "between": condition.value,
    }.get(condition.op, (None, None))
    if isinstance(high, (int, float)) and value > high:
        return float(value - high)
    return float(low - value) if isinstance(low, (int, float)) and value <= low else None


def otherwise_said(rules: RuleContent, answering: Sequence[int], row: Table) -> Label | None:
    """What the list would say of the row without the first rule that answers; None where none does.

    Nor where each class has the mean of its best votes, which a list without one of its rules has not.
    """
    if not answering or bool(getattr(rules, "best", 0)):
        return None
    if rules.ordered:
        for rule in rules.rules[answering[0] + 1 :]:
            if rule.covers(row)[0]:
                return rule.label
        return rules.default
    made: Label = rules.without(answering[0]).predict(row)[0]
    return made.item() if isinstance(made, np.generic) else made
