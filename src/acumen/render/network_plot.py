"""Attributes as boxes and what depends on what as arrows, in layers: causes above, effects below.

    NetworkFigure   names, edges and how strong each is
    layered         where each box stands: layers by the longest way from above, order within them by few crossings

Undirected networks have lines instead of arrows, and stand on a circle, neighbours near each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from acumen.data.escape import printable
from acumen.render.palette import fill, stroke
from acumen.render.sheet import WIDTH, Sheet
from acumen.render.svg import cut, line, measure, tag, text
from acumen.render.text import many
from acumen.render.values import Figure

_SIZE = 12.0
_HIGH, _GAP_X, _GAP_Y = 24.0, 16.0, 46.0
_WIDEST = 140.0
#: Beyond so many attributes boxes would be too small to be read.
MOST_NODES = 150
_SWEEPS = 24


@dataclass(frozen=True, slots=True, eq=False)
class NetworkFigure(Figure):
    """Edges as pairs of places in `names`; `weights` is how much each tells, `marked` the attribute to be predicted."""

    names: Sequence[str]
    edges: Sequence[tuple[int, int]]
    weights: Sequence[float] = ()
    directed: bool = True
    marked: int | None = None
    title: str = "Bayesian network"
    note: str = ""

    def _repr_svg_(self) -> str:
        return network_svg(self)

    @property
    def shares(self) -> list[float]:
        """The strength of each edge relative to the strongest."""
        top = max(self.weights, default=0.0)
        if not self.weights or not top > 0:
            return [1.0] * len(self.edges)
        return [max(float(w), 0.0) / top for w in self.weights]


def layer_nodes(figure: NetworkFigure) -> tuple[list[list[int]], dict[int, int]]:
    """The nodes of each layer from left to right, and the layer of each."""
    n = len(figure.names)
    depth = _depths(n, figure.edges)
    layers: list[list[int]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for v in range(n):
        layers[depth[v]].append(v)
    near: list[list[int]] = [[] for _ in range(n)]
    for u, v in figure.edges:
        near[u].append(v)
        near[v].append(u)
    best, least = [list(layer) for layer in layers], math.inf
    place = _places(layers)
    for sweep in range(_SWEEPS):  # each layer in turn ordered by where the neighbours of its nodes stand
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            centre = {
                v: sum(place[u] for u in near[v]) / len(near[v]) if near[v] else place[v] for v in layer
            }
            layer.sort(key=lambda v, centre=centre: (centre[v], v))  # type: ignore[misc]
            place = _places(layers)
        crossings = _crossings(figure.edges, depth, place)
        if crossings < least:
            best, least = [list(layer) for layer in layers], crossings
    return best, depth


def _places(layers: Sequence[Sequence[int]]) -> dict[int, float]:
    """Where each node stands across, from 0 to 1."""
    return {v: (i + 0.5) / len(layer) for layer in layers for i, v in enumerate(layer)}


def _crossings(edges: Sequence[tuple[int, int]], depth: dict[int, int], place: dict[int, float]) -> int:
    count = 0
    for i, (a, b) in enumerate(edges):
        for c, d in edges[i + 1 :]:
            if {depth[a], depth[b]} == {depth[c], depth[d]} and len({a, b, c, d}) == 4:
                if depth[a] != depth[c]:
                    c, d = d, c
                count += (place[a] - place[c]) * (place[b] - place[d]) < 0
    return count


def _depths(n: int, edges: Sequence[tuple[int, int]]) -> dict[int, int]:
    """The longest way from a node without parents."""
    depth = dict.fromkeys(range(n), 0)
    for _ in range(n):
        changed = False
        for u, v in edges:
            if depth[v] < depth[u] + 1:
                depth[v] = min(depth[u] + 1, n - 1)
                changed = True
        if not changed:
            break
    return depth


def order_on_circle(figure: NetworkFigure) -> list[int]:
    """The order on a circle: each node next to the one it was reached from, from the node of most neighbours on."""
    n = len(figure.names)
    near: list[set[int]] = [set() for _ in range(n)]
    for u, v in figure.edges:
        near[u].add(v)
        near[v].add(u)
    order: list[int] = []
    for root in sorted(range(n), key=lambda v: (-len(near[v]), v)):
        waiting = [root]
        while waiting:
            here = waiting.pop()
            if here not in order:
                order.append(here)
                waiting += sorted(near[here] - set(order), key=lambda v: (len(near[v]), -v))
    return order


def network_svg(figure: NetworkFigure) -> str:
    """Draw the boxes and the arrows."""
    about = f"{many(len(figure.names), 'attribute')}, {many(len(figure.edges), 'edge')}"
    if not figure.names or len(figure.names) > MOST_NODES:
        sheet = Sheet(figure.title, "Network", about)
        why = "No attributes." if not figure.names else f"{about}: too many to draw legibly."
        return sheet.nothing(why)
    labels = [cut(printable(name), _WIDEST, _SIZE) for name in figure.names]
    wide = [max(measure(word, _SIZE) + 18, 34.0) for word in labels]
    at, width, high = (_in_layers if figure.directed else _on_a_circle)(figure, wide)
    sheet = Sheet(figure.title, "Network", about, width)
    top = sheet.y + 6
    at = {v: (x, y + top) for v, (x, y) in at.items()}
    for (u, v), share in sorted(zip(figure.edges, figure.shares, strict=True), key=lambda pair: pair[1]):
        _edge(sheet, at, wide, u, v, share, figure.directed)
    for v, word in enumerate(labels):
        x, y = at[v]
        chosen = v == figure.marked
        sheet.add(
            tag(
                "rect", x=x - wide[v] / 2, y=y - _HIGH / 2, width=wide[v], height=_HIGH, rx=6.0,
                **(fill(1) if chosen else fill(0)), fill_opacity=0.25 if chosen else 0.14, stroke="currentColor",
                stroke_width=1.6 if chosen else 0.9,
            ),
            text(word, x, y + 4.2, anchor="middle", size=_SIZE, whole=printable(figure.names[v])),
        )  # fmt: skip
    sheet.y = top + high + 14
    if figure.note:
        sheet.note(figure.note)
    return sheet.svg()


def _in_layers(
    figure: NetworkFigure, wide: Sequence[float]
) -> tuple[dict[int, tuple[float, float]], float, float]:
    """Where the middle of each box is, and the width and height of all."""
    layers, _ = layer_nodes(figure)
    rows = [sum(wide[v] + _GAP_X for v in layer) - _GAP_X for layer in layers]
    width = max(WIDTH, max(rows) + 40)
    at: dict[int, tuple[float, float]] = {}
    for depth, layer in enumerate(layers):
        # Boxes are spread over the width as far as they leave room for each other.
        spare = (width - 40 - rows[depth]) / (len(layer) + 1)
        x = 20 + spare
        for v in layer:
            at[v] = (x + wide[v] / 2, depth * (_HIGH + _GAP_Y) + _HIGH / 2)
            x += wide[v] + _GAP_X + spare
    return at, width, len(layers) * (_HIGH + _GAP_Y) - _GAP_Y


def _on_a_circle(
    figure: NetworkFigure, wide: Sequence[float]
) -> tuple[dict[int, tuple[float, float]], float, float]:
    """The same for networks without directions."""
    order = order_on_circle(figure)
    across = max(WIDTH / 2 - 20 - max(wide) / 2, (max(wide) + _GAP_X) * len(order) / 7)
    down = max(80.0, 0.62 * across, 9.0 * len(order))
    at: dict[int, tuple[float, float]] = {}
    for i, v in enumerate(order):
        angle = 2 * math.pi * i / len(order) - math.pi / 2
        at[v] = (across * math.cos(angle), down * math.sin(angle))
    width = max(WIDTH, 2 * across + max(wide) + 40)
    return (
        {v: (x + width / 2, y + down + _HIGH / 2) for v, (x, y) in at.items()},
        width,
        2 * down + _HIGH,
    )


def _edge(
    sheet: Sheet, at: dict[int, tuple[float, float]], wide: Sequence[float], u: int, v: int, share: float,
    directed: bool,
) -> None:  # fmt: skip
    (x1, y1), (x2, y2) = at[u], at[v]
    if not directed:
        bend = (x1 + x2) / 2, (y1 + y2) / 2
    elif abs(y1 - y2) < 1:  # beside each other: an arc below the boxes
        bend = (x1 + x2) / 2, y1 + _HIGH / 2 + min(_GAP_Y * 0.8, abs(x2 - x1) / 3)
    elif abs(y1 - y2) > _HIGH + _GAP_Y + 1:  # over a layer: bent away from what stands between
        bend = (x1 + x2) / 2 + (26 if x1 <= x2 else -26), (y1 + y2) / 2
    else:
        bend = (x1 + x2) / 2, (y1 + y2) / 2
    start = _border((x1, y1), bend, wide[u])
    end = _border((x2, y2), bend, wide[v])
    look: dict[str, Any] = {
        **stroke(0), "stroke_width": 0.8 + 3.2 * share, "stroke_opacity": 0.35 + 0.5 * share, "fill": "none",
    }  # fmt: skip
    path = f"M{start[0]:.1f} {start[1]:.1f}Q{bend[0]:.1f} {bend[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    sheet.add(tag("path", d=path, **look))
    if not directed:
        return
    length = math.hypot(end[0] - bend[0], end[1] - bend[1]) or 1.0
    ux, uy = (end[0] - bend[0]) / length, (end[1] - bend[1]) / length
    for turn in (0.42, -0.42):
        cos, sin = math.cos(turn), math.sin(turn)
        tail = end[0] - 9 * (ux * cos - uy * sin), end[1] - 9 * (uy * cos + ux * sin)
        sheet.add(line(end[0], end[1], *tail, **{**look, "stroke_width": 1.2 + 1.2 * share}))


def _border(centre: tuple[float, float], towards: tuple[float, float], wide: float) -> tuple[float, float]:
    """Where a line from a box's centre leaves it."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    if not dx and not dy:
        return centre
    reach = min((wide / 2 + 1) / abs(dx) if dx else math.inf, (_HIGH / 2 + 1) / abs(dy) if dy else math.inf)
    return centre[0] + dx * min(reach, 1.0), centre[1] + dy * min(reach, 1.0)
