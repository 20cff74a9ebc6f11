"""What a kernel function is, and how kernels are put together.

    Kernel            k(A, B) -> one number for each pair of rows
    k1 + k2, k1 * k2, 3 * k1                              are kernels again
    is_psd(X) -> Definiteness                             whether the rows' matrix is positive semidefinite

Rows are a dense matrix of float64 or a scipy CSR matrix; the answer is always dense.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeGuard, Union

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.preprocessing.sparse import row_products
from acumen.types import Array, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Rows a kernel can be given: float64, dense or CSR.
Rows: TypeAlias = Union[Floats, "csr_matrix"]
#: The number types a kernel matrix may have.
Precision: TypeAlias = type[np.float64] | type[np.float32]

#: Rounding leaves eigenvalues of this many times (rows x epsilon x the largest) below zero.
_ROUNDING = 8.0


@dataclass(frozen=True, slots=True)
class Definiteness:
    """Whether a kernel matrix is positive semidefinite: true or false, with the eigenvalue that decides.

    An eigenvalue counts as negative when it is below `-tolerance`: what rounding can make of zero.
    """

    smallest: float
    largest: float
    tolerance: float

    def __bool__(self) -> bool:
        return self.smallest >= -self.tolerance

    def __str__(self) -> str:
        word = "positive semidefinite" if self else "not positive semidefinite"
        return f"{word}: the smallest eigenvalue is {self.smallest:.4g}, the largest {self.largest:.4g}"


class Kernel(ABC):
    """A symmetric function of two rows; if positive semidefinite, an inner product of features.

    `kernel(A, B)` is the matrix of `k(a, b)` over the rows of `A` and `B` (`A` itself if left out).
    Kernels of the same values are equal. `+`, `*` and positive multiples make kernels of kernels.
    """

    __slots__ = ()
    #: Its word in model files.
    name: ClassVar[str]

    def __call__(self, A: Any, B: Any = None, *, dtype: Precision = np.float64) -> Array:
        """The kernel matrix, one line for each row of `A` and one column for each row of `B`."""
        rows_a = as_rows(A)
        right = None if B is None else as_rows(B)
        self._require_same_width(rows_a, right)
        return self._matrix(rows_a, right, dtype)

    def diagonal(self, A: Any) -> Floats:
        """k(a, a) for each row."""
        return self._diagonal(as_rows(A))

    @abstractmethod
    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        """A fresh matrix; the caller may write into it."""

    @abstractmethod
    def _diagonal(self, A: Rows) -> Floats:
        """As `diagonal`, of rows that have been looked at."""

    @abstractmethod
    def to_state(self) -> dict[str, Any]:
        """JSON-ready values from which `from_state` makes the kernel again."""

    @staticmethod
    def _require_same_width(A: Rows, B: Rows | None) -> None:
        if B is not None and A.shape[1] != B.shape[1]:
            raise DataError(
                f"a kernel needs rows of the same attributes; got {A.shape[1]} columns and {B.shape[1]}."
            )

    def is_psd(self, X: Any) -> Definiteness:
        """Whether the kernel matrix of these rows is positive semidefinite, to rounding."""
        matrix = self(X)
        if len(matrix) == 0:
            return Definiteness(0.0, 0.0, 0.0)
        if not np.isfinite(matrix).all():
            raise DataError("is_psd: the kernel matrix has elements that are no finite numbers.")
        if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12 * float(np.abs(matrix).max())):
            raise DataError("is_psd: the kernel matrix is not symmetric, so it is no kernel's.")
        values = np.linalg.eigvalsh(matrix)
        size = float(np.abs(values[[0, -1]]).max())
        tolerance = _ROUNDING * len(matrix) * float(np.finfo(np.float64).eps) * size
        return Definiteness(float(values[0]), float(values[-1]), tolerance)

    def __add__(self, other: object) -> Kernel:
        return Sum((*_terms(Sum, self), *_terms(Sum, other))) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> Kernel:
        if isinstance(other, Kernel):
            return Product((*_terms(Product, self), *_terms(Product, other)))
        if isinstance(other, (int, float, np.integer, np.floating)) and not isinstance(other, bool):
            return Multiple(float(other), self)
        return NotImplemented

    __rmul__ = __mul__


@dataclass(frozen=True, slots=True)
class Sum(Kernel):
    """The sum of kernels: their features combined."""

    name: ClassVar[str] = "sum"
    terms: tuple[Kernel, ...]

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        total = self.terms[0]._matrix(A, B, dtype)
        for term in self.terms[1:]:
            total += term._matrix(A, B, dtype)
        return total

    def _diagonal(self, A: Rows) -> Floats:
        return np.sum([term._diagonal(A) for term in self.terms], axis=0, dtype=np.float64)

    def to_state(self) -> dict[str, Any]:
        return {"kernel": self.name, "terms": [term.to_state() for term in self.terms]}

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.terms))


@dataclass(frozen=True, slots=True)
class Product(Kernel):
    """The product of kernels: every feature of one times every feature of the other."""

    name: ClassVar[str] = "product"
    terms: tuple[Kernel, ...]

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        total = self.terms[0]._matrix(A, B, dtype)
        for term in self.terms[1:]:
            total *= term._matrix(A, B, dtype)
        return total

    def _diagonal(self, A: Rows) -> Floats:
        return np.prod([term._diagonal(A) for term in self.terms], axis=0, dtype=np.float64)

    def to_state(self) -> dict[str, Any]:
        return {"kernel": self.name, "terms": [term.to_state() for term in self.terms]}

    def __repr__(self) -> str:
        return " * ".join(f"({term!r})" if isinstance(term, Sum) else repr(term) for term in self.terms)


@dataclass(frozen=True, slots=True)
class Multiple(Kernel):
    """A positive multiple of a kernel."""

    name: ClassVar[str] = "multiple"
    factor: float
    kernel: Kernel

    def __post_init__(self) -> None:
        positive("a multiple of a kernel", self.factor, "its factor")

    def _matrix(self, A: Rows, B: Rows | None, dtype: Precision) -> Array:
        matrix = self.kernel._matrix(A, B, dtype)
        matrix *= matrix.dtype.type(self.factor)
        return matrix

    def _diagonal(self, A: Rows) -> Floats:
        return self.factor * self.kernel._diagonal(A)

    def to_state(self) -> dict[str, Any]:
        return {"kernel": self.name, "factor": self.factor, "of": self.kernel.to_state()}

    def __repr__(self) -> str:
        return f"{self.factor:g} * " + (
            f"({self.kernel!r})" if isinstance(self.kernel, Sum) else repr(self.kernel)
        )


def _terms(kind: type[Sum] | type[Product], kernel: Kernel) -> tuple[Kernel, ...]:
    """The terms of a sum (or product), so that sums of sums stay flat."""
    return kernel.terms if isinstance(kernel, kind) else (kernel,)


def positive(who: str, value: Any, what: str) -> float:
    """The number, if it is one above zero; else ParameterError."""
    if not is_number(value) or not 0 < value < math.inf:
        raise ParameterError(f"{who}: {what} must be a number above 0; got {value!r}.")
    return float(value)


def is_number(value: object) -> bool:
    """Whether this is a number proper: no truth value."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_sparse(rows: object) -> TypeGuard[csr_matrix]:
    """Whether this is a scipy sparse matrix; scipy is not imported to find out."""
    return hasattr(rows, "tocsr")


def as_rows(rows: Any) -> Rows:
    """A matrix of float64, borrowed where it is one, or a CSR matrix."""
    if is_sparse(rows):
        csr = rows.tocsr()
        return csr if csr.dtype == np.float64 else csr.astype(np.float64)
    try:
        dense = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"a kernel needs a matrix of numbers; got a {type(rows).__name__}.") from None
    if dense.ndim != 2:
        raise DataError(
            f"a kernel needs a matrix of one line a row; got {dense.ndim} dimensions: wrap a single row in a list."
        )
    return dense


def square_norms(rows: Rows) -> Floats:
    """|a|^2 for each row."""
    with np.errstate(over="ignore"):
        if is_sparse(rows):
            return np.asarray(rows.power(2) @ np.ones(rows.shape[1]), dtype=np.float64)
        return np.einsum("ij,ij->i", rows, rows)


def inner_products(A: Rows, B: Rows | None, dtype: Precision) -> Array:
    """a . b for each pair of rows, as a fresh dense matrix, row-major."""
    right = A if B is None else B
    if is_sparse(A) or is_sparse(right):
        products = A @ right.T
        products = products.toarray() if is_sparse(products) else np.asarray(products)
        return np.ascontiguousarray(products, dtype=dtype)
    dense_a: Array = np.asarray(A, dtype=dtype)
    other: Array = dense_a if B is None else np.asarray(B, dtype=dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        if B is not None and dense_a.dtype == np.float64:
            return row_products(dense_a, other.T)
        # The very same matrix on both sides makes numpy compute one triangle, exactly symmetric.
        return np.ascontiguousarray(dense_a @ other.T)
