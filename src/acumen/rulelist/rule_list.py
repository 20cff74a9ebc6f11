"""Rules that classify: the model of every learner of rules.

    RuleList   rules and a default class; ordered or voting
    Rule       one rule (from `conditions.rule`)

A list is an immutable value and a `Model`: it scores rows by smoothed counts. Its other abilities have a file each:
`edits` changes it, `explanations` explains its answers, `rendering` shows it, `votes_export` writes voting rules as SQL
and Python, and `json_form`, `parsing` and `arrays` convert it to JSON, text and arrays and back.
A learner gives the list its own kind: `class CN2Model(RuleList): kind = "cn2"`.
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
from acumen.conditions.coverage import Coverage, first_covers, first_of, parts_of, unpack_bits
from acumen.conditions.rule import Rule
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.model import Model
from acumen.models.predictor import Predictor, label_array
from acumen.rulelist.arrays import ArrayRules, rule_arrays, rules_from_arrays
from acumen.rulelist.edits import RuleEditing
from acumen.rulelist.explanations import RuleExplanations
from acumen.rulelist.json_form import fields_from_json, rules_to_json
from acumen.rulelist.parsing import parse_rules
from acumen.rulelist.rendering import RuleRendering
from acumen.rulelist.row_counts import all_counts
from acumen.rulelist.votes_export import votes_python, votes_shares_sql, votes_sql, votes_sums
from acumen.types import Array, Codes, Floats, Label

__all__ = ["Rule", "RuleList"]

#: How far the log probability of a rule's class is raised above that of classes with as many rows or more.
_AHEAD = 1e-12


@dataclass(frozen=True, slots=True)
class RuleList(RuleEditing, RuleExplanations, RuleRendering, FirstMatch, Model, Sequence[Rule]):
    """A list of rules with a default: a sequence of rules that can predict.

    An ordered list predicts the class of the first rule that covers a row. In an unordered list all rules that cover
    a row vote with their class counts (a rule without counts gives one vote to its label), and of tied classes the one
    named first in `classes` wins. If no rule covers the row, the prediction is `default`.

    The probability of a class is its proportion in the counts of the deciding rules, after adding `smoothing` to each
    class that the list knows (1 is Laplace smoothing). In an ordered list, the class of the deciding rule is never less
    likely than another class, whatever its counts: if necessary its probability is raised just above the largest.

    Parameters
    ----------
    rules : sequence of Rule
        Their heads are classes.
    default : label
        The class to predict if no rule covers a row.
    classes : sequence of labels, optional
        All classes in order. [default: the classes that occur in the rules] For a model this must be the classes of
        its schema.
    ordered : bool
        Whether the first rule that covers a row decides. Otherwise all rules that cover it vote.
    default_counts : mapping of label to number, optional
        The weight of each class among the training rows that no rule covers. Without it, the probabilities of the
        default come from the counts of all rules together.
    smoothing : float
        Added to the count of each class; at least 0.
    edits : sequence of str
        The changes made by hand since the list was learned, in words.
    """

    kind: ClassVar[str] = "rules"

    rules: Sequence[Rule]
    default: Label
    classes: tuple[Label, ...] = ()
    ordered: bool = True
    default_counts: Mapping[Label, float] = field(default_factory=dict, hash=False)
    smoothing: float = 1.0
    edits: tuple[str, ...] = ()
    # counts by rule and class, the default's last; and the log probabilities of each of these lines
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
                raise ParameterError(f"RuleList: the head of each rule must be a class; got {str(rule)!r}.")
        answers = dict.fromkeys([*(rule.label for rule in some), self.default])
        classes = tuple(self.classes) or tuple(answers)
        counted = (label for counts in all_counts(some, self.default_counts) for label in counts)
        strangers = [label for label in dict.fromkeys([*answers, *counted]) if label not in classes]
        if self.classes and strangers:
            raise ParameterError(
                f"RuleList: a rule has the class {strangers[0]!r}, which is not among the classes {classes!r}."
            )
        if not isinstance(self.smoothing, (int, float)) or not 0 <= self.smoothing < math.inf:
            raise ParameterError(
                f"RuleList: smoothing must be a number of at least 0; got {self.smoothing!r}."
            )
        object.__setattr__(self, "classes", (*classes, *strangers))
        object.__setattr__(self, "_counts", self._count_lines())
        object.__setattr__(self, "_logs", self._answer_logs())

    @property
    def _answer_codes(self) -> Codes:
        """The class code of each rule, then that of the default."""
        if isinstance(self.rules, ArrayRules):
            return np.append(self.rules.heads, np.int32(self.classes.index(self.default)))
        place = {label: code for code, label in enumerate(self.classes)}
        codes = [place[rule.label] for rule in self.rules] + [place[self.default]]
        return np.array(codes, dtype=np.int32)

    def _count_lines(self) -> Floats:
        place = {label: code for code, label in enumerate(self.classes)}
        lines = np.zeros((len(self.rules) + 1, len(self.classes)))
        arrays = isinstance(self.rules, ArrayRules)
        if isinstance(self.rules, ArrayRules):
            lines[:-1] = self.rules.counts
        rest = all_counts(() if arrays else self.rules, self.default_counts)
        for line, counts in zip(lines[len(self.rules) if arrays else 0 :], rest, strict=True):
            for label, weight in counts.items():
                line[place[label]] += weight
        if not lines[-1].any():
            lines[-1] = lines[:-1].sum(axis=0)
        bare = np.flatnonzero(~lines.any(axis=1))
        lines[bare, self._answer_codes[bare]] = 1.0
        return lines

    @property
    def _possible_classes(self) -> Floats:
        """1 for each class that had rows or is the class of a rule; the others have probability 0."""
        known: Floats = np.asarray((self._counts > 0).any(axis=0), dtype=np.float64)
        known[self._answer_codes] = 1.0
        return known

    def _answer_logs(self) -> Floats:
        logs = self._log_shares(self._counts)
        codes = self._answer_codes
        lines = np.arange(len(codes)) if self.ordered else np.array([len(codes) - 1])
        behind = lines[logs[lines].argmax(axis=1) != codes[lines]]
        logs[behind, codes[behind]] = logs[behind].max(axis=1) + _AHEAD
        return logs

    def _log_shares(self, counts: Floats) -> Floats:
        smoothed = counts + float(self.smoothing) * self._possible_classes
        with np.errstate(divide="ignore"):
            log_shares: Floats = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
        return log_shares

    # -- prediction -------------------------------------------------------------------------------

    def scores(self, rows: Table) -> Floats:
        """log P(class | row): one line for each row, one column for each of `classes`."""
        if self.ordered:
            return self._logs[self.deciding(rows)]  # -1 picks the last line, the default's
        votes = self._votes(rows)
        none = ~votes.any(axis=1)
        votes[none] = 1.0
        log_shares = self._log_shares(votes)
        log_shares[none] = self._logs[-1]
        return log_shares

    def _votes(self, table: Table) -> Floats:
        votes: Floats = np.zeros((len(table), len(self.classes)))
        bodies = self._bodies
        for part, rows in parts_of(table):
            coverage, mine = Coverage(bodies, rows), votes[part]
            for at in range(len(bodies)):
                mine[unpack_bits(coverage.rule(at), len(rows))] += self._counts[at]
        return votes

    def predict(self, table: Table) -> Array:
        """Predict the label of each row, in an array of the labels' own type."""
        if not isinstance(table, Table):
            raise DataError(
                "RuleList: expected a Table, as acumen.read(data) returns; got "
                f"{type(table).__name__}. RuleClassifier(rules) accepts data frames and arrays."
            )
        codes = (
            self._answer_codes[self.deciding(table)] if self.ordered else self.scores(table).argmax(axis=1)
        )
        return label_array(self.classes)[codes]

    def proba(self, table: Table) -> Floats:
        """P(class | row): one line for each row, one column for each of `classes`."""
        shares = np.exp(self.scores(table))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def deciding(self, table: Table) -> Codes:
        """For each row the number of the first rule that covers it, from 0; -1 if none does."""
        if isinstance(self.rules, ArrayRules):
            return first_of(self.rules.number_conditions(), table)
        return first_covers(self._bodies, table)

    @property
    def n_parameters(self) -> int:
        """The number of conditions plus, for each rule and the default, the free class proportions (classes - 1)."""
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
        """Write a SELECT: a CASE over ordered rules, or sums of the votes of unordered ones."""
        if self.ordered:
            return super(RuleList, self).statement(predictor, asked)
        if asked.probabilities:
            return votes_shares_sql(predictor, self.to_votes(predictor.schema), asked.table, asked.column)
        start, rest = float(self.smoothing) * self._possible_classes, self._logs[-1]
        return votes_sql(predictor, self._bodies, self._counts[:-1], start, rest, asked.table, asked.column)

    def to_votes(self, schema: Schema) -> tuple[TermSum, ...]:
        """The votes of each class of an unordered list as a sum; their proportions are the probabilities."""
        return votes_sums(
            self._bodies,
            self._counts[:-1],
            float(self.smoothing) * self._possible_classes,
            np.exp(self._logs[-1]),
        )

    def to_python(self, predictor: Predictor) -> str:
        """Write a module with `predict(row)` and `predict_proba(row)`."""
        if self.ordered:
            return super(RuleList, self).to_python(predictor)
        start = float(self.smoothing) * self._possible_classes
        return votes_python(predictor, self._bodies, self._counts[:-1], start, self._logs[-1])

    # -- a sequence -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.rules)

    def __bool__(self) -> bool:
        return True  # a list without rules is still a model: it predicts its default

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> Rule | Self:
        """One rule; for a slice, a list of these rules with the same default."""
        return replace(self, rules=self.rules[at]) if isinstance(at, slice) else self.rules[at]

    # -- JSON, text and arrays --------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The list as JSON-ready values; includes `smoothing` only if it is not 1."""
        return rules_to_json(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read a list written by `to_dict`; ParameterError if it is malformed."""
        return cls(*fields_from_json(record))

    @classmethod
    def parse(cls, text: str, schema: Schema, *, default: Label | None = None) -> Self:
        """Read an ordered list from text, in the form in which `print` shows it. A ParameterError points at the word
        that cannot be read.

        Parameters
        ----------
        text : str
            Rules, each on its own line or ended by a semicolon: "if Own_house = true then Yes; otherwise No".
        schema : Schema
            The schema of the rows to classify; it must contain the attributes, levels and classes.
        default : label, optional
            The class to predict if no rule holds, for a text without "otherwise ...". [default: the first class]
        """
        rules, from_text = parse_rules(text, schema)
        otherwise = from_text if from_text is not None else schema.classes[0] if default is None else default
        return cls(rules, otherwise, schema.classes)

    def to_arrays(self) -> dict[str, Array]:
        return rule_arrays(
            self.rules,
            self._answer_codes,
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
