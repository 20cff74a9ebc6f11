"""Arrays as tables: numpy matrices, structured arrays, lists of rows, and the y of a pair (X, y).

Columns of a float64 matrix are views of it, in whatever order it lies. The sentences for arrays of the
wrong shape keep scikit-learn's phrases, because its estimator checks, and its users, know them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.data.columns import RawColumn
from acumen.data.memory import cells
from acumen.data.naming import column_names
from acumen.data.report import Report
from acumen.errors import DataError
from acumen.types import Array


def is_rows(source: Any) -> bool:
    """Whether this is a list (or tuple) of numbers or of equally simple rows."""
    simple = (list, tuple, np.ndarray, np.generic, int, float)
    return isinstance(source, list) and bool(source) and isinstance(source[0], simple)


def matrix_of(source: Any) -> Array:
    """An array or a list of rows as a two-dimensional (or structured) array."""
    if isinstance(source, list):
        matrix = _rows(source)
    elif isinstance(source, np.ma.MaskedArray):
        matrix = np.ma.filled(source if source.dtype.kind == "f" else source.astype(object), np.nan)
    else:
        matrix = np.asarray(source)
    if matrix.dtype.names is not None and matrix.ndim == 1:
        check_shape((len(matrix), len(matrix.dtype.names)))
        return matrix
    if matrix.ndim < 2:
        raise not_a_table(matrix.ndim)
    if matrix.ndim > 2:
        raise DataError(f"Found array with dim {matrix.ndim}. A table has rows and columns: expected <= 2.")
    check_shape(matrix.shape)
    if matrix.dtype.kind == "c":
        raise DataError("Complex data not supported: a table holds real numbers, levels and text.")
    return matrix


def not_a_table(dimensions: int) -> DataError:
    """What to say to one array where a table is wanted."""
    what = f"{dimensions}D array" if dimensions else "scalar array"
    return DataError(
        f"Expected 2D array, got {what} instead:\nReshape your data either using array.reshape(-1, 1) if "
        "your data has a single feature or array.reshape(1, -1) if it contains a single sample."
    )


def check_shape(shape: tuple[int, ...]) -> None:
    """Refuse a table without rows or without columns."""
    rows, columns = shape
    if not rows:
        raise DataError(
            f"Found array with 0 sample(s) (shape=({rows}, {columns})) while a minimum of 1 is required."
        )
    if not columns:
        raise DataError(
            f"Found array with 0 feature(s) (shape=({rows}, {columns})) while a minimum of 1 is required."
        )


def _rows(source: list[Any]) -> Array:
    """A list of rows; numbers at once, anything else cell by cell, so that 1 beside 'a' stays a number."""
    lengths = {len(row) if isinstance(row, (list, tuple, np.ndarray)) else -1 for row in source}
    if len(lengths) > 1:
        raise DataError("a list of rows needs rows of one length; these differ.")
    try:
        cells = np.array(source)
    except ValueError:
        cells = np.array(source, dtype=object)
    return cells if cells.dtype.kind in "iuf" else np.array(source, dtype=object)


def columns_of(matrix: Array, report: Report) -> list[RawColumn]:
    """The columns of a matrix are x0, x1, ...; those of a structured array have names of their own."""
    fields = matrix.dtype.names
    if fields is not None:
        names = column_names(fields, report)
        return [column_of(name, matrix[field], report) for name, field in zip(names, fields, strict=True)]
    names = tuple(f"x{j}" for j in range(matrix.shape[1]))
    kind = matrix.dtype.kind
    if kind in "biuf" and matrix.dtype != np.float64 and not _beyond_floats(matrix):
        # At once, so that the copy is one block too.
        whole, matrix = int if kind in "iu" else float, matrix.astype(np.float64)
        return [RawColumn(name, "numeric", values=matrix[:, j], whole=whole) for j, name in enumerate(names)]
    return [column_of(name, matrix[:, j], report) for j, name in enumerate(names)]


def _beyond_floats(matrix: Array) -> bool:
    """Whether some integer is too large for a float64 to hold."""
    if matrix.dtype.kind not in "iu" or matrix.dtype.itemsize < 8:
        return False
    return int(matrix.max()) > cells.LAST_EXACT or int(matrix.min()) < -cells.LAST_EXACT


def column_of(name: str, values: Array, report: Report) -> RawColumn:
    """One array as a column, by its type."""
    if values.ndim != 1:
        raise DataError(f"column {name!r} has {values.ndim} dimensions; a column has one.")
    kind = values.dtype.kind
    if kind == "f":
        return cells.floats(name, values)
    if kind in "iu":
        return cells.integers(name, values, None, report)
    if kind == "b":
        return cells.booleans(name, values)
    if kind in "mM":
        return cells.moments(name, values, report)
    if kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} holds complex numbers.")
    if kind == "V":
        raise DataError(f"column {name!r} holds records of {values.dtype}; give each field a column.")
    return cells.objects(name, values.astype(object), report)


def labels_of(y: Any, report: Report) -> Array:
    """The y of a pair as one array that holds its own values."""
    if isinstance(y, np.ma.MaskedArray):
        y = np.ma.filled(y.astype(object), np.nan)
    array = np.asarray(y)
    if not isinstance(y, np.ndarray) and array.dtype.kind in "USO" and array.ndim == 1:
        # A list such as [1, "a", None] becomes strings in numpy's hands; look at its own values.
        labels = np.empty(len(y), dtype=object)
        labels[:] = list(y)
        array = labels
    if array.ndim == 2 and array.shape[1] == 1:
        report.note("y-column", "y is a matrix of one column, which is taken for the labels.")
        array = array[:, 0]
    if array.ndim != 1:
        raise not_labels(array.shape)
    return array


def not_labels(shape: tuple[int, ...]) -> DataError:
    """What to say to a matrix where labels are wanted."""
    return DataError(f"y should be a 1d array, got an array of shape {shape} instead.")
