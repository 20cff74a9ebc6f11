"""When a split is not worth making: formulae for stopping and for pruning.

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

import numpy as np

from acumen.trees.branching import NONE
from acumen.trees.tree import Tree
from acumen.types import Array, Codes, Floats

_LN2 = math.log(2.0)


def critical_values(significance: float, most: int) -> Floats:
    """For 0, 1, ..., `most` degrees of freedom the value that chance exceeds with probability `significance`."""
    from scipy.special import chdtri

    made = np.full(most + 1, np.inf)
    if most and significance < 1.0:
        made[1:] = chdtri(np.arange(1, most + 1), significance) if significance > 0 else np.inf
    elif most:
        made[1:] = 0.0
    return made


def class_bits(counts: Array) -> Floats:
    """The bits that tell the classes of the rows of each node; the last axis is the classes."""
    from scipy.special import gammaln

    counts = np.asarray(counts, dtype=np.float64)
    k = counts.shape[-1]
    made = gammaln(counts.sum(axis=-1) + k) - math.lgamma(k) - gammaln(counts + 1.0).sum(axis=-1)
    return np.asarray(np.maximum(made, 0.0) / _LN2)


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
