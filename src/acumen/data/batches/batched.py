"""Read sources that deliver batches of typed columns: databases, Parquet, JSON lines, svmlight, baskets.

    read_whole    a single batch with all rows -> Table
    scan_batches  batches that can be iterated repeatedly -> Parts

A batch is a `RawTable`: columns that carry their own types, some of them possibly in a sparse matrix. A `Tally` per
column decides its kind and levels over all batches. Both functions use the same rules, so the parts of `scan` add up to
the table of `read`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.assemble import fill, plan, warn_unknown
from acumen.data.batches.tally import Tally
from acumen.data.columns import RawColumn, merge_levels
from acumen.data.concat import recut
from acumen.data.located import Located, plain_cell
from acumen.data.memory import sparse
from acumen.data.parts import Parts
from acumen.data.raw_table import RawTable, blank_tokens, roles_for, write_out_columns
from acumen.data.report import Note, Report
from acumen.data.request import Request, Roles
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError

#: Notes that are only meaningful for the whole source, not for one batch.
_OF_THE_WHOLE = frozenset({"many-levels"})


@dataclass(frozen=True, slots=True)
class Batches:
    """A source of batches; each call of `open(report, only)` starts a new pass.

    `only` names the columns that the pass needs; a batch may leave out the others. `plain` are columns that the source
    guarantees to be numeric, so the first pass can skip them; `typed` are columns whose type the source states.
    """

    open: Callable[[Report, frozenset[str] | None], Iterator[RawTable]]
    plain: frozenset[str] = frozenset()
    typed: frozenset[str] = frozenset()


def read_whole(columns: RawTable, request: Request, report: Report) -> Table:
    """Build the table of a source that was read in one batch."""
    _need_rows(columns.n_rows, report)
    roles = roles_for(columns, request)
    columns = _prepare(columns, roles, request)
    tallies = {name: Tally(name, roles) for name in columns.columns}
    for name, tally in tallies.items():
        tally.add(columns.columns[name])
        if tally.needs_again:
            values = columns.columns[name].values
            assert values is not None
            tally.collect(values)
    schema = _plan(columns.names, tallies, roles, report)
    return _fill(columns, schema, report)


def scan_batches(
    source: Batches,
    shape: RawTable,
    request: Request,
    report: Report,
    rows: int,
    place: Callable[[Filling], Located | None] = lambda _: None,
) -> Parts:
    """Scan a source in parts of `rows` rows; `shape` has its columns and default roles, but no rows.

    `place` returns the location of the rows, once the conversion of batches to tables is decided.
    """
    roles = roles_for(shape, request)
    tallies: dict[str, Tally] = {}
    n_rows = 0
    watched = _columns_to_watch(shape, roles, source.plain)
    notes = Report(report.source)
    for batch in _batches(source, roles, request, notes, watched):
        n_rows += batch.n_rows
        for name, column in batch.columns.items():
            if watched is None or name in watched:
                tallies.setdefault(name, Tally(name, roles)).add(column)
    _need_rows(n_rows, report)
    report.notes += by_column(notes, shape.names)
    again = frozenset(name for name, tally in tallies.items() if tally.needs_again)
    if again:
        for batch in _batches(source, roles, request, Report(), again):
            for name in again:
                if (values := batch.columns[name].values) is not None:
                    tallies[name].collect(values)
    schema = _plan(shape.names, tallies, roles, report)
    for name, tally in tallies.items():
        if tally.unknown:
            warn_unknown(report, name, tally.unknown)

    filling = Filling(report.source, request, roles, schema)

    def parts() -> Iterator[Table]:
        n_given = 0
        for table in recut(filling.tables(source.open(Report(), None), report), rows):
            n_given += len(table)
            yield table
        if n_given != n_rows:
            raise DataError(f"{report.source} changed while it was being read.")

    def cells() -> Iterator[Sequence[Any]]:
        for batch in source.open(Report(), None):
            if batch.n_rows:
                yield from cells_of(batch, shape.names)

    located = place(filling)
    if located is not None and located.n_rows != n_rows:
        raise DataError(f"{report.source} changed while it was being read.")
    return Parts(schema, report, n_rows, rows, parts, cells, located, source.typed)


def cells_of(batch: RawTable, names: Sequence[str]) -> Iterator[Sequence[Any]]:
    """The cells of each row of a batch."""
    return zip(*(_cells(batch, name) for name in names), strict=True)


def _cells(batch: RawTable, name: str) -> list[Any]:
    """The cells of a column as the source stores them: whole numbers, truth values, dates, texts."""
    column = batch.columns.get(name)
    if column is None:
        values = sparse.column_from(batch.matrix, batch.matrix_names.index(name)).tolist()
        return [plain_cell(value) for value in values]
    if column.values is None:
        return [None if value != value else value for value in column.natural().tolist()]
    if column.form or column.whole is not float:
        return [plain_cell(value, column.form) for value in column.values.tolist()]
    return [None if value != value else value for value in column.values.tolist()]


def by_column(report: Report, names: Sequence[str]) -> list[Note]:
    """The distinct notes of several batches, in the order of the columns."""
    once: dict[tuple[str, str | None], Note] = {}
    for note in report:
        once.setdefault((note.code, note.column), note)
    place = {name: j for j, name in enumerate(names)}
    return sorted(once.values(), key=lambda note: place.get(note.column or "", -1))


def _columns_to_watch(shape: RawTable, roles: Roles, plain: frozenset[str]) -> frozenset[str] | None:
    """The columns that the first pass needs; None for all."""
    named = {roles.target, *roles.kinds, *roles.levels, *roles.merge}
    unseen = {name for name in plain if name not in named}
    return frozenset(name for name in shape.names if name not in unseen) if unseen else None


def _batches(
    source: Batches, roles: Roles, request: Request, report: Report, only: frozenset[str] | None
) -> Iterator[RawTable]:
    """Prepare each batch for the plan; the notes of their readers go to `report`."""
    scratch = Report(report.source)
    for batch in source.open(scratch, only):
        report.notes += [note for note in scratch.notes if note.code not in _OF_THE_WHOLE]
        scratch.notes.clear()
        if batch.n_rows:
            yield _prepare(batch, roles, request)


def _prepare(columns: RawTable, roles: Roles, request: Request) -> RawTable:
    columns = write_out_columns(columns, roles)
    if request.missing:
        blank_tokens(columns, request.missing)
    for name, pairs in roles.merge.items():
        if name in columns.columns:
            columns.columns[name] = merge_levels(columns.columns[name], pairs)
    return columns


def _plan(names: Iterable[str], tallies: Mapping[str, Tally], roles: Roles, report: Report) -> Schema:
    """Plan the schema; columns that the first pass skipped are numeric inputs."""
    empty = np.empty(0)
    columns = [
        tallies[name].describe(report) if name in tallies else RawColumn(name, "numeric", values=empty)
        for name in names
    ]
    return plan(columns, roles, report)


# -- rows -----------------------------------------------------------------------------------------


def _fill(batch: RawTable, schema: Schema, report: Report) -> Table:
    block = None
    if batch.matrix is not None:
        place = {name: j for j, name in enumerate(batch.matrix_names)}
        block = sparse.choose_columns(batch.matrix, place, batch.columns, [a.name for a in schema.numeric])
    return fill(list(batch.columns.values()), schema, report, batch.n_rows, sparse=block)


@dataclass(frozen=True)
class Filling:
    """The decided conversion of batches to tables; its pickle is small."""

    name: str
    request: Request
    roles: Roles
    schema: Schema

    def tables(self, batches: Iterable[RawTable], report: Report | None = None) -> Iterator[Table]:
        """Convert each batch to a table with the decided schema."""
        schema, kept = self.schema, Report(self.name) if report is None else report
        stated = [*schema.nominal, *([schema.target] if schema.target is not None else [])]
        found_levels = [a.name for a in stated if a.is_nominal and a.name not in self.roles.levels]
        for batch in batches:
            if not batch.n_rows:
                continue
            scratch = Report(self.name)
            table = _fill(_prepare(batch, self.roles, self.request), schema, scratch)
            for note in scratch.about("unknown-level"):
                if note.column in found_levels:
                    raise DataError(
                        f"{self.name} changed while it was being read: column {note.column!r} holds a new value."
                    )
            table.report = kept
            yield table


def _need_rows(n_rows: int, report: Report) -> None:
    if not n_rows:
        raise DataError(f"{report.source} has no rows.")


__all__ = ["Batches", "Filling", "read_whole", "scan_batches"]
