"""Growing level by level from histograms: rows may come in any parts, and as often as there are levels.

    grow_by_levels   parts of rows -> Tree, unpruned

A level is a summary: the class weight of every open node, input and code (`bins`). While nodes are open, the level is
summarised, a test is solved for every node, and the rows fall to the children. Histograms of parts add exactly, so
the tree is the same for any cut of the rows; it is the tree that exact growing would find of the binned values. Binned
rows are held in memory while they need no more than `_HELD`; else every level is another pass over the source. Of rows
that are held, nodes of a few thousand are therefore finished by exact growing over the bins (`_finish`): there a
histogram has more cells than the node has rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.data.schema import Schema
from acumen.engines.cores import cores
from acumen.trees.bins import BinCodes, Bins, mixed, planned
from acumen.trees.cut import cut
from acumen.trees.grow import kernel_options
from acumen.trees.inputs import Inputs
from acumen.trees.options import GrowOptions
from acumen.trees.sample import Sample
from acumen.trees.tests import NONE, Tests
from acumen.trees.tree import Tree
from acumen.types import Array, Bools, Codes, Floats, Indices

#: Bytes of binned rows that are kept, and of the cells of nodes that are counted in one pass.
_HELD: Final = 1 << 28
_CELLS: Final = 1 << 27
#: A node of no more rows is finished exactly over its bins.
_FEW: Final = 4096


def grow_by_levels(
    source: Iterable[Sample], inputs: Inputs, schema: Schema, *, options: GrowOptions, bins: int
) -> Tree:
    """Grow a tree from parts of rows; `source` can be gone through more than once and gives the same rows each time.

    Parts hold whole blocks of rows (see `engines.blocks`), but for the last. Every row has a label.
    """
    k = schema.n_classes
    plan = planned(source, inputs, schema, bins)
    rows = _Rows(source, plan)
    counts = rows.class_weights(k)
    nodes = _Nodes(inputs, schema, plan, counts)
    if len(inputs):
        depth = 0
        while nodes.n_open:
            if options.max_leaves is None and rows.are_held:
                _finish(rows, nodes, options, depth)
            if nodes.n_open:
                _grow_level(rows, nodes, options, depth)
            depth += 1
    tree = nodes.tree()
    if options.max_leaves is None:
        return tree
    return cut(tree, _beyond(tree, np.concatenate(nodes.worth), options.max_leaves))


def _grow_level(rows: _Rows, nodes: _Nodes, options: GrowOptions, depth: int) -> None:
    """Find the tests of all open nodes, a batch of them for each pass over the rows."""
    first, last = nodes.open_range
    width = int(nodes.at[-1]) * nodes.n_classes
    open_nodes = np.flatnonzero(nodes.opened) + first
    batch = max(1, _CELLS // (8 * width))
    slot_of = np.full(last - first, NONE, dtype=np.int32)
    slot_of[open_nodes - first] = np.arange(len(open_nodes), dtype=np.int32)
    found = []
    for start in range(0, len(open_nodes), batch):
        size = min(batch, len(open_nodes) - start)
        cells = np.zeros((size, int(nodes.at[-1]), nodes.n_classes))
        for chunk in rows.fallen(nodes):
            slots = slot_of[chunk.nodes - first] - np.int32(start)
            mine = np.flatnonzero((slots >= 0) & (slots < size))
            _native.tree_count_cells(
                chunk.codes, chunk.labels, chunk.rows[mine], slots[mine], chunk.weights[mine], nodes.at, cells, cores()
            )  # fmt: skip
        found.append(nodes.solved(cells, open_nodes[start : start + size], rows.n_rows, depth, options))
    nodes.add(found, open_nodes)


def _finish(rows: _Rows, nodes: _Nodes, options: GrowOptions, depth: int) -> None:
    """Grow everything below the open nodes of few rows, and close them."""
    first, last = nodes.open_range
    chunks = list(rows.fallen(nodes))
    sizes = np.sum([np.bincount(chunk.nodes - first, minlength=last - first) for chunk in chunks], axis=0)
    few = nodes.opened & (sizes <= _FEW)
    if not few.any():
        return
    mine = [np.flatnonzero(few[chunk.nodes - first]) for chunk in chunks]
    at = np.concatenate([chunk.nodes[some] for chunk, some in zip(chunks, mine, strict=True)])
    starts = np.cumsum([0, *(len(chunk.labels) for chunk in chunks)])
    row = np.concatenate([c.rows[i] + np.int64(s) for c, i, s in zip(chunks, mine, starts[:-1], strict=True)])
    order = np.lexsort((row, at))  # of each node its rows as they were read, however these were cut
    labels = np.concatenate([c.labels[c.rows[i]] for c, i in zip(chunks, mine, strict=True)])[order]
    weights = np.concatenate([c.weights[i] for c, i in zip(chunks, mine, strict=True)])[order]
    codes = np.concatenate([c.codes[:, c.rows[i]] for c, i in zip(chunks, mine, strict=True)], axis=1)[
        :, order
    ]
    ends = np.cumsum(np.bincount(at - first, minlength=last - first)[few])
    columns = nodes.columns_of(codes)

    def below(node: int, begin: int, end: int) -> tuple[int, dict[str, Any]]:
        some = slice(begin, end)
        return node, nodes.exact(
            columns, some, labels[some], weights[some], node, rows.n_rows, depth, options
        )

    with ThreadPoolExecutor(cores()) as pool:
        made = pool.map(below, np.flatnonzero(few) + first, np.concatenate([[0], ends[:-1]]), ends)
        for node, subtree in made:
            nodes.graft(node, subtree)
    nodes.opened = nodes.opened & ~few
    for chunk, some in zip(chunks, mine, strict=True):
        stay = np.ones(len(chunk.nodes), dtype=np.bool_)
        stay[some] = False
        chunk.nodes, chunk.rows, chunk.weights = chunk.nodes[stay], chunk.rows[stay], chunk.weights[stay]


@dataclass(slots=True)
class _Chunk:
    """Binned rows, and where they are: `rows[i]` is at `nodes[i]` with `weights[i]`."""

    codes: BinCodes
    labels: Codes
    rows: npt.NDArray[np.uint32]
    nodes: Codes
    weights: Floats


class _Rows:
    """The rows of a source, binned, at the nodes they have fallen to."""

    def __init__(self, source: Iterable[Sample], plan: Bins) -> None:
        self._source, self._plan = source, plan
        self._held: list[_Chunk] | None = []
        self.n_rows = 0
        size = 0
        for chunk in self._binned():
            self.n_rows += len(chunk.labels)
            size += chunk.codes.nbytes
            if self._held is not None:
                self._held.append(chunk)
            if size > _HELD:
                self._held = None

    def _binned(self) -> Iterator[_Chunk]:
        """Every part, its rows at the root."""
        for part in self._source:
            n = len(part)
            weights = self._plan.on_grid(part.weights) if len(part.weights) else np.ones(n)
            yield _Chunk(
                self._plan.codes(part.columns),
                np.ascontiguousarray(part.labels),
                np.arange(n, dtype=np.uint32),
                np.zeros(n, dtype=np.int32),
                weights,
            )

    @property
    def are_held(self) -> bool:
        """Whether they stand in memory, binned."""
        return self._held is not None

    def class_weights(self, classes: int) -> Floats:
        """The weight of each class."""
        made = np.zeros(classes)
        for chunk in self._binned() if self._held is None else self._held:
            made += np.bincount(chunk.labels, chunk.weights, classes)
        return made

    def fallen(self, nodes: _Nodes) -> Iterator[_Chunk]:
        """Every part, its rows at the open nodes; rows at leaves are left out."""
        first, _ = nodes.open_range
        for chunk in self._binned() if self._held is None else self._held:
            while len(chunk.nodes) and chunk.nodes.min() < first:
                nodes.fall(chunk)
            yield chunk


class _Nodes:
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

    def solved(
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
        made: list[Array] = []
        for j, line in enumerate(codes):
            known = line < self._plan.sizes[j]
            if self._numeric[j]:
                made.append(np.where(known, line.astype(np.float64), np.nan))
            else:
                made.append(np.where(known, line.astype(np.int32), np.int32(NONE)))
        return made

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
        asked = kernel_options(options) | {
            "rows": n_rows,
            "seed": int(self._paths[node - first]) ^ options.seed,
        }
        if options.max_depth is not None:
            asked["max_depth"] = options.max_depth - depth
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
                asked,
                1,
            )
        )

    def graft(self, node: int, subtree: dict[str, Any]) -> None:
        """A node's subtree, to be put in its place at the end; its cuts are between bins."""
        self._grafts.append((int(node), subtree))

    def add(self, found: list[dict[str, Any]], open_nodes: Indices) -> None:
        """Write the tests of the last level's open nodes, and open their children."""
        first, last = self.open_range
        n = last - first
        place = open_nodes - first
        whole = {
            key: np.concatenate([part[key] for part in found]) for key in found[0] if not key.endswith("_at")
        }
        cut_sizes, map_sizes = (
            np.concatenate([np.diff(part[key]) for part in found]) for key in ("cut_at", "branch_at")
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
        self._paths = mixed(self._paths[owner] ^ mixed(branch.astype(np.uint64) + np.uint64(1)))
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

    def fall(self, chunk: _Chunk) -> None:
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
                *_joined(cuts, np.float64),
                *_joined(levels, np.int32),
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
        made: list[tuple[Any, Any]] = []
        cut_at, branch_at = sub["cut_at"].tolist(), sub["branch_at"].tolist()
        edge = np.ceil(sub["cuts"]).astype(np.intp) - 1  # the middle edge of those between the two bins
        for i, j in enumerate(sub["input"].tolist()):
            edges = self._plan.edges[j] if j != NONE else None
            made.append(
                (
                    None if edges is None else edges[edge[cut_at[i] : cut_at[i + 1]]],
                    None
                    if j == NONE or edges is not None
                    else sub["branch"][branch_at[i] : branch_at[i + 1]],
                )
            )
        return made


def _joined(parts: list[Any], dtype: Any) -> tuple[Codes, Any]:
    """Where each part begins, and all of them together."""
    sizes = [0 if part is None else len(part) for part in parts]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    some = [part for part in parts if part is not None]
    return starts, np.concatenate(some).astype(dtype) if some else np.empty(0, dtype=dtype)


def _beyond(tree: Tree, worth: Floats, max_leaves: int) -> Bools:
    """The nodes that stay leaves when the node whose split gains most is split first, up to `max_leaves`."""
    stay = ~tree.leaves
    waiting: list[tuple[float, int, int]] = []
    entered = 0
    leaves = 1

    def enter(node: int) -> None:
        nonlocal entered
        if not tree.leaves[node]:
            heappush(waiting, (-float(worth[node]), entered, node))
            entered += 1

    enter(0)
    while waiting:
        _, _, node = heappop(waiting)
        if leaves + int(tree.branches[node]) - 1 > max_leaves:
            continue
        stay[node] = False
        leaves += int(tree.branches[node]) - 1
        for child in tree.children(node):
            enter(child)
    return np.asarray(stay)
