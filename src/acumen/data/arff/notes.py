"""The sentences of an ARFF file's report about its rows, in the words used of delimited files."""

from __future__ import annotations

from acumen import _native
from acumen.data.arff.header import Declared
from acumen.data.arff.rows import Rows
from acumen.data.report import Report, note_lost_digits, note_numbers, note_ragged


def note_rows(rows: Rows, table: _native.TextTable, report: Report) -> None:
    """What of the whole deserves a word, once all of it has gone through."""
    for j, attribute in enumerate(rows.header.attributes):
        _note_declared(rows, attribute, report)
        _note_values(table, j, attribute.name, report)
    counts = (table.short_rows, table.long_rows)
    dropped = rows.ragged == "drop"
    note_ragged(report, table.ragged, counts, table.columns, "attributes declared", dropped=dropped)


def _note_declared(rows: Rows, attribute: Declared, report: Report) -> None:
    name = attribute.name
    if attribute.kind == "date":
        text = f"attribute {name!r} holds dates ({attribute.pattern}) and is read as days since 1970-01-01."
        report.note("dates", text, column=name)
    dropped = [level for level in attribute.levels if level in rows.missing]
    if dropped:
        text = f"attribute {name!r}: {', '.join(map(repr, dropped))} counts as missing, as asked, and is no level."
        report.note("missing-level", text, column=name)


def _note_values(table: _native.TextTable, j: int, name: str, report: Report) -> None:
    stats = table.stats(j)
    if stats.missing + stats.not_a_number == table.rows:
        report.warn("all-missing", f"attribute {name!r} has no values: every one is missing.", column=name)
    note_numbers(report, "attribute", name, stats)
    if table.form(j) == _native.FORM_NUMBER:
        note_lost_digits(report, "attribute", name, stats)
