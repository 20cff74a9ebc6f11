"""Wilcoxon's test, the sign test and McNemar's, against brute force and SciPy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen.assessment.statistics import mcnemar, mcnemar_counts, sign_test, wilcoxon
from acumen.assessment.statistics.signed import tied_ranks
from acumen.errors import DataError, ParameterError

whole = st.lists(st.integers(-6, 6), min_size=1, max_size=9).map(np.array)


def zeros(d):
    return np.zeros(len(d))


def brute_p(d: np.ndarray) -> float:
    """Every way the signs could have fallen, counted."""
    from scipy import stats

    d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    seen = min(ranks[d > 0].sum(), ranks[d < 0].sum())
    ways = [sum(r for r, s in zip(ranks, signs, strict=True) if s)
            for signs in itertools.product((0, 1), repeat=len(d))]  # fmt: skip
    return min(1.0, 2 * sum(w <= seen for w in ways) / len(ways))


@given(whole)
def test_exact_wilcoxon_is_brute_force_with_ties_and_zeros(d):
    assert wilcoxon(d, zeros(d)).p == pytest.approx(brute_p(d), abs=1e-12)


@given(st.integers(2, 60), st.integers(0, 10_000))
@settings(max_examples=40)
def test_wilcoxon_without_ties_is_scipys(n, seed):
    from scipy import stats

    d = np.random.default_rng(seed).normal(0.2, 1, n)
    for method, theirs in (("exact", "exact"), ("normal", "approx")):
        wanted = stats.wilcoxon(d, method=theirs)
        found = wilcoxon(d, zeros(d), method)
        assert (found.statistic, found.p) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-9)


@given(st.lists(st.integers(-5, 5), min_size=20, max_size=80).map(np.array))
@settings(max_examples=40)
def test_normal_wilcoxon_with_ties_is_scipys(d):
    from scipy import stats

    if not d.any():
        assert wilcoxon(d, zeros(d), "normal").p == 1.0
        return
    wanted = stats.wilcoxon(d, method="approx", correction=False)
    found = wilcoxon(d, zeros(d), "normal")
    assert (found.statistic, found.p) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-9)


def test_wilcoxon_auto_is_exact_up_to_fifty():
    rng = np.random.default_rng(3)
    for n, word in ((50, "exact"), (51, "normal")):
        d = rng.normal(size=n)
        found = wilcoxon(d, zeros(d))
        assert word in found.name
        assert found.p == wilcoxon(d, zeros(d), word).p


def test_ties_are_found_in_spite_of_rounding():
    a, b = np.array([0.3, 0.2, 0.7, 0.9]), np.array([0.2, 0.1, 0.8, 0.5])  # 0.1 0.1 -0.1 0.4
    found = wilcoxon(a, b)
    assert found.statistic == 2.0
    assert found.p == pytest.approx(brute_p(np.array([1, 1, -1, 4])))


@given(st.lists(st.integers(-1000, 1000), min_size=6, max_size=12, unique_by=abs), st.integers(-2100, 2100))
def test_wilcoxon_interval_holds_the_shifts_not_rejected(values, doubled_shift):
    from scipy import stats

    d = np.array(values, dtype=float)
    shift = doubled_shift / 2 + 0.125  # never equal to a mean of two differences: no ties, no zeros
    found = wilcoxon(d, zeros(d), level=0.9)
    moved = np.abs(d - shift)
    if len(np.unique(moved)) < len(d):
        return
    p = stats.wilcoxon(d - shift, method="exact").pvalue
    assert (found.low <= shift <= found.high) == (p > 0.1)
    assert found.low <= found.estimate <= found.high


def test_wilcoxon_interval_of_few_is_infinite_and_of_many_near_the_mean():
    assert (wilcoxon([1, 2], [0, 0]).low, wilcoxon([1, 2], [0, 0]).high) == (-math.inf, math.inf)
    d = np.random.default_rng(5).normal(1.0, 1.0, 400)
    found = wilcoxon(d, zeros(d))
    assert found.estimate == pytest.approx(d.mean(), abs=0.05)
    assert found.high - found.low == pytest.approx(2 * 1.96 / math.sqrt(400), rel=0.15)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_tied_ranks_are_scipys(values):
    from scipy import stats

    ranks, sizes = tied_ranks(np.array(values, dtype=float))
    assert ranks.tolist() == stats.rankdata(values).tolist()
    assert sorted(sizes) == sorted(np.unique(values, return_counts=True)[1])


@given(whole)
def test_sign_test_is_the_binomial(d):
    from scipy import stats

    found = sign_test(d, zeros(d))
    wins, n = int((d > 0).sum()), int((d != 0).sum())
    assert found.p == pytest.approx(stats.binomtest(wins, n).pvalue if n else 1.0)
    assert (found.statistic, found.n) == (wins, n)
    if n:
        assert found.estimate == wins / n


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 60))
def test_mcnemar_is_the_binomial_and_the_chi_square(only_a, only_b, both):
    from scipy import stats

    n = only_a + only_b + both
    exact, approximate = mcnemar_counts(only_a, only_b, n), mcnemar_counts(only_a, only_b, n, "chi-square")
    apart = only_a + only_b
    assert exact.p == pytest.approx(stats.binomtest(only_a, apart).pvalue if apart else 1.0)
    chi2 = max(abs(only_a - only_b) - 1, 0) ** 2 / apart if apart else 0.0
    assert approximate.statistic == pytest.approx(chi2)
    assert approximate.p == pytest.approx(stats.chi2.sf(chi2, 1))
    assert exact.estimate == pytest.approx((only_a - only_b) / n)
    assert exact.low <= exact.high
    assert mcnemar_counts(only_b, only_a, n).low == pytest.approx(-exact.high)


def test_mcnemar_counts_rows_on_which_one_alone_errs():
    truth = ["x", "x", "y", "y", "x", "y"]
    a = ["y", "x", "x", "y", "y", "x"]  # wrong at 0 2 4 5
    b = ["x", "x", "x", "y", "x", "x"]  # wrong at 2 5
    assert mcnemar(truth, a, b) == mcnemar_counts(2, 0, 6)
    assert mcnemar(truth, a, b).estimate == pytest.approx(4 / 6 - 2 / 6)
    assert mcnemar(truth, a, a).p == 1.0


def test_mcnemar_interval_covers_near_its_level():
    rng = np.random.default_rng(7)
    cells = rng.multinomial(80, [0.12, 0.05, 0.83], size=2000)
    found = [mcnemar_counts(int(x), int(y), 80) for x, y, _ in cells]
    assert np.mean([r.low <= 0.07 <= r.high for r in found]) == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: wilcoxon([1], [2], "guess"), ParameterError, "'auto' or 'exact' or 'normal'; got 'guess'"),
        (lambda: wilcoxon([], []), DataError, "at least one value"),
        (lambda: mcnemar([1, 2], [1, 2], [1]), DataError, "same test set"),
        (lambda: mcnemar_counts(3, 3, 5), DataError, "got 3 and 3 of 5"),
        (lambda: mcnemar_counts(1, 1, 5, "mid-p"), ParameterError, "'exact' or 'chi-square'"),
    ],
)
def test_objections_are_sentences(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_results_without_interval_say_none():
    assert str(sign_test([1, 2], [1, 2])) == "sign test: wins = 0, p = 1.0000"
    assert "W = 0, p = " in str(wilcoxon([1, 2, 3], [0, 0, 0]))
