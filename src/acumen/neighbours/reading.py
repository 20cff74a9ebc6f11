"""What the neighbours of a row are told as: the rows themselves, what makes them near, and how other k would vote."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.explanation import Case, Grounds
from acumen.geometry.distances import row_values
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Lists
from acumen.neighbours.kept import Kept
from acumen.neighbours.models import KNNModel, KNNRegressionModel
from acumen.types import Floats, Label

#: Neighbours told one by one; all of them vote.
_MOST_CASES = 100
#: Numbers of neighbours told besides the one that was used.
_OTHER_K = (1, 3, 5, 10, 20, 50)


def class_grounds(model: KNNModel, row: Table, schema: Schema) -> Grounds:
    """The neighbours of a row, whom each votes for, and how the vote would change with k."""
    asked = model.raw_of(row)
    found = model.search.lists(asked, model.k)
    answers = [schema.classes[code] for code in model.labels[found.rows[:_MOST_CASES]].tolist()]
    cases = _cases(model, asked, found, schema, answers)
    notes = [_within(model, found, "vote", "votes")]
    told = []
    for k in sorted({k for k in _OTHER_K if k <= len(model.raw)} | {model.k}):
        votes = model.search.votes(asked, k, model.say, model.targets)
        share = float(votes.votes[0, votes.winner[0]] / max(float(votes.votes[0].sum()), 1e-300))
        told.append(f"{printable(schema.classes[int(votes.winner[0])])} ({share:.0%}) by k = {k}")
    notes.append("It would be " + ", ".join(told) + ".")
    return Grounds(cases=cases, note=" ".join(notes))


def value_grounds(model: KNNRegressionModel, row: Table, schema: Schema) -> Grounds:
    """The neighbours of a row, their numbers, and how the mean would change with k."""
    asked = model.raw_of(row)
    found = model.search.lists(asked, model.k)
    cases = _cases(model, asked, found, schema, model.numbers[found.rows[:_MOST_CASES]].tolist())
    told = []
    for k in sorted({k for k in _OTHER_K if k <= len(model.raw)} | {model.k}):
        mean = float(model.search.votes(asked, k, model.say, model.targets).votes[0, 0])
        told.append(f"{mean:.6g} by k = {k}")
    within = _within(model, found, "are averaged", "counts")
    return Grounds(cases=cases, note=f"{within} It would be {', '.join(told)}.")


def says(model: Kept, distances: Floats, weights: Floats) -> Floats:
    """What each neighbour's say is, in shares of all."""
    if model.say == "uniform" or not len(distances):
        made = weights
    elif model.say == "kernel":
        far = distances[-1]
        with np.errstate(invalid="ignore"):  # the last of them infinitely far
            share = np.where(distances == far, 1.0 if far > 0 else 0.0, distances / far if far > 0 else 0.0)
        made = weights * np.exp(-2 * share * share)
    elif distances[0] == 0:
        made = np.where(distances == 0, weights, 0.0)
    else:
        with np.errstate(invalid="ignore"):  # all of them infinitely far
            made = weights * np.where(distances == distances[0], 1.0, distances[0] / distances)
    total = float(made.sum())
    return made / total if total > 0 else made


def _cases(
    model: Kept, asked: RawRows, found: Lists, schema: Schema, answers: list[Label]
) -> tuple[Case, ...]:
    say = says(model, found.distances, model.weights[found.rows])
    forms = {a.name: a.form for a in schema.numeric if a.is_moment}
    values = row_values(schema, model.raw.take(found.rows[:_MOST_CASES]))
    names = [a.name for a in schema.attributes if a.kind != "text"]
    made = []
    for i, answer in enumerate(answers):
        row, distance = int(found.rows[i]), float(found.distances[i])
        shares = model.search.shares(asked, row) if np.isfinite(distance) else {}
        # The largest first: what keeps a row away stands before what brings it near.
        parts = {n: distance * part for n, part in sorted(shares.items(), key=lambda pair: -pair[1])}
        cell: dict[str, Any] = dict(zip(names, values[i], strict=True))
        made.append(Case(row, distance, answer, float(say[i]), cell, parts, forms))
    return tuple(made)


def _within(model: Kept, found: Lists, verb: str, alone: str) -> str:
    if not len(found.rows):
        return "There is no row to compare with."
    far = float(found.distances[-1])
    if not np.isfinite(found.distances[0]):
        return "Nothing is known of it that is known of others, so that all rows are equally far."
    weights = model.weights[found.rows]
    total, heard = float(weights.sum()), float(weights[says(model, found.distances, weights) > 0].sum())
    if heard < total:  # by 1 / distance, equal rows are heard alone
        near = "equal to it" if found.distances[0] == 0 else "with anything known in common"
        who = f"one {near} {alone}" if heard == 1 else f"{heard:g} {near} {verb}"
        return f"Of {total:g} rows within a distance of {far:.4g} only the {who}."
    return f"{total:g} rows within a distance of {far:.4g} {verb}."
