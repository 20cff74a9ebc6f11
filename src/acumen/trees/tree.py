"""A grown tree as flat arrays.

Siblings lie together and parents before their children: the child of node i for branch b is `first[i] + b`. The
root is node 0. Arrays, not objects, so that a kernel can walk them, a file can hold them and a pruner can mark
them.

A row without a branch at a node (a missing value, a level not met there) goes, in this order: where a surrogate
sends it; to the branch `otherwise[i]`; and where that is -1, down all branches, in shares of the children's weight
(Quinlan 1993).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen.data.schema import Schema
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.trees.inputs import Inputs
from acumen.trees.node_tests import NONE, Tests
from acumen.types import Array, Bools, Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The nodes of a tree of n nodes for k classes."""

    inputs: Inputs
    tests: Tests  # of each node; none at leaves
    first: Codes  # (n,) the first child; -1 at leaves
    branches: Codes  # (n,) how many children; 0 at leaves
    otherwise: Codes  # (n,) the branch of rows that no branch fits; -1: all, in shares
    counts: Floats  # (n, k) the weight of each class among the node's training rows
    surrogate_at: Codes  # (n + 1,) where each node's surrogates begin
    surrogates: Tests  # best first; each gives a branch of its node

    def __len__(self) -> int:
        return len(self.first)

    @property
    def leaves(self) -> Bools:
        """Which nodes are leaves."""
        return np.asarray(self.first == NONE)

    @property
    def weight(self) -> Floats:
        """The training weight of each node."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def parent(self) -> Codes:
        """The parent of each node; -1 for the root."""
        parents = np.full(len(self), NONE, dtype=np.int32)
        inner = np.flatnonzero(~self.leaves)
        inner = inner[np.argsort(self.first[inner], kind="stable")]  # blocks of siblings follow one another
        parents[1:] = np.repeat(inner, self.branches[inner])
        return parents

    @property
    def depth(self) -> Codes:
        """How many tests lead to each node."""
        depths = np.zeros(len(self), dtype=np.int32)
        for i in np.flatnonzero(~self.leaves):
            depths[self.first[i] : self.first[i] + self.branches[i]] = depths[i] + 1
        return depths

    def children(self, node: int) -> range:
        """The children of a node, by branch."""
        return range(int(self.first[node]), int(self.first[node] + self.branches[node]))

    def preorder(self, node: int = 0) -> Iterator[int]:
        """The nodes below and with this one, each before its children, from the first branch to the last."""
        open_nodes = [node]
        while open_nodes:
            at = open_nodes.pop()
            yield at
            open_nodes.extend(reversed(self.children(at)))

    # -- model files ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.inputs.to_arrays(),
            **self.tests.to_arrays("test/"),
            "first": self.first,
            "branches": self.branches,
            "otherwise": self.otherwise,
            "counts": self.counts,
            "surrogate_at": self.surrogate_at,
            **self.surrogates.to_arrays("surrogate/"),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        inputs = Inputs.from_arrays(arrays, schema)
        # what is larger has no square
        counts = stored_floats(arrays, "counts", (None, schema.n_classes), low=0.0, high=1e150)
        n = len(counts)
        require(n >= 1, "a tree has no node")
        first = stored_codes(arrays, "first", (n,), low=NONE, below=n)
        branches = stored_codes(arrays, "branches", (n,), low=0, below=n)
        inner = np.flatnonzero(first != NONE)
        require(np.all(branches[first == NONE] == 0), "a leaf of a tree has branches")
        require(np.all(branches[inner] >= 1), "an inner node of a tree has no branch")
        ends = np.concatenate([[1], first[inner] + branches[inner]])
        # each node but the root is a child exactly once, and after its parent: no circle, no node without a way to it
        order = np.argsort(first[inner], kind="stable")
        starts = first[inner][order]
        require(
            np.all(first[inner] > inner)
            and np.array_equal(starts, np.concatenate([[1], (first[inner] + branches[inner])[order]])[:-1])
            and ends.max() == n,
            "the nodes of a tree do not form a tree",
        )
        otherwise = stored_codes(arrays, "otherwise", (n,), low=NONE, below=max(n, 1))
        require(
            np.all(otherwise < np.maximum(branches, 1)), "a node sends missing values to a branch it has not"
        )
        tests = Tests.from_arrays(arrays, "test/", n, inputs, schema, branches)
        require(
            np.array_equal(tests.input == NONE, first == NONE), "a node has a test and no child, or no test"
        )
        require("surrogate/input" in arrays, "the array 'surrogate/input' is missing")
        places = len(arrays["surrogate/input"]) if arrays["surrogate/input"].ndim == 1 else 0
        surrogate_at = stored_codes(arrays, "surrogate_at", (n + 1,), low=0, below=places + 1)
        require(
            surrogate_at[0] == 0 and surrogate_at[-1] == places and np.all(np.diff(surrogate_at) >= 0),
            "the surrogates of a tree are out of order",
        )
        width = np.repeat(branches, np.diff(surrogate_at))
        surrogates = Tests.from_arrays(arrays, "surrogate/", places, inputs, schema, width, turned=True)
        require(np.all(surrogates.input != NONE), "a surrogate has no test")
        return cls(inputs, tests, first, branches, otherwise, counts, surrogate_at, surrogates)
