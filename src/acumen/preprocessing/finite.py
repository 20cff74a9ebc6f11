"""Rows as a matrix without gaps: a NumericMatrix that imputes the mean, infinite values being gaps too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.data.table import Table
from acumen.preprocessing.matrix import NumericMatrix
from acumen.types import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: A sparse table of more cells than these is not written out, and so not centred.
_FEW_CELLS = 1 << 22


def gapless_view(table: Table, scale: bool = False) -> NumericMatrix:
    """Numbers, codes of ordinal attributes, a 0/1 column for each nominal level, words of texts.

    With `scale` numbers and codes have mean 0 and deviation 1 over the table's rows; in large sparse tables deviation 1
    only, so that zeros stay zeros.
    """
    view = NumericMatrix.fit(table, nominal="one-hot", scale="z-score" if scale else "none", impute="mean")
    if scale and table.sparse is not None and table.sparse.shape[0] * table.sparse.shape[1] > _FEW_CELLS:
        view = replace(view, centre=np.zeros_like(view.centre))
    return view


def finite_matrix(view: NumericMatrix, table: Table) -> Floats | csr_matrix:
    """The rows' matrix, infinite values replaced as missing ones are; CSR where the table is sparse or has text."""
    if table.sparse is not None and view.centre.any():
        table = _written_out(table)
    return without_infinities(view, view.transform(table))


def without_infinities(view: NumericMatrix, columns: Floats | csr_matrix) -> Floats | csr_matrix:
    """A matrix that a view gave, infinite values replaced as missing ones are; a copy where there are any."""
    values: Floats = columns if isinstance(columns, np.ndarray) else columns.data
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # no second matrix for what hardly ever is
            return columns
    odd = ~np.isfinite(values)
    if odd.any():
        fills = _column_fills(view)
        columns = columns.copy()  # a table's own rows may have been borrowed
        if isinstance(columns, np.ndarray):
            columns[odd] = np.broadcast_to(fills, columns.shape)[odd]
        else:
            columns.data[odd] = fills[columns.indices[odd]]
    return columns


def _column_fills(view: NumericMatrix) -> Floats:
    """What stands for a missing value in each column; 0 in columns that have no gaps."""
    fills = np.zeros(len(view.names))
    scaled = np.divide(
        view.fill - view.centre, view.spread, out=np.zeros(len(view.fill)), where=view.spread != 0
    )
    for start, attribute, fill in zip(view.starts.tolist(), view.schema, scaled.tolist(), strict=False):
        if attribute.is_numeric and np.isfinite(fill):
            fills[start] = fill
    return fills


def _written_out(table: Table) -> Table:
    """The same inputs with every number of a sparse table written out."""
    assert table.sparse is not None
    numbers = table.sparse.toarray().astype(np.float64, copy=False)
    return table.inputs_only().replace(numeric=[*numbers.T], sparse=None)


def mean_row(X: Any, weights: Floats) -> Floats:
    """The weighted mean of some rows; nothing where it is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.asarray(X.T @ weights, dtype=np.float64).reshape(-1) / weights.sum()
    return mean if np.isfinite(mean).all() else np.empty(0)
