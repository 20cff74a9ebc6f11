"""Rows answered by models without them, and without fitting anew.

exact_scores, exact_values     each row left out in turn
part_scores, part_values       each part left out in turn, by one search of all rows
has_exact_rows, has_exact_folds     where that gives what fitting anew would give
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.geometry.distance_state import resolve
from acumen.geometry.search import Apart, Search, Targets, Votes
from acumen.neighbours.left_out import exactly
from acumen.neighbours.models import KNNModel, KNNRegressionModel, scores_of
from acumen.types import Codes, Floats, Indices


def has_exact_rows(distance: Any, scale: bool, rows: Table, who: str) -> bool:
    """Whether leaving one row out can be told without fitting anew: nothing but scales and tables look at rows."""
    rule = resolve(distance, rows.schema, who)
    if rows.schema.text or rule.objection(rows.schema) is not None:
        return False
    return not rule.turns or (rule.turns == "direction" and not scale)


def has_exact_folds(distance: Any, scale: bool, rows: Table, who: str) -> bool:
    """Whether the distance is the same whichever rows it is fitted on."""
    rule = resolve(distance, rows.schema, who)
    fixed = rule.scales_by != "range" or not rows.schema.numeric
    return has_exact_rows(rule, scale, rows, who) and not scale and fixed and not rule.needs_classes


def exact_votes(model: KNNModel | KNNRegressionModel, targets: Targets) -> Votes:
    """What the neighbours of each training row say, the row left out of everything."""
    labels = targets.labels if len(targets.totals) else None
    form, apart, part = exactly(model.fitted, model.raw, labels, model.weights)
    index = "brute" if len(apart.factor) or apart.codes is not None else model.index
    search = Search(model.fitted, model.raw, model.weights, index=index, part=part, form=form)
    return search.votes(model.raw, model.k, model.say, targets, apart)


def exact_scores(model: KNNModel, rows: Table) -> Floats:
    """Scores of each training row by all the others."""
    totals = np.tile(model.totals, (len(model.labels), 1))
    totals[np.arange(len(totals)), model.labels] -= model.weights
    return scores_of(exact_votes(model, model.targets), model.smooth, totals)


def exact_values(model: KNNRegressionModel, rows: Table) -> Floats:
    """The value of each training row by all the others."""
    return exact_votes(model, model.targets).votes[:, 0]


def part_scores(model: KNNModel, rows: Table, parts: Codes, n_parts: int) -> Floats:
    """Scores of each training row by the rows of all other parts."""
    made = np.empty((len(rows), len(model.totals)))
    for some, search in _parts(model, parts, n_parts):
        others = np.bincount(model.labels[some], model.weights[some], len(model.totals))
        targets = replace(model.targets, totals=np.ascontiguousarray(model.totals - others))
        made[some] = scores_of(_of_part(model, search, some, parts, targets), model.smooth, targets.totals)
    return made


def part_values(model: KNNRegressionModel, rows: Table, parts: Codes, n_parts: int) -> Floats:
    """The value of each training row by the rows of all other parts."""
    made = np.empty(len(rows))
    for some, search in _parts(model, parts, n_parts):
        made[some] = _of_part(model, search, some, parts, model.targets).votes[:, 0]
    return made


def _parts(
    model: KNNModel | KNNRegressionModel, parts: Codes, n_parts: int
) -> Iterator[tuple[Indices, Search]]:
    codes = np.ascontiguousarray(parts, dtype=np.int32)
    search = Search(model.fitted, model.raw, model.weights, index=model.index, part=codes)
    for part in range(n_parts):
        some = np.flatnonzero(codes == part)
        if len(some):
            yield some, search


def _of_part(
    model: KNNModel | KNNRegressionModel, search: Search, some: Indices, parts: Codes, targets: Targets
) -> Votes:
    apart = Apart(part=np.ascontiguousarray(parts[some], dtype=np.int32))
    return search.votes(model.raw.take(some), model.k, model.say, targets, apart)
