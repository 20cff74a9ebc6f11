"""What comes of calling rows, those of the highest probability first: what is found, and what it costs.

decision_svg   the share found over the share called, and below it the cost of a thousand rows or the precision
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, LinearScale, Panel, left_room, right_room
from acumen.render.curves import PERCENTS, UNIT, draw_curve
from acumen.render.sheet import LegendKey, Sheet, diagonal
from acumen.render.svg import finite, line, tag
from acumen.render.text import number, percent
from acumen.render.values import Figure, floats, keep
from acumen.types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class DecisionFigure(Figure):
    """Fractions of rows selected and, for each, the recall and the cost or precision."""

    called: Floats
    found: Floats
    worth: Floats
    chosen: int  # the place of the decision among them
    threshold: float
    what: Literal["cost", "precision"] = "cost"
    positive: str = ""
    title: str = "Decision"

    def __post_init__(self) -> None:
        keep(self, called=floats(self, "called"))
        for name in ("found", "worth"):
            keep(self, **{name: floats(self, name, length=len(self.called))})
        if len(self.called) and not 0 <= self.chosen < len(self.called):
            raise DataError("DecisionFigure: chosen must be the place of one of the shares called")

    def _repr_svg_(self) -> str:
        return decision_svg(self)

    @property
    def summary(self) -> str:
        """The decision in half a line."""
        called, recall = float(self.called[self.chosen]), float(self.found[self.chosen])
        at = f"at least {number(self.threshold)}" if np.isfinite(self.threshold) else "nobody"
        return f"Chosen: {at}; {percent(called)} of rows flagged, recall {percent(recall)}"


def decision_svg(figure: DecisionFigure) -> str:
    """Draw both curves, with the decision marked on each."""
    if not len(figure.called):
        return Sheet(figure.title, "Decision", "").nothing("No decision: no row has a probability.")
    sheet = Sheet(figure.title, "Decision", figure.summary)
    name = f" ({figure.positive})" if figure.positive else ""
    x = float(figure.called[figure.chosen])
    shown = finite(figure.called, figure.worth)
    scale, ticks = UNIT, PERCENTS
    if figure.what == "cost":
        scale = LinearScale.around(np.append(0.0, figure.worth[shown]), pad=0.06)
        ticks = tuple(scale.ticks())
    left_edge = max(left_room(PERCENTS, labelled=True), left_room(ticks, labelled=True))
    width = sheet.width - left_edge - right_room(PERCENTS)
    axis = "Fraction of rows flagged, highest probability first"
    above = Panel(left_edge, sheet.y + 4, width, 210.0, UNIT, UNIT)
    sheet.add(above.axes(axis, f"Recall{name}", x_ticks=PERCENTS, y_ticks=PERCENTS))
    sheet.y = above.bottom + AXIS_ROOM
    sheet.add(diagonal(above), draw_curve(above, 0, figure.called, figure.found)[0])
    _mark(sheet, above, x, float(figure.found[figure.chosen]))
    panel = Panel(left_edge, sheet.y + 8, width, 190.0, UNIT, scale)
    label = "Cost per 1,000 rows" if figure.what == "cost" else "Precision"
    sheet.add(panel.axes(axis, label, x_ticks=PERCENTS, y_ticks=ticks))
    sheet.y = panel.bottom + AXIS_ROOM
    sheet.add(draw_curve(panel, 0, figure.called[shown], figure.worth[shown])[0])
    worth = float(figure.worth[figure.chosen])
    if np.isfinite(worth):
        _mark(sheet, panel, x, worth)
    sheet.legend(
        [
            LegendKey("line", 0, "by probability"),
            LegendKey("rule", 0, "by chance"),
            LegendKey("dot", 1, "chosen"),
        ]
    )
    sheet.note(figure.summary + ".")
    return sheet.svg()


def _mark(sheet: Sheet, panel: Panel, x: float, y: float) -> None:
    across, up = float(panel.across(x)), float(panel.up(y))
    sheet.add(
        line(across, up, across, panel.bottom, stroke_dasharray="3 3", **palette.stroke(1)),
        tag("circle", cx=across, cy=up, r=5.5, **palette.fill(1)),
    )
