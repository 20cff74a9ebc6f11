"""Rules: conditions that together speak for a class.

Rule       if all conditions hold, then the label; with the training rows behind it
RuleList   rules and what is said where none holds; one type for every learner whose model is rules
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np

from acumen.base.condition import Condition
from acumen.base.predictor import label_array
from acumen.data.escape import printable
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.types import Array, Bools, Codes, Floats, Label


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, then `label`.

    Parameters
    ----------
    conditions : tuple of Condition
        None at all means that the rule always holds.
    label : label
    counts : mapping of label to number
        The weight of each class among the training rows behind the rule: all that it covers, or, in an
        ordered list, those that no earlier rule covers.
    total : float
        The weight of all training rows.
    """

    conditions: tuple[Condition, ...]
    label: Label
    counts: Mapping[Label, float] = field(default_factory=dict, hash=False)
    total: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "counts", dict(self.counts))

    def covers(self, table: Table) -> Bools:
        """For each row whether all conditions hold."""
        made = np.ones(len(table), dtype=np.bool_)
        for condition in self.conditions:
            made &= condition.holds(table)
        return made

    @property
    def covered(self) -> float:
        """The weight of the training rows behind the rule."""
        return math.fsum(self.counts.values())

    @property
    def right(self) -> float:
        """The weight of those among them that have the rule's label."""
        return self.counts.get(self.label, 0.0)

    @property
    def support(self) -> float:
        """The share of all training rows that the rule covers and gets right."""
        return self.right / self.total if self.total > 0 else math.nan

    @property
    def confidence(self) -> float:
        """The share of the covered training rows that the rule gets right; NaN where it covers none."""
        return self.right / self.covered if self.covered > 0 else math.nan

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "conditions": [condition.to_dict() for condition in self.conditions],
            "label": self.label,
            "counts": [[label, weight] for label, weight in self.counts.items()],
            "total": self.total,
        }

    def __str__(self) -> str:
        body = " and ".join(map(str, self.conditions))
        text = f"if {body} then {_word(self.label)}" if body else f"always {_word(self.label)}"
        if not self.counts:
            return printable(text)
        behind = f"support {self.right:g}/{self.total:g}, confidence {self.right:g}/{self.covered:g}"
        return f"{printable(text)}  ({behind})"


@dataclass(frozen=True, slots=True)
class RuleList(Sequence[Rule]):
    """Rules with a default; reads like a sequence of rules.

    An ordered list answers with the first rule that covers a row. In an unordered one all rules that cover
    a row vote with their class counts (a rule without counts gives one vote to its label), and of equal
    classes the one named first in `classes` wins. Where no rule covers, the answer is `default`.

    Parameters
    ----------
    rules : sequence of Rule
    default : label
    classes : sequence of labels, optional
        All classes in order; unless given, those that occur.
    ordered : bool
    default_counts : mapping of label to number, optional
        The weight of each class among the training rows that no rule covers.
    """

    rules: tuple[Rule, ...]
    default: Label
    classes: tuple[Label, ...] = ()
    ordered: bool = True
    default_counts: Mapping[Label, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "default_counts", dict(self.default_counts))
        said = dict.fromkeys([*(rule.label for rule in self.rules), self.default])
        classes = tuple(self.classes) or tuple(said)
        strangers = [label for label in said if label not in classes]
        if strangers:
            raise ParameterError(
                f"RuleList: a rule says {strangers[0]!r}, which is not among the classes {classes!r}."
            )
        object.__setattr__(self, "classes", classes)

    # -- judging rows -----------------------------------------------------------------------------

    def predict(self, table: Table) -> Array:
        """The label of each row, in an array of the labels' own type."""
        codes = self._first(table) if self.ordered else self._voted(table)
        return label_array(self.classes)[codes]

    def deciding(self, table: Table) -> Codes:
        """For each row the number of the first rule that covers it, from 0; -1 where none does."""
        made = np.full(len(table), -1, dtype=np.int32)
        for number, rule in enumerate(self.rules):
            open_rows = made < 0
            if not open_rows.any():
                break
            made[open_rows & rule.covers(table)] = number
        return made

    def _first(self, table: Table) -> Codes:
        place = {label: code for code, label in enumerate(self.classes)}
        said = [place[rule.label] for rule in self.rules] + [place[self.default]]  # -1 picks the last
        return np.array(said, dtype=np.int32)[self.deciding(table)]

    def _voted(self, table: Table) -> Codes:
        place = {label: code for code, label in enumerate(self.classes)}
        votes: Floats = np.zeros((len(table), len(self.classes)))
        for rule in self.rules:
            share = np.zeros(len(self.classes))
            for label, weight in (rule.counts or {rule.label: 1.0}).items():
                share[place[label]] += weight
            votes[rule.covers(table)] += share
        none = votes.sum(axis=1) <= 0
        return np.where(none, place[self.default], votes.argmax(axis=1)).astype(np.int32)

    # -- a sequence -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> RuleList: ...
    def __getitem__(self, at: int | slice) -> Rule | RuleList:
        """One rule, or for a slice a list of some rules with the same default."""
        return replace(self, rules=self.rules[at]) if isinstance(at, slice) else self.rules[at]

    # -- leaving ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "ordered": self.ordered,
            "classes": list(self.classes),
            "rules": [rule.to_dict() for rule in self.rules],
            "default": self.default,
            "default_counts": [[label, weight] for label, weight in self.default_counts.items()],
        }

    def __str__(self) -> str:
        width = len(str(len(self.rules)))
        lines = [f"{number:>{width}}. {rule}" for number, rule in enumerate(self.rules, start=1)]
        return "\n".join([*lines, " " * (width + 2 if lines else 0) + self._last_line()])

    def _last_line(self) -> str:
        line = printable(f"{'otherwise' if self.rules else 'always'} {_word(self.default)}")
        if not self.default_counts:
            return line
        right = self.default_counts.get(self.default, 0.0)
        return f"{line}  (confidence {right:g}/{math.fsum(self.default_counts.values()):g})"

    def _repr_html_(self) -> str:
        tag = "ol" if self.ordered else "ul"
        items = "".join(f"<li>{html.escape(str(rule))}</li>" for rule in self.rules)
        return f"<{tag}>{items}</{tag}><p>{html.escape(self._last_line())}</p>"


def _word(label: Label) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)
