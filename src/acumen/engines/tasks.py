"""Calls that do not depend on each other: one after another here, or each a task of a cluster.

each_task    what a function gives for each of several arguments, in order
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.concat import concat
from acumen.data.table import Table
from acumen.engines.block_source import placement_of
from acumen.engines.blocks import BLOCK_ROWS, blocks
from acumen.engines.run import cluster
from acumen.types import Indices


def each_task(
    function: Callable[..., Any],
    arguments: Iterable[Sequence[Any]],
    *,
    shared: Sequence[Any] = (),
    what: str | Callable[[int], str],
) -> Iterator[Any]:
    """`function(*shared, *each)` for each of the arguments, as they are asked for.

    On a cluster `shared` goes to each worker once, several calls are under way at a time, and what they warn of is said
    here. `what` says for sentences what a task works on, perhaps by its number.
    """
    engine = cluster()
    if engine is None:
        for each in arguments:
            yield function(*shared, *each)
        return
    for result, caught in engine.map_calls(_with_warnings, arguments, shared=(function, *shared), what=what):
        for message, category in caught:
            warnings.warn(message, category, stacklevel=2)
        yield result


def _with_warnings(
    function: Callable[..., Any], *arguments: Any
) -> tuple[Any, list[tuple[str, type[Warning]]]]:
    """What a function gives, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
    return result, [(str(each.message), each.category) for each in caught]


def fetch_rows(parts: Any, numbers: Indices) -> Table:
    """The rows of these numbers, counted from 0 over all rows of the source."""
    work = _RowPicker(numbers)
    engine = cluster()
    placement = None if engine is None else placement_of(parts)
    if engine is not None and placement is not None:
        pieces = list(
            engine.persist_blocks(_itself, placement.keep_all_rows(), size=-1).each(work, numbered=True)
        )
    else:
        pieces = [work(block, i) for i, block in enumerate(blocks(parts))]
    return concat([some for some in pieces if len(some)] or pieces[:1])


def _itself(block: Table) -> Table:
    return block


@dataclass(frozen=True)
class _RowPicker:
    """Those of a block's rows that are wanted."""

    numbers: Indices

    def __call__(self, block: Table, number: int) -> Table:
        begin = number * BLOCK_ROWS
        low, high = np.searchsorted(self.numbers, [begin, begin + len(block)])
        return block.take(self.numbers[low:high] - begin)
