"""Rows that go down several branches of a tree in shares, which no tree of ONNX can say: by products of shares.

For the lost rows alone, each node has the share that a row gives it: of its own branch all or nothing, and where no
branch fits, that of the branch's training rows (Quinlan 1993). Products down the levels are what each leaf has of a
row, and the leaves' class probabilities are weighed by them.

Tensors here are (nodes, rows): nodes are picked out all the time, and lie together so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from acumen.exports.onnx_graph import OnnxGraph
from acumen.trees.node_tests import NONE
from acumen.trees.tree import Tree
from acumen.types import Floats


def write_shared(
    g: OnnxGraph,
    tree: Tree,
    shares: Floats,
    features: Sequence[str],
    feature_places: Mapping[int, int],
    lost: str,
    predicted: str,
) -> str:
    """`predicted`, with the lines of `lost` rows put in its place: logarithms of their class probabilities.

    `feature_places` gives, for each inner node, the place of its column among the features.
    """
    flat = g.add("Reshape", lost, g.whole([-1]))
    rows = _transpose(g, g.add("Compress", g.beside(*features), flat, axis=0))
    shares_of_nodes, order = _branch_shares(g, tree, rows, feature_places)
    parts, leaves = _leaves(g, tree, shares_of_nodes, order)
    summed = g.add("MatMul", g.constant(shares[leaves].T), parts)
    return g.add(
        "ScatterND", predicted, _transpose(g, g.add("NonZero", flat)), g.add("Log", _transpose(g, summed))
    )


def _transpose(g: OnnxGraph, matrix: str) -> str:
    return g.add("Transpose", matrix, perm=[1, 0])


def _leaves(g: OnnxGraph, tree: Tree, own: str, order: Sequence[int]) -> tuple[str, list[int]]:
    """(leaves, rows): what each leaf has of a row, and which leaf each line is of."""
    place = {node: at for at, node in enumerate(order)}
    depth, parent = tree.depth, tree.parent
    ended: list[str] = []
    numbers: list[int] = []
    above = ""
    before: dict[int, int] = {}
    for level in range(1, int(depth.max()) + 1):
        here = np.flatnonzero(depth == level)
        product = _pick_columns(g, own, [place[int(node)] for node in here])
        if above:
            product = g.add(
                "Mul", _pick_columns(g, above, [before[int(parent[node])] for node in here]), product
            )
        leaves = np.flatnonzero(tree.leaves[here])
        if len(leaves):
            ended.append(_pick_columns(g, product, leaves.tolist()))
            numbers += here[leaves].tolist()
        above, before = product, {int(node): at for at, node in enumerate(here)}
    return _below(g, ended), numbers


def _pick_columns(g: OnnxGraph, matrix: str, places: Sequence[int]) -> str:
    return g.add("Gather", matrix, g.whole(places), axis=0)


def _below(g: OnnxGraph, parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else g.add("Concat", *parts, axis=0)


def _branch_shares(
    g: OnnxGraph, tree: Tree, rows: str, feature_places: Mapping[int, int]
) -> tuple[str, list[int]]:
    """(nodes, rows): the share that its parent gives each node but the root, and which node each line is of."""
    parts: list[str] = []
    order: list[int] = []
    for column in sorted(set(feature_places.values())):
        x = _pick_columns(g, rows, [column])
        nodes = [node for node, place in feature_places.items() if place == column]
        by_cut = [node for node in nodes if _cuts(tree, node) is not None]
        by_code = [node for node in nodes if _cuts(tree, node) is None]
        for some, write in ((by_cut, _of_numbers), (by_code, _of_codes)):
            if some:
                parts.append(write(g, tree, x, some))
                order += [child for node in some for child in tree.children(node)]
    return _below(g, parts), order


def _cuts(tree: Tree, node: int) -> Floats | None:
    """The cuts of a node that is given numbers; None of one that is given codes, or branches that surrogates chose."""
    cuts = tree.tests.cuts_of(node)
    return cuts if len(cuts) and tree.surrogate_at[node] == tree.surrogate_at[node + 1] else None


def _of_numbers(g: OnnxGraph, tree: Tree, x: str, nodes: Sequence[int]) -> str:
    """Above the cut before and not above its own; a branch beyond all cuts is for the lost alone."""
    low, high = [], []
    for node in nodes:
        cuts = tree.tests.cuts_of(node)
        for branch in range(int(tree.branches[node])):
            beyond = branch > len(cuts)
            low.append(np.inf if beyond else cuts[branch - 1] if branch else np.nan)  # nothing is at most NaN
            high.append(np.inf if beyond or branch == len(cuts) else cuts[branch])
    above = g.negate(g.add("LessOrEqual", x, g.constant(np.array(low)[:, None])))
    inside = g.add("And", above, g.add("LessOrEqual", x, g.constant(np.array(high)[:, None])))
    lost = np.concatenate([_lost_share(tree, node) for node in nodes])
    return g.choose(g.add("IsNaN", x), g.constant(lost[:, None]), g.number(inside))


def _of_codes(g: OnnxGraph, tree: Tree, x: str, nodes: Sequence[int]) -> str:
    """A line for each code, and last one for codes that are none."""
    tables = []
    for node in nodes:
        branches = tree.tests.branches_of(node)
        if tree.surrogate_at[node] < tree.surrogate_at[node + 1]:
            branches = np.arange(tree.branches[node], dtype=np.int32)
        lines = np.vstack([np.eye(int(tree.branches[node])), _lost_share(tree, node)])
        tables.append(lines[np.where(branches == NONE, -1, branches)])
    most = max(map(len, tables))
    whole = np.hstack(
        [
            np.vstack([table, np.tile(_lost_share(tree, node), (most + 1 - len(table), 1))])
            for table, node in zip(tables, nodes, strict=True)
        ]
    )
    known = g.choose(g.add("IsNaN", x), g.constant([[float(most)]]), x)
    return _transpose(g, g.looked_up(g.constant(whole), g.place(known)))


def _lost_share(tree: Tree, node: int) -> Floats:
    """What each branch has of a row that none fits."""
    if tree.otherwise[node] != NONE:
        return np.eye(int(tree.branches[node]))[int(tree.otherwise[node])]
    weight = tree.weight[list(tree.children(node))]
    total = weight.sum()
    return weight / total if total > 0 else np.full(len(weight), 1.0 / len(weight))
