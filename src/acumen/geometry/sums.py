"""Weighted sums of a kernel over kept rows, the kernel matrix never being held.

    kernel_sums    sum over the kept rows of coefficient x k(row, kept row)

The standard kernels on dense rows are summed by C++ tiles, a row's sum in the order of the kept rows whatever rows it
comes with: where large coefficients cancel, a row is still answered alike alone and among others.
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.geometry.kernel import Kernel, Rows, is_sparse, square_norms
from acumen.geometry.kernels import RBF, Linear, Polynomial, Sigmoid
from acumen.types import Floats

_BYTES = 32 << 20


def kernel_sums(kernel: Kernel, rows: Rows, kept: Floats, coefficients: Floats) -> Floats:
    """One line for each row and one column for each column of the coefficients."""
    function = _function(kernel)
    if function is None or is_sparse(rows) or not len(kept):
        return _called(kernel, rows, kept, coefficients)
    near, there = (np.ascontiguousarray(some, dtype=np.float64) for some in (rows, kept))
    if isinstance(
        kernel, RBF
    ):  # distances do not change when all rows move; near the origin they lose fewer digits
        centre = there.mean(axis=0)
        near, there = near - centre, there - centre
    squares = [square_norms(some) for some in (near, there)]
    if not all(np.isfinite(some).all() for some in squares):
        return _called(kernel, rows, kept, coefficients)
    made = np.zeros((len(near), coefficients.shape[1]))
    _native.add_kernel_sums(
        *function, near, squares[0], there, squares[1], np.ascontiguousarray(coefficients), made, cores()
    )
    return made


def _called(kernel: Kernel, rows: Rows, kept: Floats, coefficients: Floats) -> Floats:
    """By the kernel's own matrix, which knows what to do with numbers of any size; some rows at a time."""
    made = np.zeros((rows.shape[0], coefficients.shape[1]))
    step = max(1, _BYTES // (8 * max(len(kept), 1)))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(made), step):
            part = slice(start, start + step)
            made[part] = kernel(rows[part], kept) @ coefficients
    return made


def _function(kernel: Kernel) -> tuple[str, float, float, int] | None:
    """A standard kernel as the tiles know it: name, gamma, offset, degree; None for others."""
    if isinstance(kernel, RBF):
        return "rbf", kernel.gamma, 0.0, 1
    if isinstance(kernel, Polynomial):
        return "polynomial", kernel.scale, kernel.offset, int(kernel.degree)
    if isinstance(kernel, Sigmoid):
        return "sigmoid", kernel.scale, kernel.offset, 1
    return ("linear", 1.0, 0.0, 1) if isinstance(kernel, Linear) else None
