"""Colours: apart for every kind of colour vision, visible on their ground, and never the only sign."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from acumen.render import confusion_plot, palette

# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
VISIONS = {
    "usual": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
GROUNDS = [
    (palette.SERIES, palette.PAPER, palette.INK),
    (palette.SERIES_DARK, palette.PAPER_DARK, palette.INK_DARK),
]


def linear(colour):
    c = np.asarray(palette.rgb(colour) if isinstance(colour, str) else colour) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    t = XYZ @ np.clip(rgb, 0, 1) / (XYZ @ np.ones(3))
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a, b):
    one, two = sorted((float(XYZ[1] @ linear(c)) for c in (a, b)), reverse=True)
    return (one + 0.05) / (two + 0.05)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("ground", [0, 1])
def test_colours_are_told_apart(vision, ground):
    seen = [lab(np.asarray(VISIONS[vision]) @ linear(c)) for c in GROUNDS[ground][0]]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen[:5], 2)) > 15
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 10


@pytest.mark.parametrize(("series", "paper", "ink"), GROUNDS)
def test_lines_and_ink_stand_off_their_ground(series, paper, ink):
    assert min(contrast(colour, paper) for colour in series) >= 3
    assert contrast(ink, paper) > 10


@pytest.mark.parametrize(("series", "paper", "ink"), GROUNDS)
@pytest.mark.parametrize("place", [0, 1])
def test_counts_are_read_on_the_deepest_shade(series, paper, ink, place):
    share = confusion_plot.DEEPEST
    shade = share * np.array(palette.rgb(series[place])) + (1 - share) * np.array(palette.rgb(paper))
    assert contrast(shade, ink) >= 4.5


def test_a_second_round_of_colours_has_other_dashes_and_shapes():
    n = len(palette.SERIES)
    assert len({(i % n, palette.dash(i)) for i in range(3 * n)}) == 3 * n
    assert len({(i % n, palette.marker(i)) for i in range(3 * n)}) == 3 * n


def test_dark_colours_replace_light_ones_by_class():
    for i, colour in enumerate(palette.SERIES_DARK):
        assert f".s{i}{{stroke:{colour}}}" in palette.STYLE and f".f{i}{{fill:{colour}}}" in palette.STYLE
    assert palette.stroke(9) == {"class_": "s1", "stroke": palette.SERIES[1]}
