"""The upper half of an ARFF file: what it declares before its rows.

    locate   bytes -> where the header ends and the rows begin, or None if more must be read
    parse    text  -> Header    the relation's name and the attributes in order

The grammar is Weka's with its usual licences: keywords in any letter case, names and levels bare or in
either kind of quotes with backslash escapes, blanks, tabs or commas between levels, `%` comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from acumen.data.arff.dates import DEFAULT_PATTERN
from acumen.data.naming import unique_names
from acumen.data.report import Report
from acumen.errors import DataError, did_you_mean

DeclaredKind: TypeAlias = Literal["numeric", "nominal", "string", "date"]

_DATA = re.compile(rb"(?:\A|[\r\n])[ \t]*@data\b[^\r\n]*(\r\n|\r|\n|\Z)", re.IGNORECASE)
_BLANK = re.compile(r"[ \t\f\v]*")
_BETWEEN = re.compile(r"(?:\s+|,|%[^\n]*)*", re.ASCII)
_STATEMENTS = re.compile(r"(?:\s+|%[^\n]*)*", re.ASCII)
_BARE = re.compile(r"[^\s,{}'\"%][^\s,{}]*", re.ASCII)
_WORD = re.compile(r"\w*")
_REST = re.compile(r"[^\n%]*")
_RANGE = re.compile(r"\[[^\]\n]*\]")
_WEIGHT = re.compile(r"\{\s*([-+.\deE]+)\s*\}")
_QUOTED = {q: re.compile(rf"{q}((?:[^{q}\\\n]|\\.)*){q}") for q in ("'", '"')}
_HEX = "[0-9a-fA-F]"
_PAIR = rf"u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
_ESCAPE = re.compile(rf"\\({_PAIR}|u{_HEX}{{4}}|.)", re.DOTALL)
_MEANT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}

#: A declaration as nearly all are written, on a line of its own; a header may hold a million of them. Levels are
#: words here, with nothing that could be a quote or a comment.
_COMMON = re.compile(
    r"(\n*)[ \t]*@attribute[ \t]+([^\s,{}'\"%][^\s,{}'\"%]*)[ \t]+"
    r"(?:(numeric|real|integer|string)|\{([^{}'\"%\\\r\n\f\v]*)\})[ \t]*(?=\n)",
    re.ASCII | re.IGNORECASE,
)
_APART = re.compile(r"[ \t,]+")

_NUMERIC = ("numeric", "real", "integer")
_TYPES = (*_NUMERIC, "string", "date", "relational")


@dataclass(frozen=True, slots=True)
class ArffAttribute:
    """One attribute as the file declares it; `line` is where it does."""

    name: str
    kind: DeclaredKind
    line: int
    levels: tuple[str, ...] = ()
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    relation: str
    attributes: tuple[ArffAttribute, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)


def locate(head: bytes | bytearray, whole: bool, start: int = 0) -> tuple[int, int] | None:
    """Where the header ends and where the rows begin; None while no complete @data line has come.

    `whole` says that nothing follows these bytes, so that a line may end without a mark. The line is looked
    for from the line break at `start` on.
    """
    match = _DATA.search(head, start)
    if match is None or (not whole and match.end() == len(head) and match[1] in (b"", b"\r")):
        return None
    return match.start(), match.end()


def looks_like(text: str) -> bool:
    """Whether a file that begins so is ARFF: comments aside, a declaration comes first."""
    text = text.removeprefix("\ufeff")
    rest = text[_end(_STATEMENTS, text, 0) :]
    return re.match(r"@(?:relation\s|attribute[ \t]+\S)", rest, re.IGNORECASE) is not None


def parse(text: str, report: Report) -> Header:
    """Read the declarations of a header (everything before the @data line)."""
    cursor = _Cursor(text.replace("\r\n", "\n").replace("\r", "\n"))
    relation = ""
    attributes: list[ArffAttribute] = []
    while True:
        _common(cursor, attributes)
        keyword = cursor.keyword()
        if keyword is None:
            break
        if keyword == "relation":
            relation = cursor.rest("a relation's name")
        elif keyword == "attribute":
            attributes.append(_attribute(cursor, report))
        else:
            raise cursor.error(
                f"expected @relation, @attribute or @data, got '@{keyword}'."
                + did_you_mean(keyword, ("relation", "attribute", "data"))
            )
    if not attributes:
        raise DataError("the ARFF header declares no attributes; each column needs an @attribute line.")
    return Header(relation, _distinct(attributes, report))


def _common(cursor: _Cursor, attributes: list[ArffAttribute]) -> None:
    """Step over lines of the common kind; whatever else comes is left to the grammar."""
    text, at, line = cursor.text, cursor.at, cursor.line
    known: dict[
        str, tuple[str, ...]
    ] = {}  # thousands of attributes often have the same levels: these are shared
    while (match := _COMMON.match(text, at)) is not None:
        breaks, name, word, inside = match.groups()
        here = line + len(breaks)
        if word is None:
            levels = known.get(inside)
            if levels is None:
                levels = known[inside] = tuple(level for level in _APART.split(inside) if level)
            if len(set(levels)) < len(levels):  # which calls for a warning
                break
            attributes.append(ArffAttribute(name, "nominal", here, levels))
        else:
            attributes.append(ArffAttribute(name, "string" if word[0] in "sS" else "numeric", here))
        at, line = match.end(), here
    cursor.step_to(at, line)


def _attribute(cursor: _Cursor, report: Report) -> ArffAttribute:
    line = cursor.line
    name = cursor.token()
    if name is None:
        raise cursor.error("@attribute needs a name and a type.")
    if cursor.peek() == "{":
        attribute = ArffAttribute(name, "nominal", line, _levels(cursor, name, report))
    else:
        attribute = _parse_type(cursor, name, line)
    if weight := cursor.match(_WEIGHT):
        text = f"attribute {name!r} has the weight {weight[1]}, which is not used."
        report.note("attribute-weight", text, column=name, lines=(line,))
    if remainder := cursor.match(_REST).group().strip():  # type: ignore[union-attr]  # it matches nothing too
        raise cursor.error(
            f"after the type of attribute {name!r} comes {remainder!r}; "
            "put a name or level with blanks or braces in quotes."
        )
    return attribute


def _parse_type(cursor: _Cursor, name: str, line: int) -> ArffAttribute:
    word = cursor.token()
    if word is None:
        raise cursor.error(
            f"attribute {name!r} has no type; give one of {', '.join(_TYPES[:5])} or {{levels}}."
        )
    kind = word.lower()
    if kind == "relational":
        raise cursor.error(
            f"attribute {name!r} is relational (a table within each row), which is not supported; "
            "write its inner attributes as columns of their own."
        )
    if kind in _NUMERIC:
        cursor.match(_RANGE)
        return ArffAttribute(name, "numeric", line)
    if kind == "string":
        return ArffAttribute(name, "string", line)
    if kind == "date":
        return ArffAttribute(name, "date", line, pattern=cursor.rest("a date pattern") or DEFAULT_PATTERN)
    raise cursor.error(
        f"attribute {name!r} has the type {word!r}; expected {', '.join(_TYPES[:5])} or a list "
        f"of levels in braces.{did_you_mean(kind, _TYPES)}"
    )


def _levels(cursor: _Cursor, name: str, report: Report) -> tuple[str, ...]:
    line = cursor.line
    cursor.at += 1
    levels: dict[str, None] = {}
    while True:
        cursor.match(_BETWEEN)
        if cursor.peek() == "}":
            cursor.at += 1
            return tuple(levels)
        level = cursor.token()
        if level is None:
            raise cursor.error(
                f"the levels of attribute {name!r}, opened by '{{', are not closed by '}}'.", line
            )
        if level in levels:
            text = f"attribute {name!r} declares the level {level!r} twice; it is taken once."
            report.warn("duplicate-level", text, column=name, lines=(line,))
        levels[level] = None


def _distinct(attributes: list[ArffAttribute], report: Report) -> tuple[ArffAttribute, ...]:
    """Give every attribute a name of its own: a second `x` becomes `x_2`."""
    names, _, twice = unique_names([attribute.name for attribute in attributes], allow_empty=True)
    for position in twice:
        attribute, name = attributes[position], names[position]
        text = (
            f"attribute {attribute.name!r} is declared twice; the one in line {attribute.line} is {name!r}."
        )
        report.note("duplicate-name", text, column=name, lines=(attribute.line,))
        attributes[position] = replace(attribute, name=name)
    return tuple(attributes)


class _Cursor:
    """A place in the header's text that knows its line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._counted, self._line = 0, 1

    @property
    def line(self) -> int:
        """The physical line, from 1; counted on from the last question, for headers may be long."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def step_to(self, at: int, line: int) -> None:
        """Go on from a place whose line is known."""
        self.at = self._counted = at
        self._line = line

    def error(self, sentence: str, line: int | None = None) -> DataError:
        return DataError(f"ARFF line {line or self.line}: {sentence}")

    def match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        """What the expression finds behind the blanks of this line, stepped over."""
        start = _end(_BLANK, self.text, self.at)
        match = expression.match(self.text, start)
        if match is not None:
            self.at = match.end()
        return match

    def peek(self) -> str:
        """The next character that is no blank, stepped up to; empty at the end."""
        self.at = _end(_BLANK, self.text, self.at)
        return self.text[self.at : self.at + 1]

    def keyword(self) -> str | None:
        """The next statement's word, None at the end."""
        self.at = _end(_STATEMENTS, self.text, self.at)
        if self.at == len(self.text):
            return None
        if self.text[self.at] != "@":
            got = self.text[self.at : self.at + 40].split("\n")[0]
            raise self.error(f"expected @relation, @attribute or @data, got {got!r}.")
        start, self.at = self.at + 1, _end(_WORD, self.text, self.at + 1)
        return self.text[start : self.at].lower()

    def token(self) -> str | None:
        """A name, type or level, bare or quoted; None if none comes on this line."""
        if self.peek() in ("'", '"'):
            return self.read_quoted()
        match = self.match(_BARE)
        return match.group() if match else None

    def read_quoted(self) -> str:
        quote = self.peek()
        match = _QUOTED[quote].match(self.text, self.at)
        if match is None:
            raise self.error(f"the quote {quote} that opens here is not closed on this line.")
        self.at = match.end()
        return unescape(match[1])

    def rest(self, what: str) -> str:
        """The rest of the line as one token: quoted, or bare and then with inner blanks kept."""
        if self.peek() in ("'", '"'):
            text = self.read_quoted()
            rest = self.match(_REST)
            if rest is not None and rest.group().strip():
                raise self.error(
                    f"after {what} comes {rest.group().strip()!r}; expected the end of the line."
                )
            return text
        match = self.match(_REST)
        return match.group().strip() if match else ""


def unescape(text: str) -> str:
    """What stands between quotes, its backslash escapes resolved as the tokenizer of the rows does it."""
    return _ESCAPE.sub(_unescape_one, text) if "\\" in text else text


def _unescape_one(escape: re.Match[str]) -> str:
    what = escape[1]
    if len(what) == 1:
        return _MEANT.get(what, what)
    if what == "u0000":
        return what
    halves = bytes.fromhex(what.replace("\\", "").replace("u", ""))
    return halves.decode("utf-16-be", "replace")


def _end(expression: re.Pattern[str], text: str, at: int) -> int:
    match = expression.match(text, at)
    return at if match is None else match.end()
