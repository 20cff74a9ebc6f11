"""Tables as the matrices machines are trained on, and the kernel that parameters mean for them.

training_rows    table -> view, matrix
resolve_kernel   "rbf", gamma="scale", ... -> Kernel, with row weights

is_linear, is_precomputed   what a `kernel` parameter means
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry.kernel import Kernel, Rows, is_sparse
from acumen.geometry.kernel_state import resolve
from acumen.preprocessing.matrix import NumericMatrix
from acumen.svm.expansion import require_usable
from acumen.types import Floats

#: A sparse table of so few cells is written out: then it can be centred too.
_FEW_CELLS = 1 << 22


def training_rows(table: Table, scale: bool, kernel: Any, who: str) -> tuple[NumericMatrix | None, Rows]:
    """The view that learning settles, and the rows under it; no view for a precomputed kernel."""
    if is_precomputed(kernel):
        return None, _square(table, who)
    view = _sparse_view(table, scale)
    if view is None and not scale and _as_it_is(table):
        # Nothing is to be settled but what would stand for a missing number, and a pass over rows has it.
        schema, weights = table.schema.without_target(), table.row_weights
        X = table.numeric.matrix()
        mean, d = weights @ X / weights.sum(), len(schema)
        view = NumericMatrix(
            schema, "one-hot", "none", mean, np.zeros(d), np.ones(d), np.zeros(d, dtype=np.bool_), ()
        )
        if np.isfinite(mean).all():
            return view, X
        view = None
    if view is None:
        view = NumericMatrix.fit(table, scale="z-score" if scale else "none", impute="mean")
    if table.sparse is not None and table.sparse.shape[0] * table.sparse.shape[1] > _FEW_CELLS:
        # Without a centre zeros stay zeros. Distances do not know the difference, nor does a free bias.
        view = replace(view, centre=np.zeros_like(view.centre))
    return view, view_rows(view, table)


def _sparse_view(table: Table, scale: bool) -> NumericMatrix | None:
    """What `NumericMatrix.fit` would settle for many sparse columns without gaps, all columns at once."""
    X, schema = table.sparse, table.schema.without_target()
    if X is None or len(schema.numeric) != len(schema) or np.isnan(X.data).any():
        return None
    weights, d = table.row_weights, X.shape[1]
    total = float(weights.sum())
    mean = np.asarray(X.T @ weights) / total
    centre, spread = np.zeros(d), np.ones(d)
    if scale:
        each = np.repeat(weights, np.diff(X.indptr))
        apart = X.data - mean[X.indices]
        stored = np.bincount(X.indices, each, minlength=d)
        squares = np.bincount(X.indices, each * apart * apart, minlength=d)
        deviation = np.sqrt((squares + np.maximum(total - stored, 0.0) * mean * mean) / total)
        # A column of one value has no spread, whatever rounding makes of it.
        flat = deviation <= 1e-12 * np.abs(mean)
        centre, spread = mean, np.where(flat, 0.0, deviation)
    scaling = "z-score" if scale else "none"
    return NumericMatrix(schema, "one-hot", scaling, mean, centre, spread, np.zeros(d, dtype=np.bool_), ())


def view_rows(view: NumericMatrix, table: Table) -> Rows:
    """A table's rows under a view: sparse rows are written out where the view would centre them."""
    if table.sparse is not None and not view.vocabularies and (view.centre != 0).any():
        numeric = [np.asarray(column) for _, column in table.numeric_columns()]
        table = table.replace(numeric=numeric, sparse=None)
        return view.transform(table)
    if view.scaling == "none" and _as_it_is(table) and not view.indicated.any():
        matrix = table.numeric.matrix()
        if not _has_gaps(matrix):
            return matrix  # borrowed: there is nothing to do
    written = (
        table.sparse if view.scaling == "none" and _sparse_as_it_is(view, table) else view.transform(table)
    )
    if is_sparse(written) and not view.vocabularies and _small(written):
        return np.ascontiguousarray(written.toarray())  # as the same numbers would come from a dense table
    return written


def _as_it_is(table: Table) -> bool:
    """Whether a table is a row-major matrix of numbers already."""
    dense = table.sparse is None and len(table.schema.numeric) == len(table.schema) > 0
    return dense and bool(table.numeric.matrix().flags.c_contiguous)


def _sparse_as_it_is(view: NumericMatrix, table: Table) -> bool:
    """Whether a view without scaling would copy a sparse table's numbers and change none."""
    X = table.sparse
    if X is None or len(table.schema.numeric) != len(table.schema) or view.indicated.any():
        return False
    view.schema.require_same(table.schema.without_target())
    return not np.isnan(X.data).any()


def _small(X: Rows) -> bool:
    return bool(X.shape[0] * X.shape[1] <= _FEW_CELLS)


def _has_gaps(matrix: Floats) -> bool:
    return bool(np.isnan(matrix.sum())) and bool(np.isnan(matrix).any())


def is_linear(kernel: Any) -> bool:
    """Whether a kernel parameter means the inner product itself."""
    return _means(kernel, "linear")


def is_precomputed(kernel: Any) -> bool:
    """Whether a kernel parameter means a matrix of the user's."""
    return _means(kernel, "precomputed")


def _means(kernel: Any, word: str) -> bool:
    name = kernel if isinstance(kernel, str) else getattr(kernel, "name", "")
    return bool(name == word)


def _square(table: Table, who: str) -> Floats:
    columns = [column for _, column in table.numeric_columns()]
    if len(columns) != len(table.schema) or len(columns) != len(table):
        raise DataError(
            f"{who}: kernel='precomputed' needs a square matrix of numbers, one row and one column for each "
            f"training row; got {len(table)} rows and {len(table.schema)} columns."
        )
    X = np.ascontiguousarray(np.column_stack(columns))
    if not np.isfinite(X).all():
        raise DataError(f"{who}: a precomputed kernel must consist of finite numbers.")
    return X


def resolve_kernel(
    kernel: str | Kernel | Callable[[Any, Any], Any],
    X: Rows,
    weights: Floats,
    *,
    gamma: float | str,
    degree: int,
    offset: float,
    centred: bool,
    who: str,
) -> Kernel:
    """The kernel meant; gamma="scale" counts rows by their weights, so that a weight is a repeated row."""
    if gamma == "scale" and isinstance(kernel, str) and kernel not in ("linear", "precomputed"):
        gamma = _scale_gamma(X, weights, centred)
    kernel_used = resolve(kernel, gamma=gamma, degree=degree, offset=offset, X=X, who=who)  # type: ignore[arg-type]
    require_usable(kernel_used, X, who)
    return kernel_used


def _scale_gamma(X: Rows, weights: Floats, centred: bool) -> float:
    """1 / (columns x variance of all numbers); of scaled sparse rows about each column's own mean."""
    columns = X.shape[1]
    if not columns:
        return 1.0
    total = float(weights.sum())
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _variance(X, weights, total, columns, centred)
    gamma = 1.0 / (columns * variance) if variance > 0 else 1.0
    return gamma if 0 < gamma < np.inf else 1.0  # numbers too large for it are refused next


def _variance(X: Rows, weights: Floats, total: float, columns: int, centred: bool) -> float:
    if is_sparse(X):
        means = np.asarray(X.T @ weights).ravel() / total
        squares = np.asarray(X.multiply(X).T @ weights).ravel() / total
        middle = means if centred else np.full(columns, means.mean())
        return float(np.mean(squares - 2 * middle * means + middle * middle))
    means = weights @ X / total
    middle_of_all = float(means.mean())
    return float(weights @ ((X - middle_of_all) ** 2).sum(axis=1) / (total * columns))
