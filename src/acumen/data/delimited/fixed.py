"""Fixed width: columns that start at the same character in every line.

A file is read this way if its name ends in .fwf, or with Dialect(format="fixed") or widths in the Dialect. Without
widths, a column ends where all of the first lines are blank.

Each line is split and passed on as a delimited line, so numbers, headers, missing values and line numbers are treated
as in delimited text. Lines of equal length are split all at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from acumen import messages
from acumen.data.delimited import reader as delimited
from acumen.data.delimited.sniff import check_width
from acumen.data.files import CHUNK, Source, open_source
from acumen.data.lines import first_lines, line_blocks, no_text, utf8_of
from acumen.data.naming import unique_names
from acumen.data.parts import Parts
from acumen.data.report import Note, Report
from acumen.data.request import Request
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError

#: Separates the columns: a character that does not occur in text.
MARK = "\x1f"
#: Number of lines used to detect the columns.
LINES = 10_000


def read(source: Any, request: Request) -> Table:
    """The whole file as one table."""
    table = delimited.read(*_as_delimited(source, request))
    _replace_delimiter_note(table.report)
    return table


def scan(source: Any, request: Request, rows: int) -> Parts:
    """The file in parts."""
    parts = delimited.scan(*_as_delimited(source, request), rows)
    _replace_delimiter_note(parts.report)
    return replace(parts, cells=lambda: ([cell.strip() for cell in row] for row in _padded_cells(parts)))


def _padded_cells(parts: Parts) -> Iterator[Sequence[str]]:
    """The cells, including the blanks that pad their columns."""
    assert parts.cells is not None
    return parts.cells()


def _replace_delimiter_note(report: Report) -> None:
    """Replace the note on the delimiter, which is internal, by one on fixed width."""
    layout = Note("fixed-width", "columns begin at the same character in every line.")
    report.notes[:] = [layout if note.code == "delimiter" else note for note in report.notes]


class Cut(NamedTuple):
    """The start of each column, in characters from 0; the last one ends at `end`, or with its line if that is None."""

    starts: tuple[int, ...]
    end: int | None
    gaps: tuple[int, ...] = ()  # characters before a start that must be blank


def _as_delimited(source: Any, request: Request) -> tuple[Source, Request]:
    """The file with a mark between its columns, and the request to read it."""
    request.require_no_query()
    for name in ("delimiter", "quote", "skip", "sheet"):
        if getattr(request.dialect, name) != getattr(type(request.dialect)(), name):
            raise ParameterError(f"read: a fixed-width file has no {name}; remove {messages.dialect(name)}.")
    if request.ragged != "error":
        raise ParameterError(
            f"read: a fixed-width file has no ragged rows; remove {messages.option('ragged')}."
        )
    file = open_source(source, request.max_bytes)
    widths = request.dialect.widths
    cut = _find_cut(file, request) if widths is None else _cut_at_widths(widths)
    check_width(len(cut.starts), file.name)
    dialect = replace(request.dialect, delimiter=MARK, quote="", format=None, widths=None, encoding=None)
    return _MarkedSource(file, request, cut), replace(request, dialect=dialect)


def _cut_at_widths(widths: Sequence[int]) -> Cut:
    ends = np.cumsum(widths).tolist()
    return Cut((0, *ends[:-1]), ends[-1])


def _find_cut(file: Source, request: Request) -> Cut:
    """Detect the columns: where any of the first lines is filled; the gaps are where all are blank."""
    comment = request.dialect.comment
    lines = first_lines(file, request, 1 << 20)[:LINES]
    kept = [line for line in lines if not (comment and line.startswith(comment))]
    if not kept:
        raise DataError(f"{file.name} is empty: it has no rows.")
    filled = np.zeros(max(map(len, kept)) + 1, dtype=np.bool_)
    for line in kept:
        filled[: len(line)] |= np.array([not character.isspace() for character in line], dtype=np.bool_)
    starts = np.flatnonzero(filled & ~np.concatenate([[False], filled[:-1]])).tolist()
    gaps = np.flatnonzero(~filled[: starts[-1]]).tolist()
    if request.like is not None:
        _require_names(kept[0], starts, request.like, file.name)
    return Cut(tuple(starts), None, tuple(gaps))


def _require_names(line: str, starts: Sequence[int], like: Schema, name: str) -> None:
    """Refuse unnamed columns that the schema lacks: they come from gaps within a column of this file."""
    titles = [line[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
    if not any(title in like for title in titles):
        return
    for title, unique in zip(titles, unique_names(titles)[0], strict=True):
        if not title and unique not in like:
            raise DataError(
                f"{name}: some columns have no name above them, so the column boundaries cannot be detected; set "
                f"{messages.dialect('widths')}."
            )


class _MarkedSource(Source):
    """A file of fixed width as a delimited text."""

    def __init__(self, file: Source, request: Request, cut: Cut) -> None:
        super().__init__(file.name, ".fwf", file._open_file, decoded=True)
        self._file, self._request, self._cut = file, request, cut

    def chunks(self, size: int = CHUNK) -> Iterator[memoryview]:
        for line, block in line_blocks(utf8_of(self._file, self._request, size), self.name):
            marked = _mark_block(block, self._cut)
            yield memoryview(marked if marked is not None else self._mark_lines(line, block))

    def _mark_lines(self, first: int, block: bytes) -> bytes:
        try:
            lines = block.decode("utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise no_text(self.name, first + block[: error.start].count(b"\n")) from None
        comment = self._request.dialect.comment
        marked = []
        for number, line in enumerate(lines, first):
            line = line.rstrip("\r")
            skipped = not line.strip() or (comment and line.startswith(comment))
            marked.append(line.strip() if skipped else self._mark_line(number, line))
        return "\n".join(marked).encode()

    def _mark_line(self, number: int, line: str) -> str:
        starts, end, gaps = self._cut
        if MARK in line:
            raise DataError(
                f"{self.name}: line {number} holds the control character U+001F, which does not belong in a text."
            )
        if end is not None and line[end:].strip():
            raise DataError(
                f"{self.name}: line {number} continues after character {end}, where the widths end: "
                f"{line[end : end + 20]!r}."
            )
        for gap in gaps:
            if gap < len(line) and not line[gap].isspace():
                raise DataError(
                    f"{self.name}: line {number} has {line[gap]!r} at character {gap + 1}, where the first lines have "
                    f"a blank between columns; set the columns with {messages.dialect('widths')}."
                )
        ends = (*starts[1:], end)
        return MARK.join(line[a:b] for a, b in zip(starts, ends, strict=True))


def _mark_block(block: bytes, cut: Cut) -> bytes | None:
    """Mark the columns of a block of ASCII lines of equal length; None for any other block."""
    length = block.find(b"\n") + 1
    if not length or len(block) % length or not block.isascii() or b"\x1f" in block:
        return None
    text = np.frombuffer(block, np.uint8).reshape(-1, length)
    body = length - 1 - (block[length - 2 : length - 1] == b"\r")
    if body <= cut.starts[-1] or not (text[:, -1] == 10).all() or (text[:, body:-1] != 13).any():
        return None
    if (text[:, :body] < 32).any() or not (text[:, :body] != 32).any(axis=1).all():
        return None  # tabs, breaks inside or blank lines
    if (text[:, list(cut.gaps)] != 32).any() or (
        cut.end is not None and (text[:, cut.end : body] != 32).any()
    ):
        return None
    ends = [*cut.starts[1:], body if cut.end is None else min(cut.end, body)]
    pieces: list[Any] = []
    mark, end = np.full((len(text), 1), 31, np.uint8), np.full((len(text), 1), 10, np.uint8)
    for j, (a, b) in enumerate(zip(cut.starts, ends, strict=True)):
        pieces += [mark, text[:, a:b]] if j else [text[:, a:b]]
    return np.hstack([*pieces, end]).tobytes()
