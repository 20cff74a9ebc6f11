"""Figures of groups as matplotlib axes."""

from __future__ import annotations

import numpy as np

from acumen.render.groups_plot import GroupsFigure
from acumen.render.measures_plot import MeasuresFigure
from acumen.render.mpl.ink import SHAPES, Axes, begin, colour_of, end, plain, style_of
from acumen.render.profile_plot import FAR, ProfileFigure
from acumen.render.silhouette_plot import SilhouetteFigure


def groups_axes(figure: GroupsFigure, ax: Axes | None = None) -> Axes:
    """Rows in the colour and shape of their group, small crosses in none, middles in rings."""
    ax = begin(figure.title, ax)
    rows = figure.shown_rows()
    labels = figure.labels[rows]
    outside = figure.points[rows[labels < 0]]
    if len(outside):
        ax.scatter(
            outside[:, 0], outside[:, 1], s=14, color="0.6", marker="x", linewidths=0.8, label="in no cluster"
        )
    for g, name in enumerate(figure.groups):
        here = figure.points[rows[labels == g]]
        ax.scatter(
            here[:, 0],
            here[:, 1],
            s=14,
            color=colour_of(g),
            marker=SHAPES[g % 8],
            alpha=0.7,
            label=plain(name),
        )
    known = np.isfinite(figure.middles).all(axis=1)
    if known.any():
        middles = figure.middles[known]
        ax.scatter(
            middles[:, 0], middles[:, 1], s=90, facecolors="none", edgecolors="0.1", linewidths=1.4,
            label=plain(figure.middle),
        )  # fmt: skip
    return end(ax, figure.x_label, figure.y_label)


def silhouette_axes(figure: SilhouetteFigure, ax: Axes | None = None) -> Axes:
    """A block of bars for each group, its name at its middle, and the mean of all as a line."""
    ax = begin(figure.title, ax)
    at, ticks, labels = 0.0, [], []
    gap = max(1.0, 0.02 * len(figure.values))
    for g, values in figure.bars():
        ax.barh(at + np.arange(len(values)) + 0.5, values, height=1.0, color=colour_of(g), linewidth=0)
        ticks.append(at + len(values) / 2)
        labels.append(f"{plain(figure.groups[g])} ({values.mean():.2f})")
        at += len(values) + gap
    if ticks:
        ax.axvline(figure.mean, color="0.3", linestyle=":", linewidth=1.2, label=f"mean {figure.mean:.2f}")
        ax.set_yticks(ticks, labels)
        ax.invert_yaxis()
    return end(ax, "silhouette", "")


def measures_axes(figure: MeasuresFigure, ax: Axes | None = None) -> Axes:
    """All measures in one panel, each from 0, its worst, to 1, its best; what each is for in a ring."""
    ax = begin(figure.title, ax)
    for place, each in enumerate(figure.measures):
        known = np.isfinite(each.values)
        if not known.any():
            continue
        low, high = float(each.values[known].min()), float(each.values[known].max())
        share = (each.values - low) / (high - low) if high > low else np.full(len(each.values), 0.5)
        share = 1.0 - share if each.better == "least" and high > low else share
        ax.plot(figure.x, share, marker=SHAPES[place % 8], label=plain(each.name), **style_of(place))
        if each.chosen is not None:
            ax.scatter(
                [figure.x[each.chosen]],
                [share[each.chosen]],
                s=130,
                facecolors="none",
                edgecolors=colour_of(place),
            )
    return end(ax, figure.x_label, "from worst to best")


def profile_axes(figure: ProfileFigure, ax: Axes | None = None) -> Axes:
    """Attributes from top to bottom, a line for each group."""
    ax = begin(figure.title, ax)
    places = figure.shown_rows()
    rows = np.arange(len(places))
    ax.axvline(0.0, color="0.6", linestyle=":", linewidth=1)
    for g, name in enumerate(figure.groups):
        ax.plot(
            np.clip(figure.effects[g, places], -FAR, FAR),
            rows,
            marker=SHAPES[g % 8],
            label=plain(name),
            **style_of(g),
        )
    ax.set_yticks(rows, [plain(figure.attributes[j]) for j in places])
    if len(places):
        ax.invert_yaxis()
    return end(ax, figure.x_label, "")
