"""An ARFF file in parts, read from its start or fetched from the middle.

Everything open is decided over the whole file first, then rows stream by.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from acumen import _native
from acumen.data.arff.dates import date_form
from acumen.data.arff.header import Header
from acumen.data.arff.roles import note_rows, roles_of, sparse_inputs, weight_name
from acumen.data.arff.rows import MARKED, ArffBody
from acumen.data.assemble import fill, plan, warn_unknown
from acumen.data.columns import MANY_CLASSES, RawColumn, merge_levels, string_kind
from acumen.data.located import MarkedRows, Stamp, plain_cells
from acumen.data.parts import Parts
from acumen.data.report import Report
from acumen.data.request import Ragged, Request, Roles
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import UNKNOWN, Codes, Floats, Kind, Label

#: Cells of a sparse file that are written out at a time.
_CELLS = 1 << 22


@dataclass(frozen=True)
class ArffRows(MarkedRows):
    """The rows of an ARFF file, to be read from any of its marks on."""

    source: str
    header: Header
    missing: tuple[str, ...]
    ragged: Ragged
    table_schema: Schema
    inputs: tuple[int, ...]
    fixed: Mapping[int, tuple[str, ...]]
    weight: str | None
    merge: Mapping[str, Mapping[Label, Label]]

    @classmethod
    def of(cls, rows: ArffBody, parts: ArffParts, table: _native.TextTable, every: int) -> ArffRows | None:
        """The places of a file that was gone through; None where it cannot be read from the middle."""
        if rows.place is None:
            return None
        source, begin = rows.place
        if source.path is None or not source.is_plain_file:
            return None
        begin += len(codecs.BOM_UTF8) if source.head(3)[0].startswith(codecs.BOM_UTF8) else 0
        counts = [0, *(every * (i + 1) for i in range(len(table.marks))), table.rows]
        starts = (begin, *(begin + mark for mark in table.marks), source.size)
        return cls(
            Stamp.of(source.path), starts, (rows.line, *table.mark_lines), tuple(np.diff(counts).tolist()),
            source.name, rows.header, rows.missing, rows.ragged, parts.schema, parts.inputs, parts.fixed, parts.weight,
            parts.merge,
        )  # fmt: skip

    @property
    def name(self) -> str:
        return self.source

    @property
    def schema(self) -> Schema:
        return self.table_schema

    def tables(self, first: int, last: int) -> Iterator[Table]:
        return self.check_row_count(self._parts(first, last).open(), first, last)

    def cells(self, first: int, last: int) -> Iterator[Sequence[Any]]:
        return self._parts(first, last).cells()

    def _parts(self, first: int, last: int) -> ArffParts:
        """Some stretches as a file of their own."""
        self.stamp.check(self.name)
        chunks = partial(self.pieces, first, last)
        rows = ArffBody(self.header, chunks, self.first_lines[first], self.missing, self.ragged)
        step = max(self.rows)
        if self.inputs:
            step = max(1, min(step, _CELLS // len(self.header.attributes)))
        return ArffParts(
            rows, self.schema, Report(self.name), step, self.inputs, self.fixed, self.weight, self.merge
        )


#: Rows looked at a time while the distinct values of a numeric attribute are gathered.
_ROWS = 65_536


def need_rows(n_rows: int, report: Report) -> None:
    """Refuse a file without rows."""
    if not n_rows:
        raise DataError(f"{report.source} has no rows behind its @data line.")


def scan_rows(rows: ArffBody, request: Request, report: Report, step: int) -> Parts:
    """Plan over the whole file; give its rows in parts of `step`."""
    table = next(rows.blocks(store=False))
    need_rows(table.rows, report)
    weight = weight_name(rows, table)
    note_rows(rows, table, report)
    roles = roles_of(rows, request, weight, report)
    columns = [_plan_column(rows, roles, table, j) for j in range(table.columns)]
    if weight is not None:
        columns.append(RawColumn(weight, "numeric", values=np.ones(1), whole=str))
    schema = plan([merge_levels(column, roles.merge.get(column.name)) for column in columns], roles, report)
    _warn_of_unknown(rows, roles, schema, report)
    parts = ArffParts(
        rows,
        schema,
        report,
        step,
        sparse_inputs(rows, request),
        _fixed_levels(rows, columns, schema),
        weight,
        roles.merge,
    )
    located = ArffRows.of(rows, parts, table, MARKED)
    return Parts(
        schema, report, table.rows, step, parts.open, parts.cells, located, frozenset(schema.columns)
    )


# -- what the plan needs of each column -----------------------------------------------------------


def _plan_column(rows: ArffBody, roles: Roles, table: _native.TextTable, j: int) -> RawColumn:
    """A column with all that `plan` looks at: levels and distinct values, not the rows themselves."""
    attribute = rows.header.attributes[j]
    name, wanted = attribute.name, roles.kinds.get(attribute.name)
    if attribute.kind == "nominal":
        levels = rows.levels(attribute)
        return RawColumn(name, "nominal", codes=_codes(table.rows), levels=levels, declared=True)
    if attribute.kind == "string":
        n_values = table.rows - table.stats(j).missing
        if table.stats(j).capped:
            table = _count_strings(rows, j)
        kind: Kind = string_kind(n_values, table.count_levels(j), table.stats(j).with_blank)
        return RawColumn(name, kind, codes=_codes(n_values), levels=tuple(table.levels(j)))
    if attribute.kind == "date":
        rows.days(j, table.levels(j))  # what is no date is said now, not when the parts are asked for
    few = name == roles.target and wanted is None
    needed = name not in roles.levels and (few or wanted in ("nominal", "ordinal"))
    values = _distinct(rows, j, few and wanted is None) if needed else np.empty(0)
    form = date_form(attribute.pattern) if attribute.kind == "date" else ""
    return RawColumn(name, "numeric", values=values, whole=str, form=form)


def _codes(n: int) -> Codes:
    """As many known codes as asked for, in no memory: `plan` only counts them."""
    return np.broadcast_to(np.int32(0), (n,))


def _count_strings(rows: ArffBody, j: int) -> _native.TextTable:
    """A pass in which all distinct strings of one column are told apart, however many."""
    modes = [_native.MODE_SKIP] * len(rows.header.attributes)
    modes[j] = _native.MODE_STRING
    return next(rows.blocks(store=False, modes=modes, keep_all=(j,)))


def _distinct(rows: ArffBody, j: int, few: bool) -> Floats:
    """The distinct numbers of a column; with `few` only enough to see that they are no class labels."""
    modes = [_native.MODE_SKIP] * len(rows.header.attributes)
    modes[j] = rows.modes()[j]
    distinct: Floats = np.empty(0)
    for table in rows.blocks(_ROWS, modes=modes):
        values = rows.column(table, j).values
        assert values is not None
        distinct = np.union1d(distinct, values[~np.isnan(values)])
        if few and (len(distinct) > MANY_CLASSES or not np.array_equal(distinct, np.floor(distinct))):
            break
    return distinct


def _warn_of_unknown(rows: ArffBody, roles: Roles, schema: Schema, report: Report) -> None:
    """Count the values that levels given by the caller leave out; a pass of its own, made only for that."""
    stated = (*schema.nominal, *([schema.target] if schema.target is not None else []))
    declared = {a.name: a for a in stated if a.is_nominal and a.name in roles.levels}
    if not declared:
        return
    at = {name: rows.header.names.index(name) for name in declared}
    modes = [mode if j in at.values() else _native.MODE_SKIP for j, mode in enumerate(rows.modes())]
    unknown = dict.fromkeys(declared, 0)
    for block in rows.blocks(_ROWS, modes=modes):
        for name, attribute in declared.items():
            codes = rows.column(block, at[name]).to_codes(attribute.levels)
            unknown[name] += int(np.count_nonzero(codes == UNKNOWN))
    for name, count in unknown.items():
        if count:
            warn_unknown(report, name, count)


def _fixed_levels(rows: ArffBody, columns: list[RawColumn], schema: Schema) -> Mapping[int, tuple[str, ...]]:
    """The levels, in code order, of string attributes that are nominal: known now, so their codes agree."""
    stated = {a.name for a in (*schema.attributes, schema.target) if a is not None and a.is_nominal}
    return {
        j: tuple(str(level) for level in columns[j].levels)
        for j, attribute in enumerate(rows.header.attributes)
        if attribute.kind == "string" and attribute.name in stated
    }


# -- rows as tables -------------------------------------------------------------------------------
#
# The rows of an ARFF file as tables, once roles, kinds and levels are known.


class ArffParts:
    """What is needed to go through the rows under a settled schema."""

    def __init__(
        self,
        rows: ArffBody,
        schema: Schema,
        report: Report,
        step: int,
        inputs: tuple[int, ...],
        fixed: Mapping[int, tuple[str, ...]],
        weight: str | None,
        merge: Mapping[str, Mapping[Label, Label]],
    ) -> None:
        self.rows, self.schema, self.report, self.step = rows, schema, report, step
        self.inputs, self.fixed, self.weight, self.merge = inputs, fixed, weight, merge

    def open(self) -> Iterator[Table]:
        modes = self.rows.modes()
        for j in self.fixed:
            modes[j] = _native.MODE_FIXED
        for block in self.rows.blocks(self.step, modes=modes, levels=self.fixed):
            if block.rows:
                yield self._table(block)

    def cells(self) -> Iterator[Sequence[Any]]:
        """The cells of each row as they are written; what a sparse row is silent of as it is understood."""
        modes = [_native.MODE_STRING] * len(self.rows.header.attributes)
        for part, block in zip(
            self.open(), self.rows.blocks(self.step, modes=modes, dialect=self.rows.literal), strict=False
        ):
            columns: list[Sequence[Any]] = []
            for j, name in enumerate(self.rows.header.names):
                codes, levels = block.codes(j), block.levels(j)
                if codes.min() >= 0:
                    columns.append([levels[code] for code in codes.tolist()])
                else:
                    cells = zip(codes.tolist(), plain_cells(part, name), strict=True)
                    columns.append([levels[code] if code >= 0 else plain for code, plain in cells])
            if self.weight is not None:
                columns.append(plain_cells(part, self.weight))
            yield from zip(*columns, strict=True)

    def _table(self, block: _native.TextTable) -> Table:
        others = [self._column(block, j) for j in range(block.columns) if j not in set(self.inputs)]
        if self.weight is not None:
            others.append(RawColumn(self.weight, "numeric", values=block.weights(), whole=str))
        scratch = Report(self.report.source)  # what is said of the whole is said already
        if not self.inputs:
            table = fill(others, self.schema, scratch, block.rows)
            table.report = self.report
            return table
        from scipy.sparse import csr_matrix

        schema = self.schema
        narrow = Schema((), schema.target, schema.weight, schema.ignored)
        table = fill(others, narrow, scratch, block.rows)
        return Table(
            schema, block.rows, sparse=csr_matrix(np.column_stack([block.values(j) for j in self.inputs])),
            labels=table.labels, response=table.response, weights=table.weights, ignored=table.ignored,
            report=self.report,
        )  # fmt: skip

    def _column(self, block: _native.TextTable, j: int) -> RawColumn:
        name = self.rows.header.attributes[j].name
        if j in self.fixed:
            column = RawColumn(name, "nominal", codes=block.codes(j), levels=self.fixed[j])
        else:
            column = self.rows.column(block, j)
        return merge_levels(column, self.merge.get(name))
