"""The sentences of an ARFF file's report about its rows, in the words used of delimited files."""

from __future__ import annotations

from acumen import _native
from acumen.data.arff_header import Declared
from acumen.data.arff_rows import Rows
from acumen.data.report import Report


def note_rows(rows: Rows, table: _native.TextTable, report: Report) -> None:
    """What of the whole deserves a word, once all of it has gone through."""
    for j, attribute in enumerate(rows.header.attributes):
        _note_declared(rows, attribute, report)
        _note_values(table, j, attribute.name, report)
    _note_ragged(rows, table, report)


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
        report.warn("no-values", f"attribute {name!r} has no values: every one is missing.", column=name)
    if (seen := stats.first_quoted_missing) is not None:
        report.note(
            "quoted-missing",
            f"attribute {name!r}: {stats.quoted_missing:,} quoted {seen[1]!r} among numbers (first on line "
            f"{seen[0]}) count as missing.",
            column=name, lines=(seen[0],), count=stats.quoted_missing,
        )  # fmt: skip
    if (seen := stats.first_infinite) is not None:
        report.warn(
            "infinite",
            f"attribute {name!r}: {stats.infinite:,} infinite values, the first on line {seen[0]} ({seen[1]}).",
            column=name, lines=(seen[0],), count=stats.infinite,
        )  # fmt: skip
    if table.form(j) == _native.FORM_NUMBER and (seen := stats.first_big) is not None:
        report.warn(
            "big-integers",
            f"attribute {name!r}: line {seen[0]} holds {seen[1]}, a whole number beyond 2^53; as a number it "
            "loses its last digits.",
            column=name, lines=(seen[0],),
        )  # fmt: skip


def _note_ragged(rows: Rows, table: _native.TextTable, report: Report) -> None:
    dropped = rows.ragged == "drop"
    for code, n, what, done in (
        ("short-rows", table.short_rows, "fewer", "left out" if dropped else "filled with missing values"),
        ("long-rows", table.long_rows, "more", "left out" if dropped else "cut"),
    ):
        if n:
            lines = [at for at, count in table.ragged if (count < table.columns) == (code == "short-rows")]
            report.warn(
                code,
                f"{n:,} {'row has' if n == 1 else 'rows have'} {what} fields than the {table.columns} attributes "
                f"declared (line {', '.join(map(str, lines[:5]))}{', ...' if n > 5 else ''}) and "
                f"{'was' if n == 1 else 'were'} {done}.",
                lines=lines, count=n,
            )  # fmt: skip
