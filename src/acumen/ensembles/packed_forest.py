"""Trees in packed arrays: eight bytes a node, all trees end to end.

PackedForest   the arrays that kernels walk, as `native/kernels/forests/types.hpp` lays them out
packed_from    those arrays out of a model file, every node of every tree checked at once
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.engines.cores import cores
from acumen.ensembles.column_codes import CodeRows
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.types import Array, Bools, Codes, Floats

Words = npt.NDArray[np.uint32]
_NO_CUT: Final = 0xFFFF
_LEAN: Final = 0x8000_0000


@dataclass(frozen=True, slots=True, eq=False)
class PackedForest:
    """Trees whose children and sets count from their own tree's beginning."""

    node: Words  # (nodes, 2): column and cut, child and lean
    value: Floats  # (nodes, outputs)
    sets: Words  # of nodes that test levels: lean and child, words, levels to the left, levels to the right
    start: npt.NDArray[np.int64]  # (trees + 1,) where the nodes of each begin
    set_start: npt.NDArray[np.int64]
    nominal: npt.NDArray[np.uint8]  # of each column: whether its levels have no order

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def nodes(self) -> int:
        """How many there are in all trees."""
        return len(self.node)

    @property
    def leaves(self) -> Bools:
        """Which nodes are leaves."""
        return np.asarray(self.node[:, 0] >> 16 == _NO_CUT)

    @property
    def owner(self) -> Codes:
        """The tree of each node."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.start))

    def sum_leaves(self, codes: CodeRows) -> Floats:
        """The leaf values of all trees, summed in their order: one line a row."""
        totals = np.zeros((len(codes), self.value.shape[1]))
        if len(codes):
            _native.forest_values(self, codes, totals, cores())
        return totals

    def leaf_of(self, codes: CodeRows) -> Codes:
        """The leaf of each row in each tree, counted from the tree's root."""
        leaves = np.zeros((len(codes), len(self)), dtype=np.int32)
        if len(codes):
            _native.forest_leaves(self, codes, leaves, cores())
        return leaves

    def column_moves(self, codes: CodeRows) -> tuple[Floats, Floats]:
        """Of one row: the roots' values summed, and what each column moved them by on the way to the leaves."""
        moved = np.zeros((codes.shape[1], self.value.shape[1]))
        start = np.zeros(self.value.shape[1])
        _native.forest_contributions(self, codes, moved, start)
        return start, moved

    def first(self, trees: int) -> PackedForest:
        """Only so many trees, from the first."""
        n, s = int(self.start[trees]), int(self.set_start[trees])
        return PackedForest(
            self.node[:n], self.value[:n], self.sets[:s], self.start[: trees + 1], self.set_start[: trees + 1],
            self.nominal,
        )  # fmt: skip

    @classmethod
    def concatenate(cls, some: Sequence[PackedForest]) -> PackedForest:
        """The trees of several, one after the other."""
        starts, set_starts = [some[0].start[:1]], [some[0].set_start[:1]]
        for each in some:
            starts.append(each.start[1:] + starts[-1][-1])
            set_starts.append(each.set_start[1:] + set_starts[-1][-1])
        return cls(
            np.concatenate([each.node for each in some]), np.concatenate([each.value for each in some]),
            np.concatenate([each.sets for each in some]), np.concatenate(starts), np.concatenate(set_starts),
            some[0].nominal,
        )  # fmt: skip

    def depths(self) -> Codes:
        """How many tests lead to the deepest leaf of each tree."""
        level = np.zeros(self.nodes, dtype=np.int32)
        home = self.start[self.owner]
        inner = np.flatnonzero(~self.leaves)
        left_child = self._left_children(inner) + home[inner]
        open_nodes = np.isin(np.arange(self.nodes), self.start[:-1])[inner]
        depth = 0
        here, to = inner[open_nodes], left_child[open_nodes]
        of_node = np.full(self.nodes, -1, dtype=np.int64)
        of_node[inner] = left_child
        while len(here):
            depth += 1
            both = np.concatenate([to, to + 1])
            level[both] = depth
            here = both[of_node[both] >= 0]
            to = of_node[here]
        return np.maximum.reduceat(level, self.start[:-1]) if len(self) else level[:0]

    def _left_children(self, inner: Array) -> Array:
        """The left child of each inner node, counted from its tree's root."""
        child = self.node[inner, 1].astype(np.int64)
        column = self.node[inner, 0] & 0xFFFF
        by_level = self.nominal[column] != 0 if len(self.nominal) else np.zeros(len(inner), dtype=np.bool_)
        at = child + self.set_start[self.owner[inner]]
        child[by_level] = self.sets[at[by_level]]
        return child & ~np.int64(_LEAN)

    # -- model files ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "node": self.node, "value": self.value, "sets": self.sets, "start": self.start,
            "set_start": self.set_start,
        }  # fmt: skip


def packed_from(
    arrays: Mapping[str, Array], slots: Codes, nominal: npt.NDArray[np.uint8], outputs: int
) -> PackedForest:
    """The trees back, trusting nothing: every walk ends at a leaf, and no test looks where nothing is."""
    node = stored_array(arrays, "node", np.uint32, (None, 2))
    value = stored_floats(arrays, "value", (len(node), outputs), low=-1e300, high=1e300)
    sets = stored_array(arrays, "sets", np.uint32, (None,))
    start = _starts(arrays, "start", len(node))
    set_start = _starts(arrays, "set_start", len(sets))
    require(len(start) == len(set_start), "the trees have another number of sets")
    sizes = np.diff(start)
    require(np.all(sizes >= 1) and np.all(sizes < 2**31), "a tree has no node")
    require(np.all(np.diff(set_start) < 2**31), "a tree has too many sets of levels")
    node, value, sets, start, set_start = map(np.ascontiguousarray, (node, value, sets, start, set_start))
    forest = PackedForest(node, value, sets, start, set_start, nominal)
    owner = forest.owner
    local = np.arange(len(node)) - start[owner]
    leaf = forest.leaves
    column, cut, child = node[:, 0] & 0xFFFF, node[:, 0] >> 16, node[:, 1].astype(np.int64)
    require(not column[leaf].any() and np.array_equal(child[leaf], local[leaf]), "a leaf leads somewhere")
    inner = np.flatnonzero(~leaf)
    require(np.all(column[inner] < len(slots)), "a test looks at a column that is not there")
    by_level = np.zeros(len(inner), dtype=np.bool_)
    if len(inner):
        by_level = nominal[column[inner]] != 0
        ordered = inner[~by_level]
        require(
            np.all(cut[ordered].astype(np.int64) + 1 < slots[column[ordered]]),
            "a test has a cut beyond its column",
        )
    _check_sets(forest, inner[by_level], column, cut, child, slots)
    left_child = forest._left_children(inner)
    # Siblings lie in pairs behind their parent, so the left children of a tree are its nodes 1, 3, 5 and so on: each
    # node but the root is reached once, and no walk can turn back.
    order = np.lexsort((left_child, owner[inner]))
    pairs = np.bincount(owner[inner], minlength=len(sizes))
    rank = np.arange(len(inner)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    require(
        np.array_equal(2 * pairs + 1, sizes)
        and np.array_equal(left_child[order], 2 * rank + 1)
        and np.all(left_child > local[inner]),
        "the nodes of a tree do not form a tree",
    )
    return forest


def _starts(arrays: Mapping[str, Array], name: str, total: int) -> npt.NDArray[np.int64]:
    starts = stored_array(arrays, name, np.int64, (None,))
    require(
        len(starts) >= 1 and starts[0] == 0 and starts[-1] == total and np.all(np.diff(starts) >= 0),
        f"the array {name!r} does not ascend from 0 to the end",
    )
    return starts


def _check_sets(
    forest: PackedForest, inner: Array, column: Array, cut: Array, child: Array, slots: Codes
) -> None:
    """The sets of levels lie end to end, one for each node that tests levels, and no level is on both sides."""
    require(not cut[inner].any(), "a test of levels has a cut")
    words = (slots[column[inner]].astype(np.int64) + 31) // 32
    begins = child[inner] + forest.set_start[forest.owner[inner]]
    order = np.argsort(begins, kind="stable")
    begins, words = begins[order], words[order]
    ends = begins + 2 + 2 * words
    require(
        np.array_equal(begins, np.append(0, ends[:-1])[: len(begins)])
        and (int(ends[-1]) if len(ends) else 0) == len(forest.sets),
        "the sets of levels do not fit the nodes that ask for them",
    )
    mine = forest.owner[inner][order]
    require(
        np.all(begins >= forest.set_start[mine]) and np.all(ends <= forest.set_start[mine + 1]),
        "a set of levels belongs to another tree",
    )
    require(
        np.array_equal(forest.sets[begins + 1], words), "a set of levels has another size than its column"
    )
    if len(begins):
        first = (
            np.repeat(begins + 2, words)
            + np.arange(int(words.sum()))
            - np.repeat(np.cumsum(words) - words, words)
        )
        both = forest.sets[first] & forest.sets[first + np.repeat(words, words)]
        require(not both.any(), "a level goes both ways")
