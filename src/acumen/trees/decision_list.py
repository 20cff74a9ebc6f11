"""A tree's rules made fewer and shorter: C4.5rules (Quinlan 1993, chapter 5).

1.  Each leaf is a rule. Conditions are dropped, always the one whose loss helps most, while the rule's pessimistic
    error rate does not rise by it; a rule that no longer differs from another, or that is no better than guessing
    its class, goes.
2.  For each class the rules of the shortest message are kept (`rule_subset`).
3.  Classes are put in order: next comes the one whose rules take the fewest rows of other classes, of those that are
    left (of equal ones the first by name). The default is the class of most rows that no rule covers.
4.  As long as leaving out some rule lessens the training errors, the first such rule is left out.

Rows with a missing value do not fulfil a condition on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from acumen import _native
from acumen.conditions.condition import Condition, Op
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.rulelist.rule_list import Rule, RuleList
from acumen.trees.rule_subset import RuleCandidates
from acumen.types import Bools, Codes, Floats, Label


def decision_list(
    rules: RuleList,
    rows: Table,
    *,
    cf: float = 0.25,
    allows: Callable[[Condition, Label], bool] | None = None,
    fulfilled: Callable[[Sequence[Condition]], bool] | None = None,
) -> RuleList:
    """An ordered list of generalised rules, from the rules of a tree and its training rows.

    Conditions that `allows` says no to for a rule's class are dropped first; rules keep what `fulfilled` asks for.
    """
    known = np.flatnonzero(rows.class_codes >= 0)
    rows = rows if len(known) == len(rows) else rows.take(known)
    return _RuleSimplifier(rules, rows, cf, allows, fulfilled).build()


class _RuleSimplifier:
    """The rows once, and each condition judged on them once."""

    def __init__(
        self,
        rules: RuleList,
        rows: Table,
        cf: float,
        allows: Callable[[Condition, Label], bool] | None = None,
        fulfilled: Callable[[Sequence[Condition]], bool] | None = None,
    ) -> None:
        self.rules, self.rows, self.cf = rules, rows, cf
        self.allows = allows or (lambda condition, label: True)
        self.fulfilled = fulfilled or (lambda conditions: True)
        self.labels: Codes = rows.class_codes
        self.weights: Floats = rows.row_weights
        self.place = {label: code for code, label in enumerate(rules.classes)}
        self.truth: dict[Condition, Bools] = {}

    def holds(self, condition: Condition) -> Bools:
        if condition not in self.truth:
            self.truth[condition] = condition.holds(self.rows)
        return self.truth[condition]

    # -- one rule ---------------------------------------------------------------------------------

    def error_rate(self, covered: Bools, code: int) -> float:
        """The pessimistic error rate of a rule for this class."""
        weight = float(self.weights[covered].sum())
        if weight <= 0:
            return 1.0
        wrong = float(self.weights[covered & (self.labels != code)].sum())
        return (wrong + _native.extra_errors(weight, wrong, self.cf)) / weight

    def generalise(self, conditions: Sequence[Condition], code: int) -> tuple[tuple[Condition, ...], Bools]:
        """The conditions that help, and the rows that fulfil them."""
        remaining = list(conditions)
        held = np.array([self.holds(c) for c in remaining]).reshape(len(remaining), len(self.rows))
        while remaining:
            failed = (~held).sum(axis=0)
            now = self.error_rate(failed == 0, code)
            # without condition i those are covered too that fail at it alone
            without = [
                self.error_rate((failed == 0) | ((failed == 1) & ~line), code)
                if self.fulfilled(remaining[:at] + remaining[at + 1 :])
                else math.inf
                for at, line in enumerate(held)
            ]
            best = int(np.argmin(without))
            if without[best] > now:
                break
            del remaining[best]
            held = np.delete(held, best, axis=0)
        return tuple(remaining), np.asarray(held.all(axis=0))

    # -- all rules --------------------------------------------------------------------------------

    def build(self) -> RuleList:
        simplified: dict[tuple[frozenset[Condition], int], tuple[tuple[Condition, ...], Bools]] = {}
        for rule in self.rules:
            code = self.place[rule.label]
            conditions_asked = [c for c in split_intervals(rule.conditions) if self.allows(c, rule.label)]
            if not self.fulfilled(conditions_asked):
                continue
            conditions, covered = self.generalise(conditions_asked, code)
            guess = 1.0 - float(self.weights[self.labels == code].sum() / self.weights.sum())
            if conditions and self.error_rate(covered, code) < guess:
                simplified.setdefault((frozenset(conditions), code), (conditions, covered))
        chosen: list[list[tuple[tuple[Condition, ...], Bools]]] = [[] for _ in self.place]
        for code in range(len(self.place)):
            mine = [simple for (_, of), simple in simplified.items() if of == code]
            if mine:
                kept = self.candidates(mine, code).best()
                mine = [simple for simple, keep in zip(mine, kept, strict=True) if keep]
                chosen[code] = sorted(mine, key=lambda simple: self.error_rate(simple[1], code))
        return self.order_classes(chosen)

    def candidates(self, mine: list[tuple[tuple[Condition, ...], Bools]], code: int) -> RuleCandidates:
        bits = np.array([self.bits(conditions) for conditions, _ in mine])
        covers = [np.flatnonzero(covered) for _, covered in mine]
        return RuleCandidates(covers, bits, self.weights, self.labels == code)

    def bits(self, conditions: Sequence[Condition]) -> float:
        """What it takes to tell a rule: the attributes and values of its conditions, in whatever order."""
        schema, weight = self.rows.schema, float(self.weights.sum())
        each = math.log2(max(len(schema), 1))
        length = math.fsum(each + _value_bits(c, schema, weight) for c in conditions)
        return max(length - math.lgamma(len(conditions) + 1) / math.log(2.0), 0.0)

    def order_classes(self, chosen: list[list[tuple[tuple[Condition, ...], Bools]]]) -> RuleList:
        """Classes in order, a default, and no rule that does harm."""
        uncovered = np.ones(len(self.rows), dtype=np.bool_)
        waiting = [code for code, rules in enumerate(chosen) if rules]
        entries: list[tuple[tuple[Condition, ...], Bools, int]] = []
        while waiting:
            any_of = {code: np.any([c for _, c in chosen[code]], axis=0) & uncovered for code in waiting}
            false = {c: float(self.weights[any_of[c] & (self.labels != c)].sum()) for c in waiting}
            code = min(waiting, key=lambda c: (false[c], str(self.rules.classes[c])))
            entries += [(conditions, covered, code) for conditions, covered in chosen[code]]
            uncovered &= ~any_of[code]
            waiting.remove(code)
        default = self.default(uncovered)
        entries = self.drop_harmful(entries, default)
        return self.with_counts(entries, default)

    def default(self, uncovered: Bools) -> int:
        """The class of most rows that are left; where none is, of most rows."""
        k = len(self.place)
        rest = np.bincount(self.labels[uncovered], self.weights[uncovered], minlength=k)
        counts = rest if rest.sum() > 0 else np.bincount(self.labels, self.weights, minlength=k)
        return max(
            range(k), key=lambda c: (counts[c], [-ord(letter) for letter in str(self.rules.classes[c])])
        )

    def drop_harmful(
        self, entries: list[tuple[tuple[Condition, ...], Bools, int]], default: int
    ) -> list[tuple[tuple[Condition, ...], Bools, int]]:
        """The list without rules whose omission lessens the training errors."""
        while True:
            for at, saving in enumerate(self.savings(entries, default)):
                if saving > 1e-9:
                    entries = entries[:at] + entries[at + 1 :]
                    break
            else:
                return entries

    def savings(self, entries: list[tuple[tuple[Condition, ...], Bools, int]], default: int) -> Floats:
        """For each rule the training errors that go with it."""
        n = len(self.rows)
        first = np.full(n, len(entries), dtype=np.intp)
        second = np.full(n, len(entries), dtype=np.intp)  # who answers where the first is left out
        for at in reversed(range(len(entries))):
            covered = entries[at][1]
            second[covered] = first[covered]
            first[covered] = at
        codes = np.array([code for *_, code in entries] + [default], dtype=np.intp)
        gain = self.weights * ((codes[first] != self.labels).astype(float) - (codes[second] != self.labels))
        return np.asarray(
            np.bincount(first, gain, minlength=len(entries) + 1)[: len(entries)], dtype=np.float64
        )

    def with_counts(self, entries: list[tuple[tuple[Condition, ...], Bools, int]], default: int) -> RuleList:
        """The list with the rows that come to each rule."""
        uncovered = np.ones(len(self.rows), dtype=np.bool_)
        total = float(self.weights.sum())
        rules = []
        for conditions, covered, code in entries:
            mine = covered & uncovered
            uncovered &= ~covered
            rules.append(Rule(join_intervals(conditions), self.rules.classes[code], self.counts(mine), total))
        classes = self.rules.classes
        rest = self.counts(uncovered) if uncovered.any() else {}
        return RuleList(tuple(rules), classes[default], classes, True, rest)

    def counts(self, some: Bools) -> dict[Label, float]:
        totals = np.bincount(self.labels[some], self.weights[some], minlength=len(self.place))
        return dict(zip(self.rules.classes, totals.tolist(), strict=True))


def split_intervals(conditions: Sequence[Condition]) -> list[Condition]:
    """Each interval as its two ends, so that one may go and the other stay."""
    parts: list[Condition] = []
    for c in conditions:
        if c.op == "between":
            ends: tuple[tuple[Op, float], ...] = ((">", c.value[0]), ("<=", c.value[1]))
            parts += [replace(c, op=op, value=value) for op, value in ends]
        else:
            parts.append(c)
    return parts


def join_intervals(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Two ends of one interval as one condition again."""
    merged: list[Condition] = []
    for c in conditions:
        low = next((o for o in merged if o.attribute == c.attribute and o.op == ">"), None)
        if c.op == "<=" and low is not None:
            merged[merged.index(low)] = replace(c, op="between", value=(low.value, c.value))
        else:
            merged.append(c)
    return tuple(merged)


def _value_bits(condition: Condition, schema: Schema, weight: float) -> float:
    """Which value a condition names, of those it could; a cut lies between two of the rows, `weight` of them."""
    name = condition.attribute
    levels = len(schema[name].levels) if isinstance(name, str) and name in schema else 0
    match condition.op:
        case "=" | "!=":
            return math.log2(max(levels, 2))
        case "in" | "not in":
            return float(max(levels, 2) - 1)
        case "<=" | ">":
            return 1.0 + math.log2(max(levels or weight - 1, 1))
        case _:
            return 1.0
