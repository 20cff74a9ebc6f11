"""Rows that tasks can fetch by themselves, block by block: what an engine of many machines is handed instead of rows.

    Placed      where rows are, and what is done to a part of them before it is learned from
    placed_of   the Placed of a source of parts, or None where its rows are here and nowhere else
    Mapped      a source of parts, each changed in the same way
    runs        aligned runs of 2^k blocks

Canonical blocks are counted over the rows that remain. Parts of 65,536 rows as the source has them are *raw* blocks;
where nothing is left out, these are the canonical ones, and one pass is enough. Else the first pass counts what remains
of each raw block, and later ones cut canonical blocks by these counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from acumen.data.located import Located
from acumen.data.table import Table
from acumen.engines.blocks import BLOCK_ROWS, blocks
from acumen.errors import DataError

#: What is done to a part: the rows that count, and what is noted of the part, which adds (or None).
Prepare: TypeAlias = Callable[[Table], tuple[Table, Any]]
Counts: TypeAlias = npt.NDArray[np.int64]


@dataclass
class Placement:
    """Rows that can be fetched; `kept` and `note` are known once all have been gone through."""

    located: Located
    prepare: Prepare
    kept: Counts | None = None  # rows left of each raw block
    note: Any = None
    #: Rows before each raw block, of those that remain; and of all.
    before: Counts = field(default_factory=lambda: np.zeros(1, dtype=np.int64))

    @property
    def n_raw(self) -> int:
        """How many raw blocks there are."""
        return -(-self.located.n_rows // BLOCK_ROWS)

    def keep_all_rows(self) -> Placement:
        """The same where nothing is left out, which need not be counted then."""
        n = self.located.n_rows
        self.settle(np.diff(np.append(np.arange(0, n, BLOCK_ROWS, dtype=np.int64), n)), None)
        return self

    def settle(self, kept: Counts, note: Any) -> None:
        """Take in what a first pass has counted."""
        self.kept, self.note = kept, note
        self.before = np.concatenate([[0], np.cumsum(kept)])

    @property
    def is_whole(self) -> bool:
        """Whether raw blocks are the canonical ones: nothing is left out."""
        return self.kept is not None and int(self.before[-1]) == self.located.n_rows

    @property
    def n_blocks(self) -> int:
        """How many canonical blocks there are, once that is known."""
        return -(-int(self.before[-1]) // BLOCK_ROWS)

    def without_notes(self) -> Placement:
        """The same to be sent to workers: without notes."""
        return replace(self, note=None)

    # -- where the rows are fetched ---------------------------------------------------------------

    def raw(self, first: int, last: int) -> Iterator[Table]:
        """Raw blocks, as the source has them."""
        end = min(last * BLOCK_ROWS, self.located.n_rows)
        yield from blocks(self.located.between(first * BLOCK_ROWS, end))

    def canonical(self, first: int, last: int) -> Iterator[Table]:
        """Canonical blocks of the rows that remain."""
        if self.is_whole:
            yield from (self.prepare(table)[0] for table in self.raw(first, last))
            return
        yield from blocks(self._remaining(first * BLOCK_ROWS, min(last * BLOCK_ROWS, int(self.before[-1]))))

    def _remaining(self, begin: int, end: int) -> Iterator[Table]:
        """The rows from `begin` to `end`, counted among those that remain."""
        first = int(np.searchsorted(self.before, begin, side="right")) - 1
        last = int(np.searchsorted(self.before, end, side="left"))
        at = int(self.before[first])
        for table in self.raw(first, last):
            rows = self.prepare(table)[0]
            yield rows.take(slice(max(begin - at, 0), min(end - at, len(rows))))
            at += len(rows)

    def where(self, first: int, last: int, *, raw: bool) -> str:
        """Blocks in words: their file, and rows or lines."""
        if not raw and not self.is_whole:
            total = int(self.before[-1])
            begin, end = first * BLOCK_ROWS, min(last * BLOCK_ROWS, total)
            first = int(np.searchsorted(self.before, begin, side="right")) - 1
            last = int(np.searchsorted(self.before, end, side="left"))
        return self.located.where(first * BLOCK_ROWS, min(last * BLOCK_ROWS, self.located.n_rows))

    def no_rows(self) -> Table:
        """No row, under the schema of those that remain."""
        first = next(iter(self.raw(0, 1)))
        return self.prepare(first)[0].take(slice(0, 0))


def placement_of(source: Any) -> Placement | None:
    """Where the rows of a source are; None for rows in memory, and for parts that a program makes itself."""
    ask = getattr(source, "placement", None)
    if ask is not None:
        place: Placement | None = ask()
        return place
    located = getattr(source, "located", None)
    if isinstance(located, Located):
        return Placement(located, _keep_rows)
    if getattr(source, "cells", None) is not None:  # the parts of a file, but of one without places
        name = source.report.source
        raise DataError(
            f"{name} cannot be read from the middle, so workers cannot share it out: a packed text, one that is not "
            "UTF-8, a query, a view and formats without places have none. Write it as plain CSV or Parquet, or leave "
            "the engine out."
        )
    return None


def _keep_rows(table: Table) -> tuple[Table, Any]:
    return table, None


@dataclass(frozen=True)
class _PrepareThen:
    first: Prepare
    second: Callable[[Table], Table]

    def __call__(self, table: Table) -> tuple[Table, Any]:
        rows, note = self.first(table)
        return self.second(rows), note


class MappedParts:
    """A source of parts, each changed by a function that pickles."""

    def __init__(self, source: Iterable[Table], change: Callable[[Table], Table]) -> None:
        self._source, self._change = source, change

    def __iter__(self) -> Iterator[Table]:
        return map(self._change, self._source)

    def placement(self) -> Placement | None:
        inner = placement_of(self._source)
        return None if inner is None else Placement(inner.located, _PrepareThen(inner.prepare, self._change))


def map_placement(placement: Placement, change: Callable[[Table], Table]) -> Placement:
    """The same rows, each part changed by a function that pickles and leaves none of them out."""
    return replace(placement, prepare=_PrepareThen(placement.prepare, change))


def runs(n: int, k: int) -> list[tuple[int, int]]:
    """Aligned runs of 2^k of n blocks, each by its first and the one behind its last; the last may be shorter."""
    step = 1 << k
    return [(start, min(start + step, n)) for start in range(0, n, step)]
