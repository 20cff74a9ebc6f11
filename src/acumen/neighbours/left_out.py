"""What is left out with a row: the row itself, and what it had to do with the distance.

    left_out        rows -> for each, itself taken out of the search
    exactly         the same with scaling and tables as if they had been made without the row

Scaling by deviation and by range, and tables of value differences, are down-dated: the numbers are those of a fit
without the row. Covariances, vocabularies and centres are not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen.geometry.distance import Fitted, codes_of, scaled_factors
from acumen.geometry.distance_form import Form
from acumen.geometry.level_distances import class_counts, difference_table
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Apart
from acumen.types import Array, Codes, Floats

#: Where less than this share of the squares is left without a row, the deviation is reckoned anew.
_LEFT = 1e-6


def left_out(raw: RawRows, whole: bool) -> Apart:
    """Each row taken out: one of as many as its weight says, or, where weights are relative, all of it."""
    own = np.arange(len(raw), dtype=np.int64)
    return Apart(own) if whole else Apart(own, own.astype(np.int32))


def tables_without(
    fitted: Fitted, raw: RawRows, labels: Codes | None, weights: Floats, whole: bool
) -> tuple[Form, Codes | None]:
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
        made = difference_table(np.vstack([mine, each]), each)
        known = np.flatnonzero(distinct[:, 0] < size)
        made[known, distinct[known, 0].astype(np.int64)] = 0.0  # others of the level lose the row as well
        tables.append(made)
        lines[:, j] = np.where(codes[:, j] < size, at.ravel(), -1)
    return replace(fitted.form, tables=tuple(tables)), lines


def factors_without(fitted: Fitted, values: Floats, weights: Floats) -> Floats:
    """The factors of the numbers with each row left out altogether, a line a row; none where nothing is scaled."""
    if fitted.scaling == "none" or not values.shape[1]:
        return np.empty((0, 0))
    made = np.empty_like(values)
    for j in range(values.shape[1]):
        source = fitted.layout.numbers[j][0]
        if fitted.scaling == "range":
            made[:, j] = fitted.form.factor[j] if source == "ordinal" else _ranges_without(values[:, j])
        else:
            times = 0.25 if fitted.distance.needs_classes else 1.0
            made[:, j] = _deviations_without(values[:, j], weights, times)
    return made


def _ranges_without(column: Floats) -> Floats:
    known = np.flatnonzero(~np.isnan(column))
    made = np.full(len(column), scaled_factors(column[:, None], np.empty(0), "range")[0])
    if not len(known):
        return made
    values = column[known]
    for end in (values.max(), values.min()):  # only a row alone at an end moves it
        alone = known[values == end]
        if len(alone) == 1:
            others = np.delete(column, alone[0])
            made[alone[0]] = scaled_factors(others[:, None], np.empty(0), "range")[0]
    return made


def _deviations_without(column: Floats, weights: Floats, times: float) -> Floats:
    whole = scaled_factors(column[:, None], weights, "deviation", times)[0]
    made = np.full(len(column), whole)
    known = np.flatnonzero(~np.isnan(column))
    if len(known) < 2 or whole == 0:
        return made
    values, heavy = column[known], weights[known]
    unit = float(np.abs(values).max()) or 1.0
    total = float(heavy.sum())
    away = values / unit - float((heavy * (values / unit)).sum() / total)
    squares = float((heavy * away * away).sum())
    rest = total - heavy
    with np.errstate(divide="ignore", invalid="ignore"):
        left = squares - heavy * away * away * (total / rest)
        spread = unit * np.sqrt(left / rest)
        made[known] = times / spread
    for place in known[~(left > _LEFT * squares)].tolist():
        others = np.delete(column, place)
        made[place] = scaled_factors(others[:, None], np.delete(weights, place), "deviation", times)[0]
    return made


def exactly(fitted: Fitted, raw: RawRows, labels: Codes | None, weights: Floats) -> tuple[Form, Apart, Array]:
    """Each row left out altogether: the form, what is taken out for each, and the part each row is."""
    form, lines = tables_without(fitted, raw, labels, weights, whole=False)
    own = np.arange(len(raw), dtype=np.int64)
    part = own.astype(np.int32)
    factor = factors_without(fitted, fitted.encode(raw, asks=True).values, weights)
    return form, Apart(own, part, np.ascontiguousarray(factor), lines), part
