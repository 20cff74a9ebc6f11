"""The tree as a figure value: which nodes are drawn, what they ask, how values lie around their cuts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from acumen.conditions.condition import Condition
from acumen.data.align import align
from acumen.data.forms import moment
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.predictor import Predictor
from acumen.render.text import many, number
from acumen.render.tree import SplitHistogram, TreeFigure, TreeNode
from acumen.trees.reading.branches import branch_condition, lost_shares
from acumen.trees.reading.decide import decisions
from acumen.trees.reading.path import rows_at, step_of
from acumen.trees.reading.phrases import class_word
from acumen.trees.reading.text import leaves_below
from acumen.trees.tree import Tree
from acumen.types import Array, Bools, Codes, Floats

#: Unless told otherwise a tree is drawn as deep as keeps it within so many cards side by side.
MOST_ACROSS = 16
#: Branches of a node that are drawn, the heaviest; the others become one card.
MOST_BRANCHES = 12
#: Bins of a histogram.
BINS = 24


@dataclass(frozen=True, slots=True)
class _Place:
    """A card in the making: a node, or the branches of a node that are drawn as one."""

    nodes: tuple[int, ...]
    parent: int
    branch: str


def draw_tree(
    predictor: Predictor,
    tree: Tree,
    shares: Floats,
    *,
    row: Table | None = None,
    data: Table | None = None,
    max_depth: int | None = None,
    title: str | None = None,
) -> TreeFigure:
    """The figure of a predictor's tree, with the classes that it decides for."""
    if max_depth is not None and (not isinstance(max_depth, int | np.integer) or max_depth < 0):
        raise ParameterError(
            f"figure: max_depth must be a whole number of at least 0, or None; got {max_depth!r}."
        )
    return tree_figure(
        tree,
        shares,
        predictor.schema,
        decision=decisions(predictor, shares),
        row=None if row is None else one_row_table(align(row, predictor.schema), "figure"),
        data=None if data is None else align(data, predictor.schema),
        max_depth=None if max_depth is None else int(max_depth),
        title=title,
    )


def one_row_table(row: Table, who: str) -> Table:
    """A table of one row."""
    if len(row) != 1:
        raise ParameterError(f"{who}: give one row at a time; got {len(row)}.")
    return row


def tree_figure(
    tree: Tree,
    shares: Floats,
    schema: Schema,
    *,
    decision: Codes | None = None,
    row: Table | None = None,
    data: Table | None = None,
    max_depth: int | None = None,
    title: str | None = None,
) -> TreeFigure:
    """The tree as a figure value; `row` is one row whose path is shown, `data` the rows whose values are drawn at cuts.

    `decision` is the class of each node, if that is not simply the most probable one.
    """
    winner = shares.argmax(axis=1).astype(np.int32) if decision is None else decision
    passed = _row_shares(tree, row)
    depth = _drawn_depth(tree) if max_depth is None else max_depth
    opened = ~tree.leaves & ((tree.depth < depth) | (passed > 0))
    places = _places(tree, schema, opened)
    histograms = _histograms(tree, schema, data, [p.nodes[0] for p in places if opened[p.nodes[0]]])
    below, drawn = leaves_below(tree), []
    for place in places:
        node = place.nodes[0]
        ask = len(place.nodes) == 1 and bool(opened[node])
        counts = tree.counts[list(place.nodes)].sum(axis=0)
        hidden = (
            0 if ask or (len(place.nodes) == 1 and tree.leaves[node]) else int(below[list(place.nodes)].sum())
        )
        drawn.append(
            TreeNode(
                place.parent,
                counts,
                int(winner[node]) if len(place.nodes) == 1 else int(counts.argmax()),
                _question(tree, node, schema) if ask else "",
                place.branch,
                hidden,
                float(passed[list(place.nodes)].sum()),
                histograms.get(node) if ask else None,
                node if len(place.nodes) == 1 else -1,
            )
        )
    target = schema.target.name if schema.target else "class"
    hidden = sum(node.hidden for node in drawn)
    notes = (
        [f"{hidden:,} of {many(int(below[0]), 'leaf', 'leaves')} lie below the cards marked +."]
        if hidden
        else []
    )
    heading = f"A tree for {target}" if title is None else title
    return TreeFigure(drawn, [class_word(c) for c in schema.classes], heading, notes)


def branch_label(condition: Condition) -> str:
    """What stands at a branch, below the question that names the attribute."""
    match condition.op:
        case "<=" | ">":
            value = condition.value
            sign = "≤" if condition.op == "<=" else ">"
            return (
                f"{sign} {_format_bound(condition, value) if isinstance(value, float) else class_word(value)}"
            )
        case "between":
            return f"{_format_bound(condition, condition.value[0])} to {_format_bound(condition, condition.value[1])}"
        case "=":
            return _level(condition.value)
        case "in":
            return ", ".join(map(_level, condition.value))
        case "has":
            return "yes"
        case "has not":
            return "no"
        case _:
            return condition.op


def _format_bound(condition: Condition, value: float) -> str:
    return condition.format_bound(value) or number(value)


def _level(value: object) -> str:
    if isinstance(value, tuple):
        return " and ".join(map(_level, value))
    return class_word(value) if isinstance(value, (str, int, float, bool)) else str(value)


def _question(tree: Tree, node: int, schema: Schema) -> str:
    return tree.inputs[int(tree.tests.input[node])].name(schema)


def _drawn_depth(tree: Tree) -> int:
    """The greatest depth at which not too many cards stand side by side, but one at least."""
    below = np.bincount(tree.depth)
    closed = np.bincount(tree.depth[tree.leaves], minlength=len(below))
    across = below + np.concatenate([[0], np.cumsum(closed)[:-1]])  # leaves further up take their room too
    fits = np.flatnonzero(across > MOST_ACROSS)
    return max(int(fits[0]) - 1, 1) if len(fits) else len(below)


def _row_shares(tree: Tree, row: Table | None) -> Floats:
    """The share of a row that comes to each node."""
    shares = np.zeros(len(tree))
    if row is None:
        return shares
    columns = tree.inputs.of_table(row)
    shares[0] = 1.0
    for node in np.flatnonzero(~tree.leaves).tolist():
        if shares[node] > 0:
            step = step_of(tree, node, columns)
            below = slice(int(tree.first[node]), int(tree.first[node] + tree.branches[node]))
            if step.how == "shared":
                shares[below] = shares[node] * lost_shares(tree, node)
            else:
                shares[int(tree.first[node]) + step.branch] = shares[node]
    return shares


def _places(tree: Tree, schema: Schema, opened: Bools) -> list[_Place]:
    """The cards, parents first; of too many branches the lightest are put together."""
    cards = [_Place((0,), -1, "")]
    at = 0
    while at < len(cards):
        node = cards[at].nodes[0]
        if len(cards[at].nodes) == 1 and opened[node]:
            children = list(tree.children(node))
            kept = children
            if len(children) > MOST_BRANCHES + 1:
                order = np.argsort(-tree.weight[children], kind="stable")[:MOST_BRANCHES]
                kept = [children[i] for i in np.sort(order)]
            for child in kept:
                condition = branch_condition(tree.tests, node, child - children[0], tree, schema)
                cards.append(_Place((child,), at, branch_label(condition)))
            if len(kept) < len(children):
                others = tuple(child for child in children if child not in set(kept))
                cards.append(_Place(others, at, f"{len(others):,} others"))
        at += 1
    return cards


def _histograms(
    tree: Tree, schema: Schema, data: Table | None, nodes: Sequence[int]
) -> dict[int, SplitHistogram]:
    """The values at each node that cuts numbers, of the rows that come there whole."""
    if data is None or data.labels is None:
        return {}
    columns = tree.inputs.of_table(data)
    cut = [node for node in nodes if len(tree.tests.cuts_of(node))]
    rows = rows_at(tree, columns, len(data), {*nodes})
    histograms = {}
    for node in cut:
        drawn = _histogram(
            tree, node, columns, data, rows.get(node, np.empty(0, dtype=np.intp)), schema.n_classes
        )
        if drawn is not None:
            form = _form_of(tree, node, schema)
            low, high = (moment(form, value) for value in (drawn.low, drawn.high))
            histograms[node] = replace(drawn, ends=(low, high)) if low and high else drawn
    return histograms


def _form_of(tree: Tree, node: int, schema: Schema) -> str:
    """How the values are written that a node asks for; days as dates."""
    column = tree.inputs.columns[int(tree.tests.input[node])]
    return schema.attributes[column.first].form if column.form == "itself" else ""


def _histogram(
    tree: Tree,
    node: int,
    columns: Sequence[Array],
    data: Table,
    rows: np.ndarray[tuple[int], np.dtype[np.intp]],
    k: int,
) -> SplitHistogram | None:
    values = columns[tree.tests.input[node]][rows]
    kept = np.isfinite(values) & (data.class_codes[rows] >= 0)
    values, rows = values[kept], rows[kept]
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())  # of Python, whose range overflows without a warning
    if not 0 < high - low < np.inf:
        return None
    bins = np.minimum((values - low) / (high - low) * BINS, BINS - 1).astype(np.intp)
    counts = np.zeros((BINS, k))
    np.add.at(counts, (bins, data.class_codes[rows]), data.row_weights[rows])
    return SplitHistogram(low, high, counts, tree.tests.cuts_of(node).tolist())
