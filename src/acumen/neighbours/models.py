"""Models of neighbours: the class most of the nearest rows have, or the mean of their numbers.

    KNNModel             votes for classes; P(class | row) is the class's share of the votes, K_i / K
    KNNRegressionModel   the mean of the neighbours' numbers
    CondensedModel, EditedModel    votes of fewer rows

The prior is in the votes already, and is not multiplied in again (W001-31). Of classes with equal votes the one whose
neighbours are nearer on average wins, then the larger, then the first; it is given 1e-12 more than its share, so that
whoever asks for the likeliest class finds it. With `smooth` votes shared out by how common classes are there is no such
tie, and no class that has rows is impossible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.explanation import Grounds
from acumen.geometry.search import Apart, Targets, Votes
from acumen.models.model import Model, RegressionModel
from acumen.neighbours.kept import Kept, kept_from
from acumen.preprocessing.stored_arrays import stored_codes, stored_floats
from acumen.types import Array, Codes, Floats

_TIE = 1e-12


def scores_of(found: Votes, smooth: float, totals: Floats) -> Floats:
    """Logarithms of the shares of votes, the winner of a tie ahead of the others.

    `smooth` votes more are shared out by the weights of the classes, `totals`: of all rows, or a line for each.
    """
    votes, total = found.votes, found.votes.sum(axis=1, keepdims=True)
    if smooth > 0:
        # Votes by distance have no unit of their own; those within count as what they weigh.
        votes = votes / np.where(total > 0, total, 1.0) * found.within[:, None]
        votes = votes + smooth * totals / totals.sum(axis=-1, keepdims=True)
        total = votes.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        scores: Floats = np.log(votes / np.where(total > 0, total, 1.0))
    if scores.shape[1] > 1 and len(scores) and not smooth > 0:
        rows = np.arange(len(scores))
        most = scores.max(axis=1)
        tied = (scores[rows, found.winner] < most) | ((scores == most[:, None]).sum(axis=1) > 1)
        scores[rows[tied], found.winner[tied]] = most[tied] + _TIE
    return scores


@dataclass(frozen=True, eq=False)
class KNNModel(Kept, Model):
    """Votes for classes."""

    kind: ClassVar[str] = "knn"

    labels: Codes
    totals: Floats  # the weight of each class among the rows learned from
    smooth: float = 0.0  # votes more, shared out by `totals`

    @property
    def targets(self) -> Targets:
        """What the rows vote with."""
        return Targets(self.labels, totals=self.totals)

    def votes(self, rows: Table, apart: Apart | None = None) -> Votes:
        """What the neighbours of each row say."""
        return self.search.votes(self.raw_of(rows), self.k, self.say, self.targets, apart)

    def scores(self, rows: Table) -> Floats:
        return scores_of(self.votes(rows), self.smooth, self.totals)

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """Every value kept counts."""
        return int(self.raw.numbers.size + self.raw.codes.size + sum(words.nnz for words in self.raw.words))

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        from acumen.neighbours.reading import class_grounds

        return class_grounds(self, row, schema)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        shares = self.totals / self.totals.sum()
        told = ", ".join(f"{c}: {p:.4f}" for c, p in zip(schema.classes, shares.tolist(), strict=True))
        first, *rest = self.lines("vote")
        made = [f"Neighbours for {target}: {first}", *rest, f"P({target})  {told}"]
        if self.smooth:
            made.append(f"{self.smooth:g} votes more are shared out by P({target})")
        if full and len(self.curve.error):
            pairs = zip(self.curve.error.tolist(), self.curve.deviation.tolist(), strict=True)
            made += [f"  k = {k:<4d} {e:.4f} +- {s:.4f}" for k, (e, s) in enumerate(pairs, 1)]
        return "\n".join(made)

    def to_figure(self, predictor: Any) -> Any:
        """The leave-one-out error of each k, the chosen one marked."""
        return self.figure("error")

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.kept_arrays(),
            "labels": self.labels,
            "totals": self.totals,
            "smooth": np.array([self.smooth]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = kept_from(arrays, schema)
        return cls(
            **kept,
            labels=stored_codes(arrays, "labels", (len(kept["weights"]),), low=0, below=schema.n_classes),
            totals=stored_floats(arrays, "totals", (schema.n_classes,), low=0.0, high=1e300),
            smooth=float(stored_floats(arrays, "smooth", (1,), low=0.0, high=1e300)[0]),
        )


@dataclass(frozen=True, eq=False)
class CondensedModel(KNNModel):
    """Votes of rows from which all others get their class."""

    kind: ClassVar[str] = "condense"


@dataclass(frozen=True, eq=False)
class EditedModel(KNNModel):
    """Votes of rows that their own neighbours agree with."""

    kind: ClassVar[str] = "edit"


@dataclass(frozen=True, eq=False)
class KNNRegressionModel(Kept, RegressionModel):
    """Means of numbers."""

    kind: ClassVar[str] = "knn-regressor"

    numbers: Floats

    @property
    def targets(self) -> Targets:
        """What the rows say."""
        return Targets(numbers=self.numbers)

    def votes(self, rows: Table, apart: Apart | None = None) -> Votes:
        """What the neighbours of each row say."""
        return self.search.votes(self.raw_of(rows), self.k, self.say, self.targets, apart)

    def values(self, rows: Table) -> Floats:
        return self.votes(rows).votes[:, 0]

    @property
    def n_parameters(self) -> int:
        """Every value kept counts."""
        return int(self.raw.numbers.size + self.raw.codes.size + sum(words.nnz for words in self.raw.words))

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        from acumen.neighbours.reading import value_grounds

        return value_grounds(self, row, schema)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "value"
        first, *rest = self.lines("are averaged")
        return "\n".join([f"Neighbours for {target}: {first}", *rest])

    def to_figure(self, predictor: Any) -> Any:
        """The leave-one-out error of each k, the chosen one marked."""
        return self.figure("mean squared error")

    def to_arrays(self) -> dict[str, Array]:
        return {**self.kept_arrays(), "response": self.numbers}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = kept_from(arrays, schema)
        return cls(**kept, numbers=stored_floats(arrays, "response", (len(kept["weights"]),)))


def as_kind(model: KNNModel, kind: type[KNNModel], **other: Any) -> KNNModel:
    """The same model as one of another kind, with other fields."""
    return kind(**{**{f.name: getattr(model, f.name) for f in fields(model)}, **other})
