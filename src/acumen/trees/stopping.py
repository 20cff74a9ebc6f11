"""Stopping before a split that is not worth making.

A node whose own test fails the rule is a leaf, whatever might have come below: the rule is applied from the root
down to the tree as it was grown, which gives the same tree as asking at each node before growing on. Only `max_leaves`
counts leaves before that: a split that fails the rule has taken the place of another.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from acumen.data.schema import Schema
from acumen.trees.cut import below, cut
from acumen.trees.risk import factors
from acumen.trees.significant import differing
from acumen.trees.tree import Tree
from acumen.trees.worth import class_bits, tree_test_bits
from acumen.types import Bools, Floats


def stopped(
    tree: Tree,
    rule: Literal["significance", "mdl"] | None,
    schema: Schema,
    *,
    significance: float = 0.05,
    multiway: bool = True,
    costs: Floats | None = None,
) -> Tree:
    """The tree without the splits that fail the rule, and without what is below them."""
    if rule is None:
        return tree
    if rule == "significance":
        passes = differing(tree, significance=significance, costs=costs)
    else:
        passes = _shorter(tree, schema, multiway=multiway, costs=costs)
    return cut(tree, ~passes & ~tree.leaves)


def _shorter(tree: Tree, schema: Schema, *, multiway: bool, costs: Floats | None) -> Bools:
    """For each node whether its test and leaves below tell the classes in fewer bits than one leaf."""
    factor = factors(costs, tree.counts[0])
    bits = 1.0 + class_bits(tree.counts if factor is None else tree.counts * factor)
    tests = tree_test_bits(tree, [c.is_ordered(schema) for c in tree.inputs.columns], multiway=multiway)
    nodes = np.flatnonzero(~tree.leaves)
    owner = np.repeat(np.arange(len(nodes)), tree.branches[nodes])
    split = np.bincount(owner, bits[below(tree.first, tree.branches, nodes)], minlength=len(nodes))
    made = np.zeros(len(tree), dtype=np.bool_)
    made[nodes] = tests[nodes] + split < bits[nodes]
    return made
