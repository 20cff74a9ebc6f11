"""Closed and maximal sets of a family that is not closed downwards: several supports, constraints, kinds of items.

A set is closed in its family if no larger set of the family has the same count, and maximal if no larger one
is in it.
"""

from __future__ import annotations

import numpy as np

from acumen.associations.itemsets import Itemsets
from acumen.types import Bools


def condensed(found: Itemsets, kind: str) -> Itemsets:
    """Those sets of a family that are closed or maximal in it."""
    starts, items, counts = found.to_arrays()
    kept: Bools = np.zeros(len(found), dtype=np.bool_)
    # For each item (and, of closed sets, each count) the larger sets seen so far, one bit each.
    seen: dict[tuple[int, int], int] = {}
    n = 0
    for at in reversed(range(len(found))):
        group = int(counts[at]) if kind == "closed" else 0
        mine = items[starts[at] : starts[at + 1]].tolist()
        above = -1
        for item in mine:
            above &= seen.get((group, item), 0)
            if not above:
                break
        if above:  # only those of other sizes: sets of one size hold each other nowhere
            continue
        kept[at] = True
        for item in mine:
            seen[group, item] = seen.get((group, item), 0) | 1 << n
        n += 1
    made = found.take(kept)
    return Itemsets(
        made.names, made.n, kind, made.complete, made.trace, _lists=made.to_arrays(), _sorted=True
    )
