"""The dendrogram: a hierarchy of groups, each join at its height, groups of one cut in one colour.

Of many rows the last joins are drawn, and what was joined before stands as one leaf with its number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import SMALL, LinearScale, Panel, left_room
from acumen.render.sheet import Sheet
from acumen.render.svg import Markup, cut, line, measure, tag, text, trace
from acumen.render.text import many, number
from acumen.render.values import Figure, floats, keep
from acumen.types import Array, Codes, Floats

#: So many leaves can be told apart.
MOST_LEAVES = 200
#: Names are written upright beneath so many leaves.
_NAMED = 60


@dataclass(frozen=True, slots=True, eq=False)
class DendrogramFigure(Figure):
    """Joins in the order of their heights: line t joins groups `a` and `b` into group n + t; rows are 0 to n - 1.

    `groups` is the number of groups that were left by the cut; `names` are those of the rows; `most` leaves are drawn.
    """

    a: Array
    b: Array
    heights: Floats
    groups: int = 1
    names: Sequence[str] = ()
    most: int = 30
    title: str = "Dendrogram"

    def __post_init__(self) -> None:
        keep(self, heights=floats(self, "heights"))
        joins = len(self.heights)
        for name in ("a", "b"):
            array = np.asarray(getattr(self, name), dtype=np.int64)
            numbers = np.arange(joins) + joins + 1
            if array.shape != (joins,) or (array < 0).any() or (array >= numbers).any():
                raise DataError(
                    f"DendrogramFigure: {name} must name a cluster that is there before each join"
                )
            keep(self, **{name: array})
        if not 1 <= self.groups <= joins + 1:
            raise DataError(f"DendrogramFigure: groups must be from 1 to {joins + 1}; got {self.groups}")
        if not 2 <= self.most <= MOST_LEAVES:
            raise DataError(f"DendrogramFigure: most must be from 2 to {MOST_LEAVES}; got {self.most}")
        if len(self.names) not in (0, joins + 1):
            raise DataError(
                f"DendrogramFigure: names must be {joins + 1:,}, one for each row; got {len(self.names):,}"
            )

    def _repr_svg_(self) -> str:
        return dendrogram_svg(self)


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """What is drawn: the leaves from left to right, and a bracket for each join."""

    leaves: list[str]
    colours: Codes  # of each leaf: the group of the cut it belongs to, from left to right
    x: Floats  # (joins, 2): where its two arms stand
    y: Floats  # (joins, 3): the heights of the left arm's foot, of the right one's, and of the join
    group: Codes  # of each join: its group, -1 above the cut


def lay_out(figure: DendrogramFigure) -> Laid:
    """Places of leaves and joins: no two arms cross, and the group of the earlier row stands left."""
    joins = len(figure.heights)
    n = joins + 1
    drawn = min(figure.most, n) - 1
    first = joins - drawn  # joins before this are inside leaves
    rows = np.ones(n + joins, dtype=np.int64)
    early = np.concatenate([np.arange(n), np.zeros(joins, dtype=np.int64)])
    for t, (a, b) in enumerate(zip(figure.a.tolist(), figure.b.tolist(), strict=True)):
        rows[n + t] = rows[a] + rows[b]
        early[n + t] = min(early[a], early[b])
    order: list[int] = []
    pending = [n + joins - 1]
    while pending:
        node = pending.pop()
        if node < n + first:
            order.append(node)
            continue
        pair = sorted((int(figure.a[node - n]), int(figure.b[node - n])), key=lambda each: int(early[each]))
        pending += pair[::-1]
    place = {node: float(at) for at, node in enumerate(order)}
    cut_at = joins - (figure.groups - 1)  # joins from here on are undone by the cut
    top = dict.fromkeys(order, -1)
    x, y, colour = np.zeros((drawn, 2)), np.zeros((drawn, 3)), np.full(drawn, -1, dtype=np.int32)
    for t in range(first, joins):
        pair = sorted((int(figure.a[t]), int(figure.b[t])), key=lambda each: place[each])
        x[t - first] = [place[node] for node in pair]
        feet = [float(figure.heights[node - n]) if node >= n + first else 0.0 for node in pair]
        y[t - first] = [*feet, float(figure.heights[t])]
        place[n + t] = sum(place[node] for node in pair) / 2
    groups = _groups(figure, n, cut_at)
    seen: dict[int, int] = {}
    for node in order:
        seen.setdefault(groups[node], len(seen))
        top[node] = seen[groups[node]]
    for t in range(first, min(cut_at, joins)):
        colour[t - first] = seen.get(groups[n + t], 0)
    leaves = [_leaf(figure, node, n, int(rows[node])) for node in order]
    return Laid(leaves, np.array([top[node] for node in order], dtype=np.int32), x, y, colour)


def _groups(figure: DendrogramFigure, n: int, cut_at: int) -> list[int]:
    """Of each group of the hierarchy: the largest group below the cut that holds it (itself above the cut)."""
    up = list(range(n + len(figure.heights)))
    for t in range(min(cut_at, len(figure.heights)) - 1, -1, -1):
        for node in (int(figure.a[t]), int(figure.b[t])):
            up[node] = up[n + t]
    return up


def _leaf(figure: DendrogramFigure, node: int, n: int, rows: int) -> str:
    if node < n:
        return figure.names[node] if figure.names else f"{node}"
    return f"({rows:,})"


def dendrogram_svg(figure: DendrogramFigure) -> str:
    """Draw brackets over the leaves, in the colour of their group up to the cut."""
    joins = len(figure.heights)
    shown = f"{joins + 1:,} rows in {many(figure.groups, 'cluster')}"
    highest = number(float(figure.heights[-1])) if joins else "0"
    sheet = Sheet(figure.title, "Dendrogram", f"{shown}; the last join is at height {highest}")
    if not joins:
        return sheet.nothing("No dendrogram: there is only one row.")
    plan = lay_out(figure)
    y_scale = LinearScale(0.0, float(figure.heights[-1]) * 1.04 or 1.0)
    left_edge = left_room(y_scale.ticks(), labelled=True)
    panel = Panel(
        left_edge,
        sheet.y + 4,
        sheet.width - left_edge - 12,
        250.0,
        LinearScale(-0.6, len(plan.leaves) - 0.4),
        y_scale,
    )
    sheet.add(panel.axes("", "height", x_ticks=[], y_ticks=y_scale.ticks()))
    level = cut_height(figure)
    if level is not None:
        at = float(panel.up(np.array([level]))[0])
        sheet.add(line(panel.left, at, panel.right, at, stroke_opacity=0.6, stroke_dasharray="3 3"))
    for x, y, group in zip(plan.x, plan.y, plan.group.tolist(), strict=True):
        across = panel.across(np.array([x[0], x[0], x[1], x[1]]))
        up = panel.up(np.array([y[0], y[2], y[2], y[1]]))
        paint = palette.stroke(group) if group >= 0 else {"stroke": "currentColor", "stroke_opacity": 0.75}
        sheet.add(tag("path", d=trace(across, up), fill="none", stroke_width=1.6, **paint))
    sheet.y = panel.bottom + 4
    sheet.add(*_names(plan, panel))
    longest = max(measure(printable(leaf), SMALL) for leaf in plan.leaves)
    sheet.y += 12 + min(84.0, longest) if len(plan.leaves) <= _NAMED else 8
    if len(plan.leaves) <= joins:
        sheet.note(
            f"Shows the last {len(plan.leaves) - 1:,} of {joins:,} merges; (n) means n rows merged earlier."
        )
    if level is not None:
        sheet.note(f"Cut into {many(figure.groups, 'cluster')} between the joins.")
    return sheet.svg()


def cut_height(figure: DendrogramFigure) -> float | None:
    """Where the cut is drawn: in the middle between the last join kept and the first undone."""
    joins = len(figure.heights)
    if figure.groups < 2:
        return None
    kept = joins - figure.groups
    low = float(figure.heights[kept]) if kept >= 0 else 0.0
    return (low + float(figure.heights[kept + 1])) / 2


def _names(plan: Laid, panel: Panel) -> list[Markup]:
    """What each leaf is, read from below; without names where they would not be told apart."""
    if len(plan.leaves) > _NAMED:
        return []
    pieces = []
    size = min(SMALL, max(7.0, 0.95 * panel.width / len(plan.leaves)))
    for at, (leaf, group) in enumerate(zip(plan.leaves, plan.colours.tolist(), strict=True)):
        x = float(panel.across(np.array([float(at)]))[0]) + size / 3
        label = cut(leaf, 80.0, size)
        pieces.append(
            text(label, x, panel.bottom + 6, anchor="end", size=size, turned=-90.0, whole=printable(leaf))
        )
        pieces.append(
            tag("rect", x=x - size / 3 - 1.5, y=panel.bottom, width=3.0, height=4.0, **palette.fill(group))
        )
    return pieces
