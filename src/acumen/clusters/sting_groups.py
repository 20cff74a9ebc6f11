"""Groups from dense cells, looked for from the top of a grid down.

dense_weight   the least weight of a cell that uniform rows would hardly give any cell
grouped        dense cells that touch are one group, and cells that touch one go with it
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from acumen.clusters.grid import Cells, Grid, Layer
from acumen.types import Codes, Indices


def dense_weight(grid: Grid, weight: float, confidence: float) -> float:
    """The least whole weight such that, were all rows uniform, no cell had it with this confidence (Bonferroni)."""
    from scipy.special import gammainc

    cells = 2.0 ** (grid.bits * grid.d)
    expected, wanted = weight / cells, (1 - confidence) / cells
    low, high = 1.0, max(2.0, float(np.ceil(expected)))
    while gammainc(high, expected) > wanted:  # P(Poisson(expected) >= high)
        low, high = high, 2 * high
    while high - low > 1:
        middle = np.floor((low + high) / 2)
        if gammainc(middle, expected) > wanted:
            low = middle
        else:
            high = middle
    return float(max(high, 2.0))


def dense_cells(levels: list[Layer], least: float) -> Indices:
    """The places of dense bottom cells, looked for below cells that are as heavy at least."""
    kept = np.array([0], dtype=np.int64)
    for layer, below in pairwise(levels):
        kept = kept[layer.cells.weight[kept] >= least]
        kept = children(layer, kept, len(below.cells))
    return kept[levels[-1].cells.weight[kept] >= least]


def children(layer: Layer, kept: Indices, n_below: int) -> Indices:
    """The places of the cells below those kept, in order."""
    ends = np.append(layer.first[1:], n_below)
    sizes = ends[kept] - layer.first[kept]
    if not sizes.size:
        return np.empty(0, dtype=np.int64)
    run = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(np.repeat(layer.first[kept], sizes) + run, dtype=np.int64)


def grouped(grid: Grid, cells: Cells, dense: Indices) -> Codes:
    """The group of each bottom cell by the first of its dense cells; -1 where it neither is dense nor touches one.

    A cell that touches several goes with the heaviest, of equally heavy ones with the first.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(cells)
    group = np.full(n, -1, dtype=np.int32)
    if not len(dense):
        return group
    heavy = np.zeros(n, dtype=np.bool_)
    heavy[dense] = True
    one, other = _neighbours(grid, cells)
    both = heavy[one] & heavy[other]
    graph = coo_matrix((np.ones(int(both.sum())), (one[both], other[both])), shape=(n, n))
    part = connected_components(graph, directed=False)[1]
    group[heavy] = np.unique(part[heavy], return_inverse=True)[1].ravel().astype(np.int32)
    a, b = np.concatenate([one, other]), np.concatenate([other, one])
    touching = ~heavy[a] & heavy[b]
    a, b = a[touching], b[touching]
    order = np.lexsort((b, -cells.weight[b], a))
    first = np.unique(a[order], return_index=True)[1]
    group[a[order][first]] = group[b[order][first]]
    return group


def _neighbours(grid: Grid, cells: Cells) -> tuple[Indices, Indices]:
    """Places of occupied cells that touch, at a corner at least, each pair once."""
    from scipy.spatial import cKDTree

    places = grid.intervals(cells.number, grid.bits).astype(np.float64)
    pairs = cKDTree(places).query_pairs(1.5, p=np.inf, output_type="ndarray")
    return pairs[:, 0].astype(np.intp), pairs[:, 1].astype(np.intp)
