"""A ranking with intervals: each learner's mean and how far it may be off, with the baseline marked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, SMALL, LinearScale, Panel
from acumen.render.sheet import LegendKey, Sheet
from acumen.render.svg import Markup, cut, line, measure, tag, text
from acumen.render.text import number
from acumen.render.values import Figure
from acumen.render.verdicts import LOOKS, Verdict

#: So many learners are drawn; of more, the first.
MOST_ROWS = 60
#: Fonts that stand in for the one that was measured are wider.
SLACK = 1.15
#: The radius of a point.
RADIUS = 5.0


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A name, its mean with the interval from `low` to `high`, and how it stands to the baseline."""

    name: str
    mean: float
    low: float = math.nan
    high: float = math.nan
    verdict: Verdict = ""

    def __post_init__(self) -> None:
        if self.verdict not in LOOKS:
            known = ", ".join(repr(v) for v in LOOKS)
            raise DataError(f"IntervalRow: verdict must be one of {known}; got {self.verdict!r}")


@dataclass(frozen=True, slots=True)
class IntervalFigure(Figure):
    """Rows in the order in which they are drawn, best first; `measure` names what is on the axis."""

    rows: Sequence[IntervalRow]
    measure: str = "error"
    title: str = "Ranking"

    def _repr_svg_(self) -> str:
        return interval_svg(self)


def interval_svg(figure: IntervalFigure) -> str:
    """Draw a line for each row: a point at the mean, a bar over the interval, the figures at the right."""
    rows = [row for row in figure.rows if math.isfinite(row.mean)]
    shown = rows[:MOST_ROWS]
    summary = "; ".join(f"{row.name}: {_figures(row)} {row.verdict}".rstrip() for row in shown)
    sheet = Sheet(figure.title, "Ranking with intervals", summary)
    if not shown:
        return sheet.nothing("No ranking: no learner has a finite mean.")
    left_edge = 12 + min(max(measure(printable(row.name)) for row in shown), 0.34 * sheet.width) + 12
    right = SLACK * max(measure(_figures(row), SMALL) for row in shown) + 20
    ends = np.array([[row.mean, row.low, row.high] for row in shown]).ravel()
    panel = Panel(
        left_edge,
        sheet.y + 6,
        sheet.width - left_edge - right,
        28.0 * len(shown),
        LinearScale.around(ends),
        LinearScale(0, 1),
    )
    sheet.add(panel.axes(figure.measure, x_ticks=panel.x.ticks(4), y_ticks=()))
    for row in shown:
        if row.verdict == "baseline":
            x = float(panel.across(row.mean))
            sheet.add(line(x, panel.top, x, panel.bottom, stroke_opacity=0.6, stroke_dasharray="3 3"))
    for place, row in enumerate(shown):
        y = panel.top + 28.0 * (place + 0.5)
        name = cut(row.name, left_edge - 24, bold=row.verdict == "baseline")
        sheet.add(
            text(name, left_edge - 12, y + 4.5, anchor="end", whole=printable(row.name)),
            *_interval(panel, row, y),
            text(_figures(row), panel.right + 12, y + 4.5, size=SMALL, faint=True),
        )
    sheet.y = panel.bottom + AXIS_ROOM
    seen = {row.verdict for row in shown}
    sheet.legend(list(dict.fromkeys(key for verdict, key in _KEYS.items() if verdict in seen)))
    if len(rows) > len(shown):
        sheet.note(f"Shows the first {len(shown):,} of {len(rows):,}.")
    if len(rows) < len(figure.rows):
        sheet.note(f"{len(figure.rows) - len(rows):,} without a finite mean are not shown.")
    return sheet.svg()


_KEYS = {
    "better": LegendKey("box", 0, "better than the baseline"),
    "worse": LegendKey("box", 1, "worse than the baseline"),
    "practically equal": LegendKey("hollow", 6, "no significant difference"),
    "no significant difference": LegendKey("hollow", 6, "no significant difference"),
    "baseline": LegendKey("rule", 6, "baseline"),
}


def _figures(row: IntervalRow) -> str:
    """The mean, and half the width of the interval where it has one."""
    if not (math.isfinite(row.low) and math.isfinite(row.high)):
        return f"{row.mean:.4g}"
    half = (row.high - row.low) / 2
    if not half > 0:
        return f"{row.mean:.4g}"
    # As many decimals as the half width's second figure has: more would pretend to know.
    places = max(0, min(6, 1 - math.floor(math.log10(half))))
    if abs(row.mean) >= 1e6 or half < 1e-6:
        return f"{number(row.mean)} ± {number(half)}"
    return f"{row.mean:.{places}f} ± {half:.{places}f}"


def _interval(panel: Panel, row: IntervalRow, y: float) -> list[Markup]:
    """The bar over the interval with its ends, and the point at the mean."""
    look = LOOKS[row.verdict]
    place = look.colour
    pieces = []
    x = float(panel.across(row.mean))
    if math.isfinite(row.low) and math.isfinite(row.high):
        low, high = float(panel.across(row.low)), float(panel.across(row.high))
        # The bar stops at the rim of the point, so that a hollow point stays hollow on any ground.
        for end, rim in ((low, min(x - RADIUS, high)), (high, max(x + RADIUS, low))):
            if (end - x) * (end - rim) > 0:
                pieces.append(line(end, y, rim, y, stroke_width=2.4, **palette.stroke(place)))
            pieces.append(line(end, y - 5, end, y + 5, stroke_width=1.6, **palette.stroke(place)))
    if look.hollow:
        pieces.append(
            tag("circle", cx=x, cy=y, r=RADIUS, fill="none", stroke_width=2.2, **palette.stroke(place))
        )
    else:
        pieces.append(tag("circle", cx=x, cy=y, r=RADIUS + 0.5, **palette.fill(place)))
    return pieces
