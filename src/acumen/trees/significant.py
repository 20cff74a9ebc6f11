"""Pruning by significance, bottom-up (Quinlan 1986; Jensen and Schmill 1997).

A split whose branches are all leaves goes where the classes of its branches differ no more than chance would make
them at `significance` (chi-square of branches x classes, see `stop`); then its parent is looked at. A split that is
not significant itself stays where a significant one lies below it, which stopping early would never have found.
"""

from __future__ import annotations

import numpy as np

from acumen.trees.cut import below, cut, levels, summed
from acumen.trees.risk import factors
from acumen.trees.tree import Tree
from acumen.trees.worth import critical_values
from acumen.types import Bools, Floats


def significant(tree: Tree, *, significance: float = 0.05, costs: Floats | None = None) -> Tree:
    """The tree without the splits at its bottom that chance explains."""
    differ = differing(tree, significance=significance, costs=costs)
    leaf = tree.leaves.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(levels(tree)):
        inner = level[tree.branches[level] > 0]
        if not len(inner):
            continue
        last = inner[summed(tree, inner, leaf.astype(np.int64)) == tree.branches[inner]]
        chance = last[~differ[last]]
        marked[chance] = True
        leaf[chance] = True
    return cut(tree, marked)


def differing(tree: Tree, *, significance: float, costs: Floats | None = None) -> Bools:
    """For each node whether its branches differ by more than chance; not at leaves."""
    factor = factors(costs, tree.counts[0])
    counts = tree.counts if factor is None else tree.counts * factor
    nodes = np.flatnonzero(~tree.leaves)
    made = np.zeros(len(tree), dtype=np.bool_)
    if not len(nodes):
        return made
    children = below(tree.first, tree.branches, nodes)
    owner = np.repeat(np.arange(len(nodes)), tree.branches[nodes])
    branch = counts[children]
    together: Floats = np.zeros((len(nodes), counts.shape[1]))
    np.add.at(together, owner, branch)
    weight, total = branch.sum(axis=1), together.sum(axis=1)
    expected = weight[:, None] * (together / np.where(total > 0, total, 1.0)[:, None])[owner]
    terms = np.where(expected > 0, (branch - expected) ** 2 / np.where(expected > 0, expected, 1.0), 0.0)
    statistic = np.bincount(owner, terms.sum(axis=1), minlength=len(nodes))
    filled = np.bincount(owner, weight > 0, minlength=len(nodes)).astype(np.intp)
    df = np.maximum(filled - 1, 0) * np.maximum((together > 0).sum(axis=1) - 1, 0)
    made[nodes] = statistic > critical_values(significance, int(df.max()))[df]
    return made
