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
from typing import Any, Final

import numpy as np

from acumen import _native
from acumen.data.schema import Schema
from acumen.engines.cores import cores
from acumen.trees.bins import planned
from acumen.trees.branching import NONE
from acumen.trees.cut import cut
from acumen.trees.inputs import Inputs
from acumen.trees.level_nodes import Nodes
from acumen.trees.level_rows import Rows
from acumen.trees.options import GrowOptions
from acumen.trees.sample import Sample
from acumen.trees.tree import Tree
from acumen.types import Bools, Floats

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
    k = schema.n_classes
    plan = planned(source, inputs, schema, bins)
    rows = Rows(source, plan)
    counts = rows.class_weights(k)
    nodes = Nodes(inputs, schema, plan, counts)
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


def _grow_level(rows: Rows, nodes: Nodes, options: GrowOptions, depth: int) -> None:
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


def _finish(rows: Rows, nodes: Nodes, options: GrowOptions, depth: int) -> None:
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
