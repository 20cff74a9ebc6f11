"""What attributes say about the target and about each other: against scipy, scikit-learn and pandas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mutual_info_score

from acumen.data.schema import Attribute
from acumen.profiling.association import (
    correlation_ratio,
    correlations,
    f_chance,
    pairwise_associations,
    pieces,
    with_classes,
    with_response,
)
from acumen.profiling.contingency import ContingencyTable, effective_size

NONE = np.empty(0)
CODES = st.lists(
    st.tuples(st.integers(-2, 4), st.integers(-1, 2), st.integers(0, 3)), min_size=1, max_size=40
)


def columns(rows):
    a, b, w = (np.array(column) for column in zip(*rows, strict=True))
    return a.astype(np.int32), b.astype(np.int32), w.astype(np.float64)


@given(CODES)
def test_cells_agree_with_scipy_and_scikit_learn(rows):
    a, b, _ = columns(rows)
    cells = ContingencyTable.of(a, b, NONE)
    both = (a >= 0) & (b >= 0)
    if not both.any():
        assert cells.gain == 0 and cells.chi_square() == (0.0, 0, None) and cells.cramers_v is None
        return
    assert cells.gain == pytest.approx(mutual_info_score(a[both], b[both]) / math.log(2), abs=1e-9)
    table = stats.contingency.crosstab(a[both], b[both]).count
    chi2, df, p = cells.chi_square()
    if min(table.shape) < 2:
        assert p is None
        return
    oracle = stats.chi2_contingency(table, correction=False)
    assert (chi2, df, p) == pytest.approx((oracle.statistic, oracle.dof, oracle.pvalue), abs=1e-9)
    assert cells.rough == ((oracle.expected_freq < 5).mean() > 0.2)


@given(CODES)
def test_a_weight_of_k_is_k_rows(rows):
    a, b, w = columns(rows)
    often = w.astype(int)
    mine = with_classes(a, b, w)
    theirs = with_classes(np.repeat(a, often), np.repeat(b, often), NONE)
    for name in ("strength", "p", "gain_bits", "gain_ratio", "chi2", "df", "rough"):
        assert getattr(mine, name) == pytest.approx(getattr(theirs, name), abs=1e-9)


def test_the_scale_of_broken_weights_means_nothing():
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, 3, 200).astype(np.int32) for _ in range(2))
    w = rng.random(200)
    one, two = with_classes(a, b, w), with_classes(a, b, w * 1000.5)
    assert (one.p, one.gain_bits, one.strength) == pytest.approx((two.p, two.gain_bits, two.strength))
    assert effective_size(w, 200) < 200


def test_information_gain_of_weather_by_hand():
    # Quinlan's outlook: sunny 2 yes 3 no, overcast 4 yes, rain 3 yes 2 no; gain 0.247, ratio 0.156.
    outlook = np.repeat(np.array([0, 1, 2], np.int32), [5, 4, 5])
    play = np.array([1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0], np.int32)
    found = with_classes(outlook, play, NONE)
    assert (round(found.gain_bits, 3), round(found.gain_ratio, 3)) == (0.247, 0.156)
    assert (found.rows, found.known, found.df) == (14, 1.0, 2)


def test_many_levels_gain_nothing_by_their_number():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 600).astype(np.int32)
    identifier = np.arange(600, dtype=np.int32)
    honest = np.where(rng.random(600) < 0.8, labels, 1 - labels).astype(np.int32)
    by_name, by_sense = (with_classes(codes, labels, NONE) for codes in (identifier, honest))
    assert by_name.gain_bits > by_sense.gain_bits
    assert by_name.score == pytest.approx(0, abs=0.01) and by_sense.score > 0.2
    assert (by_name.strength or 0.0) < 0.1 < by_sense.strength


@pytest.mark.parametrize(("levels", "classes"), [(3, 2), (40, 3), (150, 2), (300, 5)])
def test_bits_by_chance_are_those_of_shuffled_labels(levels, classes):
    rng = np.random.default_rng(levels)
    codes = rng.integers(0, levels, 300).astype(np.int32)
    labels = np.minimum(rng.integers(0, classes + 1, 300), classes - 1).astype(np.int32)
    gains = [ContingencyTable.of(codes, rng.permutation(labels), NONE).gain for _ in range(200)]
    assert ContingencyTable.of(codes, labels, NONE).by_chance == pytest.approx(np.mean(gains), rel=0.1)


def test_numbers_fall_into_ten_pieces_of_about_equal_weight():
    values = np.r_[np.random.default_rng(0).normal(size=1000), np.nan]
    codes = pieces(values, NONE)
    assert np.bincount(codes[:-1]).tolist() == [100] * 10 and codes[-1] == -1
    assert pieces(np.array([3.0, 1.0, 2.0, 1.0, np.inf]), NONE).tolist() == [2, 0, 1, 0, 3]
    assert pieces(np.array([np.nan]), NONE).tolist() == [-1]
    weights = np.r_[np.ones(500), np.full(500, 3.0), 1.0]
    often = np.repeat(np.arange(1001), weights.astype(int))
    assert np.array_equal(pieces(values, weights)[often], pieces(values[often], NONE))


def test_a_numeric_target_is_compared_as_scipy_does():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=120), rng.normal(size=120)
    y += 0.4 * x
    codes = rng.integers(0, 4, 120).astype(np.int32)
    x[3], y[5], codes[7] = np.nan, np.nan, -1
    both = np.isfinite(x) & np.isfinite(y)
    found = with_response(Attribute("x", "numeric"), x, y, NONE)
    oracle = stats.pearsonr(x[both], y[both])
    assert (found.correlation, found.p) == pytest.approx((oracle.statistic, oracle.pvalue))
    assert (found.rows, found.strength) == (118, abs(found.correlation))
    nominal = with_response(Attribute("n", "nominal", tuple("abcd")), codes, y, NONE)
    groups = [y[(codes == c) & np.isfinite(y)] for c in range(4)]
    assert nominal.p == pytest.approx(stats.f_oneway(*groups).pvalue)


def test_correlation_ratios_at_both_ends():
    codes = np.repeat(np.arange(3, dtype=np.int32), 4)
    assert correlation_ratio(codes, codes * 2.0, NONE) == pytest.approx((1.0, 1.0, 3))
    assert correlation_ratio(codes, np.tile([1.0, 2.0, 3.0, 4.0], 3), NONE) == pytest.approx((0.0, 0.0, 3))
    assert correlation_ratio(np.arange(5, dtype=np.int32), np.arange(5.0), NONE) == pytest.approx(
        (1.0, 0.0, 5)
    )
    assert f_chance(1.0, 1, 5) == 0.0 and f_chance(0.5, 0, 5) is None


def test_correlations_agree_with_pandas_where_values_are_missing():
    import pandas as pd

    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 5)) * [1, 1e6, 1e-6, 1, 1] + [0, 1e7, 0, 5, 0]
    X[:, 3] += X[:, 0]
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 4] = 7.0
    made = correlations(list(X.T), NONE)
    expected = pd.DataFrame(X).corr().to_numpy()
    np.testing.assert_allclose(made[:4, :4], expected[:4, :4], rtol=1e-9)
    assert np.isnan(made[4]).all()
    weights = rng.integers(0, 3, 80).astype(float)
    np.testing.assert_allclose(
        correlations(list(X.T), weights),
        correlations(list(np.repeat(X, weights.astype(int), axis=0).T), NONE),
    )


def test_each_pair_has_its_measure():
    rng = np.random.default_rng(6)
    n = rng.integers(0, 3, 100).astype(np.int32)
    x = n + 0.1 * rng.normal(size=100)
    nominal, numeric = (lambda name: Attribute(name, "nominal", ("a", "b", "c"))), "numeric"
    made = pairwise_associations(
        [(Attribute("x", numeric), x), (nominal("n"), n), (Attribute("y", numeric), -x), (nominal("m"), n)],
        NONE,
    )
    pairs = {(p.first, p.second): (p.measure, round(p.value, 1)) for p in made.pairs()}
    assert pairs == {
        ("x", "n"): ("correlation-ratio", 1.0),
        ("x", "y"): ("correlation", -1.0),
        ("n", "y"): ("correlation-ratio", 1.0),
        ("x", "m"): ("correlation-ratio", 1.0),
        ("n", "m"): ("cramers-v", 1.0),
        ("y", "m"): ("correlation-ratio", 1.0),
    }
