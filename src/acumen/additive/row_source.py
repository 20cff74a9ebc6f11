"""Training rows in the slots of a layout, and what they say where coefficients are: sums over blocks.

    SlottedRows   rows in slots, in memory or on the workers of a cluster
    RowAnswers    what the rows say at some coefficients: loss, gradient, second derivatives

A work is a function (rows, loss, answer, ...) of one block; its results add.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.additive.layout import SlotLayout, SlotRows
from acumen.additive.losses import Answer, Loss, Target
from acumen.base.attribute_weights import without_ignored
from acumen.caching import cached_property
from acumen.data.table import Table
from acumen.rows.persisted import Persisted
from acumen.rows.training_rows import Rows, TableRows
from acumen.summaries.algebra import Each
from acumen.types import Floats, Indices

if TYPE_CHECKING:
    from acumen.engines.worker_state import PersistedOnWorkers

Work = Callable[..., Any]


class SlottedRows:
    """Rows in the slots of a layout, and what is to be learned of them; `ignored` are attributes' weights."""

    def __init__(self, rows: Rows, layout: SlotLayout, target: Target, ignored: Floats | None = None) -> None:
        self.rows, self.layout, self.target, self._ignored = rows, layout, target, ignored
        self.total = rows.weight
        # Words take more, as many as a row has; where encoded rows are too many, each pass makes them anew.
        width = 2 * (len(layout.shapes) + len(layout.pairs)) + 16 + (200 if layout.words else 0)
        encode = partial(_slot_block, layout, target, ignored)
        encoded: Persisted | PersistedOnWorkers = rows.persist(encode, width)
        #: Blocks in slots, with their loss.
        self.blocks = encoded.map_items(partial(_with_loss, layout.offset, target))

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
        weights: Floats = self.answers_to(np.zeros((self.width, self.lines))).sum(_weight)
        return weights

    def with_layout(self, layout: SlotLayout) -> SlottedRows:
        """The same rows in other slots."""
        return SlottedRows(self.rows, layout, self.target, self._ignored)

    def part(self, places: Indices, who: str) -> SlottedRows:
        """Some of the rows, which must be in memory."""
        some = TableRows(self.rows.require_local(who).take(places))
        return SlottedRows(some, self.layout, self.target, self._ignored)

    def answers_to(self, coefficients: Floats) -> RowAnswers:
        """What the rows say of coefficients (width, lines)."""
        return RowAnswers(self, coefficients)


class RowAnswers:
    """The rows' response to coefficients: kept if the rows stay in memory, otherwise computed again when needed."""

    def __init__(self, rows: SlottedRows, coefficients: Floats) -> None:
        self._answers = rows.blocks.map_items(partial(_answer_block, coefficients))

    def sum(self, work: Work, *given: Any) -> Any:
        """The sum of a work over all blocks."""
        return self._answers.sum(_ask_block, (work, given))

    @cached_property
    def _first(self) -> Each[Any]:
        things: Each[Any] = self.sum(_lost_and_pull)
        return things

    @cached_property
    def total_loss(self) -> float:
        """The loss."""
        return float(self.sum(_block_loss) if self._answers.items is not None else self._first.things[0])

    @cached_property
    def pull(self) -> Floats:
        """Its gradient (width, lines)."""
        gradient: Floats = self.sum(_pull) if self._answers.items is not None else self._first.things[1]
        return gradient


def _slot_block(layout: SlotLayout, target: Target, ignored: Floats | None, block: Table) -> tuple[Any, ...]:
    """A block as plain arrays: slots, words, what is to be learned, weights."""
    rows = layout.rows(without_ignored(block, ignored))
    return rows.slots, rows.words, target.block_values(block), block.row_weights


def _with_loss(offset: Any, target: Target, item: tuple[Any, ...]) -> tuple[SlotRows, Loss]:
    slots, words, targets, weights = item
    return SlotRows.of(slots, offset, *(words if len(words[0]) else ())), target.loss(targets, weights)


def _answer_block(coefficients: Floats, block: tuple[SlotRows, Loss]) -> tuple[SlotRows, Loss, Answer]:
    rows, loss = block
    return rows, loss, loss.at(rows.scores(coefficients))


def _ask_block(question: tuple[Work, tuple[Any, ...]], answered: tuple[SlotRows, Loss, Answer]) -> Any:
    work, argument = question
    return work(*answered, *argument)


# -- works -----------------------------------------------------------------------------------------


def _weight(rows: SlotRows, loss: Loss, answer: Answer) -> Floats:
    return rows.sums(loss.weight[:, None])[:, 0]


def _block_loss(rows: SlotRows, loss: Loss, answer: Answer) -> float:
    return float(answer[0])


def _pull(rows: SlotRows, loss: Loss, answer: Answer) -> Floats:
    return rows.sums(answer[1])


def _lost_and_pull(rows: SlotRows, loss: Loss, answer: Answer) -> Each[Any]:
    return Each((answer[0], rows.sums(answer[1])))


def curvatures(rows: SlotRows, loss: Loss, answer: Answer) -> Each[Any]:
    """The second derivatives of each line by itself."""
    bent = loss.curvature(answer[2])
    return Each(tuple(rows.tables(np.ascontiguousarray(bent[:, k])) for k in range(loss.lines)))


def curvature_products(rows: SlotRows, loss: Loss, answer: Answer, direction: Floats) -> Floats:
    """The second derivatives of all lines together times a direction."""
    return rows.sums(loss.bent(answer[2], rows.scores(direction)))
