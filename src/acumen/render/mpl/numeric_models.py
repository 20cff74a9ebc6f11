"""Rows, regions and margins in two dimensions, as matplotlib axes."""

from __future__ import annotations

from acumen.render.margin_plot import MarginFigure, chain_segments, level_lines
from acumen.render.mpl.ink import SHAPES, Axes, begin, colour_of, end, plain
from acumen.render.perceptrons_plot import PerceptronsFigure
from acumen.render.points_plot import PointsFigure
from acumen.render.regions import FINE, MOST_CLASSES, RegionsFigure, contour, raster, sample_rows

#: Support vectors whose multipliers are written.
_MOST_ALPHAS = 60


def points_axes(figure: PointsFigure, ax: Axes | None = None) -> Axes:
    """The points, and the line that a perfect model would put them on."""
    ax = begin(figure.title, ax)
    x, y = figure.shown_rows()
    ax.scatter(x, y, s=12, color=colour_of(0), alpha=0.55, label="rows")
    if figure.ideal == "equal" and len(x):
        ends = [min(x.min(), y.min()), max(x.max(), y.max())]
        ax.plot(ends, ends, color="0.6", linestyle=":", linewidth=1, label="perfect")
    elif figure.ideal == "zero":
        ax.axhline(0.0, color="0.6", linestyle=":", linewidth=1, label="perfect")
    return end(ax, figure.x_label, figure.y_label)


def regions_axes(figure: RegionsFigure, ax: Axes | None = None) -> Axes:
    """The regions as a picture, the rows as points, densities as their 1 % contours."""
    ax = begin(figure.title, ax)
    box = (figure.x[0], figure.x[-1], figure.y[0], figure.y[-1])
    if 0 < len(figure.classes) <= MOST_CLASSES:
        pixels, colours = raster(figure, FINE, FINE)
        ax.imshow(colours[pixels], extent=box, aspect="auto", interpolation="nearest", zorder=0)
    points, labels, count = sample_rows(figure)
    for place, name in enumerate(figure.classes):
        here = points[labels == place]
        ax.scatter(
            here[:, 0], here[:, 1], s=14, color=colour_of(place), marker=SHAPES[place % 8], label=plain(name)
        )
    for density in figure.densities:
        around = contour(density)
        if around is not None:
            ax.plot(*around, color=colour_of(density.place), linewidth=1.4)
    ax.set_xlim(box[0], box[1])
    ax.set_ylim(box[2], box[3])
    if count > len(points):
        ax.set_title(f"{plain(figure.title)} ({len(points):,} of {count:,} rows drawn)")
    return end(ax, figure.x_label, figure.y_label)


def margin_axes(figure: MarginFigure, ax: Axes | None = None) -> Axes:
    """The line of decision, its margins dashed, the rows, support vectors in rings."""
    ax = begin(figure.title, ax)
    for level in (-1.0, 0.0, 1.0):
        for way in chain_segments(level_lines(figure.x, figure.y, figure.decisions, level)):
            ax.plot(way[:, 0], way[:, 1], color="0.2", linestyle="-" if level == 0 else "--", linewidth=1.2)
    rows = figure.shown_rows()
    for place, name in enumerate(figure.classes):
        here = figure.points[rows[figure.labels[rows] == place]]
        ax.scatter(
            here[:, 0], here[:, 1], s=14, color=colour_of(place), marker=SHAPES[place], label=plain(name)
        )
    ringed = figure.points[rows[figure.support[rows]]]
    ax.scatter(ringed[:, 0], ringed[:, 1], s=70, facecolors="none", edgecolors="0.2", label="support vectors")
    if figure.alphas is not None:
        for row in rows[figure.support[rows]][:_MOST_ALPHAS].tolist():
            label, at = f"{figure.alphas[row]:.3g}", tuple(figure.points[row].tolist())
            ax.annotate(label, at, xytext=(5, -9), textcoords="offset points", fontsize=8)
    ax.set_xlim(figure.x[0], figure.x[-1])
    ax.set_ylim(figure.y[0], figure.y[-1])
    return end(ax, figure.x_label, figure.y_label)


def perceptrons_axes(figure: PerceptronsFigure, ax: Axes | None = None) -> Axes:
    """Units as circles in columns, inputs left; lines are as thick as their weight, dashed where it is below 0."""
    ax = begin(figure.title, ax)
    at = [
        [(float(layer), (size - 1) / 2 - i) for i in range(size)] for layer, size in enumerate(figure.sizes)
    ]
    top = figure.heaviest or 1.0
    for layer, i, j, weight in figure.lines():
        (x1, y1), (x2, y2) = at[layer][i], at[layer + 1][j]
        share = abs(weight) / top
        ax.plot(
            [x1, x2], [y1, y2], color=colour_of(0 if weight > 0 else 1), linestyle="-" if weight > 0 else "--",
            linewidth=0.5 + 2.5 * share, alpha=0.2 + 0.7 * share, zorder=1,
        )  # fmt: skip
    for units in at:
        for x, y in units:
            ax.plot(
                x,
                y,
                "o",
                color=colour_of(2 if units is at[0] or units is at[-1] else 5),
                markersize=10,
                zorder=2,
            )
    for (x, y), name in zip(at[0], figure.inputs, strict=True):
        ax.text(x - 0.08, y, plain(name), ha="right", va="center")
    for (x, y), name in zip(at[-1], figure.outputs, strict=True) if figure.weights else ():
        ax.text(x + 0.08, y, plain(name), ha="left", va="center")
    ax.set_xlim(-0.6, max(len(at) - 1, 1) + 0.6)
    ax.set_axis_off()
    return end(ax, "", "")
