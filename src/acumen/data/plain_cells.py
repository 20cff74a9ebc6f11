"""Cells of a table as people write them, where nobody knows any longer how they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from acumen.data.forms import shown_as
from acumen.data.table import Table


def plain_rows(table: Table) -> Iterator[Sequence[Any]]:
    """The cells of each row, in the order of the schema's columns."""
    return zip(*(plain_cells(table, name) for name in table.schema.columns), strict=True)


def chosen_cells(
    rows: Iterator[Sequence[Any]],
    known: Sequence[str],
    names: Sequence[str],
    tables: Callable[[], Iterator[Table]],
) -> Iterator[Sequence[Any]]:
    """The cells of some columns of rows that have the columns `known`.

    Columns that nobody wrote, parts of dates, are worked out from the tables; they stand behind all others.
    """
    place = {name: j for j, name in enumerate(known)}
    places = [place[name] for name in names if name in place]
    added = [name for name in names if name not in place]
    if not added:
        yield from ([row[j] for j in places] for row in rows)
        return
    for table in tables():
        for more in zip(*(plain_cells(table, name) for name in added), strict=True):
            row = next(rows)
            yield [*(row[j] for j in places), *more]


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
