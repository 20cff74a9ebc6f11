"""Columns of one type, each left where it lies in memory.

A block may be one matrix of any order, or columns that came separately (a data frame's, Arrow's).
Kernels take a pointer and a stride for each column, so none of these is copied to be used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T", bound=np.generic)


class Block(Generic[T]):
    """Equally long one-dimensional arrays that also answer as a (rows, columns) matrix."""

    __slots__ = ("_matrix", "columns", "dtype", "n_rows")

    def __init__(
        self,
        columns: Sequence[npt.NDArray[T]],
        n_rows: int,
        dtype: npt.DTypeLike,
        matrix: npt.NDArray[T] | None = None,
    ) -> None:
        self.columns: tuple[npt.NDArray[T], ...] = tuple(columns)
        self.dtype = np.dtype(dtype)
        self.n_rows = n_rows
        for column in self.columns:
            if column.ndim != 1 or len(column) != n_rows or column.dtype != self.dtype:
                raise ValueError(f"a block of {n_rows} rows of {self.dtype} was handed another column")
        self._matrix = matrix if matrix is not None else _lying_together(self.columns)

    @classmethod
    def of_matrix(cls, matrix: npt.NDArray[T]) -> Self:
        """Borrow a matrix: its columns are views."""
        return cls([matrix[:, j] for j in range(matrix.shape[1])], matrix.shape[0], matrix.dtype, matrix)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, len(self.columns)

    @property
    def ndim(self) -> int:
        return 2

    def __len__(self) -> int:
        return self.n_rows

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        converts = dtype is not None and np.dtype(dtype) != self.dtype
        if copy is False and (converts or self._matrix is None):
            raise ValueError("these columns do not lie in memory as one such matrix; a copy is needed")
        matrix = self.matrix()
        if converts:
            return matrix.astype(dtype)
        return matrix.copy() if copy and self._matrix is not None else matrix

    def __getitem__(self, key: Any) -> Any:
        """As a matrix would answer; a whole column comes without building the matrix."""
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], (int, np.integer)):
            return self.columns[key[1]][key[0]]
        return self.matrix()[key]

    def matrix(self) -> npt.NDArray[T]:
        """The (rows, columns) matrix: the borrowed one, or a new column-major copy."""
        if self._matrix is not None:
            return self._matrix
        matrix = np.empty(self.shape, dtype=self.dtype, order="F")
        for j, column in enumerate(self.columns):
            matrix[:, j] = column
        return matrix

    def take(self, rows: Any) -> Self:
        """Some rows: views for a slice, copies for an index array."""
        if self._matrix is not None:
            return type(self).of_matrix(_some_rows(self._matrix, rows))
        columns = [column[rows] for column in self.columns]
        n_rows = len(columns[0]) if columns else len(np.empty(self.n_rows, dtype=np.bool_)[rows])
        return type(self)(columns, n_rows, self.dtype)

    def select(self, positions: Sequence[int]) -> Self:
        """Some columns, borrowed."""
        return type(self)([self.columns[j] for j in positions], self.n_rows, self.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        """Columns that are views of one matrix travel as that matrix, once, and are views of it again."""
        if self._matrix is not None and self.columns:
            order = "C" if self._matrix.flags.c_contiguous else "F"
            return _of_matrix, (type(self), np.asarray(self._matrix, order=order))  # type: ignore[call-overload]
        columns = tuple(np.ascontiguousarray(column) for column in self.columns)
        return type(self), (columns, self.n_rows, self.dtype)

    def __repr__(self) -> str:
        return f"<{self.dtype} block of {self.n_rows} rows and {len(self.columns)} columns>"


def _of_matrix(kind: Any, matrix: npt.NDArray[T]) -> Any:
    return kind.of_matrix(matrix)


def _some_rows(matrix: npt.NDArray[T], rows: Any) -> npt.NDArray[T]:
    """As `matrix[rows]`; whole rows that lie together are copied as such, five times as fast."""
    if isinstance(rows, np.ndarray) and rows.dtype == np.intp and matrix.flags.c_contiguous:
        return matrix.take(rows, axis=0)
    chosen: npt.NDArray[T] = matrix[rows]
    return chosen


def _lying_together(columns: Sequence[npt.NDArray[T]]) -> npt.NDArray[T] | None:
    """The matrix of which these columns are views, evenly spaced, if there is one; it is borrowed too."""
    if not columns or columns[0].base is None or not len(columns[0]):
        return None
    base, step = columns[0].base, columns[0].strides[0]
    if any(column.base is not base or column.strides[0] != step for column in columns):
        return None
    places = [column.__array_interface__["data"][0] for column in columns]
    gap = places[1] - places[0] if len(places) > 1 else 0
    if any(place != places[0] + j * gap for j, place in enumerate(places)):
        return None
    return np.lib.stride_tricks.as_strided(
        columns[0], (len(columns[0]), len(columns)), (step, gap), writeable=columns[0].flags.writeable
    )


def sparse_rows(matrix: Any, rows: Any) -> Any:
    """Some rows of a CSR matrix: borrowed where they follow one another, copies for an index array."""
    if not isinstance(rows, slice) or rows.step not in (None, 1):
        return matrix[rows]
    first, last, _ = rows.indices(matrix.shape[0])
    if first == 0 and last == matrix.shape[0]:
        return matrix
    last = max(first, last)
    starts = matrix.indptr[first : last + 1]
    here = slice(starts[0], starts[-1])
    # Handed to the constructor, views of less than half an array would be copied.
    result = type(matrix)((last - first, matrix.shape[1]), dtype=matrix.dtype)
    result.data, result.indices, result.indptr = matrix.data[here], matrix.indices[here], starts - starts[0]
    result.has_canonical_format = matrix.has_canonical_format
    return result
