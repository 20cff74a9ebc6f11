"""Values and small helpers as Python source that needs nothing but Python.

    literal    text, a truth value or a number, read back as the very same value
    HELPERS    functions that emitted programs may call, by name

The helpers treat a row as acumen does: None and NaN are missing, and texts are cut into the same words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final


def literal(value: Any) -> str:
    """A value as an expression."""
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def comment(value: Any) -> str:
    """A value in a comment: on one line and printable."""
    return ascii(value) if not str(value).isprintable() else str(value)


_VALUE = '''
def _value(row, name):
    """The value of an attribute, None where it is missing."""
    value = row.get(name)
    return None if value != value else value
'''

_TOLD_VALUE = '''
def _value(row, name):
    """The value of an attribute, None where it is missing."""
    value = row.get(name)
    if value is None or value != value:
        return None
    for told, taken in TOLD.get(name, {}).items():
        if _means(told, value) and (taken is None or not _is_number(value)):
            return taken
    return value
'''

_LEVEL = '''
def _level(row, name):
    """The level that a value of an attribute is or, if none is, means; None where it is missing."""
    value = _value(row, name)
    if value is None:
        return None
    for level in LEVELS[name]:
        if type(level) is type(value) and level == value:
            return level
    for level in LEVELS[name]:
        if _means(level, value):
            return level
    return object()  # equals no level
'''

_MEANS = '''
def _means(level, value):
    """Whether a value means a level: 1, 1.0 and "1" are the same, and so are True and "true"."""
    if not _is_number(value):
        return _word(level) == _word(value)
    try:
        return "_" not in str(level) and float(level) == value
    except ValueError:
        return False
'''

_IS_NUMBER = '''
def _is_number(value):
    """Whether a value is a number, and no truth value."""
    return not isinstance(value, str) and _word(value) not in ("true", "false")
'''

_WORD = '''
def _word(value):
    """A value as text, whole numbers and truth values written in one way."""
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return text.lower() if text.lower() in ("true", "false") else text
'''

_NUMBER = '''
def _number(row, name):
    """The number of an attribute, None where it is missing."""
    value = _value(row, name)
    return None if value is None else float(value)
'''

_DAYS = '''
def _days(row, name):
    """A date or time (also as ISO text) as days since 1970-01-01, or as a share of a day; None where it is missing."""
    value = _value(row, name)
    if value is None or value == "" or isinstance(value, (int, float)):
        return None if value in (None, "") else float(value)
    if isinstance(value, str):
        kind = datetime.time if ":" in value[:3] else datetime.datetime
        value = kind.fromisoformat(value.strip().replace("Z", "+00:00"))
    if getattr(value, "utcoffset", None) and value.utcoffset() is not None:
        value = (value - value.utcoffset()).replace(tzinfo=None)
    day = 0 if isinstance(value, datetime.time) else value.toordinal() - 719163
    if not hasattr(value, "hour"):
        return float(day)
    clock = value.hour * 3600 + value.minute * 60 + value.second
    return day + (clock * 1000000 + value.microsecond) / 86400000000
'''

_PART = '''
def _part(row, date, part):
    """The year, month, weekday or hour of a date, unless the row has it itself; None where it is missing."""
    value = _value(row, date + "." + part)
    days = _days(row, date) if value is None else None
    if days is None or not -719162 <= days < 2932897:
        return value
    if part == "hour":
        return int(days % 1 * 24 + 1e-7)
    day = datetime.date.fromordinal(int(days // 1) + 719163)
    if part == "year":
        return day.year
    if part == "month":
        return "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[day.month - 1]
    return "Mon Tue Wed Thu Fri Sat Sun".split()[day.weekday()]
'''

_PAIR = '''
def _pair(form, a, b):
    """The product, ratio or difference of two numbers, None where it is no number."""
    if a is None or b is None or (form == "/" and b == 0):
        return None
    made = a * b if form == "*" else a / b if form == "/" else a - b
    return None if made != made else made
'''

_HAS = '''
def _has(row, name, word):
    """1 where a text has a word, 0 where not, None where there is no text."""
    text = _value(row, name)
    if text is None:
        return None
    text = unicodedata.normalize("NFC", str(text).lower())
    letters = [c if c.isalnum() or c == "_" or unicodedata.category(c)[0] == "M" else " " for c in text]
    return int(word in "".join(letters).split(" "))
'''

_BOTH = '''
def _both(a, b):
    """Two values at once, None where either is missing."""
    return None if a is None or b is None else (a, b)
'''

_BELOW = '''
def _below(value, cut):
    """Whether a number is known and at most so large."""
    return value is not None and value <= cut
'''

_ABOVE = '''
def _above(value, cut):
    """Whether a number is known and larger."""
    return value is not None and value > cut
'''

_CUT = '''
def _cut(value, *cuts):
    """How many cuts lie below a number; None where it is missing."""
    return None if value is None else sum(cut < value for cut in cuts)
'''

_SLOPE = '''
def _slope(value, weight, centre, absent):
    """What a number adds; something else where there is none."""
    if value is None or value in (float("inf"), float("-inf")):
        return absent
    return (value - centre) * weight
'''

_SQUARE = '''
def _square(value, weight, centre, start, absent, farthest, slope, level):
    """What the square of a number's distance adds, beyond `farthest` a logarithm; something else for none."""
    if value is None or value in (float("inf"), float("-inf")):
        return absent
    half = abs(value * 0.5 - centre * 0.5)
    if half > farthest:
        return start + (slope * log(half) + level)
    return start + weight * (value - centre) * (value - centre)
'''

_FIRST = '''
def _first(otherwise, *cases):
    """The number of the first case that holds."""
    for holds, number in cases:
        if holds:
            return number
    return otherwise
'''

#: What tells whether two values mean the same.
_ALIKE: Final = ("_means", "_is_number", "_word")

#: Each with the helpers it calls itself, and those they call.
HELPERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "_cut": (_CUT, ()),
    "_first": (_FIRST, ()),
    "_below": (_BELOW, ()),
    "_above": (_ABOVE, ()),
    "_slope": (_SLOPE, ()),
    "_square": (_SQUARE, ()),
    "_level": (_LEVEL, ("_value", *_ALIKE)),
    "_value": (_VALUE, ()),
    "_means": (_MEANS, ()),
    "_is_number": (_IS_NUMBER, ()),
    "_word": (_WORD, ()),
    "_number": (_NUMBER, ("_value",)),
    "_days": (_DAYS, ("_value",)),
    "_part": (_PART, ("_days", "_value")),
    "_pair": (_PAIR, ()),
    "_both": (_BOTH, ()),
    "_has": (_HAS, ("_value",)),
}


def helpers(wanted: Iterable[str], *, told: bool = False) -> str:
    """The source of these helpers and of those they call, each once; with `told` values are looked up in TOLD first."""
    needed = set(wanted)
    for name in list(needed):
        needed |= set(HELPERS[name][1])
    if told and "_value" in needed:
        needed |= set(_ALIKE)
    code = "\n".join(source for name, (source, _) in HELPERS.items() if name in needed)
    return code.replace(_VALUE, _TOLD_VALUE) if told else code
