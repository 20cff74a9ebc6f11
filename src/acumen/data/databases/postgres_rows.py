"""The rows of a PostgreSQL table, readable from any stretch by ranges of its key.

    Key            the order of the rows: the primary key, or the physical position (ctid)
    KeyRanges      the table, and the key at which each stretch of 65,536 rows begins
    PostgresRows   the ranges with the decided columns; its pickle is small

Each worker reads its stretches through its own connection, which may see a later state of the table. So each stretch
has a mark, the sum of a hash over the keys and versions (xmin) of its rows: it changes when rows are changed, added or
deleted. No transaction stays open, and nothing is written. Views and queries have no such ranges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from acumen.data.batches.filled_rows import FilledRows
from acumen.data.databases.address import quote_name
from acumen.data.raw_table import RawTable

#: Rows of a stretch.
STRETCH = 65_536
#: Key types whose text has the same meaning in every connection.
PLAIN = ("int2", "int4", "int8", "numeric", "uuid", "text", "varchar", "bpchar", "date")


@dataclass(frozen=True)
class Key:
    """Columns that identify and order the rows, and their types in SQL."""

    columns: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def column_list(self) -> str:
        return ", ".join(self.columns)

    @property
    def mark(self) -> str:
        """An SQL expression for a number that differs for another version of the row."""
        texts = ", ".join(f"{column}::text" for column in self.columns)
        return f"hashtext(concat_ws(':', xmin::text, {texts}))"

    def at(self, values: tuple[str, ...]) -> str:
        """A key value in SQL."""
        cells = (f"{literal(value)}::{kind}" for value, kind in zip(values, self.types, strict=True))
        return f"({', '.join(cells)})"


#: The physical position of rows: for tables without a primary key.
CTID = Key(("ctid",), ("tid",))


@dataclass(frozen=True)
class KeyRanges:
    """Stretches of a table: `starts[i]` is the key of the first row of stretch i, as text."""

    table: str
    key: Key
    starts: tuple[tuple[str, ...], ...]
    marks: tuple[int, ...]
    sizes: tuple[int, ...]

    def query(self, i: int) -> str:
        """The query for the rows of one stretch, in order, with the mark of each row as the last column."""
        key = self.key
        query = (
            f"SELECT t.*, {key.mark} FROM {quote_name(self.table)} t "
            f"WHERE ({key.column_list}) >= {key.at(self.starts[i])}"
        )
        if i + 1 < len(self.starts):
            query += f" AND ({key.column_list}) < {key.at(self.starts[i + 1])}"
        return f"{query} ORDER BY {key.column_list}"


def ranges_query(table: str, key: Key) -> str:
    """The query for the start of each stretch, the sum of its marks, and its number of rows."""
    names = [f"k{i}" for i in range(len(key.columns))]
    keys = ", ".join(f"{column}::text AS {name}" for column, name in zip(key.columns, names, strict=True))
    first = ", ".join(f"max({name}) FILTER (WHERE n % {STRETCH} = 0)" for name in names)
    return (
        f"SELECT {first}, sum(mark)::text, count(*)::text FROM (SELECT {keys}, {key.mark}::bigint AS mark, "
        f"row_number() OVER (ORDER BY {key.column_list}) - 1 AS n FROM {quote_name(table)}) numbered "
        f"GROUP BY n / {STRETCH} ORDER BY n / {STRETCH}"
    )


@dataclass(frozen=True)
class PostgresRows(FilledRows):
    """The rows of a table, readable by any process that reaches the server."""

    address: str = field(repr=False)  # it may hold a password
    ranges: KeyRanges
    names: tuple[str, ...]

    def batches(self, first: int, last: int) -> Iterator[RawTable]:
        from acumen.data.databases.postgres import Postgres

        database = Postgres(self.address)
        for i in range(first, last):
            yield from database.stretch(self.ranges, i, self.names)


def literal(text: str) -> str:
    """A text literal in SQL, in which a backslash has no special meaning."""
    return "'" + text.replace("'", "''") + "'"
