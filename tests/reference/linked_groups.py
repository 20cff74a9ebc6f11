"""The best groups under links, by trying all of them."""

from __future__ import annotations

import itertools

import numpy as np


def allowed(labels: tuple[int, ...], must: list, must_not: list) -> bool:
    """Whether groups keep to the links."""
    return all(labels[a] == labels[b] for a, b in must) and all(labels[a] != labels[b] for a, b in must_not)


def best_means(values: np.ndarray, weights: np.ndarray, k: int, must: list, must_not: list) -> float | None:
    """The least sum of squares about means of groups that keep to the links; None where no groups do."""
    best = None
    for labels in itertools.product(range(k), repeat=len(values)):
        if not allowed(labels, must, must_not):
            continue
        total = 0.0
        for group in set(labels):
            mine = np.array(labels) == group
            mean = np.average(values[mine], axis=0, weights=weights[mine])
            total += float((weights[mine][:, None] * (values[mine] - mean) ** 2).sum())
        best = total if best is None else min(best, total)
    return best


def best_medoids(away: np.ndarray, k: int, must: list, must_not: list) -> float | None:
    """The least sum of distances to k rows, groups keeping to the links."""
    n = len(away)
    every = [g for g in itertools.product(range(k), repeat=n) if allowed(g, must, must_not)]
    sums = [
        sum(away[i, rows[g]] for i, g in enumerate(labels))
        for rows in itertools.combinations(range(n), k)
        for labels in every
    ]
    return min(sums, default=None)


def cheapest(costs: np.ndarray, must: list, must_not: list) -> float | None:
    """The least sum of costs of rows in groups that keep to the links."""
    n, k = costs.shape
    sums = [
        sum(costs[i, g] for i, g in enumerate(labels))
        for labels in itertools.product(range(k), repeat=n)
        if allowed(labels, must, must_not)
    ]
    return min(sums, default=None)
