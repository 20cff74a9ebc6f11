"""Read and write SQLite with the standard library: read-only for reading, one transaction for writing.

In SQLite any cell of a column can hold any type, so each column's type is decided over all rows of the result; see
`cell_rows`. Strings stay strings, even if they look like numbers or dates.

A database can run code: a view may recurse forever, or a generated column may be a gigabyte. So without a query only
tables are read, the size of a cell and of all rows is limited, and a query that returns no row for a long time is
stopped. SQLite itself rolls back what a killed writer left unfinished (a hot journal) when it opens the file.
"""

from __future__ import annotations

import dataclasses
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from sys import getsizeof
from typing import Any
from urllib.parse import quote

from acumen import messages
from acumen.data.batches.batched import Batches, Filling
from acumen.data.batches.cell_rows import CellRows
from acumen.data.batches.spool import Spool
from acumen.data.databases.address import (
    SqlType,
    is_database,
    mask_passwords,
    only_reads,
    only_table,
    quote_name,
    sqlite_file,
)
from acumen.data.databases.sqlite_rows import STRETCH, RowidRanges, SQLiteRows
from acumen.data.located import Located, Stamp
from acumen.data.naming import column_names
from acumen.data.raw_table import RawTable
from acumen.data.report import Report
from acumen.errors import DataError, did_you_mean

#: The most rows, and bytes of them, that are held at a time.
ROWS = 16_384
BYTES = 1 << 26
#: The most bytes of a cell and of all cells; RATIO allows a multiple of the file's size if that is more.
CELL = 1 << 28
MUCH = 1 << 30
RATIO = 50
#: Seconds within which a query must return a row, and the number of SQLite's steps between checks of the time.
PATIENCE = 600.0
STEPS = 100_000
#: SQLite's action codes for statements that only read; ATTACH, PRAGMA and CREATE TEMP are not among them.
_READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
#: Pragmas without effects, which full-text search uses and queries may join.
_READING_PRAGMAS = frozenset(
    {"data_version", "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
     "foreign_key_list", "collation_list", "database_list", "function_list", "compile_options"}
)  # fmt: skip
#: Functions of some SQLite builds that load code or write files.
_WRITING_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "writefile", "edit"})
_CANNOT_WRITE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_TYPES: dict[SqlType, str] = {"integer": "INTEGER", "number": "REAL", "text": "TEXT"}


class SQLite:
    """A database file, at `sqlite:///relative/path`, `sqlite:////absolute/path` or a plain path."""

    def __init__(self, source: str) -> None:
        self.name = mask_passwords(source)
        path = sqlite_file(source) if is_database(source) else source
        if not path or path == ":memory:" or is_database(path):  # two slashes instead of three
            raise DataError(
                f"read: {self.name} names no file; use sqlite:///file.db, or sqlite:////folder/file.db for an absolute "
                "path."
            )
        self._path = Path(path).expanduser()
        self._watch: _QueryTimer | None = None
        self._spooled: CellRows | None = None
        self._ranges: RowidRanges | None = None
        self.max_bytes: int | None = None  # of all cells; None means the limit of MUCH and RATIO

    # -- reading ----------------------------------------------------------------------------------

    def whole(self, query: str | None, params: Sequence[Any], report: Report) -> RawTable:
        """Read all rows at once."""
        rows = CellRows([])
        self.fetch(query, params, rows)
        return rows.whole(report)

    def spool_rows(
        self, query: str | None, params: Sequence[Any], report: Report
    ) -> tuple[tuple[str, ...], Batches]:
        """Fetch the rows into temporary storage; the column names, and the batches."""
        rows = CellRows(Spool())
        self.fetch(query, params, rows)
        self._spooled = rows
        return column_names(rows.names, report), Batches(rows.batches)

    def place(self, filling: Filling) -> Located | None:
        """The location of the stored rows in the file, for workers that read some of them; None if they cannot."""
        if self._ranges is None or self._spooled is None:
            return None
        small = dataclasses.replace(filling, request=dataclasses.replace(filling.request, like=None))
        rows = self._spooled
        return SQLiteRows(
            small, self._ranges.sizes, Stamp.of(self._path), self._ranges, tuple(rows.names), rows.families
        )

    def fetch(self, query: str | None, params: Sequence[Any], rows: CellRows) -> None:
        """Read the rows of a query, or of the only table, into `rows`."""
        with self._connect("ro") as connection, self._sentences("the query failed"):
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # ATTACH and VACUUM INTO would make files
            size = self._path.stat().st_size
            # A stored cell is never larger than its file; a computed one may be.
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL if query else min(CELL, max(1 << 20, size)))
            watch = self._watch = _QueryTimer(connection)
            if query is None:
                connection.execute("BEGIN")  # so that the ranges are those of the rows
                query = self._everything(connection)
            connection.set_authorizer(_authorize)
            cursor = connection.execute(query, tuple(params))
            if cursor.description is None:
                raise DataError(f"{self.name}: the query returns no rows; use SELECT.")
            names = [column[0] for column in cursor.description]
            most = max(MUCH, RATIO * size) if self.max_bytes is None else self.max_bytes
            total = held = 0
            batch: list[tuple[Any, ...]] = []
            for row in cursor:
                batch.append(row)
                held += sum(map(getsizeof, row))
                if total + held > most:
                    raise DataError(
                        f"{self.name} returned rows of more than {most:,} bytes from a file of {size:,}. If the query "
                        f"should end, allow more with {messages.option('max_bytes')}; otherwise limit the query."
                    )
                if len(batch) == ROWS or held > BYTES:
                    rows.add_rows(names, batch)
                    batch, total, held = [], total + held, 0
                    watch.wind()
            rows.add_rows(names, batch)

    def _everything(self, connection: sqlite3.Connection) -> str:
        tables = self._tables(connection)
        name = only_table([name for name, _ in tables], self.name)
        if dict(tables)[name] == "view":
            raise DataError(
                f"{self.name} holds only the view {name!r}, and acumen does not run views by default; read it with "
                f"{messages.option('query', f'SELECT * FROM {quote_name(name)}')}."
            )
        self._ranges = self._ranges_of(connection, name)
        order = "" if self._ranges is None else f" ORDER BY {quote_name(self._ranges.key)}"
        return f"SELECT * FROM {quote_name(name)}{order}"

    def _ranges_of(self, connection: sqlite3.Connection, table: str) -> RowidRanges | None:
        """Find where every 65,536th row begins; None if the rows have no numbers."""
        query = "SELECT CAST(lower(name) AS BLOB) FROM pragma_table_info(?)"
        names = {bytes(name) for (name,) in connection.execute(query, (table,))}
        key = next((each for each in ("rowid", "oid", "_rowid_") if each.encode() not in names), None)
        try:
            query = "SELECT type, wr FROM pragma_table_list WHERE name = ? AND schema = 'main'"
            row = connection.execute(query, (table,)).fetchone()
        except sqlite3.OperationalError:  # an SQLite before 3.37
            return None
        if key is None or row != ("table", 0):
            return None
        query = (
            f"SELECT k, n FROM (SELECT {quote_name(key)} AS k, row_number() OVER (ORDER BY {quote_name(key)}) - 1 AS n "
            f"FROM {quote_name(table)}) WHERE n % {STRETCH} = 0 ORDER BY n"
        )
        starts = [int(k) for k, _ in connection.execute(query)]
        (n_rows,) = connection.execute(f"SELECT count(*) FROM {quote_name(table)}").fetchone()
        sizes = [min(STRETCH, int(n_rows) - i * STRETCH) for i in range(len(starts))]
        return RowidRanges(table, key, tuple(starts), tuple(sizes))

    def _tables(self, connection: sqlite3.Connection) -> list[tuple[str, str]]:
        """The names of the tables and views, each with its type."""
        query = (
            "SELECT CAST(name AS BLOB), type FROM sqlite_master WHERE type IN ('table', 'view') "
            "AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
        )
        tables = []
        for name, kind in connection.execute(query):
            try:
                tables.append((bytes(name or b"").decode(), str(kind)))
            except UnicodeDecodeError:
                raise DataError(
                    f"{self.name}: the name of its {kind} {name!r} is not UTF-8; rename it with ALTER TABLE from a "
                    "program that can write this name."
                ) from None
        return tables

    # -- writing ----------------------------------------------------------------------------------

    def store(
        self, table: str, columns: Sequence[tuple[str, SqlType]], rows: Iterable[Sequence[Any]], replace: bool
    ) -> int:
        """Create a table with all of these rows or none, and return their number."""
        stated = ", ".join(f"{quote_name(name)} {_TYPES[kind]}" for name, kind in columns)
        places = ", ".join("?" * len(columns))
        with self._connect("rw") as connection, self._sentences(f"table {table!r} could not be written"):
            connection.isolation_level = None  # transactions begin explicitly
            connection.execute("BEGIN IMMEDIATE")
            try:
                if table.lower() in (name.lower() for name, _ in self._tables(connection)):
                    if not replace:
                        raise DataError(
                            f"{self.name} already has a table {table!r}, which was not changed; use another name, or "
                            f"{messages.option('replace')}."
                        )
                    connection.execute(f"DROP TABLE {quote_name(table)}")
                connection.execute(f"CREATE TABLE {quote_name(table)} ({stated})")
                cursor = connection.executemany(f"INSERT INTO {quote_name(table)} VALUES ({places})", rows)
                count = max(cursor.rowcount, 0)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return count

    # -- the connection ---------------------------------------------------------------------------

    @contextmanager
    def _connect(self, mode: str) -> Iterator[sqlite3.Connection]:
        path = self._path
        if path.is_dir():
            raise DataError(f"read: {path} is a directory; give an SQLite file in it.")
        if path.exists() and not path.is_file():
            raise DataError(f"read: {path} is not a regular file, so it cannot be an SQLite file.")
        if not path.is_file():
            near = ""
            if path.parent.is_dir():
                near = did_you_mean(path.name, (entry.name for entry in path.parent.iterdir()))
            raise DataError(f"read: there is no SQLite file {str(path)!r}.{near}")
        with self._sentences("it cannot be opened"):
            connection = self._open_connection(mode)
        with closing(connection):
            yield connection

    def _open_connection(self, mode: str) -> sqlite3.Connection:
        """Open a connection, after rolling back what a killed writer left unfinished."""
        try:
            return self._try_open(mode)
        except sqlite3.OperationalError as error:
            leftovers = [
                name for name in (f"{self._path}-journal", f"{self._path}-wal") if Path(name).exists()
            ]
            if mode != "ro" or not leftovers or (error.sqlite_errorcode & 0xFF) not in _CANNOT_WRITE:
                raise
        try:
            self._try_open("rw").close()
            return self._try_open(mode)
        except sqlite3.OperationalError as error:
            raise DataError(
                f"{self.name}: a program was stopped while writing to it and left {leftovers[0]}. SQLite must undo "
                f"those changes before the file can be read, which fails here ({error}). Copy both files to a folder "
                "that you may write to, and read the copy."
            ) from None

    def _try_open(self, mode: str) -> sqlite3.Connection:
        # Opened by URI, so that a missing file is not created and reading changes nothing.
        connection = sqlite3.connect(f"file:{quote(str(self._path.resolve()))}?mode={mode}", uri=True)
        try:
            # A damaged page may place a cell beyond its end, and SQLite would then read other memory.
            connection.execute("PRAGMA cell_size_check = ON")
            connection.execute("PRAGMA schema_version").fetchone()  # SQLite first reads the file here
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _sentences(self, what: str) -> Iterator[None]:
        """Turn sqlite3's exceptions into DataError; before Python 3.12 two statements raise a Warning, not an Error."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                if self._watch is None or not self._watch.late:
                    raise KeyboardInterrupt from None
                raise DataError(
                    f"{self.name}: the query returned no row for {PATIENCE:g} seconds and was stopped; it may never "
                    "end. Ask for less."
                ) from None
            reason = str(error).rstrip(".")
            if reason.startswith(("not authorized", "authorization denied")):
                raise DataError(only_reads(self.name)) from None
            hint = ""
            if "Could not decode to UTF-8" in reason:
                hint = "; read that column with CAST(name AS BLOB)"
            raise DataError(f"{self.name}: {what}: {reason}{hint}.") from None
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self.name}: {what}: the name {error.object!r} is not UTF-8; use {messages.option('query')} and "
                "rename the columns with AS."
            ) from None
        except UnicodeEncodeError:
            raise DataError(
                f"{self.name}: {what}: query or params contain half a character (a surrogate)."
            ) from None
        except OverflowError:
            raise DataError(f"{self.name}: {what}: a number has more than 64 bits.") from None


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Authorizer that SQLite calls while it compiles a statement; allows only reading."""
    if action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").lower() not in _WRITING_FUNCTIONS
    elif action == sqlite3.SQLITE_UPDATE:  # how SQLite opens a virtual table, of full-text search say
        allowed = first == "sqlite_master"
    elif action == sqlite3.SQLITE_PRAGMA:
        allowed = (first or "").lower() in _READING_PRAGMAS
    else:
        allowed = action in _READING
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


class _QueryTimer:
    """Stops a query that has returned no row for `PATIENCE` seconds.

    SQLite calls it between its steps. An exception raised there, such as by Ctrl-C, also stops the query and is lost.
    So a query that was stopped before its time was up was interrupted by Ctrl-C.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.late = False
        self.wind()
        connection.set_progress_handler(self._check_time, STEPS)

    def wind(self) -> None:
        """Restart the timer."""
        self._until = time.monotonic() + PATIENCE

    def _check_time(self) -> int:
        self.late = time.monotonic() > self._until
        return int(self.late)
