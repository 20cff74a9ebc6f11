"""How much each attribute lessened the impurity, summed over the tree (Breiman et al. 1984, 5.3.4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acumen.data.schema import Schema
from acumen.trees.tree import Tree
from acumen.types import Floats


def importances(tree: Tree, schema: Schema, decrease: Callable[[Floats], float]) -> Floats:
    """One share for each attribute of the schema; they sum to 1, or are all 0 where nothing was gained.

    `decrease` gives the impurity decrease of a split from its class counts (branches x classes). Each split counts
    by the weight of its rows; what a pair of attributes gained is halved between the two.
    """
    made = np.zeros(len(schema))
    for node in np.flatnonzero(~tree.leaves):
        counts = tree.counts[tree.first[node] : tree.first[node] + tree.branches[node]]
        gained = float(counts.sum()) * max(float(decrease(counts)), 0.0)
        column = tree.inputs[int(tree.tests.input[node])]
        if column.second < 0:
            made[column.first] += gained
        else:
            made[column.first] += gained / 2
            made[column.second] += gained / 2
    total = float(made.sum())
    return made / total if total > 0 else made
