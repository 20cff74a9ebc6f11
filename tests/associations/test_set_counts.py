"""How many rows hold all items of a set, against sets of Python."""

from __future__ import annotations

from itertools import chain

import numpy as np

from acumen import _native


def test_count_itemsets_counts_rows_that_hold_all_items() -> None:
    rng = np.random.default_rng(0)
    rows = [sorted(np.flatnonzero(rng.random(6) < 0.4).tolist()) for _ in range(80)]
    sets = [[0], [1, 3], [0, 2, 5], [4], [0, 1, 2, 3, 4, 5]]

    def flat(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
        starts = np.cumsum([0, *map(len, lists)]).astype(np.int64)
        return starts, np.array(list(chain(*lists)), dtype=np.int32)

    counts = _native.count_itemsets(*flat(rows), 6, *flat(sets), 1)
    assert counts.tolist() == [sum(set(each) <= set(row) for row in rows) for each in sets]
