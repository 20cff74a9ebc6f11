"""Passes of the tokenizer over a delimited text, as many as its columns need.

DelimitedText     a source, how its records are split, and the request
NamedColumns      the names of its columns and the caller's options for each
TextColumns       the columns after one or more passes; reading some of them again returns new TextColumns

Each column is read in one of the tokenizer's MODEs and then has one of its FORMs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from acumen import _native, messages
from acumen.data.delimited.bound import BoundForm, bind, bound_mode
from acumen.data.delimited.preamble import without_lines
from acumen.data.delimited.sniff import TextLayout
from acumen.data.encoding import NotUtf8, to_utf8
from acumen.data.files import Source
from acumen.data.naming import level_text
from acumen.data.request import Request, Roles
from acumen.data.schema import Attribute
from acumen.errors import DataError

#: Threads that convert columns; the result does not depend on their number.
THREADS = min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)

#: The tokenizer records where every block of this many rows begins.
MARKED = 65_536

_FAULTS = {
    _native.FAULT_UNCLOSED_QUOTE: (
        "the quote opened on line {line} is never closed; close it, or use {no_quote} if quotes are "
        "ordinary characters here"
    ),
    _native.FAULT_AFTER_QUOTE: (
        "line {line} has text after a closing quote; double the quotes inside quoted fields, or use "
        "{no_quote} if quotes are ordinary characters here"
    ),
    _native.FAULT_NUL: "line {line} holds a NUL byte; if this is a text file, try {encoding}",
    _native.FAULT_TOO_LONG: (
        "the record that begins on line {line} is longer than 256 MB; perhaps a quote in it is never closed"
    ),
}


@dataclass(frozen=True, slots=True)
class DelimitedText:
    """A source, how its records are split, and the request."""

    source: Source
    request: Request
    store: bool  # whether the tokenizer keeps the values
    chunk: int
    encoding: str
    layout: TextLayout
    skip: int = 0  # lines above the table

    def pieces(self) -> Iterable[bytes | bytearray | memoryview]:
        """The table as UTF-8, without the lines above it."""
        text = to_utf8(self.source.chunks(self.chunk), self.encoding, self.source.name)
        return without_lines(text, self.skip)

    def new_table(self, modes: Sequence[int], record: str) -> _native.TextTable:
        """An empty table for one pass; `record` says what happens to the first record."""
        table = _native.TextTable(
            self.layout.native(self.request.dialect, self.request.missing, self.request.perhaps_missing),
            list(modes),
            ragged="fill" if self.request.ragged == "fill" else "drop",
            first=record,
            store=self.store,
            line=1 + self.skip,
            threads=THREADS,
        )
        if (
            self.layout.columns > 1
        ):  # with one field a line, whether an empty line is a row is only known later
            table.mark_every(MARKED)
        return table

    def feed(self, table: _native.TextTable) -> int:
        """Send the whole text through a table and return the number of bytes; errors name their line."""
        table.expect(self.source.size)
        n_bytes = 0
        for piece in self.pieces():
            n_bytes += len(piece)
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
            fault = _FAULTS[table.fault].format(line=table.fault_line, **remedies)
            raise DataError(f"{self.source.name}: {fault}.")
        return n_bytes


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """Column names, their roles, and the attributes of the schema in `like`."""

    names: tuple[str, ...]
    roles: Roles
    bound: Mapping[int, Attribute]  # the columns whose reading that schema determines

    @classmethod
    def of(cls, names: Sequence[str], roles: Roles, request: Request) -> NamedColumns:
        """Bind the columns that the request's schema has."""
        if request.like is None:
            return cls(tuple(names), roles, {})
        return cls(tuple(names), *bind(roles, request, names))

    def levels(self) -> dict[int, list[str]]:
        """The levels the caller listed, as a text file spells them."""
        positions = {name: column for column, name in enumerate(self.names)}
        return {
            positions[name]: [level_text(level) for level in levels]
            for name, levels in self.roles.levels.items()
        }

    def bound_form(self, column: int, request: Request) -> BoundForm | None:
        """The format of a bound numeric column; None for any other."""
        attribute = self.bound.get(column)
        return None if attribute is None or not attribute.is_numeric else BoundForm.of(attribute, request)

    def modes(self, n_columns: int, request: Request) -> list[int]:
        """The tokenizer's mode for each column, as far as the caller's options decide it."""
        modes = [_native.MODE_AUTO] * n_columns
        for column, name in enumerate(self.names):
            kind = self.roles.kinds.get(name)
            if name in self.roles.levels:
                modes[column] = _native.MODE_FIXED
            elif (attribute := self.bound.get(column)) is not None:
                modes[column] = bound_mode(attribute, self.bound_form(column, request))
            elif kind == "numeric" or name == self.roles.weight:
                modes[column] = _native.MODE_NUMERIC
            elif kind in ("nominal", "ordinal", "text") or (name == self.roles.target and kind is None):
                modes[column] = _native.MODE_STRING
        return modes

    def keeps_all_values(self, column: int) -> bool:
        """Whether every distinct value is needed, however many there are."""
        kind = self.roles.kinds.get(self.names[column])
        return kind in ("nominal", "ordinal") or (column in self.bound and self.bound[column].is_numeric)


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The columns of a text after one or more passes: the mode each was read in, and the pass that holds it."""

    text: DelimitedText
    named: NamedColumns
    modes: tuple[int, ...]
    tables: tuple[_native.TextTable, ...]  # one for each column
    first: _native.TextTable  # of the first pass, which reads all columns
    n_bytes: int  # of text in one pass

    @classmethod
    def read(cls, text: DelimitedText, named: NamedColumns, record: str) -> TextColumns:
        """The first pass, over all columns; `record` says what happens to the first record."""
        modes = named.modes(text.layout.columns, text.request)
        table, n_bytes = _one_pass(text, named, modes, record)
        return cls(text, named, tuple(modes), (table,) * text.layout.columns, table, n_bytes)

    @property
    def names(self) -> tuple[str, ...]:
        return self.named.names

    @property
    def n_rows(self) -> int:
        return self.first.rows

    def form(self, column: int) -> int:
        return self.tables[column].form(column)

    def stats(self, column: int) -> _native.ColumnStats:
        return self.tables[column].stats(column)

    def levels(self, column: int, most: int = -1) -> list[str]:
        """The distinct values of a column of strings; of the first `most`."""
        return self.tables[column].levels(column, most)

    def reread(self, modes: Mapping[int, int], record: str) -> TextColumns:
        """The same with some columns read again in other modes, by one more pass."""
        if not modes:
            return self
        every = [modes.get(column, _native.MODE_SKIP) for column in range(self.text.layout.columns)]
        table, _ = _one_pass(self.text, self.named, every, record)
        if table.rows != self.n_rows:
            raise DataError(f"{self.text.source.name} changed while it was being read.")
        return self.replace_tables({column: (table, mode) for column, mode in modes.items()})

    def replace_tables(self, columns: Mapping[int, tuple[_native.TextTable, int]]) -> TextColumns:
        """The same with the table and mode of some columns replaced."""
        tables, modes = list(self.tables), list(self.modes)
        for column, (table, mode) in columns.items():
            tables[column], modes[column] = table, mode
        return replace(self, tables=tuple(tables), modes=tuple(modes))

    def reread_mixed(self, record: str) -> TextColumns:
        """The same with columns that turned out not to be numbers read again as strings."""
        modes = {}
        for column, mode in enumerate(self.modes):
            if mode == _native.MODE_AUTO:
                form, stats = self.form(column), self.stats(column)
                only_tokens = form == _native.FORM_EMPTY and (stats.quoted_missing or stats.maybe_missing)
                if form == _native.FORM_MIXED or only_tokens:
                    modes[column] = _native.MODE_STRING
        return self.reread(modes, record)


def _one_pass(
    text: DelimitedText, named: NamedColumns, modes: Sequence[int], record: str
) -> tuple[_native.TextTable, int]:
    """One pass over the whole text: the table it fills, and the number of its bytes."""
    table = text.new_table(modes, record)
    for column, levels in named.levels().items():
        if modes[column] == _native.MODE_FIXED:
            table.set_levels(column, levels)
    for column in range(len(named.names)):
        if modes[column] == _native.MODE_STRING and named.keeps_all_values(column):
            table.keep_all(column)
    return table, text.feed(table)
