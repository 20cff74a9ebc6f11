"""Cut the training range into intervals of one width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.preprocessing.discretise.base import Discretiser, require_bins, require_closed
from acumen.preprocessing.discretise.counts import Classes, Extent
from acumen.preprocessing.discretise.intervals import Closed, Intervals, along
from acumen.types import Codes, Floats


@dataclass(frozen=True)
class EqualWidth(Discretiser):
    """Intervals of one width between the smallest and the largest training value.

    A constant attribute, or one without a known value, has one interval. Values beyond the range fall in
    the outer intervals.

    Parameters
    ----------
    bins : int
        The number of intervals.
    closed : {"right", "left"}
        Whether an edge belongs to the interval on its left, `(a, b]`, or on its right, `[a, b)`.
    """

    bins: int = 10
    closed: Closed = "right"

    def __post_init__(self) -> None:
        require_bins("EqualWidth", self.bins)
        require_closed("EqualWidth", self.closed)

    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> Extent:
        return Extent.of(attribute, values, weights)

    def solve_column(self, summary: Extent) -> Intervals:
        low, high = summary.low, summary.high
        if low > high:
            return Intervals(summary.attribute, np.empty(0), self.closed)
        edges = [along(low, high, i, self.bins) for i in range(1, self.bins)]
        # In a range of few binary numbers edges may fall together, or upon its ends.
        inner = sorted({edge for edge in edges if low < edge < high})
        return Intervals(summary.attribute, np.array(inner, dtype=np.float64), self.closed, low, high)
