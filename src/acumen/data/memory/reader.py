"""Tables from memory: data frames of every make, arrays, sparse matrices, pairs (X, y), and tables anew.

    pandas DataFrame                      its own dtypes, without an import
    polars, pyarrow, any Arrow stream     Arrow's C data interface          arrow_c, arrow_columns
    numpy array, list of rows             by dtype or by what cells hold    arrays
    scipy sparse matrix                   a CSR block                       sparse
    (X, y)                                X as above, y the target
    Table                                 the same rows in other roles

Strings are never parsed as numbers: whoever made the frame has said that they are none.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from acumen.data.columns import RawColumn
from acumen.data.memory import arrays, arrow_c, arrow_columns, cells, sparse
from acumen.data.naming import column_names
from acumen.data.parts import Parts, parts_of
from acumen.data.raw_table import RawTable, finish, of_table, with_y
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.types import MISSING


def is_pandas(source: Any) -> bool:
    """Whether this is a DataFrame, a Series, an Index or one of their arrays.

    If it is, pandas has been imported by someone.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return False
    kinds = (pandas.DataFrame, pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)
    return isinstance(source, kinds)


def _pandas_columns(frame: Any, report: Report) -> list[RawColumn]:
    """Every column of a DataFrame; its index is no column."""
    names = column_names(frame.columns, report)
    index = frame.index
    if index.names != [None]:
        named = ", ".join(repr(name) for name in index.names)
        report.note(
            "index", f"the frame's index ({named}) is not read; frame.reset_index() makes it a column."
        )
    return [_pandas_column(name, frame.iloc[:, j], report) for j, name in enumerate(names)]


def _pandas_column(name: str, series: Any, report: Report) -> RawColumn:
    """One Series as a column, by its dtype."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return arrays.column_of(name, series.to_numpy(), report)
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        values = series.array if hasattr(series, "array") else series
        return cells.categories(
            name, values.codes, dtype.categories.tolist(), report, ordered=bool(dtype.ordered)
        )
    if kind == "StringDtype" and getattr(dtype, "storage", "") != "pyarrow":
        return cells.objects(name, series.to_numpy(dtype=object), report)
    if kind in ("ArrowDtype", "StringDtype"):
        values = series.array if hasattr(series, "array") else series
        held = values.__arrow_array__()
        if not arrow_c.speaks_arrow(held):
            held = held.combine_chunks()  # chunked arrays of early pyarrow hand nothing over
        imported = arrow_c.import_array(held)
        return arrow_columns.column_of(name, imported, report)
    if kind == "DatetimeTZDtype":
        zoned = series.dt if hasattr(series, "dt") else series
        utc = zoned.tz_convert("UTC")
        plain = utc.dt.tz_localize(None) if hasattr(utc, "dt") else utc.tz_localize(None)
        return cells.moments(name, plain.to_numpy(), report, zoned=True)
    if kind == "PeriodDtype":
        starts = series.dt.to_timestamp() if hasattr(series, "dt") else series.to_timestamp()
        return cells.moments(name, starts.to_numpy(), report)
    if kind == "SparseDtype":
        return arrays.column_of(name, np.asarray(series), report)
    if hasattr(dtype, "numpy_dtype"):
        return _nullable_column(name, series, dtype.numpy_dtype, report)
    return cells.objects(name, series.to_numpy(dtype=object), report)


def _nullable_column(name: str, series: Any, plain: np.dtype[Any], report: Report) -> RawColumn:
    """pandas' nullable numbers and Booleans: values and a mask apart."""
    known = ~np.asarray(series.isna(), dtype=np.bool_)
    values = series.to_numpy(dtype=plain, na_value=plain.type(0))
    mask = None if known.all() else known
    if plain.kind == "b":
        return cells.booleans(name, values, mask)
    if plain.kind in "iu":
        return cells.integers(name, values, mask, report)
    return cells.floats(name, values, mask)


#: What the y of a pair is called when it has no name of its own.
TARGET = "target"


def accepts(source: Any) -> bool:
    """Whether this is a table in memory."""
    if isinstance(source, tuple):
        return len(source) == 2 and not isinstance(source[0], tuple) and accepts(source[0])
    return (
        isinstance(source, (Table, np.ndarray))
        or is_pandas(source)
        or arrow_c.speaks_arrow(source)
        or _is_lazy(source)
        or sparse.is_sparse(source)
        or arrays.is_rows(source)
        or _is_narwhals(source)
    )


def read(source: Any, request: Request) -> Table:
    """The table a frame, an array, a pair or another table holds; see `acumen.read`."""
    _check(request)
    if isinstance(source, Table):
        if request == Request():
            return source
        report = Report(source.report.source, list(source.report.notes))
        return finish(of_table(source), request, report)
    report = Report(_describe(source))
    if sparse.is_sparse(source) and request == Request():
        return sparse.plain_table(sparse.csr_of(source), report)
    if isinstance(source, tuple):
        columns = gather(source[0], report)
        if source[1] is not None:
            columns = with_y(columns, *_labels(source[1], report))
        return finish(columns, request, report)
    return finish(gather(source, report), request, report)


def scan(source: Any, request: Request, rows: int) -> Parts:
    """The same in parts; they borrow from the whole, which is in memory anyway."""
    return parts_of(read(source, request), rows)


def gather(source: Any, report: Report) -> RawTable:
    """The columns of anything that `accepts` takes, pairs apart, each by its own type."""
    if isinstance(source, Table):
        return of_table(source)
    if sparse.is_sparse(source):
        return RawTable.of_matrix(sparse.csr_of(source))
    if _is_lazy(source):
        source = source.collect()
    if is_pandas(source):
        if source.ndim != 2:
            raise arrays.not_a_table(source.ndim)
        arrays.check_shape(source.shape)
        return RawTable.of_columns(_pandas_columns(source, report), len(source))
    if _is_narwhals(source):
        return gather(_native_frame(source), report)
    if arrow_c.speaks_arrow(source):
        return _gather_arrow(source, report)
    matrix = arrays.matrix_of(source)
    return RawTable.of_columns(arrays.columns_of(matrix, report), len(matrix))


def _gather_arrow(source: Any, report: Report) -> RawTable:
    _check_pyarrow(source)
    imported = arrow_c.import_array(source)
    columns, n_rows = arrow_c.fields_of(imported), len(imported)
    if columns is None:
        raise arrays.not_a_table(1)
    arrays.check_shape((n_rows, len(columns)))
    names = column_names((column.field.name for column in columns), report)
    return RawTable.of_columns(
        [arrow_columns.column_of(name, c, report) for name, c in zip(names, columns, strict=True)], n_rows
    )


def _check_pyarrow(source: Any) -> None:
    """Have pyarrow look over what it made of someone's bytes: it alone knows how long the buffers are."""
    if type(source).__module__.startswith("pyarrow") and callable(getattr(source, "validate", None)):
        try:
            source.validate()
        except ValueError as error:
            raise DataError(
                f"the {type(source).__name__} given is damaged: {str(error).splitlines()[0]}."
            ) from None


# -- the y of a pair ------------------------------------------------------------------------------


def _labels(y: Any, report: Report) -> tuple[RawColumn, int]:
    """y as a column, and its length."""
    label_name = getattr(y, "name", None)
    name = TARGET if label_name is None or not str(label_name) or callable(label_name) else str(label_name)
    if is_pandas(y):
        if y.ndim == 2:
            if y.shape[1] != 1:
                raise arrays.not_labels(y.shape)
            return _labels(y.iloc[:, 0], report)
        return _only_used_levels(_pandas_column(name, y, report)), len(y)
    if arrow_c.speaks_arrow(y):
        _check_pyarrow(y)
        imported = arrow_c.import_array(y)
        columns = arrow_c.fields_of(imported)
        if columns is not None:
            if len(columns) != 1:
                raise arrays.not_labels((len(imported), len(columns)))
            imported = columns[0]
            name = imported.field.name or TARGET
        return _only_used_levels(arrow_columns.column_of(name, imported, report)), len(imported)
    labels = arrays.labels_of(y, report)
    return _only_used_levels(arrays.column_of(name, labels, report)), len(labels)


def declared_labels(y: Any) -> RawColumn | None:
    """The labels as `read((X, y))` takes them where y declares its levels (a categorical of any library), else None."""
    dtype = getattr(y, "dtype", None)
    if isinstance(y, np.ndarray) or isinstance(dtype, np.dtype):
        return None
    if not (is_pandas(y) or arrow_c.speaks_arrow(y)) or getattr(y, "ndim", 1) != 1:
        return None
    column = _labels(y, Report())[0]
    return column if column.declared and column.codes is not None else None


def _only_used_levels(column: RawColumn) -> RawColumn:
    """An array of Booleans declares no label that it does not hold, as numpy.unique would have it."""
    if column.codes is not None and column.levels == (False, True):
        held = np.unique(column.codes[column.codes >= 0])
        if len(held) == 1:
            column.levels = (bool(held[0]),)
            column.codes = np.where(column.codes >= 0, 0, MISSING).astype(np.int32)
    return column


# -- telling sources apart ------------------------------------------------------------------------


def _is_narwhals(source: Any) -> bool:
    """Whether this is a frame only narwhals knows: its own, or of a library without Arrow's interface."""
    if hasattr(source, "to_native") and type(source).__module__.startswith("narwhals"):
        return True
    if arrow_c.speaks_arrow(source) or not (hasattr(source, "columns") and hasattr(source, "shape")):
        return False
    from narwhals.stable.v1.dependencies import is_into_dataframe

    return not is_pandas(source) and bool(is_into_dataframe(source))


def _native_frame(source: Any) -> Any:
    """The frame inside a narwhals one; of any other library the same rows as pandas has them."""
    if hasattr(source, "to_native"):
        return source.to_native()
    from narwhals.stable.v1 import from_native

    return from_native(source, eager_only=True).to_pandas()


def _is_lazy(source: Any) -> bool:
    """Whether this is a polars LazyFrame; if it is, polars has been imported by someone."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(source, polars.LazyFrame)


def _describe(source: Any) -> str:
    if isinstance(source, tuple):
        return f"a pair of {_describe(source[0])} and labels"
    kind = type(source)
    return f"a {kind.__module__.split('.')[0]} {kind.__name__}".replace("builtins list", "list of rows")


def _check(request: Request) -> None:
    """Refuse what only files and databases can be asked."""
    plain = Request()
    for name in ("dialect", "ragged", "query", "params", "max_bytes"):
        if getattr(request, name) != getattr(plain, name):
            raise ParameterError(f"read: {name}= is for files and databases; a table in memory has none.")
