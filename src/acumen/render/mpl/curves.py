"""What learners are worth, as matplotlib axes: curves (ROC, calibration, learning, costs), and comparisons below."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acumen.render.calibration_plot import CalibrationFigure
from acumen.render.cd_diagram import CdFigure, alike
from acumen.render.confusion_plot import ConfusionFigure
from acumen.render.curves import PlotCurve, PrFigure, RocFigure, steps
from acumen.render.decision_plot import DecisionFigure
from acumen.render.forest_plot import ForestFigure
from acumen.render.interval_plot import IntervalFigure
from acumen.render.learning_plot import LearningFigure
from acumen.render.lift_chart import GainFigure, LiftFigure, ProfitFigure
from acumen.render.mpl.ink import SHAPES, Axes, begin, colour_of, end, plain, style_of
from acumen.render.svg import finite
from acumen.render.text import number, percent
from acumen.render.verdicts import LOOKS


def roc_axes(figure: RocFigure, ax: Axes | None = None) -> Axes:
    """The ROC curves over the diagonal."""
    ax = begin(figure.title, ax)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="chance")
    _curves(ax, figure.curves, "AUC")
    return end(ax, "False positive rate", "True positive rate", unit=True)


def pr_axes(figure: PrFigure, ax: Axes | None = None) -> Axes:
    """The precision-recall curves as steps, over the share of positives."""
    ax = begin(figure.title, ax)
    if figure.prevalence is not None and math.isfinite(figure.prevalence):
        label = f"chance: {percent(figure.prevalence)} are positive"
        ax.axhline(figure.prevalence, color="0.6", linestyle=":", linewidth=1, label=label)
    _curves(ax, [steps(curve) for curve in figure.curves], "AP")
    return end(ax, "Recall", "Precision", unit=True)


def lift_axes(figure: LiftFigure, ax: Axes | None = None) -> Axes:
    """A bar for each bin and the cumulative share of positives."""
    ax = begin(figure.title, ax)
    rows, hits = figure.rows.sum(), figure.hits.sum()
    if rows > 0 and hits > 0:
        ends = np.r_[0.0, np.cumsum(figure.rows) / rows]
        shares = figure.hits / hits
        ax.bar(
            ends[:-1],
            shares,
            np.diff(ends) * 0.94,
            align="edge",
            color=colour_of(1),
            alpha=0.55,
            label="in each bin",
        )
        ax.plot(
            ends,
            np.r_[0.0, np.cumsum(shares)],
            color=colour_of(0),
            marker="o",
            markersize=4,
            label="cumulative",
        )
        ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="chance")
    return end(ax, "Fraction of rows selected, highest scores first", "Lift", unit=True)


def gain_axes(figure: GainFigure, ax: Axes | None = None) -> Axes:
    """The recall over the fraction of rows selected."""
    ax = begin(figure.title, ax)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="chance")
    _curves(ax, figure.curves, "area")
    return end(ax, "Fraction of rows selected, highest scores first", "Recall", unit=True)


def profit_axes(figure: ProfitFigure, ax: Axes | None = None) -> Axes:
    """The profit over the fraction of rows selected, its best place marked."""
    ax = begin(figure.title, ax)
    kept = finite(figure.shares, figure.profits)
    shares, profits = figure.shares[kept], figure.profits[kept]
    if len(shares):
        best = int(np.argmax(profits))
        ax.plot(shares, profits, color=colour_of(0))
        label = f"best: {percent(float(shares[best]))} of the rows, {number(float(profits[best]))}"
        ax.plot(shares[best], profits[best], "o", color=colour_of(1), label=label)
    unit = f" ({figure.unit})" if figure.unit else ""
    return end(ax, "Fraction of rows selected, highest scores first", f"Profit{unit}")


def decision_axes(figure: DecisionFigure, ax: Axes | None = None) -> Axes:
    """What is found over the share called, and on a second scale what that costs or its precision."""
    ax = begin(figure.title, ax)
    if len(figure.called):
        ax.plot(figure.called, figure.found, color=colour_of(0), label="found")
        x, y = figure.called[figure.chosen], figure.found[figure.chosen]
        ax.plot(x, y, "o", color=colour_of(1), label=plain(figure.summary))
        shown = finite(figure.called, figure.worth)
        beside = ax.twinx()
        beside.plot(figure.called[shown], figure.worth[shown], color=colour_of(2), linestyle="--")
        beside.set_ylabel("Cost per 1,000 rows" if figure.what == "cost" else "Precision")
    return end(ax, "Fraction of rows flagged, highest probability first", "Recall", unit=True)


def calibration_axes(figure: CalibrationFigure, ax: Axes | None = None) -> Axes:
    """The share observed over the probability given."""
    ax = begin(figure.title, ax)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="perfect")
    for place, curve in enumerate(figure.curves):
        shown = curve.kept_bins()
        x, y = curve.predicted[shown], curve.observed[shown]
        if curve.low is not None and curve.high is not None:
            ax.vlines(x, curve.low[shown], curve.high[shown], color=colour_of(place), alpha=0.5)
        ax.plot(x, y, marker=SHAPES[place % 8], label=plain(curve.name), **style_of(place))
    return end(ax, "Predicted probability", "Observed frequency", unit=True)


def learning_axes(figure: LearningFigure, ax: Axes | None = None) -> Axes:
    """The bands over their places."""
    ax = begin(figure.title, ax)
    x = figure.places
    order = np.argsort(x, kind="stable")
    for place, band in enumerate(figure.bands):
        if band.low is not None and band.high is not None:
            ax.fill_between(x[order], band.low[order], band.high[order], color=colour_of(place), alpha=0.17)
        marker = SHAPES[place % 8]
        ax.plot(x[order], band.mean[order], marker=marker, label=plain(band.name), **style_of(place))
    if figure.chosen is not None and np.isfinite(x[figure.chosen]):
        ax.axvline(x[figure.chosen], color="0.5", linestyle=":", linewidth=1, label="chosen")
    if figure.log and np.isfinite(x).any():
        ax.set_xscale("log")
    if figure.names is not None:
        ax.set_xticks(range(len(figure.names)), [plain(name) for name in figure.names])
    return end(ax, figure.x_label, figure.y_label)


def _curves(ax: Axes, curves: Sequence[PlotCurve], figure: str) -> None:
    for place, curve in enumerate(curves):
        area = "" if curve.area is None else f" ({figure} {number(curve.area)})"
        ax.plot(*curve.points(), label=plain(curve.name) + area, **style_of(place))


# -- comparisons of learners ----------------------------------------------------------------------


def confusion_axes(figure: ConfusionFigure, ax: Axes | None = None) -> Axes:
    """The confusion matrix with its counts; shades are shares of the true class."""
    ax = begin(figure.title, ax)
    k = len(figure.labels)
    names = [plain(label) for label in figure.labels]
    shares = figure.matrix / np.maximum(figure.matrix.sum(axis=0), 1e-300)
    if k:
        ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.6)
        ax.set_xticks(range(k), names, rotation=45 if k > 4 else 0)
        ax.set_yticks(range(k), names)
    if k <= 20:
        for (i, j), count in np.ndenumerate(figure.matrix):
            ax.text(j, i, number(float(count)), ha="center", va="center")
    return end(ax, "true class", "predicted class")


def interval_axes(figure: IntervalFigure, ax: Axes | None = None) -> Axes:
    """The ranking with its intervals, the first row at the top."""
    ax = begin(figure.title, ax)
    rows = [row for row in figure.rows if math.isfinite(row.mean)]
    for place, row in enumerate(rows):
        look = LOOKS[row.verdict]
        colour = colour_of(look.colour)
        if math.isfinite(row.low) and math.isfinite(row.high):
            ax.plot([row.low, row.high], [place, place], color=colour)
        face = "none" if look.hollow else colour
        ax.plot(row.mean, place, "o", color=colour, markerfacecolor=face)
        if row.verdict == "baseline":
            ax.axvline(row.mean, color="0.6", linestyle=":", linewidth=1)
    ax.set_yticks(range(len(rows)), [plain(row.name) for row in rows])
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    return end(ax, figure.measure, "")


def forest_axes(figure: ForestFigure, ax: Axes | None = None) -> Axes:
    """Ratios with their intervals on a logarithmic axis, the first row at the top; hollow where 1 is inside."""
    ax = begin(figure.title, ax)
    rows = [row for row in figure.rows if math.isfinite(row.ratio) and row.ratio > 0]
    for place, row in enumerate(rows):
        known = not math.isnan(row.low) and row.low > 0 and math.isfinite(row.high)
        sure = known and not row.low <= 1.0 <= row.high
        colour = colour_of(6 if not sure else 0 if row.ratio > 1 else 1)
        if known:
            ax.plot([row.low, row.high], [place, place], color=colour)
        ax.plot(row.ratio, place, "o", color=colour, markerfacecolor=colour if sure else "none")
    ax.axvline(1.0, color="0.6", linestyle=":", linewidth=1)
    ax.set_xscale("log")
    names = [f"{row.group}: {row.name}" if row.group else row.name for row in rows]
    ax.set_yticks(range(len(rows)), [plain(name) for name in names])
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    return end(ax, figure.measure, "")


def cd_axes(figure: CdFigure, ax: Axes | None = None) -> Axes:
    """The mean ranks from best to worst, with a bar over each group without a significant difference."""
    ax = begin(figure.title, ax)
    kept = np.flatnonzero(np.isfinite(figure.ranks))
    order = kept[np.argsort(figure.ranks[kept], kind="stable")]
    ranks = figure.ranks[order]
    groups = alike(ranks, figure.critical_difference)
    floor = len(ranks) - 0.5 + 0.3 * len(groups)
    ax.vlines(ranks, range(len(ranks)), [floor] * len(ranks), color="0.85", linewidth=1, zorder=0)
    ax.plot(ranks, range(len(ranks)), "o", color=colour_of(6))
    for level, (first, last) in enumerate(groups):
        y = len(ranks) - 0.5 + 0.3 * level
        ax.plot(ranks[[first, last]], [y, y], color=colour_of(0), linewidth=4, solid_capstyle="round")
    ax.set_yticks(range(len(order)), [plain(figure.names[i]) for i in order])
    ax.set_ylim(max(floor, 0.5), -0.5)
    return end(ax, f"mean rank (critical difference {number(figure.critical_difference)})", "")
