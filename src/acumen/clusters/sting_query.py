"""Questions about regions of a grid, answered from the top down by cells of any level.

Region   what is known of the rows in a region
ask      the answer of a model
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from acumen.clusters.grid import BINS, Grid, GridCells, child_cells, kinds_of
from acumen.clusters.sting_model import GridModel
from acumen.render.text import many
from acumen.types import Codes, Floats


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


def shares_inside(grid: Grid, cells: GridCells, bits: int, kinds: Codes, low: Floats, high: Floats) -> Floats:
    """What share of each cell's rows is between the bounds: by its normal density, else by its histogram."""
    from scipy.special import ndtr

    below, above = np.maximum(cells.least, low), np.minimum(cells.most, high)
    width = grid.span / 2**bits / BINS
    start = grid.low + grid.intervals(cells.number, bits) * width * BINS
    bin_low = start[:, :, None] + width[:, None] * np.arange(BINS)
    overlap = np.minimum(bin_low + width[:, None], high[:, None]) - np.maximum(bin_low, low[:, None])
    counted = (cells.bins * np.clip(overlap / width[:, None], 0.0, 1.0)).sum(axis=2) / cells.weight[:, None]
    deviation = np.sqrt(cells.scatter / cells.weight[:, None])
    unit = np.where(deviation > 0, deviation, 1.0)
    ends = [ndtr((x - cells.mean) / unit) for x in (below, above, cells.least, cells.most)]
    whole = ends[3] - ends[2]
    bell = np.maximum(ends[1] - ends[0], 0) / np.where(whole > 0, whole, 1.0)
    share = np.where((kinds == 1) & (whole > 0), bell, counted)
    # Least and most are exact: they know more than the bins at the ends.
    share = np.where((cells.least >= low) & (cells.most <= high), 1.0, share)
    outside = (cells.most < low) | (cells.least > high)
    shares: Floats = np.where(outside, 0.0, np.clip(share, 0.0, 1.0)).prod(axis=1)
    return shares


def ask(model: GridModel, names: list[str], low: Floats, high: Floats, level: int) -> Region:
    """From the top down, below those cells only that may hold rows of the region."""
    from scipy.special import ndtri

    # A column that never varies is at 0, its mean; bounds that leave it out leave out everything.
    fixed = ~model.active
    empty = bool(np.any((low[fixed] > 0) | (high[fixed] < 0)))
    active, low, high = np.flatnonzero(model.active), low[model.active], high[model.active]
    levels = model.levels()
    kept = np.array([] if empty else [0], dtype=np.int64)
    for layer, below in pairwise(levels[:level]):
        kept = child_cells(layer, kept, len(below.cells))
        cells = below.cells
        touched = (cells.most[kept] >= low) & (cells.least[kept] <= high)
        kept = kept[touched.all(axis=1)]
    layer = levels[level - 1]
    every = layer.cells
    cells = GridCells(*(getattr(every, name)[kept] for name in GridCells.__slots__))
    within = ((cells.least >= low) & (cells.most <= high)).all(axis=1)
    possible = float(cells.weight.sum())
    certain = float(cells.weight[within].sum())
    kinds = kinds_of(model.grid, cells, layer.bits, model.confidence)
    share = np.where(within, 1.0, shares_inside(model.grid, cells, layer.bits, kinds, low, high))
    estimate = float((cells.weight * share).sum())
    half = float(ndtri((1 + model.confidence) / 2) * np.sqrt((cells.weight * share * (1 - share)).sum()))
    statistics: dict[str, dict[str, float]] = {"mean": {}, "deviation": {}, "least": {}, "most": {}}
    edges: dict[str, tuple[float, float]] = {}
    width = model.grid.span / 2**layer.bits
    intervals = model.grid.intervals(cells.number, layer.bits)
    for j, column in enumerate(active.tolist()):
        name, centre = names[column], float(model.space.centre[column])
        if not len(cells):
            edges[name] = (float("nan"), float("nan"))
            continue
        middle = float((cells.weight * cells.mean[:, j]).sum() / possible)
        scatter = float((cells.scatter[:, j] + cells.weight * (cells.mean[:, j] - middle) ** 2).sum())
        statistics["mean"][name] = middle + centre
        statistics["deviation"][name] = float(np.sqrt(scatter / possible))
        statistics["least"][name] = float(cells.least[:, j].min()) + centre
        statistics["most"][name] = float(cells.most[:, j].max()) + centre
        start, end = int(intervals[:, j].min()), int(intervals[:, j].max()) + 1
        from_ = float(model.grid.low[j]) + centre
        edges[name] = (from_ + start * float(width[j]), from_ + end * float(width[j]))
    return Region(
        level=level,
        cells=len(cells),
        certain=certain,
        possible=possible,
        estimate=estimate,
        low=max(estimate - half, certain),
        high=min(estimate + half, possible),
        mean=statistics["mean"],
        deviation=statistics["deviation"],
        least=statistics["least"],
        most=statistics["most"],
        edges=edges,
    )
