"""Reduced-error pruning (Quinlan 1987): what held-out rows do not miss goes.

From the leaves up, a node that gets no more of the held-out rows wrong than the subtree below it becomes a leaf.
The classes that leaves say are those of the rows the tree was grown on. In the end the held-out rows are counted in
too: they have done their service, and shares are better estimated from all rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen.trees.cut import cut, levels, summed
from acumen.trees.risk import decided, risks_on
from acumen.trees.sample import Sample, counts_of
from acumen.trees.tree import Tree
from acumen.types import Floats


def reduced_error(tree: Tree, held: Sample, *, costs: Floats | None = None) -> Tree:
    """The smallest of the pruned trees with the fewest errors (or least cost) on the held-out rows."""
    counts = counts_of(tree, held)
    alone = risks_on(counts, decided(tree.counts, costs), costs)
    together = alone.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(levels(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            below = summed(tree, inner, together)
            no_worse = alone[inner] <= below + 1e-12 * np.maximum(below, 1.0)
            marked[inner] = no_worse
            together[inner] = np.where(no_worse, alone[inner], below)
    return cut(replace(tree, counts=tree.counts + counts), marked)
