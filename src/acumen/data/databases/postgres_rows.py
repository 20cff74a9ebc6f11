"""The rows of a PostgreSQL table, fetched from the middle by ranges of its key.

    Key            what rows are ordered by: the primary key, or where they lie (ctid)
    Ranges         which table, and the key at which each stretch of 65,536 rows begins
    PostgresRows   these with what was settled of the columns; pickles small

Whoever fetches a stretch asks by a connection of its own, which may see a later state of the table. So each stretch has
a mark, the sum of a hash over keys and versions (xmin) of its rows: rows that were changed, added or taken away since
give another one. No transaction is held open, and nothing is written. A view has no such places, nor has a query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from acumen.data.batches.filled_rows import FilledRows
from acumen.data.databases.address import quote_name
from acumen.data.raw_table import RawTable

#: Rows of a stretch.
STRETCH = 65_536
#: Types of key whose texts mean the same to every connection.
PLAIN = ("int2", "int4", "int8", "numeric", "uuid", "text", "varchar", "bpchar", "date")


@dataclass(frozen=True)
class Key:
    """Columns that tell rows apart and order them, and the type of each as SQL writes it."""

    columns: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def column_list(self) -> str:
        return ", ".join(self.columns)

    @property
    def mark(self) -> str:
        """An expression for a number that another version of the row will not have."""
        texts = ", ".join(f"{column}::text" for column in self.columns)
        return f"hashtext(concat_ws(':', xmin::text, {texts}))"

    def at(self, values: tuple[str, ...]) -> str:
        """A key as SQL writes it."""
        cells = (f"{literal(value)}::{kind}" for value, kind in zip(values, self.types, strict=True))
        return f"({', '.join(cells)})"


#: Where rows lie: for tables without a primary key.
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
        """What asks for the rows of one stretch, in order; behind their columns the mark of each."""
        key = self.key
        query = (
            f"SELECT t.*, {key.mark} FROM {quote_name(self.table)} t "
            f"WHERE ({key.column_list}) >= {key.at(self.starts[i])}"
        )
        if i + 1 < len(self.starts):
            query += f" AND ({key.column_list}) < {key.at(self.starts[i + 1])}"
        return f"{query} ORDER BY {key.column_list}"


def ranges_query(table: str, key: Key) -> str:
    """What asks where each stretch begins, for its rows, and for the sum of their marks."""
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
    """The rows of a table, to be fetched by whoever reaches the server."""

    address: str = field(repr=False)  # it may hold a password
    ranges: KeyRanges
    names: tuple[str, ...]

    def batches(self, first: int, last: int) -> Iterator[RawTable]:
        from acumen.data.databases.postgres import Postgres

        database = Postgres(self.address)
        for i in range(first, last):
            yield from database.stretch(self.ranges, i, self.names)


def literal(text: str) -> str:
    """A text as SQL writes it, where a backslash is a backslash."""
    return "'" + text.replace("'", "''") + "'"
