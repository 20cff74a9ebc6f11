"""Begin with an interval for each value; merge neighbours whose classes do not differ by more than chance.

R. Kerber, ChiMerge: discretization of numeric attributes, AAAI 1992. Of two neighbouring intervals with
class counts A the statistic is

    chi2 = sum over both and over the classes of (A - E)^2 / E,    E = row total * class total / total

The pair of least chi2 is merged, again and again, until every pair exceeds the quantile of the chi-square
distribution of k - 1 degrees of freedom, k being the number of classes met. A class that neither
interval holds adds nothing (Kerber puts a small constant in place of its E of zero).

Weights count as numbers of rows. Rows without a label say nothing and are left out.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from acumen.errors import ParameterError
from acumen.preprocessing.discretise.base import Discretiser, require_closed
from acumen.preprocessing.discretise.counts import Classes, ValueCounts
from acumen.preprocessing.discretise.intervals import Closed, Intervals, part
from acumen.types import Codes, Floats, Indices


@dataclass(frozen=True)
class ChiMerge(Discretiser):
    """Merge neighbouring intervals while the chi-square test finds no difference between their classes.

    Each attribute is cut on its own; one that says nothing about the class has one interval. Cuts lie in
    the middle between neighbouring values; of equally similar pairs the lowest is merged first.

    Parameters
    ----------
    significance : float
        The level below which a difference is put down to chance, above 0 and below 1: two intervals
        stay apart if such a difference has a chance of less than 1 - significance among equals.
        The higher, the fewer intervals. Kerber recommends 0.90 to 0.99.
    min_intervals : int
        Merging stops at so many, whatever the test says.
    max_intervals : int or None
        Merging goes on down to so many, whatever the test says; None sets no limit.
    closed : {"right", "left"}
        Whether an edge belongs to the interval on its left, `(a, b]`, or on its right, `[a, b)`.
    """

    significance: float = 0.95
    min_intervals: int = 1
    max_intervals: int | None = 15
    closed: Closed = "right"
    supervised: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_closed("ChiMerge", self.closed)
        level: Any = self.significance
        if not isinstance(level, (int, float, np.number)) or isinstance(level, bool) or not 0 < level < 1:
            raise ParameterError(
                f"ChiMerge: significance must be a number above 0 and below 1; got {level!r}."
            )
        _require_whole("min_intervals", self.min_intervals)
        if self.max_intervals is not None:
            _require_whole("max_intervals", self.max_intervals)
            if self.max_intervals < self.min_intervals:
                raise ParameterError(
                    f"ChiMerge: max_intervals must be at least min_intervals, {self.min_intervals}; "
                    f"got {self.max_intervals}."
                )

    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> ValueCounts:
        return ValueCounts.of(attribute, values, labels, weights, classes)

    def solve_column(self, summary: ValueCounts) -> Intervals:
        weights = summary.weights[:, :-1]
        seen = weights.sum(axis=1) > 0
        values, weights = summary.values[seen], weights[seen]
        weights = weights[:, weights.sum(axis=0) > 0]
        most = len(values) if self.max_intervals is None else self.max_intervals
        cuts = chi_cuts(weights, _quantile(self.significance, weights.shape[1]), self.min_intervals, most)
        edges = [part(float(values[j - 1]), float(values[j]), self.closed) for j in cuts.tolist()]
        return Intervals(summary.attribute, np.array(edges, dtype=np.float64), self.closed)


def chi_cuts(weights: Floats, threshold: float, least: int, most: int) -> Indices:
    """Before which lines of `weights` (values, classes) to cut; every line and class weighs something."""
    starts = _runs(weights)
    if len(starts) < least:  # too few would be left: merge the alike one by one as well
        starts = np.arange(len(weights))
    if len(starts) < 2:
        return np.empty(0, dtype=np.intp)
    counts: list[list[float]] = np.add.reduceat(weights, starts, axis=0).tolist()
    n = len(counts)
    before, after = list(range(-1, n - 1)), list(range(1, n + 1))
    alive = [True] * n
    # What each interval's chi2 with the next one is now; an entry of the heap that differs is out of date.
    current = [_chi2(counts[i], counts[i + 1]) for i in range(n - 1)] + [float("inf")]
    heap = [(chi2, i) for i, chi2 in enumerate(current[:-1])]
    heapq.heapify(heap)
    n_left = n
    while heap and n_left > least:
        chi2, i = heapq.heappop(heap)
        if not alive[i] or chi2 != current[i]:
            continue
        if chi2 > threshold and n_left <= most:
            break
        j = after[i]
        counts[i] = [a + b for a, b in zip(counts[i], counts[j], strict=True)]
        alive[j], after[i] = False, after[j]
        n_left -= 1
        if after[i] < n:
            before[after[i]] = i
            current[i] = _chi2(counts[i], counts[after[i]])
            heapq.heappush(heap, (current[i], i))
        else:
            current[i] = float("inf")
        if before[i] >= 0:
            h = before[i]
            current[h] = _chi2(counts[h], counts[i])
            heapq.heappush(heap, (current[h], h))
    return np.asarray(starts[np.flatnonzero(alive)][1:])


def _runs(weights: Floats) -> Indices:
    """Where each run of lines of one and the same single class begins.

    Such neighbours have a chi2 of nought, so merging begins with them in any case.
    """
    if not len(weights):
        return np.empty(0, dtype=np.intp)
    pure = np.where((weights > 0).sum(axis=1) == 1, weights.argmax(axis=1), -1)
    new = np.ones(len(weights), dtype=np.bool_)
    new[1:] = (pure[1:] != pure[:-1]) | (pure[1:] < 0)
    return np.flatnonzero(new)


def _chi2(first: list[float], second: list[float]) -> float:
    """The statistic of two lines: sum of (a R2 - b R1)^2 / (C R1 R2), free of cancellation."""
    r1, r2 = sum(first), sum(second)
    total = 0.0
    for a, b in zip(first, second, strict=True):
        if a or b:
            gap = a * r2 - b * r1
            total += gap * gap / (a + b)
    return total / (r1 * r2)


def _quantile(significance: float, classes: int) -> float:
    """The value that chi-square stays below with probability `significance`."""
    if classes < 2:
        return 0.0  # one class: nothing differs, and every chi2 is nought
    from scipy.special import chdtri

    return float(chdtri(classes - 1, 1.0 - significance))


def _require_whole(name: str, value: Any) -> None:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ParameterError(f"ChiMerge: {name} must be a whole number of at least 1; got {value!r}.")
