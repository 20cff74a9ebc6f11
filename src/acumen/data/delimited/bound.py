"""Columns that are read according to a schema, so that a cell has the same meaning as in the table of that schema.

    bind               roles, request -> the roles with the schema's kinds, and the attribute of each bound column
    BoundForm          converts one cell of a bound numeric column to a number
    bound_mode         the mode in which the tokenizer first reads a bound column
    find_respellings   the level of each text that is another spelling of its number
    header_of          whether the first record holds the schema's names
    delimiter_of       the delimiter that splits a line into the schema's names

Nothing about a bound column is inferred from the file, so a row means the same in any file. Options of the caller
(kinds, levels, merges, decimal mark, order of dates) take precedence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from acumen import _native, messages
from acumen.data.dialect import Dialect
from acumen.data.forms import ZONED, checked_spec, form_of, is_moment, known_as, written_number
from acumen.data.number_forms import NumberForm
from acumen.data.request import Request, Roles
from acumen.data.schema import Attribute, Schema
from acumen.errors import DataError

_CODE = re.compile(r"[+-]?0\d")  # no number, but a code with a leading zero
_GENERATED = re.compile(r"x[1-9]\d*")
_DELIMITERS = (b"\t", b";", b"|", b",")
#: Number of lines at the top of a file that may hold the names.
_TOP = 20


def bind(roles: Roles, request: Request, names: Sequence[str]) -> tuple[Roles, dict[int, Attribute]]:
    """Add the kinds of the schema in `like` to the roles; also returns the attribute of each bound column."""
    like = request.like
    if like is None:
        return roles, {}
    free = {*roles.levels, *roles.merge, *roles.ignored, roles.weight}
    bound: dict[int, Attribute] = {}
    for position, name in enumerate(names):
        attribute = like[name] if name in like and name != like.weight else None
        if attribute is None or attribute.kind == "ignored" or name in free:
            continue
        is_text_target = name == roles.target and attribute.kind == "text"
        if roles.kinds.get(name, attribute.kind) == attribute.kind and not is_text_target:
            bound[position] = attribute
    kinds = {**roles.kinds, **{attribute.name: attribute.kind for attribute in bound.values()}}
    return replace(roles, kinds=kinds), bound


@dataclass(frozen=True, slots=True)
class BoundForm:
    """The format of the cells of a bound column: a format of dates, or numbers with these marks."""

    spec: str
    decimal: str = "."
    group: str = ""

    @classmethod
    def of(cls, attribute: Attribute, request: Request) -> BoundForm:
        """The format in the schema, unless the caller states another decimal mark or order of dates."""
        spec, stated = attribute.form, request.dialect.decimal
        if is_moment(spec):
            kind, _, order = spec.removesuffix(ZONED).partition(" ")
            order = request.date_order or order
            return cls(checked_spec(f"{kind} {order}".rstrip() if kind != "time" else kind))
        decimal, group = spec[7:8], spec[8:].replace("_", " ")
        if stated is not None and stated != decimal:
            decimal, group = stated, ""
        elif (
            not decimal
        ):  # whole numbers, or numbers nobody wrote: as the other columns of the schema are written
            decimal = _shown_mark(request.like)
        if not decimal:
            return cls(spec)
        return cls(spec, decimal, group or ("." if decimal == "," else ","))

    def number(self, text: str) -> float | None:
        """Parse a cell as a number or date; None if it has another format."""
        if is_moment(self.spec):
            day = _native.parse_date(text.strip())
            return written_number(self.spec, text) if day is None else day
        number = _native.parse_number(text.strip(), self.decimal)
        return NumberForm(self.decimal, self.group).number(text) if number is None else number

    def describe(self) -> str:
        """Describe the format in the report."""
        form = form_of(self.spec) if is_moment(self.spec) else NumberForm(self.decimal, self.group)
        return "dates, read as days since 1970-01-01" if form is None else form.describe()

    def refusal(self, name: str, text: str) -> DataError:
        """The error for a cell in another format."""
        other = "." if self.decimal == "," else ","
        written = not is_moment(self.spec) and NumberForm(other, self.decimal).number(text) is not None
        marks = (
            f", or use {messages.dialect('decimal', other)} if {other!r} is its decimal mark"
            if written
            else ""
        )
        return DataError(
            f"column {name!r} holds {text!r}, but in the model it is {known_as(self.spec)}{marks}, "
            f"or use {messages.option('missing', text)} when you read the table."
        )


def _shown_mark(like: Schema | None) -> str:
    """The decimal mark that the columns of a schema use; empty if they use none or both."""
    if like is None:
        return ""
    every = (*like.numeric, *([like.target] if like.target is not None else ()))
    marks = {attribute.form[7:8] for attribute in every if attribute.form.startswith("number")}
    return marks.pop() if len(marks) == 1 else ""


def bound_mode(attribute: Attribute, form: BoundForm | None) -> int:
    """The tokenizer's mode for a bound column; numbers that it cannot read are read again as strings."""
    if form is None:
        return _native.MODE_STRING
    if is_moment(form.spec):
        return _native.MODE_DATE if form.spec in ("date", "datetime") else _native.MODE_STRING
    if len(attribute.form) > len("number ."):
        return _native.MODE_STRING
    return _native.MODE_COMMA if form.decimal == "," else _native.MODE_DOT


def find_respellings(attribute: Attribute, texts: Iterable[str]) -> dict[str, str]:
    """Map texts that spell the number of a level differently (1.0 for the level 1) to that level."""
    levels = {str(level) for level in attribute.levels}
    numbers: dict[float, str] = {}
    for level in attribute.levels:
        number = _native.parse_number(level, ".") if isinstance(level, str) else float(level)
        if number is None or _CODE.match(str(level)):
            return {}
        numbers[number] = str(level)
    spellings = {}
    for text in texts:
        plain = text.strip()
        number = None if text in levels or _CODE.match(plain) else _native.parse_number(plain, ".")
        if number is not None and number in numbers:
            spellings[text] = numbers[number]
    return spellings


def header_of(titles: Collection[str], like: Schema) -> bool | None:
    """Whether a first record with these texts holds the schema's names; None if that is unclear."""
    if any(title in like for title in titles):
        return True
    return False if all(_GENERATED.fullmatch(name) for name in like.names) else None


def delimiter_of(head: bytes, like: Schema | None, dialect: Dialect) -> str | None:
    """The delimiter that splits one of the first lines into most of the schema's names; None if none does."""
    if like is None or dialect.delimiter is not None or dialect.header is False:
        return None
    quote = dialect.quote.encode() or b'"'
    names = {name.encode("utf-8", "replace") for name in like.columns}
    best = (1, b"")
    for line in head.splitlines()[:_TOP]:
        if re.match(rb'"?sep=', line, re.IGNORECASE):
            return None
        for delimiter in _DELIMITERS:
            cells = {cell.strip().strip(quote) for cell in line.split(delimiter)}
            best = max(best, (len(cells & names), delimiter), key=lambda each: each[0])
    return best[1].decode() or None
