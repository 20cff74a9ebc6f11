"""CSR matrices changed without touching the zeros that are not stored, and put side by side.

    filled_csr, scaled_csr      missing values filled, columns scaled
    Piece                       some columns of a matrix in the making
    stacked                     pieces -> one CSR matrix, allocated once

A matrix that came in is never edited; what changes is its copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from acumen import messages
from acumen.data.block import Block
from acumen.data.table import Table
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


def stack_pieces(pieces: Sequence[Piece], n_rows: int, n_columns: int) -> csr_matrix:
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


# -- dense slices ---------------------------------------------------------------------------------
#
# A sparse table's numeric attributes written out a few rows at a time.


_BYTES = 32 << 20


def dense_slices(rows: Table) -> Iterator[tuple[slice, Block[np.float64]]]:
    """Consecutive rows with their numeric block, never more than some 32 MB at once."""
    if rows.sparse is None:
        yield slice(0, len(rows)), rows.numeric
        return
    step = max(1, _BYTES // (8 * max(rows.sparse.shape[1], 1)))
    for start in range(0, len(rows), step):
        part = slice(start, min(start + step, len(rows)))
        yield part, Block.of_matrix(np.asarray(rows.sparse[part].todense(), dtype=np.float64))


# -- products that do not depend on the other rows ------------------------------------------------
#
# Rows times a matrix, so that no row's result depends on the other rows.
#
# A BLAS library adds the same numbers up in another order for one row than for a hundred, and the last bit may
# differ. So rows are multiplied in blocks of one size, the last of which is filled up with zeros: the same rows give
# the same bits, in whichever table they come. Blocks of this size cost no more than the whole product at once.


#: Rows of a block.
BLOCK = 64


def row_products(rows: Floats | csr_matrix, columns: Floats) -> Floats:
    """`rows @ columns`, each row by itself; sparse rows are multiplied so anyway."""
    if hasattr(rows, "indptr"):
        return np.asarray(rows @ columns, dtype=np.float64)
    n, wide = len(rows), columns.shape[1]
    products = np.empty((n, wide))
    if wide == 1:  # a product with one column is another routine
        columns = np.hstack([columns, columns])
    columns = np.ascontiguousarray(columns)
    for first in range(0, n, BLOCK):
        block = np.ascontiguousarray(rows[first : first + BLOCK])
        if len(block) < BLOCK:
            block = np.concatenate([block, np.zeros((BLOCK - len(block), block.shape[1]))])
        products[first : first + BLOCK] = (block @ columns)[: n - first, :wide]
    return products
