"""Draw rows by weight, and find rows that are equal.

draw_by_places     draw rows by the running sum of weights, so that a weight of two equals a repeated row
require_distinct   refuse more clusters than there are distinct rows
distinct_rows      the first row of each set of equal rows, and the set of each row
"""

from __future__ import annotations

import numpy as np

from acumen.errors import DataError
from acumen.geometry.raw_rows import RawRows
from acumen.render.text import many
from acumen.types import Floats, Indices


def draw_by_places(rng: np.random.Generator, weights: Floats, n: int) -> Indices:
    """`n` rows, with repetition, each as likely as its weight.

    A row of weight 2 covers the same places as two rows of weight 1 that follow each other, so one seed draws the
    same rows of both tables. Rows of weight zero are never drawn.
    """
    running = np.cumsum(weights)
    places = rng.random(n) * running[-1]
    rows = np.searchsorted(running, places, side="right")
    last = int(np.searchsorted(running, running[-1], side="left"))  # the last row that weighs anything
    return np.minimum(rows, last).astype(np.intp)


def require_distinct(who: str, k: int, distinct: int, rows: int) -> None:
    """Raise DataError if there are fewer than `k` distinct rows, so that there cannot be `k` clusters."""
    if k <= distinct:
        return
    if not distinct:
        raise DataError(f"{who}: all values are missing, so there is nothing to cluster.")
    problem = f"its {rows:,} rows hold only {many(distinct, 'different one')}"
    if distinct == rows:
        problem = "there is only one row (1 sample)" if rows == 1 else f"there are only {rows:,} rows"
    raise DataError(f"{who}: {k} clusters were asked for, and {problem}; ask for at most {distinct}.")


def distinct_rows(raw: RawRows) -> tuple[Indices, Indices]:
    """The first of every lot of equal rows, in the order of rows; and for each row, which lot it is of."""
    columns = [
        np.where(np.isnan(raw.numbers), np.nan, raw.numbers) + 0.0,
        raw.codes.astype(np.float64),
    ]  # one NaN, no -0
    for counts, known in zip(raw.words, raw.text_known, strict=True):
        # Rows of words are told apart by what they hold, not by the place it is written at.
        seen: dict[tuple[bytes, bytes, bool], int] = {}
        lines = [
            seen.setdefault((counts.indices[a:b].tobytes(), counts.data[a:b].tobytes(), bool(t)), len(seen))
            for t, a, b in zip(known, counts.indptr[:-1].tolist(), counts.indptr[1:].tolist(), strict=True)
        ]
        columns.append(np.array(lines, dtype=np.float64)[:, None])
    cells = np.ascontiguousarray(np.concatenate(columns, axis=1))
    if not cells.shape[1]:
        return np.zeros(min(len(raw), 1), dtype=np.intp), np.zeros(len(raw), dtype=np.intp)
    keys = cells.view(np.dtype((np.void, cells.dtype.itemsize * cells.shape[1]))).ravel()
    _, first, lot = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return first[order].astype(np.intp), place[lot.ravel()]
