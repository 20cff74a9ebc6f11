"""Intervals of the area under a ROC curve: Newcombe's equation, its ends, and simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri

import acumen
from acumen.assessment.roc import roc
from acumen.assessment.statistics import area_interval
from acumen.errors import DataError, ParameterError


def newcombe(area, m, n):
    """The variance as Newcombe (2006) writes it for method 5: m* = n* = (m + n) / 2."""
    star = (m + n) / 2
    return area * (1 - area) / (m * n) * (1 + (star - 1) * ((1 - area) / (2 - area) + area / (1 + area)))


@pytest.mark.parametrize("area, m, n", [(0.8, 20, 30), (0.97, 5, 200), (0.5, 1, 40)])
def test_the_ends_solve_newcombes_equation(area, m, n):
    found = area_interval(area, m, n, math.nan)
    for end in found:
        assert (area - end) ** 2 == pytest.approx(1.959964**2 * newcombe(end, m, n), rel=1e-5)
    assert found.low < area < found.high


def test_an_area_of_1_or_0_has_a_width_on_one_side():
    assert area_interval(1.0, 50, 50, 0.0).high == 1 and 0.9 < area_interval(1.0, 50, 50, 0.0).low < 0.99
    assert area_interval(0.0, 50, 50, 0.0).low == 0 and area_interval(0.0, 50, 50, 0.0).high > 0.01
    assert roc([0, 0, 1, 1], [1, 2, 3, 4], 1).interval()[0] < 0.7


def test_the_estimated_variance_counts_for_more_where_more_pairs_are_out_of_order():
    widths = [area_interval(0.8, m, m, 4 * newcombe(0.8, m, m)).half for m in (3, 3000)]
    plain = [area_interval(0.8, m, m, math.nan).half for m in (3, 3000)]
    assert widths[0] / plain[0] < 1.5 and widths[1] / plain[1] == pytest.approx(2, rel=0.02)


def test_swapping_the_classes_mirrors_the_interval():
    one, other = area_interval(0.9, 10, 40, 0.002), area_interval(0.1, 40, 10, 0.002)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))


def test_what_is_no_area_is_refused():
    with pytest.raises(DataError, match="must lie between 0 and 1"):
        area_interval(1.2, 3, 4, 0.1)
    with pytest.raises(ParameterError, match="level"):
        area_interval(0.9, 3, 4, 0.1, level=95)


def test_a_perfect_area_by_cross_validation_is_not_certain():
    x = np.r_[np.linspace(0, 1, 40), np.linspace(5, 6, 5)]
    table = acumen.read(pd.DataFrame({"x": x, "y": ["no"] * 40 + ["yes"] * 5}), target="y")
    found = acumen.assess(acumen.NaiveBayes(), table, acumen.KFold(5), "auc", random_state=0)
    around = found.interval()
    assert found.mean == around.high == 1 and 0.5 < around.low < 0.9


def covered(rng, area, rows, share, tables):
    """How many of some tables of normal scores have an interval that holds the true area."""
    m = max(1, round(rows * share))
    flags = np.arange(rows) < m
    held = 0
    for _ in range(tables):
        scores = rng.normal(size=rows) + flags * math.sqrt(2) * ndtri(area)
        low, high = roc(flags, scores, True).interval()
        held += low <= area <= high
    return held / tables


@pytest.mark.slow
@pytest.mark.parametrize("area", [0.55, 0.75, 0.9, 0.97, 0.99])
def test_95_percent_intervals_cover_93_to_97_percent(area):
    tables, cells = 300, []
    rng = np.random.default_rng(round(100 * area))
    for rows in (40, 60, 200, 2000):
        for share in (0.02, 0.1, 0.5):
            coverage = covered(rng, area, rows, share, tables)
            # Never too short; wide where few pairs are expected out of order, and with one positive row.
            assert coverage >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / tables), (rows, share)
            if min(rows * share, rows * (1 - share)) >= 4 and rows * share * (1 - area) >= 0.5:
                assert coverage <= 0.97 + 3 * math.sqrt(0.97 * 0.03 / tables), (rows, share)
            cells.append(coverage)
    assert 0.94 <= np.mean(cells) <= 0.985
