"""Several measures over the same numbers of groups, each in a panel of its own: they have no common unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import TICK_ROOM, LinearScale, Panel, left_room
from acumen.render.curves import draw_curve
from acumen.render.sheet import LegendKey, Sheet, mark
from acumen.render.svg import cut, finite, line, tag, text, trace
from acumen.render.text import number
from acumen.render.values import Figure, floats, keep
from acumen.types import Floats

#: Panels that are drawn.
MOST_MEASURES = 12


@dataclass(frozen=True, slots=True, eq=False)
class MeasureCurve:
    """A measure's values, the place it is for (None: for none), a range, and what nothing at all would have."""

    name: str
    values: Floats
    chosen: int | None = None
    low: Floats | None = None
    high: Floats | None = None
    nothing: Floats | None = None
    better: Literal["most", "least"] = "most"

    def __post_init__(self) -> None:
        keep(self, values=floats(self, "values"))
        for name in ("low", "high", "nothing"):
            if getattr(self, name) is not None:
                keep(self, **{name: floats(self, name, length=len(self.values))})
        if (self.low is None) != (self.high is None):
            raise DataError("Measure: low and high go together; give both or none")
        if self.chosen is not None and not 0 <= self.chosen < len(self.values):
            raise DataError(
                f"Measure: chosen must be a place of values, 0 to {len(self.values) - 1}; got {self.chosen}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class MeasuresFigure(Figure):
    """Measures over common places `x`; `said` is what they come to."""

    x: Floats
    measures: Sequence[MeasureCurve]
    said: str = ""
    x_label: str = "clusters"
    title: str = "Number of groups"

    def __post_init__(self) -> None:
        keep(self, x=floats(self, "x"))
        for each in self.measures:
            if len(each.values) != len(self.x):
                raise DataError(
                    f"MeasuresFigure: {printable(each.name)} must have {len(self.x)} values, one for each place; "
                    f"got {len(each.values)}"
                )

    def _repr_svg_(self) -> str:
        return measures_svg(self)


def measures_svg(figure: MeasuresFigure) -> str:
    """Draw a panel for each measure, one below the other, with what it is for marked."""
    every = [each for each in figure.measures if finite(figure.x, each.values).any()]
    summary = "; ".join(_describe_measure(figure, each) for each in every)
    sheet = Sheet(figure.title, "Measures", f"{figure.said} {summary}".strip() or "no measures")
    if not every:
        return sheet.nothing("No measures: no value is finite.")
    shown = every[:MOST_MEASURES]
    scales = []
    for each in shown:
        parts = [e for e in (each.values, each.low, each.high, each.nothing) if e is not None]
        scales.append(LinearScale.around(*parts, pad=0.12))
    left_edge = max(left_room(scale.ticks(3), labelled=False) for scale in scales)
    low, high = float(figure.x.min()), float(figure.x.max())
    x_scale = LinearScale(low, high) if high > low else LinearScale(low - 1, high + 1)
    ticks = [(float(v), number(float(v))) for v in figure.x]
    height, top = 74.0, sheet.y
    for place, (each, scale) in enumerate(zip(shown, scales, strict=True)):
        name = cut(f"{each.name} ({each.better})", sheet.width - 150, bold=True)
        sheet.add(text(name, 12.0, sheet.y + 13, bold=True, whole=printable(each.name)))
        verdict = "finds none" if each.chosen is None else f"suggests {number(float(figure.x[each.chosen]))}"
        sheet.add(text(verdict, sheet.width - 12, sheet.y + 13, anchor="end"))
        last = place == len(shown) - 1
        panel = Panel(left_edge, sheet.y + 22, sheet.width - left_edge - 16, height, x_scale, scale)
        sheet.add(panel.axes(figure.x_label if last else "", "", x_ticks=ticks, y_ticks=scale.ticks(3)))
        _draw(sheet, panel, figure.x, each, place)
        sheet.y = panel.bottom + TICK_ROOM + (20.0 if last else 4.0)
        if last:
            _places(sheet, panel, top, figure.x)
    keys = [LegendKey("ring", 0, "what a measure suggests")]
    if any(each.nothing is not None for each in shown):
        keys.append(LegendKey("rule", 0, "without groups"))
    sheet.legend(keys)
    if figure.said:
        sheet.note(figure.said)
    if len(every) > len(shown):
        sheet.note(f"Shows the first {len(shown)} of {len(every)} measures.")
    return sheet.svg()


def _places(sheet: Sheet, panel: Panel, top: float, x: Floats) -> None:
    """Over all panels a column for each place, unseen, as `data-k` for programs that let people click on it."""
    across = np.sort(panel.across(x))
    half = float(np.diff(across).min(initial=panel.width)) / 2
    for at in np.argsort(x, kind="stable").tolist():
        px = float(panel.across(x[at]))
        left_edge, right = max(px - half, panel.left - 8), min(px + half, panel.left + panel.width + 8)
        column = {
            "x": left_edge,
            "y": top,
            "width": right - left_edge,
            "height": panel.bottom + TICK_ROOM - top,
        }
        sheet.add(tag("rect", fill="currentColor", fill_opacity=0, data_k=number(float(x[at])), **column))


def _draw(sheet: Sheet, panel: Panel, x: Floats, each: MeasureCurve, place: int) -> None:
    order = np.argsort(x, kind="stable")
    if each.nothing is not None:
        known = order[finite(x[order], each.nothing[order])]
        if len(known):
            way = trace(panel.across(x[known]), panel.up(each.nothing[known]))
            ink = {"stroke": "currentColor", "stroke_opacity": 0.6, "stroke_dasharray": "3 3"}
            sheet.add(tag("path", d=way, fill="none", **ink))
    if each.low is not None and each.high is not None:
        known = order[finite(x[order], each.low[order], each.high[order])]
        if len(known) > 1:
            xs = panel.across(x[known])
            around = np.r_[xs, xs[::-1]], np.r_[panel.up(each.high[known]), panel.up(each.low[known])[::-1]]
            sheet.add(tag("path", d=trace(*around, close=True), fill_opacity=0.17, **palette.fill(place)))
    known = order[finite(x[order], each.values[order])]
    if len(known) > 1:
        sheet.add(draw_curve(panel, place, x[known], each.values[known])[0])
    for at in known.tolist():
        px, py = float(panel.across(x[at])), float(panel.up(each.values[at]))
        if at == each.chosen:
            sheet.add(line(px, panel.top, px, panel.bottom, stroke_opacity=0.5, stroke_dasharray="2 2"))
            sheet.add(
                tag("circle", cx=px, cy=py, r=6.5, fill="none", stroke="currentColor", stroke_width=1.6)
            )
        sheet.add(mark(place, px, py, 3.4))


def _describe_measure(figure: MeasuresFigure, each: MeasureCurve) -> str:
    name = printable(each.name)
    if each.chosen is None:
        return f"{name} finds none"
    at = number(float(figure.x[each.chosen]))
    return f"{name} suggests {at}, with {number(float(each.values[each.chosen]))}"
