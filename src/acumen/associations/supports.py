"""How often any set occurs: looked up among sets that were found, or counted afresh.

A set's place is found by a sum of one random number for each of its items. The sums of all sets found are
different (or others are drawn), so that a set which is known to be among them is found for certain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from acumen.associations.baskets import Longs
from acumen.associations.itemsets import Itemsets
from acumen.engines.cores import cores
from acumen.types import Codes

#: (starts, items, threads) -> the count of each set.
Count: TypeAlias = Callable[[Longs, Codes, int], Longs]


class Supports:
    """Counts of sets, given as lines of item numbers."""

    def __init__(self, n: int, n_items: int, count: Count, found: Itemsets, *, whole: bool) -> None:
        """`whole`: every subset of a set that was found was found too."""
        self.n, self._n_items, self._count = n, n_items, count
        self._sums: np.ndarray[tuple[int], np.dtype[np.uint64]] | None = None
        if whole:
            self._index(found)

    def _index(self, found: Itemsets) -> None:
        starts, items, counts = found.to_arrays()
        for seed in range(100):
            self._numbers = np.random.default_rng(seed).integers(
                0, 2**64 - 1, size=max(self._n_items, 1), dtype=np.uint64
            )
            sums = (
                np.add.reduceat(self._numbers[items], starts[:-1]) if len(items) else np.empty(0, np.uint64)
            )
            order = np.argsort(sums, kind="stable")
            self._sums, self._counts = sums[order], counts[order].astype(np.int64)
            if not (self._sums[1:] == self._sums[:-1]).any():
                return
        self._sums = None  # never seen; then every set is counted afresh

    def of(self, lines: Codes) -> Longs:
        """The count of each line's set; all baskets hold the empty one."""
        n, size = lines.shape
        if size == 0:
            return np.full(n, self.n, dtype=np.int64)
        if self._sums is not None:
            places = np.searchsorted(self._sums, self._numbers[lines].sum(axis=1, dtype=np.uint64))
            return np.asarray(self._counts[places])
        different, back = np.unique(np.sort(lines, axis=1), axis=0, return_inverse=True)
        starts = np.arange(0, different.size + 1, size, dtype=np.int64)
        counted = self._count(starts, np.ascontiguousarray(different.ravel(), dtype=np.int32), cores())
        return np.asarray(counted[back.ravel()])
