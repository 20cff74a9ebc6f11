"""Row operations of linear solvers, dense or CSR: products with weights, sums of rows, Gram matrices.

    times, back, weighted_gram   over all rows
    ChosenRows                   some rows, used over and over: products, sums, curvature; C++ on all cores, no row is
                                 copied, and the sums do not depend on the number of cores

Many dense rows of few attributes go through our own kernels, which read them in place: BLAS is no faster there, needs a
copy of the chosen rows, and its threads keep waiting on the cores that the next kernel needs. Wide rows are multiplied
by BLAS in blocks that stay in the cache between being selected and being multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.geometry.kernel import Rows, is_sparse, square_norms
from acumen.types import Bools, Floats, Indices

_BLOCK_BYTES = 1 << 21
_NARROW = 256  # attributes: a square of them stays in the second cache
_MANY = 1 << 16  # numbers: fewer are multiplied before a kernel has been called


def native_rows(X: Rows) -> _native.LinearRows:
    """The rows as the kernels take them, borrowed."""
    if not is_sparse(X):
        return _native.LinearRows(np.ascontiguousarray(X, dtype=np.float64))
    return _native.LinearRows(
        X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False), X.data, X.shape[1]
    )


def times(X: Rows, w: Floats) -> Floats:
    """X w."""
    if _ours(X):
        return _all_columns(X).times(np.append(w, 0.0))
    return np.asarray(X @ w, dtype=np.float64)


def back(X: Rows, v: Floats) -> Floats:
    """X' v."""
    if _ours(X):
        return _all_columns(X).back(np.ascontiguousarray(v, dtype=np.float64))[:-1]
    return np.asarray(X.T @ v, dtype=np.float64)


def _ours(X: Any) -> bool:
    """Whether the kernels take these rows, as they lie."""
    return (
        not is_sparse(X)
        and X.size >= _MANY
        and X.shape[1] <= _NARROW
        and X.dtype == np.float64
        and bool(X.flags.c_contiguous)
    )


def _all_columns(X: Floats) -> ChosenRows:
    return ChosenRows(native_rows(X), np.arange(len(X)), 0.0)


def squares(X: Rows) -> Floats:
    """|x|^2 of each row."""
    return square_norms(X)


def blocks(X: Any) -> list[slice]:
    """Rows in blocks that fit in the cache."""
    step = max(64, _BLOCK_BYTES // max(8 * X.shape[1], 1))
    return [slice(start, min(start + step, X.shape[0])) for start in range(0, X.shape[0], step)]


def weighted_gram(X: Rows, weight: Floats, which: Bools | None = None) -> Floats:
    """X' diag(weight) X with a last row and column for the bias: d + 1 on a side.

    Rows outside `which`, and rows of weight zero, are passed over.
    """
    d = X.shape[1]
    total = np.zeros((d + 1, d + 1))
    if _ours(X):
        heavy = weight if which is None else np.where(which, weight, 0.0)
        _native.weighted_gram(X, np.ascontiguousarray(heavy, dtype=np.float64), total, cores())
        return total
    for block in [slice(0, X.shape[0])] if is_sparse(X) else blocks(X):
        block_weights = weight[block]
        used = block_weights != 0 if which is None else which[block] & (block_weights != 0)
        if not used.any():
            continue
        some = X[block] if used.all() else X[block][used]
        root = block_weights[used]
        total[d, d] += root.sum()
        total[d, :d] += back(some, root)
        if is_sparse(some):
            total[:d, :d] += (some.T @ some.multiply(root[:, None]).tocsr()).toarray()
        elif (root < 0).any():
            total[:d, :d] += some.T @ (some * root[:, None])
        else:
            if not (root == root[0]).all():
                some = some * np.sqrt(root)[:, None]
                total[:d, :d] += some.T @ some
            else:
                total[:d, :d] += root[0] * (some.T @ some)
    total[:d, d] = total[d, :d]
    return total


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """The rows `which`, each with one more attribute of the value `bias`; vectors of weights end with its own."""

    rows: _native.LinearRows
    which: Indices
    bias: float

    def times(self, v: Floats) -> Floats:
        """The product of each row with v."""
        out = np.empty(len(self.which))
        self.rows.products(self.which, self.bias, v, out, cores())
        return out

    def back(self, u: Floats) -> Floats:
        """The sum of the rows, each times its number in u."""
        out = np.empty(self.rows.width + 1)
        self.rows.sum(self.which, self.bias, u, out, cores())
        return out

    def squares(self, u: Floats) -> Floats:
        """The sum of the rows' squares, number by number, each row's times its number in u."""
        out = np.empty(self.rows.width + 1)
        self.rows.squares(self.which, self.bias, u, out, cores())
        return out

    def curvature(self, scale: Floats, v: Floats) -> Floats:
        """The sum over rows of scale x (row times v) x row."""
        out = np.empty(self.rows.width + 1)
        self.rows.curvature(self.which, self.bias, scale, v, out, cores())
        return out
