"""Many trees out of shared arrays, checked all at once: every check of `Tree.from_arrays`, over all nodes together.

Trees of a forest look at the same inputs, so their tests can be judged as those of one long line of nodes; what
holds within each tree alone (children, where runs begin and end) is judged by the tree each node belongs to.
Five hundred trees take as many numpy calls as one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from acumen.data.schema import Schema
from acumen.models.nested import Packed
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.trees.inputs import Inputs
from acumen.trees.node_tests import NONE, Tests
from acumen.trees.tree import Tree
from acumen.types import Array, Codes, Floats

_OF_INPUTS = ("inputs/form", "inputs/first", "inputs/second", "inputs/words", "inputs/word_ends")
_OF_TESTS = ("input", "cut_at", "cuts", "branch_at", "branch")
#: The arrays of a tree and of its class probabilities.
NAMES = frozenset(
    {*_OF_INPUTS, "first", "branches", "otherwise", "counts", "surrogate_at", "shares"}
    | {f"{which}/{name}" for which in ("test", "surrogate") for name in _OF_TESTS}
)


def forest_from(
    slots: Mapping[str, Packed], members: int, schema: Schema
) -> tuple[list[Tree], list[Floats]] | None:
    """The trees and their shares; None where they are not alike enough to be read together."""
    if slots.keys() != NAMES or any(slots[name].shape.shape[1] != 1 for name in NAMES - {"counts", "shares"}):
        return None
    inputs = _common_inputs(slots, members, schema)
    if inputs is None or slots["counts"].shape.shape[1] != 2:
        return None
    shape = slots["counts"].shape
    require(np.array_equal(slots["shares"].shape, shape), "a tree has not one line of shares for each node")
    require(np.all(shape[:, 1] == schema.n_classes), "a tree counts another number of classes than there are")
    flat = {name: packed.values for name, packed in slots.items()}
    stored_floats(flat, "counts", (None,), low=0.0, high=1e150)
    stored_floats(flat, "shares", (None,), low=0.0, high=1.0)
    whole = flat["shares"].reshape(-1, schema.n_classes).sum(axis=1)
    require(np.all(np.abs(whole - 1.0) < 1e-6), "the class probabilities of a node do not sum to 1")
    nodes = shape[:, 0]
    require(np.all(nodes >= 1), "a tree has no node")
    branches = _nodes(flat, slots, nodes)
    _tests(flat, slots, "test/", nodes, inputs, schema, branches)
    require(
        np.array_equal(flat["test/input"] == NONE, flat["first"] == NONE),
        "a node has a test and no child, or no test",
    )
    stand_ins = slots["surrogate/input"].shape[:, 0]
    at = _runs(flat, slots, "surrogate_at", nodes, stand_ins)
    width = np.repeat(branches, np.diff(at))
    _tests(flat, slots, "surrogate/", stand_ins, inputs, schema, width, turned=True)
    require(np.all(flat["surrogate/input"] != NONE), "a surrogate has no test")
    trees = [_tree(slots, i, inputs) for i in range(members)]
    return trees, [slots["shares"].part(i) for i in range(members)]


def _common_inputs(slots: Mapping[str, Packed], members: int, schema: Schema) -> Inputs | None:
    """The inputs that all trees share; None where they do not."""
    for name in _OF_INPUTS:
        values, _, shape = slots[name]
        if len(np.unique(shape)) > 1:
            return None
        lines = values.reshape(members, -1)
        if not np.array_equal(lines, np.broadcast_to(lines[:1], lines.shape)):
            return None
    return Inputs.from_arrays({name: slots[name].part(0) for name in _OF_INPUTS}, schema)


def _nodes(flat: Mapping[str, Array], slots: Mapping[str, Packed], nodes: Array) -> Codes:
    """Children, branches and where the lost go; the branches of every node are given back."""
    for name in ("first", "branches", "otherwise"):
        require(np.array_equal(slots[name].shape[:, 0], nodes), f"the array {name!r} is not of all nodes")
    n = int(nodes.max())
    first = stored_codes(flat, "first", (None,), low=NONE, below=n)
    branches = stored_codes(flat, "branches", (None,), low=0, below=n)
    otherwise = stored_codes(flat, "otherwise", (None,), low=NONE, below=n)
    require(np.all(otherwise < np.maximum(branches, 1)), "a node sends missing values to a branch it has not")
    start = np.cumsum(nodes) - nodes  # where each tree's nodes begin
    owner = np.repeat(np.arange(len(nodes)), nodes)
    leaf = first == NONE
    require(not branches[leaf].any(), "a leaf of a tree has branches")
    inner = np.flatnonzero(~leaf)
    require(np.all(branches[inner] >= 1), "an inner node of a tree has no branch")
    begins = first[inner].astype(np.int64) + start[owner[inner]]
    ends = begins + branches[inner]
    # Each node but the roots is a child exactly once, of its own tree, and after its parent: no circle, none astray.
    home = owner[inner]
    order = np.lexsort((begins, home))
    begins, ends, home = begins[order], ends[order], home[order]
    opens = np.ones(len(home), dtype=np.bool_)
    opens[1:] = home[1:] != home[:-1]
    closes = np.roll(opens, -1) if len(opens) else opens
    expected = np.where(opens, start[home] + 1, np.roll(ends, 1))
    single = np.ones(len(nodes), dtype=np.bool_)
    single[home] = False
    require(
        np.all(begins > inner[order])
        and np.array_equal(begins, expected)
        and np.array_equal(ends[closes], (start + nodes)[home[closes]])
        and np.all(nodes[single] == 1),
        "the nodes of a tree do not form a tree",
    )
    return branches


def _runs(
    flat: Mapping[str, Array], slots: Mapping[str, Packed], name: str, places: Array, totals: Array
) -> Codes:
    """Where the runs of each place begin, over all trees: each tree's own begin at 0 and end at its total."""
    packed = slots[name]
    require(np.array_equal(packed.shape[:, 0], places + 1), f"the array {name!r} is not of all places")
    local = stored_codes(flat, name, (None,), low=0, below=int(totals.max(initial=0)) + 1)
    rises = np.diff(local) >= 0
    rises[packed.at[1:-1] - 1] = True  # from one tree to the next it falls to 0
    require(
        not local[packed.at[:-1]].any() and np.array_equal(local[packed.at[1:] - 1], totals) and rises.all(),
        f"the array {name!r} does not ascend from 0 to the end",
    )
    base = np.cumsum(totals) - totals
    kept = np.ones(len(local), dtype=np.bool_)
    kept[packed.at[1:-1] - 1] = False  # the end of one tree is the beginning of the next
    return np.asarray((local + np.repeat(base, places + 1))[kept], dtype=np.int64)


def _tests(
    flat: Mapping[str, Array],
    slots: Mapping[str, Packed],
    prefix: str,
    places: Array,
    inputs: Inputs,
    schema: Schema,
    width: Codes,
    *,
    turned: bool = False,
) -> None:
    """All tests as those of one line of places."""
    require(np.array_equal(slots[f"{prefix}input"].shape[:, 0], places), "a test is missing")
    line = {f"{prefix}{name}": flat[f"{prefix}{name}"] for name in ("input", "cuts", "branch")}
    for name, of in (("cut_at", "cuts"), ("branch_at", "branch")):
        starts = _runs(flat, slots, f"{prefix}{name}", places, slots[f"{prefix}{of}"].shape[:, 0])
        require(starts[-1] < 2**31, "there are more tests than can be counted")
        line[f"{prefix}{name}"] = starts.astype(np.int32)
    Tests.from_arrays(line, prefix, int(places.sum()), inputs, schema, width, turned=turned)


def _tree(slots: Mapping[str, Packed], i: int, inputs: Inputs) -> Tree:
    def tests(prefix: str) -> Tests:
        return Tests(*(slots[f"{prefix}{name}"].part(i) for name in _OF_TESTS))

    first, branches, otherwise, counts, surrogate_at = (
        slots[name].part(i) for name in ("first", "branches", "otherwise", "counts", "surrogate_at")
    )
    return Tree(inputs, tests("test/"), first, branches, otherwise, counts, surrogate_at, tests("surrogate/"))
