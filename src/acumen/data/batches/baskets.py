"""Baskets: one list of items per line, read as a sparse table with a 0/1 column for each item.

    files     .basket, .baskets; any name with Dialect(format="basket")
    target    an item (is it in the basket?), the name before = in items such as class=yes,
              or 0 or -1: the first or last entry of each line is its class

Items are separated by one character, detected or set in the Dialect, or else by blanks. An item that occurs twice in a
basket counts once. A blank line between baskets is an empty basket; at the end of the file it is skipped. A file need
not contain every item that a model knows: the others are in none of its baskets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import _native, messages
from acumen.data import lines
from acumen.data.align import ABSENT_ZERO
from acumen.data.batches.batched import Batches, read_whole, scan_batches
from acumen.data.columns import RawColumn, sorted_levels
from acumen.data.files import Source, open_source
from acumen.data.naming import free_name
from acumen.data.parts import Parts
from acumen.data.raw_table import RawTable
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.types import MISSING, Codes, Indices

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from acumen.data.request import Column


#: The name of a class that is given by its position on the line.
TARGET = "class"


@dataclass(frozen=True)
class Labelling:
    """The target of baskets: `name` (may be empty), and the positions of its items in the order of `levels`."""

    name: str
    kept: tuple[str, ...]
    positions: Indices
    labels: tuple[int, ...] = ()
    levels: tuple[str, ...] = ()

    def column(self, matrix: csr_matrix, lines: Indices, source: str) -> RawColumn:
        """The class of each row of a matrix over all items; `lines` has the line number of each row."""
        chosen = matrix[:, list(self.labels)]
        held = np.diff(chosen.indptr)
        if len(self.levels) == 2 and len(self.labels) == 1:  # an item is in a basket or not
            codes: Codes = held.astype(np.int32)
        else:
            several = np.flatnonzero(held > 1)
            if several.size:
                raise DataError(
                    f"{source}: line {lines[several[0]]} has several items that begin with '{self.name}='; a basket "
                    "can have only one class."
                )
            codes = np.full(len(held), MISSING, dtype=np.int32)
            codes[held == 1] = chosen.indices
        return RawColumn(self.name, "nominal", codes=codes, levels=self.levels, declared=True)


def labelling_of(items: tuple[str, ...], target: Column | None, source: str) -> Labelling:
    """Find the items that define the class: one item, or all that begin with the target's name and `=`."""
    everything = np.arange(len(items), dtype=np.intp)
    if target is None:
        return Labelling("", items, everything)
    name = str(target)
    at = {item: j for j, item in enumerate(items)}
    chosen: tuple[int, ...]
    levels: tuple[str, ...]
    if name in at:
        chosen, levels = (at[name],), ("0", "1")
    else:
        values = [item.partition("=")[2] for item in items if item.startswith(f"{name}=")]
        if not values:
            raise DataError(
                f"{source}: there is no item {name!r} and none that begins with '{name}='.{did_you_mean(name, items)}"
            )
        levels = tuple(str(value) for value in sorted_levels(values))
        chosen = tuple(at[f"{name}={value}"] for value in levels)
    gone = set(chosen)
    kept = np.array([j for j in everything if j not in gone], dtype=np.intp)
    return Labelling(name, tuple(items[j] for j in kept), kept, chosen, levels)


#: The most items allowed: each becomes a column.
MANY_ITEMS = 2_000_000
_CANDIDATES = "\t;|,"


def read(source: Any, request: Request) -> Table:
    """The whole file as one table."""
    baskets = _Baskets.of(source, request)
    return read_whole(next(baskets.batches(whole=True)), baskets.request, baskets.report)


def scan(source: Any, request: Request, rows: int) -> Parts:
    """Read the file in parts; a first pass collects its items."""
    baskets = _Baskets.of(source, request)
    batches = Batches(lambda _, __: baskets.batches(), frozenset(baskets.labelling.kept))
    return scan_batches(batches, baskets.gather(0, {}, None), baskets.request, baskets.report, rows)


@dataclass
class _Baskets:
    """A file of baskets and its items."""

    file: Source
    request: Request
    report: Report
    delimiter: str
    place: int = 0  # of the label on each line: 1 first, 2 last, 0 none
    items: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()  # the distinct labels, if they have a place on the line
    labelling: Labelling = field(init=False)
    name: str = TARGET

    @classmethod
    def of(cls, source: Any, request: Request) -> _Baskets:
        request.require_no_query()
        request.require_text("a file of baskets", "delimiter", "quote", "comment")
        for option in ("delimiter", "quote", "comment"):
            delimiter = getattr(request.dialect, option)
            if delimiter and not delimiter.isascii():
                raise ParameterError(f"Dialect: {option} must be an ASCII character; got {delimiter!r}.")
        file = open_source(source, request.max_bytes)
        delimiter = request.dialect.delimiter
        survey = cls(
            file, request, Report(file.name), _delimiter(file, request) if delimiter is None else delimiter
        )
        target = request.target
        if not isinstance(target, str):
            if target not in (None, 0, -1):
                raise ParameterError(
                    f"read: the target of baskets must be an item, a name before =, or 0 or -1 for the first or last "
                    f"entry of each line; got {target!r}."
                )
            survey.place = 0 if target is None else 1 if target == 0 else 2
        survey._survey()
        if isinstance(target, str) and target in ("0", "-1") and target not in survey.items:
            survey.place = 1 if target == "0" else 2  # from a command line, where everything is text
            survey.report.notes.clear()
            survey._survey()
        survey._settle()
        return survey

    def _survey(self) -> None:
        """Collect the items and classes, and report oddities."""
        reader = self._reader()
        for _ in self._feed(reader):
            reader.clear()
        if reader.n_items > MANY_ITEMS:
            raise DataError(
                f"{self.file.name} holds {reader.n_items:,} items; more than {MANY_ITEMS:,} are refused."
            )
        self.items = _texts(reader.items(), self.file.name)
        self.classes = tuple(str(c) for c in sorted_levels(_texts(reader.label_names(), self.file.name)))
        shown = {"\t": "tabs", "": "blanks", " ": "blanks"}.get(self.delimiter, repr(self.delimiter))
        self.report.note("baskets", f"items are separated by {shown}; there are {len(self.items):,} of them.")
        self.report.note(ABSENT_ZERO, "items that do not occur in this file are in none of its baskets.")
        for count, code, what in (
            (reader.blank_lines, "blank-lines", "blank line"),
            (reader.comments, "comments", "comment"),
        ):
            if count:
                at_end = " at the end" if code == "blank-lines" else ""
                sentence = f"{what}{at_end} was" if count == 1 else f"{what}s{at_end} were"
                self.report.note(code, f"{count:,} {sentence} skipped.", count=count)
        if reader.empty:
            sentence = (
                "blank line is an empty basket" if reader.empty == 1 else "blank lines are empty baskets"
            )
            self.report.note("empty-baskets", f"{reader.empty:,} {sentence}.", count=reader.empty)
        if reader.repeated:
            n = reader.repeated
            sentence = (
                "1 item is repeated within its basket and counts"
                if n == 1
                else f"{n:,} items are repeated within their basket and count"
            )
            self.report.note("repeated-items", f"{sentence} once.", count=n)

    def _settle(self) -> None:
        self.items = tuple(str(item) for item in sorted_levels(self.items))
        target = self.request.target if self.place == 0 else None
        self.labelling = labelling_of(self.items, target, self.file.name)
        self.name = free_name(TARGET, self.items) if self.place else self.labelling.name
        if not self.labelling.kept:
            raise DataError(f"{self.file.name} holds no items.")
        self.request = replace(self.request, target=self.name if target is not None or self.place else None)

    def gather(self, n_rows: int, columns: dict[str, RawColumn], matrix: Any) -> RawTable:
        """Build a batch with this file's columns."""
        first = (self.name,) if self.request.target is not None else ()
        kept = self.labelling.kept
        return RawTable(n_rows, (*first, *kept), columns, matrix, kept)

    def batches(self, whole: bool = False) -> Iterator[RawTable]:
        """The rows in batches, or in a single batch if `whole`."""
        from scipy.sparse import csr_matrix

        reader = self._reader()
        for item in self.items:
            reader.know(item)
        for last in self._feed(reader):
            if whole and not last:
                continue
            if reader.n_items != len(self.items):
                raise DataError(f"{self.file.name} changed while it was being read: it holds a new item.")
            n_rows, positions, where = reader.n_rows, reader.positions(), reader.lines()
            matrix = csr_matrix(
                (np.ones(len(positions)), positions, reader.starts()), shape=(n_rows, len(self.items))
            )
            matrix.has_canonical_format = True
            columns = {}
            if self.place:
                columns[self.name] = self._label_column(reader)
            elif self.request.target is not None:
                columns[self.name] = self.labelling.column(matrix, where, self.file.name)
                matrix = matrix[:, self.labelling.positions]
            yield self.gather(n_rows, columns, matrix)
            reader.clear()

    def _label_column(self, reader: _native.BasketReader) -> RawColumn:
        """The column of labels that are the first or last entry of each line."""
        names = _texts(reader.label_names(), self.file.name)
        at = {name: code for code, name in enumerate(self.classes)}
        if not at.keys() >= set(names):
            raise DataError(f"{self.file.name} changed while it was being read: it holds a new class.")
        table = np.array([*(at[name] for name in names), -1], dtype=np.int32)
        codes = table[reader.labels()]  # -1 reaches the last slot
        return RawColumn(self.name, "nominal", codes=codes, levels=self.classes, declared=True)

    def _reader(self) -> _native.BasketReader:
        dialect = self.request.dialect
        return _native.BasketReader(
            delimiter="" if self.delimiter == " " else self.delimiter, quote=dialect.quote,
            comment=dialect.comment or "", label=self.place, longest=lines.LONGEST,
        )  # fmt: skip

    def _feed(self, reader: _native.BasketReader) -> Iterator[bool]:
        """Feed the whole file to the reader; yields after each piece, True at the end."""
        for piece in lines.utf8_of(self.file, self.request):
            reader.feed(np.frombuffer(piece, np.uint8))
            self._check(reader)
            yield False
        reader.feed(np.empty(0, np.uint8), last=True)
        self._check(reader)
        yield True

    def _check(self, reader: _native.BasketReader) -> None:
        if reader.fault == _native.SPARSE_TOO_LONG:
            raise lines.too_long(self.file.name, reader.fault_line)
        if reader.fault == _native.SPARSE_NUL:
            raise DataError(
                f"{self.file.name}: line {reader.fault_line} holds a NUL byte, so this is not a text file."
            )
        if reader.fault:
            raise DataError(
                f"{self.file.name}: line {reader.fault_line} has an unclosed quote or text after a closing quote; use "
                f"{messages.dialect('quote', '')} if quotes are ordinary characters here."
            )


def _delimiter(file: Source, request: Request) -> str:
    """The separator found in most of the first lines; a blank if none occurs in half of them."""
    first = lines.first_lines(file, request, 1 << 16)
    if not first:
        raise DataError(f"{file.name} is empty: it has no baskets.")
    counts = {mark: sum(mark in line for line in first) for mark in _CANDIDATES}
    best = max(_CANDIDATES, key=lambda mark: counts[mark])
    return best if 2 * counts[best] > len(first) or (counts[best] and " " not in "".join(first)) else " "


def _texts(raw_texts: list[bytes], name: str) -> tuple[str, ...]:
    try:
        return tuple(item.decode("utf-8") for item in raw_texts)
    except UnicodeDecodeError as error:
        shown = bytes(error.object)[:40].decode("utf-8", "backslashreplace")
        raise DataError(
            f"{name}: the item {shown!r} is not UTF-8; name the encoding with {messages.dialect('encoding')}."
        ) from None
