"""Numbers as people write them for people: with a currency, a unit, a percent sign, marks between thousands.

    find_number_form    the distinct values of a column -> the one form that all of them have, or None

    1,234.50   1.234,56   1'234   $1,234.50   63,10 €   12 kg   3 %   (250.00)   CHF 12.-

The mark before decimals and the one between thousands are decided over all values: only marks that fit every one of
them come into question. Where both readings fit and differ ("1.234 €"), the form carries a doubt to be told.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_BLANKS = "[ \u00a0\u202f\u2009]"
_SIGNS = "-+\u2212\u2013"
_SYMBOLS = "€$£¥₹₽₩₺₪₫฿₦₴₱¢"
_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|CAD|AUD|NZD|INR|BRL|ZAR|TRY|RUB|KRW|SGD|HKD|MXN|ILS|"
    r"Fr\.?|SFr\.?|Rs\.?|kr\.?"
)
_CURRENCY = re.compile(rf"[A-Z]{{0,3}}[{_SYMBOLS}]|{_CODES}")
#: Units that may touch the number; any other word needs a blank before it.
_UNITS = frozenset(
    [
        "%",
        "‰",
        "°",
        "°c",
        "°f",
        "'",
        '"',
        "g",
        "kg",
        "mg",
        "µg",
        "lb",
        "lbs",
        "oz",
        "km",
        "m",
        "cm",
        "mm",
        "µm",
        "nm",
        "mi",
        "ft",
        "in",
        "yd",
        "l",
        "ml",
        "cl",
        "dl",
        "gal",
        "h",
        "hr",
        "hrs",
        "min",
        "mins",
        "s",
        "sec",
        "secs",
        "ms",
        "day",
        "days",
        "wk",
        "yr",
        "yrs",
        "mo",
        "kw",
        "mw",
        "kwh",
        "mwh",
        "wh",
        "kj",
        "cal",
        "kcal",
        "kb",
        "mb",
        "gb",
        "tb",
        "hz",
        "khz",
        "mhz",
        "ghz",
        "hpa",
        "kpa",
        "bar",
        "psi",
        "km/h",
        "kmh",
        "mph",
        "m/s",
        "kph",
        "rpm",
        "ppm",
        "db",
        "px",
        "pt",
        "pts",
        "cc",
        "ccm",
        "ha",
        "m²",
        "m³",
        "km²",
        "sqm",
        "sqft",
    ]
)
_WRITTEN = re.compile(
    rf"(?P<open>\()?{_BLANKS}*(?P<sign>[{_SIGNS}])?{_BLANKS}*(?P<before>{_CURRENCY.pattern})?{_BLANKS}*"
    rf"(?P<inner>[{_SIGNS}])?(?P<body>\d(?:[\d.,'’ \u00a0\u202f\u2009]*\d)?|[.,]\d+)(?:[.,][-–—])?"
    rf"(?:(?P<gap>{_BLANKS}*)(?P<unit>[^\d\s()\-+][^\d()]*?))?{_BLANKS}*(?P<close>\))?"
)
_WORD = re.compile(r"[^\W\d_][\w/°²³%. -]{0,18}")
_ONE_BLANK = str.maketrans({"’": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " "})
#: Digits that a double surely holds.
_DIGITS = 15


@dataclass(frozen=True, slots=True)
class NumberForm:
    """How the numbers of a column are written; `group` is empty where thousands are not marked."""

    decimal: str = "."
    group: str = ""
    unit: str = ""

    @property
    def spec(self) -> str:
        """As a schema keeps it."""
        return f"number {self.decimal}{self.group.replace(' ', '_')}"

    def number(self, text: str) -> float | None:
        """What a text of this form says; units are not looked at. None if it has another."""
        cut = _split_number(text)
        if cut is None or _shape(self.decimal, self.group).fullmatch(cut.body) is None:
            return None
        return cut.value(self.decimal, self.group)

    def describe(self) -> str:
        """For the report."""
        parts = [repr(self.unit)] if self.unit else []
        if self.group:
            what = {",": "commas", ".": "points", "'": "apostrophes", " ": "blanks"}[self.group]
            parts.append(f"{what} between thousands")
        if self.decimal == ",":
            parts.append("decimal commas")
        return f"numbers with {', '.join(parts)}" if parts else "numbers"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two readings that fit every value of a column; the first was taken."""

    taken: NumberForm
    other: NumberForm
    example: str
    as_taken: float
    as_other: float


@dataclass(frozen=True, slots=True)
class _NumberText:
    """A text cut into its parts; `body` has one kind of apostrophe and blank."""

    negative: bool
    unit: str
    body: str

    def value(self, decimal: str, group: str) -> float:
        plain = self.body.replace(group, "") if group else self.body
        number = float(plain.replace(decimal, "."))
        return -number if self.negative else number


@functools.lru_cache(maxsize=64)
def _shape(decimal: str, group: str) -> re.Pattern[str]:
    """The numbers that these marks can write."""
    point, mark = re.escape(decimal), re.escape(group)
    shapes = [rf"\d+(?:{point}\d+)?", rf"{point}\d+"]
    if group:
        shapes.append(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+(?:{point}\d+)?")
    if group == ",":
        shapes.append(rf"[1-9]\d?(?:,\d\d)+,\d{{3}}(?:{point}\d+)?")  # lakhs and crores
    return re.compile("|".join(shapes))


def _split_number(text: str) -> _NumberText | None:
    match = _WRITTEN.fullmatch(text.strip())
    if match is None or (match["open"] is None) != (match["close"] is None):
        return None
    signs = [match[name] for name in ("sign", "inner") if match[name]]
    body, unit = match["body"].translate(_ONE_BLANK), (match["unit"] or "").strip()
    if len(signs) > 1 or (signs and match["open"]) or (match["before"] and unit):
        return None
    if re.match(r"0\d", body) or sum(c.isdigit() for c in body) > _DIGITS:
        return None  # a code rather than a quantity
    if unit and not _is_unit(unit, bool(match["gap"])):
        return None
    return _NumberText(bool(match["open"]) or signs[:1] not in ([], ["+"]), match["before"] or unit, body)


@functools.lru_cache(maxsize=4096)
def _is_unit(unit: str, apart: bool) -> bool:
    # A single capital may be a million as well as a metre, or the seat in a row.
    if unit in _UNITS or (len(unit) > 1 and unit.lower() in _UNITS) or _CURRENCY.fullmatch(unit):
        return True
    return apart and _WORD.fullmatch(unit) is not None


@functools.lru_cache(maxsize=4096)
def _same_unit(unit: str) -> str:
    """Equal for units that differ in letter case, a plural or a point only."""
    plain = unit.rstrip(".").casefold()
    return plain[:-1] if len(plain) > 3 and plain.endswith("s") else plain


def find_number_form(
    levels: Iterable[str],
    *,
    decimal: str | None = None,
    hint: str | None = None,
    commas_apart: bool = False,
    lenient: bool = False,
) -> tuple[NumberForm, Doubt | None] | None:
    """The one form that all of these texts have.

    `decimal` is the mark stated by the caller, `hint` the one that other columns show; `commas_apart` says that
    commas separate the fields, so that one inside a field is rather no decimal mark. With `lenient` units may come
    and go, because the caller says that the column is numeric.
    """
    cuts: list[_NumberText] = []
    units: dict[str, str] = {}
    for level in levels:
        cut = _split_number(level)
        if cut is None:
            return None
        units.setdefault(_same_unit(cut.unit), cut.unit)
        if len(units) > 1 and not lenient:
            return None
        cuts.append(cut)
    if not cuts:
        return None
    unit = next((unit for unit in units.values() if unit), "")
    fitting = [
        NumberForm(mark, group, unit)
        for mark, group in _candidates(cuts)
        if decimal in (None, mark) and all(_shape(mark, group).fullmatch(cut.body) for cut in cuts)
    ]
    return _choose_form(fitting, cuts, hint, commas_apart)


def _candidates(cuts: Sequence[_NumberText]) -> list[tuple[str, str]]:
    """Pairs of a decimal mark and one between thousands that the marks seen leave open."""
    seen = {c for cut in cuts for c in cut.body if not c.isdigit()}
    apart = seen & {"'", " "}
    if len(apart) > 1:
        return []
    if apart:
        group = apart.pop()
        return [(mark, group) for mark in ".," if seen <= {mark, group}]
    if seen == {".", ","}:
        return [(".", ","), (",", ".")]
    if not seen:
        return [(".", "")]
    mark = seen.pop()
    return [(mark, ""), ("," if mark == "." else ".", mark)]


def _choose_form(
    fitting: list[NumberForm], cuts: list[_NumberText], hint: str | None, commas_apart: bool
) -> tuple[NumberForm, Doubt | None] | None:
    if len(fitting) < 2:
        return (fitting[0], None) if fitting else None
    one, other = fitting
    differ = next(
        (c for c in cuts if c.value(one.decimal, one.group) != c.value(other.decimal, other.group)), None
    )
    if differ is None:
        return one, None
    if hint is not None:
        return (one if one.decimal == hint else other), None
    # Nobody writes prices with three decimals; and where commas cut the fields, one inside is between thousands.
    grouped = _CURRENCY.fullmatch(one.unit) is not None or (commas_apart and "," in differ.body)
    taken, rejected = (other, one) if grouped and other.group else (one, other)
    return taken, Doubt(
        taken,
        rejected,
        differ.body,
        differ.value(taken.decimal, taken.group),
        differ.value(rejected.decimal, rejected.group),
    )
