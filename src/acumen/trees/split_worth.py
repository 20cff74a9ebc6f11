"""Whether a split is worth making: formulae, stopping before growing, and pruning afterwards.

    stop_early                stop before a split that fails the rule
    prune_insignificant       prune splits that chance explains, from the leaves up
    prune_by_message_length   prune subtrees that need more bits than a leaf
    critical_values  what a chi-square must exceed, for each number of degrees of freedom
    class_bits       the length of a message that tells the classes of a node's rows
    tree_test_bits   the length of a message that tells the tests of a tree

**Significance.** Each branch is held against the class shares of its node: t = sum (n_bc - n_b p_c)^2 / (n_b p_c). One
branch has k - 1 degrees of freedom, k classes being there. All b branches together give the sum of their t, which
is the chi-square of the branches x classes table; as the shares come from those very branches, it has
(b - 1)(k - 1). A split is significant where the sum exceeds the value that chance exceeds with probability
`significance`. A node whose best test is not significant is a leaf.

**Message length** (Quinlan and Rivest 1989, with the coding of leaves by Wallace and Patrick 1993). A sender who knows
the inputs tells a receiver the classes, once as they are at a node and once by way of a test. It costs

    a node     1 bit: leaf or test
    classes    log2 Gamma(n + k) / (Gamma(k) prod Gamma(n_c + 1)), every mixture of classes being as likely as any
               other; Gamma makes it hold for weights too
    a test     log2 of the number of inputs; then, of n rows, log2(n - 1) choose m for m cuts of a number,
               log2(L - 1) for a place in the order of L levels, log2(2^(L-1) - 1) for a set of levels, and
               nothing for a branch of each level

Rows, not different values, are counted for cuts, so that a tree can be judged without its data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from acumen.data.schema import Schema
from acumen.trees.node_tests import NONE
from acumen.trees.risk import class_cost_factors
from acumen.trees.subtree import children_of, cut_at, nodes_by_level, sum_children
from acumen.trees.tree import Tree
from acumen.types import Array, Bools, Codes, Floats

_LN2 = math.log(2.0)


def critical_values(significance: float, most: int) -> Floats:
    """For 0, 1, ..., `most` degrees of freedom the value that chance exceeds with probability `significance`."""
    from scipy.special import chdtri

    values = np.full(most + 1, np.inf)
    if most and significance < 1.0:
        values[1:] = chdtri(np.arange(1, most + 1), significance) if significance > 0 else np.inf
    elif most:
        values[1:] = 0.0
    return values


def class_bits(counts: Array) -> Floats:
    """The bits that tell the classes of the rows of each node; the last axis is the classes."""
    from scipy.special import gammaln

    counts = np.asarray(counts, dtype=np.float64)
    k = counts.shape[-1]
    bits = gammaln(counts.sum(axis=-1) + k) - math.lgamma(k) - gammaln(counts + 1.0).sum(axis=-1)
    return np.asarray(np.maximum(bits, 0.0) / _LN2)


def tree_test_bits(tree: Tree, ordered: Sequence[bool], *, multiway: bool) -> Floats:
    """The bits that tell the test of every node, zero at leaves; `ordered` tells for each input whether it is."""
    from scipy.special import gammaln

    tests = tree.tests
    cuts = np.diff(tests.cut_at).astype(np.float64)
    levels = _levels_met(tests.branch_at, tests.branch)
    bits = np.full(len(tree), 1.0 + math.log2(max(len(tree.inputs), 1)))
    places = np.maximum(tree.weight - 1.0, cuts)
    bits += np.where(
        cuts > 0, (gammaln(places + 1) - gammaln(cuts + 1) - gammaln(places - cuts + 1)) / _LN2, 0.0
    )
    if not multiway:
        by_order = np.log2(np.maximum(levels - 1, 1))
        small = np.log2(np.maximum(np.exp2(np.minimum(levels, 60.0) - 1) - 1, 1))
        by_set = np.where(levels < 60, small, levels - 1.0)
        in_order = np.append(np.asarray(ordered, dtype=np.bool_), False)[tests.input]
        bits += np.where(cuts > 0, 0.0, np.where(in_order, by_order, by_set))
    return np.where(tree.leaves, 0.0, bits)


def _levels_met(starts: Codes, branch: Codes) -> Floats:
    """How many levels have a branch, for each node."""
    met = np.concatenate([[0], np.cumsum(branch != NONE)])
    return np.asarray(met[starts[1:]] - met[starts[:-1]], dtype=np.float64)


def prune_by_message_length(
    tree: Tree, schema: Schema, *, multiway: bool, costs: Floats | None = None
) -> Tree:
    """Return the pruned tree of the shortest message; with costs, classes weigh what they cost.

    From the leaves up, a subtree stays where it encodes the training classes in fewer bits than a leaf.
    """
    factor = class_cost_factors(costs, tree.counts[0])
    alone = 1.0 + class_bits(tree.counts if factor is None else tree.counts * factor)
    tests = tree_test_bits(tree, [c.is_ordered(schema) for c in tree.inputs.columns], multiway=multiway)
    together = alone.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(nodes_by_level(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            below = tests[inner] + sum_children(tree, inner, together)
            marked[inner] = alone[inner] <= below
            together[inner] = np.minimum(alone[inner], below)
    return cut_at(tree, marked)


def stop_early(
    tree: Tree,
    rule: Literal["significance", "mdl"] | None,
    schema: Schema,
    *,
    significance: float = 0.05,
    multiway: bool = True,
    costs: Floats | None = None,
) -> Tree:
    """Return the tree without the splits that fail the rule, and without everything below them.

    The rule is applied from the root down to the full tree, which gives the same tree as asking at each node before
    growing on. Only `max_leaf_nodes` differs: it counts leaves before this step, so a split that fails the rule has
    taken the place of another.
    """
    if rule is None:
        return tree
    if rule == "significance":
        passes = has_differing_branches(tree, significance=significance, costs=costs)
    else:
        passes = _is_shorter(tree, schema, multiway=multiway, costs=costs)
    return cut_at(tree, ~passes & ~tree.leaves)


def _is_shorter(tree: Tree, schema: Schema, *, multiway: bool, costs: Floats | None) -> Bools:
    """For each node whether its test and leaves below tell the classes in fewer bits than one leaf."""
    factor = class_cost_factors(costs, tree.counts[0])
    bits = 1.0 + class_bits(tree.counts if factor is None else tree.counts * factor)
    tests = tree_test_bits(tree, [c.is_ordered(schema) for c in tree.inputs.columns], multiway=multiway)
    nodes = np.flatnonzero(~tree.leaves)
    owner = np.repeat(np.arange(len(nodes)), tree.branches[nodes])
    split = np.bincount(owner, bits[children_of(tree.first, tree.branches, nodes)], minlength=len(nodes))
    shorter = np.zeros(len(tree), dtype=np.bool_)
    shorter[nodes] = tests[nodes] + split < bits[nodes]
    return shorter


def prune_insignificant(tree: Tree, *, significance: float = 0.05, costs: Floats | None = None) -> Tree:
    """Return the tree without the splits at its bottom that chance explains.

    (Quinlan 1986; Jensen and Schmill 1997.) A split whose branches are all leaves is removed where the classes of its
    branches differ no more than chance would make them at `significance`; then its parent is examined. A split that
    is not significant stays where a significant one lies below it, which stopping early would never have found.
    """
    differ = has_differing_branches(tree, significance=significance, costs=costs)
    leaf = tree.leaves.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(nodes_by_level(tree)):
        inner = level[tree.branches[level] > 0]
        if not len(inner):
            continue
        last = inner[sum_children(tree, inner, leaf.astype(np.int64)) == tree.branches[inner]]
        chance = last[~differ[last]]
        marked[chance] = True
        leaf[chance] = True
    return cut_at(tree, marked)


def has_differing_branches(tree: Tree, *, significance: float, costs: Floats | None = None) -> Bools:
    """For each node whether its branches differ by more than chance; not at leaves."""
    factor = class_cost_factors(costs, tree.counts[0])
    counts = tree.counts if factor is None else tree.counts * factor
    nodes = np.flatnonzero(~tree.leaves)
    differs = np.zeros(len(tree), dtype=np.bool_)
    if not len(nodes):
        return differs
    children = children_of(tree.first, tree.branches, nodes)
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
    differs[nodes] = statistic > critical_values(significance, int(df.max()))[df]
    return differs
