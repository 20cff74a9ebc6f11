"""Cluster features of Birch: subclusters with weight, mean and scatter, and their model.

    Features        the subclusters of a tree
    grow_features   insert rows into a tree, block by block
    join_features   merge subclusters by Ward's rule until k clusters are left
    FeatureModel    subclusters with their clusters; a row belongs where its nearest subcluster does

Features add by Chan's formula: the scatter of two is the sum of both plus n m / (n + m) times the squared distance of
their means, which Ward's rule minimises. BETULA (Lang and Schubert, 2020) keeps features this way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from acumen import _native
from acumen.clusters.lloyd import nearest, own_squares
from acumen.clusters.space import Blocks, Points, PointSpace
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.model import GroupModel
from acumen.preprocessing.coded import coded_columns
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.render.text import many, percent
from acumen.types import Array, Codes, Floats


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


def grow_features(source: Blocks, d: int, threshold: float | str, branching: int, most: int) -> Features:
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


def join_features(features: Features, k: int) -> Codes:
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


_TOLD = 4  # attributes told of a group in a description
_SHOWN = 12  # groups told


@dataclass(frozen=True, slots=True, eq=False)
class FeatureModel(GroupModel):
    """Subclusters in the coordinates of a space, and the group of each."""

    kind: ClassVar[str] = "birch"

    space: PointSpace
    features: Features
    group: Codes  # of each subcluster
    sizes: Floats  # what the rows of each group weigh
    left: float  # the sum of squared distances of rows to the centre of their group

    @property
    def n_groups(self) -> int:
        return len(self.sizes)

    @property
    def objective(self) -> float:
        return self.left

    @property
    def n_parameters(self) -> int:
        return int(self.features.mean.size)

    def groups(self, rows: Table) -> Codes:
        groups = nearest(self.space.write(rows), self.features.mean)
        return np.where(groups >= 0, self.group[groups], -1).astype(np.int32)

    def centres(self) -> Floats:
        """The mean of each group's subclusters."""
        return group_means(self.features, self.group, self.n_groups)

    def to_arrays(self) -> dict[str, Array]:
        about = np.array([self.features.threshold, self.features.rebuilt, self.left])
        return {
            **self.space.to_arrays(),
            "weight": self.features.weight,
            "mean": self.features.mean,
            "scatter": self.features.scatter,
            "group": self.group,
            "sizes": self.sizes,
            "about": about,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        space = PointSpace.from_arrays(arrays, schema)
        mean = stored_floats(arrays, "mean", (None, space.width))
        weight = stored_floats(arrays, "weight", (len(mean),), low=0)
        scatter = stored_floats(arrays, "scatter", (len(mean),), low=0)
        sizes = stored_floats(arrays, "sizes", (None,), low=0)
        group = stored_codes(arrays, "group", (len(mean),), low=0, below=len(sizes))
        require(len(np.unique(group)) == len(sizes) > 0, "a cluster has no subcluster")
        threshold, rebuilt, squares = stored_floats(arrays, "about", (3,), low=0).tolist()
        return cls(space, Features(weight, mean, scatter, threshold, int(rebuilt)), group, sizes, squares)

    def why(self, row: Table, schema: Schema, group: int) -> str:
        if group < 0:
            return "All its values are missing, so it belongs to no cluster."
        point = self.space.write(row)
        at = nearest(point, self.features.mean)
        away = float(np.sqrt(own_squares(point, self.features.mean, at)[0]))
        weight = self.features.weight[int(at[0])]
        return f"The nearest subcluster, of weight {weight:.4g} and {away:.4g} away, is in cluster {group}."

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        lines = [
            f"{many(self.n_groups, 'cluster')} of {many(len(self.features), 'subcluster')} with a radius of at most "
            f"{self.features.threshold:.4g} (increased {many(self.features.rebuilt, 'time')})",
            f"sum of squared distances from the cluster centres: {self.left:.6g}",
            "",
        ]
        names = [column.name for column in coded_columns(schema)]
        centres = self.centres()
        values, total = self.space.values(centres), max(float(self.sizes.sum()), 1e-300)
        shown = self.n_groups if full else min(self.n_groups, _SHOWN)
        for group in range(shown):
            share = percent(float(self.sizes[group]) / total)
            lines.append(f"cluster {group}: weight {self.sizes[group]:.6g} ({share})")
            order = np.argsort(-np.abs(centres[group]), kind="stable")[: None if full else _TOLD]
            lines.append("    " + "; ".join(f"{names[j]} {values[group, j]:.4g}" for j in order.tolist()))
        if shown < self.n_groups:
            lines.append(f"and {many(self.n_groups - shown, 'other cluster')}")
        return "\n".join(lines)


def group_means(features: Features, group: Codes, k: int) -> Floats:
    """The weighted means of subclusters by their groups."""
    weight = np.bincount(group, features.weight, k)
    total = np.zeros((k, features.mean.shape[1]))
    np.add.at(total, group, features.mean * features.weight[:, None])
    means: Floats = total / weight[:, None]
    return means
