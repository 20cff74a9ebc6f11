"""A forest that predicts: packed trees over shared codes.

ForestModel            of classes: the mean of the leaves' class shares, and one vote more by the class shares of all
                       training rows, so that no class that has rows is impossible and ties go to the larger class
ForestRegressionModel  of numbers: the mean of the leaves' means
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.column_codes import ColumnCoding
from acumen.ensembles.committee import number_list
from acumen.ensembles.out_of_bag import Importances, OutOfBag
from acumen.ensembles.packed_forest import PackedForest, packed_from
from acumen.errors import ParameterError
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Contribution, Evidence, Grounds
from acumen.models.model import Model, RegressionModel
from acumen.models.predictor import AnyPredictor
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.interval_plot import IntervalFigure
from acumen.render.learning_plot import LearningFigure
from acumen.render.text import many
from acumen.types import Array, Floats

_SHOWN = 12
IN_THE_BAG = "on the training rows, which overstates attributes with many values"


@dataclass(frozen=True, slots=True, eq=False)
class _Forest:
    """What both models have."""

    title: ClassVar[str]

    coding: ColumnCoding
    packed: PackedForest
    gain: Floats  # (trees, columns): the importance of each column
    bag: OutOfBag | None
    in_bag: bool = field(default=False, kw_only=True)  # whether `gain` is of the rows that were learned from

    def __len__(self) -> int:
        return len(self.packed)

    def sum_leaves(self, rows: Table) -> Floats:
        """The leaf values of all trees, one line a row."""
        return self.packed.sum_leaves(self.coding.rows(rows))

    def leaves(self, rows: Table) -> Array:
        """The leaf of each row in each tree."""
        return self.packed.leaf_of(self.coding.rows(rows))

    def by_attribute(self, per_column: Floats, schema: Schema) -> dict[str, Floats]:
        """Lines for columns added up for the attributes they come of, words of a text for the text."""
        totals: dict[str, Floats] = {}
        for j, column in enumerate(self.coding.inputs.columns):
            name = schema.attributes[column.first].name
            totals[name] = totals[name] + per_column[j] if name in totals else per_column[j]
        return totals

    def importances(self, schema: Schema) -> Importances:
        """What each attribute is worth on rows out of bag; where there are none, on those that were learned from."""
        totals = self.by_attribute(self.gain.T, schema)
        fall = "decrease in impurity" if self.outputs > 1 else "decrease in squared error"
        what = f"{fall} {IN_THE_BAG}" if self.in_bag else f"{fall} out of bag"
        names = tuple(totals)
        return Importances(names, np.column_stack([totals[n] for n in names]) if names else self.gain, what)

    @property
    def outputs(self) -> int:
        return int(self.packed.value.shape[1])

    def to_figure(
        self, predictor: AnyPredictor, *, what: Literal["importances", "error"] = "importances"
    ) -> IntervalFigure | LearningFigure:
        """The importances with their intervals, or the out-of-bag error over the trees."""
        if what == "importances":
            return self.importances(predictor.schema).figure()
        if what != "error":
            raise ParameterError(f"to_figure: what must be 'importances' or 'error'; got {what!r}.")
        if self.bag is None:
            raise ParameterError("to_figure: there are no out-of-bag rows, so there is no error curve.")
        return self.bag.figure(predictor.schema.target.name if predictor.schema.target else "")

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "value"
        lines = [
            f"{self.title} for {target}: {many(len(self), 'tree')}, "
            f"{many(self.packed.nodes, 'node')}, at most "
            f"{many(int(self.packed.depths().max(initial=0)), 'test')} deep"
        ]
        if self.bag is not None:
            lines.append(str(self.bag)[0].upper() + str(self.bag)[1:])
        if len(self.coding):
            importances = self.importances(schema)
            what = importances.what.replace("out of bag", "on rows out of bag")
            lines.append(f"Importances ({what}, 95 % over trees):")
            lines += [f"  {line}" for line in importances.lines(None if full else _SHOWN)]
        return "\n".join(lines)

    @property
    def n_parameters(self) -> int:
        """A test each inner node, and the values of each leaf (of class shares one less)."""
        leaves = int(np.count_nonzero(self.packed.leaves))
        return self.packed.nodes - leaves + leaves * max(self.outputs - 1, 1)

    @property
    def size(self) -> int:
        """How much a person would have to read."""
        return self.packed.nodes

    def _arrays(self) -> dict[str, Array]:
        arrays = {**self.coding.to_arrays(), **self.packed.to_arrays(), "gain": self.gain}
        if self.in_bag:
            arrays["in_bag"] = np.ones(1, dtype=np.uint8)
        return arrays if self.bag is None else {**arrays, **self.bag.to_arrays()}


def _parts(
    arrays: Mapping[str, Array], schema: Schema, outputs: int
) -> tuple[tuple[ColumnCoding, PackedForest, Floats, OutOfBag | None], bool]:
    coding = ColumnCoding.from_arrays(arrays, schema)
    packed = packed_from(arrays, coding.slots, coding.nominal(schema), outputs)
    gain = stored_floats(arrays, "gain", (len(packed), len(coding)))
    require(len(packed) >= 1, "a forest has no tree")
    bag = OutOfBag.from_arrays(arrays, len(packed)) if "bag/about" in arrays else None
    return (coding, packed, gain, bag), "in_bag" in arrays


@dataclass(frozen=True, slots=True, eq=False)
class ForestModel(_Forest, Model):
    """Trees that vote with the class shares of their leaves."""

    kind: ClassVar[str] = "random-forest"
    title: ClassVar[str] = "Random forest"

    prior: Floats  # of each class among the training rows

    def shares(self, rows: Table) -> Floats:
        """P(class | row)."""
        return (self.sum_leaves(rows) + self.prior) / (len(self) + 1)

    def scores(self, rows: Table) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.shares(rows))

    def votes(self, rows: Table) -> Array:
        """How many trees are for each class: that of the largest share in the row's leaf, of equal ones the first."""
        best = self.answers(rows)
        return np.stack([(best == c).sum(axis=1) for c in range(self.outputs)], axis=1)

    def answers(self, rows: Table) -> Array:
        """The class that each tree is for, one line a row."""
        leaf = self.leaves(rows) + self.packed.start[:-1]
        return np.asarray(self.packed.value.argmax(axis=1)[leaf])

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What each attribute does for the winner: the shares it moves on the ways down, as parts of the log-odds."""
        start, moved = self.packed.column_moves(self.coding.rows(row))
        scores = self.scores(row)[0]
        odds = float(scores[winner] - scores[rival])
        begin = (start + self.prior) / (len(self) + 1)
        if not (np.isfinite(odds) and begin[winner] > 0 and begin[rival] > 0):
            return (Evidence(None, "all attributes together", odds),)
        first = float(np.log(begin[winner] / begin[rival]))
        apart = self.by_attribute(moved[:, winner] - moved[:, rival], schema)
        whole = float(sum(apart.values()))
        pieces = [Evidence(None, "the roots of all trees", first, role="start")]
        if abs(whole) > 1e-9 and abs(odds - first) > 0:
            # Shares add up; log-odds follow them in proportion.
            rate = (odds - first) / whole
            pieces += [
                Evidence(name, cell_text(row, name), rate * float(d)) for name, d in apart.items() if d != 0
            ]
        else:
            pieces.append(Evidence(None, "all attributes together", odds - first))
        return tuple(pieces)

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        """How the trees vote, and which of them otherwise than most."""
        best = self.answers(row)[0]
        votes = np.bincount(best, minlength=self.outputs)
        sentences: list[str] = []
        for c in np.argsort(-votes, kind="stable").tolist():
            if votes[c]:
                others = number_list("tree", np.flatnonzero(best == c)) if sentences else ""
                sentences.append(f"{int(votes[c])} for {schema.classes[c]}{others}")
        return Grounds(note=f"{many(len(self), 'tree')}: {', '.join(sentences)}.")

    def to_arrays(self) -> dict[str, Array]:
        return {**self._arrays(), "prior": self.prior}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        parts, in_bag = _parts(arrays, schema, schema.n_classes)
        shares = parts[1].value
        require(
            np.all(shares >= 0) and np.all(np.abs(shares.sum(axis=1) - 1.0) < 1e-6),
            "the class shares of a node do not sum to 1",
        )
        prior = stored_floats(arrays, "prior", (schema.n_classes,), low=0.0, high=1.0)
        require(abs(prior.sum() - 1.0) < 1e-6, "the class proportions of all rows do not sum to 1")
        return cls(*parts, prior, in_bag=in_bag)


@dataclass(frozen=True, slots=True, eq=False)
class ExtraTreesModel(ForestModel):
    """The same of trees whose cuts were drawn."""

    kind: ClassVar[str] = "extra-trees"
    title: ClassVar[str] = "Extra trees"


@dataclass(frozen=True, slots=True, eq=False)
class ForestRegressionModel(_Forest, RegressionModel):
    """Trees whose leaves' means are averaged."""

    kind: ClassVar[str] = "random-forest-regressor"
    title: ClassVar[str] = "Random forest"

    def values(self, rows: Table) -> Floats:
        return self.sum_leaves(rows)[:, 0] / len(self)

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        """The mean of the roots, and what each attribute moves it by on the ways down."""
        start, moved = self.packed.column_moves(self.coding.rows(row))
        totals = self.by_attribute(moved[:, 0] / len(self), schema)
        pieces = [Evidence(name, cell_text(row, name), float(d)) for name, d in totals.items() if d != 0]
        return float(start[0]) / len(self), tuple(pieces)

    def to_arrays(self) -> dict[str, Array]:
        return self._arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        parts, in_bag = _parts(arrays, schema, 1)
        return cls(*parts, in_bag=in_bag)


@dataclass(frozen=True, slots=True, eq=False)
class ExtraTreesRegressionModel(ForestRegressionModel):
    """The same of trees whose cuts were drawn."""

    kind: ClassVar[str] = "extra-trees-regressor"
    title: ClassVar[str] = "Extra trees"
