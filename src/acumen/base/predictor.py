"""A model under its schema: everything prediction needs, and no scikit-learn.

    Predictor            of classes, with what decisions cost
    RegressionPredictor  of numbers

`store.open` gives one; a learner carries one as `predictor_`. `task` tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from acumen.base.decision import normalised
from acumen.base.explanation import Evidence, Explanation, ValueExplanation
from acumen.base.model import Model, RegressionModel, Task
from acumen.data.align import align
from acumen.data.escape import printable_lines
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.types import Array, Codes, Floats, Label

_ROWS = 65_536


@dataclass(frozen=True, slots=True, repr=False)
class Predictor:
    """Predicts rows of any Table that has the schema's attributes.

    `costs` is a (predicted, true) matrix or None; `shift` is added to the log scores to answer to priors
    other than the training ones, or None.
    """

    schema: Schema
    model: Model
    costs: Floats | None = None
    shift: Floats | None = None

    @property
    def task(self) -> Task:
        return "classification"

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
        return normalised(self.scores(rows))

    def predict(self, rows: Table) -> Codes:
        """The class code of least expected cost; ties go to the class that comes first."""
        rows = align(rows, self.schema)
        codes = np.empty(len(rows), dtype=np.int32)
        for start in range(0, len(rows), _ROWS):  # so that the scores of few rows are held at a time
            part = slice(start, min(start + _ROWS, len(rows)))
            some = rows.take(part)
            codes[part] = self.choose(self.scores(some))
        return codes

    def choose(self, scores: Floats) -> Codes:
        """The class code for each row of scores, decided as `predict` does."""
        return self.decide(scores if self.costs is None else normalised(scores))

    def decide(self, proba: Floats) -> Codes:
        """The class code for each row of probabilities: likeliest, or of least expected cost."""
        if self.costs is not None:
            return np.argmin(proba @ self.costs.T, axis=1).astype(np.int32)
        if proba.shape[1] == 2:  # numpy's argmax over two columns takes longer than the comparison it is
            return (proba[:, 1] > proba[:, 0]).astype(np.int32)
        return np.argmax(proba, axis=1).astype(np.int32)

    def labels(self, codes: Codes) -> Array:
        """Codes as the labels they stand for, in an array of the labels' own type."""
        return label_array(self.classes)[codes]

    def explain(self, row: Table) -> Explanation:
        """Why the one row of this table gets its class."""
        row = _the_one(row, self.schema)
        scores = self.scores(row)[0]
        winner = int(self.predict(row)[0])
        others = [c for c in np.argsort(-scores, kind="stable").tolist() if c != winner]
        probabilities: dict[Label, float] | None = None
        if self.model.probabilistic:
            probabilities = dict(zip(self.classes, self.proba(row)[0].tolist(), strict=True))
        if not others:
            return Explanation(self.classes[winner], None, probabilities, (), "There is only one class.")
        rival = others[0]
        evidence = self.model.evidence(row, self.schema, winner, rival)
        if self.shift is not None:
            moved = float(self.shift[winner] - self.shift[rival])
            evidence = (*evidence, Evidence(None, "priors asked for", moved))
        note = ""
        if self.costs is not None and scores[winner] < scores[rival]:
            note = f"{self.classes[rival]} is likelier, but {self.classes[winner]} costs less on average."
        return Explanation(self.classes[winner], self.classes[rival], probabilities, evidence, note)

    def __repr__(self) -> str:
        return _shown(self)

    def __str__(self) -> str:
        return self.describe()

    def describe(self, *, full: bool = False) -> str:
        """What was learned, for a person: at most 40 lines unless `full`."""
        text = self.model.describe(self.schema, full=full)
        if self.shift is not None:
            text += "\nScores are shifted to the priors asked for."
        if self.costs is not None:
            text += "\nPredicts the class of least expected cost."
        return printable_lines(text if full else shortened(text))


@dataclass(frozen=True, slots=True, repr=False)
class RegressionPredictor:
    """Predicts the number of each row of any Table that has the schema's attributes."""

    schema: Schema
    model: RegressionModel

    @property
    def task(self) -> Task:
        return "regression"

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

    def explain(self, row: Table) -> ValueExplanation:
        """What the value of the one row of this table is made of."""
        row = _the_one(row, self.schema)
        start, contributions = self.model.contributions(row, self.schema)
        return ValueExplanation(float(self.predict(row)[0]), start, contributions, self.target)

    def __repr__(self) -> str:
        return _shown(self)

    def __str__(self) -> str:
        return self.describe()

    def describe(self, *, full: bool = False) -> str:
        """What was learned, for a person: at most 40 lines unless `full`."""
        text = self.model.describe(self.schema, full=full)
        return printable_lines(text if full else shortened(text))


AnyPredictor: TypeAlias = Predictor | RegressionPredictor


def _the_one(row: Table, schema: Schema) -> Table:
    if len(row) != 1:
        raise ParameterError(f"explain: give one row at a time; got {len(row)}.")
    return align(row, schema)


def _shown(predictor: AnyPredictor) -> str:
    target = predictor.schema.target.name if predictor.schema.target else "class"
    kind = type(predictor).__name__
    return f"<{kind} of {target!r}: {predictor.model.kind}, {len(predictor.schema)} attributes>"


def label_array(classes: tuple[Label, ...]) -> Array:
    """The classes as an array of their own type; objects where types are mixed."""
    kinds = {type(label) for label in classes}
    if len(kinds) <= 1:
        return np.array(classes)
    made = np.empty(len(classes), dtype=object)
    made[:] = classes
    return made


def shortened(text: str, limit: int = 40) -> str:
    """At most `limit` lines, saying how many were left out."""
    lines = text.splitlines()
    if len(lines) <= limit:
        return text
    left = len(lines) - limit + 1
    return "\n".join([*lines[: limit - 1], f"... {left} more lines: describe(full=True)"])
