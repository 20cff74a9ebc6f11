"""Pruning by message length: a subtree stays where it tells the training classes in fewer bits than a leaf.

The coding is that of `stop`; from the leaves up, each node takes the shorter of its two messages.
"""

from __future__ import annotations

import numpy as np

from acumen.data.schema import Schema
from acumen.trees.cut import cut, levels, summed
from acumen.trees.risk import factors
from acumen.trees.tree import Tree
from acumen.trees.worth import class_bits, tree_test_bits
from acumen.types import Floats


def shortest(tree: Tree, schema: Schema, *, multiway: bool, costs: Floats | None = None) -> Tree:
    """The pruned tree of the shortest message; with costs, classes weigh what they cost."""
    factor = factors(costs, tree.counts[0])
    alone = 1.0 + class_bits(tree.counts if factor is None else tree.counts * factor)
    tests = tree_test_bits(tree, [c.is_ordered(schema) for c in tree.inputs.columns], multiway=multiway)
    together = alone.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(levels(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            below = tests[inner] + summed(tree, inner, together)
            marked[inner] = alone[inner] <= below
            together[inner] = np.minimum(alone[inner], below)
    return cut(tree, marked)
