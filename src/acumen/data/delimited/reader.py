"""Delimited text: csv, tsv and their kin, from a path, an open file or stdin.

read    one pass over the source stores the columns; those that change their kind on the way are read again
scan    the same pass stores nothing; each going-through of the parts reads the rows anew, in their final form

What is decided, and where it is put down: `sniff` (delimiter, comments, header), `passes` and `survey` (how often,
under which names), `findings` (what each column becomes, and the report). This module only fetches the rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from acumen import _native
from acumen.data.assemble import fill, plan, warn_unknown
from acumen.data.columns import RawColumn, sorted_levels
from acumen.data.delimited.findings import ColumnFinding, find_columns
from acumen.data.delimited.located import TextParser, TextRows, objects
from acumen.data.delimited.survey import TextSurvey, survey_text
from acumen.data.files import CHUNK, Source, open_source
from acumen.data.parts import Parts
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError


def accepts(source: Any) -> bool:
    """Any path and anything that can be read from: the last to be asked."""
    return isinstance(source, (str, os.PathLike, Source)) or callable(getattr(source, "read", None))


def read(source: Any, request: Request, *, chunk: int = CHUNK) -> Table:
    """The whole source as a table. `chunk` bytes are read at a time, which changes nothing but memory."""
    survey = survey_text(open_source(source, request.max_bytes), request, store=True, chunk=chunk)
    report = Report(survey.text.source.name)
    findings = find_columns(survey, report)
    columns = [_stored_column(finding, survey) for finding in findings.columns]
    schema = plan(columns, findings.roles, report)
    table = fill(columns, schema, report, survey.columns.n_rows)
    table.written = {
        each.name: each.written for each in columns if each.written is not None and each.name in schema
    }
    return table


def scan(source: Any, request: Request, rows: int, *, chunk: int = CHUNK) -> Parts:
    """The source as parts of `rows` rows, never held whole."""
    survey = survey_text(open_source(source, request.max_bytes), request, store=False, chunk=chunk)
    report = Report(survey.text.source.name)
    findings = find_columns(survey, report)
    schema = plan([_empty_column(finding, survey) for finding in findings.columns], findings.roles, report)
    for attribute in (*schema.nominal, *([schema.target] if schema.target else [])):
        finding = next(f for f in findings.columns if f.name == attribute.name)
        if finding.levels and (unknown := survey.columns.stats(finding.position).unknown):
            warn_unknown(report, attribute.name, unknown)
    parser = TextParser.of(survey, findings.columns, schema)
    return Parts(
        schema,
        report,
        survey.columns.n_rows,
        rows,
        lambda: _rows(survey, parser, report, rows),
        lambda: parser.cells(
            survey.text.pieces(), rows, header=survey.header.present, line=1 + survey.text.skip
        ),
        TextRows.of(survey, parser),
    )


# -- whole columns -------------------------------------------------------------------------------------


def _stored_column(finding: ColumnFinding, survey: TextSurvey) -> RawColumn:
    """A column the survey has stored, in the form it was found to have."""
    position, table = finding.position, survey.columns.tables[finding.position]
    name, kind = finding.name, finding.kind
    if table.form(position) != _native.FORM_STRING:
        return RawColumn(name, kind, values=table.values(position), whole=str, form=finding.spec)
    if kind == "text":
        return RawColumn(name, kind, strings=objects(table.texts(position)))
    if finding.levels:
        return RawColumn(name, kind, codes=table.codes(position), levels=finding.levels, declared=True)
    levels = table.levels(position)
    if kind == "numeric":
        numbers = np.array([*finding.numbers(levels), np.nan])
        codes = table.codes(position)
        values = numbers[codes]  # -1, missing, is the last
        return RawColumn(
            name, kind, values=values, whole=str, form=finding.spec, written=(codes, tuple(levels))
        )
    if finding.spellings is not None:
        labels = sorted_levels(finding.labels)
        table.recode(position, finding.label_codes(levels, labels)[:-2])
    else:
        labels = sorted_levels(levels)
        place = {label: code for code, label in enumerate(labels)}
        table.recode(position, np.array([place[level] for level in levels], dtype=np.int32))
    return RawColumn(name, kind, codes=table.codes(position), levels=labels, declared=True)


def _empty_column(finding: ColumnFinding, survey: TextSurvey) -> RawColumn:
    """A column of which nothing is stored: its kind and levels, which is all a schema needs."""
    name, kind = finding.name, finding.kind
    if kind == "numeric":
        return RawColumn(name, kind, values=np.empty(0), whole=str, form=finding.spec)
    if kind == "text":
        return RawColumn(name, kind, strings=np.empty(0, dtype=object))
    # Codes that take no memory but are as many as the values: whether there is a level a row is asked of them.
    known = survey.columns.n_rows - survey.columns.stats(finding.position).missing
    codes = np.broadcast_to(np.int32(0), known)
    if finding.levels:
        return RawColumn(name, kind, codes=codes, levels=finding.levels, declared=True)
    return RawColumn(name, kind, codes=codes, levels=finding.labels)


# -- parts ---------------------------------------------------------------------------------------------


def _rows(survey: TextSurvey, parser: TextParser, report: Report, rows: int) -> Iterator[Table]:
    """The rows in their final form, `rows` at a time."""
    n_rows = 0
    for table in parser.tables(
        survey.text.pieces(), rows, header=survey.header.present, line=1 + survey.text.skip, report=report
    ):
        n_rows += len(table)
        yield table
    if n_rows != survey.columns.n_rows:
        raise DataError(f"{survey.text.source.name} changed while it was being read.")
