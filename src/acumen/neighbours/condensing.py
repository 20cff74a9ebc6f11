"""Fewer rows: those that are needed to classify the others, or those that their neighbours agree with.

    condense_model   Hart's rule (1968): add rows until the nearest selected row has every row's class
    edit_model       Wilson's rule (1972): drop rows whose k nearest others have another class

Hart visits rows in the order they come; here they come by how near they are to a row of another class, so that the
rows kept do not depend on the order of the table.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen.geometry.search import Apart, NeighbourSearch
from acumen.neighbours.leave_out import tables_without, take_out_each
from acumen.neighbours.models import CondensedModel, EditedModel, KNNModel, as_kind
from acumen.types import Array, Bools, Floats, Indices

_SAME = 1e-12


def condense_model(model: KNNModel) -> tuple[KNNModel, Indices]:
    """The model of the rows kept, each of weight one, and which these are."""
    keep = np.sort(_select_condensed(model))
    kept = model.raw.take(keep)
    condensed_model = as_kind(
        model,
        CondensedModel,
        raw=kept,
        weights=np.ones(len(keep)),
        labels=model.labels[keep],
        n_rows=len(model.raw),
    )
    return condensed_model, keep


def _select_condensed(model: KNNModel) -> Indices:
    labels, n = model.labels, len(model.raw)
    first = _visiting_order(model)
    own_distances, other = np.full(n, np.inf), np.full(n, np.inf)
    chosen = np.zeros(n, dtype=np.bool_)
    brute = NeighbourSearch(model.fitted, model.raw, model.weights, index="brute")

    def add(row: int) -> None:
        chosen[row] = True
        away = brute.between(model.raw.take(np.array([row])))[0]
        same = labels == labels[row]
        np.minimum(own_distances, away, out=own_distances, where=same)
        np.minimum(other, away, out=other, where=~same)

    add(int(first[0]))
    while True:
        before = int(chosen.sum())
        place = 0
        while place < n:
            ahead = first[place:]
            wrong = np.flatnonzero(~_right(own_distances[ahead], other[ahead]) & ~chosen[ahead])
            if not len(wrong):
                break
            place += int(wrong[0])
            add(int(first[place]))
        if int(chosen.sum()) == before:
            return np.flatnonzero(chosen)


def _right(own: Floats, other: Floats) -> Bools:
    """Where the nearest row kept is of the own class, and rounding could not say otherwise."""
    return np.asarray((own < other) & ~(np.isfinite(own) & (other - own <= _SAME * other)))


def _visiting_order(model: KNNModel) -> Indices:
    """Nearest to another class first; of equal ones by class and values: only equal rows are left to chance."""
    search = NeighbourSearch(model.fitted, model.raw, model.weights, index="auto", part=model.labels)
    far = search.votes(model.raw, 1, "uniform", model.targets, Apart(part=model.labels)).reach
    rows = search.rows
    columns: list[Array] = [rows.values[:, j] for j in reversed(range(rows.values.shape[1]))]
    codes: list[Array] = [rows.codes[:, j] for j in reversed(range(rows.codes.shape[1]))]
    # Distances of mirrored pairs may differ in their last digits.
    keys: list[Array] = [*codes, *columns, model.labels, np.round(far / max(_middle(far), 1e-300), 9)]
    return np.lexsort(keys)


def _middle(far: Floats) -> float:
    known = far[np.isfinite(far) & (far > 0)]
    return float(np.median(known)) if len(known) else 1.0


def edit_model(model: KNNModel, whole: bool) -> tuple[KNNModel, Indices]:
    """The model of the rows kept, and which these are; all of them, should none agree with its neighbours."""
    # Tables that look at classes are made without the row that is judged.
    form, lines = tables_without(model.fitted, model.raw, model.labels, model.weights, whole)
    apart = take_out_each(model.raw, whole)
    search = NeighbourSearch(
        model.fitted, model.raw, model.weights, index=model.index, part=apart.part, form=form
    )
    votes = search.votes(model.raw, model.k, model.say, model.targets, replace(apart, codes=lines))
    alone = votes.within <= 0
    keep = np.flatnonzero((votes.winner == model.labels) | alone)
    if not len(keep):
        keep = np.arange(len(model.labels))
    edited_model = as_kind(
        model, EditedModel, raw=model.raw.take(keep), weights=model.weights[keep], labels=model.labels[keep],
        n_rows=len(model.raw),
    )  # fmt: skip
    return edited_model, keep
