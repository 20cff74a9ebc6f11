"""Lists of rules changed by hand: each change gives a new list, which remembers what was done.

    without     a rule less
    moved       a rule at another place
    replaced    another rule in its place
    inserted    a rule more
    simplified  without conditions that say nothing new, and rules that can never answer

Places count from 0. Of an ordered list the counts behind a rule are of rows that no earlier rule covers; where a change
makes them untrue they are left out, until `recounted` counts rows anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.conditions.implied import impossible, lean, weaker
from acumen.conditions.rule import Rule
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.render.text import many
from acumen.rulelist.row_counts import recounted

if TYPE_CHECKING:
    from acumen.rulelist.rule_list import RuleList


class Editable:
    """What can be done to a list of rules; every method gives a new one."""

    __slots__ = ()

    def without(self: Any, i: int) -> RuleList:
        """The list without rule `i`."""
        at = _place(self, i, "without")
        kept = [*self.rules[:at], *self.rules[at + 1 :]]
        return _made(self, kept, at, len(kept), f"left out rule {at + 1}: {_said(self.rules[at])}")

    def moved(self: Any, i: int, to: int) -> RuleList:
        """The list with rule `i` at the place `to`."""
        at, goal = _place(self, i, "moved"), _place(self, to, "moved")
        kept = [*self.rules[:at], *self.rules[at + 1 :]]
        kept.insert(goal, self.rules[at])
        done = f"moved rule {at + 1} to {goal + 1}: {_said(self.rules[at])}"
        # Behind both places as many rows are left as before.
        return _made(self, kept, min(at, goal), max(at, goal) + 1, done, default=True)

    def replaced(self: Any, i: int, rule: Any) -> RuleList:
        """The list with another rule in the place of rule `i`."""
        at, new = _place(self, i, "replaced"), _rule(rule, "replaced")
        kept = [*self.rules[:at], new, *self.rules[at + 1 :]]
        done = f"replaced rule {at + 1}: {_said(self.rules[at])}; by: {_said(new)}"
        return _made(self, kept, at, len(kept), done)

    def inserted(self: Any, i: int, rule: Any) -> RuleList:
        """The list with a rule more, which has the place `i`; as many as there are rules is the end."""
        at = _place(self, i, "inserted", beyond=1)
        new = _rule(rule, "inserted")
        kept = [*self.rules[:at], new, *self.rules[at:]]
        return _made(self, kept, at, len(kept), f"inserted rule {at + 1}: {_said(new)}")

    def simplified(self: Any) -> RuleList:
        """The list without conditions that another one of their rule implies, rules that no row can fulfil and, where
        rules are ordered, rules that an earlier one covers whole and last rules that say what is said anyway. Every
        row keeps its class.
        """
        bodies = [lean(rule.conditions) for rule in self.rules]
        kept: list[int] = []
        for at, body in enumerate(bodies):
            covered = self.ordered and any(weaker(bodies[earlier], body) for earlier in kept)
            if not impossible(body) and not covered:
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
            return _made(self, short, len(short), len(short), "", default=True)
        # No kept rule covers other rows than before; rows of last rules go to the default.
        rest = dict(self.default_counts)
        last = kept[-1] if kept else -1
        for rule in self.rules[last + 1 :] if self.ordered else ():
            for label, weight in rule.counts.items():
                rest[label] = rest.get(label, 0.0) + weight
        done = f"simplified: {many(gone, 'rule')} and {many(fewer, 'condition')} fewer"
        return _made(self, short, len(short), len(short), done, default=rest)

    def recounted(self: Any, table: Table) -> Any:
        """The same rules with the labelled rows of a table behind them."""
        return recounted(self, table)


def _place(rules: Any, i: Any, what: str, beyond: int = 0) -> int:
    n = len(rules.rules)
    if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not -n <= i < n + beyond:
        raise ParameterError(
            f"RuleList.{what}: there are {many(n, 'rule')}, counted from 0, and none at {i!r}."
        )
    return int(i % n if i < 0 else i)


def _rule(given: Any, what: str) -> Rule:
    if not isinstance(given, Rule) or not given.says_class:
        hint = "; of a text, RuleList.parse(text, schema)[0] makes one" if isinstance(given, str) else ""
        raise ParameterError(f"RuleList.{what}: give a Rule that says a class{hint}; got {given!r}.")
    return given


def _said(rule: Rule) -> str:
    """The rule without what is behind it."""
    return str(Rule(rule.body, rule.head))


def _made(
    rules: RuleList, kept: Sequence[Rule], first: int, after: int, done: str, default: Any = None
) -> RuleList:
    """A plain list of rules, whatever learner the old one is of; of an ordered one counts from `first` to before
    `after` are left out.
    """
    from acumen.rulelist.rule_list import RuleList as Plain

    if getattr(rules, "best", 0):
        raise ParameterError(
            "RuleList: of these rules each class has the mean of its best votes, which an edited list has not; learn "
            "them with another vote."
        )
    made = tuple(
        Rule(rule.body, rule.head) if rules.ordered and first <= at < after else rule
        for at, rule in enumerate(kept)
    )
    rest = default if isinstance(default, dict) else rules.default_counts if default else {}
    strangers = [r.label for r in made if r.label not in rules.classes]
    return Plain(
        made,
        rules.default,
        (*rules.classes, *dict.fromkeys(strangers)),
        rules.ordered,
        rest,
        rules.smoothing,
        (*rules.edits, done) if done else rules.edits,
    )
