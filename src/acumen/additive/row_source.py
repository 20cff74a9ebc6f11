"""The rows that a fit stands on: in blocks, here or on the workers of a cluster; whoever fits need not know which.

    Ground         sums over blocks, one way for all: blocks of 65,536 rows, added in their order
    HeldGround     rows in memory
    SpreadGround   rows that tasks have: each sum is a pass, and coefficients go out to it
    Met            what the rows say where coefficients are: loss, slopes, second derivatives

A work is a function (rows, loss, answer, ...) of one block; its results add.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.additive.layout import Layout
from acumen.additive.losses import Answer, Loss
from acumen.additive.rows import SlotRows
from acumen.additive.target import Target
from acumen.base.attribute_weights import without_ignored
from acumen.caching import cached_property
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.rows.weights import total_weight
from acumen.summaries.algebra import Each, add_up
from acumen.types import Floats, Indices

if TYPE_CHECKING:
    from acumen.base.cluster_learner import SpreadTable
    from acumen.engines.dask_engine import Held

Work = Callable[..., Any]


class Ground(ABC):
    """Rows in the slots of a layout, and what is to be learned of them."""

    def __init__(self, layout: Layout, target: Target, total: float) -> None:
        self.layout, self.target, self.total = layout, target, total

    @property
    def lines(self) -> int:
        """How many sums a row has."""
        return self.target.lines

    @property
    def several(self) -> bool:
        """Whether there are several classes, and a line for each."""
        return self.target.kind == "softmax"

    @property
    def squares(self) -> bool:
        """Whether numbers are learned."""
        return self.target.kind == "squares"

    @property
    def width(self) -> int:
        """How many coefficients a line has."""
        return self.layout.width

    @cached_property
    def weight(self) -> Floats:
        """What the rows of each coefficient weigh."""
        made: Floats = self.meet(np.zeros((self.width, self.lines))).sum(_weight)
        return made

    @abstractmethod
    def relaid(self, layout: Layout) -> Ground:
        """The same rows in other slots."""

    @abstractmethod
    def meet(self, coefficients: Floats) -> Met:
        """What the rows say of coefficients."""


class Met(ABC):
    """The rows' answer to coefficients (width, lines)."""

    @abstractmethod
    def sum(self, work: Work, *given: Any) -> Any:
        """The sum of a work over all blocks."""

    @property
    @abstractmethod
    def lost(self) -> float:
        """The loss."""

    @property
    @abstractmethod
    def pull(self) -> Floats:
        """Its gradient (width, lines)."""


# -- here ------------------------------------------------------------------------------------------


class HeldGround(Ground):
    """Rows in memory; `tables` are their blocks."""

    def __init__(self, tables: list[Table], layout: Layout, target: Target, total: float) -> None:
        super().__init__(layout, target, total)
        self.tables = tables
        self.blocks: list[tuple[SlotRows, Loss]] = [
            (layout.rows(table), target.loss_of(table)) for table in tables
        ]

    @classmethod
    def of(cls, table: Table, layout: Layout, target: Target) -> HeldGround:
        """Of all rows of a table."""
        return cls(list(blocks(table)), layout, target, total_weight(table.row_weights))

    def relaid(self, layout: Layout) -> HeldGround:
        return HeldGround(self.tables, layout, self.target, self.total)

    def part(self, places: Indices) -> HeldGround:
        """Some of the rows, numbered over all blocks."""
        parts, first = [], 0
        for table in self.tables:
            mine = places[(places >= first) & (places < first + len(table))] - first
            first += len(table)
            if len(mine):
                parts.append(table.take(mine))
        total = float(add_up(total_weight(part.row_weights) for part in parts))
        return HeldGround(parts, self.layout, self.target, total)

    def meet(self, coefficients: Floats) -> HeldMet:
        return HeldMet(self, coefficients)


class HeldMet(Met):
    """The answers of all blocks, kept for whatever is asked of them."""

    def __init__(self, ground: HeldGround, coefficients: Floats) -> None:
        self._ground = ground
        self._answers: list[Answer] = [loss.at(rows.scores(coefficients)) for rows, loss in ground.blocks]

    def sum(self, work: Work, *given: Any) -> Any:
        each = zip(self._ground.blocks, self._answers, strict=True)
        return add_up(work(rows, loss, answer, *given) for (rows, loss), answer in each)

    @property
    def lost(self) -> float:
        return float(add_up(lost for lost, _, _ in self._answers))

    @cached_property
    def pull(self) -> Floats:
        made: Floats = self.sum(_pull)
        return made


# -- on a cluster ----------------------------------------------------------------------------------


class SpreadGround(Ground):
    """Rows on workers."""

    def __init__(self, rows: SpreadTable, layout: Layout, target: Target, ignored: Floats | None) -> None:
        super().__init__(layout, target, rows.weight)
        self._rows, self._ignored = rows, ignored
        # Words take more, as many as a row has; where held rows are too many, each pass makes them anew.
        width = 2 * (len(layout.shapes) + len(layout.pairs)) + 16 + (200 if layout.words else 0)
        self.held: Held = rows.held(partial(_slotted, layout, target, ignored), width)

    def relaid(self, layout: Layout) -> SpreadGround:
        return SpreadGround(self._rows, layout, self.target, self._ignored)

    def meet(self, coefficients: Floats) -> SpreadMet:
        return SpreadMet(self, coefficients)


class SpreadMet(Met):
    """What tasks answer, who work it out anew for each question."""

    def __init__(self, ground: SpreadGround, coefficients: Floats) -> None:
        self._ground, self._coefficients = ground, coefficients

    def sum(self, work: Work, *given: Any) -> Any:
        ground = self._ground
        asked = (ground.layout.offset, ground.target, self._coefficients, work, given)
        return ground.held.sum(_asked, asked)

    @cached_property
    def _first(self) -> Each[Any]:
        made: Each[Any] = self.sum(_lost_and_pull)
        return made

    @property
    def lost(self) -> float:
        return float(self._first.things[0])

    @property
    def pull(self) -> Floats:
        made: Floats = self._first.things[1]
        return made


def _slotted(layout: Layout, target: Target, ignored: Floats | None, block: Table) -> tuple[Any, ...]:
    """A block as plain arrays: slots, words, what is to be learned, weights."""
    rows = layout.rows(without_ignored(block, ignored))
    return rows.slots, rows.words, target.own(block), block.row_weights


def _asked(asked: tuple[Any, ...], item: tuple[Any, ...]) -> Any:
    offset, target, coefficients, work, given = asked
    slots, words, own, weights = item
    rows = SlotRows.of(slots, offset, *(words if len(words[0]) else ()))
    loss = target.loss(own, weights)
    return work(rows, loss, loss.at(rows.scores(coefficients)), *given)


# -- works -----------------------------------------------------------------------------------------


def _weight(rows: SlotRows, loss: Loss, answer: Answer) -> Floats:
    return rows.sums(loss.weight[:, None])[:, 0]


def _pull(rows: SlotRows, loss: Loss, answer: Answer) -> Floats:
    return rows.sums(answer[1])


def _lost_and_pull(rows: SlotRows, loss: Loss, answer: Answer) -> Each[Any]:
    return Each((answer[0], rows.sums(answer[1])))


def curved(rows: SlotRows, loss: Loss, answer: Answer) -> Each[Any]:
    """The second derivatives of each line by itself."""
    bent = loss.curvature(answer[2])
    return Each(tuple(rows.tables(np.ascontiguousarray(bent[:, k])) for k in range(loss.lines)))


def bent(rows: SlotRows, loss: Loss, answer: Answer, direction: Floats) -> Floats:
    """The second derivatives of all lines together times a direction."""
    return rows.sums(loss.bent(answer[2], rows.scores(direction)))
