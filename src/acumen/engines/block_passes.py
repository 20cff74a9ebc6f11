"""Going over blocks many times: in threads here, or by tasks where the blocks are.

    over           what some work makes of each block, in order
    mapped         blocks, each turned into something else
    SpreadBlocks   blocks that tasks read: what is made of them may stay with the workers

Whoever goes over blocks by these need not know where they are. A work must not change its block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from acumen.data.table import Table
from acumen.engines.block_source import Placed
from acumen.engines.cores import cores
from acumen.engines.threads import run_in_threads

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask, Held

B = TypeVar("B")
T = TypeVar("T")


def over(source: Iterable[B], work: Callable[[B], T]) -> Iterator[T]:
    """The results of a work on each block, in order, whatever the number of threads or workers."""
    if isinstance(source, SpreadBlocks):
        return source.each(work)
    if isinstance(source, list) and len(source) == 1:
        return map(work, source)  # no thread is started for one block
    tasks: Any = (partial(work, block) for block in source)
    return run_in_threads(iter(tasks), cores(None))


def mapped(source: Iterable[B], change: Callable[[B], T], row_bytes: int = 0) -> Any:
    """Blocks, each changed as it is asked for; `row_bytes` is what a row takes then, where that may be kept."""
    if isinstance(source, SpreadBlocks):
        return source.mapped(change, row_bytes)
    return (change(block) for block in source)


@dataclass(frozen=True)
class _Made:
    """What is made of a block, one change after the other."""

    changes: tuple[Callable[[Any], Any], ...]

    def __call__(self, block: Table) -> Any:
        made: Any = block
        for change in self.changes:
            made = change(made)
        return made


class SpreadBlocks:
    """Canonical blocks of rows that were gone through once, where workers can read them."""

    def __init__(
        self, engine: Dask, placed: Placed, changes: tuple[Callable[[Any], Any], ...] = (), row_bytes: int = 0
    ) -> None:
        self._engine, self._placed, self._changes, self._row_bytes = engine, placed, changes, row_bytes
        self._held: Held | None = None

    def mapped(self, change: Callable[[Any], Any], row_bytes: int) -> SpreadBlocks:
        """The same blocks, each changed."""
        return SpreadBlocks(self._engine, self._placed, (*self._changes, change), row_bytes)

    def _kept(self) -> Held:
        if self._held is None:
            rows = int(self._placed.before[-1])
            size = rows * self._row_bytes if self._row_bytes else -1
            self._held = self._engine.held(_Made(self._changes), self._placed, size=size)
        return self._held

    def each(self, work: Callable[..., T], numbered: bool = False) -> Iterator[T]:
        """What a work makes of each block (and of its number), in order; one task a run of blocks."""
        return self._kept().each(work, numbered=numbered)

    def __iter__(self) -> Iterator[Any]:
        """The blocks themselves, fetched to here a run at a time: for the rare need of some."""
        return self._kept().fetched()
