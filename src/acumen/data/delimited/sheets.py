"""Workbooks: a sheet of an .xlsx, .xlsm, .xlsb, .xls or .ods file as a table. Needs python-calamine
(`acumen-learn[excel]`).

Each row is passed on as a delimited line, so titles, headers, footers, missing values, and formatted numbers and dates
are treated as in delimited text. Numbers, Booleans and dates of the sheet itself keep their values.

Limits are checked before a workbook is unpacked in memory: python-calamine stores each sheet as a full rectangle, so
two cells in opposite corners take as much memory as all cells between them, and a repeated cell of an .ods file as much
as its copies.
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO, Any, Final

from acumen import messages
from acumen.data.delimited import reader as delimited
from acumen.data.files import CHUNK, MUCH, RATIO, Source, open_source
from acumen.data.parts import Parts
from acumen.data.report import Note, Report
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError, MissingExtra, ParameterError, did_you_mean

#: The most cells of a sheet; reading a million takes about two seconds.
MOST_CELLS: Final = 10_000_000

_LONGEST_TAG: Final = 1 << 16
_XLSX_CELL: Final = re.compile(rb"<(?:\w+:)?c[\s/>]")
_XLSX_PLACE: Final = re.compile(rb"""\sr\s*=\s*["']([A-Z]{1,3})([0-9]{1,7})["']""")
_ODS_TAG: Final = re.compile(rb"<table:(?:table(?=[\s>])|table-row|(?:covered-)?table-cell)[^>]*>")
_ODS_REPEATED: Final = re.compile(rb"""number-(?:rows|columns)-repeated\s*=\s*["']([0-9]{1,9})["']""")


def require_bytes(file: Source, data: bytes) -> None:
    """Refuse a small file that unpacks to a huge one."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        size = len(data)  # an old .xls; or damaged, which is for the reader to say
    most = file.max_bytes if file.max_bytes is not None else max(MUCH, RATIO * len(data))
    if size > most:
        raise DataError(
            f"{file.name} unpacks to {size:,} bytes, but at most {most:,} are allowed; if you trust the file, raise "
            f"the limit with {messages.option('max_bytes')}."
        )


def require_cells(file: Source, data: bytes) -> None:
    """Refuse sheets with too many cells; formats that are not XML are left to python-calamine."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                count = _counter(entry.filename)
                if count is None:
                    continue
                with archive.open(entry) as sheet:
                    if any(cells > MOST_CELLS for cells in count(_whole_tags(sheet))):
                        raise DataError(
                            f"{file.name} has a sheet with more than {MOST_CELLS:,} cells (including empty ones); "
                            "save the sheet as CSV, which has no such limit."
                        )
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        ValueError,
        OSError,
        EOFError,
        RuntimeError,
        zlib.error,
    ) as error:
        if isinstance(error, DataError):
            raise


def _counter(name: str) -> Callable[[Iterator[bytes]], Iterator[int]] | None:
    if name == "content.xml":
        return _ods_cells
    return _xlsx_cells if re.fullmatch(r"/?xl/worksheets/[^/]*\.xml", name, re.IGNORECASE) else None


def _whole_tags(sheet: IO[bytes]) -> Iterator[bytes]:
    """The text in pieces that end after a tag."""
    rest = b""
    while piece := sheet.read(CHUNK):
        rest += piece
        end = rest.rfind(b">") + 1
        yield rest[:end]
        rest = rest[end:][-_LONGEST_TAG:]


def _xlsx_cells(pieces: Iterator[bytes]) -> Iterator[int]:
    """After each piece the number of cells so far, written or within the rectangle that these span."""
    written = columns = rows = 0
    for piece in pieces:
        written += len(_XLSX_CELL.findall(piece))
        places = set(_XLSX_PLACE.findall(piece))
        columns = max([columns, *map(_column, {letters for letters, _ in places})])
        rows = max([rows, *map(int, {digits for _, digits in places})])
        yield max(written, columns * rows)


def _column(letters: bytes) -> int:
    """The number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _ods_cells(pieces: Iterator[bytes]) -> Iterator[int]:
    """After each piece the cells of the largest sheet so far, each a rectangle up to its last filled row and column."""
    most = rows = filled_rows = widest = width = 0
    for piece in pieces:
        for tag in _ODS_TAG.findall(piece):
            repeated = _ODS_REPEATED.search(tag)
            count = int(repeated[1]) if repeated else 1
            if tag.startswith(b"<table:table-row"):
                rows, width = rows + count, 0
            elif tag.startswith((b"<table:table-cell", b"<table:covered-table-cell")):
                width += count
                if not tag.endswith(b"/>") or b"value" in tag:  # else it is empty
                    widest, filled_rows = max(widest, width), rows
                    most = max(most, widest * filled_rows)
            else:
                rows = filled_rows = widest = width = 0
        yield most


#: Separates the cells: a character that does not occur in text.
MARK = "\x1f"
#: Rows converted to text at a time.
ROWS = 4096


def read(source: Any, request: Request) -> Table:
    """The whole sheet as one table."""
    sheet, adapted = _as_delimited(source, request)
    table = delimited.read(sheet, adapted)
    _replace_delimiter_note(table.report, sheet.title)
    return table


def scan(source: Any, request: Request, rows: int) -> Parts:
    """Read the sheet in parts; it is unpacked once and kept in memory."""
    sheet, adapted = _as_delimited(source, request)
    parts = delimited.scan(sheet, adapted, rows)
    _replace_delimiter_note(parts.report, sheet.title)
    return parts


def _replace_delimiter_note(report: Report, title: str) -> None:
    """Replace the note on the delimiter, which is internal, by one that names the sheet."""
    choice = Note("sheet", f"the sheet {title!r} was read; lines are its rows.")
    report.notes[:] = [choice if note.code == "delimiter" else note for note in report.notes]


def _as_delimited(source: Any, request: Request) -> tuple[_Sheet, Request]:
    request.require_no_query()
    plain = type(request.dialect)()
    for name in ("delimiter", "quote", "comment", "encoding", "widths"):
        if getattr(request.dialect, name) != getattr(plain, name):
            raise ParameterError(f"read: a sheet has no {name}; remove {messages.dialect(name)}.")
    file = open_source(source, request.max_bytes)
    dialect = replace(request.dialect, delimiter=MARK, comment="", format=None, sheet=None)
    return _Sheet(file, request), replace(request, dialect=dialect)


class _Sheet(Source):
    """A sheet as a delimited text."""

    def __init__(self, file: Source, request: Request) -> None:
        super().__init__(file.name, ".xlsx", file._open_file, decoded=True)
        self.title, self._first, self._rows = _read_sheet(file, request)

    def chunks(self, size: int = CHUNK) -> Iterator[memoryview]:
        """Lines of text; line numbers are row numbers of the sheet, unless a cell above contains line breaks."""
        if self._first:
            yield memoryview(b"\n" * self._first)
        for start in range(0, len(self._rows), ROWS):
            lines = [_line(row) for row in self._rows[start : start + ROWS]]
            yield memoryview(("\n".join(lines) + "\n").encode("utf-8", "replace"))


def _line(row: list[Any]) -> str:
    texts = [_text(cell) for cell in row]
    return MARK.join(texts) if any(texts) else ""


def _text(cell: Any) -> str:
    """A cell as it is written in a text file."""
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


def _read_sheet(file: Source, request: Request) -> tuple[str, int, list[list[Any]]]:
    """Read the sheet: its name, the number of empty rows at its top, and its rows."""
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise MissingExtra(
            f"{file.name}: workbooks need python-calamine: pip install 'acumen-learn[excel]'; or save the sheet as CSV."
        ) from None
    data = b"".join(file.raw())
    require_bytes(file, data)
    require_cells(file, data)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        title = _choose_sheet(book, file, request)
        sheet = book.get_sheet_by_name(title)
        rows = sheet.to_python(skip_empty_area=True)
        first = sheet.start[0] if sheet.start is not None else 0
    except (DataError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # a panic in its Rust code is no Exception
        reason = str(error).split("\n")[0] or type(error).__name__
        raise DataError(f"{file.name} cannot be read as a workbook ({reason}).") from None
    if not rows:
        raise DataError(f"{file.name}: the sheet {title!r} is empty.")
    return title, first, rows


def _choose_sheet(book: Any, file: Source, request: Request) -> str:
    """The requested sheet, or the only one that is not empty."""
    names: list[str] = list(book.sheet_names)
    wanted = request.dialect.sheet
    listed = ", ".join(map(repr, names))
    if wanted is not None:
        if wanted not in names:
            raise DataError(
                f"{file.name} has no sheet {wanted!r}, only {listed}.{did_you_mean(wanted, names)}"
            )
        return wanted
    filled = [name for name in names if book.get_sheet_by_name(name).height]
    if not filled:
        raise DataError(f"{file.name} has only empty sheets.")
    if len(filled) > 1:
        raise DataError(
            f"{file.name} has several sheets with data: {', '.join(map(repr, filled))}; choose one with "
            f"{messages.dialect('sheet')}."
        )
    return filled[0]
