"""A pandas DataFrame's columns, by dtype, through pandas' own methods; pandas is never imported here.

A float64 column is borrowed from the frame's block. What the frame keeps in Arrow memory goes the way of
all Arrow columns.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from acumen.data.columns import RawColumn
from acumen.data.memory import arrays, arrow_c, arrow_columns, cells
from acumen.data.naming import column_names
from acumen.data.report import Report


def is_pandas(source: Any) -> bool:
    """Whether this is a DataFrame, a Series, an Index or one of their arrays.

    If it is, pandas has been imported by someone.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return False
    kinds = (pandas.DataFrame, pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)
    return isinstance(source, kinds)


def columns_of(frame: Any, report: Report) -> list[RawColumn]:
    """Every column of a DataFrame; its index is no column."""
    names = column_names(frame.columns, report)
    index = frame.index
    if index.names != [None]:
        named = ", ".join(repr(name) for name in index.names)
        report.note(
            "index", f"the frame's index ({named}) is not read; frame.reset_index() makes it a column."
        )
    return [column_of(name, frame.iloc[:, j], report) for j, name in enumerate(names)]


def column_of(name: str, series: Any, report: Report) -> RawColumn:
    """One Series as a column, by its dtype."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return arrays.column_of(name, series.to_numpy(), report)
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        values = series.array if hasattr(series, "array") else series
        return cells.coded(name, values.codes, dtype.categories.tolist(), report, ordered=bool(dtype.ordered))
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
        return _masked(name, series, dtype.numpy_dtype, report)
    return cells.objects(name, series.to_numpy(dtype=object), report)


def _masked(name: str, series: Any, plain: np.dtype[Any], report: Report) -> RawColumn:
    """pandas' nullable numbers and Booleans: values and a mask apart."""
    known = ~np.asarray(series.isna(), dtype=np.bool_)
    values = series.to_numpy(dtype=plain, na_value=plain.type(0))
    mask = None if known.all() else known
    if plain.kind == "b":
        return cells.booleans(name, values, mask)
    if plain.kind in "iu":
        return cells.integers(name, values, mask, report)
    return cells.floats(name, values, mask)
