"""Learning curves and sweeps: a measure over the number of rows, or over the values of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, LinearScale, Log, Panel, Tick, left_room, right_room
from acumen.render.curves import draw_curve
from acumen.render.sheet import MOST_CURVES, LegendKey, Sheet, mark
from acumen.render.svg import Markup, cut, finite, line, tag, thin_line, trace
from acumen.render.text import number
from acumen.render.values import Figure, floats, keep
from acumen.types import Floats, Indices

#: Points are drawn on lines of at most so many.
DOTTED = 60


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """A line of means, and the range around each where there is one (a standard error, an interval)."""

    name: str
    mean: Floats
    low: Floats | None = None
    high: Floats | None = None

    def __post_init__(self) -> None:
        keep(self, mean=floats(self, "mean"))
        if (self.low is None) != (self.high is None):
            raise DataError("Band: low and high go together; give both or none")
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                keep(self, **{name: floats(self, name, length=len(self.mean))})


@dataclass(frozen=True, slots=True, eq=False)
class LearningFigure(Figure):
    """Bands over common places `x`: numbers, or names where the parameter has no numbers.

    `log` draws x by its logarithm; `chosen` is the place (an index of x) to be marked.
    """

    x: Sequence[float] | Sequence[str] | Floats
    bands: Sequence[Band]
    x_label: str = "rows"
    y_label: str = "error"
    log: bool = False
    chosen: int | None = None
    title: str = "Learning curve"

    def __post_init__(self) -> None:
        n = len(self.x)
        for band in self.bands:
            if len(band.mean) != n:
                raise DataError(
                    f"LearningFigure: {printable(band.name)} must have {n:,} means, one for each place of x; "
                    f"got {len(band.mean):,}"
                )
        if self.chosen is not None and not 0 <= self.chosen < n:
            raise DataError(f"LearningFigure: chosen must be a place of x, 0 to {n - 1}; got {self.chosen}")
        if self.names is None:
            keep(self, x=floats(self, "x"))
        elif self.log:
            raise DataError("LearningFigure: log needs numbers in x; got names")

    @property
    def names(self) -> tuple[str, ...] | None:
        """The places' names, where they are not numbers."""
        if isinstance(self.x, np.ndarray) and self.x.dtype.kind not in "OU":
            return None
        return tuple(map(str, self.x)) if any(isinstance(v, str) for v in self.x) else None

    @property
    def places(self) -> Floats:
        """The places as numbers; names count from 0, and what has no logarithm is NaN on a log scale."""
        if self.names is not None:
            return np.arange(len(self.x), dtype=np.float64)
        x = np.asarray(self.x, dtype=np.float64)
        return np.where(x > 0, x, np.nan) if self.log else x

    def _repr_svg_(self) -> str:
        return learning_svg(self)


def learning_svg(figure: LearningFigure) -> str:
    """Draw each band as a line in its shade, in the order of x, with the chosen place marked."""
    x = figure.places
    every = [band for band in figure.bands if finite(x, band.mean).any()]
    bands = every[:MOST_CURVES]
    sheet = Sheet(
        figure.title, "Learning curve", "; ".join(_describe_band(figure, band) for band in bands[:10])
    )
    if not bands:
        return sheet.nothing("No curve: no value is finite.")
    edges = [e for band in bands for e in (band.mean, band.low, band.high) if e is not None]
    y_scale = LinearScale.around(*edges, pad=0.06)
    ticks = y_scale.ticks()
    left_edge = left_room(ticks, labelled=True)
    x_scale = _scale(figure, x)
    right = 12.0 if figure.names is not None else right_room(x_scale.ticks())
    panel = Panel(left_edge, sheet.y + 4, sheet.width - left_edge - right, 270.0, x_scale, y_scale)
    sheet.add(panel.axes(figure.x_label, figure.y_label, x_ticks=_ticks(figure, panel), y_ticks=ticks))
    sheet.y = panel.bottom + AXIS_ROOM
    if figure.chosen is not None and np.isfinite(x[figure.chosen]):
        at = float(panel.across(x[figure.chosen]))
        sheet.add(line(at, panel.top, at, panel.bottom, stroke_opacity=0.6, stroke_dasharray="3 3"))
    order = np.argsort(x, kind="stable")
    shades, lines = [], []
    for place, band in enumerate(bands):
        shades += _shade(panel, place, x[order], band, order)
        lines += _line(panel, place, x[order], band.mean[order])
    sheet.add(*shades, *lines)
    keys = [LegendKey("line", i, band.name) for i, band in enumerate(bands)]
    if figure.chosen is not None:
        at_name = figure.names[figure.chosen] if figure.names else number(float(x[figure.chosen]))
        keys.append(LegendKey("rule", 0, f"chosen: {at_name}"))
    sheet.legend(keys)
    if len(every) > len(bands):
        sheet.note(f"Shows the first {len(bands):,} of {len(every):,} curves.")
    return sheet.svg()


def _scale(figure: LearningFigure, x: Floats) -> LinearScale:
    known = x[np.isfinite(x)]
    low, high = float(known.min()), float(known.max())
    if figure.log:
        return Log(low / 1.5, high * 1.5) if low == high else Log(low, high)
    if figure.names is not None:
        return LinearScale(low - 0.3, high + 0.3)
    return LinearScale(low, high) if high > low else LinearScale.around(known)


def _ticks(figure: LearningFigure, panel: Panel) -> list[Tick] | None:
    """Names where x has names; else the scale's own."""
    if figure.names is None:
        return None
    room = max(24.0, panel.width / len(figure.names) - 8)
    return [(float(i), cut(name, room, 12.0)) for i, name in enumerate(figure.names)]


def _shade(panel: Panel, place: int, x: Floats, band: Band, order: Indices) -> list[Markup]:
    """The band's area; where it has gaps, one area for each piece."""
    if band.low is None or band.high is None:
        return []
    low, high = band.low[order], band.high[order]
    known = finite(x, low, high)
    cuts = np.flatnonzero(np.diff(np.r_[False, known, False].astype(np.int8)))
    pieces = []
    for first, last in zip(cuts[::2].tolist(), cuts[1::2].tolist(), strict=True):
        if last - first < 2:
            at = float(panel.across(x[first]))
            ends = panel.up(np.array([low[first], high[first]])).tolist()
            pieces.append(
                line(at, ends[0], at, ends[1], stroke_width=4, stroke_opacity=0.25, **palette.stroke(place))
            )
            continue
        across = panel.across(x[first:last])
        under = thin_line(across, panel.up(low[first:last]))
        over = thin_line(across, panel.up(high[first:last]))
        around = np.r_[over[0], under[0][::-1]], np.r_[over[1], under[1][::-1]]
        pieces.append(tag("path", d=trace(*around, close=True), fill_opacity=0.17, **palette.fill(place)))
    return pieces


def _line(panel: Panel, place: int, x: Floats, mean: Floats) -> list[Markup]:
    """The means, joined over missing ones, with points where there are few."""
    known = finite(x, mean)
    x, mean = x[known], mean[known]
    pieces = [draw_curve(panel, place, x, mean)[0]] if len(x) > 1 else []
    if len(x) <= DOTTED:
        points = zip(panel.across(x).tolist(), panel.up(mean).tolist(), strict=True)
        pieces += [mark(place, px, py, 4.0) for px, py in points]
    return pieces


def _describe_band(figure: LearningFigure, band: Band) -> str:
    """The first and the last figure in words."""
    known = np.flatnonzero(finite(figure.places, band.mean))
    sentences = [
        f"{number(float(band.mean[i]))} at {figure.names[i] if figure.names else number(float(figure.places[i]))}"
        for i in (known[0], known[-1])
    ]
    return f"{printable(band.name)}: {' to '.join(sentences)}"
