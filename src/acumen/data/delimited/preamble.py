"""What stands above a table and is not part of it: Excel's `sep=;`, titles, notes, blank lines.

find_preamble    the first bytes -> Preamble: how many lines to leave out, and the delimiter they state; and the layout
without_lines    pieces of text -> the same without its first lines
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from acumen import _native
from acumen.data.delimited.sniff import TextLayout, find_layout, number_like
from acumen.data.dialect import Dialect
from acumen.data.encoding import Chunk
from acumen.data.forms import looks_written

#: So many lines at most are taken for a title.
MOST = 12
_BREAK = re.compile(rb"\r\n|\n|\r")
_STATED = re.compile(rb'"?sep=([^\r\n])"?[ \t]*(?:\r\n|\n|\r)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Preamble:
    """Lines above the table: how many, what Excel's line says of the delimiter, and the title left out."""

    skip: int = 0
    delimiter: str | None = None
    title: str = ""


def find_preamble(head: bytes, complete: bool, suffix: str, dialect: Dialect) -> tuple[Preamble, TextLayout]:
    """Look for what stands above the table, and how the table itself is laid out."""
    above = Preamble(dialect.skip)
    rest = _rest(head, above.skip)
    stated = _STATED.match(rest)
    if stated is not None and (mark := stated[1].decode("ascii", "replace")) not in "\ufffd\0":
        above = Preamble(above.skip + 1, mark if dialect.delimiter is None else None)
        rest = rest[stated.end() :]
    if above.delimiter is not None:
        dialect = replace(dialect, delimiter=above.delimiter)
    layout = find_layout(rest, complete, suffix, dialect)
    if dialect.skip or dialect.header is False:
        return above, layout
    lines, title = _title(rest, complete, layout, dialect)
    if not lines:
        return above, layout
    layout = find_layout(_rest(rest, lines), complete, suffix, dialect)
    return Preamble(above.skip + lines, above.delimiter, title), layout


def _title(head: bytes, complete: bool, layout: TextLayout, dialect: Dialect) -> tuple[int, str]:
    """How many lines of fewer fields than the table stand above a record of names, and the first of them."""
    if layout.columns < 2:
        return 0, ""
    records, _ = _native.sample_records(head, layout.native(dialect), last=complete, limit=100, cells=True)
    place = next((i for i, record in enumerate(records) if not _is_title(record, layout.columns)), 0)
    if not 0 < place <= MOST or len(records) < place + 2:
        return 0, ""
    below = records[place + 1 :]
    if sum(record.count == layout.columns for record in below) < max(1, 0.8 * len(below)):
        return 0, ""
    above = [text for record in records[:place] for text, _ in record.cells]
    names = [text for text, _ in records[place].cells]
    written = any(number_like(text) or looks_written(text) for text in (*above, *names) if text)
    if written or not all(names) or len(set(names)) < len(names) or records[0].count > layout.columns:
        return 0, ""
    if records[place].count != layout.columns:
        return 0, ""
    return records[place].line - 1, " ".join(text for text, _ in records[0].cells if text)


def _is_title(record: _native.SampleRecord, columns: int) -> bool:
    """Whether a record has fewer fields than the table, or (out of a sheet) mostly empty ones."""
    filled = sum(text != "" for text, _ in record.cells)
    return record.count < columns or (record.count == columns and 2 * filled <= columns)


def _rest(text: bytes, lines: int) -> bytes:
    at = 0
    for _ in range(lines):
        match = _BREAK.search(text, at)
        if match is None:
            return b""
        at = match.end()
    return text[at:]


def without_lines(pieces: Iterable[Chunk], lines: int) -> Iterator[Chunk]:
    """The text behind its first lines; what is cut is held until the last of them has ended for certain."""
    held = b""
    for piece in pieces:
        if not lines:
            yield piece
            continue
        held += bytes(piece)
        while lines and (match := _BREAK.search(held)) is not None:
            if match[0] == b"\r" and match.end() == len(held):
                break  # its other half may be the next byte
            held, lines = held[match.end() :], lines - 1
        if not lines and held:
            yield held
