"""Where the numbers of a column are cut, by ranks alone: a rising rescaling of the column changes nothing.

Ranked   a column's different numbers and what the rows of each weigh
cuts_of  at most so many bins of about the same weight; a number that alone weighs as much has a bin of its own
fewer    how many bins all columns may have so that there are no more than so many slots
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.types import Array, Floats

_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The different numbers of a column, ascending, and the weight of the rows of each."""

    distinct: Floats
    weight: Floats

    @classmethod
    def of(cls, values: Array, weights: Floats) -> Ranked:
        """`weights` may be empty: then every row weighs one."""
        known = ~np.isnan(values)
        numbers = np.clip(np.asarray(values, dtype=np.float64)[known], -_LARGEST, _LARGEST)
        if weights.size:
            order = np.argsort(numbers, kind="stable")
            numbers, reached = numbers[order], np.cumsum(weights[known][order])
        else:
            numbers = np.sort(numbers)
            reached = np.arange(1.0, len(numbers) + 1.0)
        if not len(numbers):
            return cls(np.empty(0), np.empty(0))
        last = np.append(np.flatnonzero(numbers[1:] != numbers[:-1]), len(numbers) - 1)
        return cls(numbers[last], np.diff(reached[last], prepend=0.0))


def cuts_of(column: Ranked, bins: int) -> Floats:
    """The cuts between the bins: middles between neighbouring numbers."""
    distinct = column.distinct
    if len(distinct) <= bins:
        at = np.arange(len(distinct) - 1)
    else:
        reach = np.cumsum(column.weight)
        share = reach[-1] / bins
        ends = np.searchsorted(reach, np.arange(1, bins) * share * (1 - 1e-12))
        spikes = np.flatnonzero(column.weight >= share * (1 - 1e-12))
        at = np.unique(np.concatenate([ends, spikes, spikes - 1]))
        at = at[(at >= 0) & (at < len(distinct) - 1)]
    below, above = distinct[at], distinct[at + 1]
    cuts = below / 2 + above / 2
    made: Floats = np.where((cuts >= below) & (cuts < above), cuts, below)
    return made


def fewer(columns: Sequence[Ranked], bins: int, room: int) -> int:
    """The most bins, no more than `bins` and no less than 2, under which all columns fit into so many slots."""
    counts = np.array([len(c.distinct) for c in columns])
    low, high = 2, max(bins, 2)
    while low < high:
        middle = (low + high + 1) // 2
        # Spikes may bring twice as many bins as asked for; that is rare, and room is not a hard limit.
        if int(np.minimum(counts, middle).sum()) <= room:
            low = middle
        else:
            high = middle - 1
    return low
