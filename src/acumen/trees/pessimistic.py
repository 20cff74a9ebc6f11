"""Pessimistic pruning, as C4.5 release 8 does it (Quinlan 1993, chapter 4).

A leaf of N rows that gets e wrong is expected to get N U(e, N) wrong on new rows, U being the upper limit of a
binomial error rate at confidence `cf`. From the leaves up a subtree is replaced by a leaf, or by its heaviest branch
(subtree raising), where that has no more expected errors; saving less than a tenth of a row does not keep a subtree.
Before that, subtrees that get no more training rows right than a leaf are leaves.

Rows are needed for raising only: those of the other branches must find their way through the branch that is raised.
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.trees.cut import cut, levels, rebuilt, summed
from acumen.trees.risk import regret, risks
from acumen.trees.sample import Sample
from acumen.trees.tree import Tree
from acumen.types import Floats

#: C4.5's Epsilon: this much of a row counts as no difference.
_NOTHING = 1e-3


def collapsed(tree: Tree, costs: Floats | None = None) -> Tree:
    """The tree without subtrees that get no more training rows right than a leaf would."""
    alone = risks(tree.counts, costs)
    together = alone.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(levels(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            below = summed(tree, inner, together)
            useless = below >= alone[inner] - _NOTHING
            marked[inner] = useless
            together[inner] = np.where(useless, alone[inner], below)
    return cut(tree, marked)


def pessimistic(tree: Tree, rows: Sample | None, *, cf: float = 0.25, costs: Floats | None = None) -> Tree:
    """The tree pruned by estimated errors; subtrees are raised where `rows` (the training rows) are given."""
    tree = collapsed(tree, costs)
    over = regret(costs)
    counts = np.array(tree.counts, dtype=np.float64, order="C")
    nothing = Sample.empty(len(tree.inputs))
    sample = nothing if rows is None else rows
    first, branches, place = _native.tree_raise(
        tree,
        sample.columns,
        sample.labels,
        sample.weights,
        np.empty(0) if over is None else np.ascontiguousarray(over).ravel(),
        cf,
        rows is not None,
        counts,
        cores(),
    )
    return rebuilt(tree, first, branches, place, counts)
