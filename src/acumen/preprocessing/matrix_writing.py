"""The two ways a NumericMatrix writes its columns: into one dense matrix, or as pieces of a sparse one.

Both write the same numbers; a test holds them to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.data.table import Table
from acumen.preprocessing.columns import is_missing_text
from acumen.preprocessing.scale import rescale
from acumen.preprocessing.sparse import (
    Piece,
    column_piece,
    filled_csr,
    marked_piece,
    one_hot_piece,
    scaled_csr,
    stack_pieces,
)
from acumen.preprocessing.words import normed_log_counts
from acumen.types import MISSING, Array, Codes, Floats, Indices

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from acumen.preprocessing.matrix import NumericMatrix

_CELLS = 1 << 16  # a block of half a megabyte: columns are written into rows that lie in cache


def fill_dense(view: NumericMatrix, table: Table) -> Floats:
    """All columns of a table without text, block of rows by block of rows."""
    starts = view.starts.tolist()
    matrix = np.zeros((len(table), starts[-1]))
    source: dict[str, Any] = {a.name: c for a, c in table.numeric_columns()}
    source |= {a.name: c for a, c in table.nominal_columns()}
    step = max(256, _CELLS // max(starts[-1], 1))
    one_hot = [view.is_one_hot(attribute) for attribute in view.schema]
    for top in range(0, len(table), step):
        rows = slice(top, top + step)
        block = matrix[rows]
        for i, attribute in enumerate(view.schema):
            column = source[attribute.name][rows]
            if one_hot[i]:
                codes = _filled_codes(column, view.fill[i])
                known = np.flatnonzero(codes >= 0)
                block[known, starts[i] + codes[known]] = 1.0
            else:
                _write_numbers(view, i, column, block[:, starts[i]])
            if view.indicated[i]:
                gaps = np.isnan(column) if attribute.is_numeric else column == MISSING
                block[:, starts[i + 1] - 1] = gaps
    return matrix


def fill_sparse(view: NumericMatrix, table: Table) -> csr_matrix:
    """All columns as CSR; every column is made once and put in its place."""
    starts = view.starts.tolist()
    at = {attribute.name: i for i, attribute in enumerate(view.schema)}
    pieces: list[Piece] = []
    if table.sparse is not None:
        numeric = np.array([at[a.name] for a in view.schema.numeric], dtype=np.intp)
        pieces += _sparse_numbers(view, table.sparse, numeric, np.asarray(starts)[numeric])
    else:
        for a, column in table.numeric_columns():
            values = np.empty(len(table))
            _write_numbers(view, at[a.name], column, values)
            pieces.append(column_piece(values, starts[at[a.name]]))
            if view.indicated[at[a.name]]:
                pieces.append(marked_piece(np.isnan(column), starts[at[a.name] + 1] - 1))
    for a, codes in table.nominal_columns():
        i = at[a.name]
        if view.is_one_hot(a):
            pieces.append(one_hot_piece(_filled_codes(codes, view.fill[i]), starts[i]))
        else:
            values = np.empty(len(table))
            _write_numbers(view, i, codes, values)
            pieces.append(column_piece(values, starts[i]))
        if view.indicated[i]:
            pieces.append(marked_piece(codes == MISSING, starts[i + 1] - 1))
    for (a, texts), vocabulary in zip(table.text_columns(), view.vocabularies, strict=True):
        i = at[a.name]
        words = normed_log_counts(vocabulary.transform(texts.tolist()))
        pieces.append(Piece(words.indptr, words.indices + starts[i], words.data))
        if view.indicated[i]:
            pieces.append(marked_piece(is_missing_text(texts), starts[i + 1] - 1))
    return stack_pieces(pieces, len(table), starts[-1])


def _write_numbers(view: NumericMatrix, i: int, column: Floats | Codes, out: Floats) -> None:
    """A column of numbers or codes: copied, filled, scaled."""
    out[:] = column
    if column.dtype == np.int32:
        out[column < 0] = np.nan
    if not np.isnan(view.fill[i]):
        out[np.isnan(out)] = view.fill[i]
    rescale(out, float(view.centre[i]), float(view.spread[i]))


def _filled_codes(codes: Codes, fill: float) -> Codes:
    """Missing codes replaced by the fill, if there is one; unknown levels stay unknown."""
    return codes if np.isnan(fill) else np.where(codes == MISSING, np.int32(fill), codes)


def _sparse_numbers(view: NumericMatrix, matrix: csr_matrix, inputs: Indices, starts: Array) -> list[Piece]:
    """The numeric attributes of a sparse table, and their indicators."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # the table's own is never edited
        matrix.sum_duplicates()
    gaps = np.isnan(matrix.data)
    fill, centre, spread = view.fill[inputs], view.centre[inputs], view.spread[inputs]
    names = [view.schema.attributes[i].name for i in inputs]
    scaled = filled_csr(matrix, fill)
    scaled = scaled_csr("NumericMatrix", view.scaling, scaled, centre, spread, names)
    pieces = [Piece(scaled.indptr, starts[scaled.indices], scaled.data)]
    # An indicator stands directly behind its attribute's only column.
    shown = gaps & view.indicated[inputs][matrix.indices]
    if shown.any():
        ends = np.concatenate(([0], np.cumsum(shown, dtype=np.int64)))[matrix.indptr]
        where = starts[matrix.indices[shown]] + 1
        pieces.append(Piece(ends, where, np.ones(len(where))))
    return pieces
