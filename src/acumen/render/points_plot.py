"""Rows as points: predicted over actual numbers, and what is left of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from acumen.render.axes import AXIS_ROOM, LinearScale, Panel, left_room, right_room
from acumen.render.sheet import MOST_POINTS, LegendKey, Sheet, mark
from acumen.render.svg import finite, line
from acumen.render.text import number
from acumen.render.values import Figure, floats, keep
from acumen.types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class PointsFigure(Figure):
    """A point for each row, and the line that a perfect model would put them on.

    `ideal` is "equal" (y is x), "zero" (y is 0) or "none".
    """

    x: Floats
    y: Floats
    x_label: str = "actual"
    y_label: str = "predicted"
    ideal: Literal["equal", "zero", "none"] = "equal"
    title: str = "Predicted and actual"

    def __post_init__(self) -> None:
        keep(self, x=floats(self, "x"))
        keep(self, y=floats(self, "y", length=len(self.x)))

    def shown_rows(self) -> tuple[Floats, Floats]:
        """The points that are drawn: of many, evenly spread ones in the order of x."""
        known = finite(self.x, self.y)
        x, y = self.x[known], self.y[known]
        if len(x) <= MOST_POINTS:
            return x, y
        order = np.argsort(x, kind="stable")
        some = order[np.linspace(0, len(x) - 1, MOST_POINTS).astype(np.intp)]
        return x[some], y[some]

    def _repr_svg_(self) -> str:
        return points_svg(self)


def points_svg(figure: PointsFigure) -> str:
    """Draw the points over the line they should lie on."""
    x, y = figure.shown_rows()
    n = int(finite(figure.x, figure.y).sum())
    sheet = Sheet(figure.title, "Points", _describe_points(figure, n))
    if not len(x):
        return sheet.nothing("No points: no row has two finite numbers.")
    if figure.ideal == "equal":
        x_scale = y_scale = LinearScale.around(x, y)
    else:
        x_scale = LinearScale.around(x)
        y_scale = LinearScale.around(y, np.zeros(1)) if figure.ideal == "zero" else LinearScale.around(y)
    ticks = y_scale.ticks()
    left_edge = left_room(ticks, labelled=True)
    width = sheet.width - left_edge - right_room(x_scale.ticks())
    height = width if figure.ideal == "equal" else 0.6 * width
    panel = Panel(left_edge, sheet.y + 4, width, height, x_scale, y_scale)
    sheet.add(panel.axes(figure.x_label, figure.y_label, y_ticks=ticks))
    sheet.y = panel.bottom + AXIS_ROOM
    if figure.ideal == "equal":
        sheet.add(
            line(panel.left, panel.bottom, panel.right, panel.top, stroke_opacity=0.6, stroke_dasharray="3 3")
        )
    elif figure.ideal == "zero":
        at = float(panel.up(0.0))
        sheet.add(line(panel.left, at, panel.right, at, stroke_opacity=0.6, stroke_dasharray="3 3"))
    size = 3.2 if len(x) <= 400 else 2.2
    points = zip(panel.across(x).tolist(), panel.up(y).tolist(), strict=True)
    sheet.add(*(mark(0, px, py, size, fill_opacity=0.55) for px, py in points))
    if figure.ideal != "none":
        sheet.legend([LegendKey("dot", 0, "rows"), LegendKey("rule", 0, "perfect")])
    if n > len(x):
        sheet.note(f"Shows {len(x):,} of {n:,} rows.")
    return sheet.svg()


def _describe_points(figure: PointsFigure, n: int) -> str:
    known = finite(figure.x, figure.y)
    if not known.any():
        return "no points"
    low, high = float(figure.y[known].min()), float(figure.y[known].max())
    return f"{n:,} points; {figure.y_label} from {number(low)} to {number(high)}"
