"""Calibration: of the rows to which a model gave a probability, how many were of the class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.render import palette
from acumen.render.axes import LinearScale, Panel
from acumen.render.curves import UNIT, draw_curve, square
from acumen.render.sheet import MOST_CURVES, LegendKey, Sheet, diagonal, mark
from acumen.render.svg import Markup, finite, line, tag, text
from acumen.render.text import number
from acumen.render.values import Figure, floats, keep
from acumen.types import Bools, Floats, Indices

#: So many bins of a curve are drawn; of more, evenly spread ones.
MOST_BINS = 200


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """For each bin the mean probability given, the share observed, the rows, the share's interval, and its ends."""

    name: str
    predicted: Floats
    observed: Floats
    rows: Floats
    low: Floats | None = None
    high: Floats | None = None
    left: Floats | None = None  # where each bin begins and ends; without, bars stand where the means are
    right: Floats | None = None

    def __post_init__(self) -> None:
        keep(self, predicted=floats(self, "predicted"))
        n = len(self.predicted)
        for name in ("observed", "rows", "low", "high", "left", "right"):
            if getattr(self, name) is not None:
                keep(self, **{name: floats(self, name, length=n)})

    def kept_bins(self) -> Bools:
        """The bins that have rows and figures."""
        return finite(self.predicted, self.observed, self.rows) & (self.rows > 0)


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationFigure(Figure):
    """The calibration of one or several models, for the class `positive`."""

    curves: Sequence[CalibrationCurve]
    positive: str = ""
    title: str = "Calibration"

    def _repr_svg_(self) -> str:
        return calibration_svg(self)


def calibration_svg(figure: CalibrationFigure) -> str:
    """Draw observed over predicted probability; a point's size shows its rows, a strip counts them."""
    every = [curve for curve in figure.curves if curve.kept_bins().any()]
    curves = every[:MOST_CURVES]
    sheet = Sheet(figure.title, "Calibration", "; ".join(_describe_curve(curve) for curve in curves[:10]))
    if not curves:
        return sheet.nothing("No calibration curve: no row has a probability.")
    of = f" ({figure.positive})" if figure.positive else ""
    panel = square(sheet, (f"Predicted probability{of}", "Observed frequency"))
    sheet.add(diagonal(panel))
    left_out = 0
    for place, curve in enumerate(curves):
        bins = np.flatnonzero(curve.kept_bins())
        bins = bins[np.argsort(curve.predicted[bins], kind="stable")]
        if len(bins) > MOST_BINS:
            left_out += len(bins) - MOST_BINS
            bins = bins[np.linspace(0, len(bins) - 1, MOST_BINS).astype(np.intp)]
        sheet.add(*_curve(panel, place, curve, bins))
    if len(curves) == 1:
        sheet.add(*_strip(sheet, panel, curves[0]))
    sheet.legend(
        [*(LegendKey("line", i, c.name) for i, c in enumerate(curves)), LegendKey("rule", 0, "perfect")]
    )
    if len(every) > len(curves):
        sheet.note(f"Shows the first {len(curves):,} of {len(every):,} curves.")
    if left_out:
        sheet.note(f"{left_out:,} bins are not shown.")
    return sheet.svg()


def _curve(panel: Panel, place: int, curve: CalibrationCurve, bins: Indices) -> list[Markup]:
    """Intervals below, then the line, then the points."""
    x = np.clip(curve.predicted[bins], 0.0, 1.0)
    y = np.clip(curve.observed[bins], 0.0, 1.0)
    pieces = []
    if curve.low is not None and curve.high is not None:
        ends = np.clip(np.stack([curve.low[bins], curve.high[bins]]), 0.0, 1.0)
        for i in np.flatnonzero(finite(ends[0], ends[1])):
            at = float(panel.across(x[i]))
            low, high = panel.up(ends[:, i]).tolist()
            pieces.append(
                line(at, low, at, high, stroke_width=1.5, stroke_opacity=0.55, **palette.stroke(place))
            )
    if len(x) > 1:
        pieces.append(draw_curve(panel, place, x, y)[0])
    sizes = 3.0 + 3.5 * np.sqrt(curve.rows[bins] / curve.rows[bins].max())
    points = zip(panel.across(x).tolist(), panel.up(y).tolist(), sizes.tolist(), strict=True)
    return [*pieces, *(mark(place, px, py, r) for px, py, r in points)]


def _strip(sheet: Sheet, panel: Panel, curve: CalibrationCurve) -> list[Markup]:
    """Below the panel, how many rows got which probability: a bar for each bin, over the whole of it."""
    starts, ends, counts = _bars(curve)
    strip = Panel(panel.left, sheet.y + 4, panel.width, 44.0, UNIT, LinearScale(0.0, float(counts.max())))
    pieces = [line(strip.left, strip.bottom, strip.right, strip.bottom, stroke_opacity=0.55)]
    for start, end, count in zip(starts.tolist(), ends.tolist(), counts.tolist(), strict=True):
        x1, x2 = (float(strip.across(x)) for x in (start, end))
        top = float(strip.up(count))
        pieces.append(
            tag(
                "rect",
                x=x1 + 0.5,
                y=top,
                width=max(x2 - x1 - 1, 1.0),
                height=strip.bottom - top,
                fill_opacity=0.55,
                **palette.fill(0),
            )
        )
    pieces.append(text("rows", strip.left - 7, strip.bottom, anchor="end", size=12.0, faint=True))
    sheet.y = strip.bottom + 12
    return pieces


def _bars(curve: CalibrationCurve) -> tuple[Floats, Floats, Floats]:
    """Where bars begin and end, and how high they are; rows by width, so that wide bins of few rows are low."""
    shown = curve.kept_bins()
    if curve.left is None or curve.right is None:
        counts, edges = np.histogram(
            np.clip(curve.predicted[shown], 0, 1), bins=20, range=(0, 1), weights=curve.rows[shown]
        )
        used = counts > 0
        return edges[:-1][used], edges[1:][used], counts[used]
    starts, ends = (np.clip(each[shown], 0.0, 1.0) for each in (curve.left, curve.right))
    widths = np.maximum(ends - starts, 1e-3)
    return starts, ends, curve.rows[shown] / (widths / widths.max())


def _describe_curve(curve: CalibrationCurve) -> str:
    bins = np.flatnonzero(curve.kept_bins())[:12]
    sentences = ", ".join(
        f"{number(float(curve.predicted[i]))} predicted, {number(float(curve.observed[i]))} observed"
        for i in bins
    )
    return f"{printable(curve.name)}: {sentences}"
