"""Naive twins of clustering by distances, written from the definitions: loops over matrices of all pairs.

Nothing here is shared with the package.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

Matrix = Sequence[Sequence[float]]


def loss(apart: Matrix, weights: Sequence[float], medoids: Sequence[int]) -> float:
    """The weighted sum of the distances to the nearest medoid."""
    return sum(w * min(apart[m][i] for m in medoids) for i, w in enumerate(weights))


def best_medoids(apart: Matrix, weights: Sequence[float], k: int) -> float:
    """The least sum of all sets of k rows."""
    return min(loss(apart, weights, some) for some in itertools.combinations(range(len(apart)), k))


def best_swap(apart: Matrix, weights: Sequence[float], medoids: Sequence[int]) -> float:
    """The least sum after one swap."""
    return min(
        loss(apart, weights, [row if m == out else m for m in medoids])
        for out in medoids
        for row in range(len(apart))
    )


def joined(apart: Matrix, weights: Sequence[float], linkage: str) -> list[float]:
    """The heights of all joins, the two nearest groups being looked for among all; average, single or complete."""
    groups = [[i] for i in range(len(apart))]
    heights = []

    def between(a: list[int], b: list[int]) -> float:
        pairs = [(apart[i][j], weights[i] * weights[j]) for i in a for j in b]
        if linkage == "average":
            return sum(d * w for d, w in pairs) / sum(w for _, w in pairs)
        return (min if linkage == "single" else max)(d for d, _ in pairs)

    while len(groups) > 1:
        height, a, b = min(
            (between(x, y), i, j) for (i, x), (j, y) in itertools.combinations(enumerate(groups), 2)
        )
        heights.append(height)
        groups[a] += groups.pop(b)
    return heights


def divided(apart: Matrix) -> list[float]:
    """The diameters of all groups that DIANA divides, from the smallest to the largest."""
    heights, pending = [], [list(range(len(apart)))]
    while pending:
        group = pending.pop()
        if len(group) < 2:
            continue
        heights.append(max(apart[i][j] for i in group for j in group))

        def mean(i: int, others: list[int]) -> float:
            some = [apart[i][j] for j in others if j != i]
            return sum(some) / len(some) if some else 0.0

        left: list[int] = []
        stay = list(group)
        while len(stay) > 1:
            gains = [(mean(i, stay) - (mean(i, left) if left else 0.0), -i) for i in stay]
            gain, row = max(gains)
            if not gain > 0:
                break
            left.append(-row)
            stay.remove(-row)
        if not left:
            left, stay = stay[-1:], stay[:-1]
        pending += [left, stay]
    return sorted(heights)


def dense(
    apart: Matrix, weights: Sequence[float], eps: float, enough: float
) -> tuple[set[int], list[set[int]], dict[int, float]]:
    """Cores, the groups of cores, and for each other row within reach of one the distance of the nearest core."""
    n = range(len(apart))
    cores = {i for i in n if sum(weights[j] for j in n if apart[i][j] <= eps * (1 + 1e-12)) >= enough}
    groups: list[set[int]] = []
    left = set(cores)
    while left:
        group, edge = set(), [min(left)]
        while edge:
            i = edge.pop()
            if i in group:
                continue
            group.add(i)
            edge += [j for j in left if j not in group and apart[i][j] <= eps * (1 + 1e-12)]
        groups.append(group)
        left -= group
    beside = {}
    for i in set(n) - cores:
        near = [apart[i][j] for j in cores if apart[i][j] <= eps * (1 + 1e-12)]
        if near:
            beside[i] = min(near)
    return cores, groups, beside
