"""One attribute's values, split by class: bars of stacked colours, and below them each bar's shares.

HistogramFigure   numeric values in bins              histogram_svg   drawn upright
LevelsFigure      the levels of a nominal attribute   levels_svg      drawn as lines, one a level
groups_svg        which colour is which class

The first picture shows where the rows are, the second, in which all bars are as long as each other, how the
classes share a bar of few rows too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import SMALL, TICK_ROOM, LinearScale, Panel, left_room
from acumen.render.sheet import LegendKey, Sheet
from acumen.render.svg import cut, decimal, measure, tag, text
from acumen.render.text import number, percent
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats

#: Height of the histogram and of the strip of shares below it.
TALL, STRIP = 110.0, 20.0
#: Height of a level's line, and room for its share.
LINE, SHARES = 20.0, 96.0
#: Opacity of the areas: strong enough on white, not glaring on black.
SOLID = 0.82


@dataclass(frozen=True, slots=True, eq=False)
class HistogramFigure(Figure):
    """Weights of (groups, bins); `edges` is one longer than a line of them."""

    edges: Floats
    counts: Floats
    groups: Sequence[str]
    title: str = ""
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        keep(self, groups=names(self, "groups"), notes=names(self, "notes"))
        keep(self, counts=_weights(self, len(self.groups)))
        keep(self, edges=floats(self, "edges", length=self.counts.shape[1] + 1))

    def _repr_svg_(self) -> str:
        return histogram_svg(self)


@dataclass(frozen=True, slots=True, eq=False)
class LevelsFigure(Figure):
    """Weights of (groups, levels)."""

    levels: Sequence[str]
    counts: Floats
    groups: Sequence[str]
    title: str = ""
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        keep(self, groups=names(self, "groups"), notes=names(self, "notes"))
        keep(self, counts=_weights(self, len(self.groups)))
        keep(self, levels=names(self, "levels", length=self.counts.shape[1]))

    def _repr_svg_(self) -> str:
        return levels_svg(self)


def _weights(value: object, groups: int) -> Floats:
    counts = floats(value, "counts", length=groups, ndim=2)
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise DataError(f"{type(value).__name__}: counts must be numbers of at least 0")
    return counts


def histogram_svg(figure: HistogramFigure) -> str:
    """Draw the bars; their heights are weights of rows."""
    counts, edges = figure.counts, figure.edges
    sheet = Sheet(figure.title, "Histogram", _about(figure.groups, counts))
    if not counts.sum() > 0 or not np.isfinite(edges).all():
        return sheet.nothing("No known value.", 60.0)
    top = float(counts.sum(axis=0).max())
    tall = LinearScale(0.0, top)
    ticks = tall.ticks(3)
    left_edge = left_room(ticks, labelled=False)
    panel = Panel(
        left_edge,
        sheet.y,
        sheet.width - left_edge - 24,
        TALL,
        LinearScale(float(edges[0]), float(edges[-1])),
        tall,
    )
    split = len(figure.groups) > 1
    shares = (
        Panel(left_edge, panel.bottom + 4, panel.width, STRIP, panel.x, LinearScale(0.0, 1.0))
        if split
        else panel
    )
    if edges[0] == edges[-1]:  # a constant has one bar, in the middle
        third = panel.width / 3
        places = np.array([left_edge + third, left_edge + 2 * third])
        across = [(float(edges[0]), number(float(edges[0])))]
    else:
        places = np.asarray(panel.across(edges), dtype=np.float64)
        across = panel.x.ticks(5)
    sheet.add(panel.axes(x_ticks=[], y_ticks=ticks))
    total = counts.sum(axis=0)
    part = counts / np.where(total > 0, total, 1.0)
    for place, (heights, portion) in enumerate(zip(_stack_counts(counts), _stack_counts(part), strict=True)):
        both = _bars(places, panel, *heights) + (_bars(places, shares, *portion) if split else "")
        if both:
            sheet.add(tag("path", d=both, fill_opacity=SOLID, **palette.fill(place)))
    sheet.add(shares.axes(x_ticks=across, y_ticks=[], x_grid=False))
    sheet.y = shares.bottom + TICK_ROOM
    for note in figure.notes:
        sheet.note(note)
    return sheet.svg()


def levels_svg(figure: LevelsFigure) -> str:
    """Draw a line for each level: its name, its rows, and how the classes share them."""
    counts = figure.counts
    sheet = Sheet(figure.title, "Levels", _about(figure.groups, counts))
    if not counts.sum() > 0:
        return sheet.nothing("No known value.", 60.0)
    total = counts.sum(axis=0)
    split = len(figure.groups) > 1
    whole = float(total.sum())
    labels = [number(float(n)) + ("" if split else f" ({percent(float(n) / whole)})") for n in total]
    written = max(measure(s, SMALL) for s in labels) + 8
    left_edge = (
        12 + min(max(measure(printable(name), SMALL) for name in figure.levels), 0.3 * sheet.width) + 8
    )
    room = sheet.width - left_edge - written - (SHARES + 16 if split else 0) - 12
    scale = room / float(total.max())
    paths = ["" for _ in figure.groups]
    for i, name in enumerate(figure.levels):
        y = sheet.y + LINE * i
        short = cut(name, left_edge - 19, SMALL)
        sheet.add(text(short, left_edge - 8, y + 14, anchor="end", size=SMALL, whole=printable(name)))
        sheet.add(text(labels[i], left_edge + total[i] * scale + 6, y + 14, size=SMALL, faint=True))
        x, z = left_edge, sheet.width - SHARES - 12
        for place, weight in enumerate(counts[:, i].tolist()):
            wide = SHARES * weight / float(total[i]) if total[i] > 0 else 0.0
            paths[place] += _box(x, y + 3, weight * scale, LINE - 6)
            paths[place] += _box(z, y + 3, wide, LINE - 6) if split else ""
            x, z = x + weight * scale, z + wide
    for place, d in enumerate(paths):
        if d:
            sheet.add(tag("path", d=d, fill_opacity=SOLID, **palette.fill(place)))
    sheet.y += LINE * len(figure.levels) + 4
    for note in figure.notes:
        sheet.note(note)
    return sheet.svg()


def groups_svg(groups: Sequence[str]) -> str:
    """Which colour stands for which group: once, above many figures."""
    sheet = Sheet("", "Colours", "which colour is which class")
    sheet.legend([LegendKey("box", place, name) for place, name in enumerate(groups)])
    return sheet.svg()


def _stack_counts(counts: Floats) -> list[tuple[Floats, Floats]]:
    """For each group where its part of every bar begins and ends."""
    ends = np.cumsum(counts, axis=0)
    return [(end - count, end) for count, end in zip(counts, ends, strict=True)]


def _bars(places: Floats, panel: Panel, low: Floats, high: Floats) -> str:
    """Upright bars between the places, with a little room between them."""
    gap = min(1.0, 0.15 * float(np.diff(places).min()))
    tops, feet = np.asarray(panel.up(high)), np.asarray(panel.up(low))
    return "".join(
        _box(
            float(places[i]) + gap / 2,
            float(tops[i]),
            float(places[i + 1] - places[i]) - gap,
            feet[i] - tops[i],
        )
        for i in range(len(low))
    )


def _box(x: float, y: float, width: float, height: float) -> str:
    """A rectangle as a piece of a path; nothing where it would not be seen."""
    if width < 0.02 or height < 0.02:
        return ""
    return f"M{decimal(x)} {decimal(y)}h{decimal(width)}v{decimal(height)}h{decimal(-width)}z"


def _about(groups: Sequence[str], counts: Floats) -> str:
    """What the drawing says, for those who cannot see it."""
    summary = ", ".join(
        f"{name}: {number(float(n))}" for name, n in zip(groups[:20], counts.sum(axis=1), strict=False)
    )
    return f"rows by class: {summary}"
