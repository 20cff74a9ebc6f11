"""Rules that are given: a list that nobody learned, or that was learned and then changed by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from acumen.rulelist.rule_list import RuleList


@dataclass(frozen=True, slots=True)
class GivenRules(RuleList):
    """A list of rules with the rows counted behind it."""

    kind: ClassVar[str] = "rule-classifier"

    @classmethod
    def of(cls, rules: RuleList) -> Self:
        """The list itself, counts included, as a model of its own."""
        return cls(
            rules.rules,
            rules.default,
            rules.classes,
            rules.ordered,
            rules.default_counts,
            rules.smoothing,
            rules.edits,
        )
