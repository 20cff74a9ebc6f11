"""Lift and profit charts."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.render.lift_chart import LiftFigure, ProfitFigure, lift_svg, profit_svg
from figure_cases import circles, lines_of, parsed, rects, texts

HITS = np.array([210, 120, 60, 40, 22, 18, 12, 7, 6, 5])


def test_w002_12_bars_and_curve_are_the_shares_and_their_sums():
    root = parsed(lift_svg(LiftFigure(np.full(10, 1000), HITS)))
    curve = lines_of(root, 0)[0]
    bottom, top = curve[0, 1], curve[-1, 1]
    bars = rects(root)[:10]
    assert bars[:, 3] / (bottom - top) == pytest.approx(HITS / 500, abs=1e-3)
    assert (bottom - curve[1:, 1]) / (bottom - top) == pytest.approx(np.cumsum(HITS) / 500, abs=1e-3)
    assert bars[:, 1] + bars[:, 3] == pytest.approx(bottom)
    said = [t for t, _, _ in texts(root)]
    assert "4.2×" in said and "2.4×" in said


def test_bins_are_as_wide_as_their_rows():
    root = parsed(lift_svg(LiftFigure([300, 100], [30, 5])))
    curve = lines_of(root, 0)[0]
    assert (curve[1, 0] - curve[0, 0]) / (curve[2, 0] - curve[0, 0]) == pytest.approx(0.75, abs=1e-3)


def test_many_bins_are_joined_without_losing_a_row():
    hits = np.arange(1000)[::-1]
    root = parsed(lift_svg(LiftFigure(np.ones(1000), hits)))
    curve = lines_of(root, 0)[0]
    assert len(curve) == 101
    shares = (curve[0, 1] - curve[:, 1]) / (curve[0, 1] - curve[-1, 1])
    assert shares[1:] == pytest.approx(np.cumsum(hits)[9::10] / hits.sum(), abs=1e-3)


def test_the_best_cut_is_marked_whatever_the_order_of_the_shares():
    shares, profits = np.array([1.0, 0.0, 0.3, 0.6]), np.array([-100, 0, 900, 500])
    made = profit_svg(ProfitFigure(shares, profits, "EUR"))
    root = parsed(made)
    (best,) = circles(root)
    curve = lines_of(root, 0)[0]
    assert np.all(np.diff(curve[:, 0]) > 0)
    assert best[:2] == pytest.approx(curve[1])
    assert "Best: select 30.0 % of the rows, profit 900 EUR." in [t for t, _, _ in texts(root)]


def test_a_single_share_is_a_point():
    assert len(circles(parsed(profit_svg(ProfitFigure([0.4], [5]))))) == 1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LiftFigure([1, 2], [1]), "hits must have 2 values"),
        (lambda: LiftFigure([1, -2], [1, 0]), "rows must be counts"),
        (lambda: LiftFigure([1, 2], [1, np.nan]), "hits must be counts"),
        (lambda: ProfitFigure([0, 30], [1, 2]), "shares must be from 0 to 1"),
    ],
)
def test_wrong_figures_are_refused_in_a_sentence(make, said):
    with pytest.raises(DataError, match=said):
        make()
