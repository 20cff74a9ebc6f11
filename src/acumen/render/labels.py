"""Small texts at points of a drawing, none over another: where there is no room, one is left out and counted.

placed   points, texts -> the texts beside their points, and how many found no room
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acumen.render.axes import Panel
from acumen.render.svg import Markup, measure, text

SIZE = 11.0
_HIGH = 10.0


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the drawing that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def place_labels(
    points: Sequence[tuple[float, float]],
    said: Sequence[str],
    panel: Panel,
    *,
    away: float = 7.0,
    others: Sequence[tuple[float, float]] = (),
    radius: float = 4.0,
) -> tuple[list[Markup], int]:
    """Each text next to its point, at the first side with room; the first texts first.

    `others` are points, of this radius, that no text may cover. Texts stay within the panel.
    """
    taken = [Box(x - radius, y - radius, x + radius, y + radius) for x, y in (*others, *points)]
    pieces: list[Markup] = []
    left_out = 0
    for (x, y), what in zip(points, said, strict=True):
        for box in _around(x, y, measure(what, SIZE) + 1.0, away):
            inside = (
                box.left >= panel.left
                and box.right <= panel.right
                and box.top >= panel.top
                and box.bottom <= panel.bottom
            )
            if inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                pieces.append(text(what, box.left, box.bottom - 1.5, size=SIZE))
                break
        else:
            left_out += 1
    return pieces, left_out


def _around(x: float, y: float, wide: float, away: float) -> list[Box]:
    """Below at the right, at the right, and on around the point."""
    near = 0.6 * away
    corners = [
        (x + near, y + near),
        (x + away, y - _HIGH / 2),
        (x + near, y - near - _HIGH),
        (x - wide / 2, y + away),
        (x - wide / 2, y - away - _HIGH),
        (x - near - wide, y + near),
        (x - away - wide, y - _HIGH / 2),
        (x - near - wide, y - near - _HIGH),
    ]
    return [Box(corner_x, top, corner_x + wide, top + _HIGH) for corner_x, top in corners]
