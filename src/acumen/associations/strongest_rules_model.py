"""Matching rules that decide on a class without being a list.

    best       the first in canonical order answers
    weighted   each votes for its class by its confidence
    chi2       each votes by its weighted chi-square, chi2^2 over the largest it could be (CMAR; Li, Han and Pei 2001)
    laplace    each class has the mean Laplace accuracy of its five best rules (CPAR; Yin and Han 2003)

Votes are the counts behind rules of an unordered `RuleList`, so explanations, SQL and files follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from acumen.associations.class_rules import ClassRules
from acumen.codegen.export import Select
from acumen.codegen.terms import TermSum
from acumen.conditions.coverage import Coverage, parts_of, unpack_bits
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.explain.explanation import Evidence
from acumen.models.model import Model
from acumen.models.predictor import Predictor
from acumen.preprocessing.stored_arrays import require, stored_codes
from acumen.rulelist.rule_list import RuleList
from acumen.types import Array, Floats

Vote = Literal["best", "weighted", "chi2", "laplace"]

_BEST = 5
_MOST_BEST = 1000
#: Votes are sums of shares, not counts of rows, and need less to keep a class possible.
_SMOOTHING = 0.01


@dataclass(frozen=True, slots=True)
class StrongestModel(RuleList):
    """Rules that vote, or whose first match predicts; with `best`, a class has the mean of this number of its largest
    votes.
    """

    kind: ClassVar[str] = "strongest-rules"

    best: int = 0

    def _votes(self, table: Table) -> Floats:
        if not self.best:
            return super(StrongestModel, self)._votes(table)
        votes: Floats = np.zeros((len(table), len(self.classes)))
        strength, heads = self._counts[:-1], self._answer_codes[:-1]
        order = np.argsort(-strength.max(axis=1), kind="stable")
        for part, rows in parts_of(table):
            coverage = Coverage(self._bodies, rows)
            taken = np.zeros((len(rows), len(self.classes)))
            mine = votes[part]
            for at in order.tolist():
                c = int(heads[at])
                here = unpack_bits(coverage.rule(at), len(rows)) & (taken[:, c] < self.best)
                mine[here, c] += strength[at, c]
                taken[here, c] += 1
            mine /= np.maximum(taken, 1)
        return votes

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        if self.best:
            return Model.evidence(self, row, schema, winner, rival)
        return super(StrongestModel, self).evidence(row, schema, winner, rival)

    def statement(self, predictor: Predictor, asked: Select) -> str:
        """A SELECT statement; a mean of the best rules cannot be exported as one."""
        self._must_add("to_sql")
        return super(StrongestModel, self).statement(predictor, asked)

    def to_votes(self, schema: Schema) -> tuple[TermSum, ...]:
        """The votes of each class as a sum; a mean of the best rules is not a sum."""
        self._must_add("export")
        return super(StrongestModel, self).to_votes(schema)

    def to_python(self, predictor: Predictor) -> str:
        """A Python module; a mean of the best rules cannot be exported as one."""
        self._must_add("to_python")
        return super(StrongestModel, self).to_python(predictor)

    def _must_add(self, what: str) -> None:
        if self.best:
            raise DataError(
                f"{what}: a class has the mean of its {self.best} best votes, which is not a sum; use vote='weighted'."
            )

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; `best` is there where it is not 0."""
        fields = super(StrongestModel, self).to_dict()
        return {**fields, "best": self.best} if self.best else fields

    @classmethod
    def from_dict(cls, made: Mapping[str, Any]) -> Self:
        """The rules that `to_dict` gave this form; ParameterError, in a sentence, where it is none."""
        best = made.get("best", 0) if isinstance(made, Mapping) else 0
        if not isinstance(best, int) or isinstance(best, bool) or not 0 <= best < _MOST_BEST:
            raise ParameterError(f"StrongestModel: best must be a whole number of at least 0; got {best!r}.")
        rest = {k: v for k, v in made.items() if k != "best"} if isinstance(made, Mapping) else made
        return replace(super(StrongestModel, cls).from_dict(rest), best=best)

    def to_arrays(self) -> dict[str, Array]:
        arrays = super(StrongestModel, self).to_arrays()
        return {**arrays, "best": np.array([self.best], dtype=np.int32)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        require("best" in arrays, "it does not hold how votes are put together")
        best = int(stored_codes(arrays, "best", (1,), low=0, below=_MOST_BEST)[0])
        rest = {name: array for name, array in arrays.items() if name != "best"}
        model = super(StrongestModel, cls).from_arrays(rest, schema)
        require(not (best and model.ordered), "a list in order has no votes")
        return replace(model, best=best)


def voting(rules: ClassRules, vote: Vote) -> StrongestModel:
    """The rules with their votes."""
    about = rules.rows
    classes, unit = about.classes, about.unit
    everyday = classes[int(about.totals.argmax())]
    rest = dict(zip(classes, (about.totals / unit).tolist(), strict=True))
    if vote == "best":
        return StrongestModel(rules.to_rules().rules, everyday, classes, True, rest)
    strength = _strength(rules, vote)
    # A rule without a vote is left out: a list gives one vote to a rule whose counts are all 0.
    voters = tuple(
        replace(rule, counts={rule.label: float(vote_of)})
        for rule, vote_of in zip(rules, strength.tolist(), strict=True)
        if vote_of > 0
    )
    best = _BEST if vote == "laplace" else 0
    return StrongestModel(voters, everyday, classes, False, rest, _SMOOTHING, best=best)


def _strength(rules: ClassRules, vote: Vote) -> Floats:
    unit = rules.rows.unit
    right, covered = rules.right / unit, rules.cover_counts / unit
    if vote == "weighted":
        return np.asarray(right / covered)
    k = int((rules.rows.totals > 0).sum())
    if vote == "laplace":
        return np.asarray((right + 1) / (covered + k))
    totals: Any = rules.rows.totals / unit
    n, head = totals.sum(), totals[rules.heads]
    return weighted_chi2(right, covered, head, n)


def weighted_chi2(right: Floats, covered: Floats, head: Floats, n: float) -> Floats:
    """chi2^2 over the largest chi2 that the margins allow; 0 where a rule is not more likely than chance."""
    with np.errstate(invalid="ignore", divide="ignore"):
        inner = right * n - covered * head
        chi2 = n * inner**2 / (covered * head * (n - covered) * (n - head))
        e = (
            1 / (covered * head)
            + 1 / (covered * (n - head))
            + 1 / ((n - covered) * head)
            + 1 / ((n - covered) * (n - head))
        )
        largest = (np.minimum(covered, head) - covered * head / n) ** 2 * n * e
        ratio = np.where((largest > 0) & (inner > 0), chi2**2 / largest, 0.0)
    return np.nan_to_num(ratio, nan=0.0, posinf=0.0)
