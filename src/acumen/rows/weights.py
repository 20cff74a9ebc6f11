"""How row weights are read: as counts of rows where they are whole, else as shares of their mean.

    Weighing   what some rows weigh, and by what reading; weighings add as the rows' summaries do
    in_units   rows with the weights that sizes, smoothing and pruning look at

Weights that are all whole, and at most 2^53, say how often each row occurred. Any others say only how much a row weighs
beside another: they are divided by their mean, so that n rows weigh n together whatever the unit was. Class weights
are multiplied in before: whole ones make counts of counts, and any others only shift weight between the classes, so
that the rows weigh together what they weighed without them. A row whose label is shared out among the classes is one
row. The mean is that of all rows learned from: summaries hold the weights as they were given, and are divided when
they are solved, so parts, streams and folds need no further pass and come to the same.

A learner whose penalty stands beside a sum of losses (`Learner.scale_sensitive`) takes weights as they are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.blocks import BLOCK_ROWS
from acumen.errors import DataError
from acumen.summaries.algebra import add_up
from acumen.types import Bools, Codes, Floats

#: What a model file notes: "counts" of rows; "relative" weights; whole row weights with "relative classes"; weights
#: taken "as given" beside a penalty.
Reading = Literal["counts", "relative", "relative classes", "as given"]
READINGS: tuple[Reading, ...] = ("counts", "relative", "relative classes", "as given")

_MOST_ROWS = 2.0**53  # beyond it numbers are too far apart to count one by one, and all of them look whole
_MOST_WEIGHT = 1e304
_NEAR = 1e-9  # the weight of a row put together again of its shares is only nearly whole


@dataclass(frozen=True, slots=True)
class Weighing:
    """What rows weigh.

    Attributes
    ----------
    rows : float
        How many there are; of a row whose label is shared out, the share that is learned from.
    counts : float
        What they weigh without class weights.
    counted : bool
        Whether each weighs a whole number without class weights.
    whole : bool
        Whether each does with them.
    """

    rows: float = 0.0
    counts: float = 0.0
    counted: bool = True
    whole: bool = True

    def __add__(self, other: Weighing) -> Weighing:
        return Weighing(
            self.rows + other.rows,
            self.counts + other.counts,
            self.counted and other.counted,
            self.whole and other.whole,
        )

    @classmethod
    def of(
        cls, table: Table, factors: Floats | None = None, shares: Floats = NO_WEIGHTS, labelled: bool = False
    ) -> Weighing:
        """Of the rows of a table that are learned from, before the `factors` of their classes are multiplied in.

        `shares` says what part of a row each of them is; with `labelled` those without a label are left out.
        """
        one = np.zeros(len(table), dtype=np.int32)
        return cls.of_parts(table, one, 1, factors, shares, labelled)[0]

    @classmethod
    def of_parts(
        cls,
        table: Table,
        parts: Codes,
        n_parts: int,
        factors: Floats | None = None,
        shares: Floats = NO_WEIGHTS,
        labelled: bool = False,
    ) -> list[Weighing]:
        """The same for every part of the rows; a row whose part is outside 0..n_parts-1 is in none."""
        if not table.weights.size and not shares.size and factors is None:
            return cls._of_equal_parts(table, parts, n_parts, labelled)
        original = table.row_weights
        share = shares if shares.size else np.ones(len(table))
        each = original / share if shares.size else original
        final = each
        kept = (parts >= 0) & (parts < n_parts) & (original > 0)
        if labelled and table.labels is not None:
            kept &= table.labels >= 0
        if factors is not None:
            factor = np.append(factors, 1.0)[np.maximum(table.class_codes, -1)]
            kept &= factor > 0
            final = each * factor
        if not kept.all():
            original, share, each, final = (array[kept] for array in (original, share, each, final))
            parts = parts[kept]
        rows = np.bincount(parts, share, n_parts)
        counts = np.bincount(parts, original, n_parts)
        near = _NEAR if shares.size else 0.0
        counted = np.bincount(parts[~_whole(each, near)], minlength=n_parts) == 0
        whole = np.bincount(parts[~_whole(final, near)], minlength=n_parts) == 0
        return [
            cls(*each_part)
            for each_part in zip(
                rows.tolist(), counts.tolist(), counted.tolist(), whole.tolist(), strict=True
            )
        ]

    @classmethod
    def _of_equal_parts(cls, table: Table, parts: Codes, n_parts: int, labelled: bool) -> list[Weighing]:
        """Rows that weigh one each are only counted."""
        kept = (parts >= 0) & (parts < n_parts)
        if labelled and table.labels is not None:
            kept &= table.labels >= 0
        rows = np.bincount(parts if kept.all() else parts[kept], minlength=n_parts)
        return [cls(float(n), float(n), True, True) for n in rows.tolist()]

    @property
    def reading(self) -> Reading:
        """How the weights are read."""
        if self.whole:
            return "counts"
        return "relative classes" if self.counted else "relative"

    @property
    def size(self) -> float:
        """What the rows weigh together where sizes matter, unless all weights are whole."""
        return self.counts if self.counted else self.rows

    def require_bounded(self, who: str) -> None:
        """DataError where sums of these weights, and of products with them, would not be numbers."""
        if not self.counts <= _MOST_WEIGHT:
            raise DataError(
                f"{who}: the weights of the rows come to {self.counts:g}, and sums beyond {_MOST_WEIGHT:g} cannot be "
                "computed; divide them by a constant."
            )

    def factor(self, total: float, who: str) -> float:
        """What weights that come to `total`, class weights multiplied in, are multiplied by."""
        if self.whole or not total > 0:
            return 1.0
        factor = self.size / total
        if not 0 < factor < np.inf:
            raise DataError(
                f"{who}: the weights of the rows come to {total:g}, which is no number to divide them by; multiply "
                "them by a constant, since only their ratios matter."
            )
        return factor

    @classmethod
    def from_record(cls, rows: int, weight: float, reading: Reading) -> Weighing:
        """As a model file tells it, which notes what the rows weighed together."""
        counted = reading != "relative"
        return cls(float(rows) if counted else weight, weight, counted, reading == "counts")


def in_units(table: Table, factor: float) -> Table:
    """The rows with weights so many times as large.

    Weights that come to a whole number but for rounding are that number: rows of equal weight weigh exactly one each,
    and one neighbour of KNN is one row.
    """
    if factor == 1.0:
        return table
    weights = table.row_weights * factor
    nearest = np.rint(weights)
    weights = np.where((nearest > 0) & (np.abs(weights - nearest) <= _NEAR * nearest), nearest, weights)
    from acumen.rows.intake import replace_target

    return replace_target(table, table.schema, table.labels, weights, table.response)


def whole_rows(weight: float) -> int:
    """How many rows so much weight is, fractions left aside; a sum of shares is only nearly whole."""
    return int(weight * (1.0 + _NEAR))


class Weight:
    """The sum of weights that come in parts: one after the other within blocks, the blocks' sums as summaries are.

    It does not depend on how rows are cut into parts, nor on where the blocks are added up.
    """

    def __init__(self) -> None:
        self._blocks: list[float] = []
        self._rest, self._rows = 0.0, 0

    def add(self, weights: Floats) -> None:
        """Further rows."""
        start = 0
        while start < len(weights):
            some = weights[start : start + BLOCK_ROWS - self._rows]
            self._rest = float(np.cumsum(np.concatenate([[self._rest], some]))[-1])
            self._rows += len(some)
            start += len(some)
            if self._rows == BLOCK_ROWS:
                self._blocks.append(self._rest)
                self._rest, self._rows = 0.0, 0

    @property
    def total(self) -> float:
        """Of all rows so far."""
        sums = [*self._blocks, *([self._rest] if self._rows else [])]
        return add_up(sums) if sums else 0.0


def total_weight(weights: Floats) -> float:
    """The sum of weights, as `Weight` adds them."""
    total = Weight()
    total.add(weights)
    return total.total


def class_weights(labels: Codes, weights: Floats, classes: int) -> Floats:
    """The weight of each class, block by block; empty weights mean that each row weighs one."""
    each = [
        np.bincount(
            labels[i : i + BLOCK_ROWS], weights[i : i + BLOCK_ROWS] if len(weights) else None, classes
        )
        for i in range(0, len(labels), BLOCK_ROWS)
    ]
    return np.asarray(add_up(each), dtype=np.float64) if each else np.zeros(classes)


def _whole(weights: Floats, near: float) -> Bools:
    nearest = np.rint(weights)
    return np.asarray((np.abs(weights - nearest) <= near) & (nearest > 0) & (nearest <= _MOST_ROWS))
