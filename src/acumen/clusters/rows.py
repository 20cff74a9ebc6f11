"""Rows to be gone over many times, in memory or from parts that are read again: the same blocks either way.

Points    a block of rows as points, with weights and what a search remembers of them
Held      all blocks in memory
Streamed  blocks made anew at each pass, so that one part is held at a time
Counted   the rows of a stream that count, in canonical blocks, with weights as `fit` would have them
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from acumen.base.passed import Passed
from acumen.base.training import Stream
from acumen.base.watch import watching
from acumen.base.weights import Weighing, in_units, total_weight
from acumen.clusters.space import Space
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.engines.cores import cores
from acumen.engines.threads import run_in_threads
from acumen.errors import DataError
from acumen.types import Codes, Floats

NO_FLOATS: Floats = np.empty(0)
T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Points:
    """A block of rows as points; labels and bounds are empty until something is remembered of them."""

    values: Floats
    weights: Floats
    labels: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    upper: Floats = field(default_factory=lambda: NO_FLOATS)
    lower: Floats = field(default_factory=lambda: NO_FLOATS)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def row_weights(self) -> Floats:
        return self.weights if self.weights.size else np.ones(len(self))

    def remember(self, bounds: bool) -> None:
        """Make room for labels, and for bounds where asked for."""
        n = len(self)
        self.labels = np.full(n, -1, dtype=np.int32)
        if bounds:
            self.upper, self.lower = np.full(n, np.inf), np.zeros(n)


class Blocks(Protocol):
    """Blocks of points, as often as wanted."""

    #: Whether the blocks are the same objects at each pass, so that something can be remembered of rows.
    held: bool

    def __iter__(self) -> Iterator[Points]: ...


class Held:
    """Blocks in memory."""

    held = True

    def __init__(self, blocks: list[Points]) -> None:
        self.blocks = blocks

    def __iter__(self) -> Iterator[Points]:
        return iter(self.blocks)

    def joined(self) -> Points:
        """All blocks as one."""
        if len(self.blocks) == 1:
            return self.blocks[0]
        weights = [block.row_weights for block in self.blocks]
        return Points(np.concatenate([block.values for block in self.blocks]), np.concatenate(weights))

    def forget(self) -> None:
        """Begin anew: nothing is remembered of any row."""
        for block in self.blocks:
            block.remember(bounds=True)


class Streamed:
    """Blocks made of tables at each pass."""

    held = False

    def __init__(self, tables: Callable[[], Iterator[Table]], space: Space) -> None:
        self._tables, self._space = tables, space

    def __iter__(self) -> Iterator[Points]:
        return (Points(self._space.write(table), table.weights) for table in self._tables())


def held(table: Table, space: Space) -> Held:
    """A table's rows as points, in canonical blocks."""
    return Held([Points(space.write(block), block.weights) for block in blocks(table)])


def over(source: Blocks, work: Callable[[Points], T]) -> Iterator[T]:
    """What `work` makes of each block, in order, several at a time."""
    if isinstance(source, Held) and len(source.blocks) == 1:
        return map(work, source.blocks)  # no thread is started for one block
    tasks = (partial(work, block) for block in source)
    return run_in_threads(iter(tasks), cores(None))


class Counted:
    """The rows of parts that count, as often as wanted."""

    def __init__(self, parts: Any, learner: Any, who: str) -> None:
        self.source = Stream(parts, who, targeted=False)
        self.schema = self.source.schema
        learner.object_to(self.schema)
        if self.source.once:
            raise self.source.refuse_once()
        self._counted = learner.counted
        self._unit = 1.0
        self.weighing, self.n_rows, self.weight = Weighing(), 0, 0.0
        self.passed = Passed() if watching() else None
        self._weigh(learner, who)

    def _weigh(self, learner: Any, who: str) -> None:
        total = 0.0
        for part in self.source:
            self.weighing = self.weighing + learner.weighing_of(part)
            rows = self._counted(part)
            total = total_weight(rows.row_weights, total)
            self.n_rows += len(rows)
            if self.passed is not None:
                self.passed.add(part, rows)
        self.weighing.require_bounded(who)
        if not self.n_rows:
            raise DataError(f"{who}: no part holds a row that counts; there is nothing to learn from.")
        self._unit = self.weighing.factor(total, who)
        # Added over canonical blocks as a table's own weights are, whatever the parts.
        self.weight = total_weight(np.empty(0), 0.0)
        for table in self.tables():
            self.weight = total_weight(table.row_weights, self.weight)

    def tables(self) -> Iterator[Table]:
        """Canonical blocks of the rows that count, with their weights."""
        return (in_units(rows, self._unit) for rows in blocks(self._counted(p) for p in self.source))
