"""Itemsets and class rules by trying everything: the slow twin of the search, which shares no code with it."""

from __future__ import annotations

from itertools import combinations


def all_counts(rows: list[set[str]], most: int | None = None) -> dict[frozenset[str], int]:
    """Every set of items that some basket holds, and how many do."""
    found: dict[frozenset[str], int] = {}
    for row in rows:
        for size in range(1, min(len(row), most or len(row)) + 1):
            for some in combinations(sorted(row), size):
                found[frozenset(some)] = found.get(frozenset(some), 0) + 1
    return found


def frequent(rows, support, most=None):
    """A support for all sizes, or one for each."""
    n = len(rows)
    by_size = [support] if isinstance(support, float) else list(support)
    return {
        s: c
        for s, c in all_counts(rows).items()
        if c / n >= by_size[min(len(s), len(by_size)) - 1] and (most is None or len(s) <= most)
    }


def closed(family):
    return {s: c for s, c in family.items() if not any(s < t and c == d for t, d in family.items())}


def maximal(family):
    return {s: c for s, c in family.items() if not any(s < t for t in family)}


def several_supports(rows, support, own, difference=None):
    """Each set needs the smallest of its items' supports; items' own supports differ by so much at most."""
    n, counts = len(rows), all_counts(rows)
    of_item = {next(iter(s)): c for s, c in counts.items() if len(s) == 1}
    made = {}
    for s, c in counts.items():
        mine = [of_item[i] for i in s]
        near = difference is None or (max(mine) - min(mine)) / n <= difference
        if c / n >= min(own.get(i, support) for i in s) and near:
            made[s] = c
    return made
