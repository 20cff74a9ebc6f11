"""Tests on rows: `row_test`, Cochran's Q, and Wilson's interval for any loss."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.assessment.statistics import (
    cochran_q,
    error_interval,
    friedman,
    holm,
    mcnemar,
    row_test,
    score_interval,
)
from acumen.assessment.statistics.rowwise import flip_chance
from acumen.errors import DataError, ParameterError

ROWS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@given(ROWS)
def test_one_test_a_row_is_mcnemars_exact_test(rows):
    a, b = np.array(rows).T
    assert row_test(a, b, unit=1.0).p == pytest.approx(mcnemar(np.zeros(len(a)), a, b).p)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=9))
def test_flipping_goes_through_all_signs(values):
    d = np.array(values)
    sums = [abs(np.dot(signs, np.abs(d))) for signs in product((-1, 1), repeat=len(d))]
    # Sums that lie within the rounding of the grid of the one seen may fall on either side.
    slack = np.abs(d).sum() * (len(d) + 1) / 4096 + 1e-12
    least, most = (np.mean(sums >= abs(d.sum()) + slack * side) for side in (1, -1))
    assert least - 1e-12 <= flip_chance(d) <= most + 1e-12


def test_few_rows_that_differ_settle_nothing():
    a = np.zeros(30)
    a[:5] = 1
    found = row_test(a, np.zeros(30), unit=1.0)
    assert found.p == pytest.approx(2 / 32) and found.low <= 0 <= found.high


def test_the_same_difference_in_every_test_is_not_certain():
    a, b = np.array([1.0, 0, 0, 0] * 5), np.zeros(20)
    assert row_test(a, b, wider=1.75, unit=1.0).p > 0.05


def test_repeated_tests_of_a_row_are_one_row():
    rng = np.random.default_rng(0)
    a, b = (rng.random((2, 40)) < 0.3).astype(float)
    once = row_test(a, b, wider=1.5, unit=1.0)
    often = row_test(np.tile(a, 7), np.tile(b, 7), np.tile(np.arange(40), 7), wider=1.5, unit=1.0)
    assert (often.p, often.low, often.high) == pytest.approx((once.p, once.low, once.high))
    assert often.n == 40


def test_equal_weights_change_nothing_and_unequal_ones_are_fewer_rows():
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 50))
    plain, heavy = row_test(a, b), row_test(a, b, weights=np.full(50, 3.0))
    assert (heavy.p, heavy.se) == pytest.approx((plain.p, plain.se))
    turns = np.arange(50) % 2
    heavy = np.where(np.arange(50) < 10, 30.0, 1.0)  # of 340, so about 12.8 rows of equal weight
    few = row_test(turns, 1 - turns, weights=heavy)
    assert few.se == pytest.approx(np.sqrt((heavy**2).sum()) / heavy.sum())


def test_learners_that_never_disagreed_are_not_equal_for_certain():
    found = row_test(np.ones(50), np.ones(50), unit=1.0)
    assert found.p == 1 and found.low < 0 < found.high
    assert np.isnan(row_test(np.ones(50), np.ones(50)).low)  # of what has no unit nothing is known


def test_the_interval_holds_zero_unless_p_is_small():
    rng = np.random.default_rng(2)
    for n in (8, 12, 30, 80):
        for _ in range(40):
            a, b = (rng.random((2, n)) < 0.35).astype(float)
            found = row_test(a, b, wider=rng.choice([1.0, 1.75]), unit=1.0)
            assert (found.low <= 0 <= found.high) or found.p < 0.05
            assert found.low <= found.estimate <= found.high


def test_what_makes_no_sense_is_refused():
    for odd in ({"rows": [1]}, {"rows": [0.5, 1.5]}, {"weights": [0.0, 0.0]}, {"weights": [-1.0, 2.0]}):
        with pytest.raises(DataError, match="row_test"):
            row_test([1, 0], [0, 0], **odd)
    with pytest.raises(ParameterError, match="wider"):
        row_test([1, 0], [0, 0], wider=0.5)


def test_tests_that_could_not_have_come_out_as_small_do_not_count():
    p = [0.001, 0.02, 0.5, 1.0]
    np.testing.assert_allclose(holm(p, [0, 0, 0, 0]), holm(p))
    # The last two tell learners apart by one and by two rows only.
    np.testing.assert_allclose(holm(p, [0, 0, 0.5, 1.0]), [0.002, 0.02, 0.5, 1.0])
    assert (holm(p, [0, 0.02, 0.5, 1.0]) <= holm(p)).all()
    assert row_test([1, 1, 1, 0], [0, 0, 0, 0]).least == 0.25
    with pytest.raises(DataError, match="holm: least"):
        holm(p, [0.1])


# -- Cochran's Q ----------------------------------------------------------------------------------

#: Three drugs, 46 patients, favourable or not (SAS/STAT, PROC FREQ, "Cochran's Q test").
DRUGS = np.repeat(
    [(1, 1, 1), (1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1), (0, 0, 0)],
    [6, 16, 2, 4, 2, 4, 6, 6],
    axis=0,
)


def test_cochrans_q_of_sas_and_r():
    """SAS prints Q = 8.4706, p = 0.0145; R 4.2 friedman.test, the same for marks, 8.47058823529, 0.0144755520563."""
    found = cochran_q(DRUGS)
    assert (found.statistic, found.df, found.n) == (pytest.approx(8.47058823529), 2.0, 46)
    assert found.p == pytest.approx(0.0144755520563)
    assert friedman(DRUGS).statistic == pytest.approx(found.statistic)
    assert str(found) == "Cochran's Q: Q(2) = 8.471, p = 0.0145"


def test_cochrans_q_by_hand():
    # Totals 3, 1, 1 of four rows with 2, 1, 1, 1 marks: 2 (3 x 11 - 25) / (15 - 7) = 2.
    assert cochran_q([[1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1]]).statistic == pytest.approx(2.0)


def test_cochrans_q_of_two_is_mcnemars_chi_square_without_correction():
    marks = np.array([[1, 0]] * 9 + [[0, 1]] * 3 + [[1, 1]] * 5)
    assert cochran_q(marks).statistic == pytest.approx((9 - 3) ** 2 / 12)


@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=1, max_size=30))
def test_cochrans_q_does_not_mind_agreement_order_or_turning(rows):
    marks = np.array(rows)
    q = cochran_q(marks).statistic
    assert cochran_q(np.vstack([marks, [[True] * 3, [False] * 3]])).statistic == pytest.approx(q)
    assert cochran_q(~marks[:, ::-1]).statistic == pytest.approx(q)


def test_cochrans_q_without_disagreement_and_of_nonsense():
    assert (cochran_q(np.ones((5, 3))).statistic, cochran_q(np.ones((5, 3))).p) == (0.0, 1.0)
    for odd in ([1, 0], [[1], [0]], [[2, 0]], np.empty((0, 3))):
        with pytest.raises(DataError, match="cochran_q"):
            cochran_q(odd)


# -- Wilson's interval for any loss ---------------------------------------------------------------


@given(st.integers(0, 50), st.integers(50, 60))
def test_between_0_and_1_it_is_wilsons(errors, n):
    found, wilson = score_interval(errors / n, n), error_interval(errors, n)
    assert tuple(found) == pytest.approx(tuple(wilson)) and errors / n in found


def test_other_ranges_are_stretched_and_no_bound_is_the_limit_of_far_ones():
    assert tuple(score_interval(0.6, 40, most=2.0)) == pytest.approx([2 * v for v in score_interval(0.3, 40)])
    far = score_interval(0.3, 40, 1e-7, most=1e7)
    assert tuple(score_interval(0.3, 40, most=np.inf)) == pytest.approx(tuple(far), rel=1e-5)
    assert score_interval(0.3, 40, 4.0).half > score_interval(0.3, 40).half


def test_an_estimate_outside_is_refused():
    for odd in ((1.2, 10), (0.5, 0), (0.5, 10, 0.0)):
        with pytest.raises(DataError, match="score_interval"):
            score_interval(*odd)
