"""SQLite, by the standard library: read-only for reading, one transaction for writing.

SQLite lets any cell of a column hold any type, so each column's type is decided over all rows of the result;
see `cell_rows`. Strings stay strings, also where they look like numbers or dates.

A database is a program too: a view may recurse for ever, a generated column be a gigabyte. So only tables are read
unasked, a cell and all rows together have a size that is not gone beyond, and a query that gives no row for long is
ended. What a killed writer left half done (a hot journal) SQLite itself takes back when the file is opened.
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

#: Rows held at a time, and their bytes.
ROWS = 16_384
BYTES = 1 << 26
#: The most bytes of a cell, and of all cells; or so many times the size of the file.
CELL = 1 << 28
MUCH = 1 << 30
RATIO = 50
#: Seconds in which a query must give a row, and how many of SQLite's steps go by before the clock is looked at.
PATIENCE = 600.0
STEPS = 100_000
#: What a statement that reads consists of, by SQLite's own names for it; ATTACH, PRAGMA and CREATE TEMP are none of it.
_READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
#: Pragmas without effects, which full-text search asks and queries may join.
_READING_PRAGMAS = frozenset(
    {"data_version", "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
     "foreign_key_list", "collation_list", "database_list", "function_list", "compile_options"}
)  # fmt: skip
#: Functions that load code or write files, where an SQLite has them.
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
                f"read: {self.name} names no file; write sqlite:///file.db, or sqlite:////folder/file.db from the root."
            )
        self._path = Path(path).expanduser()
        self._watch: _QueryTimer | None = None
        self._spooled: CellRows | None = None
        self._ranges: RowidRanges | None = None
        self.max_bytes: int | None = None  # of all cells; None: what MUCH and RATIO allow

    # -- reading ----------------------------------------------------------------------------------

    def whole(self, query: str | None, params: Sequence[Any], report: Report) -> RawTable:
        """All rows at once."""
        rows = CellRows([])
        self.fetch(query, params, rows)
        return rows.whole(report)

    def spool_rows(
        self, query: str | None, params: Sequence[Any], report: Report
    ) -> tuple[tuple[str, ...], Batches]:
        """The columns, and the rows in batches that were put by."""
        rows = CellRows(Spool())
        self.fetch(query, params, rows)
        self._spooled = rows
        return column_names(rows.names, report), Batches(rows.batches)

    def place(self, filling: Filling) -> Located | None:
        """Where the rows that were put by are in the file, for whoever fetches some of them; None where they cannot."""
        if self._ranges is None or self._spooled is None:
            return None
        small = dataclasses.replace(filling, request=dataclasses.replace(filling.request, like=None))
        rows = self._spooled
        return SQLiteRows(
            small, self._ranges.sizes, Stamp.of(self._path), self._ranges, tuple(rows.names), rows.families
        )

    def fetch(self, query: str | None, params: Sequence[Any], rows: CellRows) -> None:
        """The rows of a query, or of the only table, into `rows`."""
        with self._connect("ro") as connection, self._sentences("the query failed"):
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # ATTACH and VACUUM INTO would make files
            size = self._path.stat().st_size
            # No cell that is stored is larger than its file; one that is computed may be.
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL if query else min(CELL, max(1 << 20, size)))
            watch = self._watch = _QueryTimer(connection)
            if query is None:
                connection.execute("BEGIN")  # so that the ranges are those of the rows
                query = self._everything(connection)
            connection.set_authorizer(_authorize)
            cursor = connection.execute(query, tuple(params))
            if cursor.description is None:
                raise DataError(f"{self.name}: the query gives no rows; ask by SELECT.")
            names = [column[0] for column in cursor.description]
            most = max(MUCH, RATIO * size) if self.max_bytes is None else self.max_bytes
            total = held = 0
            batch: list[tuple[Any, ...]] = []
            for row in cursor:
                batch.append(row)
                held += sum(map(getsizeof, row))
                if total + held > most:
                    raise DataError(
                        f"{self.name} gives rows of more than {most:,} bytes, where the file has {size:,}, as queries "
                        f"that never end do; limit the query, or allow it with {messages.option('max_bytes')}."
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
                f"{self.name} holds no table but the view {name!r}, which is a query that is not run unasked; ask "
                f"for its rows with {messages.option('query', f'SELECT * FROM {quote_name(name)}')}."
            )
        self._ranges = self._ranges_of(connection, name)
        order = "" if self._ranges is None else f" ORDER BY {quote_name(self._ranges.key)}"
        return f"SELECT * FROM {quote_name(name)}{order}"

    def _ranges_of(self, connection: sqlite3.Connection, table: str) -> RowidRanges | None:
        """Where every 65,536th row begins; None where rows have no numbers."""
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
        """The names of tables and views, and which they are."""
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
                    f"{self.name}: the name of its {kind} {name!r} is not UTF-8; rename it, by ALTER TABLE in a "
                    "language that can spell it."
                ) from None
        return tables

    # -- writing ----------------------------------------------------------------------------------

    def store(
        self, table: str, columns: Sequence[tuple[str, SqlType]], rows: Iterable[Sequence[Any]], replace: bool
    ) -> int:
        """Make a table of these rows, all or none; how many they were."""
        stated = ", ".join(f"{quote_name(name)} {_TYPES[kind]}" for name, kind in columns)
        places = ", ".join("?" * len(columns))
        with self._connect("rw") as connection, self._sentences(f"table {table!r} could not be written"):
            connection.isolation_level = None  # transactions begin where we say
            connection.execute("BEGIN IMMEDIATE")
            try:
                if table.lower() in (name.lower() for name, _ in self._tables(connection)):
                    if not replace:
                        raise DataError(
                            f"{self.name} has a table {table!r} already, which is left alone; give another name, or "
                            f"say {messages.option('replace')}."
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
            raise DataError(f"read: {path} is no file, so no SQLite file either.")
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
        """A connection that can be read from; what a killed writer left half done has been taken back."""
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
        # By address, so that a file that is not there is not made, and reading changes nothing.
        connection = sqlite3.connect(f"file:{quote(str(self._path.resolve()))}?mode={mode}", uri=True)
        try:
            # A damaged page may place a cell beyond its end, and SQLite would read whatever memory holds there.
            connection.execute("PRAGMA cell_size_check = ON")
            connection.execute("PRAGMA schema_version").fetchone()  # nothing is looked at before
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _sentences(self, what: str) -> Iterator[None]:
        """What sqlite3 raises, as a sentence. Before Python 3.12 its Warning for two statements is no Error."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                if self._watch is None or not self._watch.late:
                    raise KeyboardInterrupt from None
                raise DataError(
                    f"{self.name}: the query gave no row for {PATIENCE:g} seconds and was ended, as one that never "
                    "ends must be; ask for less."
                ) from None
            reason = str(error).rstrip(".")
            if reason.startswith(("not authorized", "authorization denied")):
                raise DataError(only_reads(self.name)) from None
            hint = ""
            if "Could not decode to UTF-8" in reason:
                hint = "; fetch that column AS BLOB, as in CAST(name AS BLOB)"
            raise DataError(f"{self.name}: {what}: {reason}{hint}.") from None
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self.name}: {what}: the name {error.object!r} is not UTF-8; ask with "
                f"{messages.option('query')}, and name the "
                "columns there with AS."
            ) from None
        except UnicodeEncodeError:
            raise DataError(
                f"{self.name}: {what}: query or params hold half a character (a surrogate)."
            ) from None
        except OverflowError:
            raise DataError(f"{self.name}: {what}: a number has more than 64 bits.") from None


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """SQLite's question, while it compiles a statement, whether a part of it may be; only reading is."""
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
    """Ends a query that has given no row for `PATIENCE` seconds.

    SQLite asks between its steps. An exception out of there, such as Ctrl-C's, ends the query too, and is lost: so
    whoever finds the query ended without its time being up knows that it was Ctrl-C.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.late = False
        self.wind()
        connection.set_progress_handler(self._check_time, STEPS)

    def wind(self) -> None:
        """From here on, once more."""
        self._until = time.monotonic() + PATIENCE

    def _check_time(self) -> int:
        self.late = time.monotonic() > self._until
        return int(self.late)
