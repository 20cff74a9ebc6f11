"""From a table, or anything that can be read, to its data card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from acumen.data.columns import id_like
from acumen.data.read import read
from acumen.data.report import Note, Report
from acumen.data.request import Column
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.profiling.card import Card
from acumen.profiling.duplicates import Duplicates, duplicates
from acumen.profiling.figures import ColumnFigures, TargetFigures, share
from acumen.profiling.findings import (
    Finding,
    column_findings,
    duplicate_findings,
    is_identifier,
    target_findings,
)
from acumen.profiling.leaks import Leak, nominal_leak, numeric_leak
from acumen.profiling.levels import class_figures, nominal_column
from acumen.profiling.numeric import numeric_column, numeric_figures
from acumen.profiling.pictures import absent_counts, sample, stretches, survey
from acumen.profiling.strings import text_column
from acumen.types import Array, Floats

#: One input's figures, whether it is a numeric identifier, and whether it gives the class away.
Examined: TypeAlias = tuple[ColumnFigures, bool, Leak | None]


def inspect(source: Any, target: Column | None = None, **options: Any) -> Card:
    """The card of a table, or of anything that can be read, that is or is brought here; see `acumen.inspect`."""
    if not isinstance(source, Table):
        return card_of(read(source, target=target, **options))
    if options:
        raise TypeError(f"inspect: a Table is read already; {', '.join(options)} cannot be given with it.")
    return card_of(source if target is None else read(source, target=target))


def warnings_of(table: Table) -> list[Finding | Note]:
    """What a person should look at before learning from a table, the reader's warnings first; no card is drawn."""
    findings = _examined(table)[3]
    every: list[Finding | Note] = [*untold(table.report, findings), *findings]
    return [each for each in every if each.level == "warning"]


def untold(report: Report, findings: Sequence[Finding]) -> list[Note]:
    """What the reader said that the findings do not."""
    told = {(finding.code, finding.column) for finding in findings}
    return [note for note in report if (note.code, note.column) not in told]


def _examined(
    table: Table,
) -> tuple[list[ColumnFigures], TargetFigures | None, Duplicates, list[Finding]]:
    """Figures of all columns, and what was found."""
    columns = [_column(table, attribute, values) for attribute, values in columns_of(table)]
    target = _target(table)
    twice = duplicates(table)
    return (
        [column for column, _, _ in columns],
        target,
        twice,
        findings_of(columns, target, twice, len(table)),
    )


def findings_of(
    columns: Sequence[Examined], target: TargetFigures | None, twice: Duplicates, n_rows: int
) -> list[Finding]:
    """What is odd about a table whose figures are known."""
    return [
        *([Finding("no-rows", "the table has no rows.")] if not n_rows else []),
        *target_findings(target, n_rows),
        *(
            found
            for column, identifier, leak in columns
            for found in column_findings(column, n_rows, identifier, leak)
        ),
        *duplicate_findings(twice, [column for column, _, _ in columns], n_rows),
    ]


def card_of(table: Table) -> Card:
    """The card of a table as it is."""
    columns, target, twice, findings = _examined(table)
    n_rows = len(table)
    ends = stretches(n_rows)
    absent = {
        attribute.name: absent_counts(attribute, values, 0, ends) / np.diff(ends)
        for (attribute, values), column in zip(columns_of(table), columns, strict=True)
        if column.missing
    }
    rows = sample(n_rows)
    some = table if isinstance(rows, slice) else table.take(rows)
    return Card(
        source=table.report.source,
        rows=n_rows,
        total_weight=table.total_weight,
        weight=table.schema.weight,
        attributes=tuple(columns),
        target=target,
        ignored=tuple(a.name for a in table.schema.ignored),
        duplicates=twice,
        findings=tuple(findings),
        notes=tuple(untold(table.report, findings)),
        pictures=survey(some, columns, lambda: columns_of(some), absent, n_rows),
    )


def columns_of(table: Table) -> Iterator[tuple[Attribute, Array]]:
    """Every input with its column, in the schema's order."""
    numeric = _sparse_columns(table) if table.sparse is not None else iter(table.numeric.columns)
    nominal, text = iter(table.nominal.columns), iter(table.text)
    for attribute in table.schema.attributes:
        if attribute.is_nominal:
            yield attribute, next(nominal)
        else:
            yield attribute, next(numeric if attribute.is_numeric else text)


def _sparse_columns(table: Table) -> Iterator[Floats]:
    """The columns of a sparse block, written out one at a time; turned to columns once, not each time."""
    assert table.sparse is not None
    by_column = table.sparse.tocsc()
    by_column.sum_duplicates()
    for j in range(by_column.shape[1]):
        entries = slice(by_column.indptr[j], by_column.indptr[j + 1])
        column = np.zeros(len(table))
        column[by_column.indices[entries]] = by_column.data[entries]
        yield column


def _column(table: Table, attribute: Attribute, values: Array) -> Examined:
    """One input's figures, whether it is a numeric identifier, and whether it gives the class away."""
    labels, wide = table.labels, max(1, len(table.schema.attributes))
    if attribute.is_nominal:
        column = nominal_column(attribute, values, table.weights)
        if labels is None or id_like(len(table) - column.missing, column.distinct):
            return column, False, None
        return column, False, nominal_leak(values, labels, wide)
    if not attribute.is_numeric:
        return text_column(attribute.name, values, table.weights), False, None
    column = numeric_column(attribute.name, values, table.weights, attribute.form)
    identifier = is_identifier(values, column.distinct, attribute.form)
    if labels is None or identifier:
        return column, identifier, None
    return column, False, numeric_leak(values, labels, column.distinct, wide)


def _target(table: Table) -> TargetFigures | None:
    target = table.schema.target
    if target is None:
        return None
    if table.labels is not None:
        return class_figures(target, table.labels, table.weights)
    absent = np.isnan(table.target_numbers)
    missing = int(np.count_nonzero(absent))
    mass = float(table.weights[absent].sum()) if table.weights.size else float(missing)
    figures = replace(numeric_figures(table.target_numbers, table.weights)[0], form=target.form)
    return TargetFigures(target.name, target.kind, missing, share(mass, table.total_weight), numeric=figures)
