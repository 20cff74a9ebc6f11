"""Cluster features: subclusters of weight, mean and scatter, and the groups they are joined to.

    Features   the subclusters of a tree
    grown      rows put into a tree, block by block
    joined     the subclusters joined by Ward's rule until k are left

Features add by Chan's formula: the scatter of two is the sum of both plus n m / (n + m) times the squared distance of
their means, which is also what Ward's rule makes least. BETULA (Lang and Schubert, 2020) keeps features the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from acumen import _native
from acumen.clusters.points import Blocks, Points
from acumen.types import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Subclusters from the first leaf to the last, and the radius that none exceeds."""

    weight: Floats
    mean: Floats
    scatter: Floats
    threshold: float
    rebuilt: int

    def __len__(self) -> int:
        return len(self.weight)


def grown(source: Blocks, d: int, threshold: float | str, branching: int, most: int) -> Features:
    """One pass: a tree a block, and their subclusters put into one tree in the order of the blocks.

    A given threshold stays, an automatic one is raised when there are more than `most` subclusters. Of one block it is
    that block's own tree.
    """
    trees = source.each(partial(_tree, d, threshold, branching, most))
    first = next(trees, None)
    if first is None:
        return Features(np.zeros(0), np.zeros((0, d)), np.zeros(0), 0.0, 0)
    whole, rebuilt = None, first.rebuilt
    for each in trees:
        if whole is None:
            whole = _empty(d, threshold, branching, most)
            whole.join(first.weight, first.mean, first.scatter, first.threshold)
        whole.join(each.weight, each.mean, each.scatter, each.threshold)
        rebuilt = max(rebuilt, each.rebuilt)
    return first if whole is None else _read(whole, rebuilt)


def _tree(d: int, threshold: float | str, branching: int, most: int, block: Points) -> Features:
    """The subclusters of the rows of one block."""
    tree = _empty(d, threshold, branching, most)
    tree.add(block.values, block.weights)
    return _read(tree)


def _empty(d: int, threshold: float | str, branching: int, most: int) -> Any:
    automatic = threshold == "auto"
    return _native.FeatureTree(d, 0.0 if automatic else float(threshold), branching, most if automatic else 0)


def _read(tree: Any, before: int = 0) -> Features:
    """The subclusters of a tree; `before` is how often the threshold had been raised."""
    n = tree.size
    weight, mean, scatter = np.zeros(n), np.zeros((n, tree.width)), np.zeros(n)
    tree.read(weight, mean, scatter)
    return Features(weight, mean, scatter, tree.threshold, before + tree.rebuilt)


def joined(features: Features, k: int) -> Codes:
    """The group of each subcluster: pairs are joined whose union adds least scatter, until k are left.

    A chain of nearest neighbours finds the pairs (Ward's rule is reducible), so time grows with the square of the
    subclusters and memory with their number. Of equal pairs the one of the first subclusters is joined.
    """
    n = len(features)
    weight, mean = features.weight.copy(), features.mean.copy()
    there = np.ones(n, dtype=np.bool_)
    merges: list[tuple[float, int, int]] = []
    chain: list[int] = []
    for _ in range(n - 1):
        if not chain:
            chain.append(int(np.argmax(there)))
        while True:
            at = chain[-1]
            cost = weight * weight[at] / (weight + weight[at]) * ((mean - mean[at]) ** 2).sum(axis=1)
            cost[at] = np.inf
            cost[~there] = np.inf
            best = int(np.argmin(cost))
            if len(chain) > 1 and cost[chain[-2]] <= cost[best]:
                best = chain[-2]
                break
            chain.append(best)
        one, other = sorted((chain.pop(), chain.pop()))
        merges.append((float(cost[best]), one, other))
        whole = weight[one] + weight[other]
        mean[one] += (mean[other] - mean[one]) * (weight[other] / whole)
        weight[one] = whole
        there[other] = False
    merges.sort(key=lambda each: each[0])  # stable: among equal costs in the order in which they were found
    owner = list(range(n))

    def root(i: int) -> int:
        while owner[i] != i:
            owner[i] = owner[owner[i]]
            i = owner[i]
        return i

    for _, one, other in merges[: max(n - k, 0)]:
        a, b = sorted((root(one), root(other)))
        owner[b] = a
    return np.unique([root(i) for i in range(n)], return_inverse=True)[1].astype(np.int32)
