"""The standard kernels as the C++ tiles take them, and rows with their squared norms."""

from __future__ import annotations

import numpy as np

from acumen.geometry.kernel import Kernel, Precision
from acumen.geometry.kernels import RBF, Linear, Polynomial, Sigmoid
from acumen.types import Array, Floats


def tiles(kernel: Kernel) -> bool:
    """Whether the C++ tiles know this kernel."""
    return isinstance(kernel, (Linear, RBF, Polynomial, Sigmoid))


def tile_function(kernel: Kernel) -> tuple[str, float, float, int]:
    """The kernel as the tiles take it: its word, gamma, offset and degree."""
    if isinstance(kernel, RBF):
        return "rbf", kernel.gamma, 0.0, 1
    if isinstance(kernel, Polynomial):
        return "polynomial", kernel.scale, kernel.offset, int(kernel.degree)
    if isinstance(kernel, Sigmoid):
        return "sigmoid", kernel.scale, kernel.offset, 1
    return "linear", 1.0, 0.0, 1


def tile_rows(X: Floats, dtype: Precision) -> tuple[Array, Array]:
    """Rows and their squared norms as the tiles take them; the squares are those of the rounded rows."""
    values: Array = np.ascontiguousarray(X, dtype=dtype)
    return values, np.einsum("ij,ij->i", values, values, dtype=np.float64).astype(dtype)
