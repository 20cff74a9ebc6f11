"""The models of rule learners: rule lists, each of a kind of its own."""

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


@dataclass(frozen=True, slots=True)
class RipperModel(RuleList):
    """An ordered list of rules, those of a class together."""

    kind: ClassVar[str] = "ripper"


@dataclass(frozen=True, slots=True)
class CN2Model(RuleList):
    """An ordered list of rules, or rules that vote."""

    kind: ClassVar[str] = "cn2"


@dataclass(frozen=True, slots=True)
class C45RulesModel(RuleList):
    """An ordered list of rules, those of a class together."""

    kind: ClassVar[str] = "c45rules"
