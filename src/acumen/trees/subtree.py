"""Walking a tree level by level, and making a smaller tree of it.

    nodes_by_level   the nodes of each depth
    sum_upwards      for each node, the sum over the leaves below it
    cut_at           the tree in which the marked nodes are leaves
    rebuild_tree     the tree with other children and tests of its nodes; unreachable nodes are dropped

A level at a time, so that a tree of a hundred thousand nodes costs a few numpy calls for each depth and no recursion.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen.trees.node_tests import NONE, Tests
from acumen.trees.tree import Tree
from acumen.types import Array, Bools, Codes, Floats, Indices


def nodes_by_level(tree: Tree) -> list[Indices]:
    """The nodes of depth 0, 1, ..., each level from the first branch to the last."""
    by_level: list[Indices] = []
    level: Indices = np.zeros(1, dtype=np.intp)
    while len(level):
        by_level.append(level)
        level = children_of(tree.first, tree.branches, level)
    return by_level


def children_of(first: Codes, branches: Codes, nodes: Indices) -> Indices:
    """The children of these nodes, in order."""
    width = branches[nodes].astype(np.intp)
    ends = np.cumsum(width)
    total = int(ends[-1]) if len(ends) else 0
    within = np.arange(total) - np.repeat(ends - width, width)
    return np.asarray(np.repeat(first[nodes].astype(np.intp), width) + within, dtype=np.intp)


def sum_children(tree: Tree, nodes: Indices, values: Array) -> Array:
    """For inner nodes of one level, the sum of their children's values; `values` is of all nodes."""
    starts = np.concatenate([[0], np.cumsum(tree.branches[nodes])[:-1]]).astype(np.intp)
    children = children_of(tree.first, tree.branches, nodes)
    return np.asarray(np.add.reduceat(values[children], starts, axis=0))


def sum_upwards(tree: Tree, at_leaves: Floats) -> Floats:
    """What lies on the leaves, added up for every node above them."""
    totals = np.array(at_leaves, dtype=np.float64)
    for level in reversed(nodes_by_level(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            totals[inner] = sum_children(tree, inner, totals)
    return totals


def cut_at(tree: Tree, marked: Bools) -> Tree:
    """The tree in which the marked nodes are leaves."""
    first = np.where(marked, NONE, tree.first).astype(np.int32)
    branches = np.where(marked, 0, tree.branches).astype(np.int32)
    if not (marked & ~tree.leaves).any():
        return tree
    return rebuild_tree(tree, first, branches, np.arange(len(tree), dtype=np.int32), tree.counts)


def rebuild_tree(tree: Tree, first: Codes, branches: Codes, place: Codes, counts: Floats) -> Tree:
    """The tree of these links: node i has the children `first[i]`, ... and the test that node `place[i]` had."""
    kept: list[Indices] = []
    level: Indices = np.zeros(1, dtype=np.intp)
    while len(level):
        kept.append(level)
        level = children_of(first, branches, level)
    nodes = np.concatenate(kept)
    width = branches[nodes]
    ends = np.cumsum(width) + 1  # level by level, the children of the kept nodes follow one another
    inner = width > 0
    source = place[nodes].astype(np.intp)
    tested = np.where(inner, source, NONE)
    sizes = np.where(inner, np.diff(tree.surrogate_at)[source], 0)
    stand_ins = _runs(tree.surrogate_at[source], sizes)
    return replace(
        tree,
        tests=pick_tests(tree.tests, tested),
        first=np.where(inner, ends - width, NONE).astype(np.int32),
        branches=width.astype(np.int32),
        otherwise=np.where(inner, tree.otherwise[source], NONE).astype(np.int32),
        counts=np.ascontiguousarray(counts[nodes]),
        surrogate_at=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        surrogates=pick_tests(tree.surrogates, stand_ins),
    )


def pick_tests(tests: Tests, places: Indices) -> Tests:
    """The tests of these places; none where the place is -1."""
    none = places == NONE
    at = np.where(none, 0, places)
    if len(tests) == 0:
        return Tests.of([None] * len(places))
    cut_sizes = np.where(none, 0, np.diff(tests.cut_at)[at])
    branch_sizes = np.where(none, 0, np.diff(tests.branch_at)[at])
    return Tests(
        np.where(none, NONE, tests.input[at]).astype(np.int32),
        np.concatenate([[0], np.cumsum(cut_sizes)]).astype(np.int32),
        tests.cuts[_runs(tests.cut_at[at], cut_sizes)],
        np.concatenate([[0], np.cumsum(branch_sizes)]).astype(np.int32),
        tests.branch[_runs(tests.branch_at[at], branch_sizes)],
    )


def _runs(starts: Array, sizes: Array) -> Indices:
    """starts[0], starts[0] + 1, ... as many as sizes[0] says; then starts[1], ..."""
    sizes = sizes.astype(np.intp)
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    within = np.arange(total) - np.repeat(ends - sizes, sizes)
    return np.asarray(np.repeat(np.asarray(starts).astype(np.intp), sizes) + within, dtype=np.intp)
