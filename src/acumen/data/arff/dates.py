"""Dates of ARFF files: a pattern in the notation of Java's SimpleDateFormat, as a function.

    parser   pattern -> (text -> days since 1970-01-01, a fraction of a day for the time)

ARFF takes its dates from Java, so the pattern's letters mean what they mean there, with three settled
differences: a time without a zone is taken as it stands (Java takes the machine's own zone), a year of
two digits lies between 1969 and 2068 (Java counts from today), and a date that does not exist is refused
(Java reckons it over into the next month).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

from acumen.errors import DataError

DEFAULT_PATTERN = "yyyy-MM-dd'T'HH:mm:ss"

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAMES = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_DAY_NAMES = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_ZONE = r"(?:z|(?:utc|gmt)?[+-]\d\d?:?(?:\d\d)?|utc|gmt|ut)"

#: Letters whose field is a number, and the name its group has.
_NUMBERS = {"y": "year", "M": "month", "d": "day", "D": "dayofyear", "H": "hour", "k": "hour24", "K": "hour11",
            "h": "hour12", "m": "minute", "s": "second", "S": "milli"}  # fmt: skip

_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")


def parser(pattern: str) -> Callable[[str], float]:
    """The function that reads dates of this pattern; it raises ValueError for what is no such date."""
    expression = re.compile(_expression(pattern), re.IGNORECASE)

    def days(text: str) -> float:
        match = expression.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{text!r} does not follow the date pattern {pattern!r}")
        try:
            return _days({name: value for name, value in match.groupdict().items() if value is not None})
        except (ValueError, OverflowError) as error:  # a year of forty digits overflows
            raise ValueError(f"{text!r} is no date: {error}") from None

    return days


def date_form(pattern: str) -> str:
    """What a schema keeps of a pattern: whether a time comes with the date."""
    letters = re.sub(r"'[^']*'", "", pattern)
    return "datetime" if re.search("[HkKhmsS]", letters) else "date"


def _expression(pattern: str) -> str:
    """The pattern as a regular expression, each field a named group."""
    pieces = [*_PIECE.finditer(pattern)]
    if sum(len(piece.group()) for piece in pieces) != len(pattern):
        raise DataError(f"the date pattern {pattern!r} has a quote that is not closed.")
    regex = []
    for i, piece in enumerate(pieces):
        letter = piece.group(2)
        if letter is None:
            literal = piece.group(1)
            text = piece.group() if literal is None else (literal.replace("''", "'") or "'")
            regex.append(re.escape(text))
        else:
            following = pieces[i + 1].group(2) if i + 1 < len(pieces) else None
            regex.append(_field(letter, len(piece.group()), following, pattern))
    names = re.findall(r"\?P<(\w+)>", "".join(regex))
    if len(set(names)) != len(names):
        raise DataError(f"the date pattern {pattern!r} names one field twice.")
    return "".join(regex)


def _field(letter: str, width: int, following: str | None, pattern: str) -> str:
    if letter == "M" and width >= 3:
        return f"(?P<monthname>{_MONTH_NAMES})"
    if letter in _NUMBERS:
        name = "shortyear" if letter == "y" and width == 2 else _NUMBERS[letter]
        # Numbers that touch are told apart by their widths, as in yyyyMMdd.
        digits = f"{{{width}}}" if following in _NUMBERS else "+"
        return rf"(?P<{name}>\d{digits})"
    if letter == "a":
        return r"(?P<half>am|pm)"
    if letter == "E":
        return _DAY_NAMES
    if letter in "zZX":
        return f"(?P<zone>{_ZONE})"
    raise DataError(
        f"the date pattern {pattern!r} uses the letter {letter!r}, which is not understood; "
        "known are y M d D H k K h m s S a E z Z X."
    )


def _days(field: dict[str, str]) -> float:
    number = {name: int(value) for name, value in field.items() if value.isdigit()}
    year = number.get("year", 1970)
    if "shortyear" in number:
        short = number["shortyear"]
        year = short if short > 99 else short + (1900 if short >= 69 else 2000)
    month = number.get("month", 1)
    if "monthname" in field:
        month = _MONTHS.index(field["monthname"][:3].lower()) + 1
    ordinal = datetime.date(year, month, number.get("day", 1)).toordinal()
    if "dayofyear" in number:
        ordinal = datetime.date(year, 1, 1).toordinal() + number["dayofyear"] - 1
    seconds = 3600 * _hour(number, field.get("half", "").lower()) - _offset(field.get("zone", ""))
    for name, most, unit in (("minute", 59, 60.0), ("second", 59, 1.0), ("milli", 999, 0.001)):
        value = number.get(name, 0)
        if value > most:
            raise ValueError(f"{name} must be at most {most}; got {value}")
        seconds += value * unit
    return ordinal - _EPOCH + seconds / 86400


def _hour(number: dict[str, int], half: str) -> float:
    for name, least, most in (("hour", 0, 23), ("hour24", 1, 24), ("hour11", 0, 11), ("hour12", 1, 12)):
        if name in number:
            if not least <= number[name] <= most:
                raise ValueError(f"hour must lie between {least} and {most}; got {number[name]}")
            late = 12 if half == "pm" and name in ("hour11", "hour12") else 0
            return number[name] % (24 if name in ("hour", "hour24") else 12) + late
    return 0


def _offset(zone: str) -> float:
    """Seconds east of Greenwich."""
    match = re.search(r"([+-])(\d\d?):?(\d\d)?$", zone)
    if match is None:
        return 0.0
    seconds = 3600.0 * int(match[2]) + 60.0 * int(match[3] or 0)
    return -seconds if match[1] == "-" else seconds
