"""Split measures: how much better classes are told apart after a split, one table.

    MEASURES[name].gain(counts)     the decrease of impurity; counts are (branches, classes), weights of rows
    split_info(weights)             the entropy of the branches themselves
    choose(scores)                  which of several candidates is taken

Every measure is a sum over the branches of a value of the branch's class counts, less the same value of all rows,
per row: gain = (sum over branches of value(branch) - value(all)) / weight. Larger is better. With P_b the share of
branch b, p_jb that of class j within it and p_j that of class j in all,

    gain      entropy in bits         sum over j of n_jb log2(n_jb / n_b)
    gini      Gini's index            sum over j of n_jb^2 / n_b
    error     least error             max over j of n_jb
    cart      sum over b of P_b sum over j |p_jb - p_j|, which for two branches is the documents' CART measure
              2 P_L P_R sum over j |p_jL - p_jR|
    twoing    a quarter of the sum over b of P_b (sum over j |p_jb - p_j|)^2, which for two branches is
              P_L P_R / 4 (sum over j |p_jL - p_jR|)^2 (Breiman et al. 1984)

"gain-ratio" has the values of "gain"; how C4.5 then chooses stands in `grow`. The kernel has the same table; this
one serves what is done node by node: pruning, stopping, reading, and the slow twin of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

import numpy as np

from acumen.types import Floats

MeasureName = Literal["gain-ratio", "gain", "gini", "cart", "error", "twoing"]

#: Scores that differ by no more than this share of the larger, or by `TINY`, are equal.
EQUAL, TINY = 1e-12, 1e-14


def _xlogx(x: Floats) -> Floats:
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))


def _entropy(counts: Floats, shares: Floats) -> Floats:
    return np.asarray(_xlogx(counts).sum(axis=1) - _xlogx(counts.sum(axis=1)))


def _gini(counts: Floats, shares: Floats) -> Floats:
    weight = counts.sum(axis=1)
    return np.asarray((counts**2).sum(axis=1) / np.where(weight > 0, weight, 1.0))


def _error(counts: Floats, shares: Floats) -> Floats:
    return np.asarray(counts.max(axis=1))


def _departure(counts: Floats, shares: Floats) -> Floats:
    """How far the class counts of each branch are from what they would be without any telling apart."""
    return np.asarray(np.abs(counts - counts.sum(axis=1, keepdims=True) * shares).sum(axis=1))


def _twoing(counts: Floats, shares: Floats) -> Floats:
    weight = counts.sum(axis=1)
    return np.asarray(_departure(counts, shares) ** 2 / (4.0 * np.where(weight > 0, weight, 1.0)))


@dataclass(frozen=True, slots=True)
class SplitMeasure:
    """`value` of (branches, classes) counts, given the class proportions of all rows: one number per branch."""

    name: str
    value: Callable[[Floats, Floats], Floats]

    def gain(self, counts: Floats) -> float:
        """The decrease of impurity by a split into these branches; 0 where there is no weight."""
        total = counts.sum(axis=0, keepdims=True)
        weight = float(total.sum())
        if weight <= 0:
            return 0.0
        shares = total[0] / weight
        return float((self.value(counts, shares).sum() - self.value(total, shares)[0]) / weight)


MEASURES: Final[Mapping[str, SplitMeasure]] = MappingProxyType(
    {
        "gain-ratio": SplitMeasure("gain-ratio", _entropy),
        "gain": SplitMeasure("gain", _entropy),
        "gini": SplitMeasure("gini", _gini),
        "cart": SplitMeasure("cart", _departure),
        "error": SplitMeasure("error", _error),
        "twoing": SplitMeasure("twoing", _twoing),
    }
)


def split_info(weights: Floats) -> float:
    """The entropy, in bits, of rows shared out over branches of these weights."""
    total = float(weights.sum())
    return float(np.log2(total) - _xlogx(weights).sum() / total) if total > 0 else 0.0


def choose(scores: Sequence[float]) -> int:
    """The first of those equal to the best."""
    best = max(scores)
    enough = best - max(EQUAL * abs(best), TINY)
    return next(at for at, score in enumerate(scores) if score >= enough)
