"""Dates and times as people write them for people, beside the ISO ones that the tokenizer reads itself.

    find_date_form    the distinct values of a column -> the one form that all of them have, or None

    31.12.2023   12/31/2023   2023/12/31   31-Dec-23   December 31, 2023   31.12.2023 18:30   6:30 pm

The order of day, month and year is decided over all values: 31/12/2023 anywhere in a column settles it for 01/02/2023.
Where two orders fit and differ, the form carries a doubt to be told. Dates are days since 1970-01-01, times a share of
a day.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

ORDERS = ("dmy", "mdy", "ymd")

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "mär": 3, "mrz": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8,
    "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
_NAMES = (
    "january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|"
    "juni|juli|oktober|dezember|jan|feb|mar|mär|mrz|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez"
)
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<share>\d{1,9}))?)?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?(?:\s*(?P<zone>z|utc|gmt|[+-]\d\d:?\d\d))?"
)
_TIMED = rf"(?:(?:T|,?\s+){_CLOCK})?"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
_NUMERIC = re.compile(
    rf"(?P<a>\d{{1,4}})(?P<mark>[./-])(?P<b>\d{{1,2}})(?P=mark)(?P<c>\d{{1,4}}){_TIMED}", re.IGNORECASE
)
_DAY_FIRST = re.compile(
    rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s./-]*(?P<name>{_NAMES})[\s.,/-]*(?P<year>\d{{4}}|\d\d){_TIMED}",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"{_WEEKDAY}(?P<name>{_NAMES})\.?[\s-]*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?[\s-]+(?P<year>\d{{4}}){_TIMED}",
    re.IGNORECASE,
)
_TIME = re.compile(_CLOCK, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DateForm:
    """How the dates of a column are written: the order of their parts, and whether times come with them."""

    order: str = ""  # one of ORDERS; nothing where months have names, or for times alone
    timed: bool = False
    dated: bool = True

    @property
    def spec(self) -> str:
        """As a schema keeps it."""
        kind = "time" if not self.dated else "datetime" if self.timed else "date"
        return f"{kind} {self.order}".rstrip()

    def number(self, text: str) -> float | None:
        """Days, or a share of one, that a text of this form says; None if it has another."""
        readings = _read_moment(text)
        if readings is None or (readings.dated != self.dated):
            return None
        return readings.days.get(self.order) if self.order in readings.days else readings.days.get("")

    def describe(self) -> str:
        """For the report."""
        if not self.dated:
            return "times of day, read as a share of the day"
        words = {"d": "day", "m": "month", "y": "year"}
        order = f" ({', '.join(words[c] for c in self.order)})" if self.order else ""
        return f"dates{' with times' if self.timed else ''}{order}, read as days since 1970-01-01"


@dataclass(frozen=True, slots=True)
class DateDoubt:
    """Two orders fit every date of a column; the first was taken."""

    taken: str
    other: str
    example: str


@dataclass(frozen=True, slots=True)
class _Readings:
    """What one text may mean: its days under each order, nothing where the order is plain."""

    days: dict[str, float]
    timed: bool
    zoned: bool
    dated: bool
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Zones:
    """An example of a time with a zone and of one without, where a column has both."""

    zoned: str = ""
    unzoned: str = ""


def _read_moment(text: str) -> _Readings | None:
    text = text.strip()
    for pattern in (_NUMERIC, _DAY_FIRST, _MONTH_FIRST, _TIME):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        share = _share(match)
        if share is None:
            return None
        timed, zoned = match["hour"] is not None, match["zone"] is not None
        if pattern is _TIME:
            return _Readings({"": share}, True, zoned, False)
        days = _numeric_days(match) if pattern is _NUMERIC else _named_month_day(match)
        readings = {order: day + share for order, day in days.items()}
        return (
            _Readings(readings, timed, zoned, True, match["mark"] if pattern is _NUMERIC else "")
            if readings
            else None
        )
    return None


def _numeric_days(match: re.Match[str]) -> dict[str, float]:
    a, b, c = match["a"], match["b"], match["c"]
    if len(a) == 4 and len(c) <= 2:
        day = _day(int(a), int(b), int(c))
        return {} if day is None else {"ymd": day}
    if len(a) > 2 or len(c) not in (2, 4) or (len(c) == 2 and (len(a) < 2 or len(b) < 2)):
        return {}  # 1.2.10 is a version sooner than a date
    year = _year(c)
    days = {"dmy": _day(year, int(b), int(a)), "mdy": _day(year, int(a), int(b))}
    return {order: day for order, day in days.items() if day is not None}


def _named_month_day(match: re.Match[str]) -> dict[str, float]:
    day = _day(_year(match["year"]), _MONTHS[match["name"][:3].lower()], int(match["day"]))
    return {} if day is None else {"": day}


def _year(text: str) -> int:
    """A year of two digits lies between 1969 and 2068."""
    number = int(text)
    return number if len(text) > 2 else number + (1900 if number >= 69 else 2000)


def _day(year: int, month: int, day: int) -> float | None:
    try:
        return float(datetime.date(year, month, day).toordinal() - _EPOCH)
    except ValueError:
        return None


def _share(match: re.Match[str]) -> float | None:
    """The share of the day that has passed; None for a time that does not exist."""
    if match["hour"] is None:
        return 0.0
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    if hour > 23 or minute > 59 or second > 60:
        return None
    seconds = 3600.0 * hour + 60 * minute + second + (float(f"0.{match['share']}") if match["share"] else 0.0)
    zone = (match["zone"] or "").lower()
    if zone[:1] in ("+", "-"):
        offset = 3600 * int(zone[1:3]) + 60 * int(zone[-2:])
        seconds -= offset if zone[0] == "+" else -offset
    return seconds / 86_400


def find_date_form(
    levels: Iterable[str], *, order: str | None = None, hint: str | None = None
) -> tuple[DateForm, DateDoubt | None, Zones] | None:
    """The one form that all of these texts have.

    `order` is stated by the caller, `hint` is that of other columns.
    """
    seen: list[tuple[str, _Readings]] = []
    dated: bool | None = None
    for level in levels:
        readings = _read_moment(level)
        if readings is None or dated not in (None, readings.dated):
            return None
        dated = readings.dated
        seen.append((level, readings))
    if not seen:
        return None
    zoned = next((text for text, one in seen if one.zoned), "")
    unzoned = next((text for text, one in seen if one.timed and not one.zoned), "")
    zones = Zones(zoned, unzoned) if zoned and unzoned else Zones()
    form = DateForm(timed=any(one.timed for _, one in seen), dated=bool(dated))
    if not dated:
        return form, None, zones
    orders = set.intersection(*(set(one.days) for _, one in seen))
    if order is not None:
        orders &= {order, ""}
    if not orders:
        return None
    if len(orders) == 1:
        return replace(form, order=orders.pop()), None, zones
    differ = next((text for text, one in seen if len({one.days[each] for each in orders}) > 1), None)
    if hint in orders:
        return replace(form, order=str(hint)), None, zones
    marks = {one.mark for _, one in seen}
    taken = "mdy" if marks == {"/"} else "dmy"
    other = "dmy" if taken == "mdy" else "mdy"
    # Points stand between day, month and year, in that order, wherever they are used.
    doubt = None if differ is None or marks == {"."} else DateDoubt(taken, other, differ)
    return replace(form, order=taken), doubt, zones
