"""The rows of an ARFF file, fetched from the middle."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from acumen import _native
from acumen.data.arff.header import Header
from acumen.data.arff.parts import ArffParts
from acumen.data.arff.rows import Rows
from acumen.data.located import Stamp
from acumen.data.marked_rows import MarkedRows
from acumen.data.report import Report
from acumen.data.request import Ragged
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.types import Label

#: Cells of a sparse file that are written out at a time.
_CELLS = 1 << 22


@dataclass(frozen=True)
class ArffRows(MarkedRows):
    """The rows of an ARFF file, to be read from any of its marks on."""

    source: str
    header: Header
    missing: tuple[str, ...]
    ragged: Ragged
    settled: Schema
    inputs: tuple[int, ...]
    fixed: Mapping[int, tuple[str, ...]]
    weight: str | None
    merge: Mapping[str, Mapping[Label, Label]]

    @classmethod
    def of(cls, rows: Rows, parts: ArffParts, table: _native.TextTable, every: int) -> ArffRows | None:
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
        return self.settled

    def tables(self, first: int, last: int) -> Iterator[Table]:
        return self.counted(self._parts(first, last).open(), first, last)

    def cells(self, first: int, last: int) -> Iterator[Sequence[Any]]:
        return self._parts(first, last).cells()

    def _parts(self, first: int, last: int) -> ArffParts:
        """Some stretches as a file of their own."""
        self.stamp.check(self.name)
        chunks = partial(self.pieces, first, last)
        rows = Rows(self.header, chunks, self.first_lines[first], self.missing, self.ragged)
        step = max(self.rows)
        if self.inputs:
            step = max(1, min(step, _CELLS // len(self.header.attributes)))
        return ArffParts(
            rows, self.schema, Report(self.name), step, self.inputs, self.fixed, self.weight, self.merge
        )
