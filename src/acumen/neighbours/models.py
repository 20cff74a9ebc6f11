"""Models of k nearest neighbours, for classes and for numbers, and how they explain themselves.

KNNModel             stored rows with labels, and how neighbours vote
KNNRegressionModel   stored rows with numbers, and how neighbours are averaged
class_grounds        a row's neighbours, what makes them near, and how other values of k would vote
ball_densities       the density around a row, K / (n V), from the ball up to its k-th neighbour
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.explain.explanation import Case, Grounds
from acumen.geometry.distances import row_values
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Apart, Lists, Targets, Votes
from acumen.models.model import Model, RegressionModel
from acumen.neighbours.stored_rows import StoredRows, read_row_arrays
from acumen.preprocessing.stored_arrays import stored_codes, stored_floats
from acumen.types import Array, Codes, Floats, Label

_TIE = 1e-12


def scores_of(found: Votes, smooth: float, totals: Floats) -> Floats:
    """Logarithms of the shares of votes, the winner of a tie ahead of the others.

    `smoothing` votes more are shared out by the weights of the classes, `totals`: of all rows, or a line for each.
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
class KNNModel(StoredRows, Model):
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
        return class_grounds(self, row, schema)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        shares = self.totals / self.totals.sum()
        probabilities = ", ".join(
            f"{c}: {p:.4f}" for c, p in zip(schema.classes, shares.tolist(), strict=True)
        )
        first, *rest = self.lines("vote")
        lines = [f"Neighbours for {target}: {first}", *rest, f"P({target})  {probabilities}"]
        if self.smooth:
            lines.append(f"{self.smooth:g} votes more are shared out by P({target})")
        if full and len(self.curve.error):
            pairs = zip(self.curve.error.tolist(), self.curve.deviation.tolist(), strict=True)
            lines += [f"  k = {k:<4d} {e:.4f} +- {s:.4f}" for k, (e, s) in enumerate(pairs, 1)]
        return "\n".join(lines)

    def to_figure(self, predictor: Any) -> Any:
        """The leave-one-out error of each k, the chosen one marked."""
        return self.figure("error")

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.row_arrays(),
            "labels": self.labels,
            "totals": self.totals,
            "smooth": np.array([self.smooth]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = read_row_arrays(arrays, schema)
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
class KNNRegressionModel(StoredRows, RegressionModel):
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
        return value_grounds(self, row, schema)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "value"
        first, *rest = self.lines("are averaged")
        return "\n".join([f"Neighbours for {target}: {first}", *rest])

    def to_figure(self, predictor: Any) -> Any:
        """The leave-one-out error of each k, the chosen one marked."""
        return self.figure("mean squared error")

    def to_arrays(self) -> dict[str, Array]:
        return {**self.row_arrays(), "response": self.numbers}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = read_row_arrays(arrays, schema)
        return cls(**kept, numbers=stored_floats(arrays, "response", (len(kept["weights"]),)))


def as_kind(model: KNNModel, kind: type[KNNModel], **other: Any) -> KNNModel:
    """The same model as one of another kind, with other fields."""
    return kind(**{**{f.name: getattr(model, f.name) for f in fields(model)}, **other})


#: Neighbours told one by one; all of them vote.
_MOST_CASES = 100
#: Numbers of neighbours told besides the one that was used.
_OTHER_K = (1, 3, 5, 10, 20, 50)


def class_grounds(model: KNNModel, row: Table, schema: Schema) -> Grounds:
    """The neighbours of a row, whom each votes for, and how the vote would change with k."""
    raw = model.raw_of(row)
    nearby = model.search.lists(raw, model.k)
    answers = [schema.classes[code] for code in model.labels[nearby.rows[:_MOST_CASES]].tolist()]
    cases = _cases(model, raw, nearby, schema, answers)
    notes = [_within(model, nearby, "vote", "votes")]
    case_texts = []
    for k in sorted({k for k in _OTHER_K if k <= len(model.raw)} | {model.k}):
        votes = model.search.votes(raw, k, model.say, model.targets)
        share = float(votes.votes[0, votes.winner[0]] / max(float(votes.votes[0].sum()), 1e-300))
        case_texts.append(f"{printable(schema.classes[int(votes.winner[0])])} ({share:.0%}) by k = {k}")
    notes.append("It would be " + ", ".join(case_texts) + ".")
    return Grounds(cases=cases, note=" ".join(notes))


def value_grounds(model: KNNRegressionModel, row: Table, schema: Schema) -> Grounds:
    """The neighbours of a row, their numbers, and how the mean would change with k."""
    raw = model.raw_of(row)
    nearby = model.search.lists(raw, model.k)
    cases = _cases(model, raw, nearby, schema, model.numbers[nearby.rows[:_MOST_CASES]].tolist())
    case_texts = []
    for k in sorted({k for k in _OTHER_K if k <= len(model.raw)} | {model.k}):
        mean = float(model.search.votes(raw, k, model.say, model.targets).votes[0, 0])
        case_texts.append(f"{mean:.6g} by k = {k}")
    within = _within(model, nearby, "are averaged", "counts")
    return Grounds(cases=cases, note=f"{within} It would be {', '.join(case_texts)}.")


def neighbour_votes(model: StoredRows, distances: Floats, weights: Floats) -> Floats:
    """What each neighbour's say is, in shares of all."""
    if model.say == "uniform" or not len(distances):
        votes = weights
    elif model.say == "kernel":
        far = distances[-1]
        with np.errstate(invalid="ignore"):  # the last of them infinitely far
            share = np.where(distances == far, 1.0 if far > 0 else 0.0, distances / far if far > 0 else 0.0)
        votes = weights * np.exp(-2 * share * share)
    elif distances[0] == 0:
        votes = np.where(distances == 0, weights, 0.0)
    else:
        with np.errstate(invalid="ignore"):  # all of them infinitely far
            votes = weights * np.where(distances == distances[0], 1.0, distances[0] / distances)
    total = float(votes.sum())
    return votes / total if total > 0 else votes


def _cases(
    model: StoredRows, asked: RawRows, found: Lists, schema: Schema, answers: list[Label]
) -> tuple[Case, ...]:
    say = neighbour_votes(model, found.distances, model.weights[found.rows])
    forms = {a.name: a.form for a in schema.numeric if a.is_moment}
    values = row_values(schema, model.raw.take(found.rows[:_MOST_CASES]))
    names = [a.name for a in schema.attributes if a.kind != "text"]
    cases = []
    for i, answer in enumerate(answers):
        row, distance = int(found.rows[i]), float(found.distances[i])
        shares = model.search.shares(asked, row) if np.isfinite(distance) else {}
        # The largest first: what keeps a row away stands before what brings it near.
        parts = {n: distance * part for n, part in sorted(shares.items(), key=lambda pair: -pair[1])}
        cell: dict[str, Any] = dict(zip(names, values[i], strict=True))
        cases.append(Case(row, distance, answer, float(say[i]), cell, parts, forms))
    return tuple(cases)


def _within(model: StoredRows, found: Lists, verb: str, alone: str) -> str:
    if not len(found.rows):
        return "There is no row to compare with."
    far = float(found.distances[-1])
    if not np.isfinite(found.distances[0]):
        return "Nothing is known of it that is known of others, so that all rows are equally far."
    weights = model.weights[found.rows]
    total, heard = (
        float(weights.sum()),
        float(weights[neighbour_votes(model, found.distances, weights) > 0].sum()),
    )
    if heard < total:  # by 1 / distance, equal rows are heard alone
        near = "equal to it" if found.distances[0] == 0 else "with anything known in common"
        who = f"one {near} {alone}" if heard == 1 else f"{heard:g} {near} {verb}"
        return f"Of {total:g} rows within a distance of {far:.4g} only the {who}."
    return f"{total:g} rows within a distance of {far:.4g} {verb}."


def ball_densities(model: StoredRows, rows: Table) -> Floats:
    """K / (n V) at each row, K being the weight of the rows in the ball, n that of all, V the ball's volume."""
    form, fitted = model.fitted.form, model.fitted
    if fitted.distance.name not in ("euclidean", "mahalanobis") or form.levels or not len(form.factor):
        raise DataError(
            "density: a ball has a volume among numbers under Euclidean distances; this model's is "
            f"{fitted.distance.name!r}."
        )
    if not (form.weight == 1.0).all():
        raise DataError("density: attributes are weighed, so that balls have no volume in their units.")
    votes = model.search.votes(
        model.raw_of(rows), model.k, "uniform", Targets(numbers=np.zeros(len(model.raw)))
    )
    d = len(form.factor)
    # In logarithms: the volume of a ball of many dimensions is tiny. Factors turn units into the distance's.
    with np.errstate(divide="ignore", invalid="ignore"):
        log_unit = np.log(_units(model)).sum()
        log_volume = d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1) + d * np.log(votes.reach) - log_unit
        densities = np.exp(np.log(votes.within) - math.log(float(model.weights.sum())) - log_volume)
    return np.where(np.isfinite(votes.reach), np.where(votes.reach > 0, densities, np.inf), 0.0)


def _units(model: StoredRows) -> Floats:
    """How much longer a step of one is in the distance than in each column."""
    fitted = model.fitted
    if fitted.distance.turns:
        if fitted.turn.shape[0] != fitted.turn.shape[1]:
            raise DataError(
                "density: some columns follow from the others, so that balls have no volume; leave them out."
            )
        return np.abs(np.linalg.svd(fitted.turn, compute_uv=False))
    if fitted.scaling == "none":
        return np.ones(len(fitted.form.factor))
    if not (fitted.form.factor > 0).all():
        raise DataError("density: a column does not vary, so that balls have no volume; leave it out.")
    return fitted.form.factor * 10.0 ** np.maximum(fitted.places, 0)
