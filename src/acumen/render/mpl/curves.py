"""Curves as matplotlib axes: ROC and its kin, calibration, learning, what a threshold costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acumen.render.calibration_plot import CalibrationFigure
from acumen.render.curves import PlotCurve, PrFigure, RocFigure, steps
from acumen.render.decision_plot import DecisionFigure
from acumen.render.learning_plot import LearningFigure
from acumen.render.lift_chart import GainFigure, LiftFigure, ProfitFigure
from acumen.render.mpl.ink import SHAPES, Axes, begin, colour_of, end, plain, style_of
from acumen.render.svg import finite
from acumen.render.text import number, percent


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
            ends, np.r_[0.0, np.cumsum(shares)], color=colour_of(0), marker="o", markersize=4, label="so far"
        )
        ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="chance")
    return end(ax, "Rows taken, highest scores first", "Share of positives", unit=True)


def gain_axes(figure: GainFigure, ax: Axes | None = None) -> Axes:
    """The cumulative share of positives over the share of rows."""
    ax = begin(figure.title, ax)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="chance")
    _curves(ax, figure.curves, "area")
    return end(ax, "Rows taken, highest scores first", "Positives found", unit=True)


def profit_axes(figure: ProfitFigure, ax: Axes | None = None) -> Axes:
    """The profit over the share of rows, its best place marked."""
    ax = begin(figure.title, ax)
    kept = finite(figure.shares, figure.profits)
    shares, profits = figure.shares[kept], figure.profits[kept]
    if len(shares):
        best = int(np.argmax(profits))
        ax.plot(shares, profits, color=colour_of(0))
        label = f"best: {percent(float(shares[best]))} of the rows, {number(float(profits[best]))}"
        ax.plot(shares[best], profits[best], "o", color=colour_of(1), label=label)
    unit = f" ({figure.unit})" if figure.unit else ""
    return end(ax, "Rows taken, highest scores first", f"Profit{unit}")


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
        beside.set_ylabel("Cost of 1,000 rows" if figure.what == "cost" else "Precision")
    return end(ax, "Rows called, highest probability first", "Positives found", unit=True)


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
    return end(ax, "Probability given", "Share observed", unit=True)


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
