"""Any source re-cut to canonical blocks: 65,536 rows each, counted from the source's first row.

However the rows arrive, block i holds the same rows, so its summary is the same to the byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np

from acumen.data.concat import concat
from acumen.data.table import Table
from acumen.errors import DataError

BLOCK_ROWS = 65_536

Source: TypeAlias = Table | Iterable[Table]


def blocks(source: Source, rows: int = BLOCK_ROWS) -> Iterator[Table]:
    """Each block of a table, or of tables under one schema, in order; one empty block if there are no rows.

    Rows are copied only where a block crosses from one table to the next.
    """
    waiting: list[Table] = []
    n_waiting = 0
    template: Table | None = None
    empty = True
    for table in [source] if isinstance(source, Table) else source:
        if template is None:
            template = table.take(np.empty(0, dtype=np.intp))  # a copy: a slice would keep the first table
        template.schema.require_same(table.schema)
        start = 0
        while start < len(table):
            end = min(len(table), start + rows - n_waiting)
            waiting.append(table.take(slice(start, end)))
            n_waiting += end - start
            start = end
            if n_waiting == rows:
                yield concat(waiting)
                waiting, n_waiting, empty = [], 0, False
    if waiting:
        yield concat(waiting)
    elif empty:
        if template is None:
            raise DataError("there is nothing to learn from: the source gave no table at all.")
        yield template
