"""Bars from the best downwards: how much each attribute is worth; faint where chance would give as much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, SMALL, LinearScale, Panel
from acumen.render.sheet import LegendKey, Sheet
from acumen.render.svg import cut, line, measure, tag, text
from acumen.render.text import number
from acumen.render.values import Figure

#: So many bars are drawn; of more, the first.
MOST_BARS = 40
_HEIGHT = 22.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A name and its figure; `mark` is another value, drawn as a stroke; not `sure` is drawn faint."""

    name: str
    value: float
    sure: bool = True
    mark: float = math.nan


@dataclass(frozen=True, slots=True)
class BarsFigure(Figure):
    """Bars in the order in which they are drawn; `measure` names the axis, the others the entries of the legend."""

    bars: Sequence[Bar]
    measure: str = "score"
    title: str = "Attributes"
    sure: str = ""
    unsure: str = ""
    mark: str = ""

    def _repr_svg_(self) -> str:
        return bars_svg(self)


def bars_svg(figure: BarsFigure) -> str:
    """Draw a bar for each, its figure behind it."""
    bars = [bar for bar in figure.bars if math.isfinite(bar.value)]
    shown = bars[:MOST_BARS]
    summary = "; ".join(f"{bar.name}: {number(bar.value)}" for bar in shown)
    sheet = Sheet(figure.title, "Bars", summary)
    if not shown:
        return sheet.nothing("Nothing to draw: no value is finite.")
    left_edge = 12 + min(max(measure(printable(bar.name), SMALL) for bar in shown), 0.36 * sheet.width) + 10
    right = max(measure(number(bar.value), SMALL) for bar in shown) + 22
    marks = [bar.mark for bar in shown if math.isfinite(bar.mark)]
    ends = np.array([0.0, *(bar.value for bar in shown), *marks])
    low, high = float(ends.min()), float(ends.max())
    scale = LinearScale(low, high if high > low else low + 1.0)
    panel = Panel(
        left_edge,
        sheet.y + 4,
        sheet.width - left_edge - right,
        _HEIGHT * len(shown),
        scale,
        LinearScale(0, 1),
    )
    sheet.add(panel.axes(figure.measure, x_ticks=panel.x.ticks(4), y_ticks=()))
    zero = float(panel.across(0.0))
    for place, bar in enumerate(shown):
        y = panel.top + _HEIGHT * place
        end = float(panel.across(bar.value))
        sheet.add(
            text(
                cut(bar.name, left_edge - 22, SMALL),
                left_edge - 10,
                y + 15,
                anchor="end",
                size=SMALL,
                whole=printable(bar.name),
            ),
            tag(
                "rect",
                tag("title", f"{printable(bar.name)}: {number(bar.value)}"),
                x=min(zero, end),
                y=y + 4,
                width=max(abs(end - zero), 0.6),
                height=_HEIGHT - 8,
                fill_opacity=0.9 if bar.sure else 0.35,
                **palette.fill(0 if bar.sure else 6),
            ),
            text(number(bar.value), panel.right + 10, y + 15, size=SMALL, faint=True),
        )
        if math.isfinite(bar.mark):
            at = float(panel.across(bar.mark))
            sheet.add(line(at, y + 2, at, y + _HEIGHT - 2, stroke_width=2.4, **palette.stroke(1)))
    if low < 0:
        sheet.add(line(zero, panel.top, zero, panel.bottom, stroke_opacity=0.6))
    sheet.y = panel.bottom + AXIS_ROOM
    keys = [LegendKey("box", 0, figure.sure)] if figure.sure and any(bar.sure for bar in shown) else []
    keys += (
        [LegendKey("box", 6, figure.unsure)] if figure.unsure and not all(bar.sure for bar in shown) else []
    )
    keys += [LegendKey("line", 1, figure.mark)] if figure.mark and marks else []
    sheet.legend(keys)
    if len(bars) > len(shown):
        sheet.note(f"Shows the first {len(shown):,} of {len(bars):,}.")
    return sheet.svg()
