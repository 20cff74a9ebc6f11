"""How a tree was grown, by hand: at every node the worth of every attribute, with the counts it is made of.

    tree_steps   tree, rows -> TreeSteps
    TreeSteps    nodes in order, each with its candidates; `str` writes them down
    InputScore   the best test of one attribute at a node, its branches, its gain, and its ratio if used

A candidate is what the grower itself finds when it may look at this attribute alone, among the rows of the node. The
test that the tree has is marked; it need not be the best one where pruning has put a subtree in its parent's place, or
where attributes were drawn by lot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from acumen.data.escape import printable_lines
from acumen.data.schema import Schema
from acumen.render.notebook import preformat
from acumen.trees.grow import grow
from acumen.trees.inputs import Inputs
from acumen.trees.measures import MEASURES, split_info
from acumen.trees.node_tests import NONE
from acumen.trees.options import GrowOptions
from acumen.trees.reading.branches import branch_condition, lost_shares
from acumen.trees.reading.path import branches_taken
from acumen.trees.reading.phrases import class_word, condition_words, leaf_counts, listed_counts, weight
from acumen.trees.sample import Sample
from acumen.trees.tree import Tree
from acumen.types import Array, Floats, Indices, Label

#: Nodes, and attributes of a node, that are written down unless all are asked for; branches named in a line.
_NODES, _ATTRIBUTES, _BRANCHES = 15, 20, 8
_MEASURED = {
    "gain": "gain of entropy, in bits",
    "gini": "decrease of Gini's index",
    "error": "decrease of the least error",
    "cart": "difference between the class distributions of the branches",
    "twoing": "twoing",
}
_IMPURITY = {"gain-ratio": "entropy", "gain": "entropy", "gini": "Gini index", "error": "least error"}


@dataclass(frozen=True, slots=True)
class InputScore:
    """The best test of one attribute.

    `counts` has a line of class weights for each branch, `lost` the weight of rows whose value is missing here. `gain`
    is C4.5's where the measure is its: lessened by `price`, what a cut of a number costs. `score` is what attributes
    are compared by. `note` says why a test cannot be taken; one that cannot has no score.
    """

    input: int
    attribute: str
    branches: tuple[str, ...]
    counts: Floats
    lost: float
    gain: float
    price: float
    info: float | None
    score: float | None
    taken: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Gain over split information, where the measure asks for it."""
        return None if self.info is None or self.info <= 1e-3 else self.gain / self.info


@dataclass(frozen=True, slots=True)
class NodeSteps:
    """One node: the way to it, its class weights, the worth of each attribute, best first."""

    node: int
    way: tuple[str, ...]
    counts: Floats
    candidates: tuple[InputScore, ...]
    leaf: str  # what a leaf answers, and why it is one; empty for a test


@dataclass(frozen=True, slots=True)
class TreeSteps:
    """All nodes; those that are leaves of one class have no candidates."""

    measure: str
    classes: tuple[Label, ...]
    factors: Floats | None
    nodes: tuple[NodeSteps, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformat(self.text())

    def text(self, *, full: bool = False) -> str:
        """The steps in lines; of many nodes and attributes the first, unless `full`."""
        shown = self.nodes if full else self.nodes[:_NODES]
        lines = [f"The score of every attribute at each node, by {self._measure_words()}", *self.notes]
        for each in shown:
            lines += self._node(each, full)
        if len(shown) < len(self.nodes):
            lines.append(f"... and {len(self.nodes) - len(shown):,} more nodes")
        return printable_lines("\n".join(lines))

    def _measure_words(self) -> str:
        if self.measure == "gain-ratio":
            return "gain ratio (the gain of entropy, in bits, over the split information)"
        return _MEASURED[self.measure]

    def _node(self, each: NodeSteps, full: bool) -> Iterator[str]:
        way = ", ".join(each.way) or "all rows"
        yield ""
        yield f"{way}: {listed_counts(each.counts, self.classes)}{self._impurity(each.counts)}"
        if each.leaf:
            yield f"  {each.leaf}"
        shown = each.candidates if full else each.candidates[:_ATTRIBUTES]
        for one in shown:
            yield f"{'* ' if one.taken else '  '}{one.attribute}: {self._worth(one)}"
            if len(one.counts):
                yield f"      {self._branches(one)}"
            if arithmetic := self._arithmetic(each.counts, one):
                yield f"      {arithmetic}"
        if len(shown) < len(each.candidates):
            yield f"  ... and {len(each.candidates) - len(shown):,} more attributes"

    def _impurity(self, counts: Floats) -> str:
        value = self._value(counts)
        return "" if value is None else f"; {_IMPURITY[self.measure]} {value:.6g}"

    def _value(self, counts: Floats) -> float | None:
        """The impurity of a node, where the measure has one."""
        seen = self._rescale(counts)
        total = float(seen.sum())
        if self.measure not in _IMPURITY or total <= 0:
            return None
        shares = seen / total
        if self.measure == "gini":
            return float(1.0 - (shares**2).sum())
        if self.measure == "error":
            return float(1.0 - shares.max())
        known = shares[shares > 0]
        return abs(float((known * np.log2(known)).sum()))

    def _rescale(self, counts: Floats) -> Floats:
        """Class weights as the measure sees them."""
        return counts if self.factors is None else counts * self.factors

    def _worth(self, one: InputScore) -> str:
        if not len(one.counts):
            return one.note
        gain = f"gain {one.gain:.6f}" if self.measure.startswith("gain") else f"{self.measure} {one.gain:.6f}"
        if one.ratio is not None:
            gain += f", ratio {one.ratio:.6f}"
        if one.score is not None and abs(one.score - (one.gain if one.ratio is None else one.ratio)) > 1e-12:
            gain += f", by its cost and weight {one.score:.6f}"
        return f"{gain}  ({one.note})" if one.note else gain

    def _branches(self, one: InputScore) -> str:
        pairs = list(zip(one.branches, one.counts, strict=True))
        phrases = [f"{name}: {listed_counts(counts, self.classes)}" for name, counts in pairs[:_BRANCHES]]
        if len(pairs) > _BRANCHES:
            phrases.append(f"{len(pairs) - _BRANCHES} more branches")
        if one.lost:
            phrases.append(f"missing: {weight(one.lost)}")
        return " | ".join(phrases)

    def _arithmetic(self, whole: Floats, one: InputScore) -> str:
        """`0.970951 - 6/15 x 0 - 9/15 x 0.918296 = 0.419973`."""
        if not 2 <= len(one.counts) <= _BRANCHES:
            return ""
        known = one.counts.sum(axis=0)
        before = self._value(known)
        parts = [self._value(counts) for counts in one.counts]
        if before is None:
            return ""
        total = float(self._rescale(known).sum())
        terms = f"{before:.6g}"
        for counts, value in zip(one.counts, parts, strict=True):
            if value is not None:
                terms += f" - {weight(float(self._rescale(counts).sum()))}/{weight(total)} x {value:.6g}"
        if one.lost:
            share = float(known.sum()) + one.lost
            terms = f"{weight(float(known.sum()))}/{weight(share)} x ({terms})"
        if one.price:
            terms += f" - {one.price:.6g} for choosing the cut"
        terms += f" = {one.gain:.6g}"
        if one.ratio is not None:
            terms += f"; over split information {one.info:.6g} = {one.ratio:.6g}"
        return terms


@dataclass(frozen=True, slots=True)
class _GrowingRules:
    """By what rules candidates are found; `edges` are those of inputs that the tree saw in intervals alone."""

    schema: Schema
    options: GrowOptions
    edges: Sequence[Floats | None]

    def as_grown(self, j: int, column: Array) -> Array:
        """A column as the grower saw it: itself, or the number of each value's interval."""
        edges = self.edges[j] if self.edges else None
        if edges is None:
            return column
        codes = np.searchsorted(edges, column, side="left").astype(np.float64)
        return np.where(np.isnan(column), np.nan, codes)

    def in_values(self, j: int, stump: Tree) -> Tree:
        """A stump grown on such numbers, with the edges themselves as its cuts."""
        edges = self.edges[j] if self.edges else None
        if edges is None:
            return stump
        cuts = edges[np.floor(stump.tests.cuts).astype(np.intp)]
        return replace(stump, tests=replace(stump.tests, cuts=np.ascontiguousarray(cuts)))


def tree_steps(
    tree: Tree,
    shares: Floats,
    rows: Sample,
    schema: Schema,
    options: GrowOptions,
    notes: Sequence[str] = (),
    edges: Sequence[Floats | None] = (),
) -> TreeSteps:
    """The worth of every attribute at each node, for these rows; `options` are those the tree was grown by.

    A tree grown from histograms chose among the `edges` of each input alone.
    """
    factors = None if options.factors is None else np.array(options.factors)
    how = _GrowingRules(schema, options, edges)
    nodes = []
    order = {node: place for place, node in enumerate(tree.preorder())}
    for node, way, here, node_weights in _walk_nodes(tree, rows, schema):
        counts = np.bincount(rows.labels[here], node_weights, schema.n_classes).astype(np.float64)
        scores = _candidates(tree, node, rows, here, node_weights, how)
        nodes.append(
            NodeSteps(node, way, counts, tuple(scores), _leaf(tree, shares, node, counts, scores, schema))
        )
    nodes.sort(key=lambda each: order[each.node])
    return TreeSteps(options.measure, schema.classes, factors, tuple(nodes), tuple(notes))


def _walk_nodes(
    tree: Tree, rows: Sample, schema: Schema
) -> Iterator[tuple[int, tuple[str, ...], Indices, Floats]]:
    """Every node with the way to it, its rows and what they weigh there; parents come before children."""
    start = rows.weights if len(rows.weights) else np.ones(len(rows))
    here: dict[int, tuple[tuple[str, ...], Indices, Floats]] = {
        0: ((), np.arange(len(rows)), np.asarray(start, dtype=np.float64))
    }
    for node in range(len(tree)):
        way, node_rows, weights = here.pop(node)
        yield node, way, node_rows, weights
        if tree.leaves[node]:
            continue
        taken = branches_taken(tree, node, rows.columns, node_rows)
        shared, lost = lost_shares(tree, node), taken == NONE
        for branch, child in enumerate(tree.children(node)):
            part = np.where(lost, weights * shared[branch], weights)
            mine = (taken == branch) | (lost & (part > 0))
            name = condition_words(branch_condition(tree.tests, node, branch, tree, schema))
            here[child] = ((*way, name), node_rows[mine], part[mine])


def _candidates(
    tree: Tree, node: int, rows: Sample, here: Indices, own: Floats, how: _GrowingRules
) -> list[InputScore]:
    """The best test of each input, best first; none at nodes of one class."""
    labels = rows.labels[here]
    if not len(here) or np.all(labels == labels[0]):
        return []
    costs = how.options.attribute_costs
    scores = []
    for j in range(len(tree.inputs)):
        column = rows.columns[j][here]
        if not tree.leaves[node] and int(tree.tests.input[node]) == j:
            one = replace(_of_test(tree, node, j, column, labels, own, how), taken=True)
        else:
            one = _best_of_input(tree.inputs, j, column, labels, own, how)
        one = replace(one, attribute=tree.inputs[j].name(how.schema))
        if one.score is not None and costs is not None:
            one = replace(one, score=one.score / costs[j])
        scores.append(one)
    scores = _apply_guard(scores, tree.inputs, how.schema, how.options, len(rows))
    return sorted(scores, key=_place)


def _place(one: InputScore) -> tuple[bool, bool, float, int]:
    """The test that was taken first, then the others that compete, best first, then the rest."""
    worth = one.score if one.score is not None else one.gain if one.ratio is None else one.ratio
    return not one.taken, one.score is None, -worth if len(one.counts) else math.inf, one.input


def _best_of_input(
    inputs: Inputs, j: int, column: Array, labels: Array, own: Floats, how: _GrowingRules
) -> InputScore:
    """What the grower finds by this input alone; where branches would be too small, what it would find else."""
    single, options = Inputs((inputs[j],)), how.options
    free = replace(
        options, max_depth=1, max_leaf_nodes=None, stop_size=0.0, purity=1.0, min_gain=0.0, max_attributes=None,
        attribute_costs=None, require_average_gain=False,
    )  # fmt: skip
    costless, tiny = (
        replace(free, threshold_penalty=False),
        replace(free, threshold_penalty=False, min_samples_leaf=1e-9),
    )
    trials = [
        (free, ""),
        (costless, "choosing the cut costs more than it gains"),
        (tiny, "its branches would be too small"),
        (replace(tiny, measure="gain"), "it gains nothing"),
    ]
    for wish, note in trials:
        stump = grow([how.as_grown(j, column)], single, how.schema, labels, own, options=wish)
        if stump.leaves[0]:
            continue
        score = _of_test(how.in_values(j, stump), 0, j, column, labels, own, how)
        if note or score.gain < options.min_gain - 1e-10:
            score = replace(score, score=None, note=note or "less than min_gain")
        return score
    nothing = np.empty((0, how.schema.n_classes))
    return InputScore(j, "", (), nothing, 0.0, 0.0, 0.0, None, None, note="one value only")


def _of_test(
    tree: Tree, node: int, j: int, column: Array, labels: Array, own: Floats, how: _GrowingRules
) -> InputScore:
    """Branches, counts and worth of one test."""
    schema, options = how.schema, how.options
    taken = tree.tests.route(node, column)
    width = int(tree.branches[node])
    names = [condition_words(branch_condition(tree.tests, node, b, tree, schema)) for b in range(width)]
    if options.missing == "branch":
        taken = np.where(taken == NONE, tree.otherwise[node], taken)
    counts = np.zeros((width, schema.n_classes))
    known = taken != NONE
    np.add.at(counts, (taken[known], labels[known]), own[known])
    lost = float(own[~known].sum())
    factors = 1.0 if options.factors is None else np.array(options.factors)
    total = float(counts.sum())
    share = total / (total + lost) if total + lost > 0 else 1.0
    gain = MEASURES[options.measure].gain(counts * factors) * share
    price, info = 0.0, None
    if options.measure == "gain-ratio":
        info = split_info(np.append(counts.sum(axis=1), lost))
        if options.threshold_penalty and len(tree.tests.cuts_of(node)):
            price = math.log2(max(_cuts(how.as_grown(j, column), own, how), 1)) / (total + lost)
    gain -= price
    score = gain if info is None else gain / info if info > 1e-3 else None
    return InputScore(j, "", tuple(names), counts, lost, gain, price, info, score)


def _cuts(column: Array, own: Floats, how: _GrowingRules) -> int:
    """How many cuts of a number C4.5 would allow: its price is paid for choosing among them."""
    known = ~np.isnan(column)
    values, place = np.unique(column[known], return_inverse=True)
    below = np.cumsum(np.bincount(place, own[known]))
    total = float(below[-1]) if len(below) else 0.0
    least = max(how.options.least, min(25.0, 0.1 * total / how.schema.n_classes)) * (1 - 1e-9)
    return int(np.count_nonzero((below[:-1] >= least) & (total - below[:-1] >= least))) if len(values) else 0


def _apply_guard(
    found: list[InputScore], inputs: Inputs, schema: Schema, options: GrowOptions, n_rows: int
) -> list[InputScore]:
    """C4.5: only tests of at least the average gain compete by their ratio."""
    if (
        options.measure != "gain-ratio"
        or not options.require_average_gain
        or options.attribute_costs is not None
    ):
        return found
    many = 0.3 * n_rows
    levels = [column.n_levels(schema) for column in inputs.columns]
    few = any(n < many for n in levels)
    weighed = [
        c.gain for c in found if c.score is not None and c.gain > 0 and (levels[c.input] < many or not few)
    ]
    if not weighed:
        return found
    least = sum(weighed) / len(weighed) - 1e-3
    said_so = f"below the average gain of {sum(weighed) / len(weighed):.6f}, so its ratio does not count"
    return [
        replace(c, score=None, note=said_so) if c.score is not None and c.gain < least and not c.taken else c
        for c in found
    ]


def _leaf(
    tree: Tree, shares: Floats, node: int, counts: Floats, found: Sequence[InputScore], schema: Schema
) -> str:
    if not tree.leaves[node]:
        return ""
    winner = int(shares[node].argmax())
    answer = f"a leaf: {class_word(schema.classes[winner])} {leaf_counts(counts, winner)}"
    if np.count_nonzero(counts) <= 1:
        return answer
    why = "no test is left" if all(c.score is None for c in found) else "stopped or pruned here"
    return f"{answer}, {why}"
