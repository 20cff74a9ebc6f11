"""The rule list that a classifier makes of class association rules (Liu, Hsu and Ma 1998).

builder   "m1": rule by rule, a rule is kept if it gets a row right that no earlier one covers
          "m2": row by row first, which looks at fewer rows; repaired, so that the list is always that of M1
cut       "errors": the list ends where list and default together are wrong least often (the first such place)
          None: it ends with the last rule kept
default   "remaining": the most frequent class of the rows no rule covers (of all rows where none is left)
          "majority": that of all rows
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from acumen import _native
from acumen.associations.baskets import Longs
from acumen.associations.class_rules import ClassRules, ItemRows
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.explain.explanation import Grounds
from acumen.rulelist.rule_list import RuleList
from acumen.types import Codes

Builder = Literal["m1", "m2"]
Cut = Literal["errors"]
Default = Literal["remaining", "majority"]

_NEAR = 3


@dataclass(frozen=True)
class ListOptions:
    """How the list is made."""

    builder: Builder = "m1"
    cut: Cut | None = "errors"
    default: Default = "remaining"


@dataclass(frozen=True, slots=True)
class CBAModel(RuleList):
    """An ordered list of class association rules; the counts behind each are of the rows no earlier rule
    covers.
    """

    kind: ClassVar[str] = "cba"

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        """The rule that answers, and earlier ones that fail by one condition."""
        # `super()` without arguments does not work in a dataclass with slots.
        grounds = super(CBAModel, self).grounds(row, schema)
        sentences = [
            f"Rule {at + 1} (if {self.rules[at].body_words} then {self.rules[at].label}) fails by {condition} alone."
            for at, condition in self.near_misses(row)[:_NEAR]
        ]
        return Grounds(
            grounds.rules, grounds.cases, " ".join([*([grounds.note] if grounds.note else []), *sentences])
        )


class Cover:
    """Rows that rules are laid over, made once for all folds."""

    def __init__(self, rows: ItemRows) -> None:
        self._cover = _native.CarCover(rows.lines, rows.attribute, rows.labels, rows.weights, rows.n_classes)

    def build_lists(
        self, each: Sequence[ClassRules], options: ListOptions, parts: Codes | None = None
    ) -> list[CBAModel]:
        """For each lot of rules, whose `totals` are those of its rows, the list; the rows of the part of the same
        number are left aside.
        """
        lists = self._cover.make_lists(
            [(rules.starts, rules.items, rules.heads) for rules in each],
            np.empty(0, dtype=np.int32) if parts is None else parts,
            options.builder == "m2",
            cores(),
        )
        return [
            _model(rules, options, *parts_of_list) for rules, parts_of_list in zip(each, lists, strict=True)
        ]


def _model(
    rules: ClassRules, options: ListOptions, kept: Codes, covered: Longs, remaining: Longs
) -> CBAModel:
    """The list of the rules kept, cut where it should end."""
    about = rules.rows
    unit, classes, totals = about.unit, about.classes, about.totals
    covered, remaining = covered.reshape(-1, len(classes)), remaining.reshape(-1, len(classes))
    n, default, rest = _ending(rules.heads[kept], covered, remaining, totals, options)
    whole = rest if n else totals
    return CBAModel(
        rules.rules(kept[:n], covered[:n]),
        classes[default],
        classes,
        True,
        dict(zip(classes, (whole / unit).tolist(), strict=True)) if whole.any() else {},
    )


def _ending(
    heads: Codes, covered: Longs, left: Longs, totals: Longs, options: ListOptions
) -> tuple[int, int, Longs]:
    """How many rules the list has, its default, and the rows of each class that are left to it."""
    everyday = int(totals.argmax())
    if not len(heads):
        return 0, everyday, totals
    defaults = np.full(len(heads), everyday)
    if options.default == "remaining":
        some = left.sum(axis=1) > 0
        defaults[some] = left[some].argmax(axis=1)
    at = len(heads) - 1
    if options.cut is not None:
        lines = np.arange(len(heads))
        wrong = np.cumsum(covered.sum(axis=1) - covered[lines, heads])
        at = int((wrong + left.sum(axis=1) - left[lines, defaults]).argmin())
    return at + 1, int(defaults[at]), left[at]
