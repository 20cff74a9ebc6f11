"""A source as parts: tables of a fixed number of rows under one schema, made as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from acumen.data.concat import concat
from acumen.data.located import Located, plain_rows
from acumen.data.report import Report
from acumen.data.schema import Schema
from acumen.data.table import Table


@dataclass(frozen=True, slots=True)
class Parts:
    """The result of `acumen.scan`. You can iterate it repeatedly; each pass reads the source again."""

    schema: Schema
    report: Report
    n_rows: int
    rows: int
    open: Callable[[], Iterator[Table]]
    #: The cells of each row as the source has them, in the order of the schema's columns; None where a source has no
    #: cells of its own, or they went.
    cells: Callable[[], Iterator[Sequence[Any]]] | None = None
    #: Where the rows are, where they can be fetched from the middle: what engines of many machines need.
    located: Located | None = None
    #: Columns whose type the source itself states, as Parquet and ARFF files do.
    typed: frozenset[str] = frozenset()

    def block(self, i: int) -> Table:
        """Part number `i`, without reading those before it where the source allows that."""
        if not 0 <= i < len(self):
            raise IndexError(f"there are {len(self):,} parts, counted from 0; there is no part {i}.")
        if self.located is None:
            return next(islice(self, i, None))
        begin = i * self.rows
        block = concat(list(self.located.between(begin, min(begin + self.rows, self.n_rows))))
        block.report = self.report
        return block

    def __iter__(self) -> Iterator[Table]:
        return self.open()

    def __len__(self) -> int:
        """The number of parts."""
        return -(-self.n_rows // self.rows)

    def source_cells(self) -> Iterator[Sequence[Any]]:
        """The cells of each row as they were written: 20 stays 20, a date a date, 1,234.50 what it is.

        Of sources that do not know how they were written, numbers as short as they can be, and days as dates.
        """
        if self.cells is not None:
            yield from self.cells()
            return
        for part in self:
            yield from plain_rows(part)


def parts_of(table: Table, rows: int) -> Parts:
    """A table in memory as parts; they borrow from it."""

    def cut() -> Iterator[Table]:
        for start in range(0, len(table), rows):
            yield table.take(slice(start, min(start + rows, len(table))))

    return Parts(table.schema, table.report, len(table), rows, cut)
