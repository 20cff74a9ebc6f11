"""Weighted sums of a kernel over kept rows, the kernel matrix never being held.

    kernel_sums    sum over the kept rows of coefficient x k(row, kept row)

The standard kernels on dense rows are summed by C++ tiles, a row's sum in the order of the kept rows whatever rows it
comes with: where large coefficients cancel, a row is still answered alike alone and among others.
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.geometry.kernel import Kernel, Rows, is_sparse
from acumen.geometry.kernels import RBF
from acumen.geometry.tiles import tile_function, tile_rows, tiles
from acumen.preprocessing.row_products import row_products
from acumen.types import Floats

_BYTES = 32 << 20


def kernel_sums(kernel: Kernel, rows: Rows, kept: Floats, coefficients: Floats) -> Floats:
    """One line for each row and one column for each column of the coefficients."""
    if not tiles(kernel) or is_sparse(rows) or not len(kept):
        return _called(kernel, rows, kept, coefficients)
    near, there = (np.ascontiguousarray(some, dtype=np.float64) for some in (rows, kept))
    if isinstance(kernel, RBF):
        # Distances do not change when all rows move; near the origin they lose fewer digits.
        centre = there.mean(axis=0)
        near, there = near - centre, there - centre
    (near, near_squares), (there, there_squares) = (tile_rows(some, np.float64) for some in (near, there))
    if not (np.isfinite(near_squares).all() and np.isfinite(there_squares).all()):
        return _called(kernel, rows, kept, coefficients)
    made = np.zeros((len(near), coefficients.shape[1]))
    _native.add_kernel_sums(
        *tile_function(kernel), near, near_squares, there, there_squares, np.ascontiguousarray(coefficients),
        made, cores(),
    )  # fmt: skip
    return made


def _called(kernel: Kernel, rows: Rows, kept: Floats, coefficients: Floats) -> Floats:
    """By the kernel's own matrix, which knows what to do with numbers of any size; some rows at a time."""
    made = np.zeros((rows.shape[0], coefficients.shape[1]))
    step = max(1, _BYTES // (8 * max(len(kept), 1)))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(made), step):
            part = slice(start, start + step)
            made[part] = row_products(kernel(rows[part], kept), coefficients)
    return made
