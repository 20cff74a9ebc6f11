"""Trees as nodes of ai.onnx.ml's TreeEnsemble, thresholds in double precision.

    Ensemble       the arrays of the operator while they are filled
    write_tree     a grown tree: the number of each row's leaf, looked up in a table
    write_packed   packed trees: the sums of their leaves, a tree for each output that its leaves have

A column of codes is given to the operator as numbers, NaN for missing and unknown levels; a set of levels is asked for
by BRANCH_MEMBER. A node of several branches becomes a chain of nodes of two. Rows that no branch fits follow
`otherwise`, by nodes_missing_value_tracks_true or by being in none of the sets asked for; where they go down all
branches in shares, they come to a leaf of their own and are worked out by `onnx_shares`. What a surrogate decides is
worked out before the tree and given to it as a column of branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from acumen.conditions.pair import CombinedAttributes
from acumen.ensembles.column_codes import ColumnCoding
from acumen.ensembles.packed_forest import PackedForest
from acumen.errors import DataError
from acumen.exports.onnx_columns import InputTensors
from acumen.exports.onnx_graph import ML
from acumen.exports.onnx_shares import write_shared
from acumen.trees.inputs import Input
from acumen.trees.node_tests import NONE, Tests
from acumen.trees.tree import Tree
from acumen.types import Floats

_LEQ, _MEMBER = 0, 6
_LEAN = 0x8000_0000
_NO_CUT = 0xFFFF

#: A child while nodes are made: calling it writes it, and gives its place and whether it is a leaf.
Child = Callable[[], tuple[int, bool]]


@dataclass(slots=True)
class Ensemble:
    """The operator's attributes."""

    features: list[int] = field(default_factory=list)
    splits: list[float] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    true: list[tuple[int, bool]] = field(default_factory=list)
    false: list[tuple[int, bool]] = field(default_factory=list)
    tracks: list[int] = field(default_factory=list)
    members: list[float] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    waiting: list[tuple[int, bool, Child]] = field(default_factory=list)

    def grow(self, root: Child) -> tuple[int, bool]:
        """A tree, however deep: children are written after their parents, one after another."""
        root_node = root()
        while self.waiting:
            parent, side, child = self.waiting.pop()
            (self.true if side else self.false)[parent] = child()
        if not root_node[1]:
            self.roots.append(root_node[0])
        return root_node

    def leaf(self, target: int, weight: float) -> tuple[int, bool]:
        self.targets.append(target)
        self.weights.append(weight)
        return len(self.targets) - 1, True

    def node(
        self, feature: int, test: float | Sequence[int], true: Child, false: Child, missing_true: bool
    ) -> tuple[int, bool]:
        """A node: whether a number is at most `test`, or a code among them."""
        at = len(self.features)
        self.features.append(feature)
        self.splits.append(test if isinstance(test, float) else 0.0)
        self.modes.append(_LEQ if isinstance(test, float) else _MEMBER)
        self.tracks.append(int(missing_true))
        if not isinstance(test, float):
            self.members += [
                *map(float, test),
                np.nan,
            ]  # in the order of the nodes, as the operator reads them
        self.true.append((0, False))
        self.false.append((0, False))
        self.waiting += [(at, False, false), (at, True, true)]
        return at, False

    def write(self, columns: InputTensors, features: Sequence[str], targets: int) -> str:
        """(rows, targets): what the trees add to each."""
        g = columns.graph
        how = {
            "nodes_featureids": self.features, "nodes_splits": g.tensor(np.array(self.splits)),
            "nodes_modes": g.tensor(np.array(self.modes, dtype=np.uint8)),
            "nodes_truenodeids": [at for at, _ in self.true], "nodes_trueleafs": [int(leaf) for _, leaf in self.true],
            "nodes_falsenodeids": [at for at, _ in self.false],
            "nodes_falseleafs": [int(leaf) for _, leaf in self.false],
            "nodes_missing_value_tracks_true": self.tracks,
            "leaf_targetids": self.targets, "leaf_weights": g.tensor(np.array(self.weights)),
            "tree_roots": self.roots, "n_targets": targets, "aggregate_function": 1, "post_transform": 0,
        }  # fmt: skip
        if self.members:
            how["membership_values"] = g.tensor(np.array(self.members))
        return g.add("TreeEnsemble", g.beside(*features), domain=ML, **how)


class TreeInputs:
    """The columns a tree may ask, numbers all of them, each there once it is asked for."""

    def __init__(self, columns: InputTensors) -> None:
        self.columns = columns
        self.places: dict[str, int] = {}

    def place(self, tensor: str) -> int:
        return self.places.setdefault(tensor, len(self.places))

    def of(self, column: Input, below: int | None = None) -> str:
        """An input as numbers; NaN for codes that are no level, or not below some number."""
        c, g = self.columns, self.columns.graph
        schema = c.schema
        names = [schema.attributes[j].name for j in (column.first, column.second) if j >= 0]
        if column.form == "word":
            raise DataError(
                f"to_onnx: a test asks {column.name(schema)}, and ONNX has no words that cut texts as acumen does. "
                "Learn without the text column."
            )
        if column.is_numeric(schema):
            return c.number(names[0] if column.form == "itself" else CombinedAttributes(column.form, *names))
        key = ("feature", column, below)
        if key not in c.values:
            n = [len(schema[name].levels) for name in names]
            code = g.number(c.code(names[0]))
            known = g.add("Less", code, g.constant([[float(n[0] if below is None else below)]]))
            if column.form == "both":
                other = g.number(c.code(names[1]))
                known = g.add("And", known, g.add("Less", other, g.constant([[float(n[1])]])))
                code = g.add("Add", g.add("Mul", code, g.constant([[float(n[1])]])), other)
            c.values[key] = g.choose(known, code, g.constant([[np.nan]]))
        return c.values[key]


# -- grown trees ------------------------------------------------------------------------------------


def write_tree(columns: InputTensors, tree: Tree, shares: Floats) -> str:
    """The logarithm of a row's `shares`, which has a line for each node: its leaf's, or those of all it belongs to."""
    g = columns.graph
    with np.errstate(divide="ignore"):
        table = np.log(shares)
    features, ensemble = TreeInputs(columns), Ensemble()
    writer = _Grown(columns, tree, features, ensemble)
    root, alone = ensemble.grow(lambda: writer.write(0))
    if alone:  # a tree of one leaf
        line = table[int(ensemble.weights[root])]
        return g.looked_up(g.constant(line[None, :]), g.place(g.negate(columns.body(()))))
    leaf = g.place(ensemble.write(columns, list(features.places), 1))
    if not np.any((tree.otherwise == NONE) & ~tree.leaves):
        return g.looked_up(g.constant(table), leaf)
    leaf_values = g.looked_up(g.constant(np.vstack([table, table[:1]])), leaf)
    lost = g.add("Equal", leaf, g.whole([[len(tree)]]))
    return write_shared(g, tree, shares, list(features.places), writer.feature_places, lost, leaf_values)


@dataclass(slots=True)
class _Grown:
    columns: InputTensors
    tree: Tree
    features: TreeInputs
    ensemble: Ensemble
    feature_places: dict[int, int] = field(
        default_factory=dict
    )  # the place of the column that each node asks

    def write(self, node: int) -> tuple[int, bool]:
        if self.tree.leaves[node]:
            return self.ensemble.leaf(0, float(node))
        if self.tree.surrogate_at[node] < self.tree.surrogate_at[node + 1]:
            return self._by_branch(node)
        tests = self.tree.tests
        at = self.features.place(self.features.of(self.tree.inputs[int(tests.input[node])]))
        self.feature_places[node] = at
        cuts = tests.cuts_of(node).tolist()
        if cuts:
            return self._by_cuts(node, at, cuts)
        branches = tests.branches_of(node)
        sets = {b: np.flatnonzero(branches == b).tolist() for b in range(int(self.tree.branches[node]))}
        return self._by_sets(node, at, sets)

    def child(self, node: int, branch: int) -> Child:
        """What a branch leads to; of none, the leaf of rows that go down all of them."""
        if branch == NONE:
            return lambda: self.ensemble.leaf(0, float(len(self.tree)))
        return lambda: self.write(int(self.tree.first[node]) + branch)

    def _by_cuts(self, node: int, at: int, cuts: Sequence[float]) -> tuple[int, bool]:
        """Up to the first cut, else up to the second, and so on; the lost where they belong."""
        rest = int(self.tree.otherwise[node])

        def step(i: int) -> tuple[int, bool]:
            further = self.child(node, i + 1) if i + 1 == len(cuts) else lambda: step(i + 1)
            return self.ensemble.node(at, float(cuts[i]), self.child(node, i), further, rest == i)

        if 0 <= rest <= len(cuts):
            return step(0)
        return self.ensemble.node(at, np.inf, lambda: step(0), self.child(node, rest), False)

    def _by_sets(self, node: int, at: int, sets: dict[int, list[int]]) -> tuple[int, bool]:
        """Whether the level is in the first branch's set, else in the second's; who is in none is lost."""
        rest = int(self.tree.otherwise[node])
        order = [b for b, codes in sets.items() if b != rest and codes]

        def step(i: int) -> tuple[int, bool]:
            if i == len(order):
                return self.child(node, rest)()
            return self.ensemble.node(
                at, sets[order[i]], self.child(node, order[i]), lambda: step(i + 1), False
            )

        return step(0)

    def _by_branch(self, node: int) -> tuple[int, bool]:
        """By a column of branches: the test's, where it has none the first surrogate's, and so on."""
        g = self.columns.graph
        shares = self._branch(self.tree.tests, node)
        for at in range(int(self.tree.surrogate_at[node]), int(self.tree.surrogate_at[node + 1])):
            shares = g.choose(g.add("IsNaN", shares), self._branch(self.tree.surrogates, at), shares)
        last, rest = int(self.tree.branches[node]) - 1, int(self.tree.otherwise[node])
        if rest != NONE:
            shares = g.choose(g.add("IsNaN", shares), g.constant([[float(rest)]]), shares)
        place = self.feature_places[node] = self.features.place(shares)

        def step(b: int) -> tuple[int, bool]:
            further = self.child(node, last) if b + 1 == last else lambda: step(b + 1)
            return self.ensemble.node(place, float(b), self.child(node, b), further, False)

        first: Child = (lambda: step(0)) if last else self.child(node, 0)
        return (
            first()
            if rest != NONE
            else self.ensemble.node(place, np.inf, first, self.child(node, NONE), False)
        )

    def _branch(self, tests: Tests, at: int) -> str:
        """(rows, 1): the branch of a test, NaN where it has none."""
        g = self.columns.graph
        x = self.features.of(self.tree.inputs[int(tests.input[at])])
        cuts, branches = tests.cuts_of(at), tests.branches_of(at)
        missing, nan = g.add("IsNaN", x), g.constant([[np.nan]])
        if len(cuts):
            above = g.place(g.add("Greater", x, g.constant(cuts[None, :])))
            interval = g.over_columns("ReduceSum", above)
            leads = branches if len(branches) else np.arange(len(cuts) + 1)
        else:
            interval = g.place(g.choose(missing, g.constant([[0.0]]), x))
            leads = branches
        table = np.where(leads >= 0, leads, np.nan).astype(np.float64).reshape(-1, 1)
        return g.choose(missing, nan, g.looked_up(g.constant(table), interval))


# -- packed trees -----------------------------------------------------------------------------------


def write_packed(columns: InputTensors, forest: PackedForest, coding: ColumnCoding) -> str:
    """(rows, outputs): the leaf values of all trees, added up."""
    g, outputs = columns.graph, forest.value.shape[1]
    features, ensemble = TreeInputs(columns), Ensemble()
    constant = np.zeros(outputs)
    writer = _Packed(columns, forest, coding, features, ensemble)
    for t in range(len(forest)):
        start, end = int(forest.start[t]), int(forest.start[t + 1])
        if end - start == 1:
            constant += forest.value[start]
            continue
        leaves = forest.leaves[start:end]
        for target in range(outputs):
            if forest.value[start:end, target][leaves].any():
                root, alone = ensemble.grow(writer.child(t, 0, target))
                constant[target] += ensemble.weights[root] if alone else 0.0
    base = g.constant(constant[None, :])
    if not ensemble.roots:
        return g.add("Mul", g.number(columns.body(())), base)
    return g.add("Add", ensemble.write(columns, list(features.places), outputs), base)


@dataclass(slots=True)
class _Packed:
    columns: InputTensors
    forest: PackedForest
    coding: ColumnCoding
    features: TreeInputs
    ensemble: Ensemble

    def write(self, t: int, local: int, target: int) -> tuple[int, bool]:
        f, at = self.forest, int(self.forest.start[t]) + local
        word, child = f.node[at].tolist()
        column, cut = word & 0xFFFF, word >> 16
        if cut == _NO_CUT:
            return self.ensemble.leaf(target, float(f.value[at, target]))
        if f.nominal[column]:
            return self._by_set(t, column, child, target)
        lean, left_child = child >= _LEAN, child & ~_LEAN
        cuts = self.coding.cuts[column]
        test = float(cuts[cut]) if len(cuts) else float(cut)
        return self.ensemble.node(
            self._place(column),
            test,
            self.child(t, left_child, target),
            self.child(t, left_child + 1, target),
            not lean,
        )

    def _by_set(self, t: int, column: int, begin: int, target: int) -> tuple[int, bool]:
        """The side that the lost do not lean to has its levels asked for."""
        at = int(self.forest.set_start[t]) + begin
        head, words = int(self.forest.sets[at]), int(self.forest.sets[at + 1])
        lean, left_head = int(head >= _LEAN), head & ~_LEAN
        side = 1 - lean
        bits = self.forest.sets[at + 2 + side * words : at + 2 + (side + 1) * words]
        codes = [c for c in range(int(self.coding.slots[column])) if int(bits[c >> 5]) >> (c & 31) & 1]
        inside, other = self.child(t, left_head + side, target), self.child(t, left_head + lean, target)
        if not codes:
            return other()
        return self.ensemble.node(self._place(column), codes, inside, other, False)

    def child(self, t: int, local: int, target: int) -> Child:
        return lambda: self.write(t, local, target)

    def _place(self, column: int) -> int:
        below = int(self.coding.slots[column]) if not len(self.coding.cuts[column]) else None
        return self.features.place(self.features.of(self.coding.inputs[column], below))
