"""Prune a tree by its errors.

    prune_pessimistically    by estimated errors, as C4.5 release 8 does it (Quinlan 1993, chapter 4)
    prune_by_reduced_error   by the errors on held-out rows (Quinlan 1987)

Pessimistic pruning expects a leaf of N rows that gets e wrong to get N U(e, N) wrong on new rows. U is the upper limit
of a binomial error rate at confidence `cf`. From the leaves up, a subtree is replaced by a leaf or by its heaviest
branch (subtree raising) where that expects no more errors; a saving of less than a tenth of a row does not keep a
subtree. Before that, subtrees that get no more training rows right than a leaf become leaves.

Only raising needs rows: those of the other branches must find their way through the raised branch.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.trees.risk import decide, regret, risks, risks_on
from acumen.trees.sample import Sample, counts_of
from acumen.trees.subtree import cut_at, nodes_by_level, rebuild_tree, sum_children
from acumen.trees.tree import Tree
from acumen.types import Floats

#: C4.5's Epsilon: this much of a row counts as no difference.
_NOTHING = 1e-3


def collapse(tree: Tree, costs: Floats | None = None) -> Tree:
    """The tree without subtrees that get no more training rows right than a leaf would."""
    alone = risks(tree.counts, costs)
    together = alone.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(nodes_by_level(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            below = sum_children(tree, inner, together)
            useless = below >= alone[inner] - _NOTHING
            marked[inner] = useless
            together[inner] = np.where(useless, alone[inner], below)
    return cut_at(tree, marked)


def prune_pessimistically(
    tree: Tree, rows: Sample | None, *, cf: float = 0.25, costs: Floats | None = None
) -> Tree:
    """The tree pruned by estimated errors; subtrees are raised where `rows` (the training rows) are given."""
    tree = collapse(tree, costs)
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
    return rebuild_tree(tree, first, branches, place, counts)


def prune_by_reduced_error(tree: Tree, held: Sample, *, costs: Floats | None = None) -> Tree:
    """Return the smallest pruned tree with the fewest errors (or least cost) on the held-out rows.

    From the leaves up, a node that gets no more held-out rows wrong than the subtree below it becomes a leaf. Leaves
    predict by the rows the tree was grown on. At the end the held-out rows are counted in as well, because class
    probabilities are better estimated from all rows.
    """
    counts = counts_of(tree, held)
    alone = risks_on(counts, decide(tree.counts, costs), costs)
    together = alone.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(nodes_by_level(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            below = sum_children(tree, inner, together)
            no_worse = alone[inner] <= below + 1e-12 * np.maximum(below, 1.0)
            marked[inner] = no_worse
            together[inner] = np.where(no_worse, alone[inner], below)
    return cut_at(replace(tree, counts=tree.counts + counts), marked)
