"""Notes and warnings in the report of a delimited file: its layout, and oddities of its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from acumen import _native, messages
from acumen.data.delimited.sniff import ItemLists
from acumen.data.delimited.survey import TextSurvey
from acumen.data.delimited.written_columns import first_unwritten, mostly_written, values_of
from acumen.data.delimited.written_notes import note_tokens, note_written, offered_parts, warn_of_zones
from acumen.data.encoding import FALLBACK, UTF8
from acumen.data.forms import find_form
from acumen.data.naming import similar_levels, unique_names
from acumen.data.report import (
    POINTS_OF_THREE,
    STATED_MARKS,
    Report,
    note_lost_digits,
    note_numbers,
    note_ragged,
    short_value,
)
from acumen.types import Label

if TYPE_CHECKING:
    from acumen.data.delimited.findings import ColumnFinding

_TOTAL = re.compile(
    r"(?:grand |sub)?(?:totals?|sums?|summen?|gesamt(?:summe)?|insgesamt|averages?|means?|mittelwert|durchschnitt)"
    r"(?: \w+)?\s*:?",
    re.IGNORECASE,
)
#: With more distinct values it is not checked whether all but one have the same format.
_MOST_FORMS = 100_000
_DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}


def note_layout(survey: TextSurvey, report: Report) -> None:
    """Encoding, delimiter, header, names, comments, blank lines, ragged rows."""
    layout, table, line = survey.text.layout, survey.columns.first, survey.columns.first.first_line
    if survey.text.encoding == FALLBACK and survey.latin_line:
        report.warn(
            "encoding",
            f"line {survey.latin_line} is not UTF-8, so the file was read as Latin-1 (cp1252). "
            f"Set {messages.dialect('encoding')} if letters look wrong.",
            lines=(survey.latin_line,),
        )
    elif survey.text.encoding != UTF8:
        report.note("encoding", f"the encoding is {survey.text.encoding}.")
    request = survey.text.request
    if request.like is None and (request.dialect.decimal is not None or request.date_order is not None):
        report.note(STATED_MARKS, "decimal marks or the order of dates are read as stated.")
    between = _DELIMITERS.get(layout.delimiter, repr(layout.delimiter))
    if layout.delimiter:
        report.note("delimiter", f"fields are separated by {between}.")
    else:
        report.note(
            "delimiter", "every line is one field; blank lines, except at the end, are missing values."
        )
        if layout.lists is not None:
            _warn_of_lists(layout.lists, report)
    if survey.header.present:
        report.note("header", f"line {line} is the header ({survey.header.reason}).", lines=(line,))
        _note_names(survey, report)
        if (n := table.first_count) != layout.columns and not survey.trailing:
            report.warn(
                "header-length", f"line {line} holds {n} names for {layout.columns} columns.", lines=(line,)
            )
    else:
        report.note("header", f"there is no header ({survey.header.reason}); columns are named x1, x2, ...")
    if survey.trailing:
        report.note(
            "trailing-delimiter", "every line ends in a delimiter; the resulting empty column was dropped."
        )
    if survey.preamble.delimiter is not None:
        report.note(
            "sep", f"line {survey.text.skip} says that fields are separated by {survey.preamble.delimiter!r}."
        )
    if survey.preamble.title:
        report.warn(
            "preamble",
            f"{survey.text.skip} {'line' if survey.text.skip == 1 else 'lines'} above the names (the first begins "
            f"{short_value(survey.preamble.title)!r}) {'was' if survey.text.skip == 1 else 'were'} skipped.",
            lines=(1,), count=survey.text.skip,
        )  # fmt: skip
    if table.comment_lines:
        n = table.comment_lines
        report.note(
            "comments", f"{n:,} comment {'line was' if n == 1 else 'lines were'} skipped, the first on line "
            f"{table.first_comment}.", lines=(table.first_comment,), count=n,
        )  # fmt: skip
    if table.blank_lines:
        n = table.blank_lines
        report.note("blank-lines", f"{n:,} blank {'line was' if n == 1 else 'lines were'} skipped.", count=n)
    _warn_of_footer(survey, report)
    counts = (survey.ragged.short, survey.ragged.long)
    dropped = survey.text.request.ragged == "drop"
    note_ragged(report, survey.ragged.lines, counts, layout.columns, "of the table", dropped=dropped)


def _warn_of_footer(survey: TextSurvey, report: Report) -> None:
    """Warn of a last row that looks like totals, which is read as data."""
    table = survey.columns.first
    words = [cell for cell in table.last_cells if cell.strip()]
    if table.rows > 1 and words and _TOTAL.fullmatch(words[0].strip()):
        report.warn(
            "footer",
            f"the last row (line {table.last_line}) begins with {short_value(words[0])!r} like a row of totals, "
            "but was read as data. Remove it from the file if it holds totals.",
            lines=(table.last_line,),
        )  # fmt: skip


def warn_of_second_header(survey: TextSurvey, report: Report) -> None:
    """Warn of a line of units or further names below the header, which makes numeric columns nominal."""
    columns = survey.columns
    first = columns.first.first_line
    if not survey.header.present:
        return
    seen = [(c, columns.stats(c).first_other) for c in range(len(columns.names))
            if columns.form(c) == _native.FORM_STRING and c not in survey.written]  # fmt: skip
    hit = [
        (columns.names[column], other[1])
        for column, other in seen
        if other is not None and other[0] == first + 1 and _but_one(survey, column, other[1])
    ]
    numbers = sum(
        columns.form(c) in (_native.FORM_NUMBER, _native.FORM_DATE) for c in range(len(columns.names))
    )
    if hit and len(hit) >= numbers:
        listed = ", ".join(f"{short_value(value)!r} below {name!r}" for name, value in hit[:3])
        report.warn(
            "second-header",
            f"line {first + 1} looks like a second line of names or units ({listed}); without it the columns are "
            "numeric. Remove it from the file.",
            lines=(first + 1,),
        )  # fmt: skip
        names, doubts = (
            {name for name, _ in hit},
            ("mixed-forms", "mixed-types"),
        )  # for which this is the reason
        report.notes[:] = [n for n in report.notes if n.code not in doubts or n.column not in names]


def _but_one(survey: TextSurvey, column: int, value: str) -> bool:
    """Whether all values of a column but one are numbers or dates, plain or formatted."""
    columns = survey.columns
    stats, table = columns.stats(column), columns.tables[column]
    plain = stats.distinct_numbers + stats.distinct_dates
    if plain and plain == table.count_levels(column) - 1:
        return True
    if stats.capped or table.count_levels(column) > _MOST_FORMS:
        return False
    others = [level for level in values_of(columns, column) if level != value]
    return bool(others) and find_form(others, commas_apart=survey.text.layout.delimiter == ",") is not None


def warn_of_alike(name: str, labels: Sequence[Label], report: Report) -> None:
    """Warn of levels that may be spellings of the same level."""
    for group in similar_levels([label for label in labels if isinstance(label, str)])[:5]:
        pairs = dict.fromkeys(group[1:], group[0])
        report.warn(
            "alike-levels",
            f"column {name!r}: the categories {', '.join(map(repr, group))} look alike. If they mean the same, add "
            f"{messages.option('merge', {name: pairs})}.",
            column=name, count=len(group),
        )  # fmt: skip


def _warn_of_lists(lists: ItemLists, report: Report) -> None:
    """Warn that lines look like lists of items, which are read as one column by default."""
    between = _DELIMITERS.get(lists.delimiter, repr(lists.delimiter))
    report.warn(
        "item-lists",
        f"{between} split the first {lists.lines} lines into {lists.fewest} to {lists.most} fields, so each line was "
        f"kept whole. If lines are lists of items, use {messages.dialect('format', 'basket')}; if they are rows of a "
        f"table, use {messages.dialect('delimiter', lists.delimiter)} and {messages.option('ragged', 'fill')}.",
    )


def _note_names(survey: TextSurvey, report: Report) -> None:
    line = survey.columns.first.first_line
    names, empty, twice = unique_names([text for text, _ in survey.header.cells[: len(survey.columns.names)]])
    for position in empty:
        report.note(
            "empty-name", f"line {line}: column {position + 1} has no name and is called {names[position]!r}.",
            column=names[position], lines=(line,),
        )  # fmt: skip
    for position in twice:
        report.note(
            "duplicate-name",
            f"line {line}: the name {survey.header.cells[position][0]!r} occurs again in column {position + 1}, "
            f"which is called {names[position]!r}.",
            column=names[position], lines=(line,),
        )  # fmt: skip


def note_column(survey: TextSurvey, finding: ColumnFinding, report: Report) -> None:
    """Report the oddities of one column."""
    columns = survey.columns
    position, kind = finding.position, finding.kind
    name, stats, form = (
        columns.names[position],
        columns.stats(position),
        columns.form(position),
    )
    gone = stats.missing + stats.not_a_number
    if finding.form is not None and form == _native.FORM_STRING:
        gone += stats.maybe_missing
    if form == _native.FORM_EMPTY or gone == columns.n_rows:
        report.warn("all-missing", f"column {name!r} has no values: every one is missing.", column=name)
        return
    if stats.maybe_missing:
        note_tokens(survey, position, kind, report)
    if finding.form is not None:
        note_written(survey, position, report)
        return
    if position in survey.marks.doubtful and kind == "numeric":
        report.warn(
            "decimal-points",
            f"column {name!r}: every point is followed by three digits and was read as a decimal point. "
            f"If they separate thousands, use {messages.dialect('decimal', ',')}, or remove the points.",
            column=name,
        )
    elif form == _native.FORM_NUMBER and stats.point and stats.thousands and not stats.long_whole:
        report.note(
            POINTS_OF_THREE,
            f"column {name!r}: every point is followed by three digits and was read as a decimal point.",
            column=name,
        )
    if form == _native.FORM_STRING:
        if (
            columns.modes[position] != _native.MODE_FIXED
            and name not in columns.named.roles.kinds
            and kind != "numeric"
        ):
            _note_strings(survey, position, report)
        return
    if form == _native.FORM_DATE:
        report.note(
            "dates",
            f"column {name!r} holds dates and is read as days since 1970-01-01{offered_parts(survey, name)}.",
            column=name,
        )
        if stats.first_zoned is not None and stats.first_unzoned is not None:
            warn_of_zones(report, name, stats.first_zoned, stats.first_unzoned)
    if stats.comma:
        report.note("decimal-comma", f"column {name!r} is read with decimal commas.", column=name)
        if stats.thousands:
            report.warn(
                "decimal-comma",
                f"column {name!r}: every comma is followed by three digits and was read as a decimal comma. "
                "If they separate thousands, remove the commas.",
                column=name,
            )
    note_numbers(report, "column", name, stats)
    note_lost_digits(report, "column", name, stats)


def _note_strings(survey: TextSurvey, position: int, report: Report) -> None:
    """Explain why a column was read as strings, where that may be unexpected."""
    columns = survey.columns
    name, stats = columns.names[position], columns.stats(position)
    if position in survey.marks.like_thousands:
        report.warn(
            "decimal-marks",
            f"column {name!r} is nominal because every comma is followed by three digits and may separate thousands; "
            f"if so, use {messages.dialect('decimal', '.')} or remove the commas.",
            column=name,
        )
    elif position in survey.marks.ambiguous:
        report.warn(
            "decimal-marks",
            f"column {name!r} is nominal because it has decimal commas while other columns have decimal points; "
            f"choose with {messages.dialect('decimal', ',')} or {messages.dialect('decimal', '.')}.",
            column=name,
        )
    elif stats.first_other is None and stats.distinct_dates and stats.distinct_numbers:
        report.warn(
            "mixed-types", f"column {name!r} is nominal because it holds both dates and numbers.", column=name
        )
    elif stats.first_other is None and stats.point and stats.comma:
        report.warn(
            "decimal-marks",
            f"column {name!r} is nominal because it has both decimal commas and decimal points.", column=name,
        )  # fmt: skip
    elif stats.first_other is None and (seen := stats.first_big) is not None:
        report.warn(
            "big-integers",
            f"column {name!r} is nominal because line {seen[0]} holds {short_value(seen[1])}, a whole number beyond "
            "2^53, which a float cannot represent exactly.",
            column=name, lines=(seen[0],),
        )  # fmt: skip
    elif stats.first_other is None and (seen := stats.first_zero) is not None:
        report.note(
            "leading-zeros",
            f"column {name!r} is nominal because line {seen[0]} has leading zeros: {short_value(seen[1])}.",
            column=name, lines=(seen[0],),
        )  # fmt: skip
    elif (seen := stats.first_other) is not None and not stats.capped:
        plain = stats.distinct_numbers + stats.distinct_dates
        if 2 * plain < columns.tables[position].count_levels(position) and mostly_written(
            values_of(columns, position, 200)
        ):
            odd = first_unwritten(values_of(columns, position, _MOST_FORMS), 2)
            if len(odd) == 1 and _but_one(survey, position, odd[0]):  # such as what stands before sums
                why = (
                    f"is not numeric because it holds {short_value(odd[0])!r}; if that means missing, use "
                    f"{messages.option('missing', odd[0])}."
                )
            else:
                why = (
                    "is nominal because its numbers or dates have different formats (line "
                    f"{seen[0]}: {short_value(seen[1])!r}); use one format, or set "
                    f"{messages.option('kinds', {name: 'numeric'})} if only the units differ."
                )
            report.warn("mixed-forms", f"column {name!r} {why}", column=name, lines=(seen[0],))
        distinct = columns.tables[position].count_levels(position)
        like = stats.distinct_numbers + stats.distinct_dates
        if 2 * like >= distinct and mostly_written([seen[1]]):
            report.warn(
                "mixed-forms",
                f"column {name!r} is nominal because its numbers or dates have different formats (line {seen[0]}: "
                f"{short_value(seen[1])!r}); use one format.",
                column=name, lines=(seen[0],),
            )  # fmt: skip
        elif 2 * like >= distinct:
            report.warn(
                "mixed-types",
                f"column {name!r} is not numeric because line {seen[0]} holds {short_value(seen[1])!r}; if that means "
                f"missing, use {messages.option('missing', seen[1])}.",
                column=name, lines=(seen[0],),
            )  # fmt: skip
