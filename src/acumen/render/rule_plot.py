"""Rules as points: how often they hold, how sure they are, and as their colour how much more than chance that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.render.axes import AXIS_ROOM, LinearScale, Panel, left_room, right_room
from acumen.render.sheet import MOST_POINTS, LegendKey, Sheet, mark
from acumen.render.svg import finite
from acumen.render.text import number
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
        return sheet.nothing("No rules: nothing holds often enough and is sure enough.")
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
    sheet.note("The fuller the colour, the farther is the lift from 1.")
    if n > len(order):
        sheet.note(f"{len(order):,} of {n:,} rules are drawn.")
    return sheet.svg()


def _describe_lift(lift: Floats) -> str:
    if not len(lift):
        return "no rules"
    return f"{len(lift):,} rules; lift from {number(float(lift.min()))} to {number(float(lift.max()))}"
