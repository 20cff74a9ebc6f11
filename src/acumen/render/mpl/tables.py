"""What a table holds, as matplotlib axes."""

from __future__ import annotations

import math

import numpy as np

from acumen.render.bars_plot import BarsFigure
from acumen.render.class_histogram import HistogramFigure, LevelsFigure
from acumen.render.heat_maps import AssociationFigure, LoadingsFigure, MissingFigure
from acumen.render.mpl.ink import Axes, begin, colour_of, end, plain


def histogram_axes(figure: HistogramFigure, ax: Axes | None = None) -> Axes:
    """A numeric attribute's values in bars stacked by class."""
    ax = begin(figure.title, ax)
    foot = np.zeros(figure.counts.shape[1])
    wide = np.diff(figure.edges)
    wide = np.where(wide > 0, wide, 1.0)  # a constant's one bar
    for place, (name, counts) in enumerate(zip(figure.groups, figure.counts, strict=True)):
        ax.bar(figure.edges[:-1], counts, wide, foot, align="edge", color=colour_of(place), label=plain(name))
        foot = foot + counts
    return end(ax, "", "rows")


def levels_axes(figure: LevelsFigure, ax: Axes | None = None) -> Axes:
    """A nominal attribute's levels as lines stacked by class, the first at the top."""
    ax = begin(figure.title, ax)
    places = np.arange(len(figure.levels))
    foot = np.zeros(len(places))
    for place, (name, counts) in enumerate(zip(figure.groups, figure.counts, strict=True)):
        ax.barh(places, counts, 0.8, foot, color=colour_of(place), label=plain(name))
        foot = foot + counts
    ax.set_yticks(places, [plain(level) for level in figure.levels])
    ax.set_ylim(max(len(places), 1) - 0.5, -0.5)
    return end(ax, "rows", "")


def missing_axes(figure: MissingFigure, ax: Axes | None = None) -> Axes:
    """What share of each stretch of rows is missing, a line for each attribute."""
    ax = begin(figure.title, ax)
    k = len(figure.attributes)
    if figure.shares.size:
        ends = (0.5, figure.rows + 0.5, k - 0.5, -0.5)
        ax.imshow(
            figure.shares, cmap="Oranges", vmin=0, vmax=1, aspect="auto", interpolation="none", extent=ends
        )
        ax.set_yticks(range(k), [plain(name) for name in figure.attributes])
    return end(ax, "row", "")


def association_axes(figure: AssociationFigure, ax: Axes | None = None) -> Axes:
    """How strongly every two attributes hang together, below the diagonal."""
    ax = begin(figure.title, ax)
    k = len(figure.attributes)
    if k:
        names = [plain(name) for name in figure.attributes]
        hidden = np.triu(np.ones((k, k), dtype=np.bool_)) | np.isnan(figure.values)
        ax.imshow(np.ma.masked_array(figure.values, hidden), cmap="RdBu", vmin=-1, vmax=1)
        ax.set_xticks(range(k), names, rotation=45 if k > 4 else 0)
        ax.set_yticks(range(k), names)
    return end(ax, "", "")


def loadings_axes(figure: LoadingsFigure, ax: Axes | None = None) -> Axes:
    """A shade for each attribute and component, by the sign and size of its loading."""
    ax = begin(figure.title, ax)
    if len(figure.attributes) and len(figure.components):
        ax.imshow(figure.values, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
        ax.set_xticks(range(len(figure.components)), [plain(name) for name in figure.components])
        ax.set_yticks(range(len(figure.attributes)), [plain(name) for name in figure.attributes])
    return end(ax, "", "")


def bars_axes(figure: BarsFigure, ax: Axes | None = None) -> Axes:
    """A bar for each name, the first at the top; faint where chance would give as much."""
    ax = begin(figure.title, ax)
    bars = [bar for bar in figure.bars if math.isfinite(bar.value)]
    for place, bar_values, sure in ((0, figure.sure, True), (6, figure.unsure, False)):
        at = [i for i, bar in enumerate(bars) if bar.sure is sure]
        if at:
            values = [bars[i].value for i in at]
            ax.barh(
                at,
                values,
                color=colour_of(place),
                alpha=0.9 if sure else 0.4,
                label=plain(bar_values) or None,
            )
    marked = [i for i, bar in enumerate(bars) if math.isfinite(bar.mark)]
    if marked:
        marks = [bars[i].mark for i in marked]
        ax.scatter(marks, marked, marker="|", s=120, color=colour_of(1), label=plain(figure.mark) or None)
    ax.set_yticks(range(len(bars)), [plain(bar.name) for bar in bars])
    ax.invert_yaxis()
    return end(ax, figure.measure, "")
