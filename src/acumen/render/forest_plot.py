"""A forest plot: ratios with their intervals on a logarithmic axis, 1 marked, the figures beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, SMALL, Log, Panel
from acumen.render.interval_plot import RADIUS, SLACK
from acumen.render.sheet import Sheet
from acumen.render.svg import Markup, cut, line, measure, tag, text
from acumen.render.text import number
from acumen.render.values import Figure

#: So many lines are drawn; of more, the first.
MOST_ROWS = 60
_WIDTH, _STEP = 640.0, 26.0
#: Ratios further than this from all others' ends would press the rest together: their bars leave the panel.
_WIDEST = 1e4


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A name, its ratio and interval; `reference` marks a level that others are compared with, `group` is a heading."""

    name: str
    ratio: float
    low: float = math.nan
    high: float = math.nan
    reference: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class ForestFigure(Figure):
    """Rows in the order in which they are drawn."""

    rows: Sequence[ForestRow]
    title: str = "Odds ratios"
    measure: str = "odds ratio"
    note: str = ""

    def _repr_svg_(self) -> str:
        return forest_svg(self)


def forest_svg(figure: ForestFigure) -> str:
    """A point and a bar a row; a hollow point where the interval holds 1 or there is none."""
    rows = [row for row in figure.rows if math.isfinite(row.ratio) and row.ratio > 0]
    shown = rows[:MOST_ROWS]
    summary = "; ".join(f"{row.name}: {figures(row)}" for row in shown)
    sheet = Sheet(figure.title, "Forest plot", summary, width=_WIDTH)
    if not shown:
        return sheet.nothing("No odds ratio is finite.")
    left_edge = 12 + min(SLACK * max(measure(printable(row.name)) for row in shown), 0.4 * sheet.width) + 12
    right = SLACK * max(measure(figures(row), SMALL) for row in shown) + 20
    scale = _scale(shown)
    heads = [place for place, row in enumerate(shown) if row.group and row.group != shown[place - 1].group]
    heads = [0, *heads] if shown[0].group and 0 not in heads else heads
    height = _STEP * (len(shown) + len(heads))
    panel = Panel(left_edge, sheet.y + 6, sheet.width - left_edge - right, height, scale, Log(1, 10))
    sheet.add(panel.axes(figure.measure, x_ticks=panel.x.ticks(4), y_ticks=()))
    one = float(panel.across(1.0))
    sheet.add(line(one, panel.top, one, panel.bottom, stroke_opacity=0.6, stroke_dasharray="3 3"))
    y = panel.top - _STEP / 2
    for place, row in enumerate(shown):
        if place in heads:
            y += _STEP
            sheet.add(
                text(
                    cut(row.group, 0.6 * sheet.width, bold=True),
                    12.0,
                    y + 4.5,
                    bold=True,
                    whole=printable(row.group),
                )
            )
        y += _STEP
        sheet.add(
            text(
                cut(row.name, (left_edge - 24) / SLACK),
                left_edge - 12,
                y + 4.5,
                anchor="end",
                whole=printable(row.name),
            ),
            *_draw_row(panel, row, y),
            text(figures(row), panel.right + 12, y + 4.5, size=SMALL, faint=True),
        )
    sheet.y = panel.bottom + AXIS_ROOM
    sheet.note(
        "Left of the dashed line the odds fall, right of it they rise. A hollow point is not significantly different "
        "from 1."
    )
    if figure.note:
        sheet.note(figure.note)
    if len(rows) > len(shown):
        sheet.note(f"Shows the first {len(shown):,} of {len(rows):,}.")
    if len(rows) < len(figure.rows):
        sheet.note(f"{len(figure.rows) - len(rows):,} without a finite ratio are not shown.")
    return sheet.svg()


def _scale(rows: Sequence[ForestRow]) -> Log:
    """An axis that holds 1, every ratio, and the intervals' ends as far as they do not press all else together."""
    ratios = np.array([1.0, *(row.ratio for row in rows)])
    ends = np.array([[row.low, row.high] for row in rows]).ravel()
    ends = ends[
        np.isfinite(ends) & (ends > ratios.min() / _WIDEST) & (ends < ratios.max() * _WIDEST) & (ends > 0)
    ]
    low, high = (float(f([*ratios, *ends])) for f in (min, max))
    room = max((high / low) ** 0.06, 1.02)
    return Log(max(low / room, 1e-300), min(high * room, 1e300))


def _draw_row(panel: Panel, row: ForestRow, y: float) -> list[Markup]:
    x = float(panel.across(row.ratio))
    if row.reference:
        return [tag("circle", cx=x, cy=y, r=3.0, fill="currentColor", fill_opacity=0.5)]
    pieces = []
    known = not math.isnan(row.low)
    sure = known and not row.low <= 1.0 <= row.high
    place = 6 if not sure else 0 if row.ratio > 1 else 1
    if known:
        for end, side, sign in ((row.low, panel.left, -1), (row.high, panel.right, 1)):
            inside = end > 0 and math.isfinite(end) and panel.x.low <= end <= panel.x.high
            to = float(panel.across(end)) if inside else side
            rim = x + sign * RADIUS
            if (to - rim) * sign > 0:
                pieces.append(line(rim, y, to, y, stroke_width=2.4, **palette.stroke(place)))
            if inside:
                pieces.append(line(to, y - 5, to, y + 5, stroke_width=1.6, **palette.stroke(place)))
            else:  # it goes on beyond the panel
                pieces.append(line(to - sign * 6, y - 5, to, y, stroke_width=1.6, **palette.stroke(place)))
                pieces.append(line(to - sign * 6, y + 5, to, y, stroke_width=1.6, **palette.stroke(place)))
    look = palette.fill(place) if sure else {"fill": "none", "stroke_width": 2.2, **palette.stroke(place)}
    pieces.append(tag("circle", cx=x, cy=y, r=RADIUS, **look))
    return pieces


def figures(row: ForestRow) -> str:
    """`1.67 (1.42 to 1.97)`."""
    if row.reference:
        return "1 (reference)"
    if math.isnan(row.low):
        return ratio_said(row.ratio)
    return f"{ratio_said(row.ratio)} ({ratio_said(row.low)} to {ratio_said(row.high)})"


def ratio_said(ratio: float) -> str:
    """Three figures; near 1 as many as tell it from 1."""
    away = abs(ratio - 1.0)
    if not math.isfinite(ratio) or not 0.1 <= ratio < 100:
        return number(float(f"{ratio:.3g}"))
    if 0 < away < 0.1:
        return f"{ratio:.{min(12, max(3, 1 - math.floor(math.log10(away))))}f}"
    return f"{ratio:.3f}" if ratio < 1 else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"
