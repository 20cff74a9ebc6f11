"""What learners were found to be worth, as matplotlib axes."""

from __future__ import annotations

import math

import numpy as np

from acumen.render.cd_diagram import CdFigure, alike
from acumen.render.confusion_plot import ConfusionFigure
from acumen.render.forest_plot import ForestFigure
from acumen.render.interval_plot import IntervalFigure
from acumen.render.mpl.ink import Axes, begin, colour_of, end, plain
from acumen.render.text import number
from acumen.render.verdicts import LOOKS


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
