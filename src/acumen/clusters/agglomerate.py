"""Hierarchies from rows: joined from below by four linkages, or divided from above.

    joins_of    rows -> Hierarchy
    cut_groups  the hierarchy cut: groups, and the model that tells the group of other rows

Rows that are the same are one row of their summed weight, and joined first, at height 0: so weights count as repeated
rows do, and equal rows are never parted.
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.base.grouping import Grouping
from acumen.clusters.distinct import distinct_rows
from acumen.clusters.drawing import require_distinct
from acumen.clusters.hierarchy import DivisionModel, Hierarchy, HierarchyModel
from acumen.clusters.nearest import group_sizes
from acumen.clusters.row_distances import RowsApart
from acumen.engines.cores import cores
from acumen.types import Array


def joins_of(rows: RowsApart, linkage: str) -> tuple[Hierarchy, int]:
    """The whole hierarchy, and how many rows differ."""
    first, lot = distinct_rows(rows.raw)
    some = rows
    if len(first) < len(rows):
        some = rows.take(first, np.bincount(lot, rows.weights).astype(np.float64))
    a, b, heights, sizes = _native.link_rows(
        *some.pairs, "divide" if linkage == "divisive" else linkage, cores()
    )
    if len(first) == len(rows):
        return Hierarchy(a, b, heights, sizes), len(first)
    return _with_equals(Hierarchy(a, b, heights, sizes), first, lot), len(first)


def _with_equals(found: Hierarchy, first: Array, lot: Array) -> Hierarchy:
    """A hierarchy of different rows as one of all rows: equal ones are joined first."""
    n, m = len(lot), len(first)
    group = first.copy()  # of each different row: the group it stands for
    size = np.bincount(lot, minlength=m)
    a, b, sizes = [], [], []
    held = np.ones(m, dtype=np.int64)
    for row in range(n):
        own = int(lot[row])
        if row == first[own]:
            continue
        held[own] += 1
        pair = sorted((int(group[own]), row))
        a.append(pair[0])
        b.append(pair[1])
        sizes.append(int(held[own]))
        group[own] = n + len(a) - 1
    before = len(a)
    rows_of = np.concatenate([size, np.zeros(len(found.a), dtype=np.int64)])
    for t, (x, y) in enumerate(zip(found.a.tolist(), found.b.tolist(), strict=True)):
        rows_of[m + t] = rows_of[x] + rows_of[y]
    # Group m + t of the different rows is group n + before + t of all.
    name = np.concatenate([group, n + before + np.arange(len(found.a))])
    pairs = np.sort(np.column_stack([name[found.a], name[found.b]]), axis=1)
    return Hierarchy(
        np.concatenate([np.array(a, dtype=np.int64), pairs[:, 0]]),
        np.concatenate([np.array(b, dtype=np.int64), pairs[:, 1]]),
        np.concatenate([np.zeros(before), found.heights]),
        np.concatenate([np.array(sizes, dtype=np.int64), rows_of[m:]]),
    )


def cut_groups(rows: RowsApart, linkage: str, k: int | None, theta: float | None, who: str) -> Grouping:
    """The groups of the hierarchy cut at k groups, at a height, or where heights leap most."""
    joins, distinct = joins_of(rows, linkage)
    if k is not None:
        require_distinct(who, k, distinct, len(rows))
    if k is None and theta is None:
        k = min(joins.leap(), distinct)
    labels = joins.cut(k, theta=theta, who=who)
    sizes = group_sizes(labels, rows.weights)
    kept = len(joins.heights) - (len(sizes) - 1)
    height = float(joins.heights[kept - 1]) if kept else 0.0
    kind = DivisionModel if linkage == "divisive" else HierarchyModel
    model = kind(rows.fitted, rows.raw, labels, sizes, joins, linkage, height)
    return Grouping(model, rows.spread(labels))
