"""The data card of a table: figures, findings, and the three forms in which it is shown.

From a table, or anything that can be read, to its data card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from acumen.data.columns import id_like
from acumen.data.out.atomic import replace_text
from acumen.data.read import read
from acumen.data.report import Note, Report
from acumen.data.request import Column
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.profiling.card_page import card_page
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
from acumen.profiling.levels import class_figures, nominal_column, text_column
from acumen.profiling.numeric import numeric_column, numeric_figures
from acumen.profiling.pictures import Pictures, absent_counts, draw_pictures, row_stretches, sample
from acumen.render.card_text import card_text
from acumen.render.views import render
from acumen.types import Array, Floats

#: Raised when a key of `Card.to_dict` changes its meaning or goes; new keys may come without.
SCHEMA_VERSION = 1
#: So many pairs of attributes, the strongest, are in `Card.to_dict`.
PAIRS = 20


@dataclass(frozen=True, slots=True)
class Card:
    """What a table holds, and what in it would mislead a classifier; `acumen.inspect` returns it.

    `str(card)` draws it for 80 columns, a notebook shows it as HTML, `to_html(path)` writes a page with
    pictures, and `to_dict()` has every figure under stable keys.

    Attributes
    ----------
    source : str
        Where the table came from, as far as its reader said.
    rows : int
    total_weight : float
        The number of rows where no column of weights is named.
    weight : str or None
        The column of row weights.
    attributes : tuple of ColumnFigures
    target : TargetFigures or None
    ignored : tuple of str
    duplicates : Duplicates
    findings : tuple of Finding
        What this card found.
    notes : tuple of Note
        What the reader decided and found odd.
    pictures : Pictures
        What each attribute says about the target, how attributes hang together, and what the page draws.
    """

    source: str
    rows: int
    total_weight: float
    weight: str | None
    attributes: tuple[ColumnFigures, ...]
    target: TargetFigures | None
    ignored: tuple[str, ...]
    duplicates: Duplicates
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    pictures: Pictures = field(repr=False, compare=False)

    @property
    def warnings(self) -> list[Finding | Note]:
        """Everything to check before training, warnings from reading first."""
        every: list[Finding | Note] = [*self.notes, *self.findings]
        return [entry for entry in every if entry.level == "warning"]

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, ready for JSON; the keys are documented and stable."""
        return {
            "schema_version": SCHEMA_VERSION,
            "source": self.source,
            "rows": self.rows,
            "weight": {"column": self.weight, "total": self.total_weight},
            "attributes": [
                {**column.to_dict(), "association": association.to_dict() if association else None}
                for column, association in zip(self.attributes, self.pictures.associations, strict=True)
            ],
            "target": self.target.to_dict() if self.target else None,
            "ignored": list(self.ignored),
            "duplicates": {
                "rows": self.duplicates.rows,
                "conflict_rows": self.duplicates.conflict_rows,
                "conflict_groups": self.duplicates.conflict_groups,
            },
            "sampled_rows": self.pictures.sampled,
            "between": [pair.to_dict() for pair in self.pictures.between.pairs()[:PAIRS]],
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": [note.to_dict() for note in self.notes],
        }

    def to_html(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write the card as one HTML file: warnings, associations, histograms, missing values.

        Parameters
        ----------
        path : str or path
            Written at once or not at all.
        title : str, optional
        """
        replace_text(path, card_page(self.to_dict(), self.pictures, title), "to_html")

    def __str__(self) -> str:
        return card_text(self.to_dict())

    def _repr_html_(self) -> str:
        return render(self, "html")


#: One input's figures, whether it is a numeric identifier, and whether it gives the class away.
ExaminedColumn: TypeAlias = tuple[ColumnFigures, bool, Leak | None]


def inspect(source: Any, target: Column | None = None, **options: Any) -> Card:
    """Make the data card of a table, or of anything that can be read into one; see `acumen.inspect`."""
    if not isinstance(source, Table):
        return card_of(read(source, target=target, **options))
    if options:
        raise TypeError(f"inspect: a Table is already read, so you cannot give {', '.join(options)} with it.")
    return card_of(source if target is None else read(source, target=target))


def warnings_of(table: Table) -> list[Finding | Note]:
    """List what to check before training on a table, warnings from reading first; draws no card."""
    findings = _examine_columns(table)[3]
    every: list[Finding | Note] = [*unreported_notes(table.report, findings), *findings]
    return [each for each in every if each.level == "warning"]


def unreported_notes(report: Report, findings: Sequence[Finding]) -> list[Note]:
    """The reader's notes that the findings do not include."""
    reported = {(finding.code, finding.column) for finding in findings}
    return [note for note in report if (note.code, note.column) not in reported]


def _examine_columns(
    table: Table,
) -> tuple[list[ColumnFigures], TargetFigures | None, Duplicates, list[Finding]]:
    """Compute the figures and findings of all columns."""
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
    columns: Sequence[ExaminedColumn], target: TargetFigures | None, twice: Duplicates, n_rows: int
) -> list[Finding]:
    """List what is unusual about a table whose figures are known."""
    return [
        *([Finding("no-rows", "the table has no rows.")] if not n_rows else []),
        *target_findings(target, n_rows),
        *(
            finding
            for column, identifier, leak in columns
            for finding in column_findings(column, n_rows, identifier, leak)
        ),
        *duplicate_findings(twice, [column for column, _, _ in columns], n_rows),
    ]


def card_of(table: Table) -> Card:
    """The card of a table as it is."""
    columns, target, twice, findings = _examine_columns(table)
    n_rows = len(table)
    ends = row_stretches(n_rows)
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
        notes=tuple(unreported_notes(table.report, findings)),
        pictures=draw_pictures(some, columns, lambda: columns_of(some), absent, n_rows),
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
    """The columns of a sparse block, expanded one at a time; the block is converted to columns only once."""
    assert table.sparse is not None
    by_column = table.sparse.tocsc()
    by_column.sum_duplicates()
    for j in range(by_column.shape[1]):
        entries = slice(by_column.indptr[j], by_column.indptr[j + 1])
        column = np.zeros(len(table))
        column[by_column.indices[entries]] = by_column.data[entries]
        yield column


def _column(table: Table, attribute: Attribute, values: Array) -> ExaminedColumn:
    """One input's figures, whether it is a numeric identifier, and whether it leaks the class."""
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
