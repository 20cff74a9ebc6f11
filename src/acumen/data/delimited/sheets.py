"""Workbooks: a sheet of an .xlsx, .xlsm, .xlsb, .xls or .ods file as a table. Needs python-calamine
(`acumen-learn[excel]`).

Each row is handed on as a delimited line, so that titles, headers, footers, missing values, numbers and dates written
for people are those of delimited text; numbers, Booleans and dates that the sheet itself knows come as such.
"""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from acumen import messages
from acumen.data.delimited import reader as delimited
from acumen.data.delimited.sheet_limits import require_bytes, require_cells
from acumen.data.files import CHUNK, Source, open_source
from acumen.data.parts import Parts
from acumen.data.report import Note, Report
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError, MissingExtra, ParameterError, did_you_mean

#: Put between the cells: a character that stands in no text.
MARK = "\x1f"
#: Rows made text at a time.
ROWS = 4096


def read(source: Any, request: Request) -> Table:
    """The whole sheet as one table."""
    sheet, asked = _delimited(source, request)
    table = delimited.read(sheet, asked)
    _say_so(table.report, sheet.title)
    return table


def scan(source: Any, request: Request, rows: int) -> Parts:
    """The sheet in parts; it is unpacked once, and held."""
    sheet, asked = _delimited(source, request)
    parts = delimited.scan(sheet, asked, rows)
    _say_so(parts.report, sheet.title)
    return parts


def _say_so(report: Report, title: str) -> None:
    """In place of the mark, of which nobody knows."""
    said = Note("sheet", f"the sheet {title!r} was read; lines are its rows.")
    report.notes[:] = [said if note.code == "delimiter" else note for note in report.notes]


def _delimited(source: Any, request: Request) -> tuple[_Sheet, Request]:
    request.require_no_query()
    plain = type(request.dialect)()
    for name in ("delimiter", "quote", "comment", "encoding", "widths"):
        if getattr(request.dialect, name) != getattr(plain, name):
            raise ParameterError(f"read: a sheet has no {name}; leave {messages.dialect(name)} out.")
    file = open_source(source, request.max_bytes)
    dialect = replace(request.dialect, delimiter=MARK, comment="", format=None, sheet=None)
    return _Sheet(file, request), replace(request, dialect=dialect)


class _Sheet(Source):
    """A sheet as a delimited text."""

    def __init__(self, file: Source, request: Request) -> None:
        super().__init__(file.name, ".xlsx", file._opened, decoded=True)
        self.title, self._first, self._rows = _opened(file, request)

    def chunks(self, size: int = CHUNK) -> Iterator[memoryview]:
        """Lines of text; a line's number is its row's in the sheet, unless a cell above has lines of its own."""
        if self._first:
            yield memoryview(b"\n" * self._first)
        for start in range(0, len(self._rows), ROWS):
            lines = [_line(row) for row in self._rows[start : start + ROWS]]
            yield memoryview(("\n".join(lines) + "\n").encode("utf-8", "replace"))


def _line(row: list[Any]) -> str:
    texts = [_text(cell) for cell in row]
    return MARK.join(texts) if any(texts) else ""


def _text(cell: Any) -> str:
    """A cell as a text file has it."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return repr(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime.datetime):
        midnight = cell.time() == datetime.time()
        return cell.date().isoformat() if midnight else cell.isoformat(sep=" ")
    if isinstance(cell, (datetime.date, datetime.time)):
        return cell.isoformat()
    if isinstance(cell, datetime.timedelta):
        return repr(cell.total_seconds() / 86_400)
    text = str(cell).replace("\0", "").replace(MARK, " ").strip()
    if any(c in text for c in '"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _opened(file: Source, request: Request) -> tuple[str, int, list[list[Any]]]:
    """The name of the sheet, the empty rows above what it holds, and its rows."""
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise MissingExtra(
            f"{file.name}: reading a workbook needs python-calamine: pip install 'acumen-learn[excel]'; or save "
            "the sheet as CSV."
        ) from None
    data = b"".join(file.raw())
    require_bytes(file, data)
    require_cells(file, data)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        title = _chosen(book, file, request)
        sheet = book.get_sheet_by_name(title)
        rows = sheet.to_python(skip_empty_area=True)
        first = sheet.start[0] if sheet.start is not None else 0
    except (DataError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # a fault in its own language is no Exception
        said = str(error).split("\n")[0] or type(error).__name__
        raise DataError(f"{file.name} cannot be read as a workbook ({said}).") from None
    if not rows:
        raise DataError(f"{file.name}: the sheet {title!r} is empty.")
    return title, first, rows


def _chosen(book: Any, file: Source, request: Request) -> str:
    """The sheet asked for, or the only one that holds anything."""
    names: list[str] = list(book.sheet_names)
    asked = request.dialect.sheet
    listed = ", ".join(map(repr, names))
    if asked is not None:
        if asked not in names:
            raise DataError(f"{file.name} has no sheet {asked!r}, only {listed}.{did_you_mean(asked, names)}")
        return asked
    filled = [name for name in names if book.get_sheet_by_name(name).height]
    if not filled:
        raise DataError(f"{file.name} has no sheet that holds anything.")
    if len(filled) > 1:
        raise DataError(
            f"{file.name} has several sheets that hold something: {', '.join(map(repr, filled))}; name one with "
            f"{messages.dialect('sheet')}."
        )
    return filled[0]
