"""Every leaf of a tree as a rule.

Conditions on one input are merged along the way: several cuts become one interval, sets of levels are intersected.
The counts are those of the leaf, so support and confidence add up over the rules as the training rows do, in
fractions where rows with missing values were shared out. The rules exclude each other; on rows without missing values
and without levels that a node never met they say what the tree says. Other rows get the default.
"""

from __future__ import annotations

import numpy as np

from acumen.data.schema import Schema
from acumen.rulelist.rule_list import Rule, RuleList
from acumen.trees.reading.branches import merged
from acumen.trees.tree import Tree
from acumen.types import Floats


def tree_rules(tree: Tree, shares: Floats, schema: Schema) -> RuleList:
    """One rule for each leaf that a row can come to, from the first branch to the last."""
    classes = schema.classes
    total, parent = float(tree.counts[0].sum()), tree.parent
    rules = []
    for node in tree.preorder():
        if not tree.leaves[node]:
            continue
        conditions = merged(tree, node, parent, schema)
        if conditions is None:
            continue
        counts = dict(zip(classes, tree.counts[node].tolist(), strict=True))
        rules.append(Rule(conditions, classes[int(np.argmax(shares[node]))], counts, total))
    return RuleList(tuple(rules), classes[int(np.argmax(shares[0]))], classes)
