"""`decide`: thresholds by costs, capacity and precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from acumen import decide
from acumen.errors import DataError, ParameterError
from acumen.models.decision import by_threshold, resolve_costs, threshold_costs

ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.2, 0.35, 0.5, 0.8, 1.0])), min_size=2, max_size=30
).filter(lambda rows: len({flag for flag, _ in rows}) == 2)


def called_at(rows, threshold):
    return [flag for flag, score in rows if score >= threshold]


@given(ROWS, st.sampled_from([0.0, 1.0, 5.0]), st.sampled_from([0.5, 1.0]))
def test_no_threshold_costs_less(rows, missed, alarm):
    y, scores = zip(*rows, strict=True)
    found = decide(y, scores, True, costs={"missed": missed, "alarm": alarm}, draws=5)
    positives = sum(y)

    def cost(threshold):
        called = called_at(rows, threshold)
        return missed * (positives - sum(called)) + alarm * (len(called) - sum(called))

    cheapest = min(cost(t) for t in [*scores, np.inf])
    assert cost(found.threshold) == pytest.approx(cheapest)
    assert found.apparent * len(rows) == pytest.approx(cheapest)
    assert found.everyone * len(rows) == pytest.approx(cost(0.0))
    assert found.no_one * len(rows) == pytest.approx(cost(np.inf))
    assert found.at_half * len(rows) == pytest.approx(cost(np.nextafter(0.5, 1)))
    assert found.found + found.misses == positives and found.called == len(called_at(rows, found.threshold))


@given(ROWS, st.integers(1, 40))
def test_no_more_than_the_capacity_are_called_and_ties_stay_together(rows, capacity):
    y, scores = zip(*rows, strict=True)
    found = decide(y, scores, True, capacity=capacity, draws=5)
    called = called_at(rows, found.threshold)
    assert len(called) == found.called <= capacity
    lower = [score for score in scores if score < found.threshold]
    if lower:  # the next group would not fit
        assert len(called_at(rows, max(lower))) > capacity


@given(ROWS, st.sampled_from([0.5, 0.75, 1.0]))
def test_of_the_thresholds_that_are_precise_enough_it_finds_most(rows, precision):
    y, scores = zip(*rows, strict=True)
    found = decide(y, scores, True, precision=precision, draws=5)
    most = 0
    for threshold in scores:
        called = called_at(rows, threshold)
        if len(called) >= min(10, len(rows)) and sum(called) >= precision * len(called) - 1e-9:
            most = max(most, sum(called))
    assert found.found == most
    assert not found.called or found.precision >= precision - 1e-9


@given(ROWS)
def test_a_weight_of_two_is_a_repeated_row(rows):
    y, scores = (np.array(each) for each in zip(*rows, strict=True))
    once = decide(y, scores, True, costs={"missed": 3, "alarm": 1}, weights=np.full(len(y), 2.0), draws=5)
    twice = decide(np.tile(y, 2), np.tile(scores, 2), True, costs={"missed": 3, "alarm": 1}, draws=5)
    assert once.to_dict() == twice.to_dict()


def test_weights_that_are_no_counts_are_drawn_too():
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    found = decide(
        rng.random(400) < scores, scores, True, costs={"missed": 2, "alarm": 1}, weights=rng.random(400)
    )
    assert found.low < found.value < found.high


def test_a_threshold_lies_between_scores_and_decides_as_costs_do():
    proba = np.array([[0.9, 0.1], [0.7, 0.3], [0.4, 0.6], [0.65, 0.35]])
    found = decide([0, 1, 1, 0], proba[:, 1], 1, costs={"missed": 5, "alarm": 1})
    assert found.threshold == pytest.approx(0.2)
    codes = by_threshold(proba, 1, found.threshold)
    costs = resolve_costs(threshold_costs(("no", "yes"), 1, found.threshold), ("no", "yes"), "decide")
    assert codes.tolist() == np.argmin(proba @ costs.T, axis=1).tolist() == [0, 1, 1, 1]


def test_of_several_classes_the_others_are_told_apart_by_probability():
    proba = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.3, 0.6, 0.1]])
    assert by_threshold(proba, 2, 0.2).tolist() == [2, 2, 1]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "give one of costs, capacity and precision; got none"),
        ({"capacity": 3, "precision": 0.5}, "got capacity and precision"),
        ({"costs": {"missed": 5}}, "also give the cost of alarm"),
        ({"costs": {"mised": 5, "alarm": 1}}, "Did you mean 'missed'"),
        ({"costs": {"missed": 0, "alarm": 0}}, "not both 0"),
        ({"costs": {"missed": -1, "alarm": 1}}, "at least 0"),
        ({"costs": 5}, "must name missed and alarm"),
        ({"capacity": 0}, "above 0"),
        ({"capacity": float("nan")}, "finite"),
        ({"precision": 1.5}, "at most 1"),
        ({"precision": 0.5, "level": 1}, "level"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(asked, said):
    with pytest.raises(ParameterError, match=said):
        decide([0, 1], [0.2, 0.7], 1, **asked)


def test_one_class_alone_cannot_be_decided_on():
    with pytest.raises(DataError):
        decide([1, 1], [0.2, 0.7], 1, capacity=1)


def test_nobody_and_everyone_are_decisions():
    nobody = decide([0, 0, 1], [0.9, 0.8, 0.1], 1, costs={"missed": 1, "alarm": 5})
    assert "Flag no row" in str(nobody) and nobody.to_dict()["threshold"] is None
    everyone = decide([1, 1, 0], [0.9, 0.1, 0.8], 1, costs={"missed": 9, "alarm": 1})
    assert "Flag every row" in str(everyone) and everyone.threshold == 0


@pytest.mark.slow
def test_the_interval_of_the_cost_holds_the_cost_on_new_rows_about_as_often_as_it_says():
    """Of 300 samples: the cost that the chosen threshold has in the population, known by arithmetic."""
    rng = np.random.default_rng(1)
    population = np.sort(rng.beta(1, 3, 200_000))
    below = np.cumsum(population)  # positives missed if all up to here are not called
    alarms = np.cumsum((1 - population)[::-1])[::-1]
    held = 0
    for seed in range(300):
        scores = rng.beta(1, 3, 300)
        y = rng.random(300) < scores
        found = decide(y, scores, True, costs={"missed": 4, "alarm": 1}, draws=200, random_state=seed)
        at = int(np.searchsorted(population, found.threshold))
        true = (4 * (below[at - 1] if at else 0.0) + (alarms[at] if at < len(alarms) else 0.0)) / len(
            population
        )
        held += found.low <= true <= found.high
    assert 0.90 <= held / 300 <= 0.99


# -- whether a wish will hold on new rows -----------------------------------------------------------------


def test_a_precision_that_no_threshold_has_is_said_not_to_be_met_with_the_highest_there_is():
    found = decide([0, 1] * 20, [0.9, 0.8] * 20, 1, precision=0.9)
    assert found.wish == "not met" and found.called == 0
    assert (
        "no threshold that selects 10 rows or more has a precision of 90.0 % on these rows. "
        "The highest is 50.0 %, with 40 rows selected."
    ) in str(found)
    assert found.to_dict()["wish"] == "not met"


def test_few_rows_that_are_all_right_are_not_sure_to_be_right_again():
    found = decide(
        [*[1] * 12, *[0] * 40, *[1] * 10], [*[0.95] * 12, *np.linspace(0.6, 0.1, 50)], 1, precision=0.95
    )
    assert found.called == found.found == 12 and found.wish == "not sure"
    assert found.low < 0.7575 and found.value < 1 == found.high  # below Wilson's, of 12 of 12
    assert "test on more rows" in str(found)


@pytest.mark.parametrize("precision", [0.3, 0.9])
def test_a_precision_is_never_answered_by_a_threshold_that_selects_a_few_lucky_rows(precision):
    y, scores = np.r_[1, 1, np.zeros(38), np.ones(2)], np.linspace(0.9, 0.1, 42)
    found = decide(y, scores, 1, precision=precision)
    assert found.called == 0 and found.wish == "not met"
    assert "no threshold that selects 10 rows or more" in str(found)
    more = decide(np.repeat(y, 10), np.repeat(scores, 10), 1, precision=precision)
    assert more.called == 20 and more.value < more.apparent == 1


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize(
    "base, precision, apart", [(0.2, 0.3, 0.0), (0.2, 0.5, 0.5), (0.05, 0.3, 1.0), (0.3, 0.8, 2.0)]
)
def test_the_precision_reported_is_not_above_that_on_new_rows(n, base, precision, apart):
    """Scores normal, `apart` standard deviations higher where positive; the true precision by arithmetic."""
    value, true, shown, held, tables = [], [], [], 0, 80
    for seed in range(tables):
        rng = np.random.default_rng([seed, n])
        y = rng.random(n) < base
        if not 0 < y.sum() < n:
            continue
        found = decide(
            y, rng.normal(size=n) + apart * y, True, precision=precision, draws=100, random_state=seed
        )
        if not found.called:
            continue
        right, wrong = base * ndtr(apart - found.threshold), (1 - base) * ndtr(-found.threshold)
        true.append(base if found.called == n else right / (right + wrong))
        value.append(found.value)
        shown.append(found.apparent)
        held += found.low <= true[-1] <= found.high
    assert np.mean(true) - 0.13 <= np.mean(value) <= np.mean(true) + 0.05
    assert np.mean(value) < np.mean(shown)
    assert held / len(value) >= 0.93 - 3 * np.sqrt(0.07 * 0.93 / len(value))


def test_a_precision_with_room_to_spare_is_met_and_one_at_the_edge_is_not_sure():
    rng = np.random.default_rng(0)
    scores = rng.random(4000)
    y = rng.random(4000) < np.where(scores > 0.5, 0.95, 0.05)
    assert (
        decide(y, scores, True, precision=0.5).wish == "not sure"
    )  # all rows that may go with it are called
    sharp = decide(y[scores > 0.6], scores[scores > 0.6], True, precision=0.8)
    assert sharp.wish == "met" and "The goal is met" in str(sharp)
    assert "below 50.0 %" in str(decide(y, scores, True, precision=0.5))


def test_a_capacity_is_counted_on_as_many_new_rows():
    rng = np.random.default_rng(1)
    scores = rng.random(2000)
    y = rng.random(2000) < scores
    found = decide(y, scores, True, capacity=200)
    assert found.wish == "not sure" and 0.35 < found.over < 0.65
    # A threshold and new rows are both left to chance: twice the variance of 200 of 2,000.
    spread = 1.96 * np.sqrt(2 * 2000 * 0.1 * 0.9)
    assert (found.calls_high - found.calls_low) / 2 == pytest.approx(spread, rel=0.2)
    assert "of 2,000 new rows this threshold flags" in str(found)
    assert decide(y, scores, True, capacity=5000).wish == "met"
    tied = decide([0, 1, 1, 0], [0.9, 0.9, 0.9, 0.1], 1, capacity=2)
    assert tied.wish == "not met" and "3 rows share the highest probability" in str(tied)


def test_a_threshold_that_is_no_cheaper_than_calling_everyone_says_so():
    rng = np.random.default_rng(2)
    scores = rng.uniform(0.4, 0.6, 60)
    y = rng.random(60) < 0.5
    found = decide(y, scores, True, costs={"missed": 3, "alarm": 1})
    assert found.wish is None and found.apparent <= found.everyone <= found.value
    assert "flagging everyone is expected to cost no more" in str(found)


@pytest.mark.slow
def test_a_precision_that_is_said_to_be_met_is_met_on_new_rows():
    """Of 300 samples of 400 rows: where the wish is said to be met it is in 95 % or more, and that is said often."""
    rng = np.random.default_rng(3)
    population = np.sort(rng.beta(2, 2, 200_000))
    above = np.cumsum(population[::-1])[::-1] / np.arange(len(population), 0, -1)  # precision from here on
    said = held = 0
    for seed in range(300):
        scores = rng.beta(2, 2, 400)
        found = decide(rng.random(400) < scores, scores, True, precision=0.45, draws=100, random_state=seed)
        if found.wish == "met":
            said += 1
            at = min(int(np.searchsorted(population, found.threshold)), len(population) - 1)
            held += above[at] >= 0.45
    assert said >= 100 and held / said >= 0.95


@pytest.mark.parametrize("asked", [{"costs": {"missed": 5.0, "alarm": 1.0}}, {"capacity": 2}], ids=str)
def test_four_rows_that_are_all_right_leave_doubt(asked):
    found = decide([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], 1, random_state=0, **asked)
    assert found.apparent in (0.0, 1.0)  # no error at all
    assert found.high - found.low > 0.4


def test_where_everyone_is_called_nobody_can_be_missed():
    found = decide([1, 1, 1, 1, 1, 0], [0.9] * 6, 1, costs={"missed": 100.0, "alarm": 1.0}, random_state=0)
    assert found.called == 6 and found.high <= 1.0
