"""Cells of one row as people read them: days as dates, whole numbers without a point, long texts not at all.

value_said    the value alone, nothing where it is missing
said          `age = 30`, or `age is missing`
number_said   a number of an attribute: 18248 days are 2019-12-18
"""

from __future__ import annotations

import math
from typing import Any

from acumen.data.forms import shown_as
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.render.text import number

#: Longer texts are not repeated.
_LONG = 40


def value_said(row: Table, name: str, figures: int = 6) -> str:
    """The value of the one row's attribute, as it would be written; nothing where it is missing."""
    value = row.column(name)[0]
    if is_missing(value):
        return ""
    if isinstance(value, float):
        return number_said(row.schema[name], value, figures)
    return str(value).lower() if isinstance(value, bool) else str(value)


def cell_text(row: Table, name: str) -> str:
    """An attribute and its value in one row."""
    if is_missing(row.column(name)[0]):
        return f"{name} is missing"
    value = value_said(row, name)
    if row.schema[name].kind == "text" and len(value) > _LONG:
        return f"the words of {name}"
    return f"{name} = {value}"


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing."""
    return value is None or bool(value != value)


def number_said(attribute: Attribute, value: float, figures: int = 6) -> str:
    """A number in the attribute's own unit: a day as a date, others in so many figures."""
    if math.isinf(value):
        return number(value)
    shown = shown_as(attribute.form, value)
    if shown:
        return shown
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.{figures}g}"
