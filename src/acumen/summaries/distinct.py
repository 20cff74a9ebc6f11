"""The distinct values of numeric attributes, as long as they are few: what tells how finely numbers were recorded.

Sets add by union, and a set with more than `LIMIT` values is "many" however the rows were cut: parts add up to the
byte. `gap` is the mean distance between neighbouring values, 0 where they are many (and so lie close).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.borrow import Membership, Values, columns_of, rows_in
from acumen.types import Array, Codes, Floats

#: Of an attribute with more distinct values than these only that is known.
LIMIT = 32


@dataclass(frozen=True, slots=True, eq=False)
class DistinctValues(Summary):
    """The values of each attribute over labelled rows of weight above zero; NaN and infinities are missing.

    Attributes
    ----------
    values : array of (attributes, LIMIT)
        Ascending; zeros behind the last one, and where there are too many.
    count : int32 array of (attributes,)
        How many there are; LIMIT + 1 for more.
    """

    values: Floats
    count: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values))
        object.__setattr__(self, "count", frozen(self.count, np.int32))

    @classmethod
    def of(cls, values: Values, labels: Codes, weights: Floats | None, classes: int) -> Self:
        """Look at rows; parameters as for `ClassMoments.of`."""
        return cls._add(values, Membership.of(labels, weights, classes, cls.__name__))[0]

    @classmethod
    def of_parts(
        cls, values: Values, labels: Codes, weights: Floats | None, classes: int, parts: Codes, n_parts: int
    ) -> list[Self]:
        """The sets of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        return cls._add(values, Membership.of(labels, weights, classes, cls.__name__, parts, n_parts))

    @classmethod
    def _add(cls, values: Values, rows: Membership) -> list[Self]:
        columns, d = columns_of(values, cls.__name__)
        rows.require_rows(rows_in(columns, d, rows.n_rows), cls.__name__)
        distinct = np.zeros((rows.n_parts * d, LIMIT))
        count = np.zeros(rows.n_parts * d, dtype=np.int32)
        _native.add_distinct(columns, *rows.kernel_arguments(), distinct, count)
        cuts = [slice(p * d, (p + 1) * d) for p in range(rows.n_parts)]
        return [cls(distinct[cut], count[cut]) for cut in cuts]

    @property
    def attributes(self) -> int:
        return len(self.count)

    @property
    def gap(self) -> Floats:
        """The mean distance between neighbouring values; 0 where there are many, or fewer than two."""
        few = (self.count >= 2) & (self.count <= LIMIT)
        last = np.where(few, self.count - 1, 0)
        span = self.values[np.arange(self.attributes), last] - self.values[:, 0]
        gaps: Floats = np.where(few, span / np.maximum(last, 1), 0.0)
        return gaps

    def scale_weights(self, factor: float) -> Self:
        """Itself: a value is there however much its rows weigh."""
        return self

    def problem(self) -> str | None:
        """What is wrong with a set that was read from a file, or None."""
        if not ((self.count >= 0) & (self.count <= LIMIT + 1)).all():
            return "a count of distinct values is out of range"
        held = np.arange(LIMIT) < np.where(self.count > LIMIT, 0, self.count)[:, None]
        if not (held[:, 1:] <= (np.diff(self.values, axis=1) > 0)).all() or (self.values[~held] != 0).any():
            return "distinct values do not ascend"
        return None

    def _difference(self, other: Self) -> str | None:
        mine, theirs = self.attributes, other.attributes
        return None if mine == theirs else f"one has {mine} numeric attributes, the other {theirs}"

    def _merge(self, other: Self) -> Self:
        values: Any = self.values.copy()
        count: Any = self.count.copy()
        _native.merge_distinct(values, count, other.values, other.count)
        return type(self)(values, count)
