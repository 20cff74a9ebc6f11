"""ARFF files as a source of tables: what the header declares is what the columns are.

    accepts   by the suffix .arff, or by what the file begins with
    read      one pass: the rows under the header, then the shared steps plan and fill
    scan      a pass that checks and plans, then a pass for each iteration; text is never held whole

The header settles kinds and levels, so only what it leaves open is found out from the rows: whether a
string attribute is text or nominal, the classes of a numeric target, and whether rows carry weights.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from acumen import messages
from acumen.data.arff.header import locate, looks_like, parse
from acumen.data.arff.roles import note_rows, roles_of, sparse_inputs, weight_name
from acumen.data.arff.rows import ArffBody
from acumen.data.arff.scan import need_rows, scan_rows
from acumen.data.assemble import fill, plan
from acumen.data.columns import RawColumn, merge_levels
from acumen.data.concat import concat
from acumen.data.dialect import Dialect
from acumen.data.encoding import FALLBACK, UTF8, Chunk, NotUtf8, check_encoding, find_encoding, to_utf8
from acumen.data.files import CHUNK, Source, open_source
from acumen.data.formats import DELIMITED, SUFFIXES
from acumen.data.parts import Parts
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError

T = TypeVar("T")

#: How far into a file of another name the first declaration is looked for.
HEAD = 1 << 16


def accepts(source: Any) -> bool:
    """Whether this is an ARFF file. Looks at how it begins, and leaves an open file where it stood."""
    if isinstance(source, Source):
        return source.suffix == ".arff" or (
            SUFFIXES.get(source.suffix) != DELIMITED and _begins_as_arff(source)
        )
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if not isinstance(name, str) or "\n" in name or name == "-":
            return False
        if name.lower().endswith((".arff", ".arff.gz", ".arff.bz2", ".arff.xz")):
            return True  # also if there is no such file: then it is for the reader to say so
        path = Path(name).expanduser()
        try:
            there = path.is_file()
        except OSError:
            return False  # for whoever reads it in the end to say why
        return there and accepts(open_source(path))
    if not all(hasattr(source, method) for method in ("read", "seekable", "seek", "tell")):
        return False
    if source.closed or not source.seekable():
        return False
    place = source.tell()
    try:
        if isinstance(source.read(0), str):
            return looks_like(source.read(HEAD))
        return accepts(open_source(source))
    finally:
        source.seek(place)


def _begins_as_arff(source: Source) -> bool:
    head, _ = source.head(HEAD)
    return looks_like(head.decode(find_encoding(head), "replace"))


def run_on_rows(source: Any, request: Request, work: Callable[[ArffBody, Report], T]) -> T:
    """Read a source's header and do the work on its rows; once more as Latin-1 if they are not UTF-8."""
    if replace(request.dialect, encoding=None, format=None) != Dialect():
        raise ParameterError(
            "read: an ARFF file says itself how it is written; of a Dialect only its encoding applies."
        )
    request.require_no_query()
    file = open_source(source, request.max_bytes)
    requested = request.dialect.encoding
    encoding = check_encoding(requested) if requested is not None else find_encoding(file.head(4096)[0])
    report = Report(file.name)
    try:
        return work(_rows(file, encoding, request, report), report)
    except NotUtf8 as error:
        if requested is not None or encoding != UTF8:
            raise DataError(
                f"{file.name}: line {error.line} holds bytes that are not {encoding}; "
                f"name the right one with {messages.dialect('encoding')}."
            ) from None
        report = Report(file.name)
        report.warn(
            "encoding",
            f"line {error.line} is not UTF-8, so the file is read as Latin-1 (cp1252); "
            f"name another encoding with {messages.dialect('encoding')}.",
            lines=(error.line,),
        )
    return work(_rows(file, FALLBACK, request, report), report)


def _rows(file: Source, encoding: str, request: Request, report: Report) -> ArffBody:
    head, place, last_line = bytearray(), None, 0
    for chunk in to_utf8(file.chunks(HEAD), encoding, file.name):
        head += chunk
        place = locate(head, False, last_line)
        if place is not None:
            break
        last_line = max(0, head.rfind(b"\n"), head.rfind(b"\r", 0, -1))
    place = place or locate(head, True, last_line)
    if place is None:
        raise DataError(f"{file.name} has no @data line, so it holds no rows.")
    end, start = place
    header = parse(_text(bytes(head[:end])), report)
    skipped = bytes(head[:start])

    def chunks(size: int = CHUNK) -> Iterator[Chunk]:
        remaining = start
        for chunk in to_utf8(file.chunks(size), encoding, file.name):
            if remaining < len(chunk):
                yield chunk[remaining:]
            remaining = max(0, remaining - len(chunk))

    known = (file, start) if encoding == UTF8 else None
    return ArffBody(header, chunks, 1 + _breaks(skipped), request.missing, request.ragged, known)


def _text(head: bytes) -> str:
    try:
        return head.decode(UTF8)
    except UnicodeDecodeError as error:
        raise NotUtf8(1 + _breaks(head[: error.start])) from None


def _breaks(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


__all__ = ["accepts", "read", "scan"]

#: Cells of a sparse file that are written out at a time on their way into the sparse matrix.
CELLS = 1 << 22


def read(source: Any, request: Request) -> Table:
    """The whole file as one table."""
    return run_on_rows(source, request, lambda rows, report: _read(rows, request, report))


def scan(source: Any, request: Request, rows: int) -> Parts:
    """The file in parts of `rows` rows under one schema."""
    return run_on_rows(source, request, lambda found, report: scan_rows(found, request, report, rows))


def _read(rows: ArffBody, request: Request, report: Report) -> Table:
    if sparse_inputs(rows, request):
        step = max(1, CELLS // len(rows.header.attributes))
        return concat([*scan_rows(rows, request, report, step)])
    table = next(rows.blocks())
    need_rows(table.rows, report)
    columns = [rows.column(table, j) for j in range(table.columns)]
    weight = weight_name(rows, table)
    if weight is not None:
        columns.append(RawColumn(weight, "numeric", values=table.weights(), whole=str))
    note_rows(rows, table, report)
    roles = roles_of(rows, request, weight, report)
    columns = [merge_levels(column, roles.merge.get(column.name)) for column in columns]
    return fill(columns, plan(columns, roles, report), report, table.rows)
