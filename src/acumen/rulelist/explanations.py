"""Why a list of rules predicts a class for a row.

covering      the rules that decide
near_misses   rules that fail on exactly one condition
grounds       the deciding rules, why earlier ones did not apply, and the prediction without the first
evidence      how far each rule moves the log-odds of two classes
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
from acumen.rulelist.row_counts import RuleContent
from acumen.types import Floats, Label


class RuleExplanations:
    """The methods that explain the prediction for one row."""

    __slots__ = ()

    def covering(self: Any, row: Table) -> list[int]:
        """The numbers of the rules that decide for one row, from 0; at most one in an ordered list."""
        if self.ordered:
            first = int(self.deciding(row)[0])
            return [first] if first >= 0 else []
        return [at for at, rule in enumerate(self.rules) if rule.covers(row)[0]]

    def near_misses(self: Any, row: Table) -> list[tuple[int, Condition]]:
        """The rules that fail on exactly one condition for this row, each with that condition.

        In an ordered list, only rules before the deciding one.
        """
        answering = self.covering(row)
        last = answering[0] if self.ordered and answering else len(self.rules)
        held: dict[Condition, bool] = {}
        misses = []
        for at, rule in enumerate(self.rules[:last]):
            failed = []
            for condition in rule.conditions:
                if condition not in held:
                    held[condition] = bool(condition.holds(row)[0])
                if not held[condition]:
                    failed.append(condition)
            if len(failed) == 1:
                misses.append((at, failed[0]))
        return misses

    def grounds(self: Any, row: Table, schema: Schema) -> Grounds:
        """The deciding rules for one row, why earlier ones did not apply, and the prediction without the first."""
        answering = self.covering(row)
        note = "" if answering else "No rule holds; this is the default."
        return Grounds(
            tuple(FiredRule(at, self.rules[at]) for at in answering),
            note=note,
            passed=skipped_rules(self.rules, answering, row, ordered=self.ordered),
            otherwise=answer_without_first(self, answering, row),
        )

    def evidence(self: Any, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """How far each deciding rule moves the log-odds, one after another; they add up to the difference in scores."""
        answering = self.covering(row)
        everything = self._log_shares(self._counts.sum(axis=0, keepdims=True))[0]
        before = _odds(everything, winner, rival)
        reasons = [Evidence(None, "all rules together", before, role="start")]
        if self.ordered:
            steps = [
                (
                    answering[0] if answering else len(self.rules),
                    self._logs[answering[0] if answering else -1],
                )
            ]
        else:
            votes = np.zeros(len(self.classes))
            steps = [] if answering else [(len(self.rules), self._logs[-1])]
            for at in answering:
                votes = votes + self._counts[at]
                steps.append((at, self._log_shares(votes[None])[0]))
        for at, logs in steps:
            after = _odds(logs, winner, rival)
            # If the odds were and stay infinite, the rule changed nothing.
            change = 0.0 if after == before else after - before
            reasons.append(self._reason(at, change, winner))
            before = after
        return tuple(reasons)

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
        log_odds = float(logs[winner] - logs[rival])
    return 0.0 if math.isnan(log_odds) else log_odds


# -- why rules did not apply, and the prediction without the rule that did -------------------------


def skipped_rules(
    rules: Sequence[Rule], answering: Sequence[int], row: Table, *, ordered: bool
) -> tuple[PassedRule, ...]:
    """The rules before the deciding one (in an unordered list, all others), each with its first failing condition."""
    last = answering[0] if ordered and answering else len(rules)
    held: dict[Condition, bool] = {}
    skipped = []
    for at, rule in enumerate(rules[:last]):
        failed = []
        for condition in rule.conditions:
            if condition not in held:
                held[condition] = bool(condition.holds(row)[0])
            if not held[condition]:
                failed.append(condition)
        if failed:
            value = value_of(failed[0], row)
            skipped.append(PassedRule(at, rule, failed[0], value, off_by(failed[0], value), len(failed) == 1))
    return tuple(skipped)


def value_of(condition: Condition, row: Table) -> Label | None:
    """The row's value of the attribute that a condition tests; None if it is missing or the condition tests a pair."""
    if not isinstance(condition.attribute, str):
        return None
    attribute = row.schema[condition.attribute]
    if attribute.is_numeric:
        number = float(numbers_of(row, attribute)[0])
        return None if np.isnan(number) else number
    value: Any = row.column(attribute.name)[0]
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    scalar = value.item() if isinstance(value, np.generic) else value
    return scalar if isinstance(scalar, (str, int, float, bool)) else None


def off_by(condition: Condition, value: Label | None) -> float | None:
    """How far a number is from meeting a comparison; None for other values and conditions."""
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


def answer_without_first(rules: RuleContent, answering: Sequence[int], row: Table) -> Label | None:
    """The prediction for the row without the first deciding rule; None if no rule decides.

    Also None if each class is scored by the mean of its best rules, because such a list cannot lose a rule.
    """
    if not answering or bool(getattr(rules, "best", 0)):
        return None
    if rules.ordered:
        for rule in rules.rules[answering[0] + 1 :]:
            if rule.covers(row)[0]:
                return rule.label
        return rules.default
    label: Label = rules.without(answering[0]).predict(row)[0]
    return label.item() if isinstance(label, np.generic) else label
