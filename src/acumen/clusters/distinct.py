"""Rows that are the same, told as one.

distinct_rows   the first of every lot of equal rows, and for each row which lot it is of
"""

from __future__ import annotations

import numpy as np

from acumen.geometry.raw_rows import RawRows
from acumen.types import Indices


def distinct_rows(raw: RawRows) -> tuple[Indices, Indices]:
    """The first of every lot of equal rows, in the order of rows; and for each row, which lot it is of."""
    columns = [
        np.where(np.isnan(raw.numbers), np.nan, raw.numbers) + 0.0,
        raw.codes.astype(np.float64),
    ]  # one NaN, no -0
    for counts, told in zip(raw.words, raw.told, strict=True):
        # Rows of words are told apart by what they hold, not by the place it is written at.
        seen: dict[tuple[bytes, bytes, bool], int] = {}
        lines = [
            seen.setdefault((counts.indices[a:b].tobytes(), counts.data[a:b].tobytes(), bool(t)), len(seen))
            for t, a, b in zip(told, counts.indptr[:-1].tolist(), counts.indptr[1:].tolist(), strict=True)
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
