"""Boosted trees that predict: where rows start, and what the leaves of all trees add.

BoostingModel            of classes: log-odds of the second, or a line of scores for each of several
BoostingRegressionModel  of numbers
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.column_codes import ColumnCoding
from acumen.ensembles.packed_forest import PackedForest, packed_from
from acumen.errors import ParameterError
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Contribution, Evidence
from acumen.models.model import Model, RegressionModel
from acumen.models.predictor import AnyPredictor
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.interval_plot import IntervalFigure, IntervalRow
from acumen.render.learning_plot import Band, LearningFigure
from acumen.render.text import many, number, percent
from acumen.types import Array, Bools, Floats

_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False)
class _BoostedTreesModel:
    """What both models have."""

    coding: ColumnCoding
    packed: PackedForest
    base: Floats  # of each line
    gain: Floats  # of each column, by how much its splits lowered the training loss
    curve: Floats  # the loss of rows held out after each round, where rounds were chosen by it

    @property
    def lines(self) -> int:
        return len(self.base)

    @property
    def rounds(self) -> int:
        return len(self.packed) // max(self.lines, 1)

    def sums(self, rows: Table) -> Floats:
        """Where rows start and what all trees add, one column for each line."""
        return self.packed.sum_leaves(self.coding.rows(rows)) + self.base

    def by_attribute(self, per_column: Floats, schema: Schema) -> dict[str, Floats]:
        """Lines for columns added up for the attributes they come of."""
        totals: dict[str, Floats] = {}
        for j, column in enumerate(self.coding.inputs.columns):
            name = schema.attributes[column.first].name
            totals[name] = totals[name] + per_column[j] if name in totals else per_column[j]
        return totals

    def importances(self, schema: Schema) -> dict[str, float]:
        """Of each attribute the share of what all splits lowered the training loss by; the largest first."""
        totals = self.by_attribute(self.gain, schema)
        whole = float(sum(totals.values())) or 1.0
        shares = {name: float(value) / whole for name, value in totals.items()}
        return dict(sorted(shares.items(), key=lambda each: -each[1]))

    def moves(self, row: Table, schema: Schema) -> tuple[Floats, dict[str, Floats]]:
        """Of one row where it starts (all roots added up), and what each attribute moves it by on the ways down."""
        start, moved = self.packed.column_moves(self.coding.rows(row))
        return start + self.base, self.by_attribute(moved, schema)

    def to_figure(
        self, predictor: AnyPredictor, *, what: Literal["importances", "loss"] = "importances"
    ) -> IntervalFigure | LearningFigure:
        """The importances, or the loss of rows held out over the rounds."""
        if what == "importances":
            importances = list(self.importances(predictor.schema).items())[:25]
            rows = [IntervalRow(name, value) for name, value in importances]
            return IntervalFigure(rows, "share of the decrease in training loss", "Importances")
        if what != "loss":
            raise ParameterError(f"to_figure: what must be 'importances' or 'loss'; got {what!r}.")
        if not len(self.curve):
            raise ParameterError("to_figure: no rows were held out, so there is no loss curve.")
        return LearningFigure(
            np.arange(1.0, len(self.curve) + 1), [Band("rows held out", self.curve)], "rounds", "loss",
            chosen=int(np.argmin(self.curve)), title="Loss of held-out rows",
        )  # fmt: skip

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "value"
        leaves = int(np.count_nonzero(self.packed.leaves))
        lines = [
            f"Gradient boosting for {target}: {many(self.rounds, 'round')}, "
            f"{many(len(self.packed), 'tree')}, {many(leaves, 'leaf', 'leaves')}"
        ]
        if len(self.curve):
            lines.append(
                f"Rounds chosen on held-out rows: loss {number(float(self.curve.min()))} after "
                f"{many(int(np.argmin(self.curve)) + 1, 'round')}"
            )
        importances = self.importances(schema)
        if importances:
            lines.append(
                "Importances (share of the decrease in training loss; they describe the model, not the world):"
            )
            wide = max(len(name) for name in importances)
            shown = list(importances.items()) if full else list(importances.items())[:_SHOWN]
            lines += [f"  {name:<{wide}}  {percent(value)}" for name, value in shown]
            if len(shown) < len(importances):
                lines.append(f"  ... and {len(importances) - len(shown)} more")
        return "\n".join(lines)

    @property
    def n_parameters(self) -> int:
        """A test for each inner node and a value for each leaf."""
        return self.packed.nodes

    @property
    def size(self) -> int:
        """How much a person would have to read."""
        return self.packed.nodes

    def _arrays(self) -> dict[str, Array]:
        return {
            **self.coding.to_arrays(), **self.packed.to_arrays(), "base": self.base, "gain": self.gain,
            "curve": self.curve,
        }  # fmt: skip


def _parts(
    arrays: Mapping[str, Array], schema: Schema, lines: int
) -> tuple[ColumnCoding, PackedForest, Floats, Floats, Floats]:
    coding = ColumnCoding.from_arrays(arrays, schema)
    packed = packed_from(arrays, coding.slots, coding.nominal(schema), max(lines, 1))
    require(len(packed) % max(lines, 1) == 0, "a round has no tree for some class")
    base = stored_floats(arrays, "base", (lines,), low=-1e300, high=1e300)
    gain = stored_floats(arrays, "gain", (len(coding),), low=0.0)
    return coding, packed, base, gain, stored_floats(arrays, "curve", (None,), low=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class BoostingModel(_BoostedTreesModel, Model):
    """Boosted trees for classes."""

    kind: ClassVar[str] = "boosting"

    seen: Bools  # which classes had training rows

    @property
    def places(self) -> Array:
        """The codes of the classes that had training rows."""
        return np.flatnonzero(self.seen)

    def scores(self, rows: Table) -> Floats:
        total = np.full((len(rows), len(self.seen)), -np.inf)
        if self.lines <= 1:
            total[:, self.places[0]] = 0.0
        if self.lines:
            total[:, self.places[-self.lines :]] = self.sums(rows)
        return total

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What each attribute moves the log-odds by, on the ways down all trees."""
        seen = self.places.tolist()
        if winner not in seen or rival not in seen or not self.lines:
            return super(BoostingModel, self).evidence(row, schema, winner, rival)
        at = {code: place for place, code in enumerate(seen[len(seen) - self.lines :])}

        def apart(line: Floats) -> float:
            return float(
                (line[at[winner]] if winner in at else 0.0) - (line[at[rival]] if rival in at else 0.0)
            )

        start, moved = self.moves(row, schema)
        pieces = [Evidence(None, "the roots of all trees", apart(start), role="start")]
        pieces += [
            Evidence(name, cell_text(row, name), apart(d)) for name, d in moved.items() if apart(d) != 0
        ]
        return tuple(pieces)

    def to_arrays(self) -> dict[str, Array]:
        return {**self._arrays(), "seen": np.asarray(self.seen, dtype=np.bool_)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        seen = stored_array(arrays, "seen", np.bool_, (schema.n_classes,))
        count = int(np.count_nonzero(seen))
        require(count > 0, "no class has training rows")
        return cls(*_parts(arrays, schema, {1: 0, 2: 1}.get(count, count)), seen)


@dataclass(frozen=True, slots=True, eq=False)
class BoostingRegressionModel(_BoostedTreesModel, RegressionModel):
    """Boosted trees for a number."""

    kind: ClassVar[str] = "boosting-regressor"

    def values(self, rows: Table) -> Floats:
        return self.sums(rows)[:, 0]

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        start, moved = self.moves(row, schema)
        pieces = [Evidence(name, cell_text(row, name), float(d[0])) for name, d in moved.items() if d[0] != 0]
        return float(start[0]), tuple(pieces)

    def to_arrays(self) -> dict[str, Array]:
        return self._arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(*_parts(arrays, schema, 1))
