"""Parallel profiles: attributes below each other, and how far each group is from all other rows in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, SMALL, LinearScale, Panel
from acumen.render.sheet import MOST_CURVES, LegendKey, Sheet, mark
from acumen.render.svg import cut, line, measure, tag, text, trace
from acumen.render.text import many, number
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats, Indices

#: Attributes that are drawn; of more, those that differ most.
MOST_ATTRIBUTES = 24
#: Effects are drawn up to this many standard deviations.
FAR = 6.0


@dataclass(frozen=True, slots=True, eq=False)
class ProfileFigure(Figure):
    """A line for each group through its effect in every attribute: (groups, attributes), NaN where there is none."""

    attributes: Sequence[str]
    effects: Floats
    groups: Sequence[str]
    x_label: str = "effect, in standard deviations"
    title: str = "Profile of each cluster"

    def __post_init__(self) -> None:
        keep(self, effects=floats(self, "effects", ndim=2))
        keep(self, attributes=names(self, "attributes"), groups=names(self, "groups"))
        if self.effects.shape != (len(self.groups), len(self.attributes)):
            raise DataError(
                f"ProfileFigure: effects must be {len(self.groups)} lines of {len(self.attributes)}, one for each "
                f"cluster and attribute; got {self.effects.shape}"
            )

    def shown_rows(self) -> Indices:
        """The attributes that are drawn, those first in which groups differ most."""
        known = np.where(np.isfinite(self.effects), np.abs(self.effects), -1.0)
        most = known.max(axis=0, initial=-1.0)
        order = np.argsort(-most, kind="stable")
        return np.asarray(order[most[order] >= 0][:MOST_ATTRIBUTES])

    def _repr_svg_(self) -> str:
        return profile_svg(self)


def profile_svg(figure: ProfileFigure) -> str:
    """Draw attributes from top to bottom, the most telling first, and a line through each group's effects."""
    places = figure.shown_rows()
    sheet = Sheet(
        figure.title,
        "Profile",
        "; ".join(_describe_effects(figure, g) for g in range(min(len(figure.groups), 12))),
    )
    if not len(places):
        return sheet.nothing("No profile: no attribute has an effect.")
    effects = np.clip(figure.effects[:, places], -FAR, FAR)
    groups = list(range(min(len(figure.groups), MOST_CURVES)))
    widest = max(1.0, float(np.nanmax(np.abs(effects))))
    beside = min(170.0, max(measure(printable(figure.attributes[j]), SMALL) for j in places))
    left_edge = beside + 24.0
    x_scale = LinearScale(-1.08 * widest, 1.08 * widest)
    step = 26.0 if len(places) <= 12 else 20.0
    panel = Panel(
        left_edge,
        sheet.y + 4,
        sheet.width - left_edge - 14,
        step * len(places),
        x_scale,
        LinearScale(-0.5, len(places) - 0.5),
    )
    sheet.add(panel.axes(figure.x_label, "", y_ticks=[]))
    rows = np.arange(len(places), dtype=np.float64)[::-1]  # the first attribute stands on top
    for row, j in zip(rows.tolist(), places.tolist(), strict=True):
        y = float(panel.up(row))
        sheet.add(line(panel.left, y, panel.right, y, stroke_opacity=0.13))
        name = cut(figure.attributes[j], beside, SMALL)
        whole = printable(figure.attributes[j])
        sheet.add(text(name, left_edge - 8, y + 4, anchor="end", size=SMALL, whole=whole))
    zero = float(panel.across(0.0))
    sheet.add(line(zero, panel.top, zero, panel.bottom, stroke_opacity=0.6, stroke_dasharray="3 3"))
    for g in groups:
        xs, ys = panel.across(effects[g]), panel.up(rows)
        paint = {**palette.stroke(g), "stroke_dasharray": palette.dash(g)}
        sheet.add(tag("path", d=trace(xs, ys), fill="none", stroke_width=1.8, stroke_opacity=0.85, **paint))
    for g in groups:
        xs, ys = panel.across(effects[g]), panel.up(rows)
        known = np.isfinite(xs)
        sheet.add(
            *(mark(g, px, py, 4.0) for px, py in zip(xs[known].tolist(), ys[known].tolist(), strict=True))
        )
    sheet.y = panel.bottom + AXIS_ROOM
    sheet.legend([LegendKey("line", g, figure.groups[g]) for g in groups])
    if float(np.nanmax(np.abs(figure.effects[:, places]))) > FAR:
        sheet.note(f"Effects beyond {number(FAR)} are shown at {number(FAR)}.")
    if len(figure.groups) > len(groups):
        sheet.note(f"Shows the first {len(groups)} of {len(figure.groups):,} clusters.")
    count = int(np.isfinite(figure.effects).any(axis=0).sum())
    if count > len(places):
        sheet.note(f"Shows the {len(places)} strongest of {many(count, 'trait')}.")
    return sheet.svg()


def _describe_effects(figure: ProfileFigure, group: int) -> str:
    """The two largest effects of a group in words."""
    group_effects = figure.effects[group]
    known = np.flatnonzero(np.isfinite(group_effects))
    order = known[np.argsort(-np.abs(group_effects[known]), kind="stable")][:2]
    summary = ", ".join(f"{printable(figure.attributes[j])} {group_effects[j]:+.2f}" for j in order.tolist())
    return f"{printable(figure.groups[group])}: {summary or 'nothing'}"
