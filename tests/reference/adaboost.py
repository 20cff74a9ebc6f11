"""AdaBoost.M1 and SAMME of stumps, as the papers have them: the twin of native/kernels/boosting/stumps.cpp."""

from __future__ import annotations

import itertools
import math
from typing import Any


def stump(X: Any, y: list[int], weights: list[float], classes: int) -> Any:
    """(column, cut, class at or below, class above): the best by Gini's index, the first of equal ones."""
    best = None
    for j in range(len(X[0])):
        values = sorted({row[j] for row in X})
        for low, high in itertools.pairwise(values):
            cut = low / 2 + high / 2
            sides = [[0.0] * classes, [0.0] * classes]
            for row, label, weight in zip(X, y, weights, strict=True):
                sides[row[j] > cut][label] += weight
            score = sum(sum(c * c for c in side) / sum(side) for side in sides if sum(side) > 0)
            if best is None or score > best[0] * (1 + 1e-11):
                said = [max(range(classes), key=lambda c: side[c] * (1 - 1e-11 * c)) for side in sides]
                best = (score, j, cut, *said)
    assert best is not None
    return best[1:]


def says(rule: Any, row: Any) -> int:
    column, cut, below, above = rule
    return above if row[column] > cut else below


def boosted(
    X: Any, y: list[int], classes: int, rounds: int, samme: bool
) -> list[tuple[Any, float, float, float]]:
    """(stump, weighted error, vote, combined training error) of each round."""
    n = len(y)
    weights = [1.0 / n] * n
    made: list[tuple[Any, float, float, float]] = []
    votes = [[0.0] * classes for _ in range(n)]
    limit = 1 - 1 / classes if samme else 0.5
    for _ in range(rounds):
        rule = stump(X, y, weights, classes)
        wrong = [says(rule, row) != label for row, label in zip(X, y, strict=True)]
        error = sum(w for w, bad in zip(weights, wrong, strict=True) if bad)
        if error >= limit - 1e-11 and made:
            break
        kept = max(error, 1e-9)
        vote = (
            1.0
            if error >= limit - 1e-11
            else math.log((1 - kept) / kept) + (math.log(classes - 1) if samme else 0)
        )
        for line, row in zip(votes, X, strict=True):
            line[says(rule, row)] += vote
        combined = (
            sum(
                max(range(classes), key=line.__getitem__) != label
                for line, label in zip(votes, y, strict=True)
            )
            / n
        )
        made.append((rule, error, vote, combined))
        if error >= limit - 1e-11 or error <= 1e-11:
            break
        # M1: rows that are right are multiplied by beta = e / (1 - e), and all are softmax
        beta = error / (1 - error) / ((classes - 1) if samme else 1)
        weights = [w * (1 if bad else beta) for w, bad in zip(weights, wrong, strict=True)]
        total = sum(weights)
        weights = [w / total for w in weights]
    return made
