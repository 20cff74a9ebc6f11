"""Predictions for rows left out, one by one or part by part.

    exact_scores, exact_values   each row by all others, for classes and for numbers
    part_scores, part_values     each part's rows by all other parts
    take_out_each                rows -> for each, itself excluded from the search
    leave_each_out_form          the same, with scaling and tables as if fitted without the row

Scaling by deviation and by range, and tables of value differences, are down-dated: they equal a fit without the row.
Covariances, vocabularies and centres are not updated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.geometry.distance import FittedDistance, codes_of, scale_factors
from acumen.geometry.distance_form import DistanceForm
from acumen.geometry.distance_state import resolve
from acumen.geometry.level_distances import class_counts, difference_table
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Apart, NeighbourSearch, Targets, Votes
from acumen.neighbours.models import KNNModel, KNNRegressionModel, scores_of
from acumen.types import Array, Codes, Floats, Indices


def has_exact_rows(distance: Any, scale: bool, rows: Table, who: str) -> bool:
    """Whether leave-one-out works without refitting: only scales and tables depend on the rows."""
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
    form, apart, part = leave_each_out_form(model.fitted, model.raw, labels, model.weights)
    index = "brute" if len(apart.factor) or apart.codes is not None else model.index
    search = NeighbourSearch(model.fitted, model.raw, model.weights, index=index, part=part, form=form)
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
    scores = np.empty((len(rows), len(model.totals)))
    for some, search in _parts(model, parts, n_parts):
        others = np.bincount(model.labels[some], model.weights[some], len(model.totals))
        targets = replace(model.targets, totals=np.ascontiguousarray(model.totals - others))
        scores[some] = scores_of(_of_part(model, search, some, parts, targets), model.smooth, targets.totals)
    return scores


def part_values(model: KNNRegressionModel, rows: Table, parts: Codes, n_parts: int) -> Floats:
    """The value of each training row by the rows of all other parts."""
    values = np.empty(len(rows))
    for some, search in _parts(model, parts, n_parts):
        values[some] = _of_part(model, search, some, parts, model.targets).votes[:, 0]
    return values


def _parts(
    model: KNNModel | KNNRegressionModel, parts: Codes, n_parts: int
) -> Iterator[tuple[Indices, NeighbourSearch]]:
    codes = np.ascontiguousarray(parts, dtype=np.int32)
    search = NeighbourSearch(model.fitted, model.raw, model.weights, index=model.index, part=codes)
    for part in range(n_parts):
        some = np.flatnonzero(codes == part)
        if len(some):
            yield some, search


def _of_part(
    model: KNNModel | KNNRegressionModel,
    search: NeighbourSearch,
    some: Indices,
    parts: Codes,
    targets: Targets,
) -> Votes:
    apart = Apart(part=np.ascontiguousarray(parts[some], dtype=np.int32))
    return search.votes(model.raw.take(some), model.k, model.say, targets, apart)


#: Where less than this share of the squares is left without a row, the deviation is reckoned anew.
_LEFT = 1e-6


def take_out_each(raw: RawRows, whole: bool) -> Apart:
    """Each row taken out: one of as many as its weight says, or, where weights are relative, all of it."""
    row_numbers = np.arange(len(raw), dtype=np.int64)
    return Apart(row_numbers) if whole else Apart(row_numbers, row_numbers.astype(np.int32))


def tables_without(
    fitted: FittedDistance, raw: RawRows, labels: Codes | None, weights: Floats, whole: bool
) -> tuple[DistanceForm, Codes | None]:
    """The form with tables that have a line for each level and class without a row of that class, and the rows' lines.

    Only for distances that look at classes; others stay as they are.
    """
    if not fitted.distance.needs_classes or labels is None or not fitted.form.tables:
        return fitted.form, None
    codes = codes_of(fitted.layout, raw)
    sizes = fitted.form.levels
    for j, size in enumerate(sizes):
        codes[codes[:, j] < 0, j] = size
    classes = fitted.schema.n_classes
    counts = class_counts(codes, fitted.layout, labels, weights, classes)
    off = np.minimum(weights, 1.0) if whole else weights
    tables, lines = [], np.empty_like(codes)
    for j, (each, size) in enumerate(zip(counts, sizes, strict=True)):
        # A line for each level, class and weight taken off: mostly one weight, so that lines are few.
        key = np.stack([codes[:, j].astype(np.float64), labels.astype(np.float64), off], axis=1)
        distinct, at = np.unique(key, axis=0, return_inverse=True)
        mine = np.empty((len(distinct), classes))
        for i, (level, label, taken) in enumerate(distinct.tolist()):
            line = each[int(level)].copy()
            line[int(label)] = max(line[int(label)] - taken, 0.0)
            if int(level) < size and not line.sum() > 1e-9:  # nobody else has the level: as one nobody knows
                line = each[-1].copy()
                line[int(label)] = max(line[int(label)] - taken, 0.0)
            mine[i] = line
        differences = difference_table(np.vstack([mine, each]), each)
        known = np.flatnonzero(distinct[:, 0] < size)
        differences[known, distinct[known, 0].astype(np.int64)] = (
            0.0  # others of the level lose the row as well
        )
        tables.append(differences)
        lines[:, j] = np.where(codes[:, j] < size, at.ravel(), -1)
    return replace(fitted.form, tables=tuple(tables)), lines


def factors_without(fitted: FittedDistance, values: Floats, weights: Floats) -> Floats:
    """The factors of the numbers with each row left out altogether, a line a row; none where nothing is scaled."""
    if fitted.scaling == "none" or not values.shape[1]:
        return np.empty((0, 0))
    factors = np.empty_like(values)
    for j in range(values.shape[1]):
        source = fitted.layout.numbers[j][0]
        if fitted.scaling == "range":
            factors[:, j] = fitted.form.factor[j] if source == "ordinal" else _ranges_without(values[:, j])
        else:
            times = 0.25 if fitted.distance.needs_classes else 1.0
            factors[:, j] = _deviations_without(values[:, j], weights, times)
    return factors


def _ranges_without(column: Floats) -> Floats:
    known = np.flatnonzero(~np.isnan(column))
    factors = np.full(len(column), scale_factors(column[:, None], np.empty(0), "range")[0])
    if not len(known):
        return factors
    values = column[known]
    for end in (values.max(), values.min()):  # only a row alone at an end moves it
        alone = known[values == end]
        if len(alone) == 1:
            others = np.delete(column, alone[0])
            factors[alone[0]] = scale_factors(others[:, None], np.empty(0), "range")[0]
    return factors


def _deviations_without(column: Floats, weights: Floats, times: float) -> Floats:
    whole = scale_factors(column[:, None], weights, "deviation", times)[0]
    factors = np.full(len(column), whole)
    known = np.flatnonzero(~np.isnan(column))
    if len(known) < 2 or whole == 0:
        return factors
    values, heavy = column[known], weights[known]
    unit = float(np.abs(values).max()) or 1.0
    total = float(heavy.sum())
    away = values / unit - float((heavy * (values / unit)).sum() / total)
    squares = float((heavy * away * away).sum())
    rest = total - heavy
    with np.errstate(divide="ignore", invalid="ignore"):
        squares_without = squares - heavy * away * away * (total / rest)
        spread = unit * np.sqrt(squares_without / rest)
        factors[known] = times / spread
    for place in known[~(squares_without > _LEFT * squares)].tolist():
        others = np.delete(column, place)
        factors[place] = scale_factors(others[:, None], np.delete(weights, place), "deviation", times)[0]
    return factors


def leave_each_out_form(
    fitted: FittedDistance, raw: RawRows, labels: Codes | None, weights: Floats
) -> tuple[DistanceForm, Apart, Array]:
    """Each row left out altogether: the form, what is taken out for each, and the part each row is."""
    form, lines = tables_without(fitted, raw, labels, weights, whole=False)
    row_numbers = np.arange(len(raw), dtype=np.int64)
    part = row_numbers.astype(np.int32)
    factor = factors_without(fitted, fitted.encode(raw, asks=True).values, weights)
    return form, Apart(row_numbers, part, np.ascontiguousarray(factor), lines), part
