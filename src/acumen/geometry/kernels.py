"""The kernel functions.

Linear()                        a.b
Polynomial(degree, offset=1)    (scale a.b + offset)^degree
RBF(sigma=...) or RBF(gamma=)   exp(-|a - b|^2 / (2 sigma^2)), gamma being 1 / (2 sigma^2)
Sigmoid(scale, offset)          tanh(scale a.b + offset); not positive semidefinite in general
Function(f)                     a function of the user's
Precomputed()                   the rows are lines of a kernel matrix already
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.errors import DataError, ParameterError
from acumen.geometry.kernel import (
    Kernel,
    Precision,
    Rows,
    inner_products,
    is_number,
    is_sparse,
    positive,
    square_norms,
)
from acumen.types import Array, Floats


@dataclass(frozen=True, slots=True)
class Linear(Kernel):
    """The linear kernel: the inner product of two rows."""

    name: ClassVar[str] = "linear"

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        return inner_products(A, B, dtype)

    def _diagonal(self, A: Rows) -> Floats:
        return square_norms(A)

    def to_state(self) -> dict[str, Any]:
        return {"kernel": self.name}


@dataclass(frozen=True, slots=True)
class Polynomial(Kernel):
    """The polynomial kernel (scale a.b + offset)^degree: products of up to `degree` attributes if offset > 0."""

    name: ClassVar[str] = "polynomial"
    degree: int
    offset: float = 1.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        whole = isinstance(self.degree, (int, np.integer)) and not isinstance(self.degree, bool)
        if not whole or not 1 <= self.degree <= 1000:
            raise ParameterError(
                f"Polynomial: degree must be a whole number from 1 to 1000; got {self.degree!r}."
            )
        if not is_number(self.offset) or not math.isfinite(self.offset):
            raise ParameterError(f"Polynomial: offset must be a finite number; got {self.offset!r}.")
        positive("Polynomial", self.scale, "scale")

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        return self._of(inner_products(A, B, dtype))

    def _diagonal(self, A: Rows) -> Floats:
        return self._of(square_norms(A))

    def _of(self, products: Array) -> Array:
        number = products.dtype.type
        if self.scale != 1.0:
            products *= number(self.scale)
        if self.offset:
            products += number(self.offset)
        with np.errstate(over="ignore", under="ignore"):
            return _power(products, int(self.degree))

    def to_state(self) -> dict[str, Any]:
        state = {"degree": int(self.degree), "offset": float(self.offset), "scale": float(self.scale)}
        return {"kernel": self.name, **state}


@dataclass(frozen=True, slots=True, init=False)
class RBF(Kernel):
    """The Gaussian kernel exp(-|a - b|^2 / (2 sigma^2)) of width sigma; gamma is 1 / (2 sigma^2).

    One of `sigma` and `gamma` is given.
    """

    name: ClassVar[str] = "rbf"
    gamma: float

    def __init__(self, *, sigma: float | None = None, gamma: float | None = None) -> None:
        if (sigma is None) == (gamma is None):
            got = "neither" if sigma is None else "both"
            raise ParameterError(f"RBF: one of sigma and gamma must be given; got {got}.")
        if gamma is None:
            width = positive("RBF", sigma, "sigma")
            gamma = 0.5 / width / width if width * width > 0 else math.inf
            if not 0 < gamma < math.inf:
                raise ParameterError(f"RBF: 1 / (2 sigma^2) must be a number above 0; got sigma={sigma!r}.")
        object.__setattr__(self, "gamma", positive("RBF", gamma, "gamma"))

    @property
    def sigma(self) -> float:
        """The width: 1 / sqrt(2 gamma)."""
        return 1.0 / math.sqrt(2.0 * self.gamma)

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        right = A if B is None else B
        if not is_sparse(A) and not is_sparse(right) and len(right):
            # Distances do not change when all rows move, and near the origin squares lose fewer digits.
            with np.errstate(over="ignore", invalid="ignore"):
                centre = right.mean(axis=0)
            centre[~np.isfinite(centre)] = 0.0
            A, B = A - centre, None if B is None else right - centre
            right = A if B is None else B
        row_norms = square_norms(A)
        column_norms = row_norms if B is None else square_norms(right)
        matrix = inner_products(A, B, np.float64)
        if dtype is np.float64:
            _native.rbf_of_products(matrix, row_norms, column_norms, self.gamma, cores())
        else:
            single = np.empty(matrix.shape, dtype=np.float32)
            _native.rbf_of_products_to_single(matrix, row_norms, column_norms, self.gamma, single, cores())
            matrix = single
        if not (np.isfinite(row_norms).all() and np.isfinite(column_norms).all()):
            self._mend(matrix, A, right, row_norms, column_norms)
        if B is None:
            np.fill_diagonal(matrix, np.where(np.isnan(row_norms), np.nan, 1.0))
        return matrix

    def _mend(self, made: Array, A: Rows, B: Rows, row_norms: Floats, column_norms: Floats) -> None:
        """Pairs of rows whose squares overflow, by their largest difference."""
        for i in np.flatnonzero(np.isinf(row_norms)):
            made[i] = self._far(_dense(A[i : i + 1]), _dense(B))
        for j in np.flatnonzero(np.isinf(column_norms)):
            made[:, j] = self._far(_dense(B[j : j + 1]), _dense(A))

    def _far(self, row: Floats, others: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            apart = np.abs(others - row)
            largest = apart.max(axis=1, initial=0.0)
            shares = apart / np.where(largest > 0, largest, 1.0)[:, None]
            return np.exp(-self.gamma * largest * largest * np.einsum("ij,ij->i", shares, shares))

    def _diagonal(self, A: Rows) -> Floats:
        return np.where(np.isnan(square_norms(A)), np.nan, 1.0)

    def to_state(self) -> dict[str, Any]:
        return {"kernel": self.name, "gamma": self.gamma}


@dataclass(frozen=True, slots=True)
class Sigmoid(Kernel):
    """The sigmoid kernel tanh(scale a.b + offset); may not be positive semidefinite: use `is_psd`."""

    name: ClassVar[str] = "sigmoid"
    scale: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for what, value in (("scale", self.scale), ("offset", self.offset)):
            if not is_number(value) or not math.isfinite(value):
                raise ParameterError(f"Sigmoid: {what} must be a finite number; got {value!r}.")

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        return self._of(inner_products(A, B, dtype))

    def _diagonal(self, A: Rows) -> Floats:
        return self._of(square_norms(A))

    def _of(self, products: Array) -> Array:
        products *= products.dtype.type(self.scale)
        products += products.dtype.type(self.offset)
        return np.tanh(products, out=products)

    def to_state(self) -> dict[str, Any]:
        return {"kernel": self.name, "scale": float(self.scale), "offset": float(self.offset)}


@dataclass(frozen=True, slots=True)
class Function(Kernel):
    """A kernel from your own function.

    `function(A, B)` is given two dense matrices and answers with one line for each row of A and one column
    for each row of B; with `by_pairs` it is given two rows and answers with a number. Whether it is symmetric
    and positive semidefinite is the user's affair, and `is_psd`'s. A model file cannot hold it.
    """

    name: ClassVar[str] = "function"
    function: Callable[[Any, Any], Any]
    by_pairs: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(
                f"Function: a kernel must be a function of two matrices; got {self.function!r}."
            )

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        rows_a = _dense(A)
        right = rows_a if B is None else _dense(B)
        if self.by_pairs:
            matrix = np.array([[self.function(a, b) for b in right] for a in rows_a])
            matrix = matrix.reshape(len(rows_a), len(right))
        else:
            matrix = np.asarray(self.function(rows_a, right))
        if matrix.shape != (len(rows_a), len(right)):
            raise DataError(
                f"the kernel function answered with the shape {matrix.shape}; expected {(len(rows_a), len(right))}, "
                "one line for each row of the first matrix and one column for each of the second"
                " (a function of two rows needs Function(f, by_pairs=True))."
            )
        try:
            answer = np.array(matrix, dtype=dtype, order="C")
        except (TypeError, ValueError):
            raise DataError("the kernel function must answer with numbers.") from None
        if not np.isfinite(answer).all():
            raise DataError("the kernel function must answer with finite numbers.")
        return answer

    def _diagonal(self, A: Rows) -> Floats:
        rows = _dense(A)
        return np.array(
            [self._matrix(row, None, np.float64)[0, 0] for row in rows[:, None]], dtype=np.float64
        )

    def to_state(self) -> dict[str, Any]:
        raise ParameterError(
            "save: the kernel is a function of your own, which a model file cannot hold; use a kernel of "
            "acumen.kernels, or sums and products of them."
        )


@dataclass(frozen=True, slots=True)
class Precomputed(Kernel):
    """A precomputed kernel: rows are lines of a kernel matrix, with one column per training row."""

    name: ClassVar[str] = "precomputed"

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        width = A.shape[0] if B is None else B.shape[0]
        if A.shape[1] != width:
            raise DataError(
                f"a precomputed kernel needs one column for each training row, {width} of them; got {A.shape[1]}."
            )
        return np.array(_dense(A), dtype=dtype, order="C")

    def _diagonal(self, A: Rows) -> Floats:
        return np.diagonal(self._matrix(A, None, np.float64)).copy()

    @staticmethod
    def _require_same_width(A: Rows, B: Rows | None) -> None:
        """`B` says only how many training rows there are."""

    def to_state(self) -> dict[str, Any]:
        return {"kernel": self.name}


def _dense(rows: Rows) -> Floats:
    dense: Floats = rows.toarray() if is_sparse(rows) else rows
    return dense


def _power(base: Array, degree: int) -> Array:
    """`base` to a whole power, in place where it can be: numpy's power is many times slower."""
    result = None
    while True:
        if degree & 1:
            result = (
                base.copy() if result is None and degree > 1 else base if result is None else result * base
            )
        degree >>= 1
        if not degree:
            assert result is not None
            return result
        base *= base
