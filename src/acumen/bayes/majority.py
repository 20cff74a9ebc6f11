"""The class frequencies and nothing else: what every other learner has to beat.

summarise   rows    -> MajoritySummary    how often each class occurs
solve       summary -> MajorityModel      relative frequencies
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from acumen.codegen.export import FirstMatch
from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import CLASS_FREQUENCIES
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.models.summary_arrays import empty_table, restored_summary
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.rulelist.rule_list import RuleList
from acumen.summaries.algebra import Summary
from acumen.summaries.counts import LevelCounts
from acumen.types import Array, Bools, Floats


@dataclass(frozen=True, slots=True, eq=False)
class MajoritySummary(Summary):
    """How often each class occurs."""

    schema: Schema
    classes: LevelCounts  # one level

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.classes.known_counts[:, 0]

    def widen(self, schema: Schema) -> MajoritySummary:
        """The same counts under a schema with more levels."""
        return replace(self, schema=schema)


def summarise(rows: Table, plan: None = None) -> MajoritySummary:
    """Count the classes of some rows."""
    return MajoritySummary(rows.schema, count_classes(rows))


def count_classes(rows: Table) -> LevelCounts:
    """The weight of each class, as counts of one level."""
    one = np.zeros(len(rows), dtype=np.int32)
    return LevelCounts.of(one, rows.class_codes, rows.weights, rows.schema.n_classes, 1)


def solve(summary: MajoritySummary) -> MajorityModel:
    """Compute the model: the counts of the classes."""
    return MajorityModel(summary.class_totals)


def leave_one_out(summary: MajoritySummary, rows: Table) -> tuple[Floats, Bools]:
    """Scores of every row under the frequencies of all the others; no row needs a refit."""
    weight, totals = rows.row_weights, summary.class_totals
    remaining = np.tile(totals, (len(rows), 1))
    mine = np.arange(len(rows)), rows.class_codes
    remaining[mine] -= weight
    remaining[remaining <= 1e-9 * totals] = 0.0  # of the last row of a class rounding may leave something
    with np.errstate(divide="ignore"):
        return np.log(remaining / remaining.sum(axis=1, keepdims=True)), np.zeros(len(rows), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class MajorityModel(FirstMatch, Model):
    """Every row gets the same scores: the log frequencies of the classes."""

    kind: ClassVar[str] = "majority"

    weight: Floats  # training weight of each class

    def scores(self, rows: Table) -> Floats:
        return np.tile(log_prior(self.weight), (len(rows), 1))

    @property
    def n_parameters(self) -> int:
        return len(self.weight) - 1

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        return (prior_evidence(self.weight, winner, rival),)

    def to_rules(self, schema: Schema) -> RuleList:
        """No rule, only a default."""
        return self._always(schema, int(self.weight.argmax()))

    def _always(self, schema: Schema, answer: int) -> RuleList:
        classes = schema.classes
        counts = dict(zip(classes, self.weight.tolist(), strict=True))
        return RuleList((), classes[answer], classes, default_counts=counts)

    def branches(self, schema: Schema) -> tuple[list[tuple[Condition, ...]], Floats]:
        return [], log_prior(self.weight)[None]

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return self._answer_words(schema, int(self.weight.argmax()))

    def describe_deciding(
        self, schema: Schema, choose: Callable[[Floats], int], *, full: bool = False
    ) -> str:
        return self._answer_words(schema, choose(log_prior(self.weight)))

    def _answer_words(self, schema: Schema, answer: int) -> str:
        total = self.weight.sum()
        target = schema.target.name if schema.target else "class"
        head = f"Majority for {target}: {self._always(schema, answer)}"
        return "\n".join(
            [head]
            + [
                f"  {label}: {weight:g} of {total:g} rows, {weight / total:.4f}"
                for label, weight in zip(schema.classes, self.weight, strict=True)
            ]
        )

    def to_arrays(self) -> dict[str, Array]:
        return {"weight": self.weight}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(stored_totals(arrays, schema))


def prior_evidence(weight: Floats, winner: int, rival: int) -> Evidence:
    """How far the frequencies of two classes speak for one of them."""
    logs = log_prior(weight)
    total = float(weight.sum())
    return Evidence(
        None,
        CLASS_FREQUENCIES,
        float(logs[winner] - logs[rival]),
        total,
        float(weight[winner]) / total,
        role="start",
    )


def stored_totals(arrays: Mapping[str, Array], schema: Schema) -> Floats:
    """Class weights out of a model file: at least one above zero, with a finite sum."""
    weight = stored_floats(arrays, "weight", (schema.n_classes,), low=0.0)
    require(0 < weight.sum() < np.inf, "no class has any training weight")
    return weight


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None = None) -> MajoritySummary:
    """Restore a summary, validating the counts of the classes."""
    summary = restored_summary(summarise(empty_table(schema)), arrays)
    require((summary.classes.table >= 0).all(), "the summary holds a negative weight")
    return summary
