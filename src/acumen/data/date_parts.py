"""Parts of dates as attributes of their own: a learner sees a season or a weekend in them, which days hide.

    with_parts    table, names of dates -> the table with NAME.year, NAME.month, NAME.weekday (NAME.hour) too
    needed        which dates must be taken apart so that a table has the columns of a schema
    part_of       the date and the part of it that a column of a schema is

Days since 1970-01-01 stay, under the date's own name. A model that was learned from parts finds them in new rows by
itself: `align` takes apart what the schema names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from acumen import messages
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import MISSING, Codes, Floats

PARTS = ("year", "month", "weekday", "hour")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def with_parts(table: Table, names: Iterable[str]) -> Table:
    """The same rows with the parts of these dates; a part that is there already stays as it is."""
    schema = table.schema
    values = (
        {attribute.name: column for attribute, column in table.numeric_columns()}
        if table.sparse is None
        else {}
    )
    new: list[Attribute] = []
    numbers: list[Floats] = []
    codes: list[Codes] = []
    for name in dict.fromkeys(names):
        attribute = schema[name]
        if name not in values or not attribute.is_moment or attribute.form.startswith("time"):
            raise DataError(
                f"{messages.option('date_parts').rstrip('=')}: column {name!r} is no date but {attribute.kind}; "
                "only inputs that are dates have parts."
            )
        for part in _parts(attribute):
            if part.name in schema:
                continue
            new.append(part)
            part_values = _part(part.name.rpartition(".")[2], values[name])
            if part.is_numeric:
                numbers.append(part_values)
            else:
                codes.append(np.where(np.isnan(part_values), MISSING, part_values).astype(np.int32))
    if not new:
        return table
    extended = Schema(
        (*schema.attributes, *new), schema.target, schema.weight, schema.ignored,
        (*schema.columns, *(attribute.name for attribute in new)),
    )  # fmt: skip
    return table.replace(
        schema=extended, numeric=[*table.numeric.columns, *numbers], nominal=[*table.nominal.columns, *codes]
    )


def find_needed_dates(absent: Sequence[str], schema: Schema) -> list[str]:
    """The dates of a schema whose parts are among names it lacks."""
    dates = []
    for name in absent:
        date, _, part = name.rpartition(".")
        if part in PARTS and date in schema and schema[date].is_moment and date not in dates:
            dates.append(date)
    return dates


def part_of(name: str, schema: Schema) -> tuple[str, str] | None:
    """The date and the part of it that an attribute is, where the schema has both; else None."""
    date, _, part = name.rpartition(".")
    if part not in PARTS or date not in schema.names or not schema[date].form.startswith("date"):
        return None
    return (date, part) if schema[name] in _parts(schema[date]) else None


def _parts(date: Attribute) -> list[Attribute]:
    parts = [
        Attribute(f"{date.name}.year"),
        Attribute(f"{date.name}.month", "ordinal", MONTHS),
        Attribute(f"{date.name}.weekday", "nominal", WEEKDAYS),
    ]
    return [*parts, Attribute(f"{date.name}.hour")] if date.form.startswith("datetime") else parts


def _part(part: str, days: Floats) -> Floats:
    """One part of each date: a number, or the place of its level; NaN where there is none."""
    sound = np.isfinite(days) & (np.abs(days) < 1e7)
    whole = np.floor(np.where(sound, days, 0.0))
    if part == "hour":
        values = np.floor((np.where(sound, days, 0.0) - whole) * 24 + 1e-7)
    elif part == "weekday":
        values = (whole + 3) % 7  # 1970-01-01 was a Thursday
    else:
        dates = whole.astype("M8[D]")
        years = dates.astype("M8[Y]")
        values = (
            years.astype(np.float64) + 1970
            if part == "year"
            else (dates.astype("M8[M]") - years.astype("M8[M]")).astype(np.float64)
        )
    return np.where(sound, values, np.nan)
