"""The rows of an SQLite table, readable from any stretch by ranges of their row numbers.

    RowidRanges  the table, and the row number at which each stretch of 65,536 rows begins
    SQLiteRows   the ranges with the decided columns; its pickle is small

Queries and tables WITHOUT ROWID have no such ranges; only the main process reads their rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acumen.data.batches.cell_rows import CellRows
from acumen.data.batches.filled_rows import FilledRows
from acumen.data.databases.address import quote_name
from acumen.data.located import Stamp
from acumen.data.raw_table import RawTable
from acumen.data.report import Report
from acumen.errors import DataError

#: Rows of a stretch.
STRETCH = 65_536


@dataclass(frozen=True)
class RowidRanges:
    """Stretches of a table: `starts[i]` is the number of the first row of stretch i, which has `sizes[i]` rows."""

    table: str
    key: str  # SQLite's name for the row number: rowid, unless a column has that name
    starts: tuple[int, ...]
    sizes: tuple[int, ...]

    def query(self, i: int) -> tuple[str, tuple[int, ...]]:
        """The query for the rows of one stretch, and its parameters."""
        key = quote_name(self.key)
        query = f"SELECT * FROM {quote_name(self.table)} WHERE {key} >= ?"
        bound: tuple[int, ...] = (self.starts[i],)
        if i + 1 < len(self.starts):
            query, bound = f"{query} AND {key} < ?", (*bound, self.starts[i + 1])
        return f"{query} ORDER BY {key}", bound


@dataclass(frozen=True)
class SQLiteRows(FilledRows):
    """The rows of a table, readable by any process that sees the file."""

    stamp: Stamp
    ranges: RowidRanges
    names: tuple[str, ...]
    families: tuple[int, ...]  # the kinds of value that each column holds over all rows

    def batches(self, first: int, last: int) -> Iterator[RawTable]:
        from acumen.data.databases.sqlite import SQLite

        self.stamp.check(self.name)
        for i in range(first, last):
            rows = CellRows([])
            SQLite(self.stamp.path).fetch(*self.ranges.query(i), rows)
            as_before = tuple(rows.names) == self.names and rows.n_rows == self.sizes[i]
            if not as_before or not rows.settle(self.families):
                raise DataError(f"{self.name} changed while it was being read.")
            yield from rows.batches(Report())
