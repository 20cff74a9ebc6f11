"""Some rows of a source by their numbers, fetched by whoever reads it: the rest stays where it is.

picked    parts, numbers of rows in rising order -> these rows as one table
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.concat import concat
from acumen.data.table import Table
from acumen.engines.block_source import placed_of
from acumen.engines.blocks import BLOCK_ROWS, blocks
from acumen.engines.run import cluster
from acumen.types import Indices


def picked(parts: Any, numbers: Indices) -> Table:
    """The rows of these numbers, counted from 0 over all rows of the source."""
    work = _Some(numbers)
    engine = cluster()
    placed = None if engine is None else placed_of(parts)
    if engine is not None and placed is not None:
        pieces = list(engine.held(_itself, placed.untouched(), size=-1).each(work, numbered=True))
    else:
        pieces = [work(block, i) for i, block in enumerate(blocks(parts))]
    return concat([some for some in pieces if len(some)] or pieces[:1])


def _itself(block: Table) -> Table:
    return block


@dataclass(frozen=True)
class _Some:
    """Those of a block's rows that are wanted."""

    numbers: Indices

    def __call__(self, block: Table, number: int) -> Table:
        begin = number * BLOCK_ROWS
        low, high = np.searchsorted(self.numbers, [begin, begin + len(block)])
        return block.take(self.numbers[low:high] - begin)
