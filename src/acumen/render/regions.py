"""Decision regions of two attributes: who wins where, and how surely.

RegionsFigure   a grid of class probabilities, the rows over it, and the classes' normal densities
regions_svg     the grid as a picture of shades, the rows as points, each density as its 1 % contour
raster          the grid as places in a list of colours
contour         the ellipse where a normal density has fallen to a share of its peak
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, LinearScale, Panel, left_room, right_room
from acumen.render.sheet import MOST_POINTS, LegendKey, Sheet, mark
from acumen.render.svg import Markup, clip_line, finite, tag, trace
from acumen.render.text import many
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats, Indices

#: The shades of a class from the least winning probability to certainty, as opacity.
FAINTEST, DEEPEST, SHADES = 0.08, 0.5, 24


#: So many classes are told apart by colour; more have no picture.
MOST_CLASSES = 21


#: The picture's longer side in pixels.
FINE = 480


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """A normal density over the two attributes, for the class at `place` of the figure's classes."""

    place: int
    mean: Floats
    covariance: Floats

    def __post_init__(self) -> None:
        keep(self, mean=floats(self, "mean", length=2))
        keep(self, covariance=floats(self, "covariance", length=2, ndim=2))
        if self.covariance.shape != (2, 2):
            raise DataError(f"Density: covariance must be 2 x 2; got {self.covariance.shape}")


@dataclass(frozen=True, slots=True, eq=False)
class RegionsFigure(Figure):
    """Probabilities at the nodes of a grid: `probabilities[i, j, c]` is of class c at `x[j]`, `y[i]`.

    `x` and `y` rise. The rows drawn over it lie at `points` (rows x 2), `labels` says their classes by place;
    a label outside the classes is drawn in grey.
    """

    x: Floats
    y: Floats
    probabilities: Floats
    classes: Sequence[str]
    points: Floats | None = None
    labels: Indices | None = None
    densities: Sequence[Density] = ()
    x_label: str = "x"
    y_label: str = "y"
    title: str = "Decision regions"

    def __post_init__(self) -> None:
        keep(self, x=floats(self, "x"), y=floats(self, "y"), classes=names(self, "classes"))
        keep(self, probabilities=floats(self, "probabilities", ndim=3))
        for name in ("x", "y"):
            values = getattr(self, name)
            if len(values) < 2 or not np.all(np.diff(values) > 0) or not np.all(np.isfinite(values)):
                raise DataError(f"RegionsFigure: {name} must be two or more finite numbers that rise")
        wanted = (len(self.y), len(self.x), len(self.classes))
        if self.probabilities.shape != wanted:
            got = self.probabilities.shape
            raise DataError(f"RegionsFigure: probabilities must be y by x by classes, {wanted}; got {got}")
        if (self.points is None) != (self.labels is None):
            raise DataError("RegionsFigure: points and labels go together; give both or none")
        if self.points is not None and self.labels is not None:
            keep(self, points=floats(self, "points", ndim=2), labels=np.asarray(self.labels, dtype=np.intp))
            if self.points.shape != (len(self.labels), 2):
                got = self.points.shape
                raise DataError(
                    f"RegionsFigure: points must be {len(self.labels):,} x 2, as labels; got {got}"
                )

    def _repr_svg_(self) -> str:
        return regions_svg(self)


def regions_svg(figure: RegionsFigure) -> str:
    """Draw each place in the colour of its most probable class, deeper if more certain."""
    summary = (
        f"Decision regions of {', '.join(figure.classes[:20])} over {figure.x_label} and {figure.y_label}"
    )
    sheet = Sheet(figure.title, "Decision regions", summary)
    if len(figure.classes) > MOST_CLASSES:
        return sheet.nothing(f"{len(figure.classes):,} classes are too many to distinguish by colour.")
    x, y = (
        LinearScale(float(figure.x[0]), float(figure.x[-1])),
        LinearScale(float(figure.y[0]), float(figure.y[-1])),
    )
    left_edge = left_room(y.ticks(), labelled=True)
    panel = Panel(left_edge, sheet.y + 4, sheet.width - left_edge - right_room(x.ticks()), 340.0, x, y)
    if figure.classes:
        sheet.add(_picture(figure, panel))
    sheet.add(panel.axes(figure.x_label, figure.y_label))
    sheet.y = panel.bottom + AXIS_ROOM
    points, note = _points(figure, panel)
    sheet.add(*points, *_contours(figure, panel))
    look = "dot" if points else "box"
    sheet.legend(
        [LegendKey("dot" if look == "dot" else "box", i, name) for i, name in enumerate(figure.classes)]
    )
    if figure.densities:
        sheet.note("Each ellipse contains 99 % of a class's normal density, down to 1 % of its peak.")
    if note:
        sheet.note(note)
    return sheet.svg()


def raster(figure: RegionsFigure, width: int, height: int) -> tuple[Bytes, Bytes]:
    """Places in a list of colours, the top line first, and the colours; place 0 is nothing known.

    Between nodes probabilities are taken as bilinear, so that borders are smooth on a coarse grid.
    """
    k = len(figure.classes)
    shades = min(SHADES, 255 // k)  # a picture has 256 colours at most
    rows = np.interp(
        np.linspace(figure.y[-1], figure.y[0], height), figure.y, np.arange(len(figure.y), dtype=np.float64)
    )
    columns = np.interp(
        np.linspace(figure.x[0], figure.x[-1], width), figure.x, np.arange(len(figure.x), dtype=np.float64)
    )
    i, j = (
        np.minimum(r.astype(np.intp), n - 2) for r, n in ((rows, len(figure.y)), (columns, len(figure.x)))
    )
    v, u = (rows - i)[:, None, None], (columns - j)[None, :, None]
    p = figure.probabilities
    between = p[i] * (1 - v) + p[i + 1] * v
    fine = between[:, j] * (1 - u) + between[:, j + 1] * u
    known = np.isfinite(fine).all(axis=2)
    fine = np.where(known[:, :, None], fine, 0.0)
    winner, top = fine.argmax(axis=2), np.clip(fine.max(axis=2), 0.0, 1.0)
    sure = (top - 1 / k) / (1 - 1 / k) if k > 1 else np.ones_like(top)
    shade = np.clip((sure * shades).astype(np.intp), 0, shades - 1)
    pixels = np.where(known, 1 + winner * shades + shade, 0).astype(np.uint8)
    alphas = np.linspace(FAINTEST, DEEPEST, shades)
    colours = np.zeros((1 + k * shades, 4), dtype=np.uint8)
    for place in range(k):
        part = slice(1 + place * shades, 1 + (place + 1) * shades)
        colours[part, :3] = palette.rgb(palette.SERIES[place % len(palette.SERIES)])
        colours[part, 3] = np.round(255 * alphas)
    return pixels, colours


def contour(density: Density, share: float = 0.01, points: int = 180) -> tuple[Floats, Floats] | None:
    """The closed line where the density is `share` of its peak; None where the covariance gives no ellipse.

    For two attributes the same line holds all but `share` of the density: both are exp(-d²/2) at
    Mahalanobis distance d.
    """
    if not (np.isfinite(density.mean).all() and np.isfinite(density.covariance).all()):
        return None
    values, vectors = np.linalg.eigh(density.covariance)
    if values[0] < -1e-9 * abs(values[1]) or values[1] <= 0:
        return None
    angle = np.linspace(0.0, 2 * math.pi, points + 1)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    around = vectors @ (np.sqrt(np.maximum(values, 0.0) * -2 * math.log(share))[:, None] * circle)
    line = density.mean[:, None] + around
    return (line[0], line[1]) if np.isfinite(line).all() else None


def sample_rows(figure: RegionsFigure) -> tuple[Floats, Indices, int]:
    """The rows to be drawn, at most `MOST_POINTS` at random but always the same, and how many there were."""
    if figure.points is None or figure.labels is None:
        return np.empty((0, 2)), np.empty(0, dtype=np.intp), 0
    (x0, x1), (y0, y1) = (figure.x[0], figure.x[-1]), (figure.y[0], figure.y[-1])
    px, py = figure.points[:, 0], figure.points[:, 1]
    inside = np.flatnonzero(finite(px, py) & (px >= x0) & (px <= x1) & (py >= y0) & (py <= y1))
    count = len(inside)
    if count > MOST_POINTS:
        inside = np.sort(np.random.default_rng(0).choice(inside, MOST_POINTS, replace=False))
    return figure.points[inside], figure.labels[inside], count


def _picture(figure: RegionsFigure, panel: Panel) -> Markup:
    scale = FINE / max(panel.width, panel.height)
    pixels, colours = raster(figure, round(panel.width * scale), round(panel.height * scale))
    return tag(
        "image",
        x=panel.left,
        y=panel.top,
        width=panel.width,
        height=panel.height,
        preserveAspectRatio="none",
        href=data_uri(indexed_png(pixels, colours)),
    )


def _points(figure: RegionsFigure, panel: Panel) -> tuple[list[Markup], str]:
    """The points, and a sentence about those that are not drawn."""
    points, labels, count = sample_rows(figure)
    radius = 3.6 if len(points) <= 400 else 2.4
    across, up = panel.across(points[:, 0]).tolist(), panel.up(points[:, 1]).tolist()
    pieces = []
    for x, y, place in zip(across, up, labels.tolist(), strict=True):
        if 0 <= place < len(figure.classes):
            pieces.append(mark(place, x, y, radius))
        else:
            pieces.append(tag("circle", cx=x, cy=y, r=radius, fill="currentColor", fill_opacity=0.4))
    n_labels = 0 if figure.labels is None else len(figure.labels)
    notes = [f"Shows {len(points):,} of {count:,} rows, sampled at random."] if count > len(points) else []
    if n_labels > count:
        notes.append(
            f"Not shown (outside the plot or with a missing value): {many(n_labels - count, 'row')}."
        )
    return pieces, " ".join(notes)


def _contours(figure: RegionsFigure, panel: Panel) -> list[Markup]:
    box = (panel.left, panel.top, panel.right, panel.bottom)
    pieces = []
    for density in figure.densities:
        if not 0 <= density.place < len(figure.classes):
            raise DataError(
                f"RegionsFigure: a density's place must be one of the {len(figure.classes):,} classes; "
                f"got {printable(density.place)}"
            )
        around = contour(density)
        if around is None:
            continue
        x, y = clip_line(panel.across(around[0]), panel.up(around[1]), box)
        if len(x):
            pieces.append(
                tag("path", d=trace(x, y), fill="none", stroke_width=1.8, **palette.stroke(density.place))
            )
    return pieces


Bytes: TypeAlias = npt.NDArray[np.uint8]


def indexed_png(pixels: Bytes, colours: Bytes) -> bytes:
    """The picture of `pixels` (height x width), which are places in `colours` (at most 256 x RGBA)."""
    height, width = pixels.shape
    if not (0 < len(colours) <= 256 and colours.shape[1:] == (4,)):
        raise ValueError(f"a picture has 1 to 256 colours of red, green, blue, alpha; got {colours.shape}")
    if not pixels.size or int(pixels.max()) >= len(colours):
        raise ValueError("a picture has pixels, and each is the place of a colour")
    # Filter 0 (none) before each line: long runs of one colour are what zlib does best.
    lines = np.zeros((height, width + 1), dtype=np.uint8)
    lines[:, 1:] = pixels
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", colours[:, :3].tobytes()),
            _chunk(b"tRNS", colours[:, 3].tobytes()),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _chunk(b"IEND", b""),
        ]
    )


def data_uri(picture: bytes) -> str:
    """The file as an address that holds it."""
    return "data:image/png;base64," + base64.b64encode(picture).decode("ascii")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
