"""Pruning as its authors wrote it down: recursive, row by row, or by trying every pruned tree.

The twins of `acumen.trees.prune`, `reduced` and `weakest`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.trees.tree import Tree

Rows = list[tuple[int, float]]

# -- C4.5's EstimateErrors ----------------------------------------------------------------------------


def add_errs(n: float, e: float, cf: float) -> float:
    """AddErrs of C4.5 release 8, line by line."""
    val = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
    dev = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00]
    i = 0
    while cf > val[i]:
        i += 1
    coeff = (dev[i - 1] + (dev[i] - dev[i - 1]) * (cf - val[i - 1]) / (val[i] - val[i - 1])) ** 2
    if n == 0:
        return 0.0
    if e < 1e-6:
        return n * (1 - math.exp(math.log(cf) / n))
    if e < 0.9999:
        val0 = n * (1 - math.exp(math.log(cf) / n))
        return val0 + e * (add_errs(n, 1.0, cf) - val0)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    pr = (e + 0.5 + coeff / 2 + math.sqrt(coeff * ((e + 0.5) * (1 - (e + 0.5) / n) + coeff / 4))) / (
        n + coeff
    )
    return n * pr - e


@dataclass
class Branch:
    """A node that can be replaced: its test's place in the tree it came from, its weight there, and its children."""

    place: int
    weight: float
    children: list[Branch] = field(default_factory=list)
    counts: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, tree: Tree, node: int = 0) -> Branch:
        made = cls(node, float(tree.counts[node].sum()), counts=tree.counts[node].tolist())
        made.children = [cls.of(tree, c) for c in tree.children(node)]
        return made

    def shape(self) -> Any:
        """The tree as nested tuples of places: leaves are their counts."""
        if not self.children:
            return tuple(round(c, 9) for c in self.counts)
        return self.place, tuple(child.shape() for child in self.children)


class Estimator:
    """EstimateErrors with its own passage of rows; shares of missing rows are those of the grown tree."""

    def __init__(self, tree: Tree, columns: Any, labels: Any, cf: float, regret: Any = None) -> None:
        self.tree, self.columns, self.labels, self.cf, self.regret = tree, columns, labels, cf, regret

    def counts(self, rows: Rows) -> list[float]:
        made = [0.0] * self.tree.counts.shape[1]
        for row, weight in rows:
            made[self.labels[row]] += weight
        return made

    def as_leaf(self, rows: Rows) -> float:
        counts = self.counts(rows)
        n = math.fsum(counts)
        if self.regret is None:
            e = n - max(counts)
        else:
            e = min(math.fsum(r * c for r, c in zip(line, counts, strict=True)) for line in self.regret)
        return e + add_errs(n, e, self.cf)

    def split(self, at: Branch, rows: Rows) -> list[Rows]:
        tree, place = self.tree, at.place
        made: list[Rows] = [[] for _ in at.children]
        column = self.columns[tree.tests.input[place]]
        total = math.fsum(c.weight for c in at.children)
        for row, weight in rows:
            branch = int(tree.tests.route(place, column[row : row + 1])[0])
            for at_ in range(tree.surrogate_at[place], tree.surrogate_at[place + 1]):
                if branch < 0:
                    other = self.columns[tree.surrogates.input[at_]]
                    branch = int(tree.surrogates.route(at_, other[row : row + 1])[0])
            branch = branch if branch >= 0 else int(tree.otherwise[place])
            if branch >= 0:
                made[branch].append((row, weight))
                continue
            for b, child in enumerate(at.children):
                if child.weight > 0:
                    made[b].append((row, weight * child.weight / total))
        return made

    def estimate(self, at: Branch, rows: Rows, update: bool, raising: bool = True) -> float:
        leaf = self.as_leaf(rows)
        if update:
            at.counts = self.counts(rows)
        if not at.children:
            return leaf
        parts = self.split(at, rows)
        below = math.fsum(
            self.estimate(c, p, update, raising) for c, p in zip(at.children, parts, strict=True)
        )
        if not update:
            return below
        sizes = [math.fsum(w for _, w in p) for p in parts]
        big = at.children[max(range(len(sizes)), key=lambda b: (round(sizes[b], 9), -b))]
        branch = self.estimate(big, rows, False, raising) if raising and big.children else leaf
        if leaf <= branch + 0.1 and leaf <= below + 0.1:
            at.children = []
            return leaf
        if raising and big.children and branch <= below + 0.1:
            made = self.estimate(big, rows, True, raising)
            at.place, at.children = big.place, big.children
            return made
        return below


def estimated(tree: Tree, columns: Any, labels: Any, weights: Any, cf: float, *, regret: Any = None) -> Any:
    """The shape of the tree that C4.5 prunes to (without its collapsing beforehand)."""
    root = Branch.of(tree)
    rows = [(i, float(w)) for i, w in enumerate(weights) if w > 0]
    Estimator(tree, columns, labels, cf, regret).estimate(root, rows, True)
    return root.shape()


# -- every pruned tree --------------------------------------------------------------------------------


def prunings(tree: Tree, node: int = 0) -> Iterator[tuple[int, ...]]:
    """The leaves of every tree that pruning can make of this one."""
    yield (node,)
    if tree.branches[node]:
        for some in itertools.product(*(list(prunings(tree, c)) for c in tree.children(node))):
            yield tuple(itertools.chain(*some))


def best_pruning(tree: Tree, risk: Any, alpha: float) -> tuple[int, ...]:
    """The leaves of the smallest tree of least risk plus alpha a leaf."""

    def price(leaves: tuple[int, ...]) -> float:
        return math.fsum(float(risk[i]) for i in leaves) + alpha * len(leaves)

    least = min(map(price, prunings(tree)))
    return min((p for p in prunings(tree) if price(p) <= least + 1e-12), key=len)


def leaf_counts(tree: Tree) -> Any:
    return np.sort(tree.counts[tree.leaves], axis=0)
