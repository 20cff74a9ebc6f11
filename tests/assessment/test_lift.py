"""Lift bins and what contacting them earns."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import lift
from acumen.errors import DataError, ParameterError

COUNTS = [210, 120, 60, 40, 22, 18, 12, 7, 6, 5]


def promotion():
    """Ten thousand customers, ranked, of whom each thousand holds so many buyers."""
    y = np.concatenate([np.repeat(["buys", "not"], [n, 1000 - n]) for n in COUNTS])
    return y, np.arange(10_000, 0, -1)


def test_w002_12_lift_of_ten_bins():
    found = lift(*promotion(), "buys")
    assert found.rows.tolist() == [1000] * 10 and found.counts.tolist() == COUNTS
    np.testing.assert_allclose(
        found.shares, [0.42, 0.24, 0.12, 0.08, 0.044, 0.036, 0.024, 0.014, 0.012, 0.01]
    )
    np.testing.assert_allclose(
        found.cumulative_shares, [0.42, 0.66, 0.78, 0.86, 0.904, 0.94, 0.964, 0.978, 0.99, 1], rtol=1e-14
    )
    np.testing.assert_allclose(found.lift, 10 * found.shares)
    np.testing.assert_allclose(found.cumulative_lift[[0, 1, 9]], [4.2, 3.3, 1.0])
    assert "42.0 %" in str(found) and "90.4 %" in str(found)


def test_w002_13_send_to_the_first_two_bins():
    found = lift(*promotion(), "buys").profit(cost_per_contact=0.5, gain_per_hit=5)
    assert found.per_bin[:4].tolist() == [550, 100, -200, -300]
    assert found.cumulative[:5].tolist() == [550, 650, 450, 150, -240]
    assert (found.best_bins, found.best, found.threshold) == (2, 650, 8001)
    assert str(found) == "Contact 2 of 10 bins (scores of at least 8001): profit 650."


def test_nobody_is_contacted_when_it_costs_too_much():
    found = lift(*promotion(), "buys").profit(100, 5)
    assert (found.best_bins, found.best, found.threshold) == (0, 0, math.inf)
    assert "no one" in str(found) and json.dumps(found.to_dict(), allow_nan=False)


rows = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 3)), min_size=6, max_size=60
).filter(lambda made: {flag for _, flag, w in made if w} == {True, False})


@given(rows, st.integers(1, 6), st.randoms(use_true_random=False))
def test_bins_are_of_one_size_and_do_not_depend_on_the_order_of_rows(made, bins, random):
    found, again = (lift([f for _, f, _ in m], [s for s, _, _ in m], True, bins)
                    for m in (made, random.sample(made, len(made))))  # fmt: skip
    assert found.rows.sum() == len(made) and np.ptp(found.rows) <= 1
    assert math.isclose(found.counts.sum(), sum(f for _, f, _ in made))
    np.testing.assert_allclose(found.counts, again.counts, atol=1e-12)
    assert np.all(np.diff(found.thresholds) <= 0) and np.all(found.counts <= found.rows + 1e-12)
    assert found.thresholds[-1] == min(s for s, _, _ in made)


@given(rows, st.integers(1, 6))
def test_a_weight_is_a_number_of_repetitions(made, bins):
    scores, flags, weights = map(np.array, zip(*made, strict=True))
    if weights.sum() < bins:
        return
    found = lift(flags, scores, True, bins, weights)
    again = lift(np.repeat(flags, weights), np.repeat(scores, weights), True, bins)
    for name in ("rows", "counts", "thresholds"):
        np.testing.assert_allclose(getattr(found, name), getattr(again, name), atol=1e-12)


def test_weights_that_are_no_whole_numbers_make_bins_of_one_weight():
    found = lift([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], 1, 2, [0.5, 0.25, 0.5, 0.25, 0.7])
    np.testing.assert_allclose(found.rows, [1.1, 1.1])
    np.testing.assert_allclose(found.counts, [0.85, 0.15])


def test_ties_are_shared_out():
    found = lift([1, 0, 0, 0], [1, 1, 1, 1], 1, 2)
    assert found.counts.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    "make, error, words",
    [
        (
            lambda: lift([1, 0], [1, 2], 1, 0),
            ParameterError,
            "bins must be a whole number of at least 1; got 0",
        ),
        (lambda: lift([1, 0], [1, 2], 1, 2.0), ParameterError, "bins must be a whole number"),
        (lambda: lift([1, 0], [1, 2], 1), DataError, "there are 2 rows for 10 bins"),
        (lambda: lift([1, 0], [1, np.nan], 1, 2), DataError, "the score of row 1"),
        (
            lambda: lift([1, 0], [1, 2], 1, 2).profit("x", 1),
            ParameterError,
            "cost_per_contact must be a finite",
        ),
        (
            lambda: lift([1, 0], [1, 2], 1, 2).profit(1, np.inf),
            ParameterError,
            "gain_per_hit must be a finite",
        ),
    ],
)
def test_what_cannot_be_binned_is_refused_in_a_sentence(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert words in str(raised.value)


def test_values_are_json():
    assert json.loads(json.dumps(lift(*promotion(), "buys").to_dict(), allow_nan=False))["counts"] == COUNTS
