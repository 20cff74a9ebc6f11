"""A tree while it grows level by level, as arrays with a line for each node.

Nodes   solves the tests of a level, opens the children, lets rows fall to them, and is a Tree in the end
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen import _native
from acumen.data.schema import Schema
from acumen.engines.cores import cores
from acumen.trees.binning import BinCodes, Bins, hash_numbers
from acumen.trees.grow import kernel_options
from acumen.trees.inputs import Inputs
from acumen.trees.level_rows import BinnedChunk
from acumen.trees.node_tests import NONE, Tests
from acumen.trees.options import GrowOptions
from acumen.trees.tree import Tree
from acumen.types import Array, Bools, Codes, Floats, Indices


class Nodes:
    """A tree while it grows: arrays with a line for each node, level by level."""

    def __init__(self, inputs: Inputs, schema: Schema, plan: Bins, counts: Floats) -> None:
        self._inputs, self._plan, self._schema = inputs, plan, schema
        self.n_classes = len(counts)
        self.at = plan.at
        numeric = np.array([c.is_numeric(schema) for c in inputs.columns], dtype=np.bool_)
        self._number_at, self._code_at = (np.flatnonzero(p).astype(np.int32) for p in (numeric, ~numeric))
        self._numeric = numeric
        self._ordered = np.array([c.is_ordered(schema) for c in inputs.columns], dtype=np.uint8)[
            self._code_at
        ]
        self._counts = [counts[None, :]]
        self.opened: Bools = np.ones(1, dtype=np.bool_)  # of the nodes of the last level
        self._share = np.ones(1)
        self._paths = np.zeros(1, dtype=np.uint64)
        self._size = 1
        self.input = np.empty(0, dtype=np.int32)
        self.first = np.empty(0, dtype=np.int32)
        self.branches = np.empty(0, dtype=np.int32)
        self.otherwise = np.empty(0, dtype=np.int32)
        self._map_at = np.empty(0, dtype=np.int64)
        self._map = np.empty(0, dtype=np.int32)
        self.worth: list[Floats] = []
        self._cuts: dict[int, Floats] = {}
        self._levels: dict[int, Codes] = {}
        self._grafts: list[tuple[int, dict[str, Any]]] = []

    @property
    def n_open(self) -> int:
        return int(self.opened.sum())

    @property
    def open_range(self) -> tuple[int, int]:
        """The nodes of the last level."""
        return self._size - len(self.opened), self._size

    def siblings(self, before: tuple[Indices, Floats] | None) -> tuple[Indices, Indices, Indices]:
        """Pairs of open nodes that share a parent's rows between them, and nobody else does.

        Which of the parents counted (`before`) each pair has, the child of less weight, and the other, in the order of
        the parents. Rows that no branch fits are shared by all of them, in parts that are rounded: such parents have
        no pair.
        """
        none = np.empty(0, dtype=np.int64)
        if before is None or not len(self.opened):
            return none, none, none
        parents, cells = before
        first, _ = self.open_range
        two = np.flatnonzero((self.input[parents] != NONE) & (self.branches[parents] == 2))
        child = self.first[parents[two]].astype(np.int64)
        both = self.opened[child - first] & self.opened[child + 1 - first]
        missing = self.at[self.input[parents[two]] + 1] - 1
        shared = (self.otherwise[parents[two]] == NONE) & (cells[two, missing].sum(axis=1) != 0)
        two, child = two[both & ~shared], child[both & ~shared]
        weight = self._counts[-1].sum(axis=1)
        second = weight[child + 1 - first] < weight[child - first]
        return two, child + second, child + ~second

    def solve_tests(
        self, cells: Floats, nodes: Indices, rows: int, depth: int, options: GrowOptions
    ) -> dict[str, Any]:
        """The tests of some nodes, from their cells."""
        first, _ = self.open_range
        none = np.empty(0)
        return dict(
            _native.tree_split_cells(
                cells,
                self.at,
                self._number_at,
                self._code_at,
                self._plan.sizes[self._code_at],
                self._ordered,
                rows,
                depth,
                self._paths[nodes - first] ^ np.uint64(options.seed),
                none if options.factors is None else np.array(options.factors),
                none if options.attribute_costs is None else np.array(options.attribute_costs),
                kernel_options(options),
                cores(),
            )
        )

    def columns_of(self, codes: BinCodes) -> list[Array]:
        """Binned rows as columns of numbers and of codes, for exact growing."""
        columns: list[Array] = []
        for j, line in enumerate(codes):
            known = line < self._plan.sizes[j]
            if self._numeric[j]:
                columns.append(np.where(known, line.astype(np.float64), np.nan))
            else:
                columns.append(np.where(known, line.astype(np.int32), np.int32(NONE)))
        return columns

    def exact(
        self,
        columns: list[Array],
        rows: slice,
        labels: Codes,
        weights: Floats,
        node: int,
        n_rows: int,
        depth: int,
        options: GrowOptions,
    ) -> dict[str, Any]:
        """The subtree of a node, its rows being a stretch of the columns."""
        first, _ = self.open_range
        none = np.empty(0)
        arguments = kernel_options(options) | {
            "rows": n_rows,
            "seed": int(self._paths[node - first]) ^ options.seed,
        }
        if options.max_depth is not None:
            arguments["max_depth"] = options.max_depth - depth
        return dict(
            _native.grow_tree(
                [columns[j][rows] for j in self._number_at],
                self._number_at,
                [columns[j][rows] for j in self._code_at],
                self._code_at,
                self._plan.sizes[self._code_at],
                self._ordered,
                labels,
                none if (weights == 1.0).all() else weights,
                self.n_classes,
                none if options.factors is None else np.array(options.factors),
                none if options.attribute_costs is None else np.array(options.attribute_costs),
                arguments,
                1,
            )
        )

    def graft(self, node: int, subtree: dict[str, Any]) -> None:
        """A node's subtree, to be put in its place at the end; its cuts are between bins."""
        self._grafts.append((int(node), subtree))

    def add(self, solution: list[dict[str, Any]], open_nodes: Indices) -> None:
        """Write the tests of the last level's open nodes, and open their children."""
        first, last = self.open_range
        n = last - first
        place = open_nodes - first
        whole = {
            key: np.concatenate([part[key] for part in solution])
            for key in solution[0]
            if not key.endswith("_at")
        }
        cut_sizes, map_sizes = (
            np.concatenate([np.diff(part[key]) for part in solution]) for key in ("cut_at", "branch_at")
        )
        spread = {}
        for key, empty in (("input", NONE), ("branches", 0), ("otherwise", NONE)):
            spread[key] = np.full(n, empty, dtype=np.int32)
            spread[key][place] = whole[key]
        worth = np.zeros(n)
        worth[place] = whole["worth"]
        starts = last + np.cumsum(spread["branches"]) - spread["branches"]
        children = int(spread["branches"].sum())
        maps = np.zeros(n, dtype=np.int64)
        maps[place] = np.cumsum(map_sizes) - map_sizes + len(self._map)
        self._keep_tests(whole, open_nodes, cut_sizes, map_sizes)
        self.input = np.concatenate([self.input, spread["input"]])
        self.branches = np.concatenate([self.branches, spread["branches"]])
        self.otherwise = np.concatenate([self.otherwise, spread["otherwise"]])
        self.first = np.concatenate(
            [self.first, np.where(spread["branches"] > 0, starts, NONE).astype(np.int32)]
        )
        self._map_at = np.concatenate([self._map_at, maps])
        self._map = np.concatenate([self._map, whole["branch"]])
        self.worth.append(worth)
        self._share = np.concatenate([self._share, whole["child_share"]])
        self._counts.append(whole["child_counts"].reshape(children, self.n_classes))
        owner = np.repeat(np.arange(n), spread["branches"])
        branch = np.arange(children) - (starts - last)[owner]
        self._paths = hash_numbers(self._paths[owner] ^ hash_numbers(branch.astype(np.uint64) + np.uint64(1)))
        self.opened = whole["child_open"].astype(np.bool_)
        self._size += children

    def _keep_tests(self, whole: dict[str, Any], nodes: Indices, cut_sizes: Array, map_sizes: Array) -> None:
        """The cuts as numbers, in the middle of the edges between the bins that have rows; the branches of levels."""
        cut_at, map_at = (np.concatenate([[0], np.cumsum(sizes)]) for sizes in (cut_sizes, map_sizes))
        edge = (whole["below"] + whole["above"] - 1) // 2
        for i in np.flatnonzero(whole["input"] != NONE):
            j, node = int(whole["input"][i]), int(nodes[i])
            edges = self._plan.edges[j]
            if edges is not None:
                self._cuts[node] = edges[edge[cut_at[i] : cut_at[i + 1]]]
            else:
                self._levels[node] = whole["branch"][map_at[i] : map_at[i + 1]]

    def fall(self, chunk: BinnedChunk) -> None:
        """Move the rows of split nodes to the children; rows at leaves leave."""
        first, _ = self.open_range
        here = chunk.nodes < first
        stay = np.flatnonzero(~here)
        at = np.flatnonzero(here & (self.input[np.minimum(chunk.nodes, max(first - 1, 0))] != NONE))
        nodes, rows, weights = chunk.nodes[at], chunk.rows[at], chunk.weights[at]
        inputs = self.input[nodes]
        codes = chunk.codes[inputs, rows].astype(np.int64)
        known = codes < self._plan.sizes[inputs]
        branch = np.full(len(at), NONE, dtype=np.int32)
        branch[known] = self._map[self._map_at[nodes[known]] + codes[known]]
        branch = np.where(branch == NONE, self.otherwise[nodes], branch)
        sure = np.flatnonzero(branch != NONE)
        shared = np.flatnonzero(branch == NONE)
        many = self.branches[nodes[shared]]
        again = np.repeat(shared, many)
        each = np.arange(len(again)) - np.repeat(np.cumsum(many) - many, many)
        to_shared = (self.first[nodes[again]] + each).astype(np.int32)
        chunk.nodes = np.concatenate([chunk.nodes[stay], self.first[nodes[sure]] + branch[sure], to_shared])
        chunk.rows = np.concatenate([chunk.rows[stay], rows[sure], rows[again]])
        parts = self._plan.on_grid(weights[again] * self._share[to_shared])
        chunk.weights = np.concatenate([chunk.weights[stay], weights[sure], parts])
        alive = chunk.weights > 0
        last_level = chunk.nodes >= first
        alive[last_level] &= self.opened[chunk.nodes[last_level] - first]
        if not alive.all():
            chunk.nodes, chunk.rows, chunk.weights = (
                chunk.nodes[alive],
                chunk.rows[alive],
                chunk.weights[alive],
            )

    def tree(self) -> Tree:
        """All nodes, those of the last level being leaves, and behind them what was grown exactly."""
        n = self._size
        last = n - len(self.input)
        closed = np.full(last, NONE, dtype=np.int32)
        self.worth.append(np.zeros(last))
        input, first, otherwise = (np.append(a, closed) for a in (self.input, self.first, self.otherwise))
        branches = np.append(self.branches, np.zeros(last, dtype=np.int32))
        counts = np.concatenate(self._counts)
        cuts: list[Any] = [self._cuts.get(i) for i in range(n)]
        levels: list[Any] = [self._levels.get(i) for i in range(n)]
        parts: dict[str, list[Array]] = {
            key: [] for key in ("input", "first", "branches", "otherwise", "counts")
        }
        for node, sub in self._grafts:
            tested = self._tests_of(sub)
            down = np.where(sub["first"] == NONE, NONE, sub["first"] - 1 + n).astype(np.int32)
            input[node], first[node], branches[node] = sub["input"][0], down[0], sub["branches"][0]
            otherwise[node], (cuts[node], levels[node]) = sub["otherwise"][0], tested[0]
            parts["input"].append(sub["input"][1:])
            parts["first"].append(down[1:])
            parts["branches"].append(sub["branches"][1:])
            parts["otherwise"].append(sub["otherwise"][1:])
            parts["counts"].append(sub["counts"].reshape(-1, self.n_classes)[1:])
            cuts.extend(cut for cut, _ in tested[1:])
            levels.extend(level for _, level in tested[1:])
            n += len(down) - 1
        return Tree(
            self._inputs,
            Tests(
                np.concatenate([input, *parts["input"]]),
                *_concatenate(cuts, np.float64),
                *_concatenate(levels, np.int32),
            ),
            np.concatenate([first, *parts["first"]]),
            np.concatenate([branches, *parts["branches"]]),
            np.concatenate([otherwise, *parts["otherwise"]]),
            np.concatenate([counts, *parts["counts"]]),
            np.zeros(n + 1, dtype=np.int32),
            Tests.of([]),
        )

    def _tests_of(self, sub: dict[str, Any]) -> list[tuple[Any, Any]]:
        """For each node of a subtree its cuts, as numbers, and the branches of its levels."""
        tests: list[tuple[Any, Any]] = []
        cut_at, branch_at = sub["cut_at"].tolist(), sub["branch_at"].tolist()
        edge = np.ceil(sub["cuts"]).astype(np.intp) - 1  # the middle edge of those between the two bins
        for i, j in enumerate(sub["input"].tolist()):
            edges = self._plan.edges[j] if j != NONE else None
            tests.append(
                (
                    None if edges is None else edges[edge[cut_at[i] : cut_at[i + 1]]],
                    None
                    if j == NONE or edges is not None
                    else sub["branch"][branch_at[i] : branch_at[i + 1]],
                )
            )
        return tests


def _concatenate(parts: list[Any], dtype: Any) -> tuple[Codes, Any]:
    """Where each part begins, and all of them together."""
    sizes = [0 if part is None else len(part) for part in parts]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    some = [part for part in parts if part is not None]
    return starts, np.concatenate(some).astype(dtype) if some else np.empty(0, dtype=dtype)
