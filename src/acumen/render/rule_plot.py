"""Rules as points: how often they hold, how sure they are, and as their colour how much more than chance that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.escape import printable
from acumen.render.axes import AXIS_ROOM, LinearScale, Panel, left_room, right_room
from acumen.render.palette import fill, stroke
from acumen.render.sheet import MOST_POINTS, LegendKey, Sheet, mark
from acumen.render.svg import cut, finite, line, measure, tag, text
from acumen.render.text import many, number
from acumen.render.values import Figure, floats, keep
from acumen.types import Floats

_FAINT, _FULL = 0.25, 0.95


@dataclass(frozen=True, slots=True, eq=False)
class RulesFigure(Figure):
    """A point for each rule: support across, confidence up, lift as colour.

    Lifts above 1 and below have colours of their own, the fuller the farther from 1.
    """

    support: Floats
    confidence: Floats
    lift: Floats
    title: str = "Rules: support, confidence and lift"

    def __post_init__(self) -> None:
        keep(self, support=floats(self, "support"))
        n = len(self.support)
        keep(self, confidence=floats(self, "confidence", length=n), lift=floats(self, "lift", length=n))

    def _repr_svg_(self) -> str:
        return rules_svg(self)


def rules_svg(figure: RulesFigure) -> str:
    """Draw the rules, the strongest on top."""
    known = finite(figure.support, figure.confidence, figure.lift)
    number_of = np.flatnonzero(known)
    x, y, lift = (column[known] for column in (figure.support, figure.confidence, figure.lift))
    sheet = Sheet(figure.title, "Rules", _describe_lift(lift))
    if not len(x):
        return sheet.nothing("No rules: none reaches the minimum support and confidence.")
    far = np.abs(np.log(np.maximum(lift, 1e-12)))
    order = np.argsort(far, kind="stable")
    n = len(order)
    if n > MOST_POINTS:
        order = order[np.linspace(0, n - 1, MOST_POINTS).astype(np.intp)]
    x_scale, y_scale = LinearScale.around(x), LinearScale.around(y)
    ticks = y_scale.ticks()
    left_edge = left_room(ticks, labelled=True)
    width = sheet.width - left_edge - right_room(x_scale.ticks())
    panel = Panel(left_edge, sheet.y + 4, width, 0.62 * width, x_scale, y_scale)
    sheet.add(panel.axes("support", "confidence", y_ticks=ticks))
    sheet.y = panel.bottom + AXIS_ROOM
    strength = _FAINT + (_FULL - _FAINT) * far / max(float(far.max()), 1e-12)
    size = 3.6 if n <= 400 else 2.4
    across, up = panel.across(x), panel.up(y)
    for i in order.tolist():
        place = 0 if lift[i] >= 1 else 1
        look = {"fill_opacity": round(float(strength[i]), 3), "data_rule": int(number_of[i])}
        sheet.add(mark(place, float(across[i]), float(up[i]), size, **look))
    keys = [LegendKey("dot", 0, f"lift above 1, to {number(float(lift.max()))}")] if (lift >= 1).any() else []
    if (lift < 1).any():
        keys.append(LegendKey("dot", 1, f"lift below 1, to {number(float(lift.min()))}"))
    sheet.legend(keys)
    sheet.note("Stronger colour means a lift further from 1.")
    if n > len(order):
        sheet.note(f"Shows {len(order):,} of {n:,} rules.")
    return sheet.svg()


def _describe_lift(lift: Floats) -> str:
    if not len(lift):
        return "no rules"
    return f"{len(lift):,} rules; lift from {number(float(lift.min()))} to {number(float(lift.max()))}"


_SIZE = 11.0


_ROOM = 110.0  # for names on either side


@dataclass(frozen=True, slots=True, eq=False)
class ItemGraph(Figure):
    """Arrows between items; `weights` is how strong each is, as the lift of its rule."""

    links: Sequence[tuple[str, str]]
    weights: Sequence[float] = ()
    title: str = "Items and rules"

    def _repr_svg_(self) -> str:
        return item_graph_svg(self)

    def strongest(self) -> dict[tuple[str, str], float]:
        """Each arrow once, as strong as its strongest rule."""
        weights = self.weights or [1.0] * len(self.links)
        strengths: dict[tuple[str, str], float] = {}
        for link, weight in zip(self.links, weights, strict=True):
            strengths[link] = max(strengths.get(link, 0.0), float(weight))
        return strengths


def item_graph_svg(figure: ItemGraph) -> str:
    """Draw the items, those with most arrows to them larger."""
    links = figure.strongest()
    names = list(dict.fromkeys(name for link in links for name in link))
    sheet = Sheet(figure.title, "Graph", f"{many(len(names), 'item')}, {many(len(links), 'arrow')}")
    if not names:
        return sheet.nothing("No items: there are no rules.")
    radius = max(70.0, min((sheet.width - 2 * _ROOM) / 2, 9.0 * len(names)))
    centre_x, centre_y = sheet.width / 2, sheet.y + radius + 24
    angle = {name: 2 * math.pi * i / len(names) - math.pi / 2 for i, name in enumerate(names)}
    at = {n: (centre_x + radius * math.cos(a), centre_y + radius * math.sin(a)) for n, a in angle.items()}
    heads = dict.fromkeys(names, 0)
    for _, head in links:
        heads[head] += 1
    most = max(heads.values())
    top = max(links.values())
    size = {name: 3.5 + 4.5 * heads[name] / max(most, 1) for name in names}
    for (body, head), weight in sorted(links.items(), key=lambda pair: pair[1]):
        share = weight / top if top > 0 else 1.0
        _arrow(sheet, at[body], at[head], size[head] + 1.5, 0.6 + 1.8 * share, 0.25 + 0.6 * share)
    for name in names:
        x, y = at[name]
        sheet.add(
            tag(
                "circle",
                cx=round(x, 1),
                cy=round(y, 1),
                r=round(size[name], 1),
                **fill(1 if heads[name] else 2),
            )
        )
        _label(sheet, name, x, y, angle[name], size[name])
    sheet.y = centre_y + radius + 30
    # Two sentences that leave room: some fonts are an eighth wider than the one texts are measured in.
    sheet.note("An arrow points from the items in a basket to the item they imply.")
    sheet.note("Stronger arrows mean larger lift.")
    return sheet.svg()


def _arrow(
    sheet: Sheet, start: tuple[float, float], end: tuple[float, float], gap: float, width: float, full: float
) -> None:
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1)
    if length <= gap:
        return
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    tip_x, tip_y = x2 - gap * ux, y2 - gap * uy
    look: dict[str, Any] = {**stroke(0), "stroke_width": round(width, 2), "stroke_opacity": round(full, 2)}
    ends = (round(v, 1) for v in (x1, y1, tip_x, tip_y))
    sheet.add(line(*ends, **look))
    for turn in (0.45, -0.45):
        cos, sin = math.cos(turn), math.sin(turn)
        bx, by = tip_x - 7 * (ux * cos - uy * sin), tip_y - 7 * (uy * cos + ux * sin)
        sheet.add(line(*(round(v, 1) for v in (tip_x, tip_y, bx, by)), **look))


def _label(sheet: Sheet, name: str, x: float, y: float, angle: float, size: float) -> None:
    right = math.cos(angle) >= -1e-9
    room = max((sheet.width - x if right else x) - size - 8, 20.0)
    label = cut(printable(name), room, _SIZE)
    middle = abs(math.cos(angle)) < 0.15
    if middle:
        half = measure(label, _SIZE) / 2
        below = math.sin(angle) > 0
        sheet.add(
            text(label, x - half, y + (size + 12 if below else -size - 5), size=_SIZE, whole=printable(name))
        )
        return
    anchor = None if right else "end"
    shift = size + 4 if right else -size - 4
    sheet.add(text(label, x + shift, y + 4, anchor=anchor, size=_SIZE, whole=printable(name)))
