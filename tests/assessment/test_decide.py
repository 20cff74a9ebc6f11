"""`decide`: thresholds by costs, capacity and precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import decide
from acumen.base.decision import by_threshold, resolve_costs, threshold_costs
from acumen.errors import DataError, ParameterError

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
    assert found.likeliest * len(rows) == pytest.approx(cost(np.nextafter(0.5, 1)))
    assert found.found + found.missed == positives and found.called == len(called_at(rows, found.threshold))


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
        if sum(called) >= precision * len(called) - 1e-9:
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
        ({"costs": {"missed": 5}}, "say what alarm costs too"),
        ({"costs": {"mised": 5, "alarm": 1}}, "Did you mean 'missed'"),
        ({"costs": {"missed": 0, "alarm": 0}}, "not both 0"),
        ({"costs": {"missed": -1, "alarm": 1}}, "at least 0"),
        ({"costs": 5}, "must name missed and alarm"),
        ({"capacity": 0}, "above 0"),
        ({"capacity": float("nan")}, "finite"),
        ({"precision": 1.5}, "1 at most"),
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
    assert "Call nobody" in str(nobody) and nobody.to_dict()["threshold"] is None
    everyone = decide([1, 1, 0], [0.9, 0.1, 0.8], 1, costs={"missed": 9, "alarm": 1})
    assert "Call everyone" in str(everyone) and everyone.threshold == 0


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
