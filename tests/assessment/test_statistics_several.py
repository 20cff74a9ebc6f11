"""Many tests, many tables: corrections, ranks, Friedman, Nemenyi."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from acumen.assessment.statistics import (
    average_ranks,
    bonferroni,
    cliques,
    critical_difference,
    friedman,
    holm,
    iman_davenport,
    nemenyi,
    nemenyi_quantile,
    over_tables,
    rank_table,
    win_tie_loss,
)
from acumen.assessment.statistics.friedman import range_above
from acumen.errors import DataError, ParameterError

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 12), st.integers(3, 6)),
    elements=st.integers(0, 6).map(lambda v: v / 10),
)

#: AUC of C4.5 with parameters m, cf or both tuned, on 14 tables: table 6 of Demsar (2006).
#: A ten-thousandth is put to the one .975 that the paper ranks above its equal in print.
DEMSAR = np.array([
    [.763, .768, .771, .798], [.599, .591, .590, .569], [.954, .971, .968, .967], [.628, .661, .654, .657],
    [.882, .888, .886, .898], [.936, .931, .916, .931], [.661, .668, .609, .685], [.583, .583, .563, .625],
    [.775, .838, .866, .875], [1.000, 1.000, 1.000, 1.000], [.940, .962, .965, .962], [.619, .666, .614, .669],
    [.972, .981, .9751, .975], [.957, .978, .946, .970],
])  # fmt: skip


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_holm_is_closed_testing_with_bonferroni(p):
    p = np.array(p)
    for i, found in enumerate(holm(p)):
        groups = [g for r in range(1, len(p) + 1) for g in itertools.combinations(range(len(p)), r) if i in g]
        wanted = max(min(1.0, len(g) * min(p[j] for j in g)) for g in groups)
        assert found == pytest.approx(wanted, abs=1e-12)


def test_holm_by_hand_and_never_above_bonferroni():
    p = [0.01, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert bonferroni(p) == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert (holm(p) <= bonferroni(p)).all()


def test_tests_not_done_do_not_count():
    assert holm([0.02, math.nan, 0.01]) == pytest.approx([0.02, math.nan, 0.02], nan_ok=True)
    assert bonferroni([0.02, math.nan]) == pytest.approx([0.02, math.nan], nan_ok=True)
    assert len(holm([])) == 0


@given(tables)
def test_friedman_is_scipys(values):
    from scipy import stats

    found = friedman(values)
    if (np.ptp(values, axis=1) == 0).all():
        assert (found.statistic, found.p) == (0.0, 1.0)
        return
    wanted = stats.friedmanchisquare(*values.T)
    assert (found.statistic, found.p) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-9, abs=1e-12)


def test_friedman_and_iman_davenport_of_demsars_example():
    # The paper gives 9.28 and F = 3.69 for average ranks 3.143 2.000 2.893 1.964, without correction for ties.
    ranks = average_ranks(DEMSAR, smaller_is_better=False)
    assert ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    plain = 12 * 14 / (4 * 5) * ((ranks**2).sum() - 4 * 25 / 4)
    assert plain == pytest.approx(9.28, abs=0.01)
    found = friedman(DEMSAR)
    assert found.statistic > plain
    f = iman_davenport(DEMSAR)
    assert f.statistic == pytest.approx(13 * found.statistic / (14 * 3 - found.statistic))
    assert f.df == (3.0, 39.0)
    assert f.significant()


def test_friedman_of_one_order_everywhere_is_certain_and_of_one_table_nothing():
    same = np.tile([0.1, 0.2, 0.3], (8, 1))
    assert friedman(same).statistic == pytest.approx(16.0)
    assert (iman_davenport(same).statistic, iman_davenport(same).p) == (math.inf, 0.0)
    assert math.isnan(iman_davenport(same[:1]).p)


def test_nemenyi_quantiles_are_demsars_table():
    at_05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    at_10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
    for k, (q05, q10) in enumerate(zip(at_05, at_10, strict=True), start=2):
        assert nemenyi_quantile(k) == pytest.approx(q05, abs=0.0011)
        assert nemenyi_quantile(k, 0.10) == pytest.approx(q10, abs=0.0011)


@pytest.mark.parametrize("k", [2, 3, 7, 20, 60])
@pytest.mark.parametrize("q", [0.5, 2.0, 4.0, 6.0])
def test_studentised_range_is_scipys(k, q):
    from scipy import stats

    assert range_above(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-9)


def test_studentised_range_of_two_is_the_normal():
    from scipy import stats

    for q in (0.1, 1.0, 3.0):
        assert range_above(q, 2) == pytest.approx(2 * stats.norm.sf(q / math.sqrt(2)), abs=1e-13)
    assert nemenyi_quantile(2, 0.05) == pytest.approx(stats.norm.ppf(0.975), abs=1e-9)


def test_critical_difference_of_demsars_example():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)


@given(tables)
@settings(max_examples=40)
def test_nemenyi_p_below_alpha_just_beyond_the_critical_difference(values):
    ranks = average_ranks(values)
    n, k = values.shape
    p, cd = nemenyi(ranks, n), critical_difference(k, n)
    apart = np.abs(ranks[:, None] - ranks[None, :])
    clear = np.abs(apart - cd) > 1e-9
    assert ((p < 0.05) == (apart > cd))[clear].all()
    assert (p == p.T).all()
    assert (np.diag(p) == 1).all()


@given(st.lists(st.floats(1, 8), min_size=2, max_size=8), st.floats(0.01, 5))
def test_cliques_are_the_largest_groups_within_the_difference(ranks, difference):
    found = cliques(ranks, difference)
    r = np.array(ranks)

    def close(group):
        return max(r[list(group)]) < min(r[list(group)]) + difference

    whole = range(len(r))
    every = [set(g) for size in range(2, len(r) + 1) for g in itertools.combinations(whole, size) if close(g)]
    largest = [g for g in every if not any(g < other for other in every)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))


@given(tables, st.booleans())
def test_ranks_are_scipys_and_add_up(values, smaller):
    from scipy import stats

    k = values.shape[1]
    ranks = rank_table(values, smaller)
    assert ranks.tolist() == stats.rankdata(values if smaller else -values, axis=1).tolist()
    assert average_ranks(values, smaller).sum() == pytest.approx(k * (k + 1) / 2)


def test_ranks_tie_in_spite_of_rounding():
    assert rank_table([[0.1 + 0.2, 0.3, 0.2]]).tolist() == [[2.5, 2.5, 1.0]]


@given(tables, st.booleans())
def test_wins_of_one_are_losses_of_the_other(values, smaller):
    counts = win_tie_loss(values, smaller)
    assert (counts.sum(axis=-1) == len(values)).all()
    assert (counts == counts.transpose(1, 0, 2)[:, :, ::-1]).all()
    assert (np.diagonal(counts[..., 1]) == len(values)).all()
    better = values[:, 0] < values[:, 1] if smaller else values[:, 0] > values[:, 1]
    assert counts[0, 1, 0] == better.sum()


def test_tolerance_makes_ties():
    values = [[0.10, 0.12], [0.10, 0.20], [0.3, 0.1]]
    assert win_tie_loss(values)[0, 1].tolist() == [2, 0, 1]
    assert win_tie_loss(values, tolerance=0.05)[0, 1].tolist() == [1, 1, 1]


def test_ranking_gathers_it_all():
    found = over_tables(DEMSAR, ["C4.5", "m", "cf", "both"], smaller_is_better=False, alpha=0.10)
    assert found.order == ["both", "m", "cf", "C4.5"]
    # The paper: C4.5 is worse than both "m" and "both"; with cf nothing is settled.
    assert found.cliques == [(3, 1, 2), (2, 0)]
    said = str(found)
    assert said.startswith("14 tables, 4 learners. Iman and Davenport's test: F(3, 39) = ")
    assert "no significant difference: cf, C4.5" in said
    assert over_tables(DEMSAR).names[0] == "learner 1"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: holm([0.1, 1.2]), DataError, "from 0 to 1"),
        (lambda: friedman([[1, 2], [1, math.nan]]), DataError, r"the one at \(1, 1\) is nan"),
        (lambda: friedman([1, 2, 3]), DataError, "a column for each of two or more learners"),
        (lambda: over_tables(DEMSAR, ["a"]), DataError, "4 names are needed"),
        (lambda: critical_difference(1, 5), ParameterError, "at least 2 learners; got 1"),
        (lambda: critical_difference(3, 0), ParameterError, "at least 1 table; got 0"),
        (lambda: nemenyi([1, 2], 0), ParameterError, "at least 1 table"),
        (lambda: win_tie_loss([[1, 2]], tolerance=-1), ParameterError, "at least 0; got -1"),
    ],
)
def test_objections_are_sentences(call, error, words):
    with pytest.raises(error, match=words):
        call()
