"""Aligned runs of canonical blocks: what may be added where it lies without changing a bit of the sum.

    Run(block, level)    2^level blocks from `block` on, `block` a multiple of 2^level
    cover                blocks in a row as the fewest runs
    RunSums             sums by run, in whatever order they come; two halves of a run are added as soon as
                         both are there

`add_up` adds blocks 0+1, 2+3, then pairs of these: every sum on its way is that of a run, so whoever holds all blocks
of a run may add them there, and hand on one sum for 2^level blocks. What is left in the end are runs of falling
length, which are added from the right, as `add_up` does. The bytes are the same whoever added what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from acumen.errors import ParameterError
from acumen.summaries.algebra import Addable

A = TypeVar("A", bound=Addable)


@dataclass(frozen=True, slots=True, order=True)
class BlockRun:
    """2^level blocks in a row, of which the first is at a multiple of 2^level."""

    block: int
    level: int = 0

    def __post_init__(self) -> None:
        if self.block < 0 or self.level < 0 or self.block % (1 << self.level):
            raise ParameterError(
                f"Run: {1 << max(self.level, 0)} blocks in a row begin at a multiple of their number; "
                f"got block {self.block}."
            )

    def __len__(self) -> int:
        return 1 << self.level

    @property
    def end(self) -> int:
        """The block behind the last one."""
        return self.block + len(self)

    @property
    def sibling(self) -> BlockRun:
        """The other half of the run twice as long."""
        return BlockRun(self.block ^ len(self), self.level)

    @property
    def parent(self) -> BlockRun:
        """The run twice as long that this is half of."""
        return BlockRun(self.block & ~len(self), self.level + 1)


def cover(first: int, last: int) -> Iterator[BlockRun]:
    """The blocks from `first` on, up to but not with `last`, as the fewest runs, in order."""
    while first < last:
        level = (first & -first).bit_length() - 1 if first else (last - first).bit_length() - 1
        level = min(level, (last - first).bit_length() - 1)
        yield BlockRun(first, level)
        first += 1 << level


class RunSums(Generic[A]):
    """Sums of runs that do not overlap, as few of them as there can be."""

    def __init__(self, sums: Iterable[tuple[BlockRun, A]] = ()) -> None:
        self._sums: dict[BlockRun, A] = {}
        for run, value in sums:
            self.put(run, value)

    def put(self, run: BlockRun, value: A) -> None:
        """Take one in; with its other half, if that is there, it becomes one run."""
        while (other := self._sums.pop(run.sibling, None)) is not None:
            value = other + value if run.sibling.block < run.block else value + other
            run = run.parent
        if any(run.block < held.end and held.block < run.end for held in self._sums):
            raise ParameterError(f"RunSums: block {run.block} has been added already.")
        self._sums[run] = value

    def __iter__(self) -> Iterator[tuple[BlockRun, A]]:
        """What there is, from the first block on."""
        return iter(sorted(self._sums.items(), key=lambda pair: pair[0].block))

    def __len__(self) -> int:
        return len(self._sums)

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Which blocks there are: stretches of them, each with its first and the one behind its last."""
        stretches: list[tuple[int, int]] = []
        for run, _ in self:
            if stretches and stretches[-1][1] == run.block:
                stretches[-1] = (stretches[-1][0], run.end)
            else:
                stretches.append((run.block, run.end))
        return stretches

    def total(self) -> A:
        """The sum of all blocks from the first of a source on, as `add_up` gives it."""
        sums = [value for _, value in self]
        if len(self.blocks) != 1 or self.blocks[0][0]:
            raise ParameterError("RunSums: there must be every block from the first on; some are missing.")
        total = sums.pop()
        while sums:
            total = sums.pop() + total
        return total
