"""ARFF files as a source of tables: what the header declares is what the columns are.

    accepts   by the suffix .arff, or by what the file begins with
    read      one pass: the rows under the header, then the shared steps plan and fill
    scan      a pass that checks and plans, then a pass for each iteration; text is never held whole

The header settles kinds and levels, so only what it leaves open is found out from the rows: whether a
string attribute is text or nominal, the classes of a numeric target, and whether rows carry weights.
"""

from __future__ import annotations

from typing import Any

from acumen.data.arff.notes import note_rows
from acumen.data.arff.open import accepts, opened
from acumen.data.arff.roles import roles_of, sparse_inputs, weight_name
from acumen.data.arff.rows import Rows
from acumen.data.arff.scan import need_rows, scanned
from acumen.data.assemble import fill, plan
from acumen.data.columns import RawColumn, merged
from acumen.data.concat import concat
from acumen.data.parts import Parts
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.table import Table

__all__ = ["accepts", "read", "scan"]

#: Cells of a sparse file that are written out at a time on their way into the sparse matrix.
CELLS = 1 << 22


def read(source: Any, request: Request) -> Table:
    """The whole file as one table."""
    return opened(source, request, lambda rows, report: _read(rows, request, report))


def scan(source: Any, request: Request, rows: int) -> Parts:
    """The file in parts of `rows` rows under one schema."""
    return opened(source, request, lambda found, report: scanned(found, request, report, rows))


def _read(rows: Rows, request: Request, report: Report) -> Table:
    if sparse_inputs(rows, request):
        step = max(1, CELLS // len(rows.header.attributes))
        return concat([*scanned(rows, request, report, step)])
    table = next(rows.blocks())
    need_rows(table.rows, report)
    columns = [rows.column(table, j) for j in range(table.columns)]
    weight = weight_name(rows, table)
    if weight is not None:
        columns.append(RawColumn(weight, "numeric", values=table.weights(), whole=str))
    note_rows(rows, table, report)
    roles = roles_of(rows, request, weight, report)
    columns = [merged(column, roles.merge.get(column.name)) for column in columns]
    return fill(columns, plan(columns, roles, report), report, table.rows)
