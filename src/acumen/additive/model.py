"""Additive models that predict: a constant and one number for the slot of each attribute, added up.

AdditiveModel            of classes: log-odds of the second class, or a line of scores for each of several
AdditiveRegressionModel  of numbers
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.additive import model_sums, model_text
from acumen.additive.model_figure import ShapesFigure, shapes_figure
from acumen.additive.parts import Parts
from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.explanation import Contribution, Evidence
from acumen.explain.starting_point import AVERAGE_ROW
from acumen.models.model import Model, RegressionModel
from acumen.models.predictor import AnyPredictor
from acumen.preprocessing.stored_arrays import require, stored
from acumen.render.shape_plot import PairFigure, ShapeFigure
from acumen.types import Array, Bools, Floats


class _Additive(Summed):
    """What both models have."""

    __slots__ = ()

    parts: Parts

    @property
    def n_parameters(self) -> int:
        """The degrees of freedom that were spent, rounded."""
        return round(self.parts.facts.freedom)

    @property
    def size(self) -> int:
        """The numbers that a person would read: one for each slot and line."""
        return int(np.count_nonzero(self.parts.coefficients))

    @property
    def edited(self) -> bool:
        """Whether a person has changed a shape."""
        return bool(self.parts.edited.any())

    def to_figure(
        self, predictor: AnyPredictor, *, attribute: str | None = None
    ) -> ShapeFigure | PairFigure | ShapesFigure:
        """The shape of one attribute with its band and the rows beneath it; or of all, the strongest first."""
        return shapes_figure(self.parts, predictor.schema, self.line_names(predictor.schema), attribute)

    @abstractmethod
    def line_names(self, schema: Schema) -> tuple[str, ...]:
        """What each line of coefficients is about."""


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveModel(_Additive, Model):
    """Sums of shapes for classes."""

    kind: ClassVar[str] = "additive"

    parts: Parts
    seen: Bools  # which classes had training rows

    @property
    def places(self) -> Array:
        """The codes of the classes that had training rows."""
        return np.flatnonzero(self.seen)

    def line_names(self, schema: Schema) -> tuple[str, ...]:
        """What each line of scores speaks for."""
        names = [str(schema.classes[place]) for place in self.places]
        return tuple(names[-self.parts.lines :]) if self.parts.lines else ()

    def scores(self, rows: Table) -> Floats:
        total = np.full((len(rows), len(self.seen)), -np.inf)
        lines = self.parts.scores(rows)
        if self.parts.lines <= 1:
            total[:, self.places[0]] = 0.0
        if self.parts.lines:
            total[:, self.places[-self.parts.lines :]] = lines
        return total

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """The numbers that were added, for the winner against the rival."""
        at = {
            int(code): place for place, code in enumerate(self.places[len(self.places) - self.parts.lines :])
        }
        seen = self.places.tolist()
        if winner not in seen or rival not in seen:
            return super(AdditiveModel, self).evidence(row, schema, winner, rival)

        def apart(line: Floats) -> float:
            return float(
                (line[at[winner]] if winner in at else 0.0) - (line[at[rival]] if rival in at else 0.0)
            )

        start = apart(self.parts.coefficients[0])
        made = [Evidence(None, AVERAGE_ROW, start, self.parts.facts.weight, role="start")]
        for block, line in self.parts.terms(row):
            if part := apart(line):
                made.append(Evidence(*model_text.reason(self.parts, block, row, schema), part))
        return tuple(made)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return model_text.describe(self.parts, schema, self.places, full)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The score of each class as a sum of shapes; of two classes the first one's is 0."""
        made: list[TermSum] = [TermSum(-np.inf)] * len(self.seen)
        if self.parts.lines <= 1:
            made[int(self.places[0])] = TermSum(0.0)
        for line in range(self.parts.lines):
            place = int(self.places[len(self.places) - self.parts.lines + line])
            made[place] = model_sums.sum_of_shapes(self.parts, schema, line)
        return tuple(made)

    def to_arrays(self) -> dict[str, Array]:
        return {**self.parts.to_arrays(), "seen": np.asarray(self.seen, dtype=np.bool_)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        seen = stored(arrays, "seen", np.bool_, (schema.n_classes,))
        count = int(np.count_nonzero(seen))
        require(count > 0, "no class has training rows")
        return cls(Parts.from_arrays(arrays, schema, lines_of(count)), seen)


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveRegressionModel(_Additive, RegressionModel):
    """A sum of shapes for a number."""

    kind: ClassVar[str] = "additive-regressor"

    parts: Parts

    def line_names(self, schema: Schema) -> tuple[str, ...]:
        return (schema.target.name if schema.target else "value",)

    def values(self, rows: Table) -> Floats:
        return self.parts.scores(rows)[:, 0]

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        """The mean over the training rows, and what each shape adds to it."""
        made = [
            Contribution(*model_text.reason(self.parts, block, row, schema), float(line[0]))
            for block, line in self.parts.terms(row)
            if line[0]
        ]
        return float(self.parts.coefficients[0, 0]), tuple(made)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return model_text.describe(self.parts, schema, None, full)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        return (model_sums.sum_of_shapes(self.parts, schema, 0),)

    def to_arrays(self) -> dict[str, Array]:
        return self.parts.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(Parts.from_arrays(arrays, schema, 1))


def lines_of(classes: int) -> int:
    """Lines of coefficients for so many classes."""
    return {1: 0, 2: 1}.get(classes, classes)
