"""Trees of nodes and of groups, networks and, below, rules, items and version spaces, as matplotlib axes."""

from __future__ import annotations

import math

import numpy as np

from acumen.render.dendrogram import DendrogramFigure, cut_height, lay_out
from acumen.render.ladder import LadderFigure
from acumen.render.lattice_plot import LatticeFigure
from acumen.render.mpl.ink import Axes, begin, colour_of, end, plain
from acumen.render.network_plot import NetworkFigure, layer_nodes, order_on_circle
from acumen.render.rule_plot import ItemGraph, RulesFigure
from acumen.render.svg import finite
from acumen.render.text import number
from acumen.render.tree import TreeFigure, levels, tidy


def tree_axes(figure: TreeFigure, ax: Axes | None = None) -> Axes:
    """The cards of a tree, joined by lines as wide as the weight of their rows."""
    ax = begin(figure.title, ax)
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
            ax.plot(
                across[ends], down[ends], color=colour_of(node.winner), linewidth=wide, alpha=0.5, zorder=1
            )
            middle = (across[ends].mean(), down[ends].mean())
            ax.annotate(plain(node.branch), middle, ha="center", va="center", fontsize=8)
        more = f" (+{node.hidden})" if node.hidden else ""
        text = plain(node.question) or f"{plain(figure.classes[node.winner])}{more}"
        frame = "0.4" if node.question else colour_of(node.winner)
        box = {
            "boxstyle": "round",
            "facecolor": "white",
            "edgecolor": frame,
            "linewidth": 1.0 + 2 * node.passed,
        }
        words = f"{text}\n{number(float(node.counts.sum()))}"
        ax.annotate(words, (across[at], down[at]), ha="center", va="center", fontsize=9, bbox=box)
    ax.set_xlim(-0.2, float(across.max()) + 0.7)
    ax.set_ylim(float(down.min()) - 0.4, 0.4)
    return ax


def dendrogram_axes(figure: DendrogramFigure, ax: Axes | None = None) -> Axes:
    """The joins as brackets over their leaves, in the colour of their group up to the cut."""
    ax = begin(figure.title, ax)
    if not len(figure.heights):
        return end(ax, "", "height")
    plan = lay_out(figure)
    for x, y, group in zip(plan.x, plan.y, plan.group.tolist(), strict=True):
        colour = "0.4" if group < 0 else colour_of(group)
        ax.plot([x[0], x[0], x[1], x[1]], [y[0], y[2], y[2], y[1]], color=colour, linewidth=1.4)
    level = cut_height(figure)
    if level is not None:
        ax.axhline(level, color="0.5", linestyle=":", linewidth=1)
    ax.set_xticks(range(len(plan.leaves)), [plain(leaf) for leaf in plan.leaves], rotation=90)
    ax.set_ylim(bottom=0.0)
    return end(ax, "", "height")


def network_axes(figure: NetworkFigure, ax: Axes | None = None) -> Axes:
    """Attributes in layers, causes above; the thicker an arrow, the more it tells. Undirected ones on a circle."""
    ax = begin(figure.title, ax)
    at: dict[int, tuple[float, float]] = {}
    if figure.directed:
        for depth, layer in enumerate(layer_nodes(figure)[0]):
            at |= {v: ((i + 0.5) / len(layer), -float(depth)) for i, v in enumerate(layer)}
    else:
        order = order_on_circle(figure)
        for i, v in enumerate(order):
            angle = 2 * math.pi * i / len(order) - math.pi / 2
            at[v] = (math.cos(angle), -math.sin(angle))
    for (u, v), share in zip(figure.edges, figure.shares, strict=True):
        arrow = {
            "arrowstyle": "-|>" if figure.directed else "-",
            "color": colour_of(0),
            "alpha": 0.35 + 0.5 * share,
            "linewidth": 0.8 + 3.2 * share,
            "shrinkA": 12,
            "shrinkB": 12,
        }
        ax.annotate("", at[v], at[u], arrowprops=arrow)
    for v, (x, y) in at.items():
        face = colour_of(1) if v == figure.marked else colour_of(0)
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": face}
        ax.text(x, y, plain(figure.names[v]), ha="center", va="center", bbox=box)
    ax.margins(0.15)
    xs, ys = [x for x, _ in at.values()] or [0.0], [y for _, y in at.values()] or [0.0]
    ax.set_xlim(min(xs) - 0.3, max(xs) + 0.3)
    ax.set_ylim(min(ys) - 0.5, max(ys) + 0.5)
    ax.set_axis_off()
    return end(ax, "", "")


# -- rules, items and version spaces --------------------------------------------------------------
#
# Rules, items and version spaces as matplotlib axes.


def rules_axes(figure: RulesFigure, ax: Axes | None = None) -> Axes:
    """A point for each rule: support across, confidence up, the fuller the farther its lift is from 1."""
    ax = begin(figure.title, ax)
    known = finite(figure.support, figure.confidence, figure.lift)
    x, y, lift = (column[known] for column in (figure.support, figure.confidence, figure.lift))
    far = np.abs(np.log(np.maximum(lift, 1e-12)))
    strength = 0.25 + 0.7 * far / max(float(far.max(initial=0.0)), 1e-12)
    for place, (name, here) in enumerate({"lift above 1": lift >= 1, "lift below 1": lift < 1}.items()):
        if here.any():
            ax.scatter(x[here], y[here], s=16, color=colour_of(place), alpha=strength[here], label=name)
    return end(ax, "support", "confidence")


def ladder_axes(figure: LadderFigure, ax: Axes | None = None) -> Axes:
    """A bar for each rule, the first at the top, of the classes of the rows that come to it."""
    ax = begin(figure.title, ax)
    rungs = figure.rungs
    counts = np.array([rung.counts for rung in rungs]).reshape(len(rungs), len(figure.classes))
    starts = np.zeros(len(rungs))
    for code, name in enumerate(figure.classes):
        ax.barh(range(len(rungs)), counts[:, code], left=starts, color=colour_of(code), label=plain(name))
        starts += counts[:, code]
    labels = [f"{rung.body or 'otherwise'} → {figure.classes[rung.winner]}" for rung in rungs]
    ax.set_yticks(range(len(rungs)), [plain(text[:60]) for text in labels])
    ax.invert_yaxis()
    return end(ax, "rows", "")


def items_axes(figure: ItemGraph, ax: Axes | None = None) -> Axes:
    """Items on a circle, and an arrow from each item of a body to each item of a rule's head."""
    ax = begin(figure.title, ax)
    links = figure.strongest()
    names = list(dict.fromkeys(name for link in links for name in link))
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / max(len(names), 1)
    at = {name: (math.cos(angle), math.sin(angle)) for name, angle in zip(names, angles, strict=True)}
    top = max(links.values(), default=1.0)
    for (body, head), weight in sorted(links.items(), key=lambda pair: pair[1]):
        share = weight / top if top > 0 else 1.0
        arrow = {
            "arrowstyle": "-|>",
            "color": colour_of(0),
            "alpha": 0.25 + 0.6 * share,
            "linewidth": 0.6 + 1.8 * share,
        }
        ax.annotate("", at[head], at[body], arrowprops=arrow)
    for name, (x, y) in at.items():
        side = "left" if x > 0.2 else "right" if x < -0.2 else "center"
        ax.plot(x, y, "o", color=colour_of(0), markersize=5)
        ax.text(1.08 * x, 1.08 * y, plain(name), ha=side, va="center")
    ax.set_aspect("equal")
    ax.set_xlim(-1.6, 1.6)
    ax.set_ylim(-1.3, 1.3)
    ax.set_axis_off()
    return end(ax, "", "")


def lattice_axes(figure: LatticeFigure, ax: Axes | None = None) -> Axes:
    """Hypotheses level by level, the more general above, and a line where one is next to the other."""
    ax = begin(figure.title, ax)
    at = {
        each: ((i + 1) / (len(level) + 1), height)
        for height, level in enumerate(figure.levels())
        for i, each in enumerate(level)
    }
    for each, node in enumerate(figure.nodes):
        for other in node.above:
            (x1, y1), (x2, y2) = at[each], at[other]
            ax.plot([x1, x2], [y1, y2], color=colour_of(6), alpha=0.5, linewidth=1, zorder=1)
    for each, node in enumerate(figure.nodes):
        edge = colour_of(0 if node.specific else 1 if node.general else 6)
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": edge}
        ax.text(*at[each], plain(node.text[:60]), ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    if not figure.nodes:
        ax.text(0.5, 0.5, plain(figure.why), ha="center", va="center", wrap=True)
    ax.set_xlim(0, 1)
    ax.set_ylim(-0.5, max((node.level for node in figure.nodes), default=0) + 0.5)
    ax.set_axis_off()
    return end(ax, "", "")
