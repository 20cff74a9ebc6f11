"""Lift, gain and profit: what it brings to take only the rows with the highest scores.

lift_svg     a bar for each bin of rows, best scores first, and the share of positives found cumulative
gain_svg     the same cumulative share as a curve, for one or several models
profit_svg   the profit by the share of rows taken, with the best cut marked
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, SMALL, LinearScale, Panel, left_room, right_room
from acumen.render.curves import (
    PERCENTS,
    UNIT,
    PlotCurve,
    describe_curves,
    draw_all,
    draw_curve,
    has_points,
    square,
)
from acumen.render.sheet import LegendKey, Sheet, diagonal
from acumen.render.svg import Markup, finite, line, measure, tag, text
from acumen.render.text import number, percent
from acumen.render.values import Figure, floats, keep
from acumen.types import Floats

#: Above so many bins the bars carry no figures, and above so many more they are joined.
LABELLED, MOST_BINS = 12, 100


@dataclass(frozen=True, slots=True, eq=False)
class LiftFigure(Figure):
    """Rows and positives in each bin, the bin of the highest scores first."""

    rows: Floats
    hits: Floats
    positive: str = ""
    title: str = "Lift chart"

    def __post_init__(self) -> None:
        keep(self, rows=floats(self, "rows"))
        keep(self, hits=floats(self, "hits", length=len(self.rows)))
        for name in ("rows", "hits"):
            if not np.all(getattr(self, name) >= 0):
                raise DataError(f"LiftFigure: {name} must be counts of at least 0 in each bin")

    def _repr_svg_(self) -> str:
        return lift_svg(self)


@dataclass(frozen=True, slots=True, eq=False)
class GainFigure(Figure):
    """Curves of the fraction of rows selected (`x`) and the recall (`y`)."""

    curves: Sequence[PlotCurve]
    positive: str = ""
    title: str = "Cumulative gain"

    def _repr_svg_(self) -> str:
        return gain_svg(self)


@dataclass(frozen=True, slots=True, eq=False)
class ProfitFigure(Figure):
    """The profit of selecting the given fractions of the rows, best scores first."""

    shares: Floats
    profits: Floats
    unit: str = ""
    title: str = "Profit"

    def __post_init__(self) -> None:
        keep(self, shares=floats(self, "shares"))
        keep(self, profits=floats(self, "profits", length=len(self.shares)))
        if np.any((self.shares < 0) | (self.shares > 1)):
            raise DataError("ProfitFigure: shares must be from 0 to 1, of all rows")

    def _repr_svg_(self) -> str:
        return profit_svg(self)


def lift_svg(figure: LiftFigure) -> str:
    """Draw each bin's share of all positives, with its lift above, and the shares summed up."""
    rows, hits = _merge_bins(figure.rows), _merge_bins(figure.hits)
    sheet = Sheet(figure.title, "Lift chart", _lift_told(rows, hits))
    if not hits.sum() > 0 or not rows.sum() > 0:
        return sheet.nothing("No lift chart: there is no positive row.")
    what = f"positives ({figure.positive})" if figure.positive else "positives"
    panel = square(sheet, ("Fraction of rows selected, highest scores first", f"Share of {what}"), PERCENTS)
    ends = np.r_[0.0, np.cumsum(rows) / rows.sum()]
    shares = hits / hits.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        lifts = (hits / rows) / (hits.sum() / rows.sum())
    for i, share in enumerate(shares.tolist()):
        sheet.add(*_bar(panel, (ends[i], ends[i + 1]), share, lifts[i], labelled=len(rows) <= LABELLED))
    captured = np.r_[0.0, np.cumsum(shares)]
    sheet.add(diagonal(panel), draw_curve(panel, 0, ends, captured)[0])
    if len(rows) <= LABELLED:
        dots = zip(panel.across(ends).tolist(), panel.up(captured).tolist(), strict=True)
        sheet.add(*(tag("circle", cx=x, cy=y, r=3.4, **palette.fill(0)) for x, y in dots))
    labels = [
        LegendKey("box", 1, "lift in each bin"),
        LegendKey("line", 0, "cumulative"),
        LegendKey("rule", 0, "chance"),
    ]
    sheet.legend(labels)
    if len(figure.rows) > MOST_BINS:
        sheet.note(f"Shows {len(figure.rows):,} bins merged into {len(rows):,}.")
    return sheet.svg()


def gain_svg(figure: GainFigure) -> str:
    """Draw how many of the positives are found by how few of the rows."""
    sheet = Sheet(figure.title, "Cumulative gain", describe_curves(figure.curves, "area"))
    if not has_points(figure.curves):
        return sheet.nothing("No gain curve: there is no positive row with a score.")
    what = f"Recall ({figure.positive})" if figure.positive else "Recall"
    panel = square(sheet, ("Fraction of rows selected, highest scores first", what), PERCENTS, height=320.0)
    sheet.add(diagonal(panel))
    draw_all(sheet, panel, figure.curves, "area", "chance")
    return sheet.svg()


def profit_svg(figure: ProfitFigure) -> str:
    """Draw the profit over the fraction of rows selected, and mark where it is highest."""
    kept = finite(figure.shares, figure.profits)
    order = np.argsort(figure.shares[kept], kind="stable")
    shares, profits = figure.shares[kept][order], figure.profits[kept][order]
    if not len(shares):
        return Sheet(figure.title, "Profit", "").nothing("No profit curve: there is no profit to show.")
    best = int(np.argmax(profits))
    unit = f" {figure.unit}" if figure.unit else ""
    summary = f"Best: select {percent(float(shares[best]))} of the rows, profit {number(float(profits[best]))}{unit}"
    sheet = Sheet(figure.title, "Profit", summary)
    scale = LinearScale.around(np.r_[0.0, profits], pad=0.08)
    ticks = scale.ticks()
    left_edge = left_room(ticks, labelled=True)
    panel = Panel(left_edge, sheet.y + 4, sheet.width - left_edge - right_room(PERCENTS), 260.0, UNIT, scale)
    label = f"Profit ({figure.unit})" if figure.unit else "Profit"
    sheet.add(
        panel.axes("Fraction of rows selected, highest scores first", label, x_ticks=PERCENTS, y_ticks=ticks)
    )
    sheet.y = panel.bottom + AXIS_ROOM
    zero = float(panel.up(0.0))
    x, y = float(panel.across(float(shares[best]))), float(panel.up(float(profits[best])))
    sheet.add(
        line(panel.left, zero, panel.right, zero, stroke_opacity=0.55),
        line(x, y, x, panel.bottom, stroke_dasharray="3 3", **palette.stroke(1)),
        draw_curve(panel, 0, shares, profits)[0],
        tag("circle", cx=x, cy=y, r=5.5, **palette.fill(1)),
    )
    sheet.note(summary + ".")
    return sheet.svg()


def _bar(
    panel: Panel, ends: tuple[float, float], share: float, lift: float, *, labelled: bool
) -> list[Markup]:
    """A bin's bar and, where there is room, how many times chance it is."""
    left_edge, right = float(panel.across(ends[0])), float(panel.across(ends[1]))
    if right <= left_edge:
        return []
    top, gap = float(panel.up(share)), min(3.0, 0.12 * (right - left_edge))
    height = panel.bottom - top
    pieces = [
        tag(
            "rect",
            x=left_edge + gap,
            y=top,
            width=right - left_edge - 2 * gap,
            height=height,
            fill_opacity=0.55,
            **palette.fill(1),
        )
    ]
    label = f"{lift:.1f}×"
    if labelled and np.isfinite(lift) and measure(label, SMALL) <= right - left_edge:
        inside = height > 24  # there the cumulative curve does not run through it
        pieces.append(
            text(label, (left_edge + right) / 2, top + 15 if inside else top - 5, anchor="middle", size=SMALL)
        )
    return pieces


def _merge_bins(counts: Floats) -> Floats:
    """Neighbouring bins added up until there are at most `MOST_BINS`."""
    if len(counts) <= MOST_BINS:
        return counts
    starts = np.linspace(0, len(counts), MOST_BINS, endpoint=False).astype(np.intp)
    return np.add.reduceat(counts, starts)


def _lift_told(rows: Floats, hits: Floats) -> str:
    total = hits.sum()
    if not total > 0 or not rows.sum() > 0:
        return "no positive row"
    taken, captured = np.cumsum(rows) / rows.sum(), np.cumsum(hits) / total
    sentences = [
        f"{percent(f)} of the positives in {percent(t)} of the rows"
        for t, f in zip(taken, captured, strict=True)
    ]
    return "; ".join(sentences[:20])
