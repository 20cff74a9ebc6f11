"""svmlight and libsvm: `label qid:7 3:0.5 9:1  # comment`, a sparse table.

Feature 3 is the column x3, whether positions start at 0 or at 1; the label is the target. Query ids become the ignored
column qid. Features that a row does not list are zero, and so are columns that a model knows but the file never lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from acumen import _native
from acumen.data import lines
from acumen.data.align import ABSENT_ZERO
from acumen.data.batches.batched import Batches, read_whole, scan_batches
from acumen.data.columns import RawColumn
from acumen.data.files import Source, open_source
from acumen.data.parts import Parts
from acumen.data.raw_table import RawTable
from acumen.data.report import Report, short_value
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError

TARGET, QUERY = "target", "qid"
#: The highest position allowed: each column takes memory even if no row lists it.
LARGEST = 2_000_000

_FAULTS = {
    _native.SPARSE_NUL: "holds a NUL byte, so this is not a text file",
    _native.SPARSE_LABEL: "must begin with a number, the label; it begins with {text!r}",
    _native.SPARSE_LABELS: "has several labels, {text!r}; only one label per row is supported",
    _native.SPARSE_PAIR: "holds {text!r}, which is not position:value",
    _native.SPARSE_ORDER: "holds {text!r} after an equal or higher position; positions must increase",
    _native.SPARSE_POSITION: f"holds {{text!r}}: positions above {LARGEST:,} are refused",
    _native.SPARSE_QUERY: "holds {text!r}; a query id must be a whole number",
}


def read(source: Any, request: Request) -> Table:
    """The whole file as one table."""
    file, report = _open_text(source, request)
    reader = _native.SvmReader(lines.LONGEST, LARGEST)
    for _ in _feed(reader, file, request):
        pass
    shape = _shape(reader, file, report)
    return read_whole(_take_rows(reader, shape), request, report)


def scan(source: Any, request: Request, rows: int) -> Parts:
    """Read the file in parts; a first pass finds the number of columns."""
    file, report = _open_text(source, request)
    reader = _native.SvmReader(lines.LONGEST, LARGEST)
    for _ in _feed(reader, file, request):
        reader.clear()
    shape = _shape(reader, file, report)

    def batches(notes: Report, only: frozenset[str] | None) -> Iterator[RawTable]:
        again = _native.SvmReader(lines.LONGEST, LARGEST)
        for _ in _feed(again, file, request):
            if again.greatest > reader.greatest or again.smallest < reader.smallest:
                raise DataError(f"{file.name} changed while it was being read.")
            yield _take_rows(again, shape)
            again.clear()

    return scan_batches(Batches(batches, frozenset(shape.matrix_names)), shape, request, report, rows)


def _open_text(source: Any, request: Request) -> tuple[Source, Report]:
    request.require_no_query()
    request.require_text("an svmlight file")
    file = open_source(source, request.max_bytes)
    return file, Report(file.name)


def _feed(reader: _native.SvmReader, file: Source, request: Request) -> Iterator[None]:
    """Feed the whole file to the reader, yielding after each piece so that the caller can take the rows."""
    for piece in lines.utf8_of(file, request):
        reader.feed(np.frombuffer(piece, np.uint8))
        _check(reader, file.name)
        yield
    reader.feed(np.empty(0, np.uint8), last=True)
    _check(reader, file.name)
    yield


def _check(reader: _native.SvmReader, name: str) -> None:
    if reader.fault == _native.SPARSE_TOO_LONG:
        raise lines.too_long(name, reader.fault_line)
    if reader.fault:
        text = reader.fault_text.decode("utf-8", "backslashreplace")
        raise DataError(f"{name}: line {reader.fault_line} {_FAULTS[reader.fault].format(text=text)}.")


def _shape(reader: _native.SvmReader, file: Source, report: Report) -> RawTable:
    """The columns of a file after a full pass, without rows."""
    if reader.greatest < 0:
        raise DataError(
            f"{file.name} has no row with a position:value pair, so there is no data to train on."
        )
    report.note(
        ABSENT_ZERO, "positions that a row does not list are zero, as are columns that this file never lists."
    )
    if reader.comments:
        n = reader.comments
        report.note("comments", f"{n:,} {'comment was' if n == 1 else 'comments were'} skipped.", count=n)
    if n := reader.infinite:
        text = reader.infinite_text.decode("utf-8", "backslashreplace")
        report.warn(
            "infinite",
            f"{n:,} infinite {'value' if n == 1 else 'values'}, the first on line {reader.first_infinite} "
            f"({short_value(text)}).",
            lines=(reader.first_infinite,), count=n,
        )  # fmt: skip
    names = tuple(f"x{j}" for j in range(0 if reader.smallest == 0 else 1, reader.greatest + 1))
    query = (QUERY,) if reader.any_query else ()
    return RawTable(0, (TARGET, *query, *names), {}, None, names, target=TARGET, ignored=query)


def _take_rows(reader: _native.SvmReader, shape: RawTable) -> RawTable:
    """The rows read so far."""
    from scipy.sparse import csr_matrix

    n_rows, first = reader.n_rows, int(shape.matrix_names[0][1:])
    labels, queries, positions = reader.labels(), reader.queries(), reader.positions()
    matrix = csr_matrix(
        (reader.values(), positions - first if first else positions, reader.starts()),
        shape=(n_rows, len(shape.matrix_names)),
    )
    matrix.has_canonical_format = True  # the kernel refuses positions that do not rise
    columns = {TARGET: RawColumn(TARGET, "numeric", values=labels, whole=str)}
    if shape.ignored:
        columns[QUERY] = RawColumn(QUERY, "numeric", values=queries)
    return RawTable(
        n_rows, shape.names, columns, matrix, shape.matrix_names, target=TARGET, ignored=shape.ignored
    )
