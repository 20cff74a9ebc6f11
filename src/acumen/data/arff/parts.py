"""The rows of an ARFF file as tables, once everything about them is settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from acumen import _native
from acumen.data.arff.rows import Rows
from acumen.data.assemble import fill
from acumen.data.columns import RawColumn, merged
from acumen.data.located import plain_cells
from acumen.data.report import Report
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.types import Label


class ArffParts:
    """What is needed to go through the rows under a settled schema."""

    def __init__(
        self,
        rows: Rows,
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
        return merged(column, self.merge.get(name))
