"""The triangular factor of weighted rows [1 X Y]: all that least squares needs, without squaring anything.

    Triangle.of         rows  -> the factor R with R'R = [1 X Y]' W [1 X Y]
    +                   stacks two factors and factors them again
    recombine          the factor of columns that are combinations of these

The Gram matrix R'R alone would lose half the digits: of NIST's Filip none is left. R comes of Householder's
reflections, or of Cholesky's factor taken twice where that is as accurate, which is many times faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.errors import DataError
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.borrow import NO_CODES, NO_FLOATS, small_codes
from acumen.types import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Triangle(Summary):
    """The upper triangular factor of weighted rows: a column of ones, the inputs, then the targets.

    Attributes
    ----------
    weight : array of (1,)
        The sum of the row weights.
    factor : array of (p, p)
        Upper triangular with no negative number on its diagonal; p is 1 + inputs + targets.
    targets : int
        How many of the columns, the last ones, are targets.
    """

    weight: Floats
    factor: Floats
    targets: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", frozen(self.weight))
        object.__setattr__(self, "factor", frozen(self.factor))

    @classmethod
    def of(cls, values: Any, targets: Any, weights: Floats | None = None) -> Self:
        """Summarise rows without missing values.

        Parameters
        ----------
        values : array of (rows, inputs)
        targets : array of (rows,) or (rows, targets)
        weights : array of (rows,), optional
            Of at least 0; absent or empty when every row weighs one.
        """
        inputs, outputs, roots = _check_arrays(values, targets, weights)
        total = float(weights.sum()) if weights is not None and weights.size else float(len(inputs))
        return cls(np.array([total]), _factor(inputs, outputs, roots), outputs.shape[1])

    @classmethod
    def of_parts(
        cls, values: Any, targets: Any, weights: Floats | None, parts: Codes, n_parts: int
    ) -> list[Self]:
        """The factor of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        inputs, outputs, _ = _check_arrays(values, targets, weights)
        codes = small_codes(parts, f"{cls.__name__}: parts")
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(n_parts + 1))
        factors = []
        for p in range(n_parts):
            rows = order[ends[p] : ends[p + 1]]
            part_weights = weights[rows] if weights is not None and weights.size else None
            factors.append(cls.of(inputs[rows], outputs[rows], part_weights))
        return factors

    @classmethod
    def empty(cls, inputs: int, targets: int = 1) -> Self:
        """Of no rows."""
        width = 1 + inputs + targets
        return cls(np.zeros(1), np.zeros((width, width)), targets)

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return len(self.factor) - 1 - self.targets

    @property
    def sums(self) -> Floats:
        """The weighted sum of each column but the ones."""
        sums: Floats = self.factor[0, 0] * self.factor[0, 1:]
        return sums

    def recombine(self, mixing: Floats) -> Floats:
        """The triangular factor of [1 X Y] times `mixing`, which has a row for each of these columns."""
        return triangular(self.factor @ mixing)

    def spread(self, places: Sequence[int] | Any, inputs: int) -> Self:
        """The same rows with further inputs that are all zero: input j now stands at `places[j]` of `inputs`."""
        at = np.concatenate(
            ([0], 1 + np.asarray(places, dtype=np.intp), 1 + inputs + np.arange(self.targets))
        )
        wide = np.zeros((len(self.factor), 1 + inputs + self.targets))
        wide[:, at] = self.factor
        return type(self)(self.weight, triangular(wide), self.targets)

    def scale_weights(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        return type(self)(self.weight * factor, self.factor * np.sqrt(factor), self.targets)

    def _difference(self, other: Self) -> str | None:
        if self.targets != other.targets:
            return f"one has {self.targets} targets, the other {other.targets}"
        if self.factor.shape != other.factor.shape:
            return f"one has {self.inputs} inputs, the other {other.inputs}"
        return None

    def _merge(self, other: Self) -> Self:
        weight = self.weight + other.weight
        return type(self)(weight, triangular(np.vstack([self.factor, other.factor])), self.targets)


def triangular(matrix: Floats) -> Floats:
    """The square upper triangular factor of a matrix, its diagonal not negative."""
    factor = np.zeros((matrix.shape[1], matrix.shape[1]))
    if matrix.size:
        _native.triangular(np.array(matrix.T, dtype=np.float64, order="C", copy=True), factor)
    return factor


#: Rows at a time: a chunk of a hundred columns stays in the second cache.
_CHUNK = 2048
#: Where a pivot of the equilibrated Gram matrix's Cholesky factor falls below this, reflections are used instead.
_PIVOT = 1e-4


def _factor(inputs: Floats, outputs: Floats, roots: Floats | None) -> Floats:
    """By Cholesky's factor twice where the columns are far from dependent, else by reflections."""
    rows = _Rows(inputs, outputs, roots)
    if len(inputs) >= 8 * rows.width:
        factor = _by_cholesky_twice(rows)
        if factor is not None:
            return factor
    return _by_reflections(rows)


class _Rows:
    """The rows of sqrt(W) [1 X Y], written out a few at a time."""

    def __init__(self, inputs: Floats, outputs: Floats, roots: Floats | None) -> None:
        self._inputs, self._outputs, self._roots = inputs, outputs, roots
        self.width = 1 + inputs.shape[1] + outputs.shape[1]
        self.n = len(inputs)

    def write(self, rows: slice, out: Floats) -> None:
        """Some rows into an array of their shape."""
        d = self._inputs.shape[1]
        out[:, 0] = 1.0
        out[:, 1 : 1 + d] = self._inputs[rows]
        out[:, 1 + d :] = self._outputs[rows]
        if self._roots is not None:
            out *= self._roots[rows, None]

    def chunks(self, step: int) -> Iterator[Floats]:
        """All rows, `step` at a time, in one array that is overwritten each time."""
        room = np.empty((min(step, self.n), self.width))
        for start in range(0, self.n, step):
            rows = slice(start, min(start + step, self.n))
            self.write(rows, room[: rows.stop - start])
            yield room[: rows.stop - start]


def _by_cholesky_twice(rows: _Rows) -> Floats | None:
    """R by CholeskyQR2 (Yamamoto et al. 2015), as accurate as reflections while the condition is below 1e7.

    A first factor R1 of the Gram matrix is good to half the digits; the rows divided by it are nearly orthogonal, so
    their own Gram matrix loses none, and R = R2 R1. None where the columns are too near to dependent.
    """
    gram = _Gram(rows.width)
    for chunk in rows.chunks(_CHUNK):
        gram.add(chunk)
    first = gram.factor(_PIVOT)
    if first is None:
        return None
    gram = _Gram(rows.width)
    for chunk in rows.chunks(_CHUNK):
        _native.divide_rows(chunk, first)
        gram.add(chunk)
    second = gram.factor(0.0)
    if second is None:
        return None
    product = np.empty_like(first)
    _native.multiply_triangles(second, first, product)
    return product


class _Gram:
    """Inner products of columns, added up by the kernel of scatter matrices about the origin."""

    def __init__(self, width: int) -> None:
        self.into = np.zeros((1, width, width))
        self._origin = np.zeros((1, width))

    def add(self, rows: Floats) -> None:
        labels = np.zeros(len(rows), dtype=np.int32)
        _native.add_scatter(rows, labels, NO_FLOATS, NO_CODES, 1, 1, False, self._origin, self.into)

    def factor(self, pivot: float) -> Floats | None:
        """Cholesky's factor, upper triangular; None where a pivot of the equilibrated matrix is smaller."""
        gram = self.into[0]
        norms = np.sqrt(np.diagonal(gram))
        if not (np.isfinite(gram).all() and (norms > 1e-140).all()):
            return None
        triangle = np.empty_like(gram)
        if (
            not _native.cholesky(gram / norms / norms[:, None], triangle)
            or np.diagonal(triangle).min() < pivot
        ):
            return None
        return triangle * norms


def _by_reflections(rows: _Rows) -> Floats:
    """Piece by piece, each under the factor of those before it."""
    # A piece of eight times the factor's height spends one part in nine on the factor, and stays in cache.
    width, step = rows.width, max(512, 8 * rows.width)
    factor = np.zeros((width, width))
    stack = np.empty((width + min(step, rows.n), width))
    for start in range(0, rows.n, step):
        some = slice(start, min(start + step, rows.n))
        piece = stack[: width + some.stop - start]
        piece[:width] = factor
        rows.write(some, piece[width:])
        factor = triangular(piece if start else piece[width:])
    return factor


def _check_arrays(values: Any, targets: Any, weights: Floats | None) -> tuple[Floats, Floats, Floats | None]:
    inputs = np.asarray(values, dtype=np.float64)
    outputs = np.asarray(targets, dtype=np.float64)
    outputs = outputs[:, None] if outputs.ndim == 1 else outputs
    if inputs.ndim != 2 or outputs.ndim != 2 or len(inputs) != len(outputs):
        raise DataError(
            f"Triangle: inputs and targets must be matrices of equal length; got {inputs.shape} and {outputs.shape}."
        )
    if weights is None or not weights.size:
        return inputs, outputs, None
    if weights.shape != (len(inputs),) or not (weights.min() >= 0 and weights.max() < np.inf):
        raise DataError("Triangle: weights must be finite numbers of at least 0, one a row.")
    return inputs, outputs, np.sqrt(weights)
