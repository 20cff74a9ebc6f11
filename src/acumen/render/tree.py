"""A decision tree as a drawing: cards joined by ribbons.

TreeNode    a card: the class weights of its rows and, unless it ends there, what it asks
TreeFigure  all cards, parents before their children
tree_svg    the drawing

A ribbon is as wide as the weight of the rows that go that way, and striped by their classes. Below its question a card
has a bar of classes and, where the rows were given, how their values lie around the cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acumen.errors import DataError
from acumen.render import palette
from acumen.render.sheet import WIDTH, LegendKey, Sheet
from acumen.render.svg import Markup, decimal, measure, tag, trace
from acumen.render.text import many, number
from acumen.render.tree_cards import TreeCard, card_of, draw_card
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats, Indices

if TYPE_CHECKING:
    from acumen.render.tree_cards import TreeCard


#: Between a card and the labels below it, where the ribbons run: at least, for each pixel across, and at most.
FALL, SLOPE, HIGHEST = 44.0, 0.1, 120.0


#: More cards than this are not drawn.
MOST_NODES = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class SplitHistogram:
    """How the values of a node's rows lie: `counts` is (bins, classes) from `low` to `high`, cut at `cuts`."""

    low: float
    high: float
    counts: Floats
    cuts: Sequence[float]
    #: What stands at its two ends, where that is not the number itself, as of days.
    ends: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        keep(self, counts=floats(self, "counts", ndim=2), cuts=tuple(float(c) for c in self.cuts))
        if not (np.isfinite([self.low, self.high]).all() and self.low < self.high and len(self.counts)):
            raise DataError("SplitHistogram: low and high must be finite and ascend, and there must be a bin")


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """One card.

    `question` is what it asks, empty where it answers with the class at `winner`; `branch` is the answer to its
    parent that leads here. `hidden` leaves lie below it and are not drawn. Of the row whose way is shown the share
    `passed` comes here.
    """

    parent: int
    counts: Floats
    winner: int
    question: str = ""
    branch: str = ""
    hidden: int = 0
    passed: float = 0.0
    histogram: SplitHistogram | None = None
    #: Its number in the tree, written as `data-node` for programs that let people click on it; -1: it has none.
    node: int = -1

    def __post_init__(self) -> None:
        keep(self, counts=floats(self, "counts"))


@dataclass(frozen=True, slots=True, eq=False)
class TreeFigure(Figure):
    """The cards of a tree, each after its parent, the root first; `classes` names what is counted."""

    nodes: Sequence[TreeNode]
    classes: Sequence[str]
    title: str = "Decision tree"
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        keep(self, nodes=tuple(self.nodes), classes=names(self, "classes"), notes=names(self, "notes"))
        for at, node in enumerate(self.nodes):
            if not (0 <= node.parent < at or (at == 0 and node.parent == -1)):
                raise DataError(f"TreeFigure: node {at} must come after its parent; got {node.parent}")
            if len(node.counts) != len(self.classes) or not 0 <= node.winner < len(self.classes):
                raise DataError(f"TreeFigure: node {at} must count {len(self.classes):,} classes")

    def _repr_svg_(self) -> str:
        return tree_svg(self)


def tree_svg(figure: TreeFigure) -> str:
    """Draw the cards level by level, ribbons between them."""
    nodes = figure.nodes
    about = f"A tree of {many(len(nodes), 'node')} for {', '.join(figure.classes[:20])}"
    if nodes and nodes[0].question:
        about += f"; the first question is {nodes[0].question}"
    if not nodes:
        return Sheet(figure.title, "Decision tree", about).nothing("No tree: it has no nodes.")
    if len(nodes) > MOST_NODES:
        return Sheet(figure.title, "Decision tree", about).nothing(
            f"{len(nodes):,} nodes are too many to draw; set a smaller depth."
        )
    cards = [card_of(node, figure.classes) for node in nodes]
    parent = [node.parent for node in nodes]
    centre = tidy(parent, [card.room for card in cards])
    extent = max(float(c) + card.room / 2 for c, card in zip(centre, cards, strict=True))
    width = max(extent + 32, WIDTH, min(measure(figure.title, 15, bold=True) + 32, 2 * WIDTH))
    sheet = Sheet(figure.title, "Decision tree", about, width)
    sheet.width = min(width, 1.5 * WIDTH)  # a legend that spans a wide sheet is hard to read
    sheet.legend([LegendKey("box", place, name) for place, name in enumerate(figure.classes)])
    sheet.width = width
    across = centre + (width - extent) / 2
    top = _tops(parent, cards, across, sheet.y + 8)
    sheet.add(*draw_ribbons(nodes, cards, across, top))
    for node, card, x, y in zip(nodes, cards, across.tolist(), top.tolist(), strict=True):
        drawn = draw_card(node, card, x, y, figure.classes)
        sheet.add(*(drawn if node.node < 0 else [tag("g", *drawn, data_node=node.node)]))
    sheet.y = max(y + card.height for y, card in zip(top.tolist(), cards, strict=True)) + 14
    for note in figure.notes:
        sheet.note(note)
    total = float(nodes[0].counts.sum())
    weight_text = f"{int(total):,}" if total == int(total) else number(total)
    if len(nodes) > 1:
        sheet.note(f"The width of a ribbon shows the weight of its rows, {weight_text} in total.")
    return sheet.svg()


def _tops(parent: Sequence[int], cards: Sequence[TreeCard], across: Floats, start: float) -> Floats:
    """The upper edge of each card: those of a level in line, with room for the labels and ribbons above them."""
    level = levels(parent)
    depth = int(level.max()) + 1
    height, label, span = np.zeros(depth), np.zeros(depth), np.zeros(depth)
    for node, (at, card) in enumerate(zip(level.tolist(), cards, strict=True)):
        height[at] = max(height[at], card.height)
        label[at] = max(label[at], card.label_height)
        span[at] = max(span[at], abs(float(across[node] - across[parent[node]])) if node else 0.0)
    begin = np.full(depth, start)
    for at in range(1, depth):
        begin[at] = begin[at - 1] + height[at - 1] + min(FALL + SLOPE * span[at], HIGHEST) + label[at]
    return begin[level]


#: The width of a ribbon of all rows.
WIDEST = 30.0


#: Points of a ribbon's edge.
POINTS = 22


def draw_ribbons(
    nodes: Sequence[TreeNode], cards: Sequence[TreeCard], across: Floats, top: Floats
) -> list[Markup]:
    """All ribbons, those of the way that is shown last."""
    total = float(nodes[0].counts.sum())
    scale = WIDEST / total if total > 0 else 0.0
    shown = any(node.passed > 0 for node in nodes[1:])
    below: dict[int, list[int]] = {}
    for at, node in enumerate(nodes[1:], start=1):
        below.setdefault(node.parent, []).append(at)
    faint: list[Markup] = []
    strong: list[Markup] = []
    for parent, children in below.items():
        widths = [scale * float(nodes[child].counts.sum()) for child in children]
        start = float(across[parent]) - sum(widths) / 2
        y0 = float(top[parent]) + cards[parent].height
        for child, width in zip(children, widths, strict=True):
            node, x1 = nodes[child], float(across[child])
            y1 = float(top[child]) - cards[child].label_height
            passed = node.passed > 0
            opacity = 0.62 if not shown else 0.9 if passed else 0.2
            pieces = [_thread(start + width / 2, y0, x1, y1, node.passed, shown)]
            middle, normal = _curve(start + width / 2, y0, x1, y1)
            aside = -width / 2
            for place, count in enumerate(node.counts.tolist()):
                stripe = scale * count
                if stripe >= 0.15:
                    pieces.append(_stripe(middle, normal, aside, aside + stripe, place, opacity))
                aside += stripe
            (strong if passed else faint).extend(pieces)
            start += width
    return [*faint, *strong]


def _thread(x0: float, y0: float, x1: float, y1: float, passed: float, shown: bool) -> Markup:
    """The line along a ribbon's middle, so that the lightest is seen too; heavy where the row goes."""
    middle = (y0 + y1) / 2
    d = (
        f"M{decimal(x0)} {decimal(y0)}C{decimal(x0)} {decimal(middle)} {decimal(x1)} {decimal(middle)} "
        f"{decimal(x1)} {decimal(y1)}"
    )
    opacity = 0.95 if passed > 0 else 0.18 if shown else 0.35
    width = 1.0 + (2.2 * passed**0.5 if passed > 0 else 0.0)
    return tag("path", d=d, fill="none", stroke="currentColor", stroke_width=width, stroke_opacity=opacity)


def _curve(x0: float, y0: float, x1: float, y1: float) -> tuple[Floats, Floats]:
    """Points along the line of `_thread`, and at each the unit vector to its right as one goes down."""
    t = np.linspace(0.0, 1.0, POINTS)
    b = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], axis=1)
    control = np.array([[x0, y0], [x0, (y0 + y1) / 2], [x1, (y0 + y1) / 2], [x1, y1]])
    along = b @ control
    slope = np.gradient(along, axis=0)
    slope[[0, -1]] = (0.0, 1.0)  # both ends are upright, where ribbons meet cards
    slope /= np.linalg.norm(slope, axis=1, keepdims=True)
    return along, np.stack([slope[:, 1], -slope[:, 0]], axis=1)


def _stripe(middle: Floats, normal: Floats, low: float, high: float, place: int, opacity: float) -> Markup:
    """The area between two lines beside the middle; a stripe is as wide on a slope as where it is upright."""
    around = np.concatenate([middle + low * normal, (middle + high * normal)[::-1]])
    around[:, 1] = np.clip(
        around[:, 1], middle[0, 1], middle[-1, 1]
    )  # a wide one on a gentle slope hits no card
    return tag(
        "path", d=trace(around[:, 0], around[:, 1], close=True), fill_opacity=opacity, **palette.fill(place)
    )


# -- positions of nodes ---------------------------------------------------------------------------
#
# Where the nodes of a tree go: tidy, for nodes of any width.
#
# A parent stands in the middle above its children, subtrees never overlap, and a subtree is drawn alike wherever it
# stands (Reingold and Tilford 1981). Subtrees are moved together until their contours touch, once from the left and
# once from the right; of the two the mean is taken, so that small subtrees between large ones are spread evenly (the
# aim of Buchheim, Jünger and Leipert 2002). The mean is as free of overlaps as the two are, for each demand "at least
# so far apart" is linear.


def tidy(parent: Sequence[int], width: Sequence[float], gap: float = 14.0) -> Floats:
    """The centre of each node across; parents come before their children, the root is first.

    `gap` is kept free between neighbours. The leftmost edge lies at 0.
    """
    n = len(parent)
    children: list[list[int]] = [[] for _ in range(n)]
    for node in range(1, n):
        children[parent[node]].append(node)
    offset = np.zeros(n)  # of each node from its parent
    # The contours of each subtree seen from its root: for each level the leftmost and the rightmost edge.
    contours: list[tuple[Floats, Floats]] = [(np.empty(0), np.empty(0))] * n
    for node in range(n - 1, -1, -1):
        below = children[node]
        half = width[node] / 2
        if not below:
            contours[node] = (np.array([-half]), np.array([half]))
            continue
        places = _place_subtrees([contours[child] for child in below], gap)
        offset[below] = places
        left_contour, right = _merge_contours([contours[child] for child in below], places)
        contours[node] = (np.concatenate([[-half], left_contour]), np.concatenate([[half], right]))
        for child in below:
            contours[child] = (np.empty(0), np.empty(0))  # no longer needed; trees may be large
    places_of_nodes = np.zeros(n)
    for node in range(1, n):
        places_of_nodes[node] = places_of_nodes[parent[node]] + offset[node]
    return places_of_nodes - float(contours[0][0].min())


def _place_subtrees(contours: Sequence[tuple[Floats, Floats]], gap: float) -> Floats:
    """Where the roots of neighbouring subtrees go, their middle at 0."""
    from_left = _pack_subtrees(contours, gap)
    turned = [(-right, -left_contour) for left_contour, right in reversed(contours)]
    from_right = -_pack_subtrees(turned, gap)[::-1]
    positions = (from_left - from_left.mean() + from_right - from_right.mean()) / 2
    return np.asarray(positions - (positions[0] + positions[-1]) / 2)


def _pack_subtrees(contours: Sequence[tuple[Floats, Floats]], gap: float) -> Floats:
    """Each subtree as far left as those before it allow."""
    edge = np.full(max(len(left_contour) for left_contour, _ in contours), -np.inf)
    places = np.zeros(len(contours))
    for i, (left_contour, right) in enumerate(contours):
        levels = len(left_contour)
        if i:
            places[i] = float(np.max(edge[:levels] + gap - left_contour))
        edge[:levels] = np.maximum(edge[:levels], places[i] + right)
    return places


def _merge_contours(contours: Sequence[tuple[Floats, Floats]], places: Floats) -> tuple[Floats, Floats]:
    depth = max(len(left_contour) for left_contour, _ in contours)
    low, high = np.full(depth, np.inf), np.full(depth, -np.inf)
    for (left_contour, right), at in zip(contours, places.tolist(), strict=True):
        low[: len(left_contour)] = np.minimum(low[: len(left_contour)], at + left_contour)
        high[: len(right)] = np.maximum(high[: len(right)], at + right)
    return low, high


def levels(parent: Sequence[int]) -> Indices:
    """How far each node lies below the root."""
    depths = np.zeros(len(parent), dtype=np.intp)
    for node in range(1, len(parent)):
        depths[node] = depths[parent[node]] + 1
    return depths
