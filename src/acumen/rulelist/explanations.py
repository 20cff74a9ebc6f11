"""Why a list of rules says what it says of a row.

covering      the rules that answer
near_misses   those that would have but for one condition
grounds       the rules that answered, why earlier ones did not, and what would be said without the first
evidence      how far each moves the log-odds of two classes
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.conditions.condition import Condition, numbers_of
from acumen.conditions.rule import Rule
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.explanation import Evidence, FiredRule, Grounds, PassedRule
from acumen.rulelist.content import RuleContent
from acumen.types import Floats, Label


class Explained:
    """What a list of rules can tell of one row."""

    __slots__ = ()

    def covering(self: Any, row: Table) -> list[int]:
        """The numbers of the rules that answer for one row, from 0: in an ordered list one at most."""
        if self.ordered:
            first = int(self.deciding(row)[0])
            return [first] if first >= 0 else []
        return [at for at, rule in enumerate(self.rules) if rule.covers(row)[0]]

    def near_misses(self: Any, row: Table) -> list[tuple[int, Condition]]:
        """Rules that would have answered for one row but for one condition, each with that condition.

        Of an ordered list those before the rule that answers.
        """
        answering = self.covering(row)
        last = answering[0] if self.ordered and answering else len(self.rules)
        held: dict[Condition, bool] = {}
        made = []
        for at, rule in enumerate(self.rules[:last]):
            failed = []
            for condition in rule.conditions:
                if condition not in held:
                    held[condition] = bool(condition.holds(row)[0])
                if not held[condition]:
                    failed.append(condition)
            if len(failed) == 1:
                made.append((at, failed[0]))
        return made

    def grounds(self: Any, row: Table, schema: Schema) -> Grounds:
        """The rules that answer for one row, why earlier ones did not, and what would be said without the first."""
        found = self.covering(row)
        note = "" if found else "No rule holds; this is the default."
        return Grounds(
            tuple(FiredRule(at, self.rules[at]) for at in found),
            note=note,
            passed=passed_over(self.rules, found, row, ordered=self.ordered),
            otherwise=otherwise_said(self, found, row),
        )

    def evidence(self: Any, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """How far each rule that answers moves the log-odds, one after another; their sum is the scores' difference."""
        found = self.covering(row)
        everything = self._log_shares(self._counts.sum(axis=0, keepdims=True))[0]
        before = _odds(everything, winner, rival)
        made = [Evidence(None, "all rules together", before, role="start")]
        if self.ordered:
            steps = [(found[0] if found else len(self.rules), self._logs[found[0] if found else -1])]
        else:
            votes = np.zeros(len(self.classes))
            steps = [] if found else [(len(self.rules), self._logs[-1])]
            for at in found:
                votes = votes + self._counts[at]
                steps.append((at, self._log_shares(votes[None])[0]))
        for at, logs in steps:
            after = _odds(logs, winner, rival)
            # Where the odds were and stay beyond all bounds, the rule changed nothing.
            change = 0.0 if after == before else after - before
            made.append(self._reason(at, change, winner))
            before = after
        return tuple(made)

    def _reason(self: Any, at: int, change: float, winner: int) -> Evidence:
        counts = self._counts[at]
        share = float(counts[winner] / counts.sum())
        if at == len(self.rules):
            return Evidence(None, "no rule holds", change, float(counts.sum()), share)
        body = self.rules[at].conditions
        tested = {str(condition.attribute) for condition in body}
        about = body[0] if len(body) == 1 else (self.rules[at].body_words or "always")
        behind = self.rules[at].counts
        return Evidence(
            tested.pop() if len(tested) == 1 else None,
            about,
            change,
            float(counts.sum()) if behind else None,
            share if behind else None,
        )


def _odds(logs: Floats, winner: int, rival: int) -> float:
    with np.errstate(invalid="ignore"):
        made = float(logs[winner] - logs[rival])
    return 0.0 if math.isnan(made) else made


# -- Why rules of a list did not answer for a row, and what would be said without the one that did ----


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
