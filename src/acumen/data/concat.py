"""Tables of one schema put one after another, or cut anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from acumen.data.block import Block
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError


def concat(tables: Sequence[Table]) -> Table:
    """One table with the rows of all of them, in order; the report is the first one's.

    All must have the same schema, else `SchemaMismatch` names the attribute on which they differ. Tables
    without row weights weigh one a row if any of the others has weights.
    """
    if not tables:
        raise DataError("concat: there must be at least one table to put together; got none.")
    first = tables[0]
    for table in tables[1:]:
        first.schema.require_same(table.schema)
    if len(tables) == 1:
        return first
    if len({table.sparse is None for table in tables}) == 2:
        raise DataError("concat: some tables are sparse and some are not; read them all in one way.")
    weighted = any(table.weights.size for table in tables)
    return Table(
        first.schema,
        sum(len(table) for table in tables),
        numeric=_join_blocks([table.numeric for table in tables]),
        nominal=_join_blocks([table.nominal for table in tables]),
        text=[np.concatenate(columns) for columns in zip(*(table.text for table in tables), strict=True)],
        sparse=_join_sparse([table.sparse for table in tables]),
        labels=_join([table.labels for table in tables]),
        response=_join([table.response for table in tables]),
        weights=np.concatenate([table.row_weights for table in tables]) if weighted else NO_WEIGHTS,
        ignored=[
            np.concatenate(columns) for columns in zip(*(table.ignored for table in tables), strict=True)
        ],
        report=first.report,
    )


def _join(columns: Sequence[Any]) -> Any:
    present = [column for column in columns if column is not None]
    return np.concatenate(present) if present else None


def _join_blocks(blocks: Sequence[Block[Any]]) -> Block[Any]:
    columns = [np.concatenate(parts) for parts in zip(*(block.columns for block in blocks), strict=True)]
    return Block(columns, sum(block.n_rows for block in blocks), blocks[0].dtype)


def _join_sparse(matrices: Sequence[Any]) -> Any:
    present = [matrix for matrix in matrices if matrix is not None]
    if not present:
        return None
    from scipy.sparse import vstack

    return vstack(present, format="csr")


def recut(tables: Iterator[Table], rows: int) -> Iterator[Table]:
    """The same rows in tables of exactly `rows`, the last maybe shorter."""
    held: list[Table] = []
    n_held = 0
    for table in tables:
        start = 0
        while n_held + len(table) - start >= rows:
            stop = start + rows - n_held
            piece = table if (start, stop) == (0, len(table)) else table.take(slice(start, stop))
            yield concat([*held, piece]) if held else piece
            held, n_held, start = [], 0, stop
        if start < len(table):
            held.append(table.take(slice(start, len(table))))
            n_held += len(table) - start
    if held:
        yield concat(held)
