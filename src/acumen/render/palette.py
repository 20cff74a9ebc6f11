"""Colours that stay apart for every kind of colour vision, on light ground and on dark.

SERIES, SERIES_DARK   a colour for each class or curve, on light and on dark ground
stroke, fill          the attributes that paint an element in one of them
dash, marker          a second sign beside the colour, so that colour is never the only one
STYLE                 the style sheet that every drawing carries

The light colours are written on the elements themselves, so that a reader without style sheets shows them;
the dark ones replace them where the reader's screen is dark. Text and axes are in `currentColor`: on a page
they take the page's ink, whatever that is; a drawing that stands alone brings its own.
"""

from __future__ import annotations

from typing import Final

from acumen.data.escape import printable

#: Hues after Okabe and Ito, moved until each has a contrast of 3 : 1 with white and every two are told apart by
#: those who lack one kind of cone (a distance of 10 in CIELAB; of 15 among the first five).
SERIES: Final = ("#1c69ad", "#d35b00", "#00916a", "#b0528f", "#bb8345", "#3f3c9e", "#5a646b", "#7a3e12")
#: The same hues, lightened for dark ground.
SERIES_DARK: Final = ("#53a5d8", "#ea8240", "#33d1a0", "#f1bced", "#f2c14e", "#a9a9ff", "#b8c0c9", "#cf9068")

INK: Final = "#1f2328"
PAPER: Final = "#ffffff"
INK_DARK: Final = "#e6e9ee"
PAPER_DARK: Final = "#15181d"

_DASHES: Final = (None, "7 4", "2 3", "9 3 2 3", "5 2", "1 4", "12 4", "9 3 2 3 2 3")
_MARKERS: Final = ("circle", "square", "triangle", "diamond", "cross", "down", "plus", "ring")


def _style() -> str:
    dark = "".join(f".acumen .s{i}{{stroke:{c}}}.acumen .f{i}{{fill:{c}}}" for i, c in enumerate(SERIES_DARK))
    return (
        f".acumen:root{{color:{INK};color-scheme:light dark}}"
        "@media screen and (prefers-color-scheme:dark){"
        f".acumen:root{{color:{INK_DARK};background:{PAPER_DARK}}}{dark}}}"
    )


STYLE: Final = _style()


def stroke(place: int) -> dict[str, object]:
    """Attributes for a line in the colour of a class or curve."""
    i = place % len(SERIES)
    return {"class_": f"s{i}", "stroke": SERIES[i]}


def fill(place: int) -> dict[str, object]:
    """Attributes for an area in the colour of a class or curve."""
    i = place % len(SERIES)
    return {"class_": f"f{i}", "fill": SERIES[i]}


def both(place: int) -> dict[str, object]:
    """Attributes for an area and its outline."""
    i = place % len(SERIES)
    return {"class_": f"s{i} f{i}", "stroke": SERIES[i], "fill": SERIES[i]}


def dash(place: int) -> str | None:
    """The dashes of a curve; a second round of colours has other dashes than the first."""
    return _DASHES[(place + place // len(SERIES)) % len(_DASHES)]


def marker(place: int) -> str:
    """The shape of a class's points; a second round of colours has other shapes than the first."""
    return _MARKERS[(place + place // len(SERIES)) % len(_MARKERS)]


def rgb(colour: str) -> tuple[int, int, int]:
    """The three parts of `#rrggbb`."""
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"a colour is written #rrggbb; got {printable(colour)}")
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
