"""The sheet a figure is drawn on: title above, legend and notes below, all of it as high as it needs.

Sheet     gathers the pieces from the top downwards
Key       one entry of a legend
mark      a point in the shape of its class
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from acumen.data.escape import printable
from acumen.render import palette
from acumen.render.axes import Panel
from acumen.render.svg import Markup, cut, decimal, document, line, measure, tag, text
from acumen.render.text import fit

#: The width that reads well on a phone as it is, and two beside each other on a page.
WIDTH = 460.0
#: So many points, curves' points included, are drawn; a figure of more says what it left out.
MOST_POINTS = 2_000
#: So many curves are drawn; of more, the first.
MOST_CURVES = 40
#: So many entries a legend has; the rest is counted.
MOST_KEYS = 16

Look: TypeAlias = Literal["line", "dot", "ring", "box", "hollow", "rule"]


@dataclass(frozen=True, slots=True)
class LegendKey:
    """A legend's entry: how it looks, whose colour it has, what it is, and its figure."""

    look: Look
    place: int
    name: str
    figure: str = ""


class Sheet:
    """A drawing in the making; `y` is where the next piece begins."""

    def __init__(self, title: str, kind: str, about: str, width: float = WIDTH) -> None:
        """`title` is drawn unless it is empty; `kind` is what a figure without one is called."""
        self.width = width
        self.title = title or kind
        self.about = about
        self.pieces: list[str] = []
        self.y = 8.0
        if title:
            label = cut(title, width - 16, 15, bold=True)
            self.add(text(label, 8.0, self.y + 14, size=15.0, bold=True, whole=printable(title)))
            self.y += 32.0

    def add(self, *pieces: str) -> None:
        """Put pieces on the sheet, over what is there."""
        self.pieces += pieces

    def legend(self, keys: Sequence[LegendKey], indent: float = 12.0) -> None:
        """Entries in columns, as many as fit, with aligned figures."""
        shown = keys[:MOST_KEYS] if len(keys) > MOST_KEYS + 1 else keys
        room = self.width - 2 * indent
        # Other fonts are wider than the one that is measured, and figures must not run into names.
        names = 1.15 * max((measure(printable(key.name)) for key in shown), default=0.0)
        figures = max((12 + measure(key.figure) for key in shown if key.figure), default=0.0)
        columns = max(1, min(len(shown), 3, int((room + 16) // (30 + names + figures + 16))))
        step = room / columns
        names = min(names, step - 30 - figures)
        for i, key in enumerate(shown):
            x, y = indent + step * (i % columns), self.y + 20 * (i // columns) + 13
            label = cut(key.name, names if key.figure else step - 30)
            self.add(_sign(key, x, y - 4.5), text(label, x + 30, y, whole=printable(key.name)))
            if key.figure:
                self.add(text(key.figure, x + 42 + names, y, faint=True))
        self.y += 20 * -(-len(shown) // columns) + (4 if shown else 0)
        if len(shown) < len(keys):
            self.note(f"and {len(keys) - len(shown):,} more")

    def note(self, said: str) -> None:
        """A faint sentence below, on as many lines as it needs."""
        for row in _lines(fit(printable(said), 400), (self.width - 24) / 1.2):  # other fonts are wider
            self.add(text(row, 12.0, self.y + 12, size=12.0, faint=True))
            self.y += 16
        self.y += 2

    def nothing(self, why: str, height: float = 120.0) -> str:
        """The drawing of a figure that has nothing to show, which says so."""
        y = self.y
        self.add(
            tag(
                "rect",
                x=12.0,
                y=y,
                width=self.width - 24,
                height=height,
                rx=6.0,
                fill="none",
                stroke="currentColor",
                stroke_opacity=0.3,
                stroke_dasharray="4 4",
            )
        )
        rows = _lines(fit(printable(why), 400), self.width - 60)
        for i, row in enumerate(rows):
            at = y + height / 2 + 4 + 18 * (i - (len(rows) - 1) / 2)
            self.add(text(row, self.width / 2, at, anchor="middle", faint=True))
        self.y += height
        return self.svg()

    def svg(self) -> str:
        """The whole as text."""
        return document(self.width, self.y + 8, self.title, self.about, *self.pieces)


def _lines(said: str, room: float) -> list[str]:
    """The words in lines of about `room` pixels."""
    rows: list[str] = []
    for word in said.split(" "):
        if rows and measure(f"{rows[-1]} {word}", 12.0) <= room:
            rows[-1] += f" {word}"
        else:
            rows.append(cut(word, room, 12.0))
    return rows


def _sign(key: LegendKey, x: float, y: float) -> Markup:
    """The small drawing before a legend's entry."""
    if key.look == "line":
        paint = palette.stroke(key.place)
        return line(x, y, x + 24, y, **paint, stroke_width=2.4, stroke_dasharray=palette.dash(key.place))
    if key.look == "rule":
        return line(x, y, x + 24, y, stroke_opacity=0.6, stroke_dasharray="3 3")
    if key.look == "dot":
        return mark(key.place, x + 12, y, 4.5)
    if key.look == "ring":
        return tag("circle", cx=x + 12, cy=y, r=6.0, fill="none", stroke="currentColor", stroke_width=1.1)
    hollow = key.look == "hollow"
    return tag(
        "rect",
        x=x + 4,
        y=y - 5.5,
        width=16,
        height=11,
        rx=2,
        stroke_width=1.5,
        fill_opacity=0.0 if hollow else 0.55,
        **palette.both(key.place),
    )


def diagonal(panel: Panel) -> Markup:
    """The faint dashed line from corner to corner: what chance alone would give."""
    return line(panel.left, panel.bottom, panel.right, panel.top, stroke_opacity=0.5, stroke_dasharray="3 3")


def mark(place: int, x: float, y: float, r: float, **attributes: object) -> Markup:
    """A point in the colour and shape of its class, with a thin rim of paper to stand off the ground."""
    shape = palette.marker(place)
    if shape == "circle":
        return tag("circle", cx=x, cy=y, r=r, **palette.fill(place), **attributes)
    if shape == "ring":
        return tag(
            "circle",
            cx=x,
            cy=y,
            r=r,
            fill="none",
            stroke_width=1.6,
            **{**palette.stroke(place), **attributes},
        )
    return tag("path", d=outline(shape, x, y, r), **palette.fill(place), **attributes)


def outline(shape: str, x: float, y: float, r: float) -> str:
    """The closed path of a shape about as large as a circle of radius `r`."""
    return (
        "".join(
            f"{'L' if i else 'M'}{decimal(x + r * dx)} {decimal(y + r * dy)}"
            for i, (dx, dy) in enumerate(_SHAPES[shape])
        )
        + "Z"
    )


def _mirror(points: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    return tuple(((a - b) * 0.7071, (a + b) * 0.7071) for a, b in points)


_PLUS = (
    *((0.36, -0.36), (1.1, -0.36), (1.1, 0.36), (0.36, 0.36), (0.36, 1.1), (-0.36, 1.1)),
    *((-0.36, 0.36), (-1.1, 0.36), (-1.1, -0.36), (-0.36, -0.36), (-0.36, -1.1), (0.36, -1.1)),
)
_SHAPES = {
    "square": ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    "triangle": ((0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
    "down": ((0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
    "diamond": ((0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)),
    "plus": _PLUS,
    "cross": _mirror(_PLUS),
}
