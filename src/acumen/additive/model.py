"""Additive models that predict: a constant and one number for the slot of each attribute, added up.

AdditiveModel            of classes: log-odds of the second class, or a line of scores for each of several
AdditiveRegressionModel  of numbers

Shapes as sums of terms for SQL and Python: one CASE for each shape, one for each pair.

sum_of_shapes   parts of a model, one line -> TermSum
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.additive import model_text
from acumen.additive.layout import PairCells, Shape
from acumen.additive.model_figure import ShapesFigure, shapes_figure
from acumen.additive.parts import AdditiveParts
from acumen.codegen.export import Summed
from acumen.codegen.terms import Count, LevelCases, Term, TermSum, sum_of
from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.explanation import Contribution, Evidence
from acumen.explain.starting_point import AVERAGE_ROW
from acumen.models.model import Model, RegressionModel
from acumen.models.predictor import AnyPredictor
from acumen.preprocessing.stored_arrays import require, stored_array
from acumen.render.shape_plot import PairFigure, ShapeFigure
from acumen.types import Array, Bools, Codes, Floats


class _Additive(Summed):
    """What both models have."""

    __slots__ = ()

    parts: AdditiveParts

    @property
    def n_parameters(self) -> int:
        """The degrees of freedom that were spent, rounded."""
        return round(self.parts.facts.freedom)

    @property
    def size(self) -> int:
        """The numbers that a person would read: one for each slot and line."""
        return int(np.count_nonzero(self.parts.coefficients))

    @property
    def is_edited(self) -> bool:
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

    parts: AdditiveParts
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
        pieces = [Evidence(None, AVERAGE_ROW, start, self.parts.facts.weight, role="start")]
        for block, line in self.parts.terms(row):
            if part := apart(line):
                pieces.append(Evidence(*model_text.reason(self.parts, block, row, schema), part))
        return tuple(pieces)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return model_text.describe(self.parts, schema, self.places, full)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The score of each class as a sum of shapes; of two classes the first one's is 0."""
        sums: list[TermSum] = [TermSum(-np.inf)] * len(self.seen)
        if self.parts.lines <= 1:
            sums[int(self.places[0])] = TermSum(0.0)
        for line in range(self.parts.lines):
            place = int(self.places[len(self.places) - self.parts.lines + line])
            sums[place] = sum_of_shapes(self.parts, schema, line)
        return tuple(sums)

    def to_arrays(self) -> dict[str, Array]:
        return {**self.parts.to_arrays(), "seen": np.asarray(self.seen, dtype=np.bool_)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        seen = stored_array(arrays, "seen", np.bool_, (schema.n_classes,))
        count = int(np.count_nonzero(seen))
        require(count > 0, "no class has training rows")
        return cls(AdditiveParts.from_arrays(arrays, schema, lines_of(count)), seen)


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveRegressionModel(_Additive, RegressionModel):
    """A sum of shapes for a number."""

    kind: ClassVar[str] = "additive-regressor"

    parts: AdditiveParts

    def line_names(self, schema: Schema) -> tuple[str, ...]:
        return (schema.target.name if schema.target else "value",)

    def values(self, rows: Table) -> Floats:
        return self.parts.scores(rows)[:, 0]

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        """The mean over the training rows, and what each shape adds to it."""
        pieces = [
            Contribution(*model_text.reason(self.parts, block, row, schema), float(line[0]))
            for block, line in self.parts.terms(row)
            if line[0]
        ]
        return float(self.parts.coefficients[0, 0]), tuple(pieces)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return model_text.describe(self.parts, schema, None, full)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        return (sum_of_shapes(self.parts, schema, 0),)

    def to_arrays(self) -> dict[str, Array]:
        return self.parts.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(AdditiveParts.from_arrays(arrays, schema, 1))


def lines_of(classes: int) -> int:
    """The number of lines of coefficients for this number of classes."""
    return {1: 0, 2: 1}.get(classes, classes)


Piece = tuple[Condition, int]


def sum_of_shapes(parts: AdditiveParts, schema: Schema, line: int) -> TermSum:
    """The constant, and a LevelCases for each shape and pair; a word adds its weight where a text has it."""
    layout, values = parts.layout, parts.coefficients[:, line].tolist()
    terms: list[Term] = []
    for shape, block in zip(layout.shapes, layout.blocks, strict=False):
        terms.append(_of_shape(shape, schema, values[block]))
    for cells, block in zip(layout.pairs, layout.blocks[len(layout.shapes) :], strict=False):
        terms.append(_of_cells(cells, layout.shapes, schema, values[block]))
    at = int(layout.offset[-1])
    for vocabulary in layout.words:
        for word in vocabulary.words:
            terms.append(Count(values[at], (Condition(vocabulary.attribute, "has", word),)))
            at += 1
    return sum_of(values[0], terms)


def _of_shape(shape: Shape, schema: Schema, values: list[float]) -> LevelCases:
    """Slots of equal value next to each other are one case."""
    attribute = schema.attributes[shape.attribute]
    name = attribute.name
    cases = [((Condition(name, "missing"),), values[shape.n_values])]
    if shape.numeric:
        last = values[shape.n_values - 1]
        for place, cut in enumerate(shape.cuts.tolist()):
            if values[place] != values[place + 1]:
                cases.append(((Condition(name, "<=", cut),), values[place]))
        return LevelCases(tuple(cases), last)
    together: dict[float, list[int]] = {}
    for place, code in enumerate(shape.levels.tolist()):
        together.setdefault(values[place], []).append(code)
    for value, codes in together.items():
        cases.append(((_among(attribute.levels, name, codes),), value))
    return LevelCases(tuple(cases), values[shape.n_values + 1])


def _of_cells(cells: PairCells, shapes: tuple[Shape, ...], schema: Schema, values: list[float]) -> LevelCases:
    wide = cells.size[1]
    cases = []
    for first, a in _pieces(shapes[cells.first], cells.rows, schema):
        for second, b in _pieces(shapes[cells.second], cells.columns, schema):
            if values[a * wide + b] != 0:
                cases.append(((first, second), values[a * wide + b]))
    return LevelCases(tuple(cases), 0.0)


def _pieces(shape: Shape, groups: Codes, schema: Schema) -> list[Piece]:
    """Conditions that no two hold at once, and the group of the slots each is true of."""
    attribute = schema.attributes[shape.attribute]
    name, known = attribute.name, shape.n_values
    known_groups = groups[:known].tolist()
    pieces: list[Piece] = [(Condition(name, "missing"), int(groups[known]))]
    if shape.numeric:
        cuts = shape.cuts.tolist()
        starts = [0, *(s for s in range(1, known) if known_groups[s] != known_groups[s - 1])]
        for start, end in zip(starts, [*starts[1:], known], strict=True):
            low = cuts[start - 1] if start else None
            high = cuts[end - 1] if end < known else None
            pieces.append((_within(name, low, high), known_groups[start]))
        return pieces
    for group in dict.fromkeys(known_groups):
        codes = [c for c, g in zip(shape.levels.tolist(), known_groups, strict=True) if g == group]
        pieces.append((_among(attribute.levels, name, codes), group))
    every = tuple(attribute.levels[c] for c in shape.levels.tolist())
    pieces.append((Condition(name, "not in", every), int(groups[known + 1])))
    return pieces


def _within(name: str, low: float | None, high: float | None) -> Condition:
    if low is None:
        return Condition(name, "known") if high is None else Condition(name, "<=", high)
    return Condition(name, ">", low) if high is None else Condition(name, "between", (low, high))


def _among(levels: tuple[object, ...], name: str, codes: list[int]) -> Condition:
    if len(codes) == 1:
        return Condition(name, "=", levels[codes[0]])
    return Condition(name, "in", tuple(levels[c] for c in codes))
