"""Silhouettes: a bar for each row, group by group, the longest first; and the mean of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, SMALL, LinearScale, Panel
from acumen.render.sheet import LegendKey, Sheet
from acumen.render.svg import cut, line, measure, tag, text, trace
from acumen.render.text import many, number
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Array, Floats

#: Groups that are drawn; of more, the largest.
MOST_GROUPS = 40
#: Bars of one group that are drawn; of more, even places in their order.
MOST_BARS = 120


@dataclass(frozen=True, slots=True, eq=False)
class SilhouetteFigure(Figure):
    """The silhouette of each row, from -1 to 1, and its group."""

    values: Floats
    labels: Array
    groups: Sequence[str]
    title: str = "Silhouettes"

    def __post_init__(self) -> None:
        keep(self, values=floats(self, "values"), groups=names(self, "groups"))
        keep(self, labels=np.asarray(self.labels, dtype=np.int64))
        n, k = len(self.values), len(self.groups)
        if self.labels.shape != (n,) or (self.labels < -1).any() or (self.labels >= k).any():
            raise DataError(f"SilhouetteFigure: labels must be {n:,} clusters from -1 to {k - 1}")

    def bars(self) -> list[tuple[int, Floats]]:
        """The groups that have rows, each with its values, the largest first."""
        known = np.isfinite(self.values) & (self.labels >= 0)
        bars = [(g, np.sort(self.values[known & (self.labels == g)])[::-1]) for g in range(len(self.groups))]
        return [(g, values) for g, values in bars if len(values)]

    @property
    def mean(self) -> float:
        """Of all rows in a group."""
        known = self.values[np.isfinite(self.values) & (self.labels >= 0)]
        return float(known.mean()) if len(known) else float("nan")

    def _repr_svg_(self) -> str:
        return silhouette_svg(self)


def silhouette_svg(figure: SilhouetteFigure) -> str:
    """Draw the bars of each group as one shape, with the group's name and mean next to it."""
    every = figure.bars()
    summary = ", ".join(f"{figure.groups[g]}: {number(float(values.mean()))}" for g, values in every[:12])
    sheet = Sheet(figure.title, "Silhouettes", f"mean {number(figure.mean)}; {summary}")
    if not every:
        return sheet.nothing("No silhouettes: no row is in a cluster.")
    bars = sorted(every, key=lambda each: -len(each[1]))[:MOST_GROUPS]
    bars.sort()
    total = sum(len(values) for _, values in bars)
    gap, room = 8.0, max(260.0, 26.0 * len(bars))
    heights = [max(16.0, (room - gap * len(bars)) * len(values) / total) for _, values in bars]
    beside = min(150.0, max(measure(figure.groups[g], SMALL) for g, _ in bars))
    least = min(0.0, *(float(values[-1]) for _, values in bars))
    x_scale = LinearScale(least - (0.03 if least < 0 else 0.0), 1.0)
    left_edge = beside + 22.0
    panel = Panel(
        left_edge,
        sheet.y + 4,
        sheet.width - left_edge - 52,
        sum(heights) + gap * (len(bars) + 1),
        x_scale,
        LinearScale(0.0, 1.0),
    )
    sheet.add(panel.axes("silhouette", "", y_ticks=[]))
    zero = float(panel.across(0.0))
    y = panel.top + gap
    for (g, values), high in zip(bars, heights, strict=True):
        shown = values
        if len(values) > MOST_BARS:
            shown = values[np.linspace(0, len(values) - 1, MOST_BARS).astype(np.intp)]
        edges = y + high * np.arange(len(shown) + 1) / len(shown)
        ends = panel.across(shown)
        xs = np.r_[zero, np.repeat(ends, 2), zero]
        ys = np.r_[y, np.repeat(edges, 2)[1:-1], y + high]
        sheet.add(tag("path", d=trace(xs, ys, close=True), fill_opacity=0.7, **palette.fill(g)))
        middle = y + high / 2 + 4
        name = cut(figure.groups[g], beside, SMALL)
        sheet.add(text(name, left_edge - 8, middle, anchor="end", size=SMALL, whole=figure.groups[g]))
        sheet.add(text(f"{float(values.mean()):.2f}", panel.right + 8, middle, size=SMALL, faint=True))
        y += high + gap
    sheet.add(line(zero, panel.top, zero, panel.bottom, stroke_opacity=0.55))
    at = float(panel.across(figure.mean))
    sheet.add(line(at, panel.top, at, panel.bottom, stroke_opacity=0.8, stroke_dasharray="3 3"))
    sheet.y = panel.bottom + AXIS_ROOM
    sheet.legend([LegendKey("rule", 0, f"mean of all {many(total, 'row')}: {figure.mean:.2f}")])
    wrong = sum(int((values < 0).sum()) for _, values in every)
    if wrong:
        sheet.note(
            f"{many(wrong, 'row')} {'is' if wrong == 1 else 'are'} closer to another cluster than to "
            f"{'its' if wrong == 1 else 'their'} own."
        )
    if len(every) > len(bars):
        sheet.note(f"Shows the {len(bars)} largest of {len(every):,} clusters.")
    return sheet.svg()
