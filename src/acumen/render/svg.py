"""A small SVG writer: elements whose text cannot become markup, paths, and room that a text takes.

Markup      text that is SVG already; every other text is escaped on its way in
tag         one element; `text` and `line` are the two used most
trace       points as a path, broken where a value is missing
clipped     the part of a line inside a box, exactly
thinned     a line of any length as one that looks the same
measure     the width of a text, and `cut` to make it fit
document    the whole drawing, with a title and a description for those who cannot see it

No element has an id: several drawings may stand on one page.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from acumen.data.escape import in_html, printable
from acumen.render import palette
from acumen.render.text import cells, fit
from acumen.types import Array, Bools, Floats

FONT: Final = "Helvetica, Arial, 'Liberation Sans', sans-serif"
SIZE: Final = 13.0

# Helvetica's advance widths in thousandths of the font size, from its metrics file, from space to tilde.
_WIDTHS: Final = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)


class Markup(str):
    """Text that is SVG already and is not escaped again."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: object) -> Markup:
    """One element. `stroke_width` is written `stroke-width`, `class_` is `class`; None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(child if isinstance(child, Markup) else in_html(child) for child in children)
    return Markup(f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>")


def _value(value: object) -> str:
    if isinstance(value, float | np.floating):
        return decimal(float(value))
    return in_html(value)


def decimal(value: float) -> str:
    """A coordinate to a hundredth of a pixel."""
    if not math.isfinite(value):
        raise ValueError(f"a drawing has no place for the coordinate {value}")
    return _short(value)


def _short(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # + 0.0: nothing is written -0


def text(
    said: str,
    x: float,
    y: float,
    *,
    anchor: str | None = None,
    size: float | None = None,
    bold: bool = False,
    faint: bool = False,
    turned: float | None = None,
    whole: str | None = None,
) -> Markup:
    """A line of text with its baseline at `y`; `whole` is shown to who points at it, where `said` was cut."""
    more = (tag("title", fit(whole, 300)),) if whole is not None and whole != said else ()
    return tag(
        "text",
        *more,
        said,
        x=x,
        y=y,
        text_anchor=anchor,
        font_size=size,
        font_weight="600" if bold else None,
        fill="currentColor",
        fill_opacity=0.72 if faint else None,
        transform=None if turned is None else f"rotate({decimal(turned)} {decimal(x)} {decimal(y)})",
    )


def line(x1: float, y1: float, x2: float, y2: float, **attributes: object) -> Markup:
    """A straight line, in ink by default."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, **{"stroke": "currentColor", **attributes})


def trace(xs: Floats, ys: Floats, *, close: bool = False) -> str:
    """The `d` of a path through the points, lifted where a coordinate is not finite."""
    parts: list[str] = []
    down = False
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        if not (math.isfinite(x) and math.isfinite(y)):
            down = False
            continue
        parts.append(f"{'L' if down else 'M'}{_short(x)} {_short(y)}")
        down = True
    return "".join(parts) + ("Z" if close and parts else "")


def clip_line(xs: Floats, ys: Floats, box: tuple[float, float, float, float]) -> tuple[Floats, Floats]:
    """The parts of a line inside `box` (left, top, right, bottom), NaN between them; Liang and Barsky."""
    left_edge, top, right, bottom = box
    segments: list[tuple[float, float]] = []
    nothing = (math.nan, math.nan)
    steps = zip(zip(xs[:-1], ys[:-1], strict=True), zip(xs[1:], ys[1:], strict=True), strict=True)
    for (x0, y0), (x1, y1) in steps:
        dx, dy = x1 - x0, y1 - y0
        begin, end = 0.0, 1.0
        for step, room in ((-dx, x0 - left_edge), (dx, right - x0), (-dy, y0 - top), (dy, bottom - y0)):
            if abs(step) < 1e-9:  # along the edge: inside or not, as a whole
                begin = begin if room > -1e-9 else 2.0
            elif step < 0:
                begin = max(begin, room / step)
            else:
                end = min(end, room / step)
        if not begin < end:
            continue
        first, last = (x0 + begin * dx, y0 + begin * dy), (x0 + end * dx, y0 + end * dy)
        if not segments or segments[-1] != first:
            segments += [nothing, first]
        segments.append(last)
    drawn = np.array(segments[1:] if segments else [], dtype=np.float64).reshape(-1, 2)
    return drawn[:, 0], drawn[:, 1]


def thin_line(xs: Floats, ys: Floats, most: int = 2_000) -> tuple[Floats, Floats, bool]:
    """A line that looks the same in at most `most` points, and whether it had to be coarser than that.

    Of the points that follow each other in one pixel of width only the first, the lowest, the highest
    and the last show (Jugel and others, M4, 2014); those are kept as they are. A line that goes to and fro
    so much that too many are left is drawn through evenly spread points of it.
    """
    if len(xs) <= most:
        return xs, ys, False
    column = np.floor(xs)
    starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
    ends = np.r_[starts[1:], len(xs)] - 1
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(xs)]))
    order = np.lexsort((ys, group))
    kept = np.unique(np.concatenate([starts, ends, order[starts], order[ends]]))
    coarse = len(kept) > most
    if coarse:
        kept = kept[np.linspace(0, len(kept) - 1, most).astype(np.intp)]
    return xs[kept], ys[kept], coarse


def finite(*columns: Array) -> Bools:
    """The places where every column has a finite number."""
    kept: Bools = np.logical_and.reduce([np.isfinite(column) for column in columns])
    return kept


def measure(said: str, size: float = SIZE, *, bold: bool = False) -> float:
    """About the width of a text in pixels: Helvetica's, and an em for two terminal cells elsewhere."""
    total = sum(
        _WIDTHS[ord(c) - 32] if " " <= c <= "~" else (600 if cells(c) == 1 else 500 * cells(c)) for c in said
    )
    return total * size / 1000 * (1.07 if bold else 1.0)


def cut(said: object, room: float, size: float = SIZE, *, bold: bool = False) -> str:
    """The text, printable and on one line, cut with an ellipsis where it is wider than `room`."""
    shown = printable(said)
    if measure(shown, size, bold=bold) <= room:
        return shown
    used, kept = measure("…", size, bold=bold), []
    for character in shown:
        used += measure(character, size, bold=bold)
        if used > room:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def document(width: float, height: float, title: str, about: str, *children: str) -> str:
    """The drawing as one `<svg>` that may stand alone or in a page."""
    return tag(
        "svg",
        tag("title", fit(printable(title), 300)),
        tag("desc", fit(printable(about), 2_000)),
        Markup(f"<style>{palette.STYLE}</style>"),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {decimal(width)} {decimal(height)}",
        width=width,
        height=height,
        role="img",
        class_="acumen",
        font_family=FONT,
        font_size=SIZE,
        style="max-width:100%;height:auto",
    )
