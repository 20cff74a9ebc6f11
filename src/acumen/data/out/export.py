"""Tables leaving as other libraries' frames, and as a small HTML preview.

    to_pandas, to_polars, to_arrow    every column of the source in its order, target and weight included
    to_html                           the first rows, for notebooks

`acumen.read` reads each of them back: nominal columns travel with all their levels, dates and times as dates and
times, missing values as the library's own. What a library cannot say is said in its function.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.escape import in_html, shorten
from acumen.data.forms import is_moment, is_zoned, shown_as
from acumen.data.naming import free_name
from acumen.data.table import Table, decode
from acumen.errors import MissingExtra
from acumen.types import MISSING, Array, Codes, Label

#: Days on either side of 1970 that every library's calendar has: the years from 1 on.
_LAST_DAY = 719_162
#: Rows and columns a preview shows.
SHOWN_ROWS, SHOWN_COLUMNS, SHOWN_LETTERS = 10, 24, 60


@dataclass(frozen=True, slots=True)
class Leaving:
    """One column on its way out: codes over levels, numbers, or plain Python values."""

    name: str
    kind: str
    values: Array
    levels: tuple[Label, ...] | None = None
    ordered: bool = False
    form: str = ""  # of numbers that are dates or times

    @property
    def moments(self) -> Array | None:
        """Dates and times in microseconds since 1970, times of day since midnight; None where it is no such column."""
        if not is_moment(self.form):
            return None
        days = np.abs(np.nan_to_num(self.values, nan=0.0))
        if not np.all(days <= _LAST_DAY):
            return None  # beyond all calendars: the numbers stay numbers
        ticks = np.round(np.nan_to_num(self.values, nan=0.0) * 86_400e6).astype(np.int64)
        if self.form.startswith("time") and not ((ticks >= 0) & (ticks < 86_400_000_000)).all():
            return None
        converted = ticks.view("m8[us]" if self.form.startswith("time") else "M8[us]")
        converted[np.isnan(self.values)] = "NaT"
        return converted

    @property
    def codes(self) -> Codes:
        """Codes with unknown levels counted as missing: no library has a word for them."""
        return np.maximum(self.values, MISSING)

    def plain(self) -> list[Any]:
        """Python values, None where missing."""
        if self.levels is not None:
            return list(decode(self.values, self.levels))
        return [None if value is None or value != value else value for value in self.values.tolist()]


def leaving(table: Table) -> Iterator[Leaving]:
    """Every column of a table in its source's order; weights that came without a column go last."""
    schema = table.schema
    columns: dict[str, Leaving] = {}
    for attribute, values in table.numeric_columns():
        columns[attribute.name] = Leaving(attribute.name, "numeric", values, form=attribute.form)
    for attribute, codes in table.nominal_columns():
        columns[attribute.name] = Leaving(
            attribute.name, attribute.kind, codes, attribute.levels, attribute.ordered
        )
    for attribute, strings in table.text_columns():
        columns[attribute.name] = Leaving(attribute.name, "text", strings)
    for attribute, values in zip(schema.ignored, table.ignored, strict=True):
        columns[attribute.name] = Leaving(attribute.name, "ignored", values)
    target = schema.target
    if target is not None and table.labels is not None:
        columns[target.name] = Leaving(
            target.name, f"target, {target.kind}", table.labels, target.levels, target.ordered
        )
    elif target is not None and table.response is not None:
        columns[target.name] = Leaving(target.name, "target, numeric", table.response, form=target.form)
    if schema.weight is not None:
        columns[schema.weight] = Leaving(schema.weight, "weight", table.row_weights)
    yield from (columns[name] for name in schema.columns)
    if schema.weight is None and table.weights.size:
        yield Leaving(free_name("weight", schema.columns), "weight", table.weights)


def to_pandas(table: Table) -> Any:
    """A pandas DataFrame; nominal columns are categorical, ordinal ones ordered."""
    pandas = _import_library("to_pandas", "pandas", "pandas")
    series = {}
    for column in leaving(table):
        if column.levels is not None:
            levels = pandas.Index(list(column.levels), dtype=None if column.levels else object)
            series[column.name] = pandas.Categorical.from_codes(column.codes, levels, ordered=column.ordered)
        elif (moments := column.moments) is not None:
            series[column.name] = _in_pandas(pandas, moments, column.form)
        else:
            series[column.name] = column.values
    return pandas.DataFrame(series)


def _in_pandas(pandas: Any, moments: Array, form: str) -> Any:
    """Dates and times as pandas has them: times of day as `datetime.time`, days alone in seconds."""
    if form.startswith("time"):
        midnight = np.datetime64(0, "us") + moments
        return np.array([None if t is None else t.time() for t in midnight.tolist()], dtype=object)
    if form.startswith("datetime"):
        column = pandas.Series(moments)
        return column.dt.tz_localize("UTC") if is_zoned(form) else column
    return moments.astype("M8[D]").astype("M8[s]") if _are_days(moments) else moments


def _are_days(moments: Array) -> bool:
    return bool((moments[~np.isnat(moments)].view(np.int64) % 86_400_000_000 == 0).all())


def to_polars(table: Table) -> Any:
    """A polars DataFrame; nominal columns are Enum, or plain numbers when their levels are.

    polars has no type for ordinal columns: an Enum is read back as nominal unless `kinds=` says more.
    """
    polars = _import_library("to_polars", "polars", "polars")
    series = []
    for column in leaving(table):
        one_type = _type_of(column.levels if column.levels is not None else column.plain())
        if column.levels is not None and one_type in (str, None):
            levels = [str(level) for level in column.levels]
            names = polars.Series(column.name, [*levels, None], dtype=polars.Enum(levels))
            series.append(names.gather(np.where(column.codes < 0, len(levels), column.codes)))
        elif (moments := column.moments) is not None:
            series.append(_in_polars(polars, column.name, moments, column.form))
        elif column.values.dtype.kind == "f":
            series.append(polars.Series(column.name, column.values, nan_to_null=True))
        else:
            dtypes = {int: polars.Int64, float: polars.Float64, bool: polars.Boolean}
            dtype = dtypes.get(one_type or str, polars.String)
            series.append(polars.Series(column.name, _as(one_type, column.plain()), dtype=dtype))
    return polars.DataFrame(series)


def _in_polars(polars: Any, name: str, moments: Array, form: str) -> Any:
    """Dates, times of day (which polars counts in nanoseconds), or times, in UTC where they came with a zone."""
    if form.startswith("time"):
        return (polars.Series(name, moments).to_physical() * 1000).cast(polars.Time)
    if not form.startswith("datetime") and _are_days(moments):
        return polars.Series(name, moments.astype("M8[D]"))
    column = polars.Series(name, moments)
    return column.dt.replace_time_zone("UTC") if is_zoned(form) else column


def to_arrow(table: Table) -> Any:
    """A pyarrow Table; nominal columns are dictionaries, ordinal ones ordered dictionaries."""
    arrow = _import_library("to_arrow", "pyarrow", "'acumen-learn[arrow]'")
    arrays = {}
    for column in leaving(table):
        if (moments := column.moments) is not None:
            arrays[column.name] = _in_arrow(arrow, moments, column.form)
            continue
        if column.values.dtype.kind == "f":
            arrays[column.name] = arrow.array(column.values, from_pandas=True)
            continue
        values = column.plain() if column.levels is None else list(column.levels)
        one_type = _type_of(values)
        dtypes = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
        dtype = dtypes.get(one_type or str, arrow.string())
        array = arrow.array(_as(one_type, values), dtype)
        if column.levels is not None:
            codes = arrow.array(column.codes, mask=column.codes < 0)
            array = arrow.DictionaryArray.from_arrays(codes, array, ordered=column.ordered)
        arrays[column.name] = array
    return arrow.table(arrays)


def _in_arrow(arrow: Any, moments: Array, form: str) -> Any:
    """Dates as date32, times of day as time64, other times as timestamps, in UTC where they came with a zone."""
    if form.startswith("time"):
        return arrow.array(moments).cast(arrow.int64()).cast(arrow.time64("us"))
    if form.startswith("date") and not form.startswith("datetime") and _are_days(moments):
        return arrow.array(moments.astype("M8[D]"))
    return arrow.array(moments).cast(arrow.timestamp("us", "UTC" if is_zoned(form) else None))


def _type_of(values: Sequence[Any]) -> type[Any] | None:
    """The one type all values have (None apart), if a column of it can be made in every library."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) != 1 or not kinds <= {str, int, float, bool}:
        return None
    if kinds == {int} and not all(-(2**63) <= value < 2**63 for value in values if value is not None):
        return None
    return kinds.pop()


def _as(one_type: type[Any] | None, values: list[Any]) -> list[Any]:
    """The values, as text when they are of no one type."""
    if one_type is not None:
        return values
    return [None if value is None else str(value) for value in values]


def _import_library(who: str, module: str, install: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra(f"{who} needs {module}: pip install {install}") from None


# -- the preview ----------------------------------------------------------------------------------


def to_html(table: Table) -> str:
    """The first rows with each column's kind under its name; colours are the page's own."""
    columns = list(leaving(table.head(SHOWN_ROWS)))
    hidden = len(columns) - SHOWN_COLUMNS
    columns = columns[:SHOWN_COLUMNS]
    rule = "border-bottom:1px solid rgba(128,128,128,.4);padding:.15em .6em;text-align:left"
    heads = "".join(
        f'<th style="{rule}">{_safe_html(column.name)}<br><small style="opacity:.7;font-weight:normal">'
        f"{_safe_html(column.kind)}</small></th>"
        for column in columns
    )
    cells = zip(
        *([_readable_value(value, column.form) for value in column.plain()] for column in columns),
        strict=True,
    )
    rows = "".join(
        "<tr>" + "".join(f'<td style="padding:.1em .6em">{_cell(value)}</td>' for value in row) + "</tr>"
        for row in cells
    )
    more = f", {_many(hidden, 'column')} not shown" if hidden > 0 else ""
    size = f"{_many(len(table), 'row')}, {_many(len(table.schema.columns), 'column')}{more}"
    return (
        '<table style="border-collapse:collapse;background:transparent;color:inherit">'
        f'<caption style="caption-side:bottom;text-align:left;opacity:.7">{size}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _many(n: int, one: str) -> str:
    return f"{n:,} {one if n == 1 else one + 's'}"


def _readable_value(value: Any, form: str) -> Any:
    """A value as a person reads it: days as a date."""
    return value if not form or not isinstance(value, float) else shown_as(form, value) or value


def _cell(value: Any) -> str:
    if value is None:
        return '<span style="opacity:.5">missing</span>'
    return _safe_html(f"{value:.6g}" if type(value) is float else str(value))


def _safe_html(text: str) -> str:
    """Text that can only be text: no markup, no control or direction characters, not too long."""
    return in_html(shorten(text, SHOWN_LETTERS))
