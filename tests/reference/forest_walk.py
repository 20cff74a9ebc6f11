"""A row's way down a packed tree, node by node as `native/kernels/forests/types.hpp` lays the nodes out."""

from __future__ import annotations

from typing import Any

import numpy as np

NO_VALUE, NO_CUT, LEAN = 0xFFFF, 0xFFFF, 1 << 31


def step(forest: Any, tree: int, at: int, row: np.ndarray) -> int:
    """The next node of a row; the node itself where it is a leaf."""
    test, child = map(int, forest.node[forest.start[tree] + at])
    column, cut = test & 0xFFFF, test >> 16
    if cut == NO_CUT:
        return at
    code = int(row[column])
    if not forest.nominal[column]:
        return (child & ~LEAN) + (child >> 31 if code == NO_VALUE else code > cut)
    lean, words, *bits = map(int, forest.sets[forest.set_start[tree] + child :])
    left = sum(word << 32 * i for i, word in enumerate(bits[:words]))
    right = sum(word << 32 * i for i, word in enumerate(bits[words : 2 * words]))
    side = 0 if left >> code & 1 else 1 if right >> code & 1 else lean >> 31
    return (lean & ~LEAN) + side


def way(forest: Any, tree: int, row: np.ndarray) -> list[int]:
    """The nodes of a row from the root to its leaf."""
    nodes = [0]
    while (after := step(forest, tree, nodes[-1], row)) != nodes[-1]:
        nodes.append(after)
    return nodes


def value(forest: Any, tree: int, at: int) -> np.ndarray:
    """The value of a node of a tree."""
    return forest.value[forest.start[tree] + at]
