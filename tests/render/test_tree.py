"""Trees as drawings: tidy, to scale, and readable whatever is in them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import DataError
from acumen.render.svg import measure
from acumen.render.tree import SplitHistogram, TreeFigure, TreeNode, levels, tidy, tree_svg
from acumen.render.tree_cards import wrap_text
from figure_cases import SVG, lines_of, parsed, place_of, rects, texts


@st.composite
def shapes(draw):
    n = draw(st.integers(1, 40))
    parent = [-1]
    for node in range(1, n):
        parent.append(draw(st.integers(max(0, parent[-1]), node - 1)))  # in breadth-first order
    return parent, [draw(st.sampled_from([1.0, 2.0, 5.5, 20.0])) for _ in range(n)]


@given(shapes())
def test_cards_never_overlap_and_parents_stand_in_the_middle(shape):
    parent, width = shape
    x, level = tidy(parent, width, gap=1.0), levels(parent)
    assert min(x - np.array(width) / 2) == pytest.approx(0.0)
    for depth in range(int(level.max()) + 1):
        at = np.flatnonzero(level == depth)
        for a, b in pairwise(at):  # siblings and cousins in their order
            assert x[b] - x[a] >= (width[a] + width[b]) / 2 + 1.0 - 1e-9
    for node in range(len(parent)):
        below = [i for i in range(len(parent)) if parent[i] == node]
        if below:
            assert x[node] == pytest.approx((x[below[0]] + x[below[-1]]) / 2)


def test_a_tree_and_its_mirror_image_are_drawn_alike():
    parent, width = [-1, 0, 0, 0, 1, 1, 1, 3], [2.0, 1, 1, 1, 3, 1, 1, 1]
    mirrored, other = [-1, 0, 0, 0, 1, 3, 3, 3], [2.0, 1, 1, 1, 1, 1, 1, 3]
    x, y = tidy(parent, width), tidy(mirrored, other)
    end = max(x + np.array(width) / 2)
    assert sorted(end - x) == pytest.approx(sorted(y))


def test_a_small_subtree_between_large_ones_stands_midway():
    parent = [-1, 0, 0, 0, 1, 1, 1, 3, 3, 3]
    x = tidy(parent, [1.0] * 10, gap=1.0)
    assert x[2] == pytest.approx((x[1] + x[3]) / 2)


def small(**more):
    return TreeFigure(
        [
            TreeNode(-1, [30, 10], 0, "size", passed=more.pop("passed", 0)),
            TreeNode(0, [30, 0], 0, "", "≤ 5"),
            TreeNode(0, [0, 10], 1, "", "> 5", **more),
        ],
        ["no", "yes"],
    )


def test_class_bars_are_to_scale():
    root = parsed(tree_svg(small()))
    bars = [r for r in rects(root) if r[3] == 7.0]
    whole = bars[0][2]
    assert bars[1][2] / whole == pytest.approx(0.75, abs=0.01)
    assert bars[2][2] / whole == pytest.approx(0.25, abs=0.01)
    assert bars[1][0] + bars[1][2] == pytest.approx(bars[2][0], abs=0.02)


def test_ribbons_are_as_wide_as_their_rows():
    root = parsed(tree_svg(small()))
    wide = {}
    for path in root.iter(f"{SVG}path"):
        if path.get("class") in ("f0", "f1"):
            points = np.array([p.split(" ") for p in path.get("d")[1:-1].split("L")], dtype=float)
            wide[path.get("class")] = abs(points[0, 0] - points[-1, 0])
    assert wide["f0"] / wide["f1"] == pytest.approx(3.0, abs=0.05)


def test_branches_stand_above_their_cards():
    root = parsed(tree_svg(small()))
    for label, title in (("≤ 5", "30 · 100 %"), ("> 5", "10 · 100 %")):
        (x, y), (a, b) = place_of(root, label), place_of(root, title)
        assert x == a and y < b


def test_a_card_says_what_lies_below_it():
    said = [t for t, _, _ in texts(parsed(tree_svg(small(hidden=12))))]
    assert "10 · +12 leaves" in said and "30 · 100 %" in said


def test_the_way_of_a_row_is_heavy():
    plain, shown = (tree_svg(small(**more)) for more in ({}, {"passed": 1.0}))
    assert plain.count('stroke-width="3"') == 0 < shown.count('stroke-width="3"')


def test_a_histogram_marks_its_cuts():
    histogram = SplitHistogram(0.0, 10.0, np.ones((10, 2)), [5.0])
    figure = TreeFigure([TreeNode(-1, [5, 5], 0, "size", histogram=histogram)], ["a", "b"])
    root = parsed(tree_svg(figure))
    (low, _), (high, _) = place_of(root, "0"), place_of(root, "10")
    cuts = [line for line in root.iter(f"{SVG}line") if line.get("stroke-width") == "1.6"]
    assert [float(c.get("x1")) for c in cuts] == [pytest.approx((low + high) / 2, abs=0.1)]
    assert len([r for r in root.iter(f"{SVG}rect") if r.get("fill-opacity") == "0.85"]) == 20


def test_long_names_are_broken_then_cut():
    lines = wrap_text("a_rather_long_name_of_an_attribute_that_nobody_can_read", 120, 13, bold=True)
    assert len(lines) == 2 and lines[0] == "a_rather_long_" and lines[1].endswith("…")
    assert all(measure(line, 13, bold=True) <= 120 for line in lines)
    assert wrap_text("short", 120, 13) == ("short",) and wrap_text("", 120, 13) == ()
    assert len(wrap_text("x" * 100, 120, 13)) == 1


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        ([TreeNode(0, [1], 0)], "after its parent"),
        ([TreeNode(-1, [1], 0), TreeNode(1, [1], 0)], "after its parent"),
        ([TreeNode(-1, [1, 2], 0)], "1 classes"),
        ([TreeNode(-1, [1], 3)], "1 classes"),
    ],
)
def test_what_is_no_tree_is_refused(nodes, sentence):
    with pytest.raises(DataError, match=sentence):
        TreeFigure(nodes, ["a"])
    with pytest.raises(DataError, match="ascend"):
        SplitHistogram(1.0, math.inf, [[1]], [])


def test_a_node_without_rows_is_drawn():
    figure = TreeFigure([TreeNode(-1, [0, 0], 0, "x"), TreeNode(0, [0, 0], 1, "", "a")], ["a", "b"])
    assert "no rows" in [t for t, _, _ in texts(parsed(tree_svg(figure)))]
    assert lines_of(parsed(tree_svg(figure)), 0) == []
