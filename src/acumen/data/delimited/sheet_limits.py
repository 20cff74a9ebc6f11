"""Limits of a workbook, checked before it is unpacked in memory.

    require_bytes   refuse a few bytes that unpack to ever more
    require_cells   refuse a sheet of more cells than are worth reading, filled or empty between filled ones

The reader behind us lays out each sheet as a full rectangle: two cells in opposite corners take as much memory as all
between them, and a repeated cell of an .ods file as much as its copies.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Final

from acumen import messages
from acumen.data.files import CHUNK, MUCH, RATIO, Source
from acumen.errors import DataError

#: Cells of one sheet; reading takes some two seconds for a million.
MOST_CELLS: Final = 10_000_000

_LONGEST_TAG: Final = 1 << 16
_XLSX_CELL: Final = re.compile(rb"<(?:\w+:)?c[\s/>]")
_XLSX_PLACE: Final = re.compile(rb"""\sr\s*=\s*["']([A-Z]{1,3})([0-9]{1,7})["']""")
_ODS_TAG: Final = re.compile(rb"<table:(?:table(?=[\s>])|table-row|(?:covered-)?table-cell)[^>]*>")
_ODS_REPEATED: Final = re.compile(rb"""number-(?:rows|columns)-repeated\s*=\s*["']([0-9]{1,9})["']""")


def require_bytes(file: Source, data: bytes) -> None:
    """Refuse a few bytes that unpack to ever more."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        size = len(data)  # an old .xls; or damaged, which is for the reader to say
    most = file.max_bytes if file.max_bytes is not None else max(MUCH, RATIO * len(data))
    if size > most:
        raise DataError(
            f"{file.name} unpacks to {size:,} bytes, more than the {most:,} allowed; if it is a table, allow it with "
            f"{messages.option('max_bytes')}."
        )


def require_cells(file: Source, data: bytes) -> None:
    """Refuse sheets of too many cells; formats that are not XML are left to their reader."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                count = _counter(entry.filename)
                if count is None:
                    continue
                with archive.open(entry) as sheet:
                    if any(cells > MOST_CELLS for cells in count(_whole_tags(sheet))):
                        raise DataError(
                            f"{file.name} has a sheet of more than {MOST_CELLS:,} cells (its empty ones count too); "
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
    """The text in pieces that end behind a tag."""
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
