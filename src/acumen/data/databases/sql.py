"""Databases: read the rows of a query as a table, and write rows back.

    read      the rows of `query`, or of the only table
    scan      the same in parts; the rows are fetched once and stored in a temporary file
    store     write rows to a new table, in one transaction

Addresses are sqlite:///file.db, postgresql://..., or the path of an SQLite file. The database binds the values in
`params` to the query; they are never pasted into it. A scan queries once, so all passes over its parts see the same
state of the database, and no connection stays open.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from acumen import messages
from acumen.data.batches.batched import read_whole, scan_batches
from acumen.data.databases.address import ONLY_READS, Database, SqlType, mask_passwords
from acumen.data.parts import Parts
from acumen.data.raw_table import RawTable
from acumen.data.read import module_for
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError


def database_of(source: Any) -> Database:
    """The database at an address or path; opens nothing yet."""
    address = os.fspath(source)
    if address.lower().startswith(("postgresql://", "postgres://")):
        from acumen.data.databases.postgres import Postgres

        return Postgres(address)
    from acumen.data.databases.sqlite import SQLite

    return SQLite(address)


def read(source: Any, request: Request) -> Table:
    """Read the rows as one table."""
    _check(request)
    database = _database_for(source, request)
    report = Report(database.name)
    with _table_for_query(request.query):
        rows = database.whole(request.query, request.params, report)
    return read_whole(rows, request, report)


def scan(source: Any, request: Request, rows: int) -> Parts:
    """Read the rows in parts."""
    _check(request)
    database = _database_for(source, request)
    report = Report(database.name)
    with _table_for_query(request.query):
        names, batches = database.spool_rows(request.query, request.params, report)
    return scan_batches(batches, RawTable(0, names, {}), request, report, rows, database.place)


def store(
    source: Any,
    table: str,
    columns: Sequence[tuple[str, SqlType]],
    rows: Iterator[Sequence[Any]],
    *,
    replace: bool = False,
) -> int:
    """Create a table from rows in the database at `source`, in one transaction, and return the number of rows.

    An existing table of that name is an error unless `replace` is set, which drops it in the same transaction. If
    anything fails, nothing is changed.
    """
    if module_for(source) != __name__:
        raise ParameterError(
            f"{messages.option('into')}: {mask_passwords(str(source))} is not a database; give DATA as sqlite:///FILE "
            "or postgresql://..., or write "
            f"to a file{messages.at_the_command_line(' with --output')}."
        )
    if not table or "\0" in table:
        raise ParameterError(f"{messages.option('into')}: a table needs a name.")
    return database_of(source).store(table, columns, rows, replace)


@contextmanager
def _table_for_query(query: str | None) -> Iterator[None]:
    """Extend the error if the query is only a table name: suggest a SELECT."""
    try:
        yield
    except DataError as error:
        name = (query or "").strip().rstrip("; ")
        if str(error).endswith(ONLY_READS) or not re.fullmatch(r'([\w.]|"[^"]*")+', name):
            raise
        raise DataError(
            f"{error} To read all rows of a table of that name, use SELECT * FROM {name}."
        ) from None


def _database_for(source: Any, request: Request) -> Database:
    """The database of a request, with `max_bytes` set where that is supported."""
    database = database_of(source)
    if request.max_bytes is not None:
        from acumen.data.databases.sqlite import SQLite

        if not isinstance(database, SQLite):
            raise ParameterError(
                f"read: {messages.option('max_bytes')} applies to files; for a server, limit the query."
            )
        database.max_bytes = request.max_bytes
    return database


def _check(request: Request) -> None:
    request.require_text("a database")
    if request.dialect.format is not None:
        raise ParameterError(
            f"read: a database is recognised by its address; remove {messages.dialect('format')}."
        )
    if request.query is not None and not request.query.strip():
        raise ParameterError(
            f"read: {messages.option('query')} is empty; give a SELECT, or leave it out if there is only one table."
        )
    if "\0" in (request.query or ""):  # a database would ignore everything after it
        raise ParameterError(f"read: {messages.option('query')} contains a NUL character; remove it.")
    if request.params and request.query is None:
        raise ParameterError(f"read: {messages.option('params')} needs {messages.option('query')} too.")
