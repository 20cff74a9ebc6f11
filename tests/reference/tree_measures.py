"""Split measures from their definitions: lists of class weights, one for each branch. The larger, the better.

The twin of `acumen.trees.measures`; nothing here is vectorised or shared with it.
"""

from __future__ import annotations

import itertools
import math

Counts = list[float]


def total(counts: Counts) -> float:
    return math.fsum(counts)


def shares(counts: Counts) -> list[float]:
    n = total(counts)
    return [c / n if n > 0 else 0.0 for c in counts]


def merged(branches: list[Counts]) -> Counts:
    return [math.fsum(column) for column in zip(*branches, strict=True)]


def entropy(counts: Counts) -> float:
    return -math.fsum(p * math.log2(p) for p in shares(counts) if p > 0)


def gini(counts: Counts) -> float:
    return 1.0 - math.fsum(p * p for p in shares(counts)) if total(counts) > 0 else 0.0


def error(counts: Counts) -> float:
    return 1.0 - max(shares(counts)) if total(counts) > 0 else 0.0


IMPURITY = {"gain": entropy, "gain-ratio": entropy, "gini": gini, "error": error}


def decrease(impurity: str, branches: list[Counts]) -> float:
    """Impurity before minus the mean impurity after."""
    of = IMPURITY[impurity]
    n = math.fsum(map(total, branches))
    return of(merged(branches)) - math.fsum(total(b) / n * of(b) for b in branches)


def apart(first: Counts, second: Counts) -> float:
    """How far two class distributions are apart: the sum of absolute differences."""
    return math.fsum(abs(p - q) for p, q in zip(shares(first), shares(second), strict=True))


def cart(branches: list[Counts]) -> float:
    """Document 000: 2 P(Y) P(N) sum |P(c|Y) - P(c|N)|; over all pairs of branches where there are more."""
    n = math.fsum(map(total, branches))
    return math.fsum(
        2.0 * total(a) / n * total(b) / n * apart(a, b) for a, b in itertools.combinations(branches, 2)
    )


def twoing(branches: list[Counts]) -> float:
    """Breiman et al. (1984): P(L) P(R) / 4 (sum |P(c|L) - P(c|R)|)^2; over all pairs where there are more."""
    n = math.fsum(map(total, branches))
    return math.fsum(
        total(a) / n * total(b) / n / 4.0 * apart(a, b) ** 2 for a, b in itertools.combinations(branches, 2)
    )


def worth(measure: str, branches: list[Counts]) -> float:
    """What the split is worth before any ratio: the gain for `gain-ratio`."""
    if measure == "cart":
        return cart(branches)
    if measure == "twoing":
        return twoing(branches)
    return decrease(measure, branches)


def split_info(sizes: list[float]) -> float:
    """The entropy of the branches' sizes."""
    return entropy(sizes)
