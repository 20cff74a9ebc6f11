"""The rows of a delimited text, fetched from the start or from the middle.

    TextParser   how a text is split and what each column is, as a survey found it; turns pieces of text into tables
    TextRows   a TextParser with its file and the places where every 65,536th row begins

Both pickle small and hold no row: kinds, levels and places are all there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from acumen import _native
from acumen.data.assemble import fill
from acumen.data.columns import PERHAPS, RawColumn
from acumen.data.delimited.findings import ColumnFinding
from acumen.data.delimited.passes import MARKED, THREADS
from acumen.data.delimited.sniff import TextLayout
from acumen.data.delimited.survey import TextSurvey
from acumen.data.encoding import UTF8
from acumen.data.located import MarkedRows, Stamp
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import MISSING, Objects


@dataclass(frozen=True)
class TextParser:
    """How a text becomes tables, all of it decided."""

    name: str
    request: Request
    layout: TextLayout
    findings: tuple[ColumnFinding, ...]
    modes: tuple[int, ...]
    schema: Schema
    width: int  # columns that have names

    @classmethod
    def of(cls, survey: TextSurvey, findings: Sequence[ColumnFinding], schema: Schema) -> TextParser:
        modes = [_native.MODE_SKIP] * survey.text.layout.columns
        for finding in findings:
            modes[finding.position] = finding.part_mode(survey)
        request = replace(survey.text.request, like=None)
        return cls(
            survey.text.source.name,
            request,
            survey.text.layout,
            tuple(findings),
            tuple(modes),
            schema,
            len(survey.columns.names),
        )

    def tables(
        self,
        pieces: Iterable[bytes | bytearray | memoryview],
        rows: int,
        *,
        header: bool,
        line: int,
        report: Report | None = None,
        threads: int = THREADS,
    ) -> Iterator[Table]:
        """The rows of a text, `rows` at a time; with `header` its first record is none."""
        table = _native.TextTable(
            self.layout.native(self.request.dialect, self.request.missing, self.request.perhaps_missing),
            list(self.modes), ragged="fill" if self.request.ragged == "fill" else "drop",
            first="skip" if header else "data", store=True, line=line, threads=threads,
        )  # fmt: skip
        for finding in self.findings:
            if finding.kind in ("nominal", "ordinal"):
                table.set_levels(finding.position, finding.kernel_levels(self.schema))
        kept = Report(self.name) if report is None else report

        def part() -> Table:
            columns = [_part_column(finding, table, self.schema) for finding in self.findings]
            filled = fill(columns, self.schema, Report(self.name), table.rows)
            filled.report = kept
            table.clear()
            return filled

        def feed_piece(piece: bytes | bytearray | memoryview, last: bool) -> Iterator[Table]:
            table.feed(piece, last, rows)
            while table.full:
                yield part()
                table.feed(b"", last, rows)
            if table.fault:  # the survey found none
                raise DataError(f"{self.name} changed while it was being read: see line {table.fault_line}.")

        for piece in pieces:
            yield from feed_piece(piece, False)
        yield from feed_piece(b"", True)
        if table.rows:
            yield part()

    def cells(
        self, pieces: Iterable[bytes | bytearray | memoryview], rows: int, *, header: bool, line: int
    ) -> Iterator[Sequence[str]]:
        """The cells of each row as they are written, `rows` held at a time; quotes, which CSV needs, are taken off."""
        modes = [
            _native.MODE_STRING if c < self.width else _native.MODE_SKIP for c in range(self.layout.columns)
        ]
        table = _native.TextTable(
            self.layout.verbatim(self.request.dialect), modes,
            ragged="fill" if self.request.ragged == "fill" else "drop", first="skip" if header else "data", store=True,
            line=line, threads=THREADS,
        )  # fmt: skip

        def take_rows() -> Iterator[Sequence[str]]:
            columns = [table.texts(position) for position in range(self.width)]
            table.clear()
            return zip(*([text or "" for text in column] for column in columns), strict=True)

        for piece in pieces:
            table.feed(piece, False, rows)
            while table.full:
                yield from take_rows()
                table.feed(b"", False, rows)
        table.feed(b"", True, rows)
        while table.rows:
            yield from take_rows()
            table.feed(b"", True, rows)


@dataclass(frozen=True)
class TextRows(MarkedRows):
    """The rows of a text file, to be read from any of its marks on."""

    parser: TextParser
    header: bool

    @classmethod
    def of(cls, survey: TextSurvey, parser: TextParser) -> TextRows | None:
        """The places of a text that was surveyed; None where it cannot be read from the middle.

        A packed text has no middle, and of one in another encoding the places are not known as bytes of the file.
        """
        source = survey.text.source
        if source.path is None or survey.text.encoding != UTF8 or not source.is_plain_file:
            return None
        stated, first = survey.text.request.dialect.header, survey.columns.first
        held = stated is not False and not survey.header.present
        fits = first.first_count == survey.text.layout.columns or survey.text.request.ragged == "fill"
        extra = int(held and fits)  # the first record turned out to be a row, and was not counted
        above = source.size - survey.columns.n_bytes  # a byte-order mark, and lines above the table
        begins = [0, *(extra + MARKED * (i + 1) for i in range(len(first.marks))), survey.columns.n_rows]
        return cls(
            Stamp.of(source.path),
            (above, *(above + mark for mark in first.marks), source.size),
            (1 + survey.text.skip, *first.mark_lines),
            tuple(np.diff(begins).tolist()),
            parser,
            survey.header.present,
        )

    @property
    def name(self) -> str:
        return self.parser.name

    @property
    def schema(self) -> Schema:
        return self.parser.schema

    def tables(self, first: int, last: int) -> Iterator[Table]:
        self.stamp.check(self.name)
        return self.check_row_count(
            self.parser.tables(
                self.pieces(first, last),
                MARKED,
                header=self.header and first == 0,
                line=self.first_lines[first],
            ),
            first,
            last,
        )

    def cells(self, first: int, last: int) -> Iterator[Sequence[str]]:
        self.stamp.check(self.name)
        return self.parser.cells(
            self.pieces(first, last), MARKED, header=self.header and first == 0, line=self.first_lines[first]
        )


def objects(texts: list[str | None]) -> Objects:
    """Texts as an array; tokens that may be missing are."""
    cells = np.empty(len(texts), dtype=object)
    cells[:] = [None if text is not None and text.startswith(PERHAPS) else text for text in texts]
    return cells


def _part_column(finding: ColumnFinding, table: _native.TextTable, schema: Schema) -> RawColumn:
    """A column of one part."""
    position, name, kind = finding.position, finding.name, finding.kind
    if kind == "numeric" and finding.form is not None:
        numbers = np.array([*finding.numbers(table.levels(position)), np.nan])
        return RawColumn(name, kind, values=numbers[table.codes(position)], whole=str)
    if kind == "numeric":
        if (turn := table.stats(position).turn) is not None:
            raise DataError(
                f"column {name!r} changed while it was being read: line {turn[0]} holds {turn[1]!r}."
            )
        return RawColumn(name, kind, values=table.values(position), whole=str)
    if kind == "text" or finding.ignored:
        return RawColumn(name, "text", strings=objects(table.texts(position)))
    codes = table.codes(position)
    labels = schema[name].levels
    if finding.spellings is not None:
        codes = finding.label_codes(table.levels(position), labels)[codes]
    elif not finding.levels and np.any(codes < MISSING):
        raise DataError(f"column {name!r} changed while it was being read: it holds a new value.")
    return RawColumn(name, kind, codes=codes, levels=labels, declared=True)
