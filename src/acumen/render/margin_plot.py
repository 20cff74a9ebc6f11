"""A machine over two attributes: the line it decides by, its margins, its rows, support vectors ringed.

MarginFigure   decisions at the nodes of a grid, and the rows
margin_svg     the line where the decision is 0, dashed ones where it is 1 and -1, support vectors in rings
level_lines    where a function on a grid takes a value, as pieces of straight lines; `chained` joins them
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError
from acumen.render.axes import AXIS_ROOM, LinearScale, Panel, left_room, right_room
from acumen.render.labels import place_labels
from acumen.render.sheet import MOST_POINTS, LegendKey, Sheet, mark
from acumen.render.svg import Markup, finite, tag, trace
from acumen.render.text import many
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Bools, Floats, Indices

#: Support vectors whose multipliers are written.
MOST_TOLD = 60


@dataclass(frozen=True, slots=True, eq=False)
class MarginFigure(Figure):
    """Decisions of a machine at the nodes of a grid: `decisions[i, j]` at `x[j]`, `y[i]`; both rise.

    `classes` are the two sides, that of decisions below 0 first. Rows lie at `points`, `labels` says their side (0
    or 1), `support` which of them are support vectors; `alphas`, if given, is written next to those of few.
    """

    x: Floats
    y: Floats
    decisions: Floats
    classes: Sequence[str]
    points: Floats
    labels: Indices
    support: Bools
    x_label: str = "x"
    y_label: str = "y"
    title: str = "Margin"
    alphas: Floats | None = None

    def __post_init__(self) -> None:
        keep(self, x=floats(self, "x"), y=floats(self, "y"), classes=names(self, "classes", length=2))
        keep(self, decisions=floats(self, "decisions", ndim=2), points=floats(self, "points", ndim=2))
        keep(
            self,
            labels=np.asarray(self.labels, dtype=np.intp),
            support=np.asarray(self.support, dtype=np.bool_),
        )
        for name in ("x", "y"):
            values = getattr(self, name)
            if len(values) < 2 or not np.all(np.diff(values) > 0) or not np.all(np.isfinite(values)):
                raise DataError(f"MarginFigure: {name} must be two or more finite numbers that rise")
        if self.decisions.shape != (len(self.y), len(self.x)):
            raise DataError(
                f"MarginFigure: decisions must be y by x, {(len(self.y), len(self.x))}; got {self.decisions.shape}"
            )
        n = len(self.labels)
        if self.points.shape != (n, 2) or self.support.shape != (n,):
            raise DataError(f"MarginFigure: points must be {n:,} x 2 and support {n:,}, as labels")
        if self.alphas is not None:
            keep(self, alphas=floats(self, "alphas", length=n))

    def shown_rows(self) -> Indices:
        """The rows to be drawn: those in the grid; of many, support vectors first, then some at random."""
        px, py = self.points[:, 0], self.points[:, 1]
        inside = (
            finite(px, py) & (px >= self.x[0]) & (px <= self.x[-1]) & (py >= self.y[0]) & (py <= self.y[-1])
        )
        rows = np.flatnonzero(inside)
        if len(rows) <= MOST_POINTS:
            return rows
        order = np.random.default_rng(0).permutation(len(rows))
        order = order[np.argsort(~self.support[rows[order]], kind="stable")]
        return np.sort(rows[order[:MOST_POINTS]])

    def _repr_svg_(self) -> str:
        return margin_svg(self)


def margin_svg(figure: MarginFigure) -> str:
    """Draw the line of decision, the margins and the rows."""
    low, high = figure.classes
    count = int(figure.support.sum())
    summary = (
        f"The line between {low} and {high} over {figure.x_label} and {figure.y_label}, with its margins and "
        f"{many(count, 'support vector')}"
    )
    sheet = Sheet(figure.title, "Margin", summary)
    x = LinearScale(float(figure.x[0]), float(figure.x[-1]))
    y = LinearScale(float(figure.y[0]), float(figure.y[-1]))
    left_edge = left_room(y.ticks(), labelled=True)
    panel = Panel(left_edge, sheet.y + 4, sheet.width - left_edge - right_room(x.ticks()), 340.0, x, y)
    sheet.add(panel.axes(figure.x_label, figure.y_label))
    sheet.y = panel.bottom + AXIS_ROOM
    for level in (-1.0, 0.0, 1.0):
        path = _path(figure, panel, level)
        if path:
            dashes = {} if level == 0 else {"stroke_dasharray": "5 4"}
            wide = 1.8 if level == 0 else 1.1
            sheet.add(tag("path", d=path, fill="none", stroke="currentColor", stroke_width=wide, **dashes))
    rows = figure.shown_rows()
    sheet.add(*_rows(figure, panel, rows))
    untold = _alphas(sheet, figure, panel, rows)
    sheet.legend(
        [
            LegendKey("dot", 0, low),
            LegendKey("dot", 1, high),
            LegendKey("ring", 0, "support vectors", f"{count:,}"),
            LegendKey("rule", 0, "margins"),
        ]
    )
    if len(rows) < len(figure.labels):
        sheet.note(f"Shows {len(rows):,} of {many(len(figure.labels), 'row')}.")
    if figure.alphas is not None and count:
        without = f"; {untold:,} had no room for one" if untold else ""
        sheet.note(f"Numbers at support vectors are their multipliers alpha{without}.")
    return sheet.svg()


def _rows(figure: MarginFigure, panel: Panel, rows: Indices) -> list[Markup]:
    radius = 3.4 if len(rows) <= 400 else 2.2
    across = panel.across(figure.points[rows, 0]).tolist()
    up = panel.up(figure.points[rows, 1]).tolist()
    pieces = []
    for place, x, y in zip(rows.tolist(), across, up, strict=True):
        pieces.append(mark(int(figure.labels[place]) & 1, x, y, radius))
        if figure.support[place]:
            ring = {"fill": "none", "stroke": "currentColor", "stroke_width": 1.1}
            pieces.append(tag("circle", cx=x, cy=y, r=radius + 3.0, **ring))
    return pieces


def _alphas(sheet: Sheet, figure: MarginFigure, panel: Panel, rows: Indices) -> int:
    """The multiplier beside each support vector, the largest first; how many found no room."""
    if figure.alphas is None:
        return 0
    held = rows[figure.support[rows]]
    held = held[np.argsort(-figure.alphas[held], kind="stable")]
    across, up = panel.across(figure.points[rows, 0]).tolist(), panel.up(figure.points[rows, 1]).tolist()
    spots = dict(zip(rows.tolist(), zip(across, up, strict=True), strict=True))
    labels = [f"{value:.3g}" for value in figure.alphas[held[:MOST_TOLD]].tolist()]
    at = [spots[row] for row in held[:MOST_TOLD].tolist()]
    pieces, omitted = place_labels(at, labels, panel, away=9.0, others=list(spots.values()))
    sheet.add(*pieces)
    return omitted + max(len(held) - MOST_TOLD, 0)


def _path(figure: MarginFigure, panel: Panel, level: float) -> str:
    ways = chain_segments(level_lines(figure.x, figure.y, figure.decisions, level))
    return "".join(trace(panel.across(way[:, 0]), panel.up(way[:, 1])) for way in ways)


def chain_segments(pieces: Floats) -> list[Floats]:
    """Pieces joined where they meet, so that dashes run along the whole line."""
    ends: dict[tuple[float, float], list[int]] = {}
    places = [[(float(x), float(y)) for x, y in piece] for piece in np.round(pieces, 12).tolist()]
    for i, piece in enumerate(places):
        for end in piece:
            ends.setdefault(end, []).append(i)
    remaining = set(range(len(places)))

    def follow(way: list[tuple[float, float]]) -> None:
        while True:
            further = [i for i in ends[way[-1]] if i in remaining]
            if not further:
                return
            remaining.discard(further[0])
            one, other = places[further[0]]
            way.append(other if one == way[-1] else one)

    chains = []
    while remaining:
        first = remaining.pop()
        way = list(places[first])
        follow(way)
        way.reverse()
        follow(way)
        chains.append(np.array(way))
    return chains


def level_lines(x: Floats, y: Floats, values: Floats, level: float) -> Floats:
    """Pieces of the line where the function is `level`: (pieces, 2 ends, 2 coordinates), by marching triangles.

    Each cell of the grid is cut along a diagonal; in a triangle a linear function leaves no doubt where it goes.
    """
    xs, ys = np.meshgrid(x, y)
    corners = np.stack([xs, ys, values - level], axis=-1)
    a, b, c, d = corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]
    triangles = np.concatenate([np.stack([a, b, c], axis=2), np.stack([d, c, b], axis=2)]).reshape(-1, 3, 3)
    triangles = triangles[np.isfinite(triangles[:, :, 2]).all(axis=1)]
    above = triangles[:, :, 2] >= 0
    crossed = triangles[above.any(axis=1) & ~above.all(axis=1)]
    above = crossed[:, :, 2] >= 0
    # One corner is alone on its side; the line cuts both edges that meet there.
    alone = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), (~above).argmax(axis=1))
    at = np.arange(len(crossed))
    tip = crossed[at, alone]
    ends = []
    for step in (1, 2):
        other = crossed[at, (alone + step) % 3]
        share = (tip[:, 2] / (tip[:, 2] - other[:, 2]))[:, None]
        ends.append(tip[:, :2] + share * (other[:, :2] - tip[:, :2]))
    return np.stack(ends, axis=1) if len(crossed) else np.empty((0, 2, 2))
