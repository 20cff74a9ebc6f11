"""Groups from dense cells, and questions about regions: both go from the top of a grid down.

dense_weight   the least weight of a cell that uniform rows would hardly give any cell
grouped        dense cells that touch are one group, and cells that touch one go with it
Region         what is known of the rows in a region, at a level
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.clusters.grid import Cells, Grid, Layer
from acumen.show.text import many
from acumen.types import Codes, Floats, Indices


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
    for layer, below in zip(levels, levels[1:], strict=False):
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


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """What is known of the rows in a region from the cells of one level.

    Attributes
    ----------
    level : int
        1 is the whole table.
    cells : int
        How many cells hold rows that may be in the region.
    certain, possible : float
        The weight of cells whose rows are all in the region, and of all cells that may hold such rows.
    estimate, low, high : float
        What the region holds by the cells' distributions, and between what, with the confidence asked for.
    mean, deviation, least, most : dicts
        Of the rows of all those cells, by attribute.
    edges : dict
        The edges of the cells that were looked at, by attribute: a region is answered by whole cells.
    """

    level: int
    cells: int
    certain: float
    possible: float
    estimate: float
    low: float
    high: float
    mean: dict[str, float]
    deviation: dict[str, float]
    least: dict[str, float]
    most: dict[str, float]
    edges: dict[str, tuple[float, float]]

    def __str__(self) -> str:
        lines = [
            f"about {self.estimate:.6g} ({self.low:.6g} to {self.high:.6g}) of the rows, from {self.certain:.6g} to "
            f"{self.possible:.6g} for certain; {many(self.cells, 'cell')} of level {self.level}"
        ]
        for name, (low, high) in self.edges.items():
            if self.cells:
                lines.append(
                    f"    {name} {self.mean[name]:.4g} (sd {self.deviation[name]:.3g}, {self.least[name]:.4g} to "
                    f"{self.most[name]:.4g}); cells from {low:.4g} to {high:.4g}"
                )
        return "\n".join(lines)


def shares_inside(cells: Cells, kinds: Codes, low: Floats, high: Floats) -> Floats:
    """What share of each cell's rows is between the bounds: by its normal density, else evenly from least to most."""
    from scipy.special import ndtr

    below, above = np.maximum(cells.least, low), np.minimum(cells.most, high)
    width = cells.most - cells.least
    even = np.where(width > 0, np.maximum(above - below, 0) / np.where(width > 0, width, 1.0), 1.0)
    deviation = np.sqrt(cells.scatter / cells.weight[:, None])
    unit = np.where(deviation > 0, deviation, 1.0)
    ends = [ndtr((x - cells.mean) / unit) for x in (below, above, cells.least, cells.most)]
    whole = ends[3] - ends[2]
    bell = np.maximum(ends[1] - ends[0], 0) / np.where(whole > 0, whole, 1.0)
    share = np.where((kinds == 1) & (whole > 0), bell, even)
    outside = (cells.most < low) | (cells.least > high)
    made: Floats = np.where(outside, 0.0, np.clip(share, 0.0, 1.0)).prod(axis=1)
    return made
