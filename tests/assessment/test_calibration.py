"""Whether probabilities are what they say."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from acumen import calibration
from acumen.errors import DataError, ParameterError, SchemaMismatch

tenths = st.integers(0, 20).map(lambda i: i / 20)
rows = st.lists(st.tuples(tenths | st.floats(0, 1), st.booleans()), min_size=2, max_size=60).filter(
    lambda made: {flag for _, flag in made} == {True, False}
)


@given(rows, st.integers(1, 12))
def test_bins_of_one_width_are_those_of_scikit_learn(made, bins):
    p, flags = map(np.array, zip(*made, strict=True))
    found = calibration(flags, p, True, bins)
    observed, predicted = calibration_curve(flags, p, n_bins=bins)
    filled = found.counts > 0
    np.testing.assert_allclose(found.positive_rate[filled], observed, rtol=1e-12)
    np.testing.assert_allclose(found.mean_probability[filled], predicted, rtol=1e-12, atol=1e-300)
    assert np.all(np.isnan(found.positive_rate[~filled]))
    gaps = np.abs(observed - predicted)
    assert math.isclose(found.expected_error, gaps @ found.counts[filled] / len(made), abs_tol=1e-12)
    assert math.isclose(found.largest_error, gaps.max(), abs_tol=1e-12)


@given(rows, rows, st.integers(1, 8))
def test_calibrations_of_parts_add(a, b, bins):
    one, two, both = (
        calibration([f for _, f in made], [p for p, _ in made], True, bins) for made in (a, b, a + b)
    )
    total = one + two
    assert np.array_equal(total.counts, both.counts) and np.array_equal(total.positives, both.positives)
    np.testing.assert_allclose(total.probability_sums, both.probability_sums, rtol=1e-12, atol=1e-300)


@given(rows, st.integers(1, 8))
def test_quantile_bins_hold_about_equally_many_rows(made, bins):
    p, flags = map(np.array, zip(*made, strict=True))
    found = calibration(flags, p, True, bins, "quantile")
    assert found.counts.sum() == len(made) and np.all(np.diff(found.edges) > 0)
    assert found.edges[0] == 0 and found.edges[-1] == 1
    if len(set(p.tolist())) == len(p):
        # A bin ends at a value that occurs; only at 0 and 1, which are edges already, can two bins be one.
        inner = p.min() > 0 and p.max() < 1
        assert not inner or found.counts.max() <= math.ceil(len(p) / bins)


@given(rows, st.lists(st.integers(1, 3), min_size=60, max_size=60), st.sampled_from(["width", "quantile"]))
def test_a_weight_is_a_number_of_repetitions(made, weights, strategy):
    p, flags = map(np.array, zip(*made, strict=True))
    times = np.array(weights[: len(made)])
    found = calibration(flags, p, True, 4, strategy, times)
    again = calibration(np.repeat(flags, times), np.repeat(p, times), True, 4, strategy)
    assert np.array_equal(found.edges, again.edges) and np.array_equal(found.counts, again.counts)
    assert math.isclose(found.expected_error, again.expected_error, abs_tol=1e-12)


def test_five_rows_by_hand():
    found = calibration(list("ynyyn"), [0.9, 0.1, 0.8, 0.3, 0.3], "y", bins=2)
    assert found.counts.tolist() == [3, 2]
    np.testing.assert_allclose([found.low, found.high], [[0.0615, 0.3424], [0.7923, 1]], atol=1e-4)
    np.testing.assert_allclose(found.mean_probability, [0.7 / 3, 0.85])
    np.testing.assert_allclose(found.positive_rate, [1 / 3, 1])
    assert math.isclose(found.expected_error, (0.3 + 0.3) / 5)
    assert "expected error 0.12" in str(found) and json.dumps(found.to_dict(), allow_nan=False)
    assert calibration(list("ny"), [0, 1], "y").expected_error == 0


@pytest.mark.parametrize("strategy", ["width", "quantile"])
def test_intervals_cover_the_true_fraction_of_a_bin_19_times_in_20(strategy):
    """Bins of 30 rows and more of a model that is too sure, 400 draws of 500 rows."""
    rng = np.random.default_rng(0)
    inside, low, high = np.zeros((3, 10))
    drawn = np.zeros(10)
    for _ in range(400):
        p = rng.beta(2, 2, size=500)
        chance = 0.2 + 0.6 * p
        found = calibration(rng.random(500) < chance, p, True, strategy=strategy)
        place = np.searchsorted(found.edges[1:-1], p)
        true = np.bincount(place, chance, 10) / np.maximum(found.counts, 1)
        large = found.counts >= 30
        drawn += large
        inside += large & (found.low <= true) & (true <= found.high)
        low += large & (true < found.low)
        high += large & (true > found.high)
    assert 0.94 <= inside.sum() / drawn.sum() <= 0.97
    assert max(low.sum(), high.sum()) / drawn.sum() <= 0.035
    often = drawn >= 300
    assert often.sum() >= 7 and (inside[often] / drawn[often]).min() >= 0.92


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda: calibration([1, 0], [0.5, 1.5], 1), DataError, "from 0 to 1; got 0.5 to 1.5"),
        (lambda: calibration([1, 0], [0.5, np.nan], 1), DataError, "row 1"),
        (lambda: calibration([1, 0], [0.5, 1], 1, 0), ParameterError, "bins must be"),
        (
            lambda: calibration([1, 0], [0.5, 1], 1, 5, "quantiles"),
            ParameterError,
            "Did you mean 'quantile'?",
        ),
        (
            lambda: calibration([1, 0], [0, 1], 1, 5) + calibration([1, 0], [0, 1], 1, 6),
            SchemaMismatch,
            "edges",
        ),
        (lambda: calibration([1, 0], [0, 1], 1) + calibration([1, 0], [0, 1], 0), SchemaMismatch, "positive"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert words in str(raised.value)
