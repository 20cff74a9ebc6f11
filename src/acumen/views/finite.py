"""Rows as a matrix without gaps: a NumericMatrix that imputes the mean, infinite values being gaps too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acumen.data.table import Table
from acumen.types import Floats
from acumen.views.matrix import NumericMatrix

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def gapless_view(table: Table) -> NumericMatrix:
    """Numbers as they are, codes of ordinal attributes, a 0/1 column for each nominal level, words of texts."""
    return NumericMatrix.fit(table, nominal="one-hot", scale="none", impute="mean")


def finite_matrix(view: NumericMatrix, table: Table) -> Floats | csr_matrix:
    """The rows' matrix, infinite values replaced as missing ones are; CSR where the table is sparse or has text."""
    made = view.transform(table)
    values: Floats = made if isinstance(made, np.ndarray) else made.data
    odd = ~np.isfinite(values)
    if odd.any():
        fills = _column_fills(view)
        if isinstance(made, np.ndarray):
            made[odd] = np.broadcast_to(fills, made.shape)[odd]
        else:
            made = made.copy()
            made.data[odd] = fills[made.indices[odd]]
    return made


def _column_fills(view: NumericMatrix) -> Floats:
    """What stands for a missing value in each column; 0 in columns that have no gaps."""
    fills = np.zeros(len(view.names))
    for start, attribute, fill in zip(view.starts.tolist(), view.schema, view.fill.tolist(), strict=False):
        if attribute.is_numeric and np.isfinite(fill):
            fills[start] = fill
    return fills
