"""The ways in which numbers and dates are written that are no plain numbers: found over whole columns, and shown again.

    find_form     the distinct values of a column -> ColumnForm, or None: a number or date form that all of them have
    form_of       what a schema keeps of it -> the form again, so that new files are read alike
    written_number  one text of such a column -> its number
    shown_as      a number of such a column -> as a person reads it: 19722 days are 2023-12-31

Only columns that are no plain numbers come here, and only their distinct values. A few of these are tried first, so
that columns of words cost next to nothing.
"""

from __future__ import annotations

import datetime
import itertools
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Protocol

from acumen.data.date_forms import ORDERS, DateDoubt, DateForm, Zones, find_date_form
from acumen.data.number_forms import Doubt, NumberForm, find_number_form
from acumen.errors import DataError

#: How many values are tried before all are.
TRIED = 20
_SPEC = re.compile(
    r"(?:date|time)(?: (?:dmy|mdy|ymd))?|datetime(?: (?:dmy|mdy|ymd))?(?: utc)?|number [.,][.,'_]?"
)
#: Ends the form of times that came with a time zone, and are counted in UTC.
ZONED = " utc"


class CellForm(Protocol):
    """How the cells of a column are written."""

    @property
    def spec(self) -> str: ...
    def number(self, text: str) -> float | None: ...
    def describe(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """The form of a column, and what is doubtful about it."""

    form: CellForm
    doubt: Doubt | DateDoubt | None = None
    zones: Zones = Zones()  # noqa: RUF009 - immutable


def find_form(
    levels: Collection[str],
    *,
    decimal: str | None = None,
    decimal_hint: str | None = None,
    commas_apart: bool = False,
    order: str | None = None,
    order_hint: str | None = None,
    lenient: bool = False,
) -> ColumnForm | None:
    """The one form that all these values have; see `find_number_form` and `find_date_form`."""
    if not levels or not all(any(c.isdigit() for c in level) for level in itertools.islice(levels, TRIED)):
        return None
    for tried in (list(itertools.islice(levels, TRIED)), levels):
        number = find_number_form(
            tried, decimal=decimal, hint=decimal_hint, commas_apart=commas_apart, lenient=lenient
        )
        date = find_date_form(tried, order=order, hint=order_hint) if number is None else None
        if number is None and date is None:
            return None
    if number is not None:
        return ColumnForm(*number)
    assert date is not None
    return ColumnForm(*date)


def looks_written(level: str) -> bool:
    """Whether one value alone has any such form."""
    return find_number_form([level]) is not None or find_date_form([level]) is not None


def form_of(spec: str) -> NumberForm | DateForm | None:
    """The form that a schema keeps; None where the tokenizer reads it (ISO dates) or nothing is kept."""
    kind, _, rest = spec.removesuffix(ZONED).partition(" ")
    if kind == "number":
        return NumberForm(rest[0], rest[1:].replace("_", " "))
    if kind == "time":
        return DateForm(dated=False, timed=True)
    return DateForm(rest, kind == "datetime") if rest in ORDERS else None


def written_number(spec: str, text: str) -> float | None:
    """The number that one text says in the form a schema keeps; None if it has another.

    A date whose year comes first can be meant in one way only, whatever order the column had.
    """
    known = form_of(spec)
    number = None if known is None else known.number(text)
    if number is None and is_moment(spec) and not spec.startswith("time"):
        number = DateForm("ymd", timed=spec.startswith("datetime")).number(text)
    return number


def checked_spec(spec: object) -> str:
    """A stored form, if it is one."""
    if not isinstance(spec, str) or (spec and _SPEC.fullmatch(spec) is None):
        raise DataError(f"Attribute: {spec!r} is no form of numbers; leave it out.")
    return spec


def is_zoned(spec: str) -> bool:
    """Whether moments of this form came with a time zone."""
    return spec.endswith(ZONED)


def is_moment(spec: str) -> bool:
    """Whether numbers of this form are dates or times."""
    return spec.startswith(("date", "time"))


def known_as(spec: str) -> str:
    """What a column of this form holds, and what to give for it."""
    kind = spec.partition(" ")[0]
    return {
        "date": "dates; give dates",
        "datetime": "dates with times; give such",
        "time": "times of day; give such",
    }.get(kind, "numeric; give numbers")


def shown_as(spec: str, value: float) -> str | None:
    """A number of this form as a person reads it; None if it is shown as a number."""
    kind = spec.partition(" ")[0]
    if not is_moment(spec) or value != value or abs(value) > 3_000_000:
        return None
    if kind == "time":
        seconds = round(value * 86_400)
        if not 0 <= seconds < 86_400:
            return None
        return _clock(seconds)
    days, share = divmod(value, 1.0)
    seconds = round(share * 86_400)
    if seconds == 86_400:
        days, seconds = days + 1, 0
    try:
        day = datetime.date.fromordinal(int(days) + datetime.date(1970, 1, 1).toordinal()).isoformat()
    except (ValueError, OverflowError):
        return None
    return f"{day} {_clock(seconds)}" if seconds else day


def written_as(form: str, value: Any) -> Any:
    """A cell as a file of this form has it: a date, a number with the form's decimal mark, or the value itself."""
    if not isinstance(value, float) or not form:
        return value
    if is_moment(form):
        return shown_as(form, value) or value
    text = repr(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return text.replace(".", form[7:8])


def nearest_moment(spec: str, value: float) -> float:
    """What a number of this form is shown as, as a number: a whole day, or a whole second of one."""
    kind = spec.partition(" ")[0]
    if not is_moment(spec) or value != value or abs(value) > 3_000_000:
        return value
    if kind == "date":
        return float(round(value))
    return round(value * 86_400) / 86_400


def _clock(seconds: int) -> str:
    hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
    return f"{hour:02}:{minute:02}:{second:02}" if second else f"{hour:02}:{minute:02}"


def moment(spec: str, value: float | None) -> str | None:
    """A figure of a whole column of dates (its median, say), to the day; None if it is shown as a number.

    An evening belongs to its own day, not to the next: the last moment of a column lies within it.
    """
    if value is None or not is_moment(spec):
        return None
    kind = spec.partition(" ")[0]
    if kind == "time":
        return shown_as(spec, value)
    return shown_as(
        spec, float(math.floor(nearest_moment(spec, value)) if kind == "datetime" else round(value))
    )


def value_text(spec: str, value: Any) -> str:
    """A cell as people write it: days as a date, other numbers in six figures."""
    if not isinstance(value, float):
        return str(value)
    return shown_as(spec, value) or f"{value:g}"
