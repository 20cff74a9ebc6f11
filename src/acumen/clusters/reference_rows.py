"""Reference rows without clusters that resemble a table's: any clusters found in them are due to chance.

    draw_reference   a table of the same size: numbers uniform in the box that holds them, levels by their proportions

Tibshirani, Walther and Hastie (2001). Where all columns are numbers without gaps the box lies along the principal
components; else along the columns. Gaps stay where they are.
"""

from __future__ import annotations

import numpy as np

from acumen.data.table import Table
from acumen.types import Codes, Floats


def draw_reference(rows: Table, rng: np.random.Generator) -> Table:
    """Rows of the same schema, weights and gaps, independent and without any group."""
    n = len(rows)
    numbers = [np.asarray(column, dtype=np.float64) for _, column in rows.numeric_columns()]
    codes = [_shuffle_codes(column, rng) for _, column in rows.nominal_columns()]
    if numbers and not codes and all(np.isfinite(column).all() for column in numbers):
        columns = list(_draw_in_box(np.column_stack(numbers), rng).T)
    else:
        columns = [_draw_uniform(column, rng) for column in numbers]
    return Table(
        rows.schema.without_target(), n, numeric=[np.ascontiguousarray(c) for c in columns], nominal=codes,
        text=[column[rng.permutation(n)] for column in rows.text], weights=rows.weights,
    )  # fmt: skip


def _draw_in_box(x: Floats, rng: np.random.Generator) -> Floats:
    """Points even over the smallest box along the principal components of all columns at deviation 1."""
    centre, spread = x.mean(axis=0), x.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    points = (x - centre) / spread
    _, turn = np.linalg.eigh(points.T @ points)
    along = points @ turn
    low, high = along.min(axis=0), along.max(axis=0)
    drawn = low + (high - low) * rng.random(x.shape)
    box_points: Floats = (drawn @ turn.T) * spread + centre
    return box_points


def _draw_uniform(column: Floats, rng: np.random.Generator) -> Floats:
    known = np.isfinite(column)
    if not known.any():
        return column
    low, high = float(column[known].min()), float(column[known].max())
    drawn = low + (high - low) * rng.random(len(column))
    values: Floats = np.where(known, drawn, column)
    return values


def _shuffle_codes(column: Codes, rng: np.random.Generator) -> Codes:
    """Codes in another order: their shares stay, what they go with does not."""
    values = column.copy()
    known = np.flatnonzero(column >= 0)
    values[known] = column[rng.permutation(known)]
    return values
