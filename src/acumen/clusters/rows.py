"""Rows to be gone over many times, in memory or from parts that are read again: the same blocks either way.

Points    a block of rows as points, with weights and what a search remembers of them
Held      all blocks in memory
Streamed  blocks made anew at each pass, so that one part is held at a time
Counted   the rows of a stream that count, in canonical blocks, with weights as `fit` would have them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from acumen.base.part_fitting import require_parts
from acumen.base.training import Stream
from acumen.clusters.space import Space
from acumen.data.table import Table
from acumen.engines.block_passes import SpreadBlocks, mapped
from acumen.engines.block_passes import over as over_blocks
from acumen.engines.block_source import Placed
from acumen.engines.blocks import blocks
from acumen.engines.run import cluster
from acumen.errors import DataError
from acumen.profiling.fit_warnings import watching
from acumen.profiling.part_checks import Passed
from acumen.rows.part_statistics import Looked, Preparing
from acumen.rows.weights import Weighing, Weight, in_units, total_weight
from acumen.types import Codes, Floats

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask

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
    """Blocks made of tables at each pass; where the tables are elsewhere, what is made of them may stay there."""

    held = False

    def __init__(self, tables: Callable[[], Iterable[Table]], space: Space) -> None:
        self._tables, self._points = tables, partial(points_of, space=space)
        made = mapped(tables(), self._points, 8 * (space.width + 1))
        self.spread = made if isinstance(made, SpreadBlocks) else None

    def __iter__(self) -> Iterator[Points]:
        return iter(self.spread) if self.spread is not None else map(self._points, self._tables())


def points_of(table: Table, space: Space) -> Points:
    """The rows of a block as points."""
    return Points(space.write(table), table.weights)


def held(table: Table, space: Space) -> Held:
    """A table's rows as points, in canonical blocks."""
    return Held([Points(space.write(block), block.weights) for block in blocks(table)])


def over(source: Blocks, work: Callable[[Points], T]) -> Iterator[T]:
    """What `work` makes of each block, in order, several at a time."""
    if isinstance(source, Held):
        return over_blocks(source.blocks, work)
    spread = getattr(source, "spread", None)  # where the blocks are elsewhere
    return over_blocks(source if spread is None else spread, work)


@dataclass(frozen=True)
class _Weight:
    """What the rows of a block weigh in a unit."""

    unit: float

    def __call__(self, rows: Table) -> float:
        return total_weight(in_units(rows, self.unit).row_weights)


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
        self._engine, self._placed = cluster(), None
        if self._engine is not None and (found := self.source.placed()) is not None:
            require_parts(learner)
            self._placed = Placed(
                found.located, Preparing(learner.counting(), None, self.source.checked, watching())
            )
            self._weigh_there(self._engine, self._placed, who)
        else:
            self._weigh(learner, who)

    def _weigh_there(self, engine: Dask, placed: Placed, who: str) -> None:
        """The same where tasks read the rows."""
        total = engine.summed(_Weight(1.0), placed)
        looked: Looked = placed.note
        self.weighing, self.n_rows = looked.weighing, int(placed.before[-1])
        self.weighing.require_bounded(who)
        if not self.n_rows:
            raise DataError(f"{who}: no part holds a row that counts; there is nothing to learn from.")
        self._unit = self.weighing.factor(total, who)
        self.weight = total if self._unit == 1.0 else engine.summed(_Weight(self._unit), placed)
        report = self.source.report
        if looked.passed is not None:
            self.passed = looked.passed if report is None else looked.passed.of_source(report)

    def _weigh(self, learner: Any, who: str) -> None:
        total = Weight()
        for part in self.source:
            self.weighing = self.weighing + learner.weighing_of(part)
            rows = self._counted(part)
            total.add(rows.row_weights)
            self.n_rows += len(rows)
            if self.passed is not None:
                self.passed.add(part, rows)
        self.weighing.require_bounded(who)
        if not self.n_rows:
            raise DataError(f"{who}: no part holds a row that counts; there is nothing to learn from.")
        self._unit = self.weighing.factor(total.total, who)
        # Added over canonical blocks as a table's own weights are, whatever the parts.
        weight = Weight()
        for table in self.tables():
            weight.add(table.row_weights)
        self.weight = weight.total

    def tables(self) -> Iterable[Table]:
        """Canonical blocks of the rows that count, with their weights."""
        if self._engine is not None and self._placed is not None:
            made: Iterable[Table] = mapped(
                SpreadBlocks(self._engine, self._placed), partial(in_units, factor=self._unit)
            )
            return made
        return (in_units(rows, self._unit) for rows in blocks(self._counted(p) for p in self.source))
