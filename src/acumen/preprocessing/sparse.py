"""CSR matrices changed without touching the zeros that are not stored, and put side by side.

    filled_csr, scaled_csr      missing values filled, columns scaled
    Piece                       some columns of a matrix in the making
    stacked                     pieces -> one CSR matrix, allocated once

A matrix that came in is never edited; what changes is its copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from acumen import messages
from acumen.errors import DataError
from acumen.types import Array, Bools, Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Piece(NamedTuple):
    """Entries in row order: row `i` has those from `ends[i]` to `ends[i + 1]`, with columns of the whole."""

    ends: Array
    columns: Array
    values: Floats


def filled_csr(matrix: csr_matrix, fill: Floats) -> csr_matrix:
    """Stored NaNs replaced by their column's value; the matrix itself when there are none."""
    missing = np.flatnonzero(np.isnan(matrix.data))
    if not len(missing):
        return matrix
    data = matrix.data.copy()
    data[missing] = fill[matrix.indices[missing]]
    return type(matrix)((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def scaled_csr(
    who: str, scaling: str, matrix: csr_matrix, centre: Floats, spread: Floats, names: Sequence[str]
) -> csr_matrix:
    """Stored values divided by their column's spread; refused where zero would not stay zero."""
    moved = np.flatnonzero((centre != 0) & (spread != 0))
    if len(moved):
        raise DataError(
            f"{who}: scale={scaling!r} would turn the zeros of the sparse attribute {names[moved[0]]!r} into "
            f"other numbers and fill the memory; use {messages.setting('scale', 'max')} or 'none'."
        )
    if scaling == "none":
        return matrix
    by = spread[matrix.indices]
    data = np.where(np.isnan(matrix.data), np.nan, 0.0)
    np.divide(matrix.data, by, out=data, where=by != 0)
    return type(matrix)((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def column_piece(values: Floats, column: int) -> Piece:
    """One dense column: what is not 0 (NaN is not)."""
    return marked_piece(values != 0, column, values)


def marked_piece(mask: Bools, columns: Any, values: Floats | None = None) -> Piece:
    """At most one entry a row, where `mask` is set; `columns` is one or one per row, no `values` are ones."""
    rows = np.flatnonzero(mask)
    ends = np.concatenate(([0], np.cumsum(mask, dtype=np.int64)))
    at = np.full(len(rows), columns) if np.isscalar(columns) else columns[rows]
    return Piece(ends, at, np.ones(len(rows)) if values is None else values[rows])


def one_hot_piece(codes: Codes, first: int) -> Piece:
    """A one in column `first + code` where the code is known."""
    return marked_piece(codes >= 0, codes.astype(np.int64) + first)


def stacked(pieces: Sequence[Piece], n_rows: int, n_columns: int) -> csr_matrix:
    """The pieces' entries together, columns ascending within a row."""
    from scipy.sparse import csr_matrix

    ends = np.zeros(n_rows + 1, dtype=np.int64)
    for piece in pieces:
        ends += piece.ends
    narrow = max(int(ends[-1]), n_columns) < np.iinfo(np.int32).max
    columns = np.empty(ends[-1], dtype=np.int32 if narrow else np.int64)
    values = np.empty(ends[-1])
    free = ends[:-1].copy()  # where each row's next entry goes
    for piece in pieces:
        counts = np.diff(piece.ends)
        target = np.arange(len(piece.columns), dtype=np.int64)
        target += np.repeat(free - piece.ends[:-1], counts)
        columns[target] = piece.columns
        values[target] = piece.values
        free += counts
    matrix = csr_matrix((values, columns, ends.astype(columns.dtype)), shape=(n_rows, n_columns))
    matrix.sort_indices()
    return matrix
