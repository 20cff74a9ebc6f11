"""The same figure values as matplotlib axes, for those who go on drawing.

Each function takes a figure value and, where given, the axes to draw in; it gives the axes back.
matplotlib is imported when one of them is called: `pip install acumen[plot]`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from acumen.errors import MissingExtra
from acumen.show import palette
from acumen.show.association_map import AssociationFigure
from acumen.show.bars_plot import BarsFigure
from acumen.show.calibration_plot import CalibrationFigure
from acumen.show.cd_diagram import CdFigure, alike
from acumen.show.class_histogram import HistogramFigure, LevelsFigure
from acumen.show.confusion_plot import ConfusionFigure
from acumen.show.curves import Curve
from acumen.show.decision_plot import DecisionFigure
from acumen.show.dendrogram import DendrogramFigure, cut_height, laid
from acumen.show.escape import printable
from acumen.show.interval_plot import IntervalFigure
from acumen.show.item_graph import ItemGraph
from acumen.show.ladder import LadderFigure
from acumen.show.lattice_plot import LatticeFigure
from acumen.show.learning_plot import LearningFigure
from acumen.show.lift_chart import GainFigure, LiftFigure, ProfitFigure
from acumen.show.loadings_map import LoadingsFigure
from acumen.show.margin_plot import MarginFigure, chained, level_lines
from acumen.show.missing_map import MissingFigure
from acumen.show.network_plot import NetworkFigure, circled, layered
from acumen.show.points_plot import PointsFigure
from acumen.show.pr_curve import PrFigure, steps
from acumen.show.regions import FINE, MOST_CLASSES, RegionsFigure, contour, raster, sampled
from acumen.show.roc_curve import RocFigure
from acumen.show.rule_plot import RulesFigure
from acumen.show.svg import finite
from acumen.show.text import number, percent
from acumen.show.tidy import levels, tidy
from acumen.show.tree import TreeFigure

#: `matplotlib.axes.Axes`, which is not imported for its name alone.
Axes: TypeAlias = Any

_STYLES = ("-", "--", ":", "-.")
_SHAPES = ("o", "s", "^", "D", "X", "v", "P", "o")


def roc_axes(figure: RocFigure, ax: Axes | None = None) -> Axes:
    """The ROC curves over the diagonal."""
    ax = _begin(figure.title, ax)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="chance")
    _curves(ax, figure.curves, "AUC")
    return _end(ax, "False positive rate", "True positive rate", unit=True)


def pr_axes(figure: PrFigure, ax: Axes | None = None) -> Axes:
    """The precision-recall curves as steps, over the share of positives."""
    ax = _begin(figure.title, ax)
    if figure.prevalence is not None and math.isfinite(figure.prevalence):
        said = f"chance: {percent(figure.prevalence)} are positive"
        ax.axhline(figure.prevalence, color="0.6", linestyle=":", linewidth=1, label=said)
    _curves(ax, [steps(curve) for curve in figure.curves], "AP")
    return _end(ax, "Recall", "Precision", unit=True)


def lift_axes(figure: LiftFigure, ax: Axes | None = None) -> Axes:
    """A bar for each bin and the cumulative share of positives."""
    ax = _begin(figure.title, ax)
    rows, hits = figure.rows.sum(), figure.hits.sum()
    if rows > 0 and hits > 0:
        ends = np.r_[0.0, np.cumsum(figure.rows) / rows]
        shares = figure.hits / hits
        ax.bar(
            ends[:-1],
            shares,
            np.diff(ends) * 0.94,
            align="edge",
            color=_colour(1),
            alpha=0.55,
            label="in each bin",
        )
        ax.plot(
            ends, np.r_[0.0, np.cumsum(shares)], color=_colour(0), marker="o", markersize=4, label="so far"
        )
        ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="chance")
    return _end(ax, "Rows taken, highest scores first", "Share of positives", unit=True)


def gain_axes(figure: GainFigure, ax: Axes | None = None) -> Axes:
    """The cumulative share of positives over the share of rows."""
    ax = _begin(figure.title, ax)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="chance")
    _curves(ax, figure.curves, "area")
    return _end(ax, "Rows taken, highest scores first", "Positives found", unit=True)


def profit_axes(figure: ProfitFigure, ax: Axes | None = None) -> Axes:
    """The profit over the share of rows, its best place marked."""
    ax = _begin(figure.title, ax)
    kept = finite(figure.shares, figure.profits)
    shares, profits = figure.shares[kept], figure.profits[kept]
    if len(shares):
        best = int(np.argmax(profits))
        ax.plot(shares, profits, color=_colour(0))
        said = f"best: {percent(float(shares[best]))} of the rows, {number(float(profits[best]))}"
        ax.plot(shares[best], profits[best], "o", color=_colour(1), label=said)
    unit = f" ({figure.unit})" if figure.unit else ""
    return _end(ax, "Rows taken, highest scores first", f"Profit{unit}")


def decision_axes(figure: DecisionFigure, ax: Axes | None = None) -> Axes:
    """What is found over the share called, and on a second scale what that costs or its precision."""
    ax = _begin(figure.title, ax)
    if len(figure.called):
        ax.plot(figure.called, figure.found, color=_colour(0), label="found")
        x, y = figure.called[figure.chosen], figure.found[figure.chosen]
        ax.plot(x, y, "o", color=_colour(1), label=_plain(figure.said))
        shown = finite(figure.called, figure.worth)
        beside = ax.twinx()
        beside.plot(figure.called[shown], figure.worth[shown], color=_colour(2), linestyle="--")
        beside.set_ylabel("Cost of 1,000 rows" if figure.what == "cost" else "Precision")
    return _end(ax, "Rows called, highest probability first", "Positives found", unit=True)


def confusion_axes(figure: ConfusionFigure, ax: Axes | None = None) -> Axes:
    """The confusion matrix with its counts; shades are shares of the true class."""
    ax = _begin(figure.title, ax)
    k = len(figure.labels)
    names = [_plain(label) for label in figure.labels]
    shares = figure.matrix / np.maximum(figure.matrix.sum(axis=0), 1e-300)
    if k:
        ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.6)
        ax.set_xticks(range(k), names, rotation=45 if k > 4 else 0)
        ax.set_yticks(range(k), names)
    if k <= 20:
        for (i, j), count in np.ndenumerate(figure.matrix):
            ax.text(j, i, number(float(count)), ha="center", va="center")
    return _end(ax, "true class", "predicted class")


def histogram_axes(figure: HistogramFigure, ax: Axes | None = None) -> Axes:
    """A numeric attribute's values in bars stacked by class."""
    ax = _begin(figure.title, ax)
    foot = np.zeros(figure.counts.shape[1])
    wide = np.diff(figure.edges)
    wide = np.where(wide > 0, wide, 1.0)  # a constant's one bar
    for place, (name, counts) in enumerate(zip(figure.groups, figure.counts, strict=True)):
        ax.bar(figure.edges[:-1], counts, wide, foot, align="edge", color=_colour(place), label=_plain(name))
        foot = foot + counts
    return _end(ax, "", "rows")


def levels_axes(figure: LevelsFigure, ax: Axes | None = None) -> Axes:
    """A nominal attribute's levels as lines stacked by class, the first at the top."""
    ax = _begin(figure.title, ax)
    places = np.arange(len(figure.levels))
    foot = np.zeros(len(places))
    for place, (name, counts) in enumerate(zip(figure.groups, figure.counts, strict=True)):
        ax.barh(places, counts, 0.8, foot, color=_colour(place), label=_plain(name))
        foot = foot + counts
    ax.set_yticks(places, [_plain(level) for level in figure.levels])
    ax.set_ylim(max(len(places), 1) - 0.5, -0.5)
    return _end(ax, "rows", "")


def missing_axes(figure: MissingFigure, ax: Axes | None = None) -> Axes:
    """What share of each stretch of rows is missing, a line for each attribute."""
    ax = _begin(figure.title, ax)
    k = len(figure.attributes)
    if figure.shares.size:
        ends = (0.5, figure.rows + 0.5, k - 0.5, -0.5)
        ax.imshow(
            figure.shares, cmap="Oranges", vmin=0, vmax=1, aspect="auto", interpolation="none", extent=ends
        )
        ax.set_yticks(range(k), [_plain(name) for name in figure.attributes])
    return _end(ax, "row", "")


def association_axes(figure: AssociationFigure, ax: Axes | None = None) -> Axes:
    """How strongly every two attributes hang together, below the diagonal."""
    ax = _begin(figure.title, ax)
    k = len(figure.attributes)
    if k:
        names = [_plain(name) for name in figure.attributes]
        hidden = np.triu(np.ones((k, k), dtype=np.bool_)) | np.isnan(figure.values)
        ax.imshow(np.ma.masked_array(figure.values, hidden), cmap="RdBu", vmin=-1, vmax=1)
        ax.set_xticks(range(k), names, rotation=45 if k > 4 else 0)
        ax.set_yticks(range(k), names)
    return _end(ax, "", "")


def loadings_axes(figure: LoadingsFigure, ax: Axes | None = None) -> Axes:
    """A shade for each attribute and component, by the sign and size of its loading."""
    ax = _begin(figure.title, ax)
    if len(figure.attributes) and len(figure.components):
        ax.imshow(figure.values, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
        ax.set_xticks(range(len(figure.components)), [_plain(name) for name in figure.components])
        ax.set_yticks(range(len(figure.attributes)), [_plain(name) for name in figure.attributes])
    return _end(ax, "", "")


def rules_axes(figure: RulesFigure, ax: Axes | None = None) -> Axes:
    """A point for each rule: support across, confidence up, the fuller the farther its lift is from 1."""
    ax = _begin(figure.title, ax)
    known = finite(figure.support, figure.confidence, figure.lift)
    x, y, lift = (column[known] for column in (figure.support, figure.confidence, figure.lift))
    far = np.abs(np.log(np.maximum(lift, 1e-12)))
    strength = 0.25 + 0.7 * far / max(float(far.max(initial=0.0)), 1e-12)
    for place, (name, here) in enumerate({"lift above 1": lift >= 1, "lift below 1": lift < 1}.items()):
        if here.any():
            ax.scatter(x[here], y[here], s=16, color=_colour(place), alpha=strength[here], label=name)
    return _end(ax, "support", "confidence")


def bars_axes(figure: BarsFigure, ax: Axes | None = None) -> Axes:
    """A bar for each name, the first at the top; faint where chance would give as much."""
    ax = _begin(figure.title, ax)
    bars = [bar for bar in figure.bars if math.isfinite(bar.value)]
    for place, said, sure in ((0, figure.sure, True), (6, figure.unsure, False)):
        at = [i for i, bar in enumerate(bars) if bar.sure is sure]
        if at:
            values = [bars[i].value for i in at]
            ax.barh(at, values, color=_colour(place), alpha=0.9 if sure else 0.4, label=_plain(said) or None)
    marked = [i for i, bar in enumerate(bars) if math.isfinite(bar.mark)]
    if marked:
        marks = [bars[i].mark for i in marked]
        ax.scatter(marks, marked, marker="|", s=120, color=_colour(1), label=_plain(figure.mark) or None)
    ax.set_yticks(range(len(bars)), [_plain(bar.name) for bar in bars])
    ax.invert_yaxis()
    return _end(ax, figure.measure, "")


def ladder_axes(figure: LadderFigure, ax: Axes | None = None) -> Axes:
    """A bar for each rule, the first at the top, of the classes of the rows that come to it."""
    ax = _begin(figure.title, ax)
    rungs = figure.rungs
    counts = np.array([rung.counts for rung in rungs]).reshape(len(rungs), len(figure.classes))
    left = np.zeros(len(rungs))
    for code, name in enumerate(figure.classes):
        ax.barh(range(len(rungs)), counts[:, code], left=left, color=_colour(code), label=_plain(name))
        left += counts[:, code]
    said = [f"{rung.body or 'otherwise'} → {figure.classes[rung.winner]}" for rung in rungs]
    ax.set_yticks(range(len(rungs)), [_plain(text[:60]) for text in said])
    ax.invert_yaxis()
    return _end(ax, "rows", "")


def items_axes(figure: ItemGraph, ax: Axes | None = None) -> Axes:
    """Items on a circle, and an arrow from each item of a body to each item of a rule's head."""
    ax = _begin(figure.title, ax)
    links = figure.strongest()
    names = list(dict.fromkeys(name for link in links for name in link))
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / max(len(names), 1)
    at = {name: (math.cos(angle), math.sin(angle)) for name, angle in zip(names, angles, strict=True)}
    top = max(links.values(), default=1.0)
    for (body, head), weight in sorted(links.items(), key=lambda pair: pair[1]):
        share = weight / top if top > 0 else 1.0
        arrow = {
            "arrowstyle": "-|>",
            "color": _colour(0),
            "alpha": 0.25 + 0.6 * share,
            "linewidth": 0.6 + 1.8 * share,
        }
        ax.annotate("", at[head], at[body], arrowprops=arrow)
    for name, (x, y) in at.items():
        side = "left" if x > 0.2 else "right" if x < -0.2 else "center"
        ax.plot(x, y, "o", color=_colour(0), markersize=5)
        ax.text(1.08 * x, 1.08 * y, _plain(name), ha=side, va="center")
    ax.set_aspect("equal")
    ax.set_xlim(-1.6, 1.6)
    ax.set_ylim(-1.3, 1.3)
    ax.set_axis_off()
    return _end(ax, "", "")


def network_axes(figure: NetworkFigure, ax: Axes | None = None) -> Axes:
    """Attributes in layers, causes above; the thicker an arrow, the more it tells. Undirected ones on a circle."""
    ax = _begin(figure.title, ax)
    at: dict[int, tuple[float, float]] = {}
    if figure.directed:
        for depth, layer in enumerate(layered(figure)[0]):
            at |= {v: ((i + 0.5) / len(layer), -float(depth)) for i, v in enumerate(layer)}
    else:
        order = circled(figure)
        for i, v in enumerate(order):
            angle = 2 * math.pi * i / len(order) - math.pi / 2
            at[v] = (math.cos(angle), -math.sin(angle))
    for (u, v), share in zip(figure.edges, figure.shares, strict=True):
        arrow = {
            "arrowstyle": "-|>" if figure.directed else "-",
            "color": _colour(0),
            "alpha": 0.35 + 0.5 * share,
            "linewidth": 0.8 + 3.2 * share,
            "shrinkA": 12,
            "shrinkB": 12,
        }
        ax.annotate("", at[v], at[u], arrowprops=arrow)
    for v, (x, y) in at.items():
        face = _colour(1) if v == figure.marked else _colour(0)
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": face}
        ax.text(x, y, _plain(figure.names[v]), ha="center", va="center", bbox=box)
    ax.margins(0.15)
    xs, ys = [x for x, _ in at.values()] or [0.0], [y for _, y in at.values()] or [0.0]
    ax.set_xlim(min(xs) - 0.3, max(xs) + 0.3)
    ax.set_ylim(min(ys) - 0.5, max(ys) + 0.5)
    ax.set_axis_off()
    return _end(ax, "", "")


def lattice_axes(figure: LatticeFigure, ax: Axes | None = None) -> Axes:
    """Hypotheses level by level, the more general above, and a line where one is next to the other."""
    ax = _begin(figure.title, ax)
    at = {
        each: ((i + 1) / (len(level) + 1), height)
        for height, level in enumerate(figure.levels())
        for i, each in enumerate(level)
    }
    for each, node in enumerate(figure.nodes):
        for other in node.above:
            (x1, y1), (x2, y2) = at[each], at[other]
            ax.plot([x1, x2], [y1, y2], color=_colour(6), alpha=0.5, linewidth=1, zorder=1)
    for each, node in enumerate(figure.nodes):
        edge = _colour(0 if node.specific else 1 if node.general else 6)
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": edge}
        ax.text(*at[each], _plain(node.said[:60]), ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    if not figure.nodes:
        ax.text(0.5, 0.5, _plain(figure.why), ha="center", va="center", wrap=True)
    ax.set_xlim(0, 1)
    ax.set_ylim(-0.5, max((node.level for node in figure.nodes), default=0) + 0.5)
    ax.set_axis_off()
    return _end(ax, "", "")


def interval_axes(figure: IntervalFigure, ax: Axes | None = None) -> Axes:
    """The ranking with its intervals, the first row at the top."""
    ax = _begin(figure.title, ax)
    rows = [row for row in figure.rows if math.isfinite(row.mean)]
    colours = {"worse": _colour(1), "equal": _colour(6), "open": _colour(6), "baseline": _colour(6)}
    for place, row in enumerate(rows):
        colour = colours.get(row.verdict, _colour(0))
        if math.isfinite(row.low) and math.isfinite(row.high):
            ax.plot([row.low, row.high], [place, place], color=colour)
        face = "none" if row.verdict in ("equal", "open") else colour
        ax.plot(row.mean, place, "o", color=colour, markerfacecolor=face)
        if row.verdict == "baseline":
            ax.axvline(row.mean, color="0.6", linestyle=":", linewidth=1)
    ax.set_yticks(range(len(rows)), [_plain(row.name) for row in rows])
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    return _end(ax, figure.measure, "")


def cd_axes(figure: CdFigure, ax: Axes | None = None) -> Axes:
    """The mean ranks from best to worst, with a bar over each group that cannot be told apart."""
    ax = _begin(figure.title, ax)
    kept = np.flatnonzero(np.isfinite(figure.ranks))
    order = kept[np.argsort(figure.ranks[kept], kind="stable")]
    ranks = figure.ranks[order]
    groups = alike(ranks, figure.critical_difference)
    floor = len(ranks) - 0.5 + 0.3 * len(groups)
    ax.vlines(ranks, range(len(ranks)), [floor] * len(ranks), color="0.85", linewidth=1, zorder=0)
    ax.plot(ranks, range(len(ranks)), "o", color=_colour(6))
    for level, (first, last) in enumerate(groups):
        y = len(ranks) - 0.5 + 0.3 * level
        ax.plot(ranks[[first, last]], [y, y], color=_colour(0), linewidth=4, solid_capstyle="round")
    ax.set_yticks(range(len(order)), [_plain(figure.names[i]) for i in order])
    ax.set_ylim(max(floor, 0.5), -0.5)
    return _end(ax, f"mean rank (critical difference {number(figure.critical_difference)})", "")


def dendrogram_axes(figure: DendrogramFigure, ax: Axes | None = None) -> Axes:
    """The joins as brackets over their leaves, in the colour of their group up to the cut."""
    ax = _begin(figure.title, ax)
    if not len(figure.heights):
        return _end(ax, "", "height")
    plan = laid(figure)
    for x, y, group in zip(plan.x, plan.y, plan.group.tolist(), strict=True):
        colour = "0.4" if group < 0 else _colour(group)
        ax.plot([x[0], x[0], x[1], x[1]], [y[0], y[2], y[2], y[1]], color=colour, linewidth=1.4)
    level = cut_height(figure)
    if level is not None:
        ax.axhline(level, color="0.5", linestyle=":", linewidth=1)
    ax.set_xticks(range(len(plan.leaves)), [_plain(leaf) for leaf in plan.leaves], rotation=90)
    ax.set_ylim(bottom=0.0)
    return _end(ax, "", "height")


def calibration_axes(figure: CalibrationFigure, ax: Axes | None = None) -> Axes:
    """The share observed over the probability given."""
    ax = _begin(figure.title, ax)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1, label="perfect")
    for place, curve in enumerate(figure.curves):
        shown = curve.shown()
        x, y = curve.predicted[shown], curve.observed[shown]
        if curve.low is not None and curve.high is not None:
            ax.vlines(x, curve.low[shown], curve.high[shown], color=_colour(place), alpha=0.5)
        ax.plot(x, y, marker=_SHAPES[place % 8], label=_plain(curve.name), **_line(place))
    return _end(ax, "Probability given", "Share observed", unit=True)


def learning_axes(figure: LearningFigure, ax: Axes | None = None) -> Axes:
    """The bands over their places."""
    ax = _begin(figure.title, ax)
    x = figure.places
    order = np.argsort(x, kind="stable")
    for place, band in enumerate(figure.bands):
        if band.low is not None and band.high is not None:
            ax.fill_between(x[order], band.low[order], band.high[order], color=_colour(place), alpha=0.17)
        marker = _SHAPES[place % 8]
        ax.plot(x[order], band.mean[order], marker=marker, label=_plain(band.name), **_line(place))
    if figure.chosen is not None and np.isfinite(x[figure.chosen]):
        ax.axvline(x[figure.chosen], color="0.5", linestyle=":", linewidth=1, label="chosen")
    if figure.log and np.isfinite(x).any():
        ax.set_xscale("log")
    if figure.names is not None:
        ax.set_xticks(range(len(figure.names)), [_plain(name) for name in figure.names])
    return _end(ax, figure.x_label, figure.y_label)


def points_axes(figure: PointsFigure, ax: Axes | None = None) -> Axes:
    """The points, and the line that a perfect model would put them on."""
    ax = _begin(figure.title, ax)
    x, y = figure.shown()
    ax.scatter(x, y, s=12, color=_colour(0), alpha=0.55, label="rows")
    if figure.ideal == "equal" and len(x):
        ends = [min(x.min(), y.min()), max(x.max(), y.max())]
        ax.plot(ends, ends, color="0.6", linestyle=":", linewidth=1, label="perfect")
    elif figure.ideal == "zero":
        ax.axhline(0.0, color="0.6", linestyle=":", linewidth=1, label="perfect")
    return _end(ax, figure.x_label, figure.y_label)


def regions_axes(figure: RegionsFigure, ax: Axes | None = None) -> Axes:
    """The regions as a picture, the rows as points, densities as their 1 % contours."""
    ax = _begin(figure.title, ax)
    box = (figure.x[0], figure.x[-1], figure.y[0], figure.y[-1])
    if 0 < len(figure.classes) <= MOST_CLASSES:
        pixels, colours = raster(figure, FINE, FINE)
        ax.imshow(colours[pixels], extent=box, aspect="auto", interpolation="nearest", zorder=0)
    points, labels, count = sampled(figure)
    for place, name in enumerate(figure.classes):
        here = points[labels == place]
        ax.scatter(
            here[:, 0], here[:, 1], s=14, color=_colour(place), marker=_SHAPES[place % 8], label=_plain(name)
        )
    for density in figure.densities:
        around = contour(density)
        if around is not None:
            ax.plot(*around, color=_colour(density.place), linewidth=1.4)
    ax.set_xlim(box[0], box[1])
    ax.set_ylim(box[2], box[3])
    if count > len(points):
        ax.set_title(f"{_plain(figure.title)} ({len(points):,} of {count:,} rows drawn)")
    return _end(ax, figure.x_label, figure.y_label)


def margin_axes(figure: MarginFigure, ax: Axes | None = None) -> Axes:
    """The line of decision, its margins dashed, the rows, support vectors in rings."""
    ax = _begin(figure.title, ax)
    for level in (-1.0, 0.0, 1.0):
        for way in chained(level_lines(figure.x, figure.y, figure.decisions, level)):
            ax.plot(way[:, 0], way[:, 1], color="0.2", linestyle="-" if level == 0 else "--", linewidth=1.2)
    rows = figure.shown()
    for place, name in enumerate(figure.classes):
        here = figure.points[rows[figure.labels[rows] == place]]
        ax.scatter(
            here[:, 0], here[:, 1], s=14, color=_colour(place), marker=_SHAPES[place], label=_plain(name)
        )
    ringed = figure.points[rows[figure.support[rows]]]
    ax.scatter(ringed[:, 0], ringed[:, 1], s=70, facecolors="none", edgecolors="0.2", label="support vectors")
    ax.set_xlim(figure.x[0], figure.x[-1])
    ax.set_ylim(figure.y[0], figure.y[-1])
    return _end(ax, figure.x_label, figure.y_label)


def tree_axes(figure: TreeFigure, ax: Axes | None = None) -> Axes:
    """The cards of a tree, joined by lines as wide as the weight of their rows."""
    ax = _begin(figure.title, ax)
    ax.set_axis_off()
    if not figure.nodes:
        return ax
    parent = [node.parent for node in figure.nodes]
    across, down = tidy(parent, [1.0] * len(parent), gap=0.2), -levels(parent).astype(float)
    total = float(figure.nodes[0].counts.sum())
    for at, node in enumerate(figure.nodes):
        if at:
            wide = 1.0 + (7.0 * float(node.counts.sum()) / total if total > 0 else 0.0)
            ends = [at, node.parent]
            ax.plot(across[ends], down[ends], color=_colour(node.winner), linewidth=wide, alpha=0.5, zorder=1)
            middle = (across[ends].mean(), down[ends].mean())
            ax.annotate(_plain(node.branch), middle, ha="center", va="center", fontsize=8)
        more = f" (+{node.hidden})" if node.hidden else ""
        said = _plain(node.question) or f"{_plain(figure.classes[node.winner])}{more}"
        frame = "0.4" if node.question else _colour(node.winner)
        box = {
            "boxstyle": "round",
            "facecolor": "white",
            "edgecolor": frame,
            "linewidth": 1.0 + 2 * node.passed,
        }
        words = f"{said}\n{number(float(node.counts.sum()))}"
        ax.annotate(words, (across[at], down[at]), ha="center", va="center", fontsize=9, bbox=box)
    ax.set_xlim(-0.2, float(across.max()) + 0.7)
    ax.set_ylim(float(down.min()) - 0.4, 0.4)
    return ax


def _begin(title: str, ax: Axes | None) -> Axes:
    """The axes to draw in, with the title on them."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise MissingExtra(
                "drawing with matplotlib needs matplotlib, which is not installed; "
                "install it with: pip install 'acumen[plot]', or take the SVG drawings, which need nothing"
            ) from None
        _, ax = pyplot.subplots()
    ax.set_title(_plain(title))
    return ax


def _end(ax: Axes, x_label: str, y_label: str, *, unit: bool = False) -> Axes:
    """Labels, and a legend where something has a name."""
    ax.set_xlabel(_plain(x_label))
    ax.set_ylabel(_plain(y_label))
    if unit:
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(0.0, 1.02)
    if ax.get_legend_handles_labels()[0]:
        ax.legend()
    return ax


def _curves(ax: Axes, curves: Sequence[Curve], figure: str) -> None:
    for place, curve in enumerate(curves):
        area = "" if curve.area is None else f" ({figure} {number(curve.area)})"
        ax.plot(*curve.points(), label=_plain(curve.name) + area, **_line(place))


def _line(place: int) -> dict[str, Any]:
    return {"color": _colour(place), "linestyle": _STYLES[place % len(_STYLES)]}


def _colour(place: int) -> str:
    return palette.SERIES[place % len(palette.SERIES)]


def _plain(said: str) -> str:
    """A name that matplotlib takes as it is: dollars begin no formula, an underscore hides no entry."""
    shown = printable(said).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown
