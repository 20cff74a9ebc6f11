"""What the values of an attribute look like in a cell: uniform, normal, or neither, by goodness of fit."""

from __future__ import annotations

import numpy as np

from acumen.clusters.grid import BINS, Cells, Grid
from acumen.types import Codes, Floats

KINDS = ("none", "normal", "uniform")
_FEWEST = 40.0  # five rows a bin


def kinds_of(grid: Grid, cells: Cells, bits: int, confidence: float) -> Codes:
    """Of each cell and attribute the place in KINDS: the better of those a chi-square test does not reject.

    Eight bins of the cell; bins of which less than one row is expected count together. Cells of fewer than forty rows
    say nothing.
    """
    from scipy.special import gammaincc, ndtr

    n = cells.weight[:, None]
    width = grid.span / 2**bits
    start = grid.low + grid.intervals(cells.number, bits) * width
    edges = start[:, :, None] + width[:, None] * np.arange(BINS + 1) / BINS
    deviation = np.sqrt(cells.scatter / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = ndtr((edges - cells.mean[:, :, None]) / deviation[:, :, None])
        shares = np.diff(below, axis=2) / (below[:, :, -1:] - below[:, :, :1])
    chances = []
    for share, spent in ((shares, 2), (np.full_like(cells.bins, 1 / BINS), 0)):
        expected = share * n[:, :, None]
        squares, used = _chi_square(cells.bins, np.nan_to_num(expected))
        freedom = np.maximum(used - 1 - spent, 1)
        fits = np.isfinite(share).all(axis=2) & (used - 1 - spent >= 1)
        chances.append(np.where(fits, gammaincc(freedom / 2, squares / 2), 0.0))
    normal, uniform = chances
    least = 1 - confidence
    best = np.where(uniform >= normal, 2, 1)
    accepted = (np.maximum(normal, uniform) >= least) & (n >= _FEWEST) & (deviation > 0)
    return np.where(accepted, best, 0).astype(np.int32)


def _chi_square(observed: Floats, expected: Floats) -> tuple[Floats, Floats]:
    """The statistic and how many bins it is of, the small ones taken together."""
    small = expected < 1
    large = np.where(small, 1.0, expected)
    terms = np.where(small, 0.0, (observed - expected) ** 2 / large).sum(axis=2)
    left, seen = np.where(small, expected, 0.0).sum(axis=2), np.where(small, observed, 0.0).sum(axis=2)
    together = np.where(left > 0, (seen - left) ** 2 / np.maximum(left, 1e-12), 0.0)
    return terms + together, (~small).sum(axis=2) + (left > 0)
