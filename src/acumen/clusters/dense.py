"""DBSCAN: cores, the groups they make, and how far "near" is.

    find_dense   rows -> groups of rows that lie densely
    knee_of      where a curve of distances bends most

Ester, Kriegel, Sander and Xu (1996). The reach is looked for as they did by eye: the distances of all rows to their
`min_rows`-th neighbour, sorted, fall steeply among the noise and then run flat.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen import _native
from acumen.base.grouping import Grouping
from acumen.clusters.dense_model import DenseModel
from acumen.clusters.nearest import group_sizes
from acumen.clusters.row_distances import RowsApart
from acumen.engines.cores import cores
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Targets
from acumen.types import Bools, Codes, Floats

#: Places of the curve that a model keeps.
_KEPT = 500
#: By how much less far below the line a place may be that counts as the knee.
_ALMOST = 0.05
#: Rows whose neighbours are looked for at once.
_ROWS = 16_384
#: Cores that rows beside them are held against at once, at least.
_CORES = 2_048


def reach_curve(rows: RowsApart, enough: float) -> Floats:
    """The distance at which the weight around each row makes it a core, the largest first; rows count by weight."""
    n = len(rows)
    made = np.empty(n)
    nothing = Targets(np.zeros(n, dtype=np.int32), totals=np.ones(1))
    for start in range(0, n, _ROWS):
        part = np.arange(start, min(start + _ROWS, n))
        some = rows.raw if len(part) == n else rows.raw.take(part)
        made[part] = rows.search.votes(some, enough, "uniform", nothing).reach
    order = np.argsort(-made, kind="stable")
    return _by_weight(made[order], rows.weights[order])


def _by_weight(sorted_values: Floats, weights: Floats) -> Floats:
    """Sorted values at even places of the running sum of their weights: a weight of two is two values."""
    known = np.isfinite(sorted_values)
    values, running = sorted_values[known], np.cumsum(weights[known])
    if not len(values):
        return np.zeros(1)
    # At most so many places, the first and the last among them.
    count = int(min(_KEPT, max(2, round(float(running[-1])))))
    places = np.linspace(0.0, 1.0, count) * running[-1]
    at = np.minimum(np.searchsorted(running, places * (1 - 1e-12), side="right"), len(values) - 1)
    return np.asarray(values[at])


def knee_of(curve: Floats) -> int:
    """The place furthest below the line from the first value to the last; the last where there is no such place.

    Satopää and others (2011): both axes run from 0 to 1, so no unit matters. The curve is nearly even about its knee,
    and a reach a little short leaves groups in pieces, so the first place that is almost as far below is taken.
    """
    if len(curve) < 3 or not curve[0] > curve[-1]:
        return len(curve) - 1
    across = np.linspace(0.0, 1.0, len(curve))
    height = (curve - curve[-1]) / (curve[0] - curve[-1])
    below = (1.0 - across) - height
    best = float(below.max())
    return int(np.flatnonzero(below >= (1 - _ALMOST) * best)[0]) if best > 1e-9 else len(curve) - 1


def _weighed(is_core: Bools, labels: Codes, weights: Floats) -> tuple[Floats, Floats]:
    """What cores, rows beside them and noise weigh, and what each group does."""
    noise = labels < 0
    beside = weights[~(is_core | noise)].sum()
    return np.array([weights[is_core].sum(), beside, weights[noise].sum()]), group_sizes(labels, weights)


def find_dense(rows: RowsApart, eps: float | None, enough: float) -> Grouping:
    """Groups of rows within `eps` of a core; None: the knee of the curve."""
    curve, knee = np.empty(0), 0
    if eps is None:
        curve = reach_curve(rows, enough)
        knee = knee_of(curve)
        eps = float(curve[knee])
    core, labels, _ = _native.dense_rows(rows.search.index, rows.extra, float(eps), float(enough), cores())
    # The index is let go before the model takes its own copy of the cores: at no time are there three.
    rows.search.forget()
    counts, sizes = _weighed(core.view(np.bool_), labels, rows.weights)
    border = np.flatnonzero(labels >= 0) if counts[1] else np.empty(0, dtype=np.int64)
    border = border[core[border] == 0]
    weights = rows.weights[border]  # here, where the cores are not there twice: all weights may be made anew
    kept = np.flatnonzero(core)
    model = DenseModel(
        rows.fitted, rows.raw.take(kept), labels[kept], sizes, kept if rows.all_there else rows.rows[kept],
        float(eps), float(enough), counts, curve, knee,
    )  # fmt: skip
    beside = float((_from_cores(model, rows.raw.take(border)) * weights).sum())
    return Grouping(replace(model, beside=beside), rows.spread(labels))


def _from_cores(model: DenseModel, beside: RawRows) -> Floats:
    """How far rows are from the nearest core; a share of the cores at a time, so that they are not all there again."""
    # None is further than the reach, or it would not be beside a core; asked anew, a nameless level is unlike all.
    away = np.full(len(beside), model.eps)
    step = max(_CORES, -(-len(model.raw) // 32))
    for start in range(0, len(model.raw) if len(beside) else 0, step):
        part = np.arange(start, min(start + step, len(model.raw)))
        some = replace(model, raw=model.raw.take(part), number=model.number[part])
        away = np.minimum(away, some.groups_of(beside)[1])
    return away
