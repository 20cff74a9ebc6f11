"""The interval plot and the critical-difference diagram."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import DataError
from acumen.render.cd_diagram import CdFigure, alike, cd_svg
from acumen.render.interval_plot import IntervalFigure, IntervalRow, interval_svg
from figure_cases import SVG, circles, parsed, place_of, texts

ROWS = [
    IntervalRow("full", 0.2, 0.1, 0.3, "better"),
    IntervalRow("naive", 0.4, 0.3, 0.6, "no significant difference"),
    IntervalRow("base", 0.5, 0.5, 0.5, "baseline"),
    IntervalRow("odd", 0.9, 0.8, 1.0, "worse"),
    IntervalRow("bare", 0.6),
]


def test_means_lie_in_line_and_rows_below_each_other():
    root = parsed(interval_svg(IntervalFigure(ROWS)))
    points = circles(root)
    assert np.all(np.diff(points[:, 1]) > 0)
    step = (points[3, 0] - points[0, 0]) / 0.7
    assert points[:, 0] == pytest.approx(
        points[0, 0] + step * (np.array([0.2, 0.4, 0.5, 0.9, 0.6]) - 0.2), abs=0.03
    )
    assert place_of(root, "naive")[1] == pytest.approx(points[1, 1] + 4.5)
    caps = [float(e.get("x1")) for e in root.iter(f"{SVG}line") if e.get("class") == "s0"]
    assert min(caps) == pytest.approx(points[0, 0] - 0.1 * step, abs=0.03)
    assert max(caps) == pytest.approx(points[0, 0] + 0.1 * step, abs=0.03)


def test_figures_have_the_decimals_of_their_interval():
    said = [t for t, _, _ in texts(parsed(interval_svg(IntervalFigure(ROWS))))]
    assert "0.20 ± 0.10" in said and "0.40 ± 0.15" in said and "0.5" in said and "0.6" in said


def test_only_verdicts_that_occur_are_in_the_legend():
    said = [t for t, _, _ in texts(parsed(interval_svg(IntervalFigure(ROWS[:1]))))]
    assert "better than the baseline" in said and "baseline" not in said


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9, 1e200])
def test_any_magnitude_is_drawn(scale):
    rows = [IntervalRow("a", scale, 0.9 * scale, 1.2 * scale), IntervalRow("b", -scale)]
    assert len(circles(parsed(interval_svg(IntervalFigure(rows))))) == 2


def test_an_unknown_verdict_is_refused():
    with pytest.raises(DataError, match="verdict must be one of"):
        IntervalRow("a", 0.5, verdict="superb")


@given(st.lists(st.integers(10, 90), min_size=2, max_size=12), st.integers(0, 40))
def test_groups_are_all_the_widest_runs_that_cannot_be_told_apart(tenths, difference):
    ranks = np.sort(np.array(tenths, dtype=float))
    runs = [(i, j) for i, j in combinations(range(len(ranks)), 2) if ranks[j] - ranks[i] < difference]
    widest = [r for r in runs if not any(s != r and s[0] <= r[0] and r[1] <= s[1] for s in runs)]
    assert alike(ranks, float(difference)) == sorted(widest)


def test_the_ruler_is_as_long_as_the_critical_difference():
    root = parsed(cd_svg(CdFigure(["a", "b", "c"], [1.0, 2.0, 4.0], 1.5)))
    one, two = place_of(root, "1")[0], place_of(root, "2")[0]
    ruler = next(e for e in root.iter(f"{SVG}line") if e.get("class") == "s1")
    long = float(ruler.get("x2")) - float(ruler.get("x1"))
    assert long / (two - one) == pytest.approx(1.5, abs=1e-2)
    bars = [e for e in root.iter(f"{SVG}line") if e.get("class") == "s0"]
    assert len(bars) == 1
    # The bar reaches a little over the two ranks that it joins.
    assert float(bars[0].get("x1")) == pytest.approx(one - 5, abs=0.02)
    assert float(bars[0].get("x2")) == pytest.approx(two + 5, abs=0.02)


def test_every_name_stands_by_its_rank():
    names, ranks = ["a", "b", "c", "d", "e"], [3.25, 1.5, 4.75, 2.125, 3.5]
    root = parsed(cd_svg(CdFigure(names, ranks, 0.0)))
    for name, rank in zip(names, ranks, strict=True):
        assert place_of(root, name)[1] == place_of(root, f"{rank:.2f}")[1]
    assert "All differences are significant." in [t for t, _, _ in texts(root)]


@pytest.mark.parametrize("difference", [-1.0, np.nan])
def test_a_critical_difference_is_at_least_nothing(difference):
    with pytest.raises(DataError, match="critical_difference must be a number of at least 0"):
        CdFigure(["a", "b"], [1, 2], difference)
