"""The search for frequent sets of items against every set counted one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen import _native

Basket = tuple[int, ...]
Counts = dict[Basket, int]

ITEMS = 6
BASKETS = st.lists(st.sets(st.integers(0, ITEMS - 1)).map(lambda one: tuple(sorted(one))), max_size=12)


def count_sets(baskets: list[Basket], least: int, max_size: int = 0, difference: int = -1) -> Counts:
    """Every set of items in at least `least` baskets, whose items' counts differ by at most `difference`."""
    single = [sum(item in basket for basket in baskets) for item in range(ITEMS)]
    counts = {}
    for size in range(1, (max_size or ITEMS) + 1):
        for items in itertools.combinations(range(ITEMS), size):
            spread = max(single[i] for i in items) - min(single[i] for i in items)
            n = sum(set(items) <= set(basket) for basket in baskets)
            if n >= least and (difference < 0 or spread <= difference):
                counts[items] = n
    return counts


def arguments(baskets: list[Basket], least: int, max_size: int = 0, difference: int = -1) -> tuple[Any, ...]:
    """What the kernels take: baskets, the order of search (rare items first) and the thresholds."""
    items = np.array([item for basket in baskets for item in basket], dtype=np.int32)
    starts = np.cumsum([0, *map(len, baskets)], dtype=np.int64)
    single = np.bincount(items, minlength=ITEMS)
    order = np.array([i for i in np.argsort(single, kind="stable") if single[i] >= least], dtype=np.int32)
    rank = np.full(ITEMS, -1, dtype=np.int32)
    rank[order] = np.arange(len(order))
    limits = np.full(len(order), least, dtype=np.int64), np.array([least], dtype=np.int64)
    return starts, items, rank, order, *limits, len(order), max_size, difference


def mine(baskets: list[Basket], *thresholds: int, kind: str = "all", limit: int = 0) -> tuple[Counts, Any]:
    """Sets and counts as the kernel gives them, and whether the limit ended the search."""
    numbers = arguments(baskets, *thresholds)
    nodes, counts, starts, items, n, stopped, overflow = _native.mine_itemsets(
        *numbers, kind, limit, False, 1
    )
    assert not stopped
    if kind != "all":
        lists = (
            [tuple(sorted(part.tolist())) for part in np.split(items, starts[1:-1])] if len(counts) else []
        )
        return dict(zip(lists, counts.tolist(), strict=True)), overflow
    sets: list[Basket] = []
    for parent, item, _ in nodes.tolist():
        sets.append((*(sets[parent] if parent >= 0 else ()), item))
    every = {tuple(sorted(one)): count for one, count in zip(sets, nodes[:, 2].tolist(), strict=True)}
    assert len(every) == len(sets)
    assert overflow or n == len(sets)
    return every, overflow


def maximal(counts: Counts) -> Counts:
    return {one: n for one, n in counts.items() if not any(set(one) < set(other) for other in counts)}


def closed(counts: Counts) -> Counts:
    return {
        one: n
        for one, n in counts.items()
        if not any(set(one) < set(other) and n == m for other, m in counts.items())
    }


@settings(max_examples=40, deadline=None)
@given(BASKETS, st.integers(1, 3), st.integers(0, 3))
def test_mine_itemsets_gives_the_sets_of_a_count_of_all_sets(
    baskets: list[Basket], least: int, max_size: int
) -> None:
    assert mine(baskets, least, max_size) == (count_sets(baskets, least, max_size), False)


@settings(max_examples=40, deadline=None)
@given(BASKETS, st.integers(1, 3))
def test_mine_itemsets_gives_closed_and_maximal_sets(baskets: list[Basket], least: int) -> None:
    every = count_sets(baskets, least)
    assert mine(baskets, least, kind="closed")[0] == closed(every)
    assert mine(baskets, least, kind="maximal")[0] == maximal(every)


def drawn(n: int) -> list[Basket]:
    """Baskets whose items differ in how frequent they are."""
    present = np.random.default_rng(4).random((n, ITEMS)) < np.linspace(0.3, 0.9, ITEMS)
    return [tuple(np.flatnonzero(row).tolist()) for row in present]


def test_mine_itemsets_joins_only_items_of_similar_counts() -> None:
    baskets = drawn(40)
    limited = count_sets(baskets, 3, 0, 10)
    assert 0 < len(limited) < len(count_sets(baskets, 3))
    assert mine(baskets, 3, 0, 10)[0] == limited


def test_mine_itemsets_begins_sets_with_the_first_items_alone() -> None:
    numbers = list(arguments(drawn(40), 3))
    numbers[6] = 2  # two roots
    roots = numbers[3][:2].tolist()
    count = _native.mine_itemsets(*numbers, "all", 0, True, 1)[4]
    assert count == sum(bool(set(roots) & set(one)) for one in count_sets(drawn(40), 3))


def test_mine_itemsets_ends_at_its_limit() -> None:
    baskets = drawn(40)
    n = len(count_sets(baskets, 2))
    assert mine(baskets, 2, limit=n)[1] is False
    assert mine(baskets, 2, limit=n - 1)[1] is True


def test_estimate_itemsets_comes_near_the_count_and_is_repeatable() -> None:
    baskets = drawn(60)
    for thresholds in [(3,), (3, 2), (3, 0, 15)]:
        n = len(count_sets(baskets, *thresholds))
        numbers = arguments(baskets, *thresholds)
        estimate = _native.estimate_itemsets(*numbers, 4000, 1)
        assert estimate == _native.estimate_itemsets(*numbers, 4000, 1)
        assert abs(estimate / n - 1) < 0.1


def test_itemset_kernels_refuse_arrays_that_do_not_fit() -> None:
    good = arguments(drawn(5), 1)
    bad = [
        (0, good[0] + 1, "starts of rows"),
        (0, good[0][[0, 2, 1, 3, 4, 5]], "must ascend"),
        (1, good[1] + np.int32(ITEMS), "an item is out of range"),
        (2, good[2] + np.int32(ITEMS), "a rank is out of range"),
        (4, good[4][:-1], "least count"),
    ]
    for place, array, message in bad:
        numbers = [*good[:place], array, *good[place + 1 :]]
        with pytest.raises(ValueError, match=message):
            _native.mine_itemsets(*numbers, "all", 0, False, 1)
        with pytest.raises(ValueError, match=message):
            _native.estimate_itemsets(*numbers, 10, 1)
