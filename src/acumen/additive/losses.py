"""What is lost on rows: log-odds of two classes, softmax of several, squares of numbers.

Each gives, for the scores of rows, the loss, its slope for each row and line, and the shares P(class | row) (of numbers
nothing); of these the curvature of a line by itself, and that of all lines along a direction.

What is to be learned, as a value from which the loss of any rows can be made, wherever they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from acumen.data.table import Table
from acumen.rows.training_rows import Rows
from acumen.summaries.algebra import Each
from acumen.types import Array, Bools, Codes, Floats, Indices

Answer = tuple[float, Floats, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class LogOdds:
    """Two classes: `truth` is the share of the second in each row."""

    truth: Floats
    weight: Floats
    lines: int = 1

    def take(self, places: Indices) -> LogOdds:
        return LogOdds(self.truth[places], self.weight[places])

    def at(self, scores: Floats) -> Answer:
        """Loss, slopes (rows, 1) and shares of both classes."""
        s = scores[:, 0]
        small = np.exp(-np.abs(s))
        near = 1.0 / (1.0 + small)
        # log(1 + e^s) - truth * s
        lost = np.log1p(small)
        lost += np.maximum(s, 0.0)
        lost -= self.truth * s
        shares = np.empty((len(s), 2))
        above = s >= 0
        tail = small * near
        shares[:, 1] = np.where(above, near, tail)
        shares[:, 0] = np.where(above, tail, near)
        slope: Floats = (self.weight * (shares[:, 1] - self.truth))[:, None]
        return float(self.weight @ lost), slope, shares

    def curvature(self, shares: Floats) -> Floats:
        """Of the one line, for each row."""
        curvature: Floats = (self.weight * shares[:, 0] * shares[:, 1])[:, None]
        return curvature

    def bent(self, shares: Floats, direction: Floats) -> Floats:
        return self.curvature(shares) * direction


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """K classes: `labels` are the places of the rows' lines."""

    labels: Codes
    weight: Floats
    lines: int

    def take(self, places: Indices) -> Softmax:
        return Softmax(self.labels[places], self.weight[places], self.lines)

    def at(self, scores: Floats) -> Answer:
        """Loss, slopes and shares, (rows, lines) both."""
        true_class = np.arange(len(scores)), self.labels
        residual = scores - scores.max(axis=1, keepdims=True)
        shares = np.exp(residual)
        total = shares.sum(axis=1, keepdims=True)
        shares /= total
        slope = shares.copy()
        slope[true_class] -= 1.0
        slope *= self.weight[:, None]
        return float(self.weight @ (np.log(total[:, 0]) - residual[true_class])), slope, shares

    def curvature(self, shares: Floats) -> Floats:
        curvature: Floats = self.weight[:, None] * shares * (1.0 - shares)
        return curvature

    def bent(self, shares: Floats, direction: Floats) -> Floats:
        product = direction - np.einsum("nk,nk->n", shares, direction)[:, None]
        product *= shares
        product *= self.weight[:, None]
        return product


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """Numbers: half the squared error."""

    truth: Floats
    weight: Floats
    lines: int = 1

    def take(self, places: Indices) -> Squares:
        return Squares(self.truth[places], self.weight[places])

    def at(self, scores: Floats) -> Answer:
        """Loss and slopes (rows, 1)."""
        residual = scores[:, 0] - self.truth
        slope = self.weight * residual
        return 0.5 * float(slope @ residual), slope[:, None], np.empty((len(residual), 0))

    def curvature(self, shares: Floats) -> Floats:
        return self.weight[:, None]

    def bent(self, shares: Floats, direction: Floats) -> Floats:
        product: Floats = self.weight[:, None] * direction
        return product


Loss = LogOdds | Softmax | Squares


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

    def block_values(self, table: Table) -> Array:
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
        return self.loss(self.block_values(table), table.row_weights)


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
    powers: Floats = values if centre is None else (values - centre) ** 2
    return Each((float(np.sum(weights)), float(np.sum(weights * powers))))
