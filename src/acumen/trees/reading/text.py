"""The tree as indented lines, much as C4.5 prints it.

    Own_house = true: Yes (6)
    Own_house = false
    |   Has_Job = true: Yes (3)
    |   Has_Job = false: No (6)

In brackets the weight of the leaf's training rows, and after a slash that of the rows of other classes. A tree that
is too long for a screen is cut evenly: at the greatest depth at which it fits.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from acumen.data.schema import Schema
from acumen.trees.reading.branches import branch_condition
from acumen.trees.reading.phrases import class_word, condition_words, leaf_counts, weight
from acumen.trees.tree import Tree
from acumen.types import Floats

#: Lines of a tree on a screen, besides its heading.
SCREEN = 34


def tree_text(tree: Tree, shares: Floats, schema: Schema, *, max_depth: int | None = None) -> str:
    """The tree in lines; nodes at `max_depth` are shown as if leaves, with what is below them counted."""
    return "\n".join(_lines(tree, shares, schema, max_depth))


def tree_description(tree: Tree, shares: Floats, schema: Schema, *, full: bool = False) -> str:
    """What `describe` says: size and training error, then the tree."""
    target = schema.target.name if schema.target else "class"
    total = float(tree.counts[0].sum())
    wrong = training_errors(tree, shares)
    share = f" ({100 * wrong / total:.1f} %)" if total > 0 else ""
    heading = [
        f"A decision tree for {target}, from {weight(total)} rows",
        f"{size_text(tree)}; wrong on {weight(wrong)} of {weight(total)} training rows{share}",
    ]
    depth = None if full else depth_that_fits(tree, SCREEN)
    return "\n".join([*heading, tree_text(tree, shares, schema, max_depth=depth)])


def size_text(tree: Tree) -> str:
    """`3 leaves, 5 nodes, depth 2`."""
    leaves, nodes = int(np.count_nonzero(tree.leaves)), len(tree)
    return (
        f"{leaves:,} {'leaf' if leaves == 1 else 'leaves'}, {nodes:,} {'node' if nodes == 1 else 'nodes'}, "
        f"depth {int(tree.depth.max())}"
    )


def training_errors(tree: Tree, shares: Floats) -> float:
    """The weight of training rows that are not of their leaf's class."""
    leaves = np.flatnonzero(tree.leaves)
    right = tree.counts[leaves, shares[leaves].argmax(axis=1)]
    return max(float(tree.counts[leaves].sum() - right.sum()), 0.0)


def depth_that_fits(tree: Tree, lines: int) -> int | None:
    """The greatest depth down to which the tree takes at most so many lines; None: all of it."""
    upto = np.cumsum(np.bincount(tree.depth))[:] - 1  # nodes but the root, each a line
    if upto[-1] <= lines:
        return None
    return max(int(np.searchsorted(upto, lines, side="right")) - 1, 1)


def leaves_below(tree: Tree) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many leaves each node leads to; 1 for a leaf."""
    n_leaves = tree.leaves.astype(np.int64)
    for node in np.flatnonzero(~tree.leaves)[::-1]:
        n_leaves[node] = n_leaves[tree.first[node] : tree.first[node] + tree.branches[node]].sum()
    return n_leaves


def _lines(tree: Tree, shares: Floats, schema: Schema, max_depth: int | None) -> Iterator[str]:
    depth, winner = tree.depth, shares.argmax(axis=1)
    below = leaves_below(tree)

    def is_closed(node: int) -> bool:
        return bool(tree.leaves[node]) or (max_depth is not None and int(depth[node]) >= max_depth)

    def answer(node: int) -> str:
        word = (
            f"{class_word(schema.classes[winner[node]])} {leaf_counts(tree.counts[node], int(winner[node]))}"
        )
        return word if tree.leaves[node] else f"{word} ... {below[node]:,} leaves"

    if is_closed(0):
        yield answer(0)
        return
    stack = [(0, branch) for branch in reversed(range(int(tree.branches[0])))]
    while stack:
        node, branch = stack.pop()
        child = int(tree.first[node]) + branch
        line = "|   " * int(depth[node]) + condition_words(
            branch_condition(tree.tests, node, branch, tree, schema)
        )
        if is_closed(child):
            yield f"{line}: {answer(child)}"
            continue
        yield line
        stack += [(child, b) for b in reversed(range(int(tree.branches[child])))]
