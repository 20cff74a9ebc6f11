"""Cut where the class changes, as long as the cut pays for its own description.

U. M. Fayyad and K. B. Irani, Multi-interval discretization of continuous-valued attributes for
classification learning, IJCAI 1993. A set S of N rows and k classes is cut at the boundary point T that
leaves the least class entropy; the cut is kept, and both sides are cut again, if

    Gain > log2(N - 1) / N + (log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2))) / N

where k1 and k2 count the classes present on either side. The best cut always lies at a boundary point,
between two neighbouring values that are not of one and the same class, so only those are tried.

Weights count as numbers of rows: N is the total weight. Rows without a label say nothing and are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from acumen.preprocessing.discretise.base import Discretiser, require_closed
from acumen.preprocessing.discretise.counts import Classes, ValueCounts
from acumen.preprocessing.discretise.intervals import Closed, Intervals, part
from acumen.types import Bools, Codes, Floats, Indices

_TIE = 1e-12  # entropies this near are equal, and the lower cut is taken


@dataclass(frozen=True)
class EntropyMDL(Discretiser):
    """Recursive entropy minimisation, stopped by the minimum description length criterion.

    Each attribute is cut on its own; one that says nothing about the class has one interval. Cuts lie in
    the middle between neighbouring values; of equally good cuts the lowest is taken.

    Parameters
    ----------
    closed : {"right", "left"}
        Whether an edge belongs to the interval on its left, `(a, b]`, or on its right, `[a, b)`.
    """

    closed: Closed = "right"
    supervised: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_closed("EntropyMDL", self.closed)

    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> ValueCounts:
        return ValueCounts.of(attribute, values, labels, weights, classes)

    def solve_column(self, summary: ValueCounts) -> Intervals:
        weights = summary.weights[:, :-1]
        seen = weights.sum(axis=1) > 0
        values, weights = summary.values[seen], weights[seen]
        edges = [part(float(values[j - 1]), float(values[j]), self.closed) for j in mdl_cuts(weights)]
        return Intervals(summary.attribute, np.array(edges, dtype=np.float64), self.closed)


def mdl_cuts(weights: Floats) -> list[int]:
    """Before which lines of `weights` (values, classes) to cut; every line weighs something."""
    counts = _Prefix(weights)
    boundaries = np.flatnonzero(boundary_points(weights)) + 1
    cuts: list[int] = []
    waiting = [(0, len(weights))]
    while waiting:
        first, last = waiting.pop()
        here = boundaries[np.searchsorted(boundaries, first + 1) : np.searchsorted(boundaries, last)]
        cut = _best_cut(counts, first, last, here)
        if cut is not None:
            cuts.append(cut)
            waiting += [(first, cut), (cut, last)]
    return sorted(cuts)


def boundary_points(weights: Floats) -> Bools:
    """For each pair of neighbouring lines whether they are not both of one and the same class."""
    present = weights > 0
    pure = present.sum(axis=1) == 1
    same = pure[:-1] & pure[1:] & (present[:-1] == present[1:]).all(axis=1)
    return np.asarray(~same)


class _Prefix:
    """Sums over runs of lines, as differences of running sums.

    Differences of fractional weights leave rounding where there should be nothing, so whether a class is
    present is counted beside them, in whole numbers.
    """

    def __init__(self, weights: Floats) -> None:
        zero = np.zeros((1, weights.shape[1]))
        self.weights = np.concatenate([zero, np.cumsum(weights, axis=0)])
        self.lines = np.concatenate([zero.astype(np.int64), np.cumsum(weights > 0, axis=0)])

    def between(self, first: Indices | int, last: Indices | int) -> tuple[Floats, Indices]:
        """Class weights, and numbers of lines that hold each class, from line `first` up to `last`."""
        lines = np.atleast_2d(self.lines[last] - self.lines[first])
        weights = np.atleast_2d(self.weights[last] - self.weights[first])
        return np.where(lines > 0, weights, 0.0), lines


def entropy(weights: Floats) -> Floats:
    """The class entropy of each line in bits."""
    total = weights.sum(axis=1, keepdims=True)
    share = weights / np.where(total > 0, total, 1.0)
    return np.asarray(-(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1))


def _best_cut(counts: _Prefix, first: int, last: int, candidates: Indices) -> int | None:
    """The candidate of least entropy if the criterion keeps it."""
    if not len(candidates):
        return None
    whole, present = counts.between(first, last)
    left, in_left = counts.between(first, candidates)
    right, in_right = counts.between(candidates, last)
    n = float(whole.sum())
    e_left, e_right = entropy(left), entropy(right)
    left_over = (left.sum(axis=1) * e_left + right.sum(axis=1) * e_right) / n
    best = int(np.flatnonzero(left_over <= left_over.min() + _TIE)[0])
    e_whole = float(entropy(whole)[0])
    k, k1, k2 = (int((lines > 0).sum()) for lines in (present[0], in_left[best], in_right[best]))
    # log2(3^k - 2) without the overflow that 3^k has for many classes
    delta = k * math.log2(3) + math.log1p(-2 * 3.0**-k) / math.log(2)
    delta -= k * e_whole - k1 * float(e_left[best]) - k2 * float(e_right[best])
    # N - 1 is at least 1 in whole rows; weights below that must not make the price of a cut negative.
    price = (math.log2(max(n - 1.0, 1.0)) + delta) / n
    return int(candidates[best]) if e_whole - float(left_over[best]) > price else None
