"""What is to be learned, as a value from which the loss of any rows can be made, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from acumen.additive.losses import LogOdds, Loss, Softmax, Squares
from acumen.data.table import Table
from acumen.rows.training_rows import Rows
from acumen.summaries.algebra import Each
from acumen.types import Array, Bools, Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Classes by the places of their lines, or numbers about a centre in units of their deviation."""

    kind: Literal["odds", "softmax", "squares"]
    lines: int = 1
    line: Codes | None = None  # of each class
    centre: float = 0.0
    unit: float = 1.0
    scale: float = 1.0  # what numbers are divided by first, so that squares of large ones are numbers

    @classmethod
    def classes(cls, seen: Bools) -> Target:
        """Of the classes that have rows, two at least."""
        count = int(np.count_nonzero(seen))
        line: Codes = (np.cumsum(seen) - 1).astype(np.int32)
        return cls("odds", 1, line) if count == 2 else cls("softmax", count, line)

    @classmethod
    def numbers(cls, rows: Rows) -> Target:
        """Of the numbers of rows."""
        scale = float(rows.sum(_largest).value) or 1.0
        weight, total = rows.sum(partial(_powers, scale, None)).things
        centre = float(total / weight)
        _, squares = rows.sum(partial(_powers, scale, centre)).things
        unit = float(np.sqrt(squares / weight))
        return cls("squares", 1, None, centre, unit if unit > 1e-14 * abs(centre) else 1.0, scale)

    def own(self, table: Table) -> Array:
        """What is kept of rows: lines of classes, or numbers in units."""
        if self.kind == "squares":
            return np.asarray((table.target_numbers / self.scale - self.centre) / self.unit)
        assert self.line is not None
        lines = self.line[table.class_codes]
        return lines.astype(np.float64) if self.kind == "odds" else lines

    def loss(self, own: Array, weights: Floats) -> Loss:
        """Of such rows."""
        if self.kind == "softmax":
            return Softmax(own, weights, self.lines)
        return LogOdds(own, weights) if self.kind == "odds" else Squares(own, weights)

    def loss_of(self, table: Table) -> Loss:
        """Of the rows of a table."""
        return self.loss(self.own(table), table.row_weights)


@dataclass(frozen=True, slots=True)
class _Most:
    """The largest of some numbers."""

    value: float

    def __add__(self, other: _Most) -> _Most:
        return _Most(max(self.value, other.value))


def _largest(block: Table) -> _Most:
    return _Most(float(np.abs(block.target_numbers).max(initial=0.0)))


def _powers(scale: float, centre: float | None, block: Table) -> Each[Any]:
    """The weight of rows, and the sum of their numbers or, about a centre, of their squares."""
    values, weights = block.target_numbers / scale, block.row_weights
    made: Floats = values if centre is None else (values - centre) ** 2
    return Each((float(np.sum(weights)), float(np.sum(weights * made))))
