"""What each kind of database offers, and what their code shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from acumen import messages
from acumen.data.batches.batched import Batches, Filling
from acumen.data.gathered import Gathered
from acumen.data.located import Located
from acumen.data.report import Report
from acumen.errors import DataError

#: What a column written back holds.
Stored: TypeAlias = Literal["integer", "number", "text"]

ONLY_READS = "a query may only read; write SELECT, VALUES or WITH ... SELECT. Nothing was run."


class Database(Protocol):
    """What each kind of database offers."""

    name: str  # for people: holds no password

    def whole(self, query: str | None, params: Sequence[Any], report: Report) -> Gathered:
        """All rows at once."""

    def spooled(
        self, query: str | None, params: Sequence[Any], report: Report
    ) -> tuple[tuple[str, ...], Batches]:
        """The columns, and the rows in batches that were put by."""

    def place(self, filling: Filling) -> Located | None:
        """Where the rows that were put by can be fetched by others; None where they cannot."""

    def store(
        self, table: str, columns: Sequence[tuple[str, Stored]], rows: Iterable[Sequence[Any]], replace: bool
    ) -> int:
        """Make a table of these rows, all or none; how many they were."""


def only_table(names: Sequence[str], where: str) -> str:
    """The one table of a database, or a sentence that lists them."""
    if len(names) == 1:
        return names[0]
    if not names:
        raise DataError(f"{where} holds no table.")
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    raise DataError(
        f"{where} holds {len(names)} tables, so say which rows you want, as in "
        f"{messages.option('query', f'SELECT * FROM {quoted(names[0])}')}; the tables are {shown}."
    )


def only_reads(where: str) -> str:
    """The sentence for a query that would do more than read."""
    return f"{where}: {ONLY_READS}"


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
