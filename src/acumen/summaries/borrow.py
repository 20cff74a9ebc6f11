"""What a summary is made of, in the form the kernels take: borrowed where possible, checked always.

columns_of    numbers: a matrix of any order, a Block, columns that came separately
codes_of      the same for codes of nominal attributes
Membership    to which class (and part) each row belongs, and with what weight
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from acumen.data.block import Block
from acumen.errors import DataError, ParameterError
from acumen.types import Array, Codes, Floats

Values: TypeAlias = Floats | Block[np.float64] | Sequence[Floats]
CodeColumns: TypeAlias = Codes | Block[np.int32] | Sequence[Codes]

NO_CODES: Codes = np.empty(0, dtype=np.int32)
NO_FLOATS: Floats = np.empty(0)


def columns_of(values: Any, who: str) -> tuple[Any, int]:
    """A float64 matrix or list of columns for the kernels, and how many columns there are."""
    return _columns(values, np.float64, who)


def codes_of(columns: Any, who: str) -> tuple[Any, int]:
    """An int32 matrix or list of columns for the kernels, and how many columns there are."""
    return _columns(columns, np.int32, who)


def _columns(values: Any, dtype: type[np.generic], who: str) -> tuple[Any, int]:
    if isinstance(values, Block):
        return list(values.columns), len(values.columns)
    if isinstance(values, np.ndarray):
        if values.ndim not in (1, 2):
            raise DataError(f"{who}: values must have one or two dimensions; got {values.ndim}.")
        array = borrowable(values, dtype)
        return ([array], 1) if array.ndim == 1 else (array, array.shape[1])
    columns = [borrowable(np.asarray(column), dtype) for column in values]
    if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        raise DataError(f"{who}: columns must be one-dimensional arrays of one length.")
    return columns, len(columns)


def borrowable(array: Array, dtype: type[np.generic]) -> Array:
    """The array itself if a kernel can walk it; else (another type, odd strides) a copy."""
    contiguous = np.require(array, dtype=dtype, requirements="A")
    return contiguous.copy() if any(step % contiguous.itemsize for step in contiguous.strides) else contiguous


@dataclass(frozen=True, slots=True)
class Membership:
    """Class, weight and part of each row, checked: labels `int32`, weights and parts possibly empty."""

    labels: Codes
    weights: Floats
    parts: Codes
    classes: int
    n_parts: int

    @classmethod
    def of(
        cls,
        labels: Any,
        weights: Any,
        classes: int,
        who: str,
        parts: Any = None,
        n_parts: int = 1,
    ) -> Self:
        """Check what a caller gave; `parts=None` puts every row in part 0."""
        if classes < 0 or n_parts < 1:
            raise ParameterError(
                f"{who}: classes must be at least 0 and parts at least 1; got {classes} and {n_parts}."
            )
        codes = small_codes(labels, f"{who}: labels")
        weight = NO_FLOATS if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        part = NO_CODES if parts is None else small_codes(parts, f"{who}: parts")
        n = len(codes)
        if weight.size and weight.shape != (n,):
            raise DataError(
                f"{who}: there are {n} labels but weights of shape {weight.shape}; give one a row."
            )
        if parts is not None and len(part) != n:
            raise DataError(f"{who}: there are {n} labels but {len(part)} parts; give one for each row.")
        if weight.size and not (weight.min() >= 0 and weight.max() < np.inf):
            raise DataError(f"{who}: weights must be finite numbers of at least 0.")
        return cls(codes, weight, part, classes, n_parts)

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    @property
    def groups(self) -> int:
        """Parts times classes: how many rows of a kernel's result there are."""
        return self.n_parts * self.classes

    def require_rows(self, n_rows: int, who: str) -> None:
        """Raise DataError unless there is a label for each row."""
        if n_rows != len(self.labels):
            raise DataError(f"{who}: there are {n_rows} rows but {len(self.labels)} labels; give one a row.")

    def kernel_arguments(self) -> tuple[Codes, Floats, Codes, int, int]:
        """As most kernels take them."""
        return self.labels, self.weights, self.parts, self.classes, self.n_parts


def small_codes(codes: Any, who: str) -> Codes:
    """Codes as contiguous int32; those that would not fit are missing."""
    array = np.asarray(codes)
    if array.ndim != 1:
        raise DataError(f"{who} must be one-dimensional; got {array.ndim} dimensions.")
    if array.size and array.dtype.kind not in "iub":
        raise DataError(f"{who} must be whole numbers (codes from 0, -1 for missing); got {array.dtype}.")
    if array.dtype.itemsize > 4 or array.dtype == np.uint32:
        array = np.where((array >= 0) & (array < 2**31), array, -1)
    return np.ascontiguousarray(array, dtype=np.int32)


def shares_of(responsibilities: Any, who: str) -> Floats:
    """Soft labels, (rows, classes), as the kernels take them."""
    shares = np.ascontiguousarray(responsibilities, dtype=np.float64)
    if shares.ndim != 2:
        raise DataError(f"{who}: responsibilities must be a matrix of rows and classes.")
    if shares.size and not (shares.min() >= 0 and shares.max() < np.inf):
        raise DataError(f"{who}: responsibilities must be finite numbers of at least 0.")
    return shares


def rows_in(columns: Any, n_columns: int, otherwise: int) -> int:
    """How many rows borrowed columns have; without columns nobody can tell."""
    if isinstance(columns, np.ndarray):
        return len(columns)
    return len(columns[0]) if n_columns else otherwise
