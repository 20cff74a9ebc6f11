"""t-tests of two learners over the same splits, and the Bayesian one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from acumen.assessment.statistics import bayesian_t, corrected_t, five_by_two_f, five_by_two_t, paired_t
from acumen.errors import DataError, ParameterError

A = np.array([7, 8, 3, 12, 9]) / 30
B = np.array([6, 6, 5, 10, 7]) / 30

splits = st.integers(2, 30)


def two(n: int) -> st.SearchStrategy:
    rates = hnp.arrays(np.float64, n, elements=st.integers(0, 1000).map(lambda v: v / 1000))
    return st.tuples(rates, rates)


def test_w000_45_paired_t():
    found = paired_t(A, B)
    assert found.statistic == pytest.approx(1.2909944487, abs=1e-10)
    assert found.p == pytest.approx(0.2662646280, abs=1e-10)
    assert found.df == 4
    assert found.estimate == pytest.approx(1 / 30)
    assert found.se**2 * 5 == pytest.approx(0.0033333333, abs=1e-10)
    assert not found.significant()


@given(splits.flatmap(two), st.floats(0.5, 0.99))
def test_paired_t_is_scipys(values, level):
    from scipy import stats

    a, b = values
    d = a - b
    if np.ptp(d) < 1e-12:
        return
    wanted = stats.ttest_rel(a, b)
    found = paired_t(a, b, level)
    assert (found.statistic, found.p) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-9, abs=1e-12)
    ends = wanted.confidence_interval(level)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-8, abs=1e-12)


def test_corrected_t_by_hand():
    # differences 1 2 3 4: mean 2.5, s^2 = 5/3; ten folds: 1/4 + 1/9 = 13/36; se^2 = 65/108
    found = corrected_t([1, 2, 3, 4], [0, 0, 0, 0], 90, 10)
    assert found.se == pytest.approx(math.sqrt(65 / 108), rel=1e-12)
    assert found.statistic == pytest.approx(2.5 / math.sqrt(65 / 108), rel=1e-12)
    assert found.df == 3


@given(splits.flatmap(two), st.integers(1, 100), st.integers(1, 100))
def test_correction_widens_and_vanishes_with_the_test_share(values, n_train, n_test):
    a, b = values
    plain, corrected = paired_t(a, b), corrected_t(a, b, n_train, n_test)
    assert corrected.estimate == plain.estimate
    assert corrected.p >= plain.p - 1e-12
    assert corrected.high - corrected.low >= plain.high - plain.low
    nearly = corrected_t(a, b, 1e15, 1.0)
    assert nearly.p == pytest.approx(plain.p, abs=1e-6)


@given(splits.flatmap(two))
def test_exchanging_the_learners_turns_the_sign_only(values):
    a, b = values
    one, other = corrected_t(a, b, 9, 1), corrected_t(b, a, 9, 1)
    assert one.statistic == -other.statistic
    assert one.p == other.p
    assert (one.low, one.high) == (-other.high, -other.low)


def test_p_below_alpha_just_when_the_interval_leaves_zero_out():
    rng = np.random.default_rng(0)
    seen = set()
    for shift in np.linspace(-0.5, 0.5, 41):
        found = corrected_t(rng.normal(shift, 0.3, 20), np.zeros(20), 9, 1)
        assert found.significant() == (not found.low <= 0 <= found.high)
        seen.add(found.significant())
    assert seen == {True, False}


def test_no_difference_at_all_has_p_1():
    for found in (paired_t(A, A), corrected_t(A, A, 9, 1)):
        assert (found.statistic, found.p, found.low, found.high) == (0.0, 1.0, 0.0, 0.0)


def test_rounding_errors_are_no_difference():
    assert paired_t([0.1 + 0.2, 0.3, 0.7], [0.3, 0.1 + 0.2, 0.7]).p == 1.0


def test_the_same_difference_everywhere_is_certain():
    found = paired_t([0.3, 0.2, 0.4], [0.2, 0.1, 0.3])  # 0.1 thrice, though not to the last bit
    assert (found.statistic, found.p) == (math.inf, 0.0)
    assert found.low == found.high == found.estimate
    assert paired_t([0.2, 0.1, 0.3], [0.3, 0.2, 0.4]).statistic == -math.inf


def test_five_by_two_by_hand():
    # differences a line: (2, 0) (1, 1) (3, 1) (0, 0) (2, 2); variances 2 0 2 0 0
    d = np.array([[2, 0], [1, 1], [3, 1], [0, 0], [2, 2]], dtype=float)
    t = five_by_two_t(d, np.zeros((5, 2)))
    assert t.statistic == pytest.approx(2 / math.sqrt(4 / 5))
    assert t.df == 5
    f = five_by_two_f(d, np.zeros((5, 2)))
    assert f.statistic == pytest.approx((4 + 0 + 1 + 1 + 9 + 1 + 0 + 0 + 4 + 4) / (2 * 4))
    assert f.df == (10, 5)
    assert t.estimate == f.estimate == pytest.approx(1.2)
    assert five_by_two_t(d.ravel(), np.zeros(10)) == t


@given(hnp.arrays(np.float64, (5, 2), elements=st.integers(-100, 100).map(lambda v: v / 100)))
def test_five_by_two_against_a_plain_loop(d):
    from scipy import stats

    top = bottom = 0.0
    for x, y in d:
        m = (x + y) / 2
        bottom += (x - m) ** 2 + (y - m) ** 2
        top += x**2 + y**2
    if bottom < 1e-6:
        return
    t, f = five_by_two_t(d, np.zeros((5, 2))), five_by_two_f(d, np.zeros((5, 2)))
    assert t.p == pytest.approx(2 * stats.t.sf(abs(d[0, 0]) / math.sqrt(bottom / 5), 5), rel=1e-9)
    assert f.p == pytest.approx(stats.f.sf(top / (2 * bottom), 10, 5), rel=1e-9)


def test_five_by_two_without_spread():
    same = np.full((5, 2), 0.3)
    assert five_by_two_t(same, same).p == five_by_two_f(same, same).p == 1.0
    assert five_by_two_t(same, same - 0.1).p == five_by_two_f(same, same - 0.1).p == 0.0


def test_bayesian_posterior_against_sampling():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.20, 0.02, 100), rng.normal(0.21, 0.02, 100)
    found = bayesian_t(a, b, 90, 10, rope=0.005)
    corrected = corrected_t(a, b, 90, 10)
    assert (found.scale, found.low, found.high) == pytest.approx(
        (corrected.se, corrected.low, corrected.high)
    )
    draws = found.estimate + found.scale * rng.standard_t(99, 400_000)
    shares = [(draws < -0.005).mean(), (abs(draws) <= 0.005).mean(), (draws > 0.005).mean()]
    assert [found.a_better, found.equal, found.b_better] == pytest.approx(shares, abs=0.004)


@given(splits.flatmap(two), st.floats(0, 0.2), st.booleans())
def test_bayesian_probabilities_add_up_and_exchange(values, rope, smaller):
    a, b = values
    one = bayesian_t(a, b, 9, 1, rope, smaller)
    assert one.a_better + one.equal + one.b_better == pytest.approx(1.0, abs=1e-12)
    other = bayesian_t(b, a, 9, 1, rope, smaller)
    turned = bayesian_t(a, b, 9, 1, rope, not smaller)
    for twin in (other, turned):
        assert (twin.a_better, twin.b_better) == pytest.approx((one.b_better, one.a_better), abs=1e-12)


def test_bayesian_without_rope_is_half_the_p_value():
    assert bayesian_t(A, B, 4, 1, rope=0).a_better == pytest.approx(corrected_t(A, B, 4, 1).p / 2)


def test_bayesian_without_spread_is_certain():
    same = np.full(5, 0.2)
    assert bayesian_t(same, same, 4, 1).equal == 1.0
    assert bayesian_t(same, same + 0.1, 4, 1).a_better == 1.0
    assert bayesian_t(same, same + 0.1, 4, 1, smaller_is_better=False).b_better == 1.0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: paired_t([1, 2], [1, 2, 3]), DataError, "got 2 and 3"),
        (lambda: paired_t([1], [2]), DataError, "at least two values are needed; got 1"),
        (
            lambda: corrected_t([1, 2], [2, 1], 0, 1),
            ParameterError,
            "n_train must be a number above 0; got 0",
        ),
        (lambda: corrected_t([1, 2], [2, 1], 9, 1, level=1), ParameterError, "level"),
        (lambda: five_by_two_t(np.zeros((2, 5)), np.zeros((5, 2))), DataError, r"got shape \(2, 5\)"),
        (lambda: five_by_two_f([[1, 2], [3]], [1] * 10), DataError, "5 x 2 numbers"),
        (lambda: bayesian_t([1, 2], [2, 1], 9, 1, rope=-1), ParameterError, "rope .* got -1"),
    ],
)
def test_objections_are_sentences(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_results_read_as_sentences():
    assert str(paired_t(A, B)) == (
        "paired t-test: mean of a - b 0.03333 (95 % from -0.03835 to 0.105), t(4) = 1.291, p = 0.2663"
    )
    assert "F(10, 5) = " in str(five_by_two_f(np.arange(10), np.zeros(10)))
    assert "P(a better) = 0.000, P(within 0.01) = 1.000" in str(bayesian_t(A, A, 4, 1))
    plain = paired_t(A + 0.5, A).to_dict()
    assert plain["statistic"] is None
    assert plain["p"] == 0.0
    assert bayesian_t(A, B, 4, 1).to_dict()["df"] == 4.0
