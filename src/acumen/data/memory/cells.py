"""Cells of one type, as arrays and frames hold them, become a column.

    floats, integers, booleans, moments    numbers, Booleans, dates and times
    categories, strings                    codes over levels, declared or found
    objects                                Python values, by their types

Each takes the cells and, if the source has one, a mask of the known cells. A float64 array is borrowed without copying,
whatever its stride.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import numbers
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from acumen import _native, messages
from acumen.data.columns import MANY_LEVELS, RawColumn, id_like, string_kind
from acumen.data.forms import ZONED, looks_written
from acumen.data.report import Report
from acumen.errors import CellError, DataError
from acumen.types import MISSING, Array, Bools, Codes, Kind, Label, Objects

#: So many values of a column of strings are looked at, whether they are numbers or dates written for people.
_LOOKED_AT = 200
#: Beyond this a float64 no longer tells neighbouring integers apart.
LAST_EXACT = 2**53
#: Ticks of numpy's units of time in a day.
PER_DAY = {"D": 1, "h": 24, "m": 1440, "s": 86_400}
PER_DAY |= {unit: 86_400 * 10**digits for unit, digits in (("ms", 3), ("us", 6), ("ns", 9))}


def floats(name: str, values: Array, known: Bools | None = None) -> RawColumn:
    """Numbers of any float type; float64 ones without a mask are borrowed."""
    if values.dtype == np.float64 and values.flags.aligned and known is None:
        return RawColumn(name, "numeric", values=values)
    numbers = values.astype(np.float64)
    if known is not None:
        numbers[~known] = np.nan
    return RawColumn(name, "numeric", values=numbers)


def integers(name: str, values: Array, known: Bools | None, report: Report) -> RawColumn:
    """Whole numbers; beyond 2^53 they are no quantities but names, and stay whole."""
    if values.dtype.itemsize == 8:
        present = values if known is None else values[known]
        if present.size and (int(present.max()) > LAST_EXACT or int(present.min()) < -LAST_EXACT):
            report.warn(
                "big-integers",
                f"column {name!r} is nominal because it holds integers beyond 2^53, which a float cannot represent "
                "exactly.",
                column=name,
            )
            levels, place = np.unique(present, return_inverse=True)
            codes = np.full(len(values), MISSING, dtype=np.int32)
            codes[slice(None) if known is None else known] = place
            return RawColumn(name, "nominal", codes=codes, levels=tuple(levels.tolist()))
    column = floats(name, values, known)
    column.whole = int
    return column


def booleans(name: str, values: Array, known: Bools | None = None) -> RawColumn:
    """False and True as a nominal column of these two levels."""
    codes = values.astype(np.int32)
    if known is not None:
        codes[~known] = MISSING
    return RawColumn(name, "nominal", codes=codes, levels=(False, True), declared=True)


def moments(
    name: str, values: Array, report: Report, *, zoned: bool = False, clock: bool = False
) -> RawColumn:
    """Dates, times and durations (datetime64, timedelta64) as days, dates since 1970-01-01.

    `zoned` times came with a zone and are in UTC; with `clock` durations are times of day.
    """
    what, since = ("durations", "") if values.dtype.kind == "m" else ("dates", " since 1970-01-01")
    what = "times of day" if clock else what
    report.note("dates", f"column {name!r} holds {what}, read as days{since}.", column=name)
    unit, step = np.datetime_data(values.dtype)
    if unit not in PER_DAY or step != 1:
        unit = "D" if unit in ("Y", "M", "W", "generic") else "ns"
        values = values.astype(f"{values.dtype.kind}8[{unit}]")
    per_day, ticks = PER_DAY[unit], values.astype(np.int64)
    # Whole days first: nanoseconds since 1970 have more digits than a float.
    if values.dtype.kind == "m":  # away from zero on both sides: a little less than a day loses no digits
        size = np.abs(ticks)
        days = np.sign(ticks) * ((size // per_day).astype(np.float64) + (size % per_day) / per_day)
    else:  # as texts are read: a day, and the share of it that has passed
        days = (ticks // per_day).astype(np.float64) + (ticks % per_day) / per_day
    days[np.isnat(values)] = np.nan
    if values.dtype.kind == "m":
        form = "time" if clock else ""
    elif unit == "D" or (unit == "s" and not zoned and not (ticks[~np.isnat(values)] % per_day).any()):
        form = "date"  # pandas has no dates alone: a Table's dates are days in seconds there
    else:
        form = f"datetime{ZONED if zoned else ''}"
    return RawColumn(name, "numeric", values=days, form=form)


def categories(
    name: str, codes: Array, levels: Sequence[Any], report: Report, *, ordered: bool = False
) -> RawColumn:
    """A categorical column: its levels are declared, used or not, and keep their order and type."""
    plain = [level.item() if isinstance(level, np.generic) else level for level in levels]
    if not all(isinstance(level, (str, int, float)) for level in plain):
        plain = [None if is_missing(level) else _text(level) for level in plain]
    place: dict[Any, int] = {}
    table = np.full(len(plain) + 1, MISSING, dtype=np.int32)
    for code, level in enumerate(plain):
        if not is_missing(level):
            table[code] = place.setdefault((type(level), level), len(place))
    kept: list[Label] = [level for _, level in place]
    if len(set(kept)) < len(kept):  # 1 and True, or 1 and 1.0: different values, equal to Python
        report.warn("mixed-types", f"column {name!r} mixes types in its levels; they are read as text.")
        texts = [None if is_missing(level) else str(level) for level in plain]
        return categories(name, codes, texts, report, ordered=ordered)
    whole = codes.astype(np.int32)
    if len(kept) < len(plain):
        whole = table[whole]  # -1 reaches the last slot
    return RawColumn(
        name, "ordinal" if ordered else "nominal", codes=whole, levels=tuple(kept), declared=True
    )


def strings(name: str, codes: Codes, levels: Sequence[str], report: Report) -> RawColumn:
    """Strings, given as codes over their distinct values: nominal, or text when they read like it."""
    if strings_kind(name, int(np.count_nonzero(codes >= 0)), levels, report) == "nominal":
        return RawColumn(name, "nominal", codes=codes, levels=tuple(levels))
    lookup = np.empty(len(levels) + 1, dtype=object)
    lookup[:-1] = levels
    lookup[-1] = None
    return RawColumn(name, "text", strings=lookup[codes])  # -1 reaches the last slot


def strings_kind(name: str, n_values: int, levels: Collection[str], report: Report) -> Kind:
    """Whether strings are nominal or text, with a note where their number decided it."""
    kind = string_kind(n_values, len(levels), sum(" " in level for level in levels))
    if kind == "text" and len(levels) > MANY_LEVELS and not id_like(n_values, len(levels)):
        report.note("many-levels", f"column {name!r} has {len(levels):,} values and is text.", column=name)
    if kind == "nominal" and len(levels) > 2:
        _warn_of_written(name, levels, report)
    return kind


def _warn_of_written(name: str, levels: Collection[str], report: Report) -> None:
    """Where a column of strings holds numbers or dates, which it would have been in a file."""
    first = next(iter(levels))
    if all(map(_digits, levels)):
        report.warn(
            "digits",
            f"column {name!r} is nominal because its numbers are text (such as {first!r}); convert them to numbers, or "
            f"use {messages.option('kinds', {name: 'numeric'})} when you read the table.",
            column=name,
        )
    elif all(map(looks_written, itertools.islice(levels, _LOOKED_AT))) and not any(map(_code, levels)):
        report.warn(
            "written",
            f"column {name!r} is nominal because its numbers or dates are text (such as {first!r}); convert them, for "
            "example with pandas.to_datetime, or read the file with acumen.read.",
            column=name,
        )


def _code(level: str) -> bool:
    """Whether digits have a zero before them, as codes of the post have."""
    return level[:1] == "0" and level.isdigit() and len(level) > 1


def _digits(level: str) -> bool:
    """Whether a string is a plain number; with leading zeros it is a code, and anything odd is none."""
    if level[:1] == "0" and level[1:2].isdigit():
        return False
    try:
        return _native.parse_number(level, ".") is not None
    except TypeError:  # half of a surrogate pair, which no UTF-8 has
        return False


def intern(values: Objects, known: Bools, as_text: Callable[[Any], str]) -> tuple[Codes, list[str]]:
    """Codes in order of first occurrence and the distinct values as text."""
    texts = values[known].tolist()
    if not all(type(text) is str for text in texts):
        texts = [as_text(value) for value in texts]
    place = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    codes = np.full(len(values), MISSING, dtype=np.int32)
    codes[known] = np.fromiter(map(place.__getitem__, texts), dtype=np.int32, count=len(texts))
    return codes, list(place)


def objects(name: str, values: Objects, report: Report) -> RawColumn:
    """Python values: all numbers, all Booleans, all strings, all dates; or others, read as text."""
    kinds = {_family(kind) for kind in set(map(type, values))}
    if kinds & {"refused", "complex"}:
        _refuse(name, values)
    known = known_cells(values)
    kinds = {_family(kind) for kind in set(map(type, values[known]))}
    if kinds <= {"number"}:
        return _numbers(name, values, known, report)
    if kinds == {"bool"}:
        return booleans(name, np.where(known, values, False).astype(np.bool_), known)
    if kinds == {"moment"}:
        zoned = all(getattr(value, "tzinfo", None) is not None for value in values[known])
        return moments(name, _as_moments(name, values, known), report, zoned=zoned)
    if kinds == {"clock"}:
        return moments(name, _as_clock(values, known), report, clock=True)
    codes, levels = intern(values, known, _text)
    if kinds == {"string"}:
        return strings(name, codes, levels, report)
    shown = ", ".join(sorted({type(value).__name__ for value in values[known]}))
    report.warn("mixed-types", f"column {name!r} holds values of type {shown}, read as text.", column=name)
    return RawColumn(name, "nominal", codes=codes, levels=tuple(levels))


def known_cells(values: Objects) -> Bools:
    """Which cells are not None, NaN, NaT or pandas' NA."""
    if any(kind.__name__ == "NAType" for kind in set(map(type, values))):
        return np.array([not is_missing(value) for value in values], dtype=np.bool_)
    return np.asarray((values == values) & (values != None), dtype=np.bool_)  # noqa: E711


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, without asking pandas."""
    if value is None:
        return True
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except decimal.InvalidOperation:
        return True  # a signalling NaN


def _family(kind: type[Any]) -> str:
    if issubclass(kind, (bool, np.bool_)):
        return "bool"
    if issubclass(kind, (str, bytes)):
        return "string"
    if kind.__name__ in ("NoneType", "NAType", "NaTType"):
        return "null"
    if issubclass(kind, (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)):
        return "moment"  # before numbers: numpy's durations are integers too
    if issubclass(kind, datetime.time):
        return "clock"
    if issubclass(kind, (complex, np.complexfloating)):
        return "complex"
    if issubclass(kind, (numbers.Number, decimal.Decimal)):
        return "number"
    if issubclass(kind, (dict, list, tuple, set, frozenset, np.ndarray)) or hasattr(kind, "__array__"):
        return "refused"
    return "other"


def _refuse(name: str, values: Objects) -> None:
    """Refuse what is no value: collections by type, complex numbers by scikit-learn's phrase."""
    for row, value in enumerate(values):
        family = _family(type(value))
        if family == "refused":
            # scikit-learn's estimator checks look for "argument must be ... string ... number".
            raise CellError(
                f"column {name!r}, row {row + 1}: a cell's argument must be a string or a real number; "
                f"got a {type(value).__name__}."
            )
        if family == "complex":
            raise DataError(f"Complex data not supported: column {name!r}, row {row + 1} holds {value!r}.")


def _numbers(name: str, values: Objects, known: Bools, report: Report) -> RawColumn:
    whole = all(isinstance(value, numbers.Integral) for value in values[known])
    if whole and known.any():
        exact = [int(value) if there else 0 for value, there in zip(values, known, strict=True)]
        if max(map(abs, exact)) < 2**63:
            return integers(name, np.array(exact, dtype=np.int64), known, report)
        codes, levels = intern(values, known, str)
        report.warn("big-integers", f"column {name!r} is nominal because it holds integers beyond 2^63.")
        return RawColumn(name, "nominal", codes=codes, levels=tuple(int(level) for level in levels))
    floats = [float(value) if there else np.nan for value, there in zip(values, known, strict=True)]
    return RawColumn(name, "numeric", values=np.array(floats, dtype=np.float64))


def _as_moments(name: str, values: Objects, known: Bools) -> Array:
    """Dates and times (those with a zone in UTC), or durations, in one numpy array."""
    plain: list[Any] = []
    for value, there in zip(values, known, strict=True):
        if there and isinstance(value, datetime.datetime) and value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        plain.append(value if there else None)
    kinds = {isinstance(value, (datetime.timedelta, np.timedelta64)) for value in values[known]}
    if len(kinds) > 1:
        raise DataError(f"column {name!r} mixes dates and durations; give each a column of its own.")
    return np.array(plain, dtype="m8[us]" if kinds == {True} else "M8[us]")


def _as_clock(values: Objects, known: Bools) -> Array:
    """Times of day since midnight."""
    start = datetime.date(1970, 1, 1)
    midnight = datetime.datetime.combine(start, datetime.time())
    plain = [
        datetime.datetime.combine(start, value.replace(tzinfo=None)) - midnight if there else None
        for value, there in zip(values, known, strict=True)
    ]
    return np.array(plain, dtype="m8[us]")


def _text(value: Any) -> str:
    if isinstance(value, (bytes, np.bytes_)):
        return value.decode("utf-8", "backslashreplace")
    return str(value)
