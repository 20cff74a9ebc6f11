"""A numeric column's figures against numpy and pandas, under weights, and at the ends of the doubles."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.table import NO_WEIGHTS
from acumen.profiling.numeric import BINS, numeric_column, numeric_figures

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
ordinary = st.floats(-1e9, 1e9)
FIVE = ("min", "q1", "median", "q3", "max")


@given(st.lists(ordinary, min_size=1, max_size=60))
def test_five_numbers_are_numpys(values):
    figures, distinct = numeric_figures(np.array(values), NO_WEIGHTS)
    got = [getattr(figures, name) for name in FIVE]
    assert got == np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    assert distinct == len(set(values))


@given(st.lists(st.one_of(st.just(math.nan), st.floats(-1e6, 1e6)), min_size=2, max_size=60))
def test_figures_are_those_of_pandas_describe(values):
    series = pd.Series(values, dtype=float)
    column = numeric_column("x", np.array(values), NO_WEIGHTS)
    assert column.missing == int(series.isna().sum())
    assert column.missing_share == pytest.approx(series.isna().mean())
    figures = column.numeric
    if series.notna().any():
        assert figures.mean == pytest.approx(series.mean(), rel=1e-12, abs=1e-9)
    else:
        assert figures.mean is None
    if series.notna().sum() > 1:
        assert figures.sd == pytest.approx(series.std(), rel=1e-9, abs=1e-9)
    else:
        assert figures.sd is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=80))
def test_histogram_is_numpys(values):
    figures, _ = numeric_figures(np.array(values), NO_WEIGHTS)
    if min(values) == max(values):
        assert figures.counts == (len(values),)
        return
    edges = np.linspace(min(values), max(values), BINS + 1)
    assert figures.edges == tuple(edges.tolist())
    if np.all(np.diff(edges) > 0):
        assert list(figures.counts) == np.histogram(values, edges)[0].tolist()
    assert sum(figures.counts) == len(values)


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 4)), min_size=1, max_size=30))
def test_a_whole_weight_is_a_repeated_row(pairs):
    values = np.array([v for v, _ in pairs], dtype=float)
    weights = np.array([w for _, w in pairs], dtype=float)
    weighted, distinct = numeric_figures(values, weights)
    repeated, distinct_repeated = numeric_figures(np.repeat(values, weights.astype(int)), NO_WEIGHTS)
    assert distinct == distinct_repeated
    assert [getattr(weighted, n) for n in FIVE] == [getattr(repeated, n) for n in FIVE]
    assert weighted.counts == repeated.counts
    assert weighted.mean == pytest.approx(repeated.mean)
    assert weighted.sd == pytest.approx(repeated.sd)


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.floats(0.1, 3)), min_size=2, max_size=20),
    st.sampled_from([1e-3, 0.37, 1e4]),
)
def test_figures_do_not_depend_on_the_scale_of_fractional_weights(pairs, scale):
    values = np.array([v for v, _ in pairs], dtype=float)
    weights = np.array([w + 0.001 * math.pi for _, w in pairs])
    one, _ = numeric_figures(values, weights)
    other, _ = numeric_figures(values, weights * scale)
    for name in (*FIVE, "mean", "sd"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9)


def test_fractional_weights_give_numpys_inverted_cdf():
    values, weights = np.array([3.0, 1.0, 2.0, 5.0]), np.array([0.4, 0.35, 0.15, 0.1])
    figures, _ = numeric_figures(values, weights)
    assert (figures.q1, figures.median, figures.q3) == (1.0, 2.0, 3.0)
    assert figures.mean == pytest.approx(2.35)


def test_extreme_doubles_neither_overflow_nor_warn():
    big = np.array([-1.7e308, 1.7e308, 0.0, 1.0])
    figures, _ = numeric_figures(big, NO_WEIGHTS)
    assert (figures.min, figures.max) == (-1.7e308, 1.7e308)
    assert figures.sd == pytest.approx(1.7e308 * math.sqrt(2 / 3))
    assert sum(figures.counts) == 4
    two, _ = numeric_figures(np.array([-1.7e308, 1.7e308]), NO_WEIGHTS)
    assert two.sd is None and two.mean == 0 and two.median == 0
    tiny, _ = numeric_figures(np.array([5e-324, 1e-323, 5e-324]), NO_WEIGHTS)
    assert tiny.median == 5e-324 and tiny.sd is not None and tiny.sd > 0


@given(st.lists(finite, min_size=1, max_size=20))
def test_no_finite_values_are_too_wild(values):
    figures, _ = numeric_figures(np.array(values), NO_WEIGHTS)
    assert figures.min <= figures.q1 <= figures.median <= figures.q3 <= figures.max
    assert figures.min <= figures.mean <= figures.max
    assert sum(figures.counts) == len(values)


def test_infinities_are_counted_and_left_out_of_the_figures():
    figures, distinct = numeric_figures(np.array([1.0, np.inf, 3.0, -np.inf, np.inf, np.nan]), NO_WEIGHTS)
    assert (figures.infinite, figures.min, figures.max, figures.mean, distinct) == (3, 1.0, 3.0, 2.0, 4)


def test_nothing_known_gives_no_figures():
    column = numeric_column("x", np.array([np.nan, np.nan]), NO_WEIGHTS)
    assert (column.missing_share, column.distinct, column.numeric.mean) == (1.0, 0, None)
    assert numeric_column("x", np.empty(0), NO_WEIGHTS).missing_share is None


@pytest.mark.parametrize("value", [999.0, -99.0, 9999.0])
def test_a_number_of_nines_far_from_all_others_may_stand_for_none(value):
    ages = np.concatenate([np.arange(18.0, 90.0), [value] * 5])
    assert numeric_figures(ages, NO_WEIGHTS)[0].placeholder == (value, 5)


@pytest.mark.parametrize(
    "values",
    [
        np.concatenate([np.arange(18.0, 90.0), [999.0] * 2]),  # twice only
        np.concatenate([np.arange(18.0, 90.0), [99.0] * 5]),  # near the others
        np.concatenate([np.arange(18.0, 90.0), [1000.0] * 5]),  # an honest thousand
        np.array([1.0] * 20 + [999.0] * 5),  # two values only
        np.arange(1000.0),
    ],
)
def test_other_numbers_stand_for_themselves(values):
    assert numeric_figures(values, NO_WEIGHTS)[0].placeholder is None
