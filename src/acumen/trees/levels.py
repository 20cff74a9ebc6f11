"""Growing level by level from histograms: rows may come in any parts, and as often as there are levels.

    grow_by_levels   parts of rows -> Tree, unpruned

A level is a summary: the class weight of every open node, input and code (`bins`). While nodes are open, the level is
summarised, a test is solved for every node, and the rows fall to the children (`level_rows`, `level_nodes`). Histograms
of parts add exactly, so the tree is the same for any cut of the rows; it is the tree that exact growing would find of
the binned values. Where rows are many, every level is another pass over the source. Of rows that are held in memory,
nodes of a few thousand are finished by exact growing over the bins (`_finish`): there a histogram has more cells
than the node has rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from heapq import heappop, heappush
from typing import Any, Final, TypeAlias

import numpy as np

from acumen.data.schema import Schema
from acumen.engines.cores import cores
from acumen.trees.binning import Bins, plan_bins
from acumen.trees.inputs import Inputs
from acumen.trees.level_nodes import Nodes
from acumen.trees.level_rows import LevelRows, LocalLevelRows, OpenNodes
from acumen.trees.node_tests import NONE
from acumen.trees.options import GrowOptions
from acumen.trees.sample import Sample
from acumen.trees.subtree import cut_at
from acumen.trees.tree import Tree
from acumen.types import Bools, Floats, Indices

#: Bytes of the cells of nodes that are counted in one pass.
_CELLS: Final = 1 << 27
#: A node of no more rows is finished exactly over its bins.
_FEW: Final = 4096


def grow_by_levels(
    source: Iterable[Sample], inputs: Inputs, schema: Schema, *, options: GrowOptions, bins: int
) -> Tree:
    """Grow a tree from parts of rows; `source` can be gone through more than once and gives the same rows each time.

    Parts hold whole blocks of rows (see `engines.blocks`), but for the last. Every row has a label.
    """
    plan = plan_bins(source, inputs, schema, bins)
    return grow_binned(LocalLevelRows(source, plan), plan, inputs, schema, options)


def grow_binned(rows: LevelRows, plan: Bins, inputs: Inputs, schema: Schema, options: GrowOptions) -> Tree:
    """Grow a tree from rows that are binned, wherever they are."""
    counts = rows.class_weights(schema.n_classes)
    nodes = Nodes(inputs, schema, plan, counts)
    if len(inputs):
        depth, before = 0, None
        while nodes.n_open:
            if options.max_leaf_nodes is None and rows.are_held:
                _finish(rows, nodes, options, depth)
            if nodes.n_open:
                before = _grow_level(rows, nodes, options, depth, before)
            depth += 1
    tree = nodes.tree()
    if options.max_leaf_nodes is None:
        return tree
    return cut_at(tree, _beyond(tree, np.concatenate(nodes.worth), options.max_leaf_nodes))


#: The nodes of a level and their cells.
Counted: TypeAlias = "tuple[Indices, Floats] | None"


def _grow_level(rows: LevelRows, nodes: Nodes, options: GrowOptions, depth: int, before: Counted) -> Counted:
    """Find the tests of all open nodes, a batch of them for each pass over the rows.

    Of two children the lighter is counted, and the other is what is left of their parent: sums are exact, so that
    what is left is what counting would give. `before` has the parents and their cells.
    """
    first, last = nodes.open_range
    width = int(nodes.at[-1]) * nodes.n_classes
    open_nodes = np.flatnonzero(nodes.opened) + first
    batch = max(1, _CELLS // (8 * width))
    slot_of = np.full(last - first, NONE, dtype=np.int32)
    if len(open_nodes) <= batch:
        parent, lighter, heavier = nodes.siblings(before)
        is_heavier = np.isin(open_nodes, heavier)
        slot_of[open_nodes[~is_heavier] - first] = np.arange(int((~is_heavier).sum()), dtype=np.int32)
        counted = rows.cells(nodes, OpenNodes(slot_of, 0, int((~is_heavier).sum())))
        cells = counted
        if is_heavier.any():
            assert before is not None
            cells = np.empty((len(open_nodes), *counted.shape[1:]))
            cells[~is_heavier] = counted
            place = np.searchsorted(open_nodes, heavier)
            cells[place] = before[1][parent] - counted[slot_of[lighter - first]]
        nodes.add([nodes.solve_tests(cells, open_nodes, rows.n_rows, depth, options)], open_nodes)
        return open_nodes, cells
    slot_of[open_nodes - first] = np.arange(len(open_nodes), dtype=np.int32)
    solutions = []
    for start in range(0, len(open_nodes), batch):
        size = min(batch, len(open_nodes) - start)
        cells = rows.cells(nodes, OpenNodes(slot_of, start, size))
        solutions.append(
            nodes.solve_tests(cells, open_nodes[start : start + size], rows.n_rows, depth, options)
        )
    nodes.add(solutions, open_nodes)
    return None


def _finish(rows: LevelRows, nodes: Nodes, options: GrowOptions, depth: int) -> None:
    """Grow everything below the open nodes of few rows, and close them."""
    first, last = nodes.open_range
    few = nodes.opened & (rows.sizes(nodes) <= _FEW)
    if not few.any():
        return
    taken = rows.take_few(nodes, few)
    order = np.lexsort(
        (taken.row, taken.nodes)
    )  # of each node its rows as they were read, however these were cut
    at, labels, weights = taken.nodes, taken.labels[order], taken.weights[order]
    codes = taken.codes[:, order]
    ends = np.cumsum(np.bincount(at - first, minlength=last - first)[few])
    columns = nodes.columns_of(codes)

    def below(node: int, begin: int, end: int) -> tuple[int, dict[str, Any]]:
        some = slice(begin, end)
        return node, nodes.exact(
            columns, some, labels[some], weights[some], node, rows.n_rows, depth, options
        )

    with ThreadPoolExecutor(cores()) as pool:
        subtrees = pool.map(below, np.flatnonzero(few) + first, np.concatenate([[0], ends[:-1]]), ends)
        for node, subtree in subtrees:
            nodes.graft(node, subtree)
    nodes.opened = nodes.opened & ~few


def _beyond(tree: Tree, worth: Floats, max_leaf_nodes: int) -> Bools:
    """The nodes that stay leaves when the node whose split gains most is split first, up to `max_leaf_nodes`."""
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
        if leaves + int(tree.branches[node]) - 1 > max_leaf_nodes:
            continue
        stay[node] = False
        leaves += int(tree.branches[node]) - 1
        for child in tree.children(node):
            enter(child)
    return np.asarray(stay)
