"""A source as parts: tables of a fixed number of rows under one schema, made as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acumen.data.report import Report
from acumen.data.schema import Schema
from acumen.data.table import Table


@dataclass(frozen=True, slots=True)
class Parts:
    """What `acumen.scan` gives. Iterate it as often as you like: each time the source is read anew."""

    schema: Schema
    report: Report
    n_rows: int
    rows: int
    open: Callable[[], Iterator[Table]]

    def __iter__(self) -> Iterator[Table]:
        return self.open()

    def __len__(self) -> int:
        """The number of parts."""
        return -(-self.n_rows // self.rows)


def parts_of(table: Table, rows: int) -> Parts:
    """A table in memory as parts; they borrow from it."""

    def cut() -> Iterator[Table]:
        for start in range(0, len(table), rows):
            yield table.take(slice(start, min(start + rows, len(table))))

    return Parts(table.schema, table.report, len(table), rows, cut)
