"""SQLite, by the standard library: read-only for reading, one transaction for writing.

SQLite lets any cell of a column hold any type, so each column's type is decided over all rows of the result;
see `cell_rows`. Strings stay strings, also where they look like numbers or dates.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from acumen.data.address import is_database, masked, sqlite_file
from acumen.data.batched import Batches
from acumen.data.cell_rows import CellRows
from acumen.data.gathered import Gathered
from acumen.data.naming import column_names
from acumen.data.report import Report
from acumen.data.spool import Spool
from acumen.data.sql import Stored, only_table, quoted
from acumen.errors import DataError, did_you_mean

#: Rows fetched at a time.
ROWS = 16_384
_TYPES: dict[Stored, str] = {"integer": "INTEGER", "number": "REAL", "text": "TEXT"}


class SQLite:
    """A database file, at `sqlite:///relative/path`, `sqlite:////absolute/path` or a plain path."""

    def __init__(self, source: str) -> None:
        self.name = masked(source)
        given = sqlite_file(source) if is_database(source) else source
        if not given or given == ":memory:" or is_database(given):  # two slashes instead of three
            raise DataError(
                f"read: {self.name} names no file; write sqlite:///file.db, or sqlite:////folder/file.db from the root."
            )
        self._path = Path(given).expanduser()

    # -- reading ----------------------------------------------------------------------------------

    def whole(self, query: str | None, params: Sequence[Any], report: Report) -> Gathered:
        """All rows at once."""
        rows = CellRows([])
        self._fetch(query, params, rows)
        return rows.whole(report)

    def spooled(
        self, query: str | None, params: Sequence[Any], report: Report
    ) -> tuple[tuple[str, ...], Batches]:
        """The columns, and the rows in batches that were put by."""
        rows = CellRows(Spool())
        self._fetch(query, params, rows)
        return column_names(rows.names, report), Batches(rows.batches)

    def _fetch(self, query: str | None, params: Sequence[Any], rows: CellRows) -> None:
        with self._connected("ro") as connection, self._sentences("the query failed"):
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # ATTACH and VACUUM INTO would make files
            cursor = connection.execute(query or self._everything(connection), tuple(params))
            if cursor.description is None:
                raise DataError(f"{self.name}: the query gives no rows; ask by SELECT.")
            names = [column[0] for column in cursor.description]
            while True:
                batch = cursor.fetchmany(ROWS)
                rows.add_rows(names, batch)
                if not batch:
                    return

    def _everything(self, connection: sqlite3.Connection) -> str:
        return f"SELECT * FROM {quoted(only_table(_tables(connection), self.name))}"

    # -- writing ----------------------------------------------------------------------------------

    def store(
        self, table: str, columns: Sequence[tuple[str, Stored]], rows: Iterable[Sequence[Any]], replace: bool
    ) -> int:
        """Make a table of these rows, all or none; how many they were."""
        stated = ", ".join(f"{quoted(name)} {_TYPES[kind]}" for name, kind in columns)
        places = ", ".join("?" * len(columns))
        with self._connected("rw") as connection, self._sentences(f"table {table!r} could not be written"):
            connection.isolation_level = None  # transactions begin where we say
            connection.execute("BEGIN IMMEDIATE")
            try:
                if table.lower() in (name.lower() for name in _tables(connection)):
                    if not replace:
                        raise DataError(
                            f"{self.name} has a table {table!r} already, which is left alone; give another name, or "
                            "--replace."
                        )
                    connection.execute(f"DROP TABLE {quoted(table)}")
                connection.execute(f"CREATE TABLE {quoted(table)} ({stated})")
                made = connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", rows)
                count = max(made.rowcount, 0)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return count

    # -- the connection ---------------------------------------------------------------------------

    @contextmanager
    def _connected(self, mode: str) -> Iterator[sqlite3.Connection]:
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
            # By address, so that a file that is not there is not made, and reading changes nothing.
            connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode={mode}", uri=True)
        with closing(connection):
            yield connection

    @contextmanager
    def _sentences(self, what: str) -> Iterator[None]:
        """What sqlite3 raises, as a sentence. Before Python 3.12 its Warning for two statements is no Error."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            said = str(error).rstrip(".")
            hint = ""
            if "Could not decode to UTF-8" in said:
                hint = "; fetch that column AS BLOB, as in CAST(name AS BLOB)"
            raise DataError(f"{self.name}: {what}: {said}{hint}.") from None
        except UnicodeEncodeError:
            raise DataError(
                f"{self.name}: {what}: query or params hold half a character (a surrogate)."
            ) from None
        except OverflowError:
            raise DataError(f"{self.name}: {what}: a number has more than 64 bits.") from None


def _tables(connection: sqlite3.Connection) -> list[str]:
    asked = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_' "
        "ORDER BY name"
    )
    return [str(name) for (name,) in connection.execute(asked)]
