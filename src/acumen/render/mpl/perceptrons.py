"""The figure of a chain of perceptrons as matplotlib axes."""

from __future__ import annotations

from acumen.render.mpl.ink import Axes, begin, colour_of, end, plain
from acumen.render.perceptrons_plot import PerceptronsFigure


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
