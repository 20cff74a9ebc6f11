"""Two columns of codes cross-tabulated, and measures of their association.

    ContingencyTable   the pairs that occur, with their weights; other pairs take no memory
    gain               how many bits the first column saves in describing the second
    chi_square         the statistic, its degrees of freedom and its p-value
    cramers_v          the strength between 0 and 1, corrected for the number of levels

Weights that are whole numbers count as repeated rows. With others, whose scale may mean nothing, tests are
made as if of (sum w)^2 / sum w^2 rows (Kish's effective size).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from acumen.types import Codes, Floats

#: Levels of so many rows are reckoned exactly in what chance alone gains; beyond, the next term is 1/m^2.
FEW = 64


@dataclass(frozen=True, slots=True, eq=False)
class ContingencyTable:
    """The weights of the pairs that occur, those of each level of either side, and the number of rows."""

    joint: Floats
    joint_first: Floats
    joint_second: Floats
    first: Floats
    second: Floats
    size: float

    @classmethod
    def of(cls, first: Codes, second: Codes, weights: Floats) -> ContingencyTable:
        """Count the rows where both codes are known, that is, not below 0; empty `weights` mean ones."""
        known = (first >= 0) & (second >= 0)
        if weights.size:
            known &= weights > 0
        if not known.all():
            first, second = first[known], second[known]
            weights = weights[known] if weights.size else weights
        if not first.size:
            nothing = np.zeros(0)
            return cls(nothing, nothing, nothing, nothing, nothing, 0.0)
        wide = int(second.max()) + 1
        keys = first.astype(np.int64) * wide + second
        if int(first.max() + 1) * wide <= max(65_536, 4 * len(keys)):
            table = np.bincount(keys, weights if weights.size else None)
            at = np.flatnonzero(table)
            joint = table[at].astype(np.float64)
        else:  # levels by the thousand on both sides: only what occurs is kept
            at, which = np.unique(keys, return_inverse=True)
            joint = np.bincount(which, weights if weights.size else None).astype(np.float64)
        rows = np.asarray(np.bincount(at // wide, joint), dtype=np.float64)
        columns = np.asarray(np.bincount(at % wide, joint), dtype=np.float64)
        return cls(
            joint,
            rows[at // wide],
            columns[at % wide],
            rows[rows > 0],
            columns[columns > 0],
            effective_size(weights, len(keys)),
        )

    @property
    def gain(self) -> float:
        """Information gain in bits: H(second) - H(second | first)."""
        together = entropy(self.first) + entropy(self.second) - entropy(self.joint)
        return max(0.0, together)

    @property
    def gain_ratio(self) -> float | None:
        """The gain divided by the first column's own entropy; None if that is 0."""
        own_entropy = entropy(self.first)
        return min(1.0, self.gain / own_entropy) if own_entropy > 1e-12 else None

    @property
    def by_chance(self) -> float:
        """About the bits that levels of these sizes would show with no association.

        The m rows of a level, drawn from all classes, have a class entropy below the whole one, the more so
        the fewer they are; a single row has none. The sum of these losses is what an identifier gains.
        """
        if not self.degrees:
            return 0.0
        whole, classes = entropy(self.second), len(self.second)
        sizes, often = np.unique(
            np.maximum(1, np.round(self.first * self.size / self.first.sum())), return_counts=True
        )
        shares = self.second / self.second.sum()
        losses = np.where(sizes > 0, (classes - 1) / (2 * sizes * math.log(2)), 0.0)
        for place in np.flatnonzero(sizes <= FEW):
            losses[place] = whole - expected_entropy(int(sizes[place]), shares)
        total = float((sizes * often * np.minimum(losses, whole)).sum() / (sizes * often).sum())
        # The classes of the whole are as given, not drawn: that much of the loss is in both.
        return min(whole, max(0.0, total - (classes - 1) / (2 * self.size * math.log(2))))

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the chi-square test."""
        return max(0, len(self.first) - 1) * max(0, len(self.second) - 1)

    @property
    def phi2(self) -> float:
        """Chi-square divided by the number of rows."""
        if not self.joint.size:
            return 0.0
        ratio = self.joint / self.joint_first * (self.joint / self.joint_second)
        return max(0.0, float(ratio.sum()) - 1.0)

    def chi_square(self) -> tuple[float, int, float | None]:
        """Pearson's statistic, its degrees of freedom, and its p-value; None without degrees of freedom."""
        degrees = self.degrees
        if not degrees:
            return 0.0, 0, None
        from scipy.special import chdtrc

        statistic = self.phi2 * self.size
        return statistic, degrees, float(chdtrc(degrees, statistic))

    @property
    def rough(self) -> bool:
        """Whether the chi-square test is rough: over a fifth of the cells expect below 5 rows (Cochran)."""
        if not self.degrees:
            return False
        scale = self.size / float(self.first.sum())
        # A cell expects first * second / total; for each first level, the second levels below its limit.
        limit = 5.0 * float(self.first.sum()) / (self.first * scale)
        below = np.searchsorted(np.sort(self.second), limit).sum()
        return bool(below > 0.2 * len(self.first) * len(self.second))

    @property
    def cramers_v(self) -> float | None:
        """Cramér's V with Bergsma's correction (2013), which removes the advantage of columns with many levels."""
        r, k, n = len(self.first), len(self.second), self.size
        if r < 2 or k < 2 or n <= 1:
            return None
        phi2 = max(0.0, self.phi2 - (r - 1) * (k - 1) / (n - 1))
        least = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
        return min(1.0, math.sqrt(phi2 / least)) if least > 1e-12 else None


def expected_entropy(m: int, shares: Floats) -> float:
    """The mean entropy in bits of the classes of m rows drawn by the class proportions."""
    x = np.arange(1, m)  # none and all of them add nothing
    ways = np.array([math.lgamma(m + 1) - math.lgamma(i + 1) - math.lgamma(m - i + 1) for i in x])
    p = shares[(shares > 0) & (shares < 1), None]
    chance = np.exp(ways + x * np.log(p) + (m - x) * np.log1p(-p))
    return float(-(chance * (x / m) * np.log2(x / m)).sum())


def entropy(weights: Floats) -> float:
    """Shannon's entropy of the shares in bits; 0 of nothing."""
    total = float(weights.sum())
    if not total > 0:
        return 0.0
    shares = weights / total
    return max(0.0, -float((shares * np.log2(shares, where=shares > 0, out=np.zeros_like(shares))).sum()))


def effective_size(weights: Floats, rows: int) -> float:
    """The effective number of rows of a test."""
    if not weights.size:
        return float(rows)
    total = float(weights.sum())
    if np.all(weights == np.floor(weights)):
        return total
    return total * total / float(np.square(weights).sum())
