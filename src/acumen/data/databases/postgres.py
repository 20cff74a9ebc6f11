"""Read and write PostgreSQL through ADBC: rows arrive as Arrow batches, without a Python object per cell.

Reading uses a read-only connection, which is closed as soon as the rows have arrived. The rows of a table come in the
order of its primary key, or in physical order if it has none. NUMERIC arrives as text and is converted to numbers. A
query without parameters streams; one with parameters uses a server-side cursor, because ADBC would otherwise hold the
whole result. Messages never contain the password of an address.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Any

import numpy as np

from acumen import messages
from acumen.data.batches.batched import Batches, Filling
from acumen.data.batches.spool import Spool
from acumen.data.columns import RawColumn
from acumen.data.databases.adbc_link import Link, adbc_errors
from acumen.data.databases.address import (
    SqlType,
    is_malformed,
    mask_passwords,
    only_reads,
    only_table,
    quote_name,
    secrets_in,
)
from acumen.data.databases.postgres_rows import (
    CTID,
    PLAIN,
    Key,
    KeyRanges,
    PostgresRows,
    literal,
    ranges_query,
)
from acumen.data.located import Located
from acumen.data.memory import arrow_c, arrow_columns
from acumen.data.naming import column_names
from acumen.data.raw_table import RawTable
from acumen.data.report import Report
from acumen.errors import DataError, MissingExtra, ParameterError

#: Rows fetched from a server-side cursor, or sent, at a time.
ROWS = 20_000
_TYPES: dict[SqlType, str] = {"integer": "bigint", "number": "double precision", "text": "text"}
_DUPLICATE_TABLE = "42P07"
#: PostgreSQL has no dates before 4714 BC (in days since 1970): values that seem earlier are outside the range of ADBC.
_BEGINNING = -2_450_000
_TABLES = (
    "SELECT c.relname::text FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') "
    "AND NOT c.relispartition AND c.relnamespace IN (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = "
    "ANY (current_schemas(false))) ORDER BY c.relname"
)
#: The kind of a table, the version of the server, and whether other tables inherit from it.
_KIND = (
    "SELECT c.relkind::text, current_setting('server_version_num'), (c.relkind = 'r' AND EXISTS (SELECT FROM "
    "pg_catalog.pg_inherits h WHERE h.inhparent = c.oid))::text FROM pg_catalog.pg_class c "
    "WHERE c.oid = {table}::regclass"
)
#: The columns of the primary key, their types as SQL writes them, and the names of these.
_PRIMARY = (
    "SELECT a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod), t.typname::text "
    "FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid "
    "AND a.attnum = ANY (i.indkey) JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
    "WHERE i.indrelid = {table}::regclass AND i.indisprimary "
    "ORDER BY array_position(i.indkey::int2[], a.attnum)"
)


#: Functions of the server with effects outside the transaction, or that run SQL given as text.
_ACTING = re.compile(
    r"(?<![\w$])(lo_export|query_to_xml\w*|ts_stat|ts_rewrite|crosstab\w*|connectby|xpath_table|dblink(?:_\w+)?"
    r"|pg_(?:terminate|cancel)_backend|pg_file_\w+|pg_reload_conf|pg_rotate_logfile\w*|pg_switch_\w+|pg_promote"
    r"|pg_create_restore_point|pg_backup_(?:start|stop)|pg_(?:start|stop)_backup|pg_wal_replay_\w+|pg_log_\w+"
    r"|pg_logical_\w+|pg_(?:create|copy|drop)_\w*slot\w*|pg_replication_\w+|pg_sync_replication_slots"
    r"|pg_stat_reset\w*|pg_stat_statements_reset|gin_clean_pending_list|brin_\w+)(?![\w$])",
    re.IGNORECASE,
)
#: A quoted name with escapes, which can spell any name in many ways.
_ESCAPED_NAME = re.compile(r'(?<![\w$])u&"', re.IGNORECASE)


class Postgres:
    """A database at `postgresql://user:password@host:port/name?option=value`, as libpq takes it."""

    def __init__(self, source: str) -> None:
        if is_malformed(source):
            raise DataError(
                "read: the address of the database is malformed; write postgresql://user:password@host:port/name, and "
                "@ / ? # in a password as %40 %2F %3F %23."
            )
        self.name = mask_passwords(source)
        self._address = source
        self._secrets = secrets_in(source)
        self._table: tuple[str, Key] | None = None
        self._ranges: KeyRanges | None = None
        self._names: tuple[str, ...] = ()

    # -- reading ----------------------------------------------------------------------------------

    def whole(self, query: str | None, params: Sequence[Any], report: Report) -> RawTable:
        """Read all rows at once."""
        with self._connect(read_only=True) as link:
            root, batches = self._rows(link, query, params)
            chunks = [chunk for batch in batches for chunk in batch.chunks]
        names = column_names((field.name for field in root.children), report)
        return _gather(names, arrow_c.ArrowColumn(root, chunks), report)

    def spool_rows(
        self, query: str | None, params: Sequence[Any], report: Report
    ) -> tuple[tuple[str, ...], Batches]:
        """Fetch the rows into temporary storage; the column names, and the batches."""
        spool = Spool()
        notes = Report(report.source)
        with self._connect(read_only=True) as link:
            root, batches = self._rows(link, query, params)
            names = column_names((field.name for field in root.children), report)
            for batch in batches:
                spool.add(_gather(names, batch, notes))
            if self._table is not None:
                with suppress(*adbc_errors()):  # some storage engines have no row versions
                    self._ranges = self._ranges_of(link, *self._table)
        self._names = tuple(names)

        def open_batches(into: Report, only: frozenset[str] | None) -> Iterator[RawTable]:
            into.notes += notes.notes
            yield from spool

        return names, Batches(open_batches)

    def _rows(
        self, link: Link, query: str | None, params: Sequence[Any]
    ) -> tuple[arrow_c.Field, Iterator[arrow_c.ArrowColumn]]:
        with self._sentences("the query failed"):
            if query is None:
                statement = self._everything(link)
            else:
                statement = _plain(query)
                self._require_reading(link, statement)
            if params:
                return self._by_cursor(link, statement, params)
            root, batches = arrow_c.stream_of(link.query(statement))
        if not root.children:
            raise DataError(f"{self.name}: the query returns no rows; use SELECT.")
        return root, self._count_rows(batches)

    def _require_reading(self, link: Link, query: str) -> None:
        """Refuse anything but a plain SELECT before the server runs it.

        A read-only transaction does not protect from COPY, which writes files and starts programs. So the server parses
        the query twice without running it: on its own, where it must be a single statement with closed brackets and
        comments, and as a subquery, where the grammar allows only SELECT, VALUES and TABLE. A read-only transaction
        also does not protect from functions that write files or end other sessions; these are refused by name.
        """
        if _ESCAPED_NAME.search(query):
            raise DataError(
                f'{self.name}: write names in the query without escapes (U&"..."). Nothing was run.'
            )
        if acting := _ACTING.search(query):
            raise DataError(
                f"{self.name}: a query may only read, but {acting[0]} does more; remove it. Nothing was run."
            )
        if not arrow_c.schema_fields(link.describe(query)):
            raise DataError(only_reads(self.name))
        try:
            link.describe(f"SELECT * FROM ({query}) acumen_rows")
        except adbc_errors():
            raise DataError(only_reads(self.name)) from None

    def _by_cursor(
        self, link: Link, query: str, params: Sequence[Any]
    ) -> tuple[arrow_c.Field, Iterator[arrow_c.ArrowColumn]]:
        places = max((int(number) for number in re.findall(r"\$(\d+)", query)), default=0)
        if len(params) > places:  # ADBC would ignore the others
            raise ParameterError(
                f"read: {messages.option('params')} has {len(params)} values, but the query has {places} "
                "placeholders ($1, $2, ...)."
            )
        declared = f"DECLARE acumen_rows NO SCROLL CURSOR FOR {query}"
        arrow_c.import_array(link.query(declared, _params_row(params)))

        def batches() -> Iterator[arrow_c.ArrowColumn]:
            while True:
                batch = arrow_c.import_array(link.query(f"FETCH {ROWS} FROM acumen_rows", copy=False))
                yield batch
                if len(batch) < ROWS:
                    return

        stream = batches()
        first = next(stream)
        return first.field, self._count_rows(chain([first], stream))

    def _count_rows(self, batches: Iterable[arrow_c.ArrowColumn]) -> Iterator[arrow_c.ArrowColumn]:
        """Pass the batches on; if the stream breaks off, the error says after how many rows."""
        count = 0
        rows = iter(batches)
        while True:
            try:
                batch = next(rows, None)
            except adbc_errors(DataError) as error:
                raise DataError(
                    f"{self.name}: the rows broke off after {count:,}: {self._server_message(error)}"
                ) from None
            if batch is None:
                return
            count += len(batch)
            yield batch

    def _everything(self, link: Link) -> str:
        table = only_table([name for (name,) in self._texts(link, _TABLES)], self.name)
        key = self._key_of(link, table)
        self._table = None if key is None else (table, key)
        if key is None:
            return f"SELECT * FROM {quote_name(table)}"
        if key is CTID:  # otherwise rows may start in the middle, or come from several processes
            link.settle()
            link.execute("SET synchronize_seqscans = off")
            link.execute("SET max_parallel_workers_per_gather = 0")
            return f"SELECT * FROM {quote_name(table)}"
        return f"SELECT * FROM {quote_name(table)} ORDER BY {key.column_list}"

    def _texts(self, link: Link, query: str) -> list[tuple[str, ...]]:
        """The rows of a query that returns texts without nulls."""
        fields = arrow_c.fields_of(arrow_c.import_array(link.query(query)))
        assert fields is not None
        if not len(fields[0]):
            return []
        columns = [arrow_columns.column_of("", column, Report()).natural() for column in fields]
        return [tuple(map(str, row)) for row in zip(*columns, strict=True)]

    # -- rows for others --------------------------------------------------------------------------

    def place(self, filling: Filling) -> Located | None:
        """The location of the stored rows, for workers that read some of them; None if they cannot."""
        if self._ranges is None:
            return None
        small = dataclasses.replace(filling, request=dataclasses.replace(filling.request, like=None))
        return PostgresRows(small, self._ranges.sizes, self._address, self._ranges, self._names)

    def stretch(self, ranges: KeyRanges, i: int, names: Sequence[str]) -> Iterator[RawTable]:
        """Read the rows of one stretch; raises DataError if they have changed."""
        with self._connect(read_only=True) as link:
            with self._sentences("the query failed"):
                _, batches = arrow_c.stream_of(link.query(ranges.query(i)))
            tables, mark = [], 0
            for batch in self._count_rows(batches):
                columns = _gather((*names, ""), batch, Report())
                marks = columns.columns.pop("").values
                assert marks is not None
                mark += int(marks.sum())
                tables.append(dataclasses.replace(columns, names=tuple(names)))
        if mark != ranges.marks[i] or sum(each.n_rows for each in tables) != ranges.sizes[i]:
            raise DataError(f"{self.name} changed while it was being read.")
        yield from tables

    def _key_of(self, link: Link, table: str) -> Key | None:
        """The key that orders the rows of a table; None for views and for tables without a stable order."""
        ((kind, version, heirs),) = self._texts(link, _KIND.format(table=literal(quote_name(table))))
        if kind not in "rp":
            return None
        rows = self._texts(link, _PRIMARY.format(table=literal(quote_name(table))))
        if rows and heirs == "false" and all(plain in PLAIN for _, _, plain in rows):
            return Key(tuple(quote_name(name) for name, _, _ in rows), tuple(kind for _, kind, _ in rows))
        # Before version 14 the server would scan the whole table for each stretch.
        return CTID if kind == "r" and heirs == "false" and int(version) >= 140_000 else None

    def _ranges_of(self, link: Link, table: str, key: Key) -> KeyRanges:
        """Find where every 65,536th row begins, and the marks that detect changes of each stretch."""
        rows = self._texts(link, ranges_query(table, key))
        return KeyRanges(
            table,
            key,
            tuple(row[:-2] for row in rows),
            tuple(int(row[-2]) for row in rows),
            tuple(int(row[-1]) for row in rows),
        )

    # -- writing ----------------------------------------------------------------------------------

    def store(
        self, table: str, columns: Sequence[tuple[str, SqlType]], rows: Iterable[Sequence[Any]], replace: bool
    ) -> int:
        """Create a table with all of these rows or none, and return their number; `table` may be `schema.table`."""
        import pyarrow

        schema, _, name = table.rpartition(".")
        place = f"{quote_name(schema)}.{quote_name(name)}" if schema else quote_name(name)
        types = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "text": pyarrow.string()}
        shape = pyarrow.schema([(column, types[kind]) for column, kind in columns])
        stated = ", ".join(f"{quote_name(column)} {_TYPES[kind]}" for column, kind in columns)
        count = 0

        def batches() -> Iterator[Any]:
            nonlocal count
            remaining = iter(rows)
            while chunk := list(islice(remaining, ROWS)):
                count += len(chunk)
                yield pyarrow.record_batch(list(map(list, zip(*chunk, strict=True))), schema=shape)

        with (
            self._connect(read_only=False) as link,
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
                        f"{self.name} already has a table {table!r}, which was not changed; use another name, or "
                        f"{messages.option('replace')}."
                    ) from None
                raise
        return count

    # -- the connection ---------------------------------------------------------------------------

    @contextmanager
    def _connect(self, *, read_only: bool) -> Iterator[Link]:
        with self._sentences("it cannot be reached"):
            link = Link(self._address)
        try:
            if read_only:
                with self._sentences("it cannot be reached"):
                    link.execute("SET standard_conforming_strings = on")  # as names and keys are quoted here
                    link.execute(
                        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
                    )
                    link.begin()  # one consistent snapshot; never committed, so that functions change nothing
            yield link
        finally:
            link.close()

    @contextmanager
    def _sentences(self, what: str) -> Iterator[None]:
        try:
            yield
        except adbc_errors(OverflowError, UnicodeError) as error:
            raise DataError(f"{self.name}: {what}: {self._server_message(error)}") from None

    def _server_message(self, error: Exception) -> str:
        """The server's error message on one line, without ADBC's additions and without passwords."""
        text = str(error)
        for tail in ("Query was:", "LINE 1:", "SQLSTATE:", "Is the server running"):
            text = text.partition(tail)[0]
        for word in ("ERROR:", "FATAL:", "[libpq]", "could not be read:"):
            text = text.rpartition(word)[2] if word in text else text
        text = " ".join(text.split()).rstrip(". ")
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return f"{text or type(error).__name__}."


def _params_row(params: Sequence[Any]) -> Any:
    """The parameters of a query as one Arrow row."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(
            f"{messages.option('params')} with PostgreSQL needs pyarrow: pip install 'acumen-learn[postgres]'."
        ) from None
    try:
        return pyarrow.record_batch(
            [[value] for value in params], names=[f"${i + 1}" for i in range(len(params))]
        )
    except (pyarrow.ArrowException, OverflowError, UnicodeError) as error:
        raise ParameterError(
            f"read: a value in {messages.option('params')} cannot be sent to PostgreSQL: {error}."
        ) from None


def _plain(query: str) -> str:
    """A query that can be put in brackets: without a final semicolon, and with a line break that ends a comment."""
    return query.strip().rstrip("; \n\t") + "\n"


def _gather(names: Sequence[str], rows: arrow_c.ArrowColumn, report: Report) -> RawTable:
    columns = arrow_c.fields_of(rows)
    assert columns is not None
    gathered = []
    for name, column in zip(names, columns, strict=True):
        _check_type(name, column.field)
        raw = arrow_columns.column_of(name, column, report)
        if column.field.format.startswith(("td", "ts")):
            _without_infinite(raw, report)
        gathered.append(raw)
    return RawTable.of_columns(gathered, len(rows))


def _check_type(name: str, field: arrow_c.Field) -> None:
    """Refuse types that ADBC delivers as raw bytes of the server, and money, which arrives in cents."""
    kind = field.metadata.get("POSTGRESQL:type") or field.metadata.get(arrow_columns.TYPE_NAME, "")
    if kind == "interval":
        raise DataError(
            f"column {name!r} has PostgreSQL's type interval, whose months have no fixed length; convert it to "
            f"seconds in the query with EXTRACT(epoch FROM {quote_name(name)})."
        )
    bare = field.format in ("z", "Z") and arrow_columns.TYPE_NAME in field.metadata
    if bare or kind == "money":
        other = "numeric" if kind == "money" else "text"
        raise DataError(
            f"column {name!r} has PostgreSQL's type {kind}, which acumen does not support; cast it in the query with "
            f"{quote_name(name)}::{other}."
        )


def _without_infinite(column: RawColumn, report: Report) -> None:
    """Set infinite dates, which arrive as impossibly early days, to missing and report them."""
    values = column.values
    assert values is not None
    if (values < _BEGINNING).any():
        values[values < _BEGINNING] = np.nan
        report.warn(
            "infinite-dates",
            f"column {column.name!r} holds dates that are infinite or after the year 294246; they are read as missing.",
            column=column.name,
        )
