"""A model under its schema: everything prediction needs, and no scikit-learn.

    AnyPredictor         what all have in common
    Predictor            of classes, with what decisions cost
    RegressionPredictor  of numbers
    GroupPredictor       of groups: which one a row belongs to
    ColumnPredictor      of other columns for the same rows
    JointPredictor       of how probable a row is
    SetPredictor         of what is found but says nothing of a single row

`store.open` gives one; a learner carries one as `predictor_`. `task` tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from acumen import messages
from acumen.data.align import align
from acumen.data.escape import printable, printable_lines
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, article
from acumen.explain.explanation import Evidence, Explanation, ValueExplanation
from acumen.explain.starting_point import (
    AVERAGE_ROW,
    TRAINING_AVERAGE,
    TYPICAL_ROW,
    class_average,
    from_average,
)
from acumen.models.decision import softmax
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.profiling.training_profile import TrainingProfile
from acumen.profiling.typical_row import Typical
from acumen.render.views import render
from acumen.types import Array, Codes, Floats, Label

if TYPE_CHECKING:  # models name their task, and tasks their predictor: this is the lowest of the three
    from acumen.models.model import AnyModel, ColumnModel, GroupModel, JointModel, Model, RegressionModel
    from acumen.models.task import Task

_ROWS = 65_536
_MOST_SHIFT = 1e4


@dataclass(frozen=True, slots=True, repr=False)
class AnyPredictor:
    """A model under its schema."""

    schema: Schema
    model: AnyModel
    #: What is remembered of the rows it was learned from.
    seen: TrainingProfile | None = field(default=None, kw_only=True, compare=False)

    @property
    def task(self) -> Task:
        """The model: for classes, numbers, clusters or itemsets."""
        return self.model.task

    def predict(self, rows: Table) -> Array:
        """One answer a row, as a code or a number."""
        raise DataError(
            f"{article(self.model.kind)} model says nothing of a single row; see what it found by show."
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """What the columns are called in which answers are written down: one, or several."""
        return ("prediction",)

    @property
    def inputs(self) -> Schema:
        """What rows must have to be answered."""
        return self.schema

    @property
    def seen_inputs(self) -> TrainingProfile | None:
        """What is remembered of the columns in `inputs`."""
        if self.seen is None or self.inputs == self.schema:
            return self.seen
        return self.seen.of_columns(self.schema, self.inputs)

    def answers(self, rows: Table) -> list[Any]:
        """What `predict` says, in the words of the data."""
        values: list[Any] = self.predict(rows).tolist()
        return values

    def promise(self) -> str:
        """The output it promises, in half a line."""
        return f"holds {self.task.noun}"

    def explain(self, row: Table) -> Any:
        """Why the one row of this table gets its answer."""
        raise DataError(
            f"{article(self.model.kind)} model says nothing of a single row, so there is nothing to explain."
        )

    @property
    def _typical(self) -> Typical | None:
        """A typical row, where the model is explained by changes and one is known."""
        return self.seen.typical if self.seen is not None and self.model.by_changes else None

    def to_arrays(self) -> dict[str, Array]:
        """What a model file keeps besides the model: how decisions are taken."""
        return {}

    @classmethod
    def from_arrays(cls, schema: Schema, model: Any, arrays: Mapping[str, Array]) -> Self:
        """Read `to_arrays` back, trusting nothing."""
        require(not arrays, "it holds an unknown array of decision")
        return cls(schema, model)

    def __repr__(self) -> str:
        target = f" of {self.schema.target.name!r}" if self.schema.target else ""
        return f"<{type(self).__name__}{target}: {self.model.kind}, {len(self.schema)} attributes>"

    def __str__(self) -> str:
        return self.describe()

    def _repr_mimebundle_(self, **how: Any) -> dict[str, str]:
        """What was learned, for notebooks."""
        return render(self, "bundle")

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    @np.errstate(all="ignore")  # numpy's own warnings are not for users
    def describe(self, *, full: bool = False) -> str:
        """The model in words, in at most 40 lines; everything with `full`."""
        text = self.model.describe(shown_schema(self.schema), full=full)
        return printable_lines(text if full else limit_lines(text))


@dataclass(frozen=True, slots=True, repr=False)
class Predictor(AnyPredictor):
    """Predicts rows of any Table that has the schema's attributes.

    `costs` is a (predicted, true) matrix or None; `shift` is added to the log scores to answer to priors
    other than the training ones, or None. `totals` is the weight of the training rows of each class, where explanations
    start; None where there were none.
    """

    model: Model
    costs: Floats | None = None
    shift: Floats | None = None
    totals: Floats | None = field(default=None, compare=False)

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.schema.classes

    def scores(self, rows: Table) -> Floats:
        """The model's scores under the priors asked for."""
        scores = self.model.scores(align(rows, self.schema))
        if self.shift is not None:
            scores += self.shift
        return scores

    def proba(self, rows: Table) -> Floats:
        """P(class | row), one line per row."""
        if not self.model.probabilistic:
            raise DataError(f"{self.model.without_probabilities()}.")
        return softmax(self.scores(rows))

    def predict(self, rows: Table) -> Codes:
        """The class code of least expected cost; ties go to the class that comes first."""
        rows = align(rows, self.schema)
        codes = np.empty(len(rows), dtype=np.int32)
        for start in range(0, len(rows), _ROWS):  # so that the scores of few rows are held at a time
            part = slice(start, min(start + _ROWS, len(rows)))
            some = rows.take(part)
            codes[part] = self.choose(self.scores(some))
        return codes

    def _decide_one(self, scores: Floats) -> int:
        """The class code of one row's scores, before the priors asked for."""
        moved = scores if self.shift is None else scores + self.shift
        return int(self.choose(moved[None])[0])

    def choose(self, scores: Floats) -> Codes:
        """The class code for each row of scores, decided as `predict` does."""
        return self.decide(scores if self.costs is None else softmax(scores))

    def decide(self, proba: Floats) -> Codes:
        """The class code for each row of probabilities: the most probable, or that with the lowest expected cost."""
        if self.costs is not None:
            return np.argmin(proba @ self.costs.T, axis=1).astype(np.int32)
        if proba.shape[1] == 2:  # numpy's argmax over two columns takes longer than the comparison it is
            return (proba[:, 1] > proba[:, 0]).astype(np.int32)
        return np.argmax(proba, axis=1).astype(np.int32)

    def labels(self, codes: Codes) -> Array:
        """Codes as the labels they stand for, in an array of the labels' own type."""
        return label_array(self.classes)[codes]

    def answers(self, rows: Table) -> list[Any]:
        """The label of each row."""
        return [self.classes[code] for code in self.predict(rows).tolist()]

    def promise(self) -> str:
        return f"classes {', '.join(map(printable, self.classes))}"

    def to_arrays(self) -> dict[str, Array]:
        decision = {"costs": self.costs, "shift": self.shift, "totals": self.totals}
        return {name: array for name, array in decision.items() if array is not None}

    @classmethod
    def from_arrays(cls, schema: Schema, model: Model, arrays: Mapping[str, Array]) -> Self:
        require(arrays.keys() <= {"costs", "shift", "totals"}, "it holds an unknown array of decision")
        require(
            not arrays.keys() - {"totals"} or model.probabilistic,
            f"{article(model.kind)} model has no probabilities to decide by",
        )
        k = schema.n_classes
        costs = stored_floats(arrays, "costs", (k, k)) if "costs" in arrays else None
        # A prior of zero shifts by minus infinity; nothing shifts by plus infinity.
        shift = stored_floats(arrays, "shift", (k,), finite=False) if "shift" in arrays else None
        # The logarithm of a share over a share: beyond this no two doubles between 0 and 1 can be apart.
        require(
            shift is None or (shift <= _MOST_SHIFT).all(),
            f"the array 'shift' holds a value beyond {_MOST_SHIFT:g}",
        )
        require(
            shift is None or (np.isneginf(shift) | (shift >= -_MOST_SHIFT)).all(),
            f"the array 'shift' holds a value below {-_MOST_SHIFT:g}",
        )
        totals = stored_floats(arrays, "totals", (k,), low=0.0) if "totals" in arrays else None
        return cls(schema, model, costs, shift, totals)

    @np.errstate(all="ignore")  # numpy's own warnings are not for users
    def explain(self, row: Table, *, given: int | None = None) -> Explanation:
        """Why the one row of this table gets its class; `given` is the code of one that a threshold gave it."""
        row = _the_one(row, self.schema)
        scores = self.scores(row)[0]
        winner = int(self.predict(row)[0]) if given is None else given
        others = [c for c in np.argsort(-scores, kind="stable").tolist() if c != winner]
        probabilities: dict[Label, float] | None = None
        if self.model.probabilistic:
            probabilities = dict(zip(self.classes, self.proba(row)[0].tolist(), strict=True))
        if not others:
            return Explanation(self.classes[winner], None, probabilities, (), "There is only one class.")
        rival = others[0]
        evidence, changed = self._evidence(row, winner, rival)
        evidence = self._from_average(evidence, winner, rival)
        if self.shift is not None:
            moved = float(self.shift[winner] - self.shift[rival])
            evidence = (*evidence, Evidence(None, "moved to your priors", moved, role="start"))
        grounds = self.model.grounds(row, self.schema)
        from acumen.explain.starting_point import NOTE

        notes = [NOTE] if changed else []
        notes += [grounds.note] if grounds.note else []
        if self.costs is not None and scores[winner] < scores[rival]:
            notes.append(
                f"{self.classes[rival]} is more likely, but {self.classes[winner]} costs less on average."
            )
        elif given is not None and scores[winner] < scores[rival]:
            notes.append(f"{self.classes[rival]} is more likely, but your threshold decides.")
        label, other, note = self.classes[winner], self.classes[rival], " ".join(notes)
        return Explanation(
            label=label,
            rival=other,
            probabilities=probabilities,
            evidence=evidence,
            note=note,
            rules=grounds.rules,
            cases=grounds.cases,
            passed=grounds.passed,
            otherwise=grounds.otherwise,
            base_rate=self._base_rate(winner),
        )

    def _base_rate(self, code: int) -> float | None:
        """The fraction of the training rows that are of a class."""
        return None if self.totals is None else float(self.totals[code] / self.totals.sum())

    def _from_average(self, evidence: tuple[Evidence, ...], winner: int, rival: int) -> tuple[Evidence, ...]:
        """The evidence, starting from the average of the training rows where that is known."""
        if self.model.probabilistic:
            odds = None if self.totals is None else class_average(self.totals, winner, rival)
            if self.totals is None or odds is None:
                return evidence
            return from_average(evidence, odds, float(self.totals.sum()), self._base_rate(winner))
        typical = self._typical
        if typical is not None and typical.average.size:
            return from_average(evidence, float(typical.average[winner, rival]))
        linear = sum(part.log_odds for part in evidence if part.role == "start" and part.text == AVERAGE_ROW)
        return from_average(evidence, linear) if linear else evidence  # an average row has the average score

    def _evidence(self, row: Table, winner: int, rival: int) -> tuple[tuple[Evidence, ...], bool]:
        """The model's own, or what changing each attribute would do; and whether it is that."""
        model, typical = self.model, self._typical
        if typical is not None:
            from acumen.explain.starting_point import class_changes

            changes = class_changes(lambda rows: model.apart(rows, winner, rival), row, self.schema, typical)
            if changes is not None:
                return changes, True
        return model.evidence(row, self.schema, winner, rival), False

    @np.errstate(all="ignore")  # numpy's own warnings are not for users
    def describe(self, *, full: bool = False) -> str:
        """The model in words, in at most 40 lines; everything with `full`."""
        decides = self.shift is not None or self.costs is not None
        shown = shown_schema(self.schema)
        text = (
            self.model.describe_deciding(shown, self._decide_one, full=full)
            if decides
            else self.model.describe(shown, full=full)
        )
        if self.shift is not None:
            text += "\nScores are adjusted to your priors."
        if self.costs is not None:
            text += "\nPredicts the class with the lowest expected cost."
        return printable_lines(text if full else limit_lines(text))


@dataclass(frozen=True, slots=True, repr=False)
class RegressionPredictor(AnyPredictor):
    """Predicts the number of each row of any Table that has the schema's attributes."""

    model: RegressionModel

    @property
    def target(self) -> str:
        """The name of what is predicted."""
        return self.schema.target.name if self.schema.target is not None else "value"

    def predict(self, rows: Table) -> Floats:
        """One number a row."""
        rows = align(rows, self.schema)
        values = np.empty(len(rows))
        for start in range(0, len(rows), _ROWS):  # so that the matrix of few rows is held at a time
            part = slice(start, min(start + _ROWS, len(rows)))
            values[part] = self.model.values(rows.take(part))
        return values

    def promise(self) -> str:
        return f"predicts the number {self.target}"

    @np.errstate(all="ignore")  # numpy's own warnings are not for users
    def explain(self, row: Table) -> ValueExplanation:
        """What the value of the one row of this table is made of."""
        from acumen.explain.starting_point import NOTE, value_changes

        row = _the_one(row, self.schema)
        typical = self._typical
        changes = None if typical is None else value_changes(self.model.values, row, self.schema, typical)
        start, contributions = changes or self.model.contributions(row, self.schema)
        if changes and typical is not None and typical.average.size:
            beginning = Evidence(None, TYPICAL_ROW, start, role="start")
            first, *rest = from_average((beginning, *contributions), float(typical.average[0]))
            start, contributions = first.amount, tuple(rest)
        grounds = self.model.grounds(row, self.schema)
        note = " ".join(each for each in (NOTE if changes else "", grounds.note) if each)
        return ValueExplanation(
            float(self.predict(row)[0]), start, contributions, self.target, note, grounds.rules, grounds.cases,
            TRAINING_AVERAGE,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class GroupPredictor(AnyPredictor):
    """Says which group each row of any Table that has the schema's attributes belongs to; -1: to none."""

    model: GroupModel

    def predict(self, rows: Table) -> Codes:
        """The group of each row, counted from 0."""
        rows = align(rows, self.schema)
        groups = np.empty(len(rows), dtype=np.int32)
        for start in range(0, len(rows), _ROWS):
            part = slice(start, min(start + _ROWS, len(rows)))
            groups[part] = self.model.groups(rows.take(part))
        return groups

    def promise(self) -> str:
        return f"{self.model.n_groups} clusters"

    @np.errstate(all="ignore")  # numpy's own warnings are not for users
    def explain(self, row: Table) -> Explanation:
        """Why the one row of this table belongs to its group."""
        row = _the_one(row, self.schema)
        group = int(self.predict(row)[0])
        return Explanation(group, None, None, (), self.model.why(row, self.schema, group))


@dataclass(frozen=True, slots=True, repr=False)
class ColumnPredictor(AnyPredictor):
    """Gives other columns for the rows of any Table that has the attributes they are made of."""

    model: ColumnModel

    @property
    def headings(self) -> tuple[str, ...]:
        return self.model.names(self.schema)

    @property
    def inputs(self) -> Schema:
        return self.model.inputs(self.schema)

    def predict(self, rows: Table) -> Floats:
        """The new columns, one line a row."""
        rows = align(rows, self.inputs)
        columns = np.empty((len(rows), len(self.headings)))
        for start in range(0, len(rows), _ROWS):
            part = slice(start, min(start + _ROWS, len(rows)))
            columns[part] = self.model.columns(rows.take(part))
        return columns

    def promise(self) -> str:
        return f"makes {len(self.headings)} columns"

    def explain(self, row: Table) -> Any:
        raise DataError(f"{article(self.model.kind)} model makes columns of rows, which have no reasons.")


@dataclass(frozen=True, slots=True, repr=False)
class JointPredictor(AnyPredictor):
    """Says of each row of any Table that has the schema's attributes how probable it is, as a logarithm."""

    model: JointModel

    @property
    def headings(self) -> tuple[str, ...]:
        return ("log_probability",)

    def predict(self, rows: Table) -> Floats:
        """log P(row), missing values summed out; minus infinity where a row cannot be."""
        rows = align(rows, self.schema)
        log_probabilities = np.empty(len(rows))
        for start in range(0, len(rows), _ROWS):
            part = slice(start, min(start + _ROWS, len(rows)))
            log_probabilities[part] = self.model.log_probability(rows.take(part))
        return log_probabilities

    def promise(self) -> str:
        return "says how probable a row is"

    @np.errstate(all="ignore")  # numpy's own warnings are not for users
    def explain(self, row: Table) -> ValueExplanation:
        """What the log probability of the one row of this table is made of."""
        row = _the_one(row, self.schema)
        start, contributions = self.model.contributions(row, self.schema)
        return ValueExplanation(
            float(self.predict(row)[0]),
            start,
            contributions,
            "log probability",
            self.model.grounds(row, self.schema).note,
        )


@dataclass(frozen=True, slots=True, repr=False)
class SetPredictor(AnyPredictor):
    """A model of all rows together, without predictions for a single row."""


def _the_one(row: Table, schema: Schema) -> Table:
    if len(row) != 1:
        raise ParameterError(f"explain: give one row at a time; got {len(row)}.")
    return align(row, schema)


def label_array(classes: tuple[Label, ...]) -> Array:
    """The classes as an array of their own type; objects where types are mixed, or numpy would cut a last NUL off."""
    kinds = {type(label) for label in classes}
    last_letters = {label[-1:] for label in classes if isinstance(label, str)}
    if len(kinds) <= 1 and "\0" not in last_letters:
        return np.array(classes)
    labels = np.empty(len(classes), dtype=object)
    labels[:] = classes
    return labels


def limit_lines(text: str, limit: int = 40) -> str:
    """At most `limit` lines, saying how many were left out."""
    lines = text.splitlines()
    if len(lines) <= limit:
        return text
    n_more = len(lines) - limit + 1
    return "\n".join([*lines[: limit - 1], f"... {n_more} more lines: {messages.the_rest()}"])


def shown_schema(schema: Schema) -> Schema:
    """The schema as people are told of it: names and levels without line breaks, which would tear what is written."""
    columns = (*schema.attributes, *([schema.target] if schema.target is not None else ()))
    if not any(map(_has_control_characters, columns)):
        return schema
    try:
        attributes = tuple(_make_printable(attribute) for attribute in schema.attributes)
        return Schema(attributes, schema.target and _make_printable(schema.target), schema.weight)
    except DataError:  # one is called as another is shown
        return schema


def _has_control_characters(attribute: Attribute) -> bool:
    return not attribute.name.isprintable() or not all(
        level.isprintable() for level in attribute.levels if isinstance(level, str)
    )


def _make_printable(attribute: Attribute) -> Attribute:
    if not _has_control_characters(attribute):
        return attribute
    levels = (printable(level) if isinstance(level, str) else level for level in attribute.levels)
    return replace(attribute, name=printable(attribute.name), levels=tuple(levels))
