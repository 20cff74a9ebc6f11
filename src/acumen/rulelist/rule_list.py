"""Rules that classify: the model of every learner that leaves rules behind.

    RuleList   rules and what is said where none holds; ordered or voting
    Rule       one of them (`base.rule`)

A list is a value and a `Model`: it scores rows by smoothed counts. What else it can do has a file each: `rules_edit`
changes it, `rules_explained` tells why it says something, `rules_shown` shows it, `rules_export` writes it as SQL and
Python, `rules_form`, `rules_parse` and `rules_file` bring it to JSON, text and arrays, and back.
A learner gives its own kind to it: `class CN2Model(RuleList): kind = "cn2"`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, overload

import numpy as np

from acumen.codegen.export import FirstMatch, Select
from acumen.codegen.terms import TermSum
from acumen.conditions.condition import Condition
from acumen.conditions.coverage import Coverage, first_covers, first_of, parts_of, unpacked
from acumen.conditions.rule import Rule
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.model import Model
from acumen.models.predictor import Predictor, label_array
from acumen.rulelist.array_rules import ArrayRules
from acumen.rulelist.arrays import rule_arrays, rules_from_arrays
from acumen.rulelist.edits import Editable
from acumen.rulelist.explanations import Explained
from acumen.rulelist.json_form import form_of, parts_of_form
from acumen.rulelist.parsing import parse_rules
from acumen.rulelist.rendering import Shown
from acumen.rulelist.row_counts import all_counts
from acumen.rulelist.votes_export import votes_python, votes_shares_sql, votes_sql, votes_sums
from acumen.types import Array, Codes, Floats, Label

__all__ = ["Rule", "RuleList"]

#: By how much the log probability of what a rule says is above that of classes with as many rows or more.
_AHEAD = 1e-12


@dataclass(frozen=True, slots=True)
class RuleList(Editable, Explained, Shown, FirstMatch, Model, Sequence[Rule]):
    """Rules with a default; reads like a sequence of rules, and predicts.

    An ordered list answers with the first rule that covers a row. In an unordered one all rules that cover
    a row vote with their class counts (a rule without counts gives one vote to its label), and of equal
    classes the one named first in `classes` wins. Where no rule covers, the answer is `default`.

    The probability of a class is its share in the counts that answer, each class that the list knows counted
    `smoothing` times more (Laplace: 1). What a rule of an ordered list says is never less likely than another class,
    whatever the counts behind it: it is then lifted to the likeliest one.

    Parameters
    ----------
    rules : sequence of Rule
        Their heads are classes.
    default : label
    classes : sequence of labels, optional
        All classes in order; unless given, those that occur. As a model under a schema: the schema's classes.
    ordered : bool
    default_counts : mapping of label to number, optional
        The weight of each class among the training rows that no rule covers. Where there is none, probabilities of the
        default are from the counts of all rules together.
    smoothing : float
        At least 0.
    edits : sequence of str
        What was changed by hand since the list was learned, in words; nothing where it is as it was learned.
    """

    kind: ClassVar[str] = "rules"

    rules: Sequence[Rule]
    default: Label
    classes: tuple[Label, ...] = ()
    ordered: bool = True
    default_counts: Mapping[Label, float] = field(default_factory=dict, hash=False)
    smoothing: float = 1.0
    edits: tuple[str, ...] = ()
    # counts by rule and class, the default's last; and log probabilities where one line of them answers
    _counts: Floats = field(init=False, repr=False, compare=False)
    _logs: Floats = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        arrays = isinstance(self.rules, ArrayRules) and self.rules.classes == tuple(self.classes)
        object.__setattr__(self, "rules", self.rules if arrays else tuple(self.rules))
        object.__setattr__(self, "default_counts", dict(self.default_counts))
        object.__setattr__(self, "edits", tuple(map(str, self.edits)))
        some = () if arrays else self.rules
        for rule in some:
            if not isinstance(rule, Rule) or not rule.says_class:
                raise ParameterError(f"RuleList: each rule must say a class; got {str(rule)!r}.")
        said = dict.fromkeys([*(rule.label for rule in some), self.default])
        classes = tuple(self.classes) or tuple(said)
        counted = (label for counts in all_counts(some, self.default_counts) for label in counts)
        strangers = [label for label in dict.fromkeys([*said, *counted]) if label not in classes]
        if self.classes and strangers:
            raise ParameterError(
                f"RuleList: a rule says {strangers[0]!r}, which is not among the classes {classes!r}."
            )
        if not isinstance(self.smoothing, (int, float)) or not 0 <= self.smoothing < math.inf:
            raise ParameterError(
                f"RuleList: smoothing must be a number of at least 0; got {self.smoothing!r}."
            )
        object.__setattr__(self, "classes", (*classes, *strangers))
        object.__setattr__(self, "_counts", self._counted())
        object.__setattr__(self, "_logs", self._answered())

    @property
    def _said(self) -> Codes:
        """The class code of each rule, and of the default last."""
        if isinstance(self.rules, ArrayRules):
            return np.append(self.rules.heads, np.int32(self.classes.index(self.default)))
        place = {label: code for code, label in enumerate(self.classes)}
        said = [place[rule.label] for rule in self.rules] + [place[self.default]]
        return np.array(said, dtype=np.int32)

    def _counted(self) -> Floats:
        place = {label: code for code, label in enumerate(self.classes)}
        made = np.zeros((len(self.rules) + 1, len(self.classes)))
        arrays = isinstance(self.rules, ArrayRules)
        if isinstance(self.rules, ArrayRules):
            made[:-1] = self.rules.counts
        rest = all_counts(() if arrays else self.rules, self.default_counts)
        for line, counts in zip(made[len(self.rules) if arrays else 0 :], rest, strict=True):
            for label, weight in counts.items():
                line[place[label]] += weight
        if not made[-1].any():
            made[-1] = made[:-1].sum(axis=0)
        bare = np.flatnonzero(~made.any(axis=1))
        made[bare, self._said[bare]] = 1.0
        return made

    @property
    def _known(self) -> Floats:
        """1 for each class that had rows or is said by a rule; the others have probability 0."""
        known: Floats = np.asarray((self._counts > 0).any(axis=0), dtype=np.float64)
        known[self._said] = 1.0
        return known

    def _answered(self) -> Floats:
        logs = self._log_shares(self._counts)
        said = self._said
        lines = np.arange(len(said)) if self.ordered else np.array([len(said) - 1])
        behind = lines[logs[lines].argmax(axis=1) != said[lines]]
        logs[behind, said[behind]] = logs[behind].max(axis=1) + _AHEAD
        return logs

    def _log_shares(self, counts: Floats) -> Floats:
        smoothed = counts + float(self.smoothing) * self._known
        with np.errstate(divide="ignore"):
            made: Floats = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
        return made

    # -- judging rows -----------------------------------------------------------------------------

    def scores(self, rows: Table) -> Floats:
        """log P(class | row), one line a row and one column for each of `classes`."""
        if self.ordered:
            return self._logs[self.deciding(rows)]  # -1 picks the last
        votes = self._votes(rows)
        none = ~votes.any(axis=1)
        votes[none] = 1.0
        made = self._log_shares(votes)
        made[none] = self._logs[-1]
        return made

    def _votes(self, table: Table) -> Floats:
        votes: Floats = np.zeros((len(table), len(self.classes)))
        bodies = self._bodies
        for part, rows in parts_of(table):
            coverage, mine = Coverage(bodies, rows), votes[part]
            for at in range(len(bodies)):
                mine[unpacked(coverage.rule(at), len(rows))] += self._counts[at]
        return votes

    def predict(self, table: Table) -> Array:
        """The label of each row, in an array of the labels' own type."""
        if not isinstance(table, Table):
            raise DataError(
                "RuleList: rules are asked about a Table, as acumen.read(data) gives; got "
                f"{type(table).__name__}. RuleClassifier(rules) takes frames and arrays."
            )
        codes = self._said[self.deciding(table)] if self.ordered else self.scores(table).argmax(axis=1)
        return label_array(self.classes)[codes]

    def proba(self, table: Table) -> Floats:
        """P(class | row), one line a row and one column for each of `classes`."""
        shares = np.exp(self.scores(table))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def deciding(self, table: Table) -> Codes:
        """For each row the number of the first rule that covers it, from 0; -1 where none does."""
        if isinstance(self.rules, ArrayRules):
            return first_of(self.rules.numbered(), table)
        return first_covers(self._bodies, table)

    @property
    def n_parameters(self) -> int:
        """Each condition, and the shares of each rule and of the default but one, which the others settle."""
        if isinstance(self.rules, ArrayRules):
            conditions = len(self.rules.body)
        else:
            conditions = sum(len(rule.body) for rule in self.rules)
        return conditions + (len(self.rules) + 1) * (len(self.classes) - 1)

    # -- other forms ------------------------------------------------------------------------------

    def to_rules(self, schema: Schema) -> RuleList:
        """The list itself."""
        return self

    def branches(self, schema: Schema) -> tuple[list[tuple[Condition, ...]], Floats]:
        """The bodies and log probabilities of an ordered list."""
        return self._bodies, self._logs

    @property
    def _bodies(self) -> list[tuple[Condition, ...]]:
        return [rule.conditions for rule in self.rules]

    def statement(self, predictor: Predictor, asked: Select) -> str:
        """A SELECT: a CASE over ordered rules, or sums of the votes of unordered ones."""
        if self.ordered:
            return super(RuleList, self).statement(predictor, asked)
        if asked.probabilities:
            return votes_shares_sql(predictor, self.to_votes(predictor.schema), asked.table, asked.column)
        start, rest = float(self.smoothing) * self._known, self._logs[-1]
        return votes_sql(predictor, self._bodies, self._counts[:-1], start, rest, asked.table, asked.column)

    def to_votes(self, schema: Schema) -> tuple[TermSum, ...]:
        """Of an unordered list: the votes of each class as a sum, whose shares are the probabilities."""
        return votes_sums(
            self._bodies, self._counts[:-1], float(self.smoothing) * self._known, np.exp(self._logs[-1])
        )

    def to_python(self, predictor: Predictor) -> str:
        """A module with `predict(row)` and `predict_proba(row)`."""
        if self.ordered:
            return super(RuleList, self).to_python(predictor)
        start = float(self.smoothing) * self._known
        return votes_python(predictor, self._bodies, self._counts[:-1], start, self._logs[-1])

    # -- a sequence -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.rules)

    def __bool__(self) -> bool:
        return True  # a list of no rules still has its default, and is a model

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> Rule | Self:
        """One rule, or for a slice a list of some rules with the same default."""
        return replace(self, rules=self.rules[at]) if isinstance(at, slice) else self.rules[at]

    # -- leaving and coming back ------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; `smoothing` is there where it is not 1."""
        return form_of(self)

    @classmethod
    def from_dict(cls, made: Mapping[str, Any]) -> Self:
        """The list that `to_dict` gave this form; ParameterError, in a sentence, where it is none."""
        return cls(*parts_of_form(made))

    @classmethod
    def parse(cls, text: str, schema: Schema, *, default: Label | None = None) -> Self:
        """The ordered list that a text says, such as `print` shows it; ParameterError, pointing at the word, where it
        cannot be read.

        Parameters
        ----------
        text : str
            Rules, each on a line of its own or ended by a semicolon: "if Own_house = true then Yes; otherwise No".
        schema : Schema
            Of the rows it is for: attributes, levels and classes must be known.
        default : label, optional
            What is said where no rule holds, if the text does not say it ("otherwise ..."); else the first class.
        """
        rules, said = parse_rules(text, schema)
        otherwise = said if said is not None else schema.classes[0] if default is None else default
        return cls(rules, otherwise, schema.classes)

    def to_arrays(self) -> dict[str, Array]:
        return rule_arrays(
            self.rules,
            self._said,
            self.default_counts,
            self.classes,
            self.ordered,
            self.smoothing,
            self.edits,
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        rules, default, default_counts, ordered, smoothing, edits = rules_from_arrays(arrays, schema)
        return cls(rules, default, schema.classes, ordered, default_counts, smoothing, edits)
