"""Parts of a table as a learner is handed them: their schema, the first of them, and where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acumen.data.report import Report
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.block_source import Placement, placement_of
from acumen.errors import DataError
from acumen.rows.intake import learned_schema
from acumen.rows.part_statistics import SchemaCheck


class Stream:
    """Parts with their schema; an iterator that can be used only once keeps its first part."""

    def __init__(self, parts: Iterable[Table] | Table, who: str, targeted: bool = True) -> None:
        self._parts, self._who = [parts] if isinstance(parts, Table) else parts, who
        self.once = iter(self._parts) is self._parts
        first = next(iter(self._parts), None)
        if first is None:
            raise DataError(f"{who}: there are no parts to learn from.")
        if not isinstance(first, Table):
            raise DataError(
                f"{who}: the parts must be Tables under one schema, such as acumen.scan gives; "
                f"got a {type(first).__name__}."
            )
        self.schema = learned_schema(first.schema) if targeted else Schema(first.schema.attributes)
        self.checked = SchemaCheck(self.schema, targeted)
        self._first = first if self.once else None

    def __iter__(self) -> Iterator[Table]:
        if self._first is not None:
            yield self.checked(self._first)
        for part in self._parts:
            yield self.checked(part)

    def placement(self) -> Placement | None:
        """Where the parts are, for engines that fetch them by themselves."""
        place = placement_of(self._parts)
        return None if place is None else Placement(place.located, self.checked.prepare)

    @property
    def report(self) -> Report | None:
        """What their reader said."""
        return getattr(self._parts, "report", None)

    def refuse_once(self) -> DataError:
        return DataError(
            f"{self._who}: the parts must be gone through more than once, but this iterator can be used only "
            "once; pass acumen.scan(...) or a list of tables."
        )
