"""The ribbons of a drawn tree: from each card down to those below it, striped by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from acumen.render import palette
from acumen.render.svg import Markup, decimal, tag, trace
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.render.tree import TreeNode
    from acumen.render.tree_cards import TreeCard

#: The width of a ribbon of all rows.
WIDEST = 30.0
#: Points of a ribbon's edge.
POINTS = 22


def draw_ribbons(
    nodes: Sequence[TreeNode], cards: Sequence[TreeCard], across: Floats, top: Floats
) -> list[Markup]:
    """All ribbons, those of the way that is shown last."""
    total = float(nodes[0].counts.sum())
    scale = WIDEST / total if total > 0 else 0.0
    shown = any(node.passed > 0 for node in nodes[1:])
    below: dict[int, list[int]] = {}
    for at, node in enumerate(nodes[1:], start=1):
        below.setdefault(node.parent, []).append(at)
    faint: list[Markup] = []
    strong: list[Markup] = []
    for parent, children in below.items():
        widths = [scale * float(nodes[child].counts.sum()) for child in children]
        start = float(across[parent]) - sum(widths) / 2
        y0 = float(top[parent]) + cards[parent].height
        for child, width in zip(children, widths, strict=True):
            node, x1 = nodes[child], float(across[child])
            y1 = float(top[child]) - cards[child].label_height
            passed = node.passed > 0
            opacity = 0.62 if not shown else 0.9 if passed else 0.2
            pieces = [_thread(start + width / 2, y0, x1, y1, node.passed, shown)]
            middle, normal = _curve(start + width / 2, y0, x1, y1)
            aside = -width / 2
            for place, count in enumerate(node.counts.tolist()):
                stripe = scale * count
                if stripe >= 0.15:
                    pieces.append(_stripe(middle, normal, aside, aside + stripe, place, opacity))
                aside += stripe
            (strong if passed else faint).extend(pieces)
            start += width
    return [*faint, *strong]


def _thread(x0: float, y0: float, x1: float, y1: float, passed: float, shown: bool) -> Markup:
    """The line along a ribbon's middle, so that the lightest is seen too; heavy where the row goes."""
    middle = (y0 + y1) / 2
    d = (
        f"M{decimal(x0)} {decimal(y0)}C{decimal(x0)} {decimal(middle)} {decimal(x1)} {decimal(middle)} "
        f"{decimal(x1)} {decimal(y1)}"
    )
    opacity = 0.95 if passed > 0 else 0.18 if shown else 0.35
    width = 1.0 + (2.2 * passed**0.5 if passed > 0 else 0.0)
    return tag("path", d=d, fill="none", stroke="currentColor", stroke_width=width, stroke_opacity=opacity)


def _curve(x0: float, y0: float, x1: float, y1: float) -> tuple[Floats, Floats]:
    """Points along the line of `_thread`, and at each the unit vector to its right as one goes down."""
    t = np.linspace(0.0, 1.0, POINTS)
    b = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], axis=1)
    control = np.array([[x0, y0], [x0, (y0 + y1) / 2], [x1, (y0 + y1) / 2], [x1, y1]])
    along = b @ control
    slope = np.gradient(along, axis=0)
    slope[[0, -1]] = (0.0, 1.0)  # both ends are upright, where ribbons meet cards
    slope /= np.linalg.norm(slope, axis=1, keepdims=True)
    return along, np.stack([slope[:, 1], -slope[:, 0]], axis=1)


def _stripe(middle: Floats, normal: Floats, low: float, high: float, place: int, opacity: float) -> Markup:
    """The area between two lines beside the middle; a stripe is as wide on a slope as where it is upright."""
    around = np.concatenate([middle + low * normal, (middle + high * normal)[::-1]])
    around[:, 1] = np.clip(
        around[:, 1], middle[0, 1], middle[-1, 1]
    )  # a wide one on a gentle slope hits no card
    return tag(
        "path", d=trace(around[:, 0], around[:, 1], close=True), fill_opacity=opacity, **palette.fill(place)
    )
