"""Rules that classify: the model of every learner that leaves rules behind.

    RuleList   rules and what is said where none holds; ordered or voting
    Rule       one of them (`base.rule`)

A list is a value and a `Model`: it scores rows by smoothed counts, tells its evidence, is kept in a model file as
arrays, and goes to JSON and back. A learner gives its own kind to it: `class CN2Model(RuleList): kind = "cn2"`.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, overload

import numpy as np

from acumen.base.array_rules import ArrayRules
from acumen.base.condition import Condition
from acumen.base.coverage import Coverage, first_covers, first_of, parts_of, unpacked
from acumen.base.explanation import Evidence, FiredRule, Grounds
from acumen.base.export import FirstMatch
from acumen.base.model import Model
from acumen.base.predictor import Predictor, label_array
from acumen.base.rule import Rule, counts_from, weight_from, word
from acumen.base.rules_edit import Editable
from acumen.base.rules_export import votes_python, votes_sql
from acumen.base.rules_file import rule_arrays, rules_from_arrays
from acumen.base.rules_parse import parse_rules
from acumen.base.rules_reasons import otherwise_said, passed_over
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.show.ladder import LadderFigure, RuleRung
from acumen.show.text import many
from acumen.types import Array, Codes, Floats, Label

__all__ = ["Rule", "RuleList"]

#: By how much the log probability of what a rule says is above that of classes with as many rows or more.
_AHEAD = 1e-12


@dataclass(frozen=True, slots=True)
class RuleList(Editable, FirstMatch, Model, Sequence[Rule]):
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
        counted = (label for counts in _all_counts(some, self.default_counts) for label in counts)
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
        rest = _all_counts(() if arrays else self.rules, self.default_counts)
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

    # -- telling why ------------------------------------------------------------------------------

    def covering(self, row: Table) -> list[int]:
        """The numbers of the rules that answer for one row, from 0: in an ordered list one at most."""
        if self.ordered:
            first = int(self.deciding(row)[0])
            return [first] if first >= 0 else []
        return [at for at, rule in enumerate(self.rules) if rule.covers(row)[0]]

    def near_misses(self, row: Table) -> list[tuple[int, Condition]]:
        """Rules that would have answered for one row but for one condition, each with that condition.

        Of an ordered list those before the rule that answers.
        """
        answering = self.covering(row)
        last = answering[0] if self.ordered and answering else len(self.rules)
        held: dict[Condition, bool] = {}
        made = []
        for at, rule in enumerate(self.rules[:last]):
            failed = []
            for condition in rule.conditions:
                if condition not in held:
                    held[condition] = bool(condition.holds(row)[0])
                if not held[condition]:
                    failed.append(condition)
            if len(failed) == 1:
                made.append((at, failed[0]))
        return made

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        """The rules that answer for one row, why earlier ones did not, and what would be said without the first."""
        found = self.covering(row)
        note = "" if found else "No rule holds; this is the default."
        return Grounds(
            tuple(FiredRule(at, self.rules[at]) for at in found),
            note=note,
            passed=passed_over(self.rules, found, row, ordered=self.ordered),
            otherwise=otherwise_said(self, found, row),
        )

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """How far each rule that answers moves the log-odds, one after another; their sum is the scores' difference."""
        found = self.covering(row)
        made: list[Evidence] = []
        if self.ordered:
            everything = self._log_shares(self._counts.sum(axis=0, keepdims=True))[0]
            before = _odds(everything, winner, rival)
            made.append(Evidence(None, "all rules together", before))
            steps = [(found[0] if found else len(self.rules), self._logs[found[0] if found else -1])]
        else:
            before, votes = 0.0, np.zeros(len(self.classes))
            steps = [] if found else [(len(self.rules), self._logs[-1])]
            for at in found:
                votes = votes + self._counts[at]
                steps.append((at, self._log_shares(votes[None])[0]))
        for at, logs in steps:
            after = _odds(logs, winner, rival)
            # Where the odds were and stay beyond all bounds, the rule changed nothing.
            change = 0.0 if after == before else after - before
            made.append(self._reason(at, change, winner))
            before = after
        return tuple(made)

    def _reason(self, at: int, change: float, winner: int) -> Evidence:
        counts = self._counts[at]
        share = float(counts[winner] / counts.sum())
        if at == len(self.rules):
            return Evidence(None, "no rule holds", change, float(counts.sum()), share)
        body = self.rules[at].conditions
        tested = {str(condition.attribute) for condition in body}
        about = body[0] if len(body) == 1 else (self.rules[at].body_words or "always")
        behind = self.rules[at].counts
        return Evidence(
            tested.pop() if len(tested) == 1 else None,
            about,
            change,
            float(counts.sum()) if behind else None,
            share if behind else None,
        )

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        how = "in order, of which the first that holds answers" if self.ordered else "that vote"
        return "\n".join([f"{many(len(self.rules), 'rule')} for {target} {how}\n{self}", *self._remarks()])

    def _remarks(self) -> list[str]:
        """What is to be said of the list besides its rules: rows that no rule covers, and changes by hand."""
        made = []
        total = next((rule.total for rule in self.rules if rule.counts), 0.0)
        left = math.fsum(self.default_counts.values())
        if total > 0 and left > 0:
            made.append(f"{left:g} of {total:g} training rows are covered by no rule.")
        if self.edits:
            made.append("Edited: " + "; ".join(self.edits) + ".")
        return made

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

    def to_sql(self, predictor: Predictor, table: str | Sequence[str], column: str | None = None) -> str:
        """A SELECT: a CASE over ordered rules, or sums of the votes of unordered ones."""
        if self.ordered:
            return super(RuleList, self).to_sql(predictor, table, column)
        start = float(self.smoothing) * self._known
        return votes_sql(predictor, self._bodies, self._counts[:-1], start, self._logs[-1], table, column)

    def to_python(self, predictor: Predictor) -> str:
        """A module with `predict(row)` and `predict_proba(row)`."""
        if self.ordered:
            return super(RuleList, self).to_python(predictor)
        start = float(self.smoothing) * self._known
        return votes_python(predictor, self._bodies, self._counts[:-1], start, self._logs[-1])

    def to_figure(self, predictor: Predictor, title: str | None = None) -> LadderFigure:
        """The list as a ladder: a rung for each rule, with the classes of the rows that come to it."""
        target = predictor.schema.target.name if predictor.schema.target else "class"
        return self.figure(f"Rules for {target}" if title is None else title)

    def figure(self, title: str = "Rules") -> LadderFigure:
        """The same of a list alone, which shows itself in a notebook."""
        given = np.array(
            [
                [c.get(label, 0.0) for label in self.classes]
                for c in _all_counts(self.rules, self.default_counts)
            ]
        )
        rungs = [
            RuleRung(rule.body_words, int(code), line)
            for rule, code, line in zip(self.rules, self._said, given, strict=False)
        ]
        last = RuleRung("", int(self._said[-1]), given[-1])
        return LadderFigure((*rungs, last), [word(label) for label in self.classes], title, self.ordered)

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
        made = {
            "ordered": self.ordered,
            "classes": list(self.classes),
            "rules": [rule.to_dict() for rule in self.rules],
            "default": self.default,
            "default_counts": [[label, weight] for label, weight in self.default_counts.items()],
        }
        if self.smoothing != 1.0:
            made["smoothing"] = self.smoothing
        return {**made, "edits": list(self.edits)} if self.edits else made

    @classmethod
    def from_dict(cls, made: Mapping[str, Any]) -> Self:
        """The list that `to_dict` gave this form; ParameterError, in a sentence, where it is none."""
        needed = {"rules", "default"}
        known = {"ordered", "classes", "default_counts", "smoothing", "edits", *needed}
        if not isinstance(made, Mapping) or not needed <= made.keys() <= known:
            raise ParameterError(
                f"RuleList: its form has {', '.join(sorted(needed))} and, where they are not as usual, "
                f"{', '.join(sorted(known - needed))}; got {repr(made)[:200]}."
            )
        rules, classes, ordered = made["rules"], made.get("classes", []), made.get("ordered", True)
        if not isinstance(rules, (list, tuple)) or not isinstance(classes, (list, tuple)):
            raise ParameterError("RuleList: rules and classes must be lists.")
        if not all(isinstance(label, (str, int, float, bool)) for label in (*classes, made["default"])):
            raise ParameterError("RuleList: a class must be text, a number or a boolean.")
        if not isinstance(ordered, bool):
            raise ParameterError(f"RuleList: ordered must be true or false; got {ordered!r}.")
        edits = made.get("edits", [])
        if not isinstance(edits, (list, tuple)) or not all(isinstance(each, str) for each in edits):
            raise ParameterError(f"RuleList: edits must be a list of texts; got {repr(edits)[:200]}.")
        return cls(
            tuple(Rule.from_dict(rule) for rule in rules),
            made["default"],
            tuple(classes),
            ordered,
            counts_from(made.get("default_counts", []), "RuleList"),
            weight_from(made.get("smoothing", 1.0), "RuleList: smoothing"),
            tuple(edits),
        )

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

    def __str__(self) -> str:
        width = len(str(len(self.rules)))
        lines = [f"{number:>{width}}. {rule}" for number, rule in enumerate(self.rules, start=1)]
        return "\n".join([*lines, " " * (width + 2 if lines else 0) + self._last_line()])

    def _last_line(self) -> str:
        line = printable(f"{'otherwise' if self.rules else 'always'} {word(self.default)}")
        if not self.default_counts:
            return line
        right = self.default_counts.get(self.default, 0.0)
        return f"{line}  (confidence {right:g}/{math.fsum(self.default_counts.values()):g})"

    def _repr_html_(self) -> str:
        tag = "ol" if self.ordered else "ul"
        items = "".join(f"<li>{html.escape(str(rule))}</li>" for rule in self.rules)
        return f"<{tag}>{items}</{tag}><p>{html.escape(self._last_line())}</p>"


def _all_counts(rules: Sequence[Rule], last: Mapping[Label, float]) -> Iterator[Mapping[Label, float]]:
    """What is behind each rule, and behind the default."""
    yield from (rule.counts for rule in rules)
    yield last


def _odds(logs: Floats, winner: int, rival: int) -> float:
    with np.errstate(invalid="ignore"):
        made = float(logs[winner] - logs[rival])
    return 0.0 if math.isnan(made) else made
