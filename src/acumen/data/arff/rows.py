"""The rows of an ARFF file, tokenised by the kernel as the header declares.

    ArffBody.blocks   tokenise and check the rows, one block at a time
    ArffBody.column   one attribute of a block -> RawColumn

The header determines the values that a row may hold, so any other value is an error; if there are several, the error
names the first line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from acumen import _native, messages
from acumen.caching import cached_property
from acumen.data.arff.dates import date_form, parser
from acumen.data.arff.header import ArffAttribute, Header
from acumen.data.columns import RawColumn, string_kind
from acumen.data.encoding import Chunk, NotUtf8
from acumen.data.files import Source
from acumen.data.request import Ragged
from acumen.errors import DataError, did_you_mean
from acumen.types import Codes, Floats, Label

_FAULTS = {
    _native.FAULT_UNCLOSED_QUOTE: "a quote that opens here is not closed on this line.",
    _native.FAULT_AFTER_QUOTE: "a closing quote is followed by more text; put a comma or a blank behind it, "
    "and a backslash before a quote that belongs to the value.",
    _native.FAULT_NUL: "there is a NUL byte, so this is not a text file.",
    _native.FAULT_TOO_LONG: "this row is longer than 256 MB.",
    _native.FAULT_WEIGHT: "after the last value comes something that is not an instance weight {w}, "
    "w a number of at least 0.",
}


#: Of every so many rows it is kept where they begin.
MARKED = 65_536


@dataclass(frozen=True)
class ArffBody:
    """The rows of a source, and the header that declares them.

    Each call of `chunks` returns the text after the @data line as UTF-8, from its start, in pieces of roughly the given
    size; `line` is the line on which it starts.
    """

    header: Header
    chunks: Callable[..., Iterator[Chunk]]
    line: int
    missing: tuple[str, ...]
    ragged: Ragged
    place: tuple[Source, int] | None = (
        None  # of UTF-8: the source, and how many bytes of text stand before the rows
    )

    @cached_property
    def dialect(self) -> _native.TextDialect:
        return _dialect(["?"], self.missing)

    @cached_property
    def literal(self) -> _native.TextDialect:
        """The same, but that no token is missing: every cell is what is written there."""
        return _dialect([], ())

    @cached_property
    def dates(self) -> Mapping[int, Callable[[str], float]]:
        """The reader of each date attribute, by position."""
        parsers = {}
        for j, attribute in enumerate(self.header.attributes):
            if attribute.kind == "date":
                try:
                    parsers[j] = parser(attribute.pattern)
                except DataError as error:
                    where = f"ARFF line {attribute.line}: attribute {attribute.name!r}"
                    raise DataError(f"{where}: {error}") from None
        return parsers

    def levels(self, attribute: ArffAttribute) -> tuple[str, ...]:
        """The declared levels without those the caller calls missing."""
        if not any(token in attribute.levels for token in self.missing):
            return attribute.levels  # shared, not copied: there may be a million attributes
        return tuple(level for level in attribute.levels if level not in self.missing)

    # -- through the kernel -----------------------------------------------------------------------

    def blocks(
        self,
        rows: int | None = None,
        *,
        store: bool = True,
        modes: Sequence[int] | None = None,
        levels: Mapping[int, Sequence[str]] | None = None,
        keep_all: Iterable[int] = (),
        dialect: _native.TextDialect | None = None,
    ) -> Iterator[_native.TextTable]:
        """The rows in blocks of exactly `rows` (all in one block if None), the last maybe shorter or empty.

        `modes` replaces what the header asks of each column, `levels` gives the levels of columns in
        MODE_FIXED that declare none (what a sparse row does not name is missing there), `dialect` stands for the
        file's own. Take what is wanted of a block before asking for the next.
        """
        table = _native.TextTable(
            dialect or self.dialect, modes or self.modes(), ragged="fill" if self.ragged == "fill" else "drop",
            store=store, line=self.line, threads=min(2, _cores()),
        )  # fmt: skip
        for j, attribute in enumerate(self.header.attributes):
            if attribute.kind == "nominal":
                table.set_levels(j, self.levels(attribute))
        for j, declared in (levels or {}).items():
            table.set_levels(j, declared, absent_is_first=False)
        for j in keep_all:
            table.keep_all(j)
        if not store and len(self.header.attributes) > 1:
            table.mark_every(MARKED)
        limit = -1 if rows is None else rows
        # A piece is good until the next is asked for, so only an empty one can be known to be the last.
        for piece, last in chain(((piece, False) for piece in self.chunks()), ((b"", True),)):
            table.feed(piece, last, limit)
            while table.full:
                self._check(table)
                yield table
                table.clear()
                table.feed(b"", last, limit)
            if table.fault:
                break
        self._check(table)
        yield table

    def modes(self) -> list[int]:
        """What the header asks of each column."""
        mode = {"numeric": _native.MODE_DOT, "nominal": _native.MODE_FIXED}
        return [mode.get(attribute.kind, _native.MODE_STRING) for attribute in self.header.attributes]

    # -- what can be wrong ------------------------------------------------------------------------

    def _check(self, table: _native.TextTable) -> None:
        """Raise what is wrong in the first line where something is."""
        if table.fault == _native.FAULT_ENCODING:
            raise NotUtf8(table.fault_line)
        wrong = [self._value_error(table, j) for j in range(table.columns)]
        wrong.append(self._ragged_error(table) if self.ragged == "error" else None)
        wrong.append(self._fault_error(table))
        problems = [sentence for sentence in wrong if sentence is not None]
        if problems:
            line, sentence = min(problems)
            raise DataError(f"ARFF line {line}: {sentence}")

    def _value_error(self, table: _native.TextTable, j: int) -> tuple[int, str] | None:
        seen = table.stats(j).turn
        if seen is None:
            return None
        attribute, (line, value) = self.header.attributes[j], seen
        if attribute.kind == "numeric":
            return (
                line,
                f"attribute {attribute.name!r} is numeric, but the value is {value!r}; write missing values as ?.",
            )
        levels = self.levels(attribute)
        shown = ", ".join(map(repr, levels[:8])) + (", ..." if len(levels) > 8 else "")
        return line, (
            f"attribute {attribute.name!r} has the value {value!r}, which is not among its declared levels "
            f"{shown}.{did_you_mean(value, levels)}"
        )

    def _ragged_error(self, table: _native.TextTable) -> tuple[int, str] | None:
        if not table.ragged:
            return None
        line, count = table.ragged[0]
        others = table.short_rows + table.long_rows - 1
        more = f" (and {others} more rows with a wrong number)" if others else ""
        return line, (
            f"the row has {count} {'field' if count == 1 else 'fields'}, but {table.columns} attributes are "
            f"declared{more}. Quote values with blanks or commas; {messages.option('ragged', 'fill')} or 'drop' "
            "goes on."
        )

    def _fault_error(self, table: _native.TextTable) -> tuple[int, str] | None:
        if not table.fault:
            return None
        sparse = (
            "a sparse row is {position value, position value, ...} with each position once, rising, "
            f"from 0 to {table.columns - 1}."
        )
        return table.fault_line, _FAULTS.get(table.fault, sparse)

    # -- what comes out ---------------------------------------------------------------------------

    def column(self, table: _native.TextTable, j: int) -> RawColumn:
        """One attribute of a stored block. A column can be taken once."""
        attribute = self.header.attributes[j]
        if attribute.kind == "numeric":
            return RawColumn(attribute.name, "numeric", values=table.values(j), whole=str)
        codes = table.codes(j)
        if attribute.kind == "nominal":
            levels: tuple[Label, ...] = self.levels(attribute)
            return RawColumn(attribute.name, "nominal", codes=codes, levels=levels, declared=True)
        block_levels = table.levels(j)
        if attribute.kind == "date":
            days = self._days(j, codes, block_levels)
            return RawColumn(
                attribute.name, "numeric", values=days, whole=str, form=date_form(attribute.pattern)
            )
        stats = table.stats(j)
        kind = string_kind(int(np.count_nonzero(codes >= 0)), len(block_levels), stats.with_blank)
        return RawColumn(attribute.name, kind, codes=codes, levels=tuple(block_levels))

    def _days(self, j: int, codes: Codes, texts: Sequence[str]) -> Floats:
        return self.days(j, texts)[codes]  # -1, missing, reaches the last, which is NaN

    def days(self, j: int, texts: Sequence[str]) -> Floats:
        """Dates as days, and NaN at the end; a value that is no date is an error that names its line."""
        read, days, bad = self.dates[j], np.full(len(texts) + 1, np.nan), None
        for i, text in enumerate(texts):
            try:
                days[i] = read(text)
            except ValueError as error:
                bad = str(error)
                break
        if bad is not None:
            line, name = self._line_of(j, texts, i), self.header.attributes[j].name
            raise DataError(f"ARFF{f' line {line}' if line else ''}: attribute {name!r}: {bad}.")
        return days

    def _line_of(self, j: int, texts: Sequence[str], i: int) -> int:
        """The line of one of the values found: the first in its column that is none of the others; 0 if unsure."""
        modes = [_native.MODE_SKIP] * len(self.header.attributes)
        modes[j] = _native.MODE_FIXED
        table = _native.TextTable(self.dialect, modes, store=False, line=self.line)
        table.set_levels(j, [text for text in texts if text != texts[i]])
        for piece in self.chunks():
            table.feed(piece)
        table.feed(b"", True)
        seen = table.stats(j).turn
        return seen[0] if seen is not None and texts[i].startswith(seen[1]) else 0


def _dialect(missing: Sequence[str], always: Sequence[str]) -> _native.TextDialect:
    return _native.TextDialect(
        quotes="'\"", doubled=False, escapes=True, arff=True, comment="%", decimal=".",
        missing=missing, missing_always=always,
    )  # fmt: skip


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
