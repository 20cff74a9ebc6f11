"""Databases: the rows of a query as a table, and rows written back.

    accepts   sqlite:///file.db, postgresql://..., and the path of an SQLite file
    read      the rows of `query`, or of the only table there is
    scan      the same in parts: the rows are fetched once, and kept in a temporary file
    store     rows of ours into a new table, in one transaction

The values in `params` are bound to the query by the database itself, never pasted into it. A scan asks once, so
that its parts are one state of the database however often they are gone through, and no connection stays open.
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
    """The database at an address or path; nothing is opened yet."""
    address = os.fspath(source)
    if address.lower().startswith(("postgresql://", "postgres://")):
        from acumen.data.databases.postgres import Postgres

        return Postgres(address)
    from acumen.data.databases.sqlite import SQLite

    return SQLite(address)


def read(source: Any, request: Request) -> Table:
    """The rows as one table."""
    _check(request)
    database = _database_for(source, request)
    report = Report(database.name)
    with _table_for_query(request.query):
        rows = database.whole(request.query, request.params, report)
    return read_whole(rows, request, report)


def scan(source: Any, request: Request, rows: int) -> Parts:
    """The rows in parts."""
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
    """Make a table of rows in the database at `source`, in one transaction; how many rows it has.

    A table of that name is left alone, with an error, unless `replace` is given: then it is dropped in the same
    transaction. Nothing is kept if anything fails on the way.
    """
    if module_for(source) != __name__:
        raise ParameterError(
            f"{messages.option('into')}: {mask_passwords(str(source))} is no database; give DATA as sqlite:///FILE or "
            "postgresql://..., or write "
            f"to a file{messages.at_the_command_line(' with --output')}."
        )
    if not table or "\0" in table:
        raise ParameterError(f"{messages.option('into')}: a table needs a name.")
    return database_of(source).store(table, columns, rows, replace)


@contextmanager
def _table_for_query(query: str | None) -> Iterator[None]:
    """Tell whoever gave a table's name for a query how to ask for its rows."""
    try:
        yield
    except DataError as error:
        name = (query or "").strip().rstrip("; ")
        if str(error).endswith(ONLY_READS) or not re.fullmatch(r'([\w.]|"[^"]*")+', name):
            raise
        raise DataError(f"{error} For all rows of a table of that name ask SELECT * FROM {name}.") from None


def _database_for(source: Any, request: Request) -> Database:
    """The database, told how much it may give where it can be told."""
    database = database_of(source)
    if request.max_bytes is not None:
        from acumen.data.databases.sqlite import SQLite

        if not isinstance(database, SQLite):
            raise ParameterError(
                f"read: {messages.option('max_bytes')} is for files; a server is limited in its query."
            )
        database.max_bytes = request.max_bytes
    return database


def _check(request: Request) -> None:
    request.require_text("a database")
    if request.dialect.format is not None:
        raise ParameterError(
            f"read: a database is told by its address; leave {messages.dialect('format')} out."
        )
    if request.query is not None and not request.query.strip():
        raise ParameterError(
            f"read: {messages.option('query')} is empty; give a SELECT, or leave it out where there is one table."
        )
    if "\0" in (request.query or ""):  # behind which a database would see nothing
        raise ParameterError(f"read: {messages.option('query')} holds the character NUL; take it out.")
    if request.params and request.query is None:
        raise ParameterError(f"read: {messages.option('params')} belongs to a query; give that too.")
