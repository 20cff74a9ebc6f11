"""A source as parts: tables of a fixed number of rows under one schema, made as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from acumen.data.forms import shown_as
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
    #: The cells of each row as the source has them, in the order of the schema's columns; None where a source has no
    #: cells of its own, or they went.
    cells: Callable[[], Iterator[Sequence[Any]]] | None = None

    def __iter__(self) -> Iterator[Table]:
        return self.open()

    def __len__(self) -> int:
        """The number of parts."""
        return -(-self.n_rows // self.rows)

    def written(self) -> Iterator[Sequence[Any]]:
        """The cells of each row as they were written: 20 stays 20, a date a date, 1,234.50 what it is.

        Of sources that do not know how they were written, numbers as short as they can be, and days as dates.
        """
        if self.cells is not None:
            yield from self.cells()
            return
        for part in self:
            columns = [plain_cells(part, name) for name in self.schema.columns]
            yield from zip(*columns, strict=True)


def parts_of(table: Table, rows: int) -> Parts:
    """A table in memory as parts; they borrow from it."""

    def cut() -> Iterator[Table]:
        for start in range(0, len(table), rows):
            yield table.take(slice(start, min(start + rows, len(table))))

    return Parts(table.schema, table.report, len(table), rows, cut)


def plain_cells(table: Table, name: str) -> list[Any]:
    """A column's cells as people write them; None where one is missing."""
    values = table.column(name).tolist()
    form = "" if name == table.schema.weight else table.schema[name].form
    return [plain_cell(value, form) for value in values]


def plain_cell(value: Any, form: str = "") -> Any:
    """A number as short as it can be, or the date it stands for; anything else as it is."""
    if not isinstance(value, float):
        return value
    if value != value:
        return None
    if form and (moment := shown_as(form, value)) is not None:
        return moment
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
