"""Names, values and conditions as SQL that any database of the SQL standard reads as what they are.

    identifier   a name in double quotes
    literal      text, a truth value or a number
    condition    a Condition over the columns of a table called `t`
    moment       a date or a time
    expected     what a column of dates must hold, as a comment
    column       an attribute; parts of a date are worked out from it, which no table has columns for

A missing value is NULL, and a comparison with NULL is not fulfilled, as a Condition is not. Numbers are written in as
many digits as tell them from their neighbours; the few that some databases would read a unit too high or low in
the last place (SQLite before 3.43 multiplies digits with a power of ten in 64 bits) are written as a fraction of whole
numbers, which is exact everywhere.
"""

from __future__ import annotations

import datetime
import math
import sys
from fractions import Fraction
from typing import Any

from acumen import messages
from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.data.align import value_replacements
from acumen.data.date_parts import MONTHS, WEEKDAYS, part_of
from acumen.data.escape import printable
from acumen.data.forms import is_zoned
from acumen.data.schema import Attribute, Schema
from acumen.errors import DataError

#: What the table is called in the statements made here.
ALIAS = "t"
_LARGEST_POWER = 62  # of two, in a whole number of 64 bits
_SHIFTS = (0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4)  # of the weekday by month
_EXACT_TENS = 27  # powers of ten up to this are exact in 64 bits


def identifier(name: str) -> str:
    """A name in double quotes."""
    return '"' + _writable(name, "name").replace('"', '""') + '"'


def column(name: str, schema: Schema) -> str:
    """A column of the table, or what is made of a date in it; values that were told to be others, or missing, are."""
    part = part_of(name, schema)
    if part is not None:
        return date_part(*part)
    plain = f"{ALIAS}.{identifier(name)}"
    taken = value_replacements(schema[name])
    if not taken:
        return plain
    cases = [f"WHEN {literal(a)} THEN {'NULL' if b is None else literal(b)}" for a, b in taken.items()]
    return f"CASE {plain} {' '.join(cases)} ELSE {plain} END"


def literal(value: Any) -> str:
    """A level, class or number as a constant."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    return "'" + _writable(value, "value").replace("'", "''") + "'"


def number(value: float) -> str:
    """A number that is read back as the very same one."""
    if math.isnan(value):
        return "NULL"
    if math.isinf(value):
        return "9e999" if value > 0 else "-9e999"
    if value == 0 or _survives(value):
        return repr(value)
    mantissa, exponent = math.frexp(value)
    whole, power = int(mantissa * 2**53), exponent - 53
    while whole % 2 == 0:
        whole, power = whole // 2, power + 1
    steps = []
    while power:
        step = max(-_LARGEST_POWER, min(power, _LARGEST_POWER))
        steps.append(f"{'*' if step > 0 else '/'} {2 ** abs(step)}")
        power -= step
    return f"({' '.join([f'CAST({whole} AS DOUBLE PRECISION)', *steps])})"


def _survives(value: float) -> bool:
    """Whether the decimal is read right by who rounds digits times a power of ten to 64 bits, then to 53."""
    written = Fraction(repr(value))
    digits, _, power = f"{abs(value)!r}".partition("e")
    places = len(digits.partition(".")[2].rstrip("0"))
    if abs(int(power or 0) - places) > _EXACT_TENS:
        return False
    top = abs(written)
    scale = 64 - (math.frexp(value)[1])
    rounded = Fraction(round(top * Fraction(2) ** scale)) / Fraction(2) ** scale
    return float(rounded) == abs(value)


def below(of: str, cut: float) -> str:
    """`of` <= cut; infinite cuts are said without infinities, which SQL has no common word for."""
    if cut == math.inf:
        return f"{of} IS NOT NULL"
    if cut == -math.inf:
        return f"{of} < {number(-sys.float_info.max)}"
    return f"{of} <= {number(cut)}"


def above(of: str, cut: float) -> str:
    """`of` > cut."""
    if cut == math.inf:
        return "1 = 0"
    if cut == -math.inf:
        return f"{of} >= {number(-sys.float_info.max)}"
    return f"{of} > {number(cut)}"


def expression(tested: str | CombinedAttributes, schema: Schema) -> str:
    """The column, or what is made of two numeric ones; computed in floating point as acumen does."""
    if not isinstance(tested, CombinedAttributes):
        return column(tested, schema)
    if days := [name for name in (tested.first, tested.second) if schema[name].is_moment]:
        raise DataError(
            f"to_sql: the model counts the days of {days[0]!r}, which every database writes in its own way. Use "
            f"{messages.in_python('to_python')}{messages.at_the_command_line('--python')}, or learn without pairs."
        )
    a, b = (f"CAST({column(name, schema)} AS DOUBLE PRECISION)" for name in (tested.first, tested.second))
    match tested.form:
        case "product":
            return f"({a} * {b})"
        case "difference":
            return f"({a} - {b})"
        case "ratio":
            return f"({a} / NULLIF({b}, 0))"
        case _:
            raise DataError(f"to_sql: {tested} is no number.")


def moment(form: str, value: float) -> tuple[str, str] | None:
    """A date or time as ISO text to the nearest microsecond: the shortest and the longest way to write it.

    All others lie between them: '2023-12-31' <= '2023-12-31 00:00' <= '2023-12-31 00:00:00.000000'. None beyond the
    years 1 to 9999.
    """
    try:
        instant = datetime.datetime(1970, 1, 1) + datetime.timedelta(
            microseconds=round(value * 86_400_000_000)
        )
    except (OverflowError, ValueError):
        return None
    longest = instant.isoformat(sep=" ", timespec="microseconds")
    shortest = longest.rstrip("0").removesuffix(".") if instant.microsecond else longest[:19]
    if form.startswith("time"):
        longest, shortest = longest[11:], shortest[11:]
    return f"'{shortest.removesuffix(':00').removesuffix(' 00:00')}'", f"'{longest}'"


def moment_text(of: str, form: str) -> str:
    """A column of dates, times or ISO texts as ISO text with a blank before the time, which orders as time does."""
    text = f"REPLACE(CAST({of} AS CHAR(26)), 'T', ' ')"
    return f"REPLACE({text}, 'Z', '')" if is_zoned(form) else text


def column_comment(attribute: Attribute) -> str:
    """A comment line that says what a column of dates or times must hold."""
    if attribute.form.startswith("time"):
        what = "a TIME, or text such as 18:30:00"
    elif attribute.form.startswith("datetime"):
        zone = " in UTC" if is_zoned(attribute.form) else ""
        what = f"a TIMESTAMP{zone}, or ISO text{zone} such as 2023-12-31 18:30:00"
    else:
        what = "a DATE or TIMESTAMP, or ISO text such as 2023-12-31"
    return f"-- {printable(identifier(attribute.name))}: {what}"


def date_part(date: str, part: str) -> str:
    """A part of a column of dates, or of ISO texts: databases have no common word for it, but all write dates so."""
    written = f"CAST({ALIAS}.{identifier(date)} AS CHAR({19 if part == 'hour' else 10}))"

    def digits(first: int, count: int) -> str:
        return f"SUBSTR({written}, {first}, {count})"

    if part == "hour":
        return f"CAST({digits(12, 2)} AS INTEGER)"
    if part == "month":
        return f"SUBSTR('{''.join(MONTHS)}', 3 * CAST({digits(6, 2)} AS INTEGER) - 2, 3)"
    if part == "year":
        return f"CAST({digits(1, 4)} AS INTEGER)"
    # Sakamoto's rule: January and February belong to the year before. Only whole numbers are divided, without a rest.
    shift = f"CAST(SUBSTR('{''.join(map(str, _SHIFTS))}', m, 1) AS INTEGER)"
    leaps = "(y - y % 4) / 4 - (y - y % 100) / 100 + (y - y % 400) / 400"
    year = f"CAST({digits(1, 4)} AS INTEGER) - CASE WHEN {digits(6, 2)} < '03' THEN 1 ELSE 0 END"
    month, day = (f"CAST({digits(first, 2)} AS INTEGER)" for first in (6, 9))
    return (
        f"(SELECT SUBSTR('{''.join(WEEKDAYS)}', 3 * ((y + {leaps} + {shift} + d + 6) % 7) + 1, 3) FROM "
        f"(SELECT {year} AS y, {month} AS m, {day} AS d) AS w)"
    )


def _of_moments(one: Condition, of: str, form: str) -> str:
    """A condition on dates or times, compared as ISO texts: whether the column holds dates, timestamps or text."""
    values = one.value if isinstance(one.value, tuple) else (one.value,)
    moments = [moment(form, float(value)) if math.isfinite(value) else None for value in values]
    late = [value > 0 for value in values]  # beyond all dates, or before them
    text = moment_text(of, form)

    def below(place: int) -> str:
        beyond = f"{of} IS NOT NULL" if late[place] else "1 = 0"
        return beyond if (written := moments[place]) is None else f"{text} <= {written[1]}"

    def above(place: int) -> str:
        beyond = "1 = 0" if late[place] else f"{of} IS NOT NULL"
        return beyond if (written := moments[place]) is None else f"{text} > {written[1]}"

    match one.op:
        case "<=":
            return below(0)
        case ">":
            return above(0)
        case "between":
            return f"({above(0)} AND {below(1)})"
        case _:
            among = [f"{text} BETWEEN {first} AND {last}" for first, last in filter(None, moments)]
            is_among = f"({' OR '.join(among)})" if among else "1 = 0"
            return is_among if one.op in ("=", "in") else f"({of} IS NOT NULL AND NOT {is_among})"


def condition(one: Condition, schema: Schema) -> str:
    """A condition as an expression, in brackets where it has parts; levels in the order of their attribute."""
    if one.op in ("has", "has not"):
        raise DataError(
            f"to_sql: the condition {str(one)!r} asks for a word of a text, and SQL has no words that cut "
            "texts as acumen does. Use to_python, or learn without the text column."
        )
    if isinstance(one.attribute, CombinedAttributes) and not one.attribute.is_numeric:
        return _of_pairs(one, one.attribute, schema)
    of = expression(one.attribute, schema)
    if one.op == "missing":
        return f"{of} IS NULL"
    if one.op == "known":
        return f"{of} IS NOT NULL"
    if one.op in ("<=", ">", "between") and isinstance(one.attribute, str):
        attribute = schema[one.attribute]
        if attribute.is_nominal:
            return _among(of, _levels_in_order(one, attribute.levels))
    if isinstance(one.attribute, str) and schema[one.attribute].is_moment:
        return _of_moments(one, of, schema[one.attribute].form)
    match one.op:
        case "<=":
            return below(of, float(one.value))
        case ">":
            return above(of, float(one.value))
        case "between":
            return f"({above(of, float(one.value[0]))} AND {below(of, float(one.value[1]))})"
        case "in":
            return _among(of, one.value)
        case "not in":
            return f"{of} NOT IN ({', '.join(map(literal, one.value))})"
        case _:
            return f"{of} {'=' if one.op == '=' else '<>'} {literal(one.value)}"


def _among(of: str, levels: tuple[Any, ...]) -> str:
    if len(levels) == 1:
        return f"{of} = {literal(levels[0])}"
    return f"{of} IN ({', '.join(map(literal, levels))})"


def _levels_in_order(one: Condition, levels: tuple[Any, ...]) -> tuple[Any, ...]:
    """The levels that an ordering condition allows."""
    if one.op == "between":
        return levels[levels.index(one.value[0]) + 1 : levels.index(one.value[1]) + 1]
    at = levels.index(one.value) + 1
    return levels[:at] if one.op == "<=" else levels[at:]


def _of_pairs(one: Condition, pair: CombinedAttributes, schema: Schema) -> str:
    """A condition on two levels at once: for each first level the second ones that go with it."""
    a, b = column(pair.first, schema), column(pair.second, schema)
    if one.op == "missing":
        return f"({a} IS NULL OR {b} IS NULL)"
    known = f"{a} IS NOT NULL AND {b} IS NOT NULL"
    if one.op == "known":
        return f"({known})"
    together: dict[Any, list[Any]] = {}
    for first, second in one.value if one.op in ("in", "not in") else (one.value,):
        together.setdefault(first, []).append(second)
    parts = [f"{a} = {literal(first)} AND {_among(b, tuple(seconds))}" for first, seconds in together.items()]
    if one.op in ("=", "in"):
        return f"({' OR '.join(parts)})"
    return f"({known} AND NOT ({' OR '.join(parts)}))"


def _writable(value: Any, what: str) -> str:
    """A text that a statement can hold."""
    text = str(value)
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise DataError(
            f"to_sql: the {what} {text!r} holds a character that SQL cannot write; rename it first."
        )
    return text
