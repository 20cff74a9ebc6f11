"""`acumen.read` and `acumen.scan`: find who reads a source, and ask.

A reader is one module of this room with two functions: `read(source, request) -> Table` and
`scan(source, request, rows) -> Parts`. What is no path may be a table in memory; otherwise address, suffix and first
bytes decide (`module_for`). A file of another name is looked into for ARFF, and else read as delimited text. A Dialect
that names a format decides before a file is looked at.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, Unpack, cast

import numpy as np

from acumen import messages
from acumen.data.choices import repeat_choices
from acumen.data.databases.address import is_address, is_database, mask_passwords
from acumen.data.date_parts import with_parts
from acumen.data.file_list import files_of, read_files, scan_files
from acumen.data.files import head_of, open_source, read_once, suffix_of
from acumen.data.formats import ARROW, BEGINNINGS, DELIMITED, FORMATS, SQL, SUFFIXES
from acumen.data.located import Narrowed, chosen_cells
from acumen.data.parts import Parts
from acumen.data.remote_files import RemoteFile, find_remote_files
from acumen.data.request import ReadOptions, Request
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError

F = TypeVar("F", bound=Callable[..., Any])

MEMORY = "acumen.data.memory.reader"
#: Readers that say themselves, by `accepts(source)`, whether they read a source.
TEXT = (FORMATS["arff"].reader, DELIMITED)
#: Readers of cells that are text and nothing else.
_TEXTS = frozenset(format.reader for format in FORMATS.values() if format.is_text)


class Reader(Protocol):
    """What each of these modules offers."""

    def read(self, source: Any, request: Request) -> Table: ...
    def scan(self, source: Any, request: Request, rows: int) -> Parts: ...


def reader_of(source: Any, form: str | None = None) -> Reader:
    """The module that reads this; `form` names the format of a file, whatever it looks like."""
    if not isinstance(source, (str, os.PathLike)) and _accepts(MEMORY, source):
        return _module(MEMORY)
    _refuse_address(source)
    name = module_for(source)
    if form is not None and name != SQL:
        name = FORMATS[form].reader
    if name is not None:
        return _module(name)
    for name in TEXT:
        if _accepts(name, source):
            return _module(name)
    raise DataError(
        f"read: cannot read what is of type {type(source).__name__}; give a path, an open file, the address of a "
        "database, a data frame, an array, a sparse matrix or a pair (X, y)."
    )


def _refuse_address(source: Any) -> None:
    """A sentence for an address that nobody here reads; a file whose path looks like one is read."""
    if (
        isinstance(source, str)
        and is_address(source)
        and not is_database(source)
        and not Path(source).exists()
    ):
        raise DataError(
            f"read: {mask_passwords(source)} is an address that acumen does not read; it reads sqlite:///FILE and "
            "postgresql://user@host/name, and files: fetch the rows first, and give the file"
            f"{messages.in_python(', or give a filesystem that reaches it')}."
        )


def _accepts(name: str, source: Any) -> bool:
    return bool(importlib.import_module(name).accepts(source))


def _module(name: str) -> Reader:
    return cast(Reader, importlib.import_module(name))


def _check_text(reader: Reader, request: Request) -> None:
    """Refuse what can be told of texts alone: elsewhere dates are dates and missing values missing."""
    name = getattr(reader, "__name__", "")
    if name in _TEXTS:
        return
    for option in ("date_order", "not_missing"):
        if getattr(request, option):
            raise ParameterError(
                f"read: {messages.option(option)} is for delimited and fixed-width text and for sheets; leave it out."
            )


def _make_rereadable(source: Any, request: Request) -> Any:
    """Standard input and pipes are spooled at once, for several readers may look at how they begin."""
    if isinstance(source, RemoteFile):
        if (reader := module_for(source)) == SQL:
            raise DataError(
                f"read: {source.name} is a database, which is read from a file of this machine alone."
            )
        form = request.dialect.form
        is_arrow = ARROW in (reader, FORMATS[form].reader if form else None)
        return source if is_arrow else open_source(source, request.max_bytes)
    return open_source(source, request.max_bytes) if read_once(source) else source


def _select_inputs(table: Table, request: Request) -> Table:
    """With the inputs that were asked for, in that order, where others came along."""
    names = [name for name in request.select if not _is_target(name, table)]
    if names and tuple(names) != table.schema.names:
        table = table.select(names)
    return with_parts(table, request.date_parts) if request.date_parts else table


def _is_target(name: str, table: Table) -> bool:
    target = table.schema.target
    return name == table.schema.weight or (target is not None and target.name == name)


def _select_part_inputs(parts: Parts, request: Request) -> Parts:
    if not request.select and not request.date_parts:
        return parts
    first = _select_inputs(next(iter(parts)), request)

    def open_parts() -> Iterator[Table]:
        return (_select_inputs(part, request) for part in parts.open())

    return replace(
        parts,
        schema=first.schema,
        open=open_parts,
        cells=None
        if parts.cells is None
        else lambda: chosen_cells(
            parts.source_cells(), parts.schema.columns, first.schema.columns, open_parts
        ),
        located=None
        if parts.located is None
        else Narrowed(
            parts.located, first.schema, partial(_select_inputs, request=replace(request, like=None))
        ),
    )


def _with_options(reading: F) -> F:
    """Show the options of a request in the signature, which `help` and editors read."""
    signature = inspect.signature(reading)
    first = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    reading.__signature__ = signature.replace(parameters=[*first, *Request.parameters()])  # type: ignore[attr-defined]
    return reading


@_with_options
def read(source: Any, *, filesystem: Any = None, **options: Unpack[ReadOptions]) -> Table:
    """Read a table from a file, database, data frame or array; its `report` lists decisions and warnings.

    Parameters
    ----------
    source : path, several paths, open file, "-", address of a database, data frame, array, sparse matrix, pair (X, y)
        Files (text ones also .gz, .bz2, .xz) are told by suffix and content: delimited text, ARFF, Parquet, Arrow,
        JSON lines, svmlight, baskets, fixed width, SQLite, workbooks. Several paths, or a pattern such as
        "data/*.parquet", are one table: the rows of all files, in order of their names. "-" is stdin.
        Databases are addressed as "sqlite:///file.db" or "postgresql://user@host/name".
    filesystem : a filesystem of fsspec's kind or of pyarrow's, optional
        What opens the paths given, `s3://bucket/*.parquet` say; it alone decides what is reached. Texts, ARFF, Parquet
        and Arrow files. For workers of a cluster it must pickle.
    target : str or int, optional
        The column to be predicted, by name or position. ARFF takes its last attribute by default.
    kinds : mapping of column to kind, optional
        "numeric", "nominal", "ordinal", "text" or "ignored", where the reader's own choice is not wanted.
    levels : mapping of column to levels, optional
        The levels of nominal or ordinal columns, in code order; other values count as unknown.
    ignore : columns
        Carried along, never learned from.
    weight : column, optional
        Row weights: numbers of at least 0.
    missing : str or several, optional
        Further tokens that mean a missing value, quoted or not.
    dialect : Dialect, optional
        How a text file is written down, where it should not be found out; and what a file is, whatever its name.
    ragged : "error", "fill" or "drop"
        What to do with rows that are too short or too long: refuse the file and name the lines; fill short
        rows with missing values and cut long ones; or leave them out. Both are counted in the report.
    query : str, optional
        What to ask a database; not needed where it holds a single table.
    params : several values
        Bound to the places of the query (`?` in SQLite, `$1`, `$2` in PostgreSQL), never pasted into it.
    columns : str or several, optional
        The inputs wanted, by name; others are left out, and not even read where the source can do that (Parquet,
        Arrow). Target and weight need not be named.
    max_bytes : int, optional
        The most bytes of text a file may hold, unpacked, or the rows of an SQLite file take in memory. A compressed
        file may by default unpack to 1 GiB or to 50 times its size, whichever is more; so may the rows of a query.
    date_order : "dmy", "mdy" or "ymd", optional
        The order of day, month and year in dates such as 01/02/2023, where a text leaves it open.
    not_missing : str or several, optional
        Tokens of a text that are values although they look missing: "NA" for Namibia, "None" for no garage.
    merge : mapping of column to mapping of level to level, optional
        Levels that are one: {"net": {"fiber optic": "Fibre optic"}}.
    like : Schema, optional
        The schema of the table or model for which rows are read: where a text leaves open what it means (is 1.234
        a thousand? is 01/02 in January?) it is read as that table was. The options `missing`, `not_missing`
        and `merge` need not be told again.
    date_parts : str or several, optional
        Dates that get attributes for their parts: NAME.year, NAME.month, NAME.weekday, with times NAME.hour.

    Returns
    -------
    Table
    """
    source, files, way = _find_sources(source, filesystem, 1 << 16, None)
    if files is not None:
        return read_files(files, options, way)
    request = Request.of(**options)
    source = _make_rereadable(source, request)
    reader = reader_of(source, request.dialect.form)
    _check_text(reader, request)
    request = repeat_choices(request)
    return _select_inputs(reader.read(source, request), request)


@_with_options
def scan(
    source: Any,
    *,
    rows: int = 65_536,
    needs: Iterable[str] | None = None,
    filesystem: Any = None,
    **options: Unpack[ReadOptions],
) -> Parts:
    """Read a table as parts of `rows` rows under one schema, without holding it in memory.

    The source is gone through once to decide kinds and levels over all of it, and again whenever the
    parts are iterated; what can be read only once (stdin, the rows of a query) is spooled to a temporary file.
    `needs` names the columns that will be looked at: others may be left out where that saves reading them, and
    unlike `columns` it may name some that are not there.
    """
    if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 1:
        raise ParameterError(f"scan: rows must be a whole number of at least 1; got {rows!r}.")
    wanted = None if needs is None else frozenset(needs)
    source, files, way = _find_sources(source, filesystem, int(rows), wanted)
    if files is not None:
        return scan_files(files, options, way, int(rows))
    return _scan_source(source, replace(Request.of(**options), needs=wanted), int(rows))


def _find_sources(
    source: Any, filesystem: Any, rows: int, needs: frozenset[str] | None
) -> tuple[Any, list[str] | None, Callable[..., Parts]]:
    """What is to be read: one source, or the names of several files and what scans one of them."""
    if filesystem is None:
        return source, files_of(source), _one_of_several(rows, needs, {})
    files = find_remote_files(source, filesystem)
    if len(files) == 1:
        return files[0], None, _one_of_several(rows, needs, {})
    named = {file.name: file for file in files}
    return source, [file.name for file in files], _one_of_several(rows, needs, named)


def _one_of_several(
    rows: int, needs: frozenset[str] | None, far: Mapping[str, RemoteFile]
) -> Callable[..., Parts]:
    """What scans one of several files, under options; `far` has those of a filesystem."""

    def scan_one(path: str, **options: Any) -> Parts:
        return _scan_source(far.get(path, path), replace(Request.of(**options), needs=needs), rows)

    return scan_one


def _scan_source(source: Any, request: Request, rows: int) -> Parts:
    source = _make_rereadable(source, request)
    reader = reader_of(source, request.dialect.form)
    _check_text(reader, request)
    request = repeat_choices(request)
    parts = reader.scan(source, request, rows)
    return _select_part_inputs(parts, request)


# -- the format of a source -----------------------------------------------------------------------
#
# The format of a source by its address, suffix or first bytes; no reader is imported to find out.
#
# module_for    anything -> the module of this room that reads it, or None: then its text must be looked at more closely


def module_for(source: Any) -> str | None:
    """The name of the module that reads this; an SQLite file is one whatever it is called."""
    if isinstance(source, str) and is_database(source):
        return SQL
    head = head_of(source)
    by_start = next((module for start, module in BEGINNINGS.items() if head.startswith(start)), None)
    return by_start or SUFFIXES.get(suffix_of(source))
