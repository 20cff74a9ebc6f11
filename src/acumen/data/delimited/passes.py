"""Going through a delimited source with the tokenizer, as often as its columns need it.

Passes    a source under a layout: tables to be fed, whole passes, and columns read again in another way

What each column is read as is a MODE of the tokenizer; what it then was found to hold is a FORM.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from acumen import _native, messages
from acumen.data.delimited.bound import BoundForm, bind, bound_mode
from acumen.data.delimited.preamble import without_lines
from acumen.data.delimited.sniff import Layout
from acumen.data.encoding import to_utf8
from acumen.data.files import Source
from acumen.data.naming import level_text
from acumen.data.request import Request, Roles
from acumen.data.schema import Attribute
from acumen.errors import DataError

#: Converting columns is shared between this many threads; the result does not depend on it.
THREADS = min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)

#: Of every so many rows it is kept where they begin.
MARKED = 65_536

_FAULTS = {
    _native.FAULT_UNCLOSED_QUOTE: (
        "the quote opened on line {line} is never closed; close it, or say {no_quote} if quotes are "
        "ordinary characters here"
    ),
    _native.FAULT_AFTER_QUOTE: (
        "line {line} has text behind a closing quote; double the quotes inside quoted fields, or say "
        "{no_quote} if quotes are ordinary characters here"
    ),
    _native.FAULT_NUL: "line {line} holds a NUL byte, which no text does; say {encoding} if it is a text",
    _native.FAULT_TOO_LONG: (
        "the record that begins on line {line} is longer than 256 MB; perhaps a quote in it is never closed"
    ),
}


class NotUtf8(Exception):  # noqa: N818 - a signal to whoever chose the encoding
    def __init__(self, line: int) -> None:
        self.line = line


@dataclass(slots=True)
class Passes:
    """A source, how it is cut, and for each column the table of the pass that holds it."""

    source: Source
    request: Request
    store: bool
    chunk: int
    encoding: str
    layout: Layout
    names: tuple[str, ...] = ()
    modes: list[int] = field(default_factory=list)
    tables: list[_native.TextTable] = field(default_factory=list)
    skip: int = 0  # lines above the table
    fed: int = 0  # bytes of text that a whole pass goes through
    first: _native.TextTable = field(init=False)  # of the first pass over all columns
    roles: Roles = field(init=False)
    bound: dict[int, Attribute] = field(default_factory=dict)  # columns that the request's schema binds

    @property
    def n_rows(self) -> int:
        return self.first.rows

    def form(self, column: int) -> int:
        return self.tables[column].form(column)

    def stats(self, column: int) -> _native.ColumnStats:
        return self.tables[column].stats(column)

    def new_table(self, modes: Sequence[int], first: str, *, store: bool) -> _native.TextTable:
        """A table to be fed; `first` says what becomes of the first record."""
        return _native.TextTable(
            self.layout.native(self.request.dialect, self.request.missing, self.request.perhaps_missing),
            list(modes),
            ragged="fill" if self.request.ragged == "fill" else "drop",
            first=first,
            store=store,
            line=1 + self.skip,
            threads=THREADS,
        )

    def pieces(self) -> Iterable[bytes | bytearray | memoryview]:
        """The table as UTF-8, without the lines above it."""
        text = to_utf8(self.source.chunks(self.chunk), self.encoding, self.source.name)
        return without_lines(text, self.skip)

    def go(self, modes: Sequence[int], first: str) -> _native.TextTable:
        """One pass over all of the source."""
        table = self.new_table(modes, first, store=self.store)
        if (
            self.layout.columns > 1
        ):  # where a row is one field, empty lines may be rows, and are so only later
            table.mark_every(MARKED)
        for column, levels in self.given_levels().items():
            if modes[column] == _native.MODE_FIXED:
                table.set_levels(column, levels)
        for column, name in enumerate(self.names):
            asked = self.roles.kinds.get(name) in ("nominal", "ordinal")
            asked = asked or (column in self.bound and self.bound[column].is_numeric)
            if asked and modes[column] == _native.MODE_STRING:
                table.keep_all(column)
        table.expect(self.source.size)
        self.fed = 0
        for piece in self.pieces():
            self.fed += len(piece)
            table.feed(piece)
            if table.fault:
                break
        table.feed(b"", last=True)
        if table.fault == _native.FAULT_ENCODING:
            raise NotUtf8(table.fault_line)
        if table.fault:
            remedies = {
                "no_quote": messages.dialect("quote", ""),
                "encoding": messages.dialect("encoding", "utf-16"),
            }
            said = _FAULTS[table.fault].format(line=table.fault_line, **remedies)
            raise DataError(f"{self.source.name}: {said}.")
        return table

    def go_again(self, wanted: dict[int, int], first: str) -> None:
        """One more pass, for some columns in other modes."""
        if not wanted:
            return
        table = self.go([wanted.get(c, _native.MODE_SKIP) for c in range(self.layout.columns)], first)
        if table.rows != self.n_rows:
            raise DataError(f"{self.source.name} changed while it was being read.")
        for column, mode in wanted.items():
            self.tables[column] = table
            self.modes[column] = mode

    def settle_forms(self, first: str) -> None:
        """Read again as strings what turned out not to be numbers."""
        wanted = {}
        for column, mode in enumerate(self.modes):
            if mode == _native.MODE_AUTO:
                form = self.form(column)
                stats = self.stats(column)
                only_tokens = form == _native.FORM_EMPTY and (stats.quoted_missing or stats.maybe_missing)
                if form == _native.FORM_MIXED or only_tokens:
                    wanted[column] = _native.MODE_STRING
        self.go_again(wanted, first)

    # -- what the schema binds --------------------------------------------------------------------

    def give_roles(self, names: tuple[str, ...], roles: Roles) -> None:
        """Take names and roles; columns that the request's schema has are bound to it."""
        self.names = names
        self.roles, self.bound = bind(roles, self.request, names)

    def bound_form(self, column: int) -> BoundForm | None:
        """How a bound numeric column is written; None for any other."""
        attribute = self.bound.get(column)
        return (
            None if attribute is None or not attribute.is_numeric else BoundForm.of(attribute, self.request)
        )

    # -- what the caller asked --------------------------------------------------------------------

    def given_levels(self) -> dict[int, list[str]]:
        """The levels the caller gave, as a text file spells them."""
        at = {name: column for column, name in enumerate(self.names)}
        return {at[n]: [level_text(level) for level in levels] for n, levels in self.roles.levels.items()}

    def wanted(self) -> list[int]:
        """How each column is to be read, for what the caller asked of it."""
        made = [_native.MODE_AUTO] * self.layout.columns
        for column, name in enumerate(self.names):
            kind = self.roles.kinds.get(name)
            if name in self.roles.levels:
                made[column] = _native.MODE_FIXED
            elif (attribute := self.bound.get(column)) is not None:
                made[column] = bound_mode(attribute, self.bound_form(column))
            elif kind == "numeric" or name == self.roles.weight:
                made[column] = _native.MODE_NUMERIC
            elif kind in ("nominal", "ordinal", "text") or (name == self.roles.target and kind is None):
                made[column] = _native.MODE_STRING
        return made
