"""Edit a list of rules by hand: each edit returns a new list, which records what was changed.

    without        remove a rule
    move_rule      move a rule to another position
    replace_rule   put another rule in its position
    insert_rule    add a rule
    simplify       drop redundant conditions and rules that can never decide

Positions count from 0. In an ordered list, the counts of a rule are of rows that no earlier rule covers. Counts that
an edit invalidates are dropped until `recount` counts the rows again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.conditions.implied import covers_all_of, drop_implied, is_impossible
from acumen.conditions.rule import Rule
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.render.text import many
from acumen.rulelist.row_counts import recount

if TYPE_CHECKING:
    from acumen.rulelist.rule_list import RuleList


class RuleEditing:
    """The methods that edit a list of rules; each returns a new list."""

    __slots__ = ()

    def without(self: Any, i: int) -> RuleList:
        """Remove rule `i`."""
        at = _place(self, i, "without")
        kept = [*self.rules[:at], *self.rules[at + 1 :]]
        return _edited_list(
            self, kept, at, len(kept), f"removed rule {at + 1}: {_without_counts(self.rules[at])}"
        )

    def move_rule(self: Any, i: int, to: int) -> RuleList:
        """Move rule `i` to position `to`."""
        at, goal = _place(self, i, "move_rule"), _place(self, to, "move_rule")
        kept = [*self.rules[:at], *self.rules[at + 1 :]]
        kept.insert(goal, self.rules[at])
        done = f"moved rule {at + 1} to {goal + 1}: {_without_counts(self.rules[at])}"
        # Rules after both positions are reached by the same rows as before.
        return _edited_list(self, kept, min(at, goal), max(at, goal) + 1, done, default=True)

    def replace_rule(self: Any, i: int, rule: Any) -> RuleList:
        """Replace rule `i` by another rule."""
        at, new = _place(self, i, "replace_rule"), _rule(rule, "replace_rule")
        kept = [*self.rules[:at], new, *self.rules[at + 1 :]]
        done = f"replaced rule {at + 1}: {_without_counts(self.rules[at])}; by: {_without_counts(new)}"
        return _edited_list(self, kept, at, len(kept), done)

    def insert_rule(self: Any, i: int, rule: Any) -> RuleList:
        """Insert a rule at position `i`; `len(rules)` appends it."""
        at = _place(self, i, "insert_rule", beyond=1)
        new = _rule(rule, "insert_rule")
        kept = [*self.rules[:at], new, *self.rules[at:]]
        return _edited_list(self, kept, at, len(kept), f"inserted rule {at + 1}: {_without_counts(new)}")

    def simplify(self: Any) -> RuleList:
        """Drop conditions implied by another condition of their rule and rules that no row can meet. In an ordered list
        also drop rules whose rows an earlier rule covers and last rules that predict the default. The prediction for
        every row stays the same.
        """
        bodies = [drop_implied(rule.conditions) for rule in self.rules]
        kept: list[int] = []
        for at, body in enumerate(bodies):
            covered = self.ordered and any(covers_all_of(bodies[earlier], body) for earlier in kept)
            if not is_impossible(body) and not covered:
                kept.append(at)
        while self.ordered and kept and self.rules[kept[-1]].label == self.default:
            kept.pop()
        short = [
            rule
            if body == rule.conditions
            else Rule(body, rule.head, rule.counts, rule.total, rule.head_total)
            for body, rule in ((bodies[at], self.rules[at]) for at in kept)
        ]
        gone = len(self.rules) - len(kept)
        fewer = sum(len(r.conditions) for r in self.rules) - sum(len(r.conditions) for r in short)
        if not gone and not fewer:
            return _edited_list(self, short, len(short), len(short), "", default=True)
        # Each remaining rule covers the same rows as before; rows of dropped last rules go to the default.
        rest = dict(self.default_counts)
        last = kept[-1] if kept else -1
        for rule in self.rules[last + 1 :] if self.ordered else ():
            for label, weight in rule.counts.items():
                rest[label] = rest.get(label, 0.0) + weight
        done = f"simplified: {many(gone, 'rule')} and {many(fewer, 'condition')} fewer"
        return _edited_list(self, short, len(short), len(short), done, default=rest)

    def recount(self: Any, table: Table) -> Any:
        """Count the labelled rows of a table that each rule covers."""
        return recount(self, table)


def _place(rules: Any, i: Any, what: str, beyond: int = 0) -> int:
    n = len(rules.rules)
    if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not -n <= i < n + beyond:
        raise ParameterError(
            f"RuleList.{what}: the list has {many(n, 'rule')}, counted from 0; there is no rule {i!r}."
        )
    return int(i % n if i < 0 else i)


def _rule(rule: Any, what: str) -> Rule:
    if not isinstance(rule, Rule) or not rule.says_class:
        hint = "; RuleList.parse(text, schema)[0] reads one from text" if isinstance(rule, str) else ""
        raise ParameterError(f"RuleList.{what}: give a Rule whose head is a class{hint}; got {rule!r}.")
    return rule


def _without_counts(rule: Rule) -> str:
    """The rule as text, without its counts."""
    return str(Rule(rule.body, rule.head))


def _edited_list(
    rules: RuleList, kept: Sequence[Rule], first: int, after: int, done: str, default: Any = None
) -> RuleList:
    """Create the edited list, as a plain RuleList whatever learner fitted the old one. In an ordered list, rules from
    `first` to before `after` lose their counts.
    """
    from acumen.rulelist.rule_list import RuleList as Plain

    if getattr(rules, "best", 0):
        raise ParameterError(
            "RuleList: these rules score each class by the mean of its best rules, so they cannot be edited. Fit the "
            "learner with another vote to edit its rules."
        )
    new_rules = tuple(
        Rule(rule.body, rule.head) if rules.ordered and first <= at < after else rule
        for at, rule in enumerate(kept)
    )
    rest = default if isinstance(default, dict) else rules.default_counts if default else {}
    strangers = [r.label for r in new_rules if r.label not in rules.classes]
    return Plain(
        new_rules,
        rules.default,
        (*rules.classes, *dict.fromkeys(strangers)),
        rules.ordered,
        rest,
        rules.smoothing,
        (*rules.edits, done) if done else rules.edits,
    )
