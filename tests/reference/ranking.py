"""The slow twins of the ranking kernel: every pair of rows, and groups by a dictionary."""

from __future__ import annotations

from collections.abc import Sequence


def pair_sums(
    scores: Sequence[float], flags: Sequence[bool], weights: Sequence[float]
) -> tuple[float, float, float]:
    """Positive weight, negative weight, and weight of the pairs ranked rightly, ties counting one half."""
    rows = list(zip(scores, flags, weights, strict=True))
    up = [(s, w) for s, flag, w in rows if flag]
    down = [(s, w) for s, flag, w in rows if not flag]
    pairs = sum(v * w * (1.0 if s > t else 0.5 if s == t else 0.0) for s, v in up for t, w in down)
    return sum(w for _, w in up), sum(w for _, w in down), pairs


def tie_groups(
    scores: Sequence[float], flags: Sequence[bool], weights: Sequence[float]
) -> list[tuple[float, float, float]]:
    """(score, positive weight, negative weight), the highest score first."""
    found: dict[float, list[float]] = {}
    for score, flag, weight in zip(scores, flags, weights, strict=True):
        found.setdefault(score, [0.0, 0.0])[0 if flag else 1] += weight
    return [(score, *found[score]) for score in sorted(found, reverse=True)]


def delong_covariance(
    curves: Sequence[Sequence[float]], flags: Sequence[bool]
) -> tuple[list[float], list[list[float]]]:
    """Areas and their covariances straight from the definition: structural components over all pairs."""

    def psi(x: float, y: float) -> float:
        return 1.0 if x > y else 0.5 if x == y else 0.0

    areas, of_positive, of_negative = [], [], []
    for scores in curves:
        up = [s for s, flag in zip(scores, flags, strict=True) if flag]
        down = [s for s, flag in zip(scores, flags, strict=True) if not flag]
        v10 = [sum(psi(x, y) for y in down) / len(down) for x in up]
        v01 = [sum(psi(x, y) for x in up) / len(up) for y in down]
        areas.append(sum(v10) / len(v10))
        of_positive.append(v10)
        of_negative.append(v01)

    def covariance(a: list[float], b: list[float], i: int, j: int) -> float:
        products = ((x - areas[i]) * (y - areas[j]) for x, y in zip(a, b, strict=True))
        return sum(products) / (len(a) - 1) / len(a)

    n = range(len(curves))
    return areas, [
        [
            covariance(of_positive[i], of_positive[j], i, j)
            + covariance(of_negative[i], of_negative[j], i, j)
            for j in n
        ]
        for i in n
    ]
