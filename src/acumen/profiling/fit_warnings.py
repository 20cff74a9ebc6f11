"""Warnings of `fit` about the training table, once for each table and never during cross-validation.

    data_warnings_off   suppresses data warnings and profiling in its block: for many fits inside a larger task
    data_warnings_on    whether warnings are enabled
    TableNotices        dropped rows, a single class, infinite values, numbers as text, and what a quick check shows
    warn_about_rows     about a table
    warn_about_parts    about rows read in parts, after the last one (see `profiling/part_checks.py`)

All of it is said as TableWarning. `acumen.inspect` says more, and takes its time.

What can be seen of a table at a glance while something is learned from it: constants, identifiers, leaks.

    quick_findings   table -> some of the card's findings, in a small part of the time of a fit

A sample of the rows shows of nearly every column that it is none of these, for each holds of all rows only if it holds
of any few; the others are examined as the card does. What takes a pass over all rows (repeated rows, levels seen
once in large tables) is left to `acumen.inspect`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from acumen import _native, messages
from acumen.data.columns import id_like
from acumen.data.report import Note, Report
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import TableWarning
from acumen.profiling.figures import ColumnFigures, LevelFigures
from acumen.profiling.findings import SMALL_CLASS, Finding, column_findings, is_identifier
from acumen.profiling.leaks import nominal_leak, numeric_leak
from acumen.profiling.levels import NAMED
from acumen.profiling.training_profile import TrainingProfile
from acumen.profiling.warning_lines import name_list, warning_summary
from acumen.types import Codes, Floats

#: Fewer rows are an example rather than a table, and nobody is surprised by what is in them.
ROWS = 20
#: So many sentences are remembered, so that none is said of the same table twice, however it comes.
_REMEMBERED = 4096

_warnings_on: ContextVar[bool] = ContextVar("_watching", default=True)
_reported: dict[tuple[object, ...], None] = {}


@contextmanager
def data_warnings_off() -> Iterator[None]:
    """Suppress data warnings and profiling inside this block."""
    before = _warnings_on.set(False)
    try:
        yield
    finally:
        _warnings_on.reset(before)


def data_warnings_on() -> bool:
    """Whether data warnings and profiling are on."""
    return _warnings_on.get()


@dataclass(frozen=True, slots=True, eq=False)
class TableNotices:
    """Warnings about training rows."""

    schema: Schema
    rows: int
    unlabelled: int  # rows that were left out because they have no answer
    classes: npt.NDArray[np.int64]  # how many rows are of each
    infinite: npt.NDArray[np.int64]  # how many values of each numeric attribute are
    report: Report  # the reader's
    findings: tuple[Finding, ...]


def warn_about_rows(
    who: str, table: Table, rows: Table, seen: TrainingProfile, *, one_class: bool = False
) -> None:
    """Warn about a table used for training; a single class gives no warning if the learner allows it."""
    report = table.report
    if report.warned:
        return
    report.warned = True
    gone = len(table) - int(np.count_nonzero(table.known_target())) if len(rows) < len(table) else 0
    classes = np.zeros(0, dtype=np.int64)
    if rows.labels is not None:
        classes = np.bincount(rows.labels[rows.labels >= 0], minlength=len(rows.schema.classes))
        if one_class and np.count_nonzero(classes) == 1:
            classes = classes[:0]
    notices = TableNotices(
        rows.schema, len(rows), gone, classes, seen.infinite, report, tuple(quick_findings(rows))
    )
    for sentence in _sentences(notices, report.warnings, "see acumen.inspect(table)"):
        warn_once(who, sentence, rows.schema.names)


def warn_about_parts(who: str, found: TableNotices) -> None:
    """Warn about rows that were read in parts; warnings from reading only if they were not given before."""
    report = found.report
    if report.warned:
        return
    report.warned = True
    notes = [] if report.warnings_shown else report.warnings
    how = messages.at_the_command_line(f"{messages.option('ignore')} NAME") or "acumen.scan(..., ignore=...)"
    for sentence in _sentences(found, notes, f"{how} ignores columns"):
        warn_once(who, sentence, found.schema.names)


def warn_once(who: str, sentence: str, about: Sequence[str]) -> None:
    """Give a warning about a table with these columns, unless it was given before."""
    key = (sentence, *about[:64], len(about))
    if key in _reported:
        return
    if len(_reported) >= _REMEMBERED:
        _reported.clear()
    _reported[key] = None
    warnings.warn(f"{who}: {sentence}", TableWarning, stacklevel=4)


def _sentences(found: TableNotices, notes: Sequence[Note], what_to_do: str) -> Iterator[str]:
    target = found.schema.target
    if target is not None and (gone := found.unlabelled):
        wording = "row has no {} and was" if gone == 1 else "rows have no {} and were"
        yield f"{gone:,} {wording.format(repr(target.name))} left out."
    odd: list[Finding | Note] = []
    counts = found.classes
    if target is not None and len(counts):
        if np.count_nonzero(counts) == 1:
            only = target.levels[int(np.argmax(counts))]
            yield f"all rows are of the class {only!r}, so there is nothing to predict."
        elif (small := (counts > 0) & (counts < SMALL_CLASS)).any():
            odd.append(Finding("small-class", "", column=target.name, count=int(small.sum())))
    if infinite := [a.name for a, n in zip(found.schema.numeric, found.infinite, strict=True) if n]:
        yield f"infinite values in {name_list(infinite)}."
    inputs = set(found.schema.names)
    digits = [note.column for note in notes if note.code == "digits" and note.column in inputs]
    if digits:
        names = [name for name in digits if name is not None]
        yield f"numbers written as text in {name_list(names)} are used as categories, not as numbers."
    odd += [note for note in notes if note.code not in ("digits", "missing-target")]
    odd += found.findings
    if found.rows >= ROWS and (wording := warning_summary(odd)):
        yield f"{wording}; {what_to_do}."


#: Levels are counted in tables of no more rows.
SMALL = 8_192
_SAME, _IDENTIFIER, _LEAK = 1, 2, 4
_NO_CODES = np.empty(0, dtype=np.int32)


def quick_findings(table: Table) -> list[Finding]:
    """Find what a quick check shows about columns; skips sparse numbers and texts."""
    n, labels = len(table), table.labels
    if n < 2:
        return []
    known = _NO_CODES if labels is None else np.ascontiguousarray(labels)
    findings: list[Finding] = []
    if table.sparse is None and len(table.schema.numeric):
        columns = table.numeric.columns
        suspicions = _native.suspect_numbers(list(columns), known, n, max(2, table.schema.n_classes))
        for place in np.flatnonzero(suspicions).tolist():
            findings += _numbers(table, table.schema.numeric[place], columns[place], int(suspicions[place]))
    nominal = table.schema.nominal
    if nominal:
        levels = np.array([len(attribute.levels) for attribute in nominal], dtype=np.int32)
        suspicions = _native.suspect_codes(list(table.nominal.columns), known, levels, n <= SMALL)
        suspicions[levels >= max(20.0, 0.95 * n)] |= _IDENTIFIER
        for place in np.flatnonzero(suspicions).tolist():
            findings += _codes(table, nominal[place], table.nominal.columns[place], int(suspicions[place]))
    return findings


def _numbers(table: Table, attribute: Attribute, values: Floats, left: int) -> Iterator[Finding]:
    distinct = len(np.unique(values[~np.isnan(values)]))
    missing = int(np.count_nonzero(np.isnan(values)))
    identifier = bool(left & _IDENTIFIER) and is_identifier(values, distinct, attribute.form)
    leak = None
    if left & _LEAK and table.labels is not None and not identifier:
        leak = numeric_leak(values, table.labels, distinct, len(table.schema))
    column = ColumnFigures(attribute.name, attribute.kind, missing, missing / len(table), distinct)
    yield from column_findings(column, len(table), identifier, leak)


def _codes(table: Table, attribute: Attribute, codes: Codes, left: int) -> Iterator[Finding]:
    n, levels = len(table), attribute.levels
    counts = np.zeros(len(levels) + 2, dtype=np.int64)
    _native.count_codes(codes, counts)
    unknown, missing, of_levels = int(counts[0]), int(counts[1]), counts[2:]
    once = np.flatnonzero(of_levels == 1)
    figures = LevelFigures(
        (), len(levels), 0, len(once), tuple(levels[c] for c in once[:NAMED].tolist()), unknown
    )
    distinct = int(np.count_nonzero(of_levels))
    leak = None
    if left & _LEAK and table.labels is not None and not id_like(n - missing, distinct):
        leak = nominal_leak(codes, table.labels, len(table.schema))
    column = ColumnFigures(attribute.name, attribute.kind, missing, missing / n, distinct, nominal=figures)
    yield from column_findings(column, n, False, leak)
