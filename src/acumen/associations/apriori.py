"""Textbook Apriori: level by level over the inverted index, with a trace.

    S_1   items that are frequent
    S_n   unions of two sets of S_(n-1) that share n - 2 items, of which every subset of n - 1 items is in
          S_(n-1), and that are frequent themselves

(The join is often printed with an overlap of n - 1, of which there is none: two different sets of n - 1 items
share n - 2 at most.) The inverted index has for each item the baskets that hold it, as a whole number of one
bit a basket. Slower than the projection, and kept for its trace and as its check.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from acumen.associations.baskets import Baskets
from acumen.associations.itemsets import ItemsetLevel, Itemsets
from acumen.engines.memory import limit as memory_limit

#: Whether a set (ascending items, whose counts are known) may be there at all; for what goes down with every item more.
Allowed = Callable[[tuple[int, ...]], bool]

#: What a candidate takes at least: a tuple in a set, and then its baskets.
_CANDIDATE = 128


def apriori(
    baskets: Baskets,
    items: Sequence[int],
    least: Callable[[tuple[int, ...]], int],
    max_size: int | None,
    *,
    allowed: Allowed | None = None,
    prunes: Callable[[tuple[int, ...], tuple[int, ...]], bool] | None = None,
    most: int | None = None,
) -> Itemsets:
    """Find the sets in at least `least(set)` baskets; after Ctrl-C return those found so far, marked as incomplete.

    `prunes(set, subset)` says whether a subset must be frequent for the set to be. [default: all must] Raises TooMany
    if there are more sets than `most`, or more candidates of one size than memory allows.
    """
    index = invert(baskets, items)
    everything = (1 << len(baskets)) - 1
    level: dict[tuple[int, ...], int] = {}
    for item in items:
        held = index[item] & everything
        if held.bit_count() >= least((item,)):
            level[(item,)] = held
    trace = [ItemsetLevel(1, len(items), 0, len(level))]
    counts = {one: held.bit_count() for one, held in level.items()}
    size, complete = 1, True
    while level and (max_size is None or size < max_size):
        size += 1
        try:
            if (unions := _least_unions(level, size)) * _CANDIDATE > memory_limit():
                raise TooManyCandidates(size, unions)
            candidates, pruned = join_sets(level, size, allowed, prunes)
            if not candidates and not pruned:
                break
            following = _count(candidates, level, index, everything, least)
        except KeyboardInterrupt:
            complete = False
            break
        trace.append(ItemsetLevel(size, len(candidates) + pruned, pruned, len(following)))
        counts |= {one: held.bit_count() for one, held in following.items()}
        level = following
        if most is not None and len(counts) > most:
            raise TooManyCandidates(size, 0)
    return as_itemsets(baskets, counts, tuple(trace), complete=complete)


class TooManyCandidates(Exception):  # noqa: N818 - answered by a sentence where sets are asked for
    """More candidates of one size than may be held; or, where they are 0, more sets."""

    def __init__(self, size: int, candidates: int) -> None:
        super().__init__(f"{candidates:,} candidates of {size} items")
        self.candidates = candidates


def _count(
    candidates: list[tuple[int, ...]],
    level: dict[tuple[int, ...], int],
    index: dict[int, int],
    everything: int,
    least: Callable[[tuple[int, ...]], int],
) -> dict[tuple[int, ...], int]:
    """Those candidates that enough baskets hold, with their baskets."""
    following = {}
    for candidate in candidates:
        held = level[candidate[:-1]] & index[candidate[-1]] if candidate[:-1] in level else everything
        if candidate[:-1] not in level:
            for item in candidate:
                held &= index[item]
        if held.bit_count() >= least(candidate):
            following[candidate] = held
    return following


def _least_unions(level: dict[tuple[int, ...], int], size: int) -> int:
    """No more than the unions of two sets that share all but one item each; of single items, exactly so many."""
    if size == 2:
        return math.comb(len(level), 2)
    by_part = Counter(one[:at] + one[at + 1 :] for one in level for at in range(len(one)))
    return sum(math.comb(n, 2) for n in by_part.values()) // math.comb(size, 2)


def join_sets(
    level: dict[tuple[int, ...], int],
    size: int,
    allowed: Allowed | None = None,
    prunes: Callable[[tuple[int, ...], tuple[int, ...]], bool] | None = None,
) -> tuple[list[tuple[int, ...]], int]:
    """Unions of two sets that share all but one item each, and how many fell because a subset of theirs is
    not there.
    """
    unions: set[tuple[int, ...]] = set()
    by_part: dict[tuple[int, ...], list[int]] = {}
    for one in level:
        for at in range(len(one)):
            by_part.setdefault(one[:at] + one[at + 1 :], []).append(one[at])
    for part, ends in by_part.items():
        for i, first in enumerate(ends):
            unions.update(tuple(sorted((*part, first, second))) for second in ends[i + 1 :])
    kept, pruned = [], 0
    for union in sorted(unions):
        subsets = (union[:at] + union[at + 1 :] for at in range(size))
        if (allowed is not None and not allowed(union)) or any(
            subset not in level and (prunes is None or prunes(union, subset)) for subset in subsets
        ):
            pruned += 1
        else:
            kept.append(union)
    return kept, pruned


def invert(baskets: Baskets, items: Sequence[int]) -> dict[int, int]:
    """For each item the baskets that hold it, one bit each."""
    rows = np.repeat(np.arange(len(baskets)), np.diff(baskets.starts))
    holders = {}
    for item in items:
        bits = np.zeros(-(-len(baskets) // 8) * 8, dtype=np.uint8)
        bits[rows[baskets.items == item]] = 1
        holders[item] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
    return holders


def as_itemsets(
    baskets: Baskets,
    found: dict[tuple[int, ...], int],
    trace: tuple[ItemsetLevel, ...] = (),
    *,
    n: int | None = None,
    complete: bool = True,
) -> Itemsets:
    """Sets and their counts as arrays."""
    order = sorted(found, key=lambda one: (len(one), one))
    starts = np.concatenate([[0], np.cumsum([len(one) for one in order])]).astype(np.int64)
    items = np.array([item for one in order for item in one], dtype=np.int32)
    counts = np.array([found[one] for one in order], dtype=np.int32)
    return Itemsets(
        baskets.names,
        len(baskets) if n is None else n,
        complete=complete,
        trace=trace,
        _lists=(starts, items, counts),
        _sorted=True,
    )
