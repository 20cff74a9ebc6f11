"""The precision-recall curve: how pure the rows called positive are, by how many positives are among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.render.curves import PlotCurve, describe_curves, draw_all, has_points, square
from acumen.render.sheet import Sheet
from acumen.render.svg import line
from acumen.render.text import percent
from acumen.render.values import Figure


@dataclass(frozen=True, slots=True, eq=False)
class PrFigure(Figure):
    """Curves of recall (`x`) and precision (`y`), and the share of positives, which chance would give."""

    curves: Sequence[PlotCurve]
    prevalence: float | None = None
    positive: str = ""
    title: str = "Precision and recall"

    def _repr_svg_(self) -> str:
        return pr_svg(self)


def pr_svg(figure: PrFigure) -> str:
    """Draw the curves as steps: a straight line between two points would promise more than there is."""
    sheet = Sheet(figure.title, "Precision-recall curve", describe_curves(figure.curves, "average precision"))
    if not has_points(figure.curves):
        return sheet.nothing("No precision-recall curve: there is no positive row with a score.")
    of = f" ({figure.positive})" if figure.positive else ""
    panel = square(sheet, (f"Recall{of}", f"Precision{of}"), height=300.0)
    chance = ""
    if figure.prevalence is not None and np.isfinite(figure.prevalence):
        y = float(panel.up(float(np.clip(figure.prevalence, 0.0, 1.0))))
        sheet.add(line(panel.left, y, panel.right, y, stroke_opacity=0.5, stroke_dasharray="3 3"))
        chance = f"chance: {percent(figure.prevalence)} are positive"
    draw_all(sheet, panel, [steps(curve) for curve in figure.curves], "AP", chance)
    return sheet.svg()


def steps(curve: PlotCurve) -> PlotCurve:
    """The curve as steps: the precision at a recall holds back to the recall before it."""
    x, y = curve.points()
    if len(x) < 2:
        return curve
    if x[0] > x[-1]:
        x, y = x[::-1], y[::-1]
    across = np.column_stack((x[:-1], x[1:])).ravel()
    return PlotCurve(curve.name, np.r_[x[0], across], np.r_[y[0], np.repeat(y[1:], 2)], curve.area)
