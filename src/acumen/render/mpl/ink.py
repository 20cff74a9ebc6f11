"""What every drawing with matplotlib begins and ends with."""

from __future__ import annotations

from typing import Any, TypeAlias

from acumen.data.escape import printable
from acumen.errors import MissingExtra
from acumen.render import palette

#: `matplotlib.axes.Axes`, which is not imported for its name alone.
Axes: TypeAlias = Any

STYLES = ("-", "--", ":", "-.")
SHAPES = ("o", "s", "^", "D", "X", "v", "P", "o")


def begin(title: str, ax: Axes | None) -> Axes:
    """The axes to draw in, with the title on them."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise MissingExtra(
                "drawing with matplotlib needs matplotlib, which is not installed; "
                "install it with: pip install 'acumen-learn[plot]', or take the SVG drawings, which need nothing"
            ) from None
        _, ax = pyplot.subplots()
    ax.set_title(plain(title))
    return ax


def end(ax: Axes, x_label: str, y_label: str, *, unit: bool = False) -> Axes:
    """Labels, and a legend where something has a name."""
    ax.set_xlabel(plain(x_label))
    ax.set_ylabel(plain(y_label))
    if unit:
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(0.0, 1.02)
    if ax.get_legend_handles_labels()[0]:
        ax.legend()
    return ax


def style_of(place: int) -> dict[str, Any]:
    return {"color": colour_of(place), "linestyle": STYLES[place % len(STYLES)]}


def colour_of(place: int) -> str:
    return palette.SERIES[place % len(palette.SERIES)]


def plain(said: str) -> str:
    """A name that matplotlib takes as it is: dollars begin no formula, an underscore hides no entry."""
    shown = printable(said).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown
