"""Curves in the unit square: what the ROC, the precision-recall and the gain figure have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, LinearScale, Panel, Tick, left_room, right_room
from acumen.render.labels import place_labels
from acumen.render.sheet import MOST_CURVES, MOST_POINTS, LegendKey, Sheet, diagonal, mark
from acumen.render.svg import Markup, finite, line, tag, thin_line, trace
from acumen.render.text import fit, many, number, percent
from acumen.render.values import Figure, floats, keep
from acumen.types import Floats

UNIT = LinearScale(0.0, 1.0)


#: Thresholds written along a curve.
MOST_TOLD = 9


#: The ticks of a share.
SHARES: tuple[Tick, ...] = tuple((i / 5, f"{i / 5:.1f}") for i in range(6))


PERCENTS: tuple[Tick, ...] = tuple((i / 5, f"{20 * i} %") for i in range(6))


@dataclass(frozen=True, slots=True, eq=False)
class PlotCurve:
    """A named line through points with both coordinates from 0 to 1, and the area under it where known.

    `thresholds`, if given, are the scores from which on rows count as positive at each point.
    """

    name: str
    x: Floats
    y: Floats
    area: float | None = None
    thresholds: Floats | None = None

    def __post_init__(self) -> None:
        keep(self, x=floats(self, "x"))
        keep(self, y=floats(self, "y", length=len(self.x)))
        if self.thresholds is not None:
            keep(self, thresholds=floats(self, "thresholds", length=len(self.x)))

    def points(self) -> tuple[Floats, Floats]:
        """The points that can be drawn, within the square."""
        shown = finite(self.x, self.y)
        return np.clip(self.x[shown], 0.0, 1.0), np.clip(self.y[shown], 0.0, 1.0)


def square(
    sheet: Sheet, labels: tuple[str, str], ticks: Sequence[Tick] = SHARES, *, height: float | None = None
) -> Panel:
    """A panel over the unit square, its axes drawn, with room left for what is above and below."""
    left_edge = left_room(ticks, labelled=True)
    width = sheet.width - left_edge - right_room(ticks)
    panel = Panel(left_edge, sheet.y + 4, width, height if height is not None else width, UNIT, UNIT)
    sheet.add(panel.axes(*labels, x_ticks=ticks, y_ticks=ticks))
    sheet.y = panel.bottom + AXIS_ROOM
    return panel


def draw_curve(
    panel: Panel, place: int, x: Floats, y: Floats, most: int = MOST_POINTS
) -> tuple[Markup, bool]:
    """A curve in its colour and dashes, and whether points that show were left out."""
    across, up, coarse = thin_line(panel.across(x), panel.up(y), most)
    path = tag(
        "path",
        d=trace(across, up),
        fill="none",
        stroke_width=2.4,
        stroke_linejoin="round",
        stroke_dasharray=palette.dash(place),
        **palette.stroke(place),
    )
    return path, coarse


def draw_all(sheet: Sheet, panel: Panel, curves: Sequence[PlotCurve], figure: str, chance: str) -> None:
    """The curves, the first on top, and a legend with their areas; curves without a point are told."""
    shown = curves[:MOST_CURVES]
    most = min(MOST_POINTS, 10 * MOST_POINTS // max(1, len(shown)))
    pieces, keys, empty, coarse = [], [], [], False
    for place, curve in enumerate(shown):
        x, y = curve.points()
        if len(x) < 2:
            empty.append(_short(curve.name))
            continue
        path, rough = draw_curve(panel, place, x, y, most)
        pieces.append(path)
        coarse |= rough
        area = "" if curve.area is None else f"{figure} {number(curve.area)}"
        keys.append(LegendKey("line", place, curve.name, area))
    sheet.add(*reversed(pieces))
    sheet.legend([*keys, LegendKey("rule", 0, chance)] if chance else keys)
    if len(curves) > len(shown):
        sheet.note(f"Shows the first {len(shown):,} of {len(curves):,} curves.")
    if empty:
        sheet.note(f"No curve of {', '.join(empty[:8])}{' and others' if len(empty) > 8 else ''}.")
    if coarse:
        sheet.note(f"Curves with more than {many(most, 'point')} are drawn through a selection of them.")


def draw_thresholds(sheet: Sheet, panel: Panel, curves: Sequence[PlotCurve]) -> None:
    """Of a single curve the score at some of its points, evenly along it; several would hide each other."""
    if len(curves) != 1 or curves[0].thresholds is None:
        return
    curve, thresholds = curves[0], curves[0].thresholds
    known = np.flatnonzero(finite(curve.x, curve.y) & np.isfinite(thresholds))
    if len(known) < 2:
        return
    x, y = np.clip(curve.x[known], 0, 1), np.clip(curve.y[known], 0, 1)
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    aims = np.linspace(0.0, along[-1], MOST_TOLD)
    chosen = np.unique([int(np.abs(along - aim).argmin()) for aim in aims])
    at = list(zip(panel.across(x[chosen]).tolist(), panel.up(y[chosen]).tolist(), strict=True))
    labels = [number(float(value)) for value in thresholds[known][chosen]]
    texts, _ = place_labels(at, labels, panel, away=8.0)
    sheet.add(*(mark(0, px, py, 3.2) for px, py in at), *texts)
    sheet.note("Numbers on the curve are thresholds of the score.")


def has_points(curves: Sequence[PlotCurve]) -> bool:
    """Whether there is a curve to draw."""
    return any(int(finite(curve.x, curve.y).sum()) >= 2 for curve in curves[:MOST_CURVES])


def describe_curves(curves: Sequence[PlotCurve], figure: str) -> str:
    """The curves and their areas in words, for those who cannot see them."""
    sentences = [
        _short(curve.name) if curve.area is None else f"{_short(curve.name)}: {figure} {number(curve.area)}"
        for curve in curves[:20]
    ]
    return "; ".join(sentences) + (f"; and {len(curves) - 20:,} more" if len(curves) > 20 else "")


def _short(name: str) -> str:
    return fit(printable(name), 40)


@dataclass(frozen=True, slots=True, eq=False)
class RocFigure(Figure):
    """One or several curves of false positive rate (`x`) and true positive rate (`y`), AUC as their area."""

    curves: Sequence[PlotCurve]
    positive: str = ""
    title: str = "ROC curve"

    def _repr_svg_(self) -> str:
        return roc_svg(self)


def roc_svg(figure: RocFigure) -> str:
    """Draw the curves over the diagonal of chance, one alone with its thresholds; AUC stands in the legend."""
    sheet = Sheet(figure.title, "ROC curve", describe_curves(figure.curves, "AUC"))
    if not has_points(figure.curves):
        return sheet.nothing("No ROC curve: both classes must occur among rows with a score.")
    of = f" ({figure.positive})" if figure.positive else ""
    panel = square(sheet, (f"False positive rate{of}", f"True positive rate{of}"))
    sheet.add(diagonal(panel))
    draw_all(sheet, panel, figure.curves, "AUC", "chance")
    draw_thresholds(sheet, panel, figure.curves)
    return sheet.svg()


@dataclass(frozen=True, slots=True, eq=False)
class PrFigure(Figure):
    """Curves of recall (`x`) and precision (`y`), and the share of positives, which chance would give."""

    curves: Sequence[PlotCurve]
    prevalence: float | None = None
    positive: str = ""
    title: str = "Precision and recall"

    def _repr_svg_(self) -> str:
        return pr_svg(self)


def pr_svg(figure: PrFigure) -> str:
    """Draw the curves as steps: a straight line between two points would promise more than there is."""
    sheet = Sheet(figure.title, "Precision-recall curve", describe_curves(figure.curves, "average precision"))
    if not has_points(figure.curves):
        return sheet.nothing("No precision-recall curve: no positive row has a score.")
    of = f" ({figure.positive})" if figure.positive else ""
    panel = square(sheet, (f"Recall{of}", f"Precision{of}"), height=300.0)
    chance = ""
    if figure.prevalence is not None and np.isfinite(figure.prevalence):
        y = float(panel.up(float(np.clip(figure.prevalence, 0.0, 1.0))))
        sheet.add(line(panel.left, y, panel.right, y, stroke_opacity=0.5, stroke_dasharray="3 3"))
        chance = f"chance: {percent(figure.prevalence)} are positive"
    draw_all(sheet, panel, [steps(curve) for curve in figure.curves], "AP", chance)
    return sheet.svg()


def steps(curve: PlotCurve) -> PlotCurve:
    """The curve as steps: the precision at a recall holds back to the recall before it."""
    x, y = curve.points()
    if len(x) < 2:
        return curve
    if x[0] > x[-1]:
        x, y = x[::-1], y[::-1]
    across = np.column_stack((x[:-1], x[1:])).ravel()
    return PlotCurve(curve.name, np.r_[x[0], across], np.r_[y[0], np.repeat(y[1:], 2)], curve.area)
