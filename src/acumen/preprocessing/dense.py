"""A sparse table's numeric attributes written out a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from acumen.data.block import Block
from acumen.data.table import Table

_BYTES = 32 << 20


def dense_slices(rows: Table) -> Iterator[tuple[slice, Block[np.float64]]]:
    """Consecutive rows with their numeric block, never more than some 32 MB at once."""
    if rows.sparse is None:
        yield slice(0, len(rows)), rows.numeric
        return
    step = max(1, _BYTES // (8 * max(rows.sparse.shape[1], 1)))
    for start in range(0, len(rows), step):
        part = slice(start, min(start + step, len(rows)))
        yield part, Block.of_matrix(np.asarray(rows.sparse[part].todense(), dtype=np.float64))
