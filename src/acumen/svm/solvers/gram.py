"""Kernel matrices of training rows, a piece at a time: no solver ever sees more than it asks for.

    gram_of     rows, kernel -> Gram
    Gram        square (of a working set), lines (of some rows against all), sums (lines times coefficients)

    TiledGram   the standard kernels on dense rows: C++ tiles, in single or double precision
    CalledGram  any other kernel, and sparse rows: the kernel is called on blocks
    FixedGram   a matrix the user computed

`folded` adds one to every kernel value: the bias as one more coordinate of the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.geometry.kernel import Kernel, Precision, Rows, is_sparse
from acumen.geometry.kernels import RBF, Precomputed, Sigmoid
from acumen.geometry.support import tile_function, tile_rows, tiles
from acumen.types import Array, Floats, Indices

LANES = 8  # lines handed to the solver are filled up to a multiple of it
_BLOCK = 1 << 22  # kernel values a called kernel makes at a time


class Gram(ABC):
    """The kernel matrix of `n` rows."""

    n: int
    dtype: Precision
    folded: bool
    effort: float  # what a kernel value costs, in nanoseconds, about

    def square(self, rows: Indices) -> Array:
        """The values among some rows, each line filled up with zeros for the solver."""
        square = np.zeros((len(rows), -(-len(rows) // LANES) * LANES), dtype=self.dtype)
        self._square(rows, square)
        if self.folded:
            square[:, : len(rows)] += 1
        return square

    def lines(self, rows: Indices, out: Array, places: Indices) -> None:
        """Write the line of each row to out[place]."""
        self._lines(rows, out, places)
        if self.folded:
            for place in places:
                out[place, : self.n] += 1

    def add_sums(self, rows: Indices, coefficients: Floats, out: Floats) -> None:
        """out[i] += sum over the rows of coefficient x k(i, row), in double precision."""
        self._add_sums(rows, coefficients, out)
        if self.folded:
            out += coefficients.sum()

    @property
    def diagonal(self) -> Floats:
        """k(i, i) of every row."""
        return self._diagonal() + (1.0 if self.folded else 0.0)

    @abstractmethod
    def take(self, rows: Indices) -> Gram:
        """The kernel matrix of some rows."""

    @abstractmethod
    def in_double(self) -> Gram:
        """The same in double precision."""

    @abstractmethod
    def _square(self, rows: Indices, out: Array) -> None: ...

    @abstractmethod
    def _lines(self, rows: Indices, out: Array, places: Indices) -> None: ...

    @abstractmethod
    def _add_sums(self, rows: Indices, coefficients: Floats, out: Floats) -> None: ...

    @abstractmethod
    def _diagonal(self) -> Floats: ...

    @property
    def rounding(self) -> float:
        """About by how much a kernel value may be off, in units of the largest."""
        return float(np.finfo(self.dtype).eps)


class TiledGram(Gram):
    """A standard kernel over dense rows."""

    def __init__(self, X: Floats, kernel: Kernel, dtype: Precision, folded: bool) -> None:
        self.n, self.dtype, self.folded, self.kernel = len(X), dtype, folded, kernel
        self.exact = X
        self.effort = 0.018 * (X.shape[1] + 20) * (1 if dtype is np.float32 else 2)
        self.function = tile_function(kernel)
        self.values, self.squares = tile_rows(X, dtype)

    def take(self, rows: Indices) -> Gram:
        return TiledGram(self.exact[rows], self.kernel, self.dtype, self.folded)

    def in_double(self) -> Gram:
        return TiledGram(self.exact, self.kernel, np.float64, self.folded)

    @property
    def rounding(self) -> float:
        largest = float(self.squares.max(initial=0.0)) * self.function[1]
        return float(np.finfo(self.dtype).eps) * (1.0 + largest)

    def _square(self, rows: Indices, out: Array) -> None:
        some, squares = self.values[rows], self.squares[rows]
        places = np.arange(len(rows))
        _native.kernel_lines(*self.function, some, squares, some, squares, out, places, cores())

    def _lines(self, rows: Indices, out: Array, places: Indices) -> None:
        _native.kernel_lines(
            *self.function, self.values, self.squares, self.values[rows], self.squares[rows], out,
            places.astype(np.int64), cores(),
        )  # fmt: skip

    def _add_sums(self, rows: Indices, coefficients: Floats, out: Floats) -> None:
        _native.add_kernel_sums(
            *self.function, self.values, self.squares, self.values[rows], self.squares[rows],
            np.ascontiguousarray(coefficients)[:, None], out[:, None], cores(),
        )  # fmt: skip

    def _diagonal(self) -> Floats:
        return self.kernel.diagonal(self.exact)


class CalledGram(Gram):
    """Any kernel over any rows, called on blocks of them."""

    dtype = np.float64
    effort = 20.0

    def __init__(self, X: Rows, kernel: Kernel, folded: bool) -> None:
        self.n, self.X, self.kernel, self.folded = X.shape[0], X, kernel, folded

    def take(self, rows: Indices) -> Gram:
        return CalledGram(self.X[rows], self.kernel, self.folded)

    def in_double(self) -> Gram:
        return self

    def _square(self, rows: Indices, out: Array) -> None:
        out[:, : len(rows)] = self.kernel(self.X[rows], self.X[rows])

    def _lines(self, rows: Indices, out: Array, places: Indices) -> None:
        step = max(1, _BLOCK // max(self.n, 1))
        for i in range(0, len(rows), step):
            out[places[i : i + step], : self.n] = self.kernel(self.X[rows[i : i + step]], self.X)

    def _add_sums(self, rows: Indices, coefficients: Floats, out: Floats) -> None:
        step = max(1, _BLOCK // max(self.n, 1))
        for i in range(0, len(rows), step):
            out += coefficients[i : i + step] @ self.kernel(self.X[rows[i : i + step]], self.X)

    def _diagonal(self) -> Floats:
        return self.kernel.diagonal(self.X)


class FixedGram(Gram):
    """A kernel matrix given by the user."""

    dtype = np.float64
    effort = 0.0

    def __init__(self, matrix: Floats, folded: bool) -> None:
        self.n, self.matrix, self.folded = len(matrix), matrix, folded

    def take(self, rows: Indices) -> Gram:
        return FixedGram(np.ascontiguousarray(self.matrix[np.ix_(rows, rows)]), self.folded)

    def in_double(self) -> Gram:
        return self

    def _square(self, rows: Indices, out: Array) -> None:
        out[:, : len(rows)] = self.matrix[np.ix_(rows, rows)]

    def _lines(self, rows: Indices, out: Array, places: Indices) -> None:
        out[places, : self.n] = self.matrix[rows]

    def _add_sums(self, rows: Indices, coefficients: Floats, out: Floats) -> None:
        out += coefficients @ self.matrix[rows]

    def _diagonal(self) -> Floats:
        return np.ascontiguousarray(np.diagonal(self.matrix))


def gram_of(X: Rows, kernel: Kernel, *, folded: bool, single: bool) -> Gram:
    """The kernel matrix of these rows; `single` permits single precision where kernels are bounded."""
    if isinstance(kernel, Precomputed):
        assert not is_sparse(X)
        return FixedGram(X, folded)
    if tiles(kernel) and not is_sparse(X):
        bounded = isinstance(kernel, (RBF, Sigmoid))
        return TiledGram(X, kernel, np.float32 if single and bounded else np.float64, folded)
    return CalledGram(X, kernel, folded)
