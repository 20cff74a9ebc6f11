"""The SVG writer: what it escapes, clips, thins and measures."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.render.svg import Markup, clip_line, cut, decimal, document, measure, tag, thin_line, trace

places = st.integers(-200_000, 300_000).map(lambda thousandths: thousandths / 1000)
lines = st.lists(st.tuples(places, places), min_size=2, max_size=30)


@given(st.text(), st.text())
def test_any_text_comes_back_printable_and_without_markup(said, value):
    element = ET.fromstring(tag("text", said, x=value))
    assert [*element.iter()] == [element]
    assert (element.text or "").isprintable() and element.get("x").isprintable()
    if said.isprintable():
        assert (element.text or "") == said


def test_markup_is_not_escaped_again_and_none_is_left_out():
    assert (
        tag("g", tag("line", stroke_width=2, class_="a", x=None))
        == '<g><line stroke-width="2" class="a"/></g>'
    )


@pytest.mark.parametrize(
    ("value", "written"), [(1.0, "1"), (0.125, "0.12"), (-0.001, "0"), (-3.5, "-3.5"), (100.0, "100")]
)
def test_coordinates_are_short(value, written):
    assert decimal(value) == written


def test_a_coordinate_that_is_no_number_is_a_fault():
    with pytest.raises(ValueError, match="no place for the coordinate"):
        tag("circle", cx=float("nan"))


def test_a_path_is_lifted_where_a_value_is_missing():
    xs, ys = np.array([0.0, 1.0, np.nan, 3.0, 4.0]), np.array([0.0, 1.0, 2.0, np.inf, 4.5])
    assert trace(xs, ys) == "M0 0L1 1M4 4.5"


BOX = (0.0, 0.0, 100.0, 80.0)


@given(lines)
def test_clipped_lines_stay_inside_and_lose_nothing_that_was(points):
    xs, ys = np.array(points).T
    inside = clip_line(xs, ys, BOX)
    kept = np.isfinite(inside[0])
    assert np.all(inside[0][kept] >= -1e-6) and np.all(inside[0][kept] <= 100 + 1e-6)
    assert np.all(inside[1][kept] >= -1e-6) and np.all(inside[1][kept] <= 80 + 1e-6)
    assert length(*inside) == pytest.approx(length_inside(xs, ys), abs=0.02 * (1 + length(xs, ys)))


def length(xs, ys):
    return float(np.nansum(np.hypot(np.diff(xs), np.diff(ys))))


def length_inside(xs, ys, n=1000):
    """By brute force: each step cut into a thousand, those with their middle inside added up."""
    share = (np.arange(n) + 0.5) / n
    mx = xs[:-1, None] + np.diff(xs)[:, None] * share
    my = ys[:-1, None] + np.diff(ys)[:, None] * share
    here = (mx >= 0) & (mx <= 100) & (my >= 0) & (my <= 80)
    return float((here.mean(axis=1) * np.hypot(np.diff(xs), np.diff(ys))).sum())


def test_a_line_from_edge_to_edge_is_cut_at_both():
    xs, ys = clip_line(np.array([-50.0, 150.0]), np.array([40.0, 40.0]), BOX)
    assert xs.tolist() == [0, 100] and ys.tolist() == [40, 40]


@given(st.integers(2_001, 20_000), st.integers(0, 10))
def test_a_thinned_line_covers_the_same_pixels(n, seed):
    random = np.random.default_rng(seed)
    xs, ys = np.sort(random.random(n)) * 300, random.random(n) * 200
    few = thin_line(xs, ys)
    assert len(few[0]) <= 2_000 and not few[2]
    assert (few[0][0], few[1][0], few[0][-1], few[1][-1]) == (xs[0], ys[0], xs[-1], ys[-1])
    for column in range(300):
        whole, kept = ys[np.floor(xs) == column], few[1][np.floor(few[0]) == column]
        assert len(whole) == 0 or (whole.min(), whole.max()) == (kept.min(), kept.max())


def test_a_line_to_and_fro_is_coarser_and_says_so():
    random = np.random.default_rng(0)
    xs, ys, coarse = thin_line(random.random(50_000) * 300, random.random(50_000))
    assert coarse and len(xs) == len(ys) == 2_000


@given(st.text(max_size=60), st.floats(20, 200))
def test_a_cut_text_fits(said, room):
    short = cut(said, room)
    assert measure(short) <= room + 1e-9
    assert short.isprintable()


def test_wide_characters_take_more_room_than_narrow_ones():
    assert measure("iii") < measure("aaa") < measure("WWW") and measure("漢") == 13
    assert measure("e\u0301") == measure("e")


def test_the_document_stands_alone():
    root = ET.fromstring(document(10, 20, "t", "d", Markup("<g/>")))
    assert root.get("viewBox") == "0 0 10 20" and len(root) == 4
