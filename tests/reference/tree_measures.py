"""Split measures from their definitions: lists of class weights, one for each branch. The larger, the better.

The twin of `acumen.trees.measures`; nothing here is vectorised or shared with it.
"""

from __future__ import annotations

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


def apart(branch: Counts, everything: Counts) -> float:
    """How far a branch's class distribution is from that of all rows: the sum of absolute differences."""
    return math.fsum(abs(p - q) for p, q in zip(shares(branch), shares(everything), strict=True))


def cart(branches: list[Counts]) -> float:
    """sum P(b) sum |P(c|b) - P(c)|; of two branches 2 P(Y) P(N) sum |P(c|Y) - P(c|N)|, as in document 000."""
    n, everything = math.fsum(map(total, branches)), merged(branches)
    return math.fsum(total(b) / n * apart(b, everything) for b in branches)


def twoing(branches: list[Counts]) -> float:
    """sum P(b) (sum |P(c|b) - P(c)|)^2 / 4; of two branches P(L) P(R) / 4 (sum |P(c|L) - P(c|R)|)^2."""
    n, everything = math.fsum(map(total, branches)), merged(branches)
    return math.fsum(total(b) / n * apart(b, everything) ** 2 / 4.0 for b in branches)


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
