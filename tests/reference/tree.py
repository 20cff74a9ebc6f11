"""A decision tree grown from the definitions, row by row in plain Python: the twin of the kernel that grows trees.

    grow    columns, labels, weights -> Tree

Slow, recursive, exhaustive. A row at a node is a pair (row, weight); a candidate is a way to send rows to branches.
C4.5 means release 8 (Quinlan 1993 and 1996) throughout.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.data.schema import Schema
from acumen.trees.inputs import Inputs
from acumen.trees.node_tests import Test, Tests
from acumen.trees.tree import Tree
from reference import tree_measures as m
from reference.tree_surrogates import TINY, Rows, Surrogates, first_best, midpoint


@dataclass(frozen=True)
class How:
    """What growing is told; names and meaning as the learner's parameters."""

    measure: str = "gain-ratio"
    split: str = "multiway"
    missing: str = "fractional"
    leaf_size: float = 1.0
    min_branch: float = 2.0
    purity: float = 1.0
    min_gain: float = 0.0
    max_depth: int | None = None
    max_leaves: int | None = None
    stop: str | None = None
    significance: float = 0.05
    max_subset: int | None = None
    penalty: bool = True  # C4.5's price of a numeric cut; gain-ratio only
    guard: bool = True  # C4.5's average gain; gain-ratio only
    class_factors: tuple[float, ...] | None = None
    attribute_costs: tuple[float, ...] | None = None


@dataclass
class Candidate:
    """A test with the rows of each branch, the rows that no branch fits, and what it is worth."""

    test: Test
    branches: list[Rows]
    lost: Rows
    table: list[m.Counts]  # class weights of each branch, as the measure sees them
    gain: float
    score: float


@dataclass
class Node:
    rows: Rows
    depth: int
    used: frozenset[int]
    order: int
    best: Candidate | None = None
    children: list[Node] = field(default_factory=list)
    surrogates: list[Test] = field(default_factory=list)


@dataclass
class Grower(Surrogates):
    columns: Sequence[Any]
    inputs: Inputs
    schema: Schema
    labels: Sequence[int]
    how: How

    # -- counting ---------------------------------------------------------------------------------

    def counts(self, rows: Rows) -> m.Counts:
        made = [0.0] * self.schema.n_classes
        for row, weight in rows:
            made[self.labels[row]] += weight
        return made

    def seen(self, rows: Rows) -> m.Counts:
        """Class weights as the measure sees them: costs make some classes count for more."""
        factors = self.how.class_factors or (1.0,) * self.schema.n_classes
        return [c * f for c, f in zip(self.counts(rows), factors, strict=True)]

    def weight(self, rows: Rows) -> float:
        return math.fsum(w for _, w in rows)

    def is_known(self, j: int, row: int) -> bool:
        value = self.columns[j][row]
        return not math.isnan(value) if self.inputs[j].is_numeric(self.schema) else value >= 0

    # -- the tests there are ----------------------------------------------------------------------

    def tests(self, j: int, known: Rows) -> Iterator[Test]:
        column, inputs = self.columns[j], self.inputs[j]
        if inputs.is_numeric(self.schema):
            for a, b in itertools.pairwise(sorted({float(column[r]) for r, _ in known})):
                yield Test(j, cuts=(midpoint(a, b),))
            return
        n = inputs.n_levels(self.schema)
        levels = sorted({int(column[r]) for r, _ in known})
        if inputs.is_ordered(self.schema):
            for second in levels[1:]:  # a level that is not there goes with the one before it
                yield Test(j, branches=tuple(int(c >= second) for c in range(n)))
        elif self.how.split == "multiway":
            yield Test(j, branches=tuple(levels.index(c) if c in levels else -1 for c in range(n)))
        else:
            most = len(levels) // 2 if self.how.max_subset is None else self.how.max_subset
            for size in range(1, min(most, len(levels) // 2) + 1):
                for some in itertools.combinations(levels, size):
                    if 2 * size == len(levels) and levels[0] not in some:
                        continue  # the complement has been there
                    yield Test(j, branches=tuple(int(c not in some) if c in levels else -1 for c in range(n)))

    def branch_of(self, test: Test, row: int) -> int:
        value = self.columns[test.input][row]
        if test.cuts:
            return sum(value > cut for cut in test.cuts)
        return test.branches[value]

    def candidate(self, test: Test, known: Rows, lost: Rows) -> Candidate | None:
        how = self.how
        width = len(test.cuts) + 1 if test.cuts else max(test.branches, default=-1) + 1
        branches: list[Rows] = [[] for _ in range(width)]
        for row, weight in known:
            branches[self.branch_of(test, row)].append((row, weight))
        known_weight, lost_weight = self.weight(known), self.weight(lost)
        least = how.min_branch
        if (
            how.measure == "gain-ratio" and test.cuts
        ):  # C4.5: no small slice off either end of a numeric attribute
            least = max(least, min(25.0, 0.1 * known_weight / self.schema.n_classes))
        if sum(self.weight(b) >= least * (1 - 1e-9) for b in branches) < 2:
            return None
        if how.missing == "branch" and lost:
            branches = [*branches, lost]
            lost, known_weight, lost_weight = [], known_weight + lost_weight, 0.0
        sizes = [self.weight(b) for b in branches]
        table = [self.seen(b) for b in branches]
        share = known_weight / (known_weight + lost_weight)
        gain = share * m.worth(how.measure, table)
        score = gain
        if how.measure == "gain-ratio":
            info = m.split_info([*sizes, lost_weight])
            score = gain / info if info > 1e-3 else -math.inf
        return Candidate(test, branches, lost, table, gain, score)

    # -- choosing ---------------------------------------------------------------------------------

    def best_of(self, j: int, rows: Rows) -> Candidate | None:
        """The best test of one input: of a cut or a subset the one of most gain."""
        known = [(r, w) for r, w in rows if self.is_known(j, r)]
        lost = [(r, w) for r, w in rows if not self.is_known(j, r)]
        if not known:
            return None
        tried = [c for t in self.tests(j, known) if (c := self.candidate(t, known, lost)) is not None]
        if not tried:
            return None
        best = first_best(tried, [c.gain for c in tried])
        if self.how.measure == "gain-ratio" and best.test.cuts and self.how.penalty:
            info = best.gain / best.score if best.score != 0 else 1.0
            best.gain -= math.log2(len(tried)) / self.weight(rows)
            best.score = best.gain / info
        if self.how.measure in ("gain-ratio", "error") and best.gain <= TINY:
            return None
        return best if best.gain >= self.how.min_gain - 1e-10 else None

    def passes(self, candidate: Candidate) -> bool:
        from reference import tree_worth as stop

        below = self.below(candidate, self.surrogates(candidate))
        table = np.array([self.counts(b) for b in below])
        if self.how.stop == "significance":
            return stop.is_significant(table, self.how.significance)
        if self.how.stop == "mdl":
            test, column = candidate.test, self.inputs[candidate.test.input]
            return stop.saves_bits(
                table,
                inputs=len(self.inputs),
                cuts=len(test.cuts),
                levels=sum(b >= 0 for b in test.branches),
                ordered=column.is_ordered(self.schema),
                multiway=self.how.split == "multiway",
            )
        return True

    def best(self, node: Node) -> Candidate | None:
        how, counts = self.how, self.counts(node.rows)
        n = m.total(counts)
        if n <= how.leaf_size * (1 + 1e-9) or max(counts) >= how.purity * n * (1 - 1e-9):
            return None
        if how.max_depth is not None and node.depth >= how.max_depth:
            return None
        found = [
            c for j in range(len(self.inputs)) if j not in node.used and (c := self.best_of(j, node.rows))
        ]
        if how.measure == "gain-ratio":
            found = [c for c in found if self.allowed(c, found)]
        if not found:
            return None
        best = first_best(found, [self.priced(c) for c in found])
        return best if self.passes(best) else None

    def allowed(self, candidate: Candidate, found: list[Candidate]) -> bool:
        """C4.5: a ratio counts where the gain is at least the average; attributes of very many levels do not weigh."""
        if candidate.score == -math.inf:  # hardly any split information
            return False
        if not self.how.guard or self.how.attribute_costs is not None:
            return True
        many = 0.3 * len(self.labels)
        few = [c for c in found if self.inputs[c.test.input].n_levels(self.schema) < many]
        counted = few if self.has_few_levels(many) else found
        return bool(counted) and candidate.gain >= math.fsum(c.gain for c in counted) / len(counted) - 1e-3

    def has_few_levels(self, many: float) -> bool:
        """Whether there is a nominal input of few levels, or a numeric one."""
        return any(0 <= c.n_levels(self.schema) < many for c in self.inputs.columns)

    def priced(self, candidate: Candidate) -> float:
        costs = self.how.attribute_costs
        return candidate.score if costs is None else candidate.score / costs[candidate.test.input]

    # -- growing ----------------------------------------------------------------------------------

    def grow(self, rows: Rows) -> Node:
        root = Node(rows, 0, frozenset(), 0)
        root.best = self.best(root)
        made, leaves, open_nodes = 1, 1, [root]
        while open_nodes:
            node = self.next_of(open_nodes)
            open_nodes.remove(node)
            if node.best is None or not self.has_room(leaves, node.best):
                continue
            self.branch(node, made)
            made += len(node.children)
            leaves += len(node.children) - 1
            for child in node.children:
                child.best = self.best(child)
            open_nodes.extend(node.children)
        return root

    def next_of(self, open_nodes: list[Node]) -> Node:
        """The first; with a limit of leaves the one whose split lowers the whole tree's impurity most."""
        if self.how.max_leaves is None:
            return open_nodes[0]
        return first_best(open_nodes, [self.profit(node) for node in open_nodes])

    def profit(self, node: Node) -> float:
        return -1.0 if node.best is None else node.best.gain * self.weight(node.rows)

    def has_room(self, leaves: int, candidate: Candidate) -> bool:
        limit = self.how.max_leaves
        return limit is None or leaves + len(candidate.branches) - 1 <= limit

    def branch(self, node: Node, order: int) -> None:
        assert node.best is not None
        used = node.used
        column = self.inputs[node.best.test.input]
        if node.best.test.branches and self.how.split == "multiway" and not column.is_ordered(self.schema):
            used = used | {node.best.test.input}
        node.surrogates = self.surrogates(node.best)
        for b, rows in enumerate(self.below(node.best, node.surrogates)):
            node.children.append(Node(rows, node.depth + 1, used, order + b))

    def below(self, best: Candidate, surrogates: Sequence[Test] = ()) -> list[Rows]:
        """The rows of each branch, with those that no branch fits."""
        sizes = [self.weight(b) for b in best.branches]
        heaviest = sizes.index(max(sizes))
        made = [list(rows) for rows in best.branches]
        for row, weight in best.lost:
            if self.how.missing == "fractional":
                for b, size in enumerate(sizes):
                    if size > 0:
                        made[b].append((row, weight * size / math.fsum(sizes)))
                continue
            stand_ins = [self.by_surrogate(s, row) for s in surrogates]
            made[next((b for b in stand_ins if b >= 0), heaviest)].append((row, weight))
        return made


def grow(
    columns: Sequence[Any],
    inputs: Inputs,
    schema: Schema,
    labels: Sequence[int],
    weights: Sequence[float],
    how: How,
) -> Tree:
    """The tree of these rows; rows of weight zero are as if absent."""
    grower = Grower(columns, inputs, schema, [int(c) for c in labels], how)
    root = grower.grow([(i, float(w)) for i, w in enumerate(weights) if w > 0])
    nodes, first, at = [root], {}, 0
    while at < len(nodes):
        first[at] = len(nodes) if nodes[at].children else -1
        nodes.extend(nodes[at].children)
        at += 1
    return Tree(
        inputs,
        Tests.of([n.best.test if n.children and n.best else None for n in nodes]),
        np.array([first[i] for i in range(len(nodes))], dtype=np.int32),
        np.array([len(n.children) for n in nodes], dtype=np.int32),
        np.array([otherwise_of(grower, n) for n in nodes], dtype=np.int32),
        np.array([grower.counts(n.rows) for n in nodes]),
        np.cumsum([0, *(len(n.surrogates) for n in nodes)]).astype(np.int32),
        Tests.of([s for n in nodes for s in n.surrogates]),
    )


def otherwise_of(grower: Grower, node: Node) -> int:
    """Where a row goes that no branch fits: nowhere alone, to the branch of the missing, or to the heaviest."""
    if not node.children or node.best is None or grower.how.missing == "fractional":
        return -1
    test = node.best.test
    width = len(test.cuts) + 1 if test.cuts else max(test.branches) + 1
    if len(node.children) > width:
        return width
    sizes = [grower.weight(b) for b in node.best.branches]
    return sizes.index(max(sizes))
