"""Trees of nodes and of groups, and networks, as matplotlib axes."""

from __future__ import annotations

import math

from acumen.render.dendrogram import DendrogramFigure, cut_height, lay_out
from acumen.render.mpl.ink import Axes, begin, colour_of, end, plain
from acumen.render.network_plot import NetworkFigure, layer_nodes, order_on_circle
from acumen.render.text import number
from acumen.render.tidy import levels, tidy
from acumen.render.tree import TreeFigure


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
