"""Intervals of means over splits and of error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.assessment.statistics import Interval, error_interval, interval, mean, variance
from acumen.errors import DataError, ParameterError

ERRORS = np.array([8, 4, 7, 11, 5]) / 30  # of five folds


def test_w000_39_mean_and_variance_of_five_folds():
    assert mean(ERRORS) == pytest.approx(7 / 30, abs=1e-12)
    assert variance(ERRORS) == pytest.approx(0.0083333333, abs=1e-10)


@pytest.mark.parametrize(
    ("level", "low", "high"),
    [(0.95, 0.1533181387, 0.3133485279), (0.99, 0.1281755424, 0.3384911243)],
)
def test_w000_43_normal_intervals(level, low, high):
    found = interval(ERRORS, level, "normal")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.estimate == pytest.approx(7 / 30)


@pytest.mark.parametrize(
    ("level", "half", "low", "high"),
    [(0.95, 0.1133478968, 0.1199854366, 0.3466812301), (0.99, 0.1879613860, 0.0453719473, 0.4212947194)],
)
def test_w000_44_student_intervals(level, half, low, high):
    found = interval(ERRORS, level)
    assert found.half == pytest.approx(half, abs=1e-9)
    assert tuple(found) == pytest.approx((low, high), abs=1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.floats(0.5, 0.999))
def test_student_interval_is_scipys_and_wider_than_the_normal(values, level):
    from scipy import stats

    found, normal = interval(values, level), interval(values, level, "normal")
    scale = np.std(values, ddof=1) / math.sqrt(len(values))
    if scale > 1e-9:
        wanted = stats.t.interval(level, len(values) - 1, loc=np.mean(values), scale=scale)
        assert tuple(found) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert found.half >= normal.half - 1e-9
    assert found.estimate in Interval(found.estimate, *found)


@pytest.mark.parametrize(("kind", "method"), [("wilson", "wilson"), ("exact", "exact")])
@pytest.mark.parametrize(("errors", "n"), [(0, 10), (10, 10), (1, 1), (3, 30), (7, 30), (499, 1000)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_error_interval_is_scipys(errors, n, kind, method, level):
    from scipy import stats

    wanted = stats.binomtest(errors, n).proportion_ci(level, method)
    found = error_interval(errors, n, level, kind)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    assert found.low <= found.estimate <= found.high


@given(st.integers(1, 40), st.floats(0.01, 0.99))
def test_exact_interval_covers_at_least_at_its_level(n, rate):
    from scipy import stats

    covered = sum(
        stats.binom.pmf(e, n, rate) for e in range(n + 1) if rate in error_interval(e, n, 0.9, "exact")
    )
    assert covered >= 0.9 - 1e-9


def test_weights_are_counts_of_a_kind():
    assert error_interval(2.5, 10.5).estimate == pytest.approx(2.5 / 10.5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: interval([0.1]), DataError, "at least two values"),
        (lambda: interval([0.1, math.nan]), DataError, "the one at 1 is nan"),
        (lambda: interval([[0.1, 0.2]]), DataError, "one sequence"),
        (lambda: interval(["a", "b"]), DataError, "must be numbers"),
        (lambda: interval([0.1, 0.2], 95), ParameterError, "level must be a number between 0 and 1; got 95"),
        (lambda: interval([0.1, 0.2], kind="z"), ParameterError, "'t' or 'normal'; got 'z'"),
        (lambda: error_interval(3, 2), DataError, "got 3 of 2"),
        (lambda: error_interval(0, 0), DataError, "above 0"),
        (lambda: error_interval(1, 2, kind="wald"), ParameterError, "'wilson' or 'exact'"),
    ],
)
def test_objections_are_sentences(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_interval_reads_as_a_sentence():
    assert str(interval(ERRORS)) == "0.2333 (95 % from 0.12 to 0.3467)"
