"""Rows times a matrix, so that no row's result depends on the other rows.

A BLAS library adds the same numbers up in another order for one row than for a hundred, and the last bit may differ. So
rows are multiplied in blocks of one size, the last of which is filled up with zeros: the same rows give the same bits,
in whichever table they come. Blocks of this size cost no more than the whole product at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acumen.types import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

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
