"""Stored rows of a kernel machine, and weighted sums of a kernel over them.

    SupportRows    the rows, their view and kernel
    kernel_sums    sum over the stored rows of coefficient x k(row, stored row), without storing the kernel matrix

The standard kernels on dense rows are summed by C++ tiles, in the order of the stored rows: where large coefficients
cancel, a row gets the same answer alone and among others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen import _native
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.geometry.kernel import Kernel, Precision, Rows, is_sparse
from acumen.geometry.kernel_state import from_state
from acumen.geometry.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from acumen.preprocessing.finite import finite_matrix, gapless_view
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.types import Array, Floats

#: Bytes of rows written out beyond which a sparse table is refused.
_LARGEST = 4 << 30
_MOST = 1e150


@dataclass(frozen=True, slots=True)
class SupportRows:
    """Kept rows under a kernel. A precomputed kernel keeps none: rows come as lines of its matrix."""

    view: NumericMatrix | None  # None for a precomputed kernel
    kernel: Kernel
    rows: Floats  # (kept, columns); for a precomputed kernel (0, kept)

    def __len__(self) -> int:
        return self.rows.shape[1] if self.view is None else len(self.rows)

    def sums(self, rows: Table, coefficients: Floats) -> Floats:
        """Sums over the kept rows of coefficients times kernel: a line for each row, a column for each of theirs."""
        if self.view is None:
            with np.errstate(over="ignore", invalid="ignore"):
                return kernel_lines(rows) @ coefficients
        return kernel_sums(self.kernel, finite_matrix(self.view, rows), self.rows, coefficients)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {"kernel/about": pack_json(self.kernel.to_state()), "rows": self.rows}
        if self.view is not None:
            arrays |= {f"view/{name}": array for name, array in self.view.to_arrays().items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        """Every part checked against the schema and each other."""
        require("kernel/about" in arrays, "the kernel is missing")
        about = unpack_json("kernel", {"about": arrays["kernel/about"]}, kernel=str)
        kernel = from_state(about)
        if isinstance(kernel, Precomputed):
            require(not schema.nominal and not schema.text, "a precomputed kernel has columns of other kinds")
            return cls(None, kernel, stored_floats(arrays, "rows", (0, len(schema.numeric))))
        parts = {n.removeprefix("view/"): a for n, a in arrays.items() if n.startswith("view/")}
        view = NumericMatrix.from_arrays(parts)
        require(view.schema == schema.without_target(), "the view is of another schema")
        require(np.isfinite(view.fill[[a.is_numeric for a in view.schema]]).all(), "the view leaves gaps")
        rows = stored_floats(arrays, "rows", (None, len(view.names)), low=-_MOST, high=_MOST)
        return cls(view, kernel, rows)


def training_rows(
    table: Table, precomputed: bool, who: str, scale: bool = False
) -> tuple[NumericMatrix | None, Rows]:
    """The view of a training table and its matrix, dense; for a precomputed kernel the kernel matrix."""
    if precomputed:
        lines = kernel_lines(table)
        if lines.shape[0] != lines.shape[1]:
            raise DataError(
                f"{who}: a precomputed kernel needs a square matrix, one column for each training row; got "
                f"{lines.shape[0]} rows with a label and a weight, and {lines.shape[1]} columns."
            )
        return None, lines
    view = gapless_view(table, scale)
    size = 8 * len(table) * len(view.names)
    if (table.sparse is not None or view.vocabularies) and size > _LARGEST:
        raise DataError(
            f"{who}: written out, the sparse rows would take {size / 2**30:.0f} GB; choose fewer."
        )
    matrix = finite_matrix(view, table)
    dense: Floats = matrix.toarray() if is_sparse(matrix) else matrix
    if np.abs(dense).max(initial=0.0) > _MOST:
        raise DataError(f"{who}: a number lies beyond 1e150; rescale its column.")
    return view, dense


def kernel_lines(rows: Table) -> Floats:
    """Rows that are lines of a kernel matrix; they may have no gaps."""
    matrix: Floats = rows.sparse.toarray() if rows.sparse is not None else rows.numeric.matrix()
    matrix = np.ascontiguousarray(matrix, dtype=np.float64)
    if not np.isfinite(matrix).all():
        raise DataError("a precomputed kernel must be finite numbers without gaps.")
    return matrix


_BYTES = 32 << 20


def kernel_sums(kernel: Kernel, rows: Rows, kept: Floats, coefficients: Floats) -> Floats:
    """One line for each row and one column for each column of the coefficients."""
    if not tiles(kernel) or is_sparse(rows) or not len(kept):
        return _by_calls(kernel, rows, kept, coefficients)
    near, there = (np.ascontiguousarray(some, dtype=np.float64) for some in (rows, kept))
    if isinstance(kernel, RBF):
        # Distances do not change when all rows move; near the origin they lose fewer digits.
        centre = there.mean(axis=0)
        near, there = near - centre, there - centre
    (near, near_squares), (there, there_squares) = (tile_rows(some, np.float64) for some in (near, there))
    if not (np.isfinite(near_squares).all() and np.isfinite(there_squares).all()):
        return _by_calls(kernel, rows, kept, coefficients)
    sums = np.zeros((len(near), coefficients.shape[1]))
    _native.add_kernel_sums(
        *tile_function(kernel), near, near_squares, there, there_squares, np.ascontiguousarray(coefficients),
        sums, cores(),
    )  # fmt: skip
    return sums


def _by_calls(kernel: Kernel, rows: Rows, kept: Floats, coefficients: Floats) -> Floats:
    """By the kernel's own matrix, which knows what to do with numbers of any size; some rows at a time."""
    sums = np.zeros((rows.shape[0], coefficients.shape[1]))
    step = max(1, _BYTES // (8 * max(len(kept), 1)))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(sums), step):
            part = slice(start, start + step)
            sums[part] = row_products(kernel(rows[part], kept), coefficients)
    return sums


# -- arguments of the C++ tiles -------------------------------------------------------------------
#
# The standard kernels as the C++ tiles take them, and rows with their squared norms.


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
