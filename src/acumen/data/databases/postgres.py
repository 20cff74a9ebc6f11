"""PostgreSQL, by ADBC: rows come as Arrow batches, without a Python object for each cell.

The connection is read-only for reading, and closed as soon as the rows are here. NUMERIC comes as text and is
made numbers. A query without parameters streams; one with parameters is fetched by a cursor of the server, because
ADBC would otherwise hold its whole result. What is said about an address never holds its password.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

import numpy as np

from acumen import voice
from acumen.data.batches.batched import Batches
from acumen.data.batches.spool import Spool
from acumen.data.columns import RawColumn
from acumen.data.databases.adbc_link import Link, adbc_errors
from acumen.data.databases.address import malformed, masked, secrets_in
from acumen.data.databases.sql import Stored, only_table, quoted
from acumen.data.gathered import Gathered
from acumen.data.memory import arrow_c, arrow_columns
from acumen.data.naming import column_names
from acumen.data.report import Report
from acumen.errors import DataError, MissingExtra, ParameterError

#: Rows fetched at a time from a server's cursor, or sent at a time.
ROWS = 20_000
_TYPES: dict[Stored, str] = {"integer": "bigint", "number": "double precision", "text": "text"}
_DUPLICATE_TABLE = "42P07"
#: No date or time of PostgreSQL's is before 4714 BC, in days since 1970: what seems so has left the range of ADBC.
_BEGINNING = -2_450_000
_TABLES = (
    "SELECT c.relname::text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') "
    "AND NOT c.relispartition AND c.relnamespace IN (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = "
    "ANY (current_schemas(false))) ORDER BY c.relname"
)


class Postgres:
    """A database at `postgresql://user:password@host:port/name?option=value`, as libpq takes it."""

    def __init__(self, source: str) -> None:
        if malformed(source):
            raise DataError(
                "read: the address of the database is malformed; it is postgresql://user:password@host:port/name, with "
                "@ / ? # in a password written as %40 %2F %3F %23."
            )
        self.name = masked(source)
        self._address = source
        self._secrets = secrets_in(source)

    # -- reading ----------------------------------------------------------------------------------

    def whole(self, query: str | None, params: Sequence[Any], report: Report) -> Gathered:
        """All rows at once."""
        with self._linked(read_only=True) as link:
            root, batches = self._rows(link, query, params)
            chunks = [chunk for batch in batches for chunk in batch.chunks]
        names = column_names((field.name for field in root.children), report)
        return _gathered(names, arrow_c.Imported(root, chunks), report)

    def spooled(
        self, query: str | None, params: Sequence[Any], report: Report
    ) -> tuple[tuple[str, ...], Batches]:
        """The columns, and the rows in batches that were put by."""
        spool = Spool()
        notes = Report(report.source)
        with self._linked(read_only=True) as link:
            root, batches = self._rows(link, query, params)
            names = column_names((field.name for field in root.children), report)
            for batch in batches:
                spool.add(_gathered(names, batch, notes))

        def opened(into: Report, only: frozenset[str] | None) -> Iterator[Gathered]:
            into.notes += notes.notes
            yield from spool

        return names, Batches(opened)

    def _rows(
        self, link: Link, query: str | None, params: Sequence[Any]
    ) -> tuple[arrow_c.Field, Iterator[arrow_c.Imported]]:
        with self._sentences("the query failed"):
            asked = _plain(query) if query is not None else self._everything(link)
            if params:
                return self._by_cursor(link, asked, params)
            root, batches = arrow_c.stream_of(link.query(asked))
        if not root.children:
            raise DataError(f"{self.name}: the query gives no rows; ask by SELECT.")
        return root, self._counted(batches)

    def _by_cursor(
        self, link: Link, query: str, params: Sequence[Any]
    ) -> tuple[arrow_c.Field, Iterator[arrow_c.Imported]]:
        places = max((int(number) for number in re.findall(r"\$(\d+)", query)), default=0)
        if len(params) > places:  # which ADBC would not mind
            raise ParameterError(
                f"read: {voice.option('params')} holds {len(params)} values, and the query has {places} "
                "places ($1, $2, ...) for them."
            )
        link.begin()
        declared = f"DECLARE acumen_rows NO SCROLL CURSOR FOR {query}"
        arrow_c.import_array(link.query(declared, _bound(params)))

        def batches() -> Iterator[arrow_c.Imported]:
            while True:
                made = arrow_c.import_array(link.query(f"FETCH {ROWS} FROM acumen_rows", copy=False))
                yield made
                if len(made) < ROWS:
                    return

        found = batches()
        first = next(found)
        return first.field, self._counted(chain([first], found))

    def _counted(self, batches: Iterable[arrow_c.Imported]) -> Iterator[arrow_c.Imported]:
        """The same batches; if they break off, a sentence says after how many rows."""
        count = 0
        rows = iter(batches)
        while True:
            try:
                batch = next(rows, None)
            except adbc_errors(DataError) as error:
                raise DataError(
                    f"{self.name}: the rows broke off after {count:,}: {self._said(error)}"
                ) from None
            if batch is None:
                return
            count += len(batch)
            yield batch

    def _everything(self, link: Link) -> str:
        found = arrow_c.fields_of(arrow_c.import_array(link.query(_TABLES)))
        assert found is not None
        column = arrow_columns.column_of("table", found[0], Report())
        names = [str(name) for name in column.natural()] if len(found[0]) else []
        return f"SELECT * FROM {quoted(only_table(names, self.name))}"

    # -- writing ----------------------------------------------------------------------------------

    def store(
        self, table: str, columns: Sequence[tuple[str, Stored]], rows: Iterable[Sequence[Any]], replace: bool
    ) -> int:
        """Make a table of these rows, all or none; how many they were. `schema.table` says where."""
        import pyarrow

        schema, _, name = table.rpartition(".")
        place = f"{quoted(schema)}.{quoted(name)}" if schema else quoted(name)
        types = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "text": pyarrow.string()}
        shape = pyarrow.schema([(column, types[kind]) for column, kind in columns])
        stated = ", ".join(f"{quoted(column)} {_TYPES[kind]}" for column, kind in columns)
        count = 0

        def batches() -> Iterator[Any]:
            nonlocal count
            left = iter(rows)
            while chunk := list(islice(left, ROWS)):
                count += len(chunk)
                yield pyarrow.record_batch(list(map(list, zip(*chunk, strict=True))), schema=shape)

        with (
            self._linked(read_only=False) as link,
            self._sentences(f"table {table!r} could not be written"),
        ):
            link.begin()
            try:
                if replace:
                    link.execute(f"DROP TABLE IF EXISTS {place}")
                link.execute(f"CREATE TABLE {place} ({stated})")
                for batch in batches():
                    link.ingest(schema, name, batch)
                link.commit()
            except BaseException as error:
                link.rollback()
                if not replace and getattr(error, "sqlstate", None) == _DUPLICATE_TABLE:
                    raise DataError(
                        f"{self.name} has a table {table!r} already, which is left alone; give another name, or "
                        f"say {voice.option('replace')}."
                    ) from None
                raise
        return count

    # -- the connection ---------------------------------------------------------------------------

    @contextmanager
    def _linked(self, *, read_only: bool) -> Iterator[Link]:
        with self._sentences("it cannot be reached"):
            link = Link(self._address)
        try:
            if read_only:
                with self._sentences("it cannot be reached"):
                    link.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
            yield link
        finally:
            link.close()

    @contextmanager
    def _sentences(self, what: str) -> Iterator[None]:
        try:
            yield
        except adbc_errors(OverflowError, UnicodeError) as error:
            raise DataError(f"{self.name}: {what}: {self._said(error)}") from None

    def _said(self, error: Exception) -> str:
        """The server's own words on one line, without what ADBC puts around them and without a password."""
        text = str(error)
        for tail in ("Query was:", "LINE 1:", "SQLSTATE:", "Is the server running"):
            text = text.partition(tail)[0]
        for word in ("ERROR:", "FATAL:", "[libpq]", "could not be read:"):
            text = text.rpartition(word)[2] if word in text else text
        text = " ".join(text.split()).rstrip(". ")
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return f"{text or type(error).__name__}."


def _bound(params: Sequence[Any]) -> Any:
    """The values of a query's places as one Arrow row."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(
            f"{voice.option('params')} for PostgreSQL needs pyarrow: pip install 'acumen[postgres]'."
        ) from None
    try:
        return pyarrow.record_batch(
            [[value] for value in params], names=[f"${i + 1}" for i in range(len(params))]
        )
    except (pyarrow.ArrowException, OverflowError, UnicodeError) as error:
        raise ParameterError(
            f"read: a value in {voice.option('params')} cannot be sent to PostgreSQL: {error}."
        ) from None


def _plain(query: str) -> str:
    """A query that others may put in brackets: without a last semicolon, a comment ended."""
    return query.strip().rstrip("; \n\t") + "\n"


def _gathered(names: Sequence[str], rows: arrow_c.Imported, report: Report) -> Gathered:
    columns = arrow_c.fields_of(rows)
    assert columns is not None
    made = []
    for name, column in zip(names, columns, strict=True):
        _check_type(name, column.field)
        found = arrow_columns.column_of(name, column, report)
        if column.field.format.startswith(("td", "ts")):
            _without_infinite(found, report)
        made.append(found)
    return Gathered.of_columns(made, len(rows))


def _check_type(name: str, field: arrow_c.Field) -> None:
    """Refuse types of which ADBC hands over the server's own bytes, and money, which comes in cents."""
    kind = field.metadata.get("POSTGRESQL:type") or field.metadata.get(arrow_columns.TYPE_NAME, "")
    bare = field.format in ("z", "Z") and arrow_columns.TYPE_NAME in field.metadata
    if bare or kind == "money":
        other = "numeric" if kind == "money" else "text"
        raise DataError(
            f"column {name!r} is of PostgreSQL's type {kind}, which no attribute can be; cast it in the query, as in "
            f"{quoted(name)}::{other}."
        )


def _without_infinite(column: RawColumn, report: Report) -> None:
    """Infinite dates arrive as days long before all others; they are missing here, and the report says so."""
    values = column.values
    assert values is not None
    if (values < _BEGINNING).any():
        values[values < _BEGINNING] = np.nan
        report.warn(
            "infinite-dates",
            f"column {column.name!r} holds dates that are infinite or beyond the year 294246, taken as missing.",
            column=column.name,
        )
