"""Groups of rows in a plane: points in the colour and shape of their group, medoids or centres over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, LinearScale, Panel, left_room, right_room
from acumen.render.sheet import MOST_POINTS, LegendKey, Sheet, mark
from acumen.render.svg import finite, line, tag
from acumen.render.text import many
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Array, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class GroupsFigure(Figure):
    """A point for each row, its group (-1: none), and the middles of groups where there are such.

    `middles` has a line for each of them, in the order of `groups`, NaN where a group has none.
    """

    points: Floats
    labels: Array
    groups: Sequence[str]
    middles: Floats = field(default_factory=lambda: np.empty((0, 2)))
    middle: str = "medoid"
    x_label: str = "first component"
    y_label: str = "second component"
    title: str = "Groups"

    def __post_init__(self) -> None:
        keep(self, points=floats(self, "points", ndim=2), middles=floats(self, "middles", ndim=2))
        keep(self, groups=names(self, "groups"), labels=np.asarray(self.labels, dtype=np.int64))
        if self.points.shape[1] != 2 or self.middles.shape[1] != 2:
            raise DataError("GroupsFigure: points and middles must have two columns, across and up")
        n, k = len(self.points), len(self.groups)
        if self.labels.shape != (n,) or (self.labels < -1).any() or (self.labels >= k).any():
            raise DataError(f"GroupsFigure: labels must be {n:,} clusters from -1 to {k - 1}")
        if len(self.middles) not in (0, k):
            raise DataError(
                f"GroupsFigure: middles must be {k}, one for each cluster, or none; got {len(self.middles)}"
            )

    def shown_rows(self) -> Indices:
        """The rows that are drawn: of many, some of each group by its share, always the same ones."""
        known = np.flatnonzero(finite(self.points[:, 0], self.points[:, 1]))
        if len(known) <= MOST_POINTS:
            return known
        order = known[np.argsort(self.labels[known], kind="stable")]
        return np.sort(order[np.linspace(0, len(order) - 1, MOST_POINTS).astype(np.intp)])

    def _repr_svg_(self) -> str:
        return groups_svg(self)


def groups_svg(figure: GroupsFigure) -> str:
    """Draw rows in no group faintly, then the others, then the middles."""
    rows = figure.shown_rows()
    n = int(finite(figure.points[:, 0], figure.points[:, 1]).sum())
    sizes = np.bincount(figure.labels[figure.labels >= 0], minlength=len(figure.groups))
    summary = ", ".join(
        f"{name}: {many(int(size), 'row')}" for name, size in zip(figure.groups, sizes, strict=True)
    )
    sheet = Sheet(figure.title, "Groups", summary or "no clusters")
    if not len(rows):
        return sheet.nothing("No points: no row has two finite numbers.")
    x, y = figure.points[rows, 0], figure.points[rows, 1]
    middles = figure.middles[finite(*figure.middles.T)] if len(figure.middles) else figure.middles
    x_scale = LinearScale.around(x, middles[:, 0], pad=0.04)
    y_scale = LinearScale.around(y, middles[:, 1], pad=0.04)
    ticks = y_scale.ticks()
    left_edge = left_room(ticks, labelled=True)
    width = sheet.width - left_edge - right_room(x_scale.ticks())
    panel = Panel(left_edge, sheet.y + 4, width, 0.85 * width, x_scale, y_scale)
    sheet.add(panel.axes(figure.x_label, figure.y_label, y_ticks=ticks))
    sheet.y = panel.bottom + AXIS_ROOM
    size = 3.2 if len(rows) <= 400 else 2.2
    groups = figure.labels[rows].tolist()
    places = list(zip(groups, panel.across(x).tolist(), panel.up(y).tolist(), strict=True))
    for _, px, py in (each for each in places if each[0] < 0):
        d = 0.75 * size
        sheet.add(line(px - d, py - d, px + d, py + d, stroke_opacity=0.45))
        sheet.add(line(px - d, py + d, px + d, py - d, stroke_opacity=0.45))
    for group in range(len(figure.groups)):
        marks = [mark(g, px, py, size, fill_opacity=0.6) for g, px, py in places if g == group]
        # Together, as `data-group` for programs that let people click on them.
        sheet.add(*([tag("g", *marks, data_group=group)] if marks else []))
    for g, (mx, my) in enumerate(figure.middles.tolist()):
        if not (np.isfinite(mx) and np.isfinite(my)):
            continue
        px, py = float(panel.across(mx)), float(panel.up(my))
        sheet.add(tag("circle", cx=px, cy=py, r=8.0, fill="none", stroke="currentColor", stroke_width=1.6))
        sheet.add(mark(g, px, py, 5.0))
    keys = [LegendKey("dot", g, name, many(int(sizes[g]), "row")) for g, name in enumerate(figure.groups)]
    if len(middles):
        keys.append(LegendKey("ring", 0, figure.middle))
    sheet.legend(keys)
    outside = int((figure.labels < 0).sum())
    if outside:
        sheet.note(f"Small crosses: {many(outside, 'row')} in no cluster.")
    if n > len(rows):
        sheet.note(f"Shows {len(rows):,} of {n:,} rows.")
    if len(figure.groups) > len(palette.SERIES):
        sheet.note(f"Colours repeat after {len(palette.SERIES)} clusters, with other shapes.")
    return sheet.svg()
