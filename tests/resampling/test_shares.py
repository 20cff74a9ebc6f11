"""Test sets that are a share of the rows, drawn with and without replacement, and slices of time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit

from acumen import Bootstrap, Holdout, Subsample, ThreeWay, TimeSlice
from acumen.errors import ParameterError

rows = st.lists(st.integers(0, 3), min_size=3, max_size=80)
seeds = st.integers(0, 99)


def assert_partition(n, *parts):
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))
    for part in parts:
        assert part.dtype == np.intp and len(part) and np.all(np.diff(part) > 0)


@given(rows, st.floats(0.01, 0.99), seeds)
def test_a_holdout_keeps_back_its_share_of_every_class(labels, fraction, seed):
    n = len(labels)
    (split,) = Holdout(fraction).splits(n, labels, seed)
    assert_partition(n, split.train, split.test)
    m = min(max(1, round(fraction * n)), n - 1)
    assert len(split.test) == m
    for label in set(labels):
        expected = labels.count(label) * m / n
        found = np.count_nonzero(np.array(labels)[split.test] == label)
        assert math.floor(expected) <= found <= math.ceil(expected)


def test_a_third_is_kept_back_by_default():
    (split,) = Holdout().splits(150, np.repeat([0, 1, 2], 50), 0)
    assert len(split.test) == 50


def test_every_row_is_as_likely_to_be_tested_as_any_other():
    # 400 draws of 3 out of 7: a row's count is binomial, mean 171, sd 9.9
    times = np.zeros(7)
    for split in Subsample(400, 3 / 7).splits(7, [0, 0, 0, 0, 1, 1, 2], 1):
        times[split.test] += 1
    assert np.all(np.abs(times - 400 * 3 / 7) < 4 * 9.9)


@given(rows, seeds)
def test_three_ways_share_out_all_rows(labels, seed):
    n = len(labels)
    (split,) = ThreeWay(0.6, 0.2).splits(n, labels, seed)
    assert split.validation is not None
    assert_partition(n, split.train, split.validation, split.test)
    assert abs(len(split.validation) - 0.2 * n) <= 1 and abs(len(split.test) - 0.2 * n) <= 1


@given(rows, seeds)
def test_the_first_subsamples_do_not_depend_on_how_many_follow(labels, seed):
    few, many = (list(Subsample(r, 0.25).splits(len(labels), labels, seed)) for r in (2, 4))
    for a, b in zip(few, many[:2], strict=True):
        assert np.array_equal(a.test, b.test) and a.repeat == b.repeat
        assert_partition(len(labels), a.train, a.test)


@given(st.lists(st.integers(0, 8), min_size=6, max_size=60), st.booleans(), seeds)
def test_groups_stay_together(groups, stratified, seed):
    n, labels = len(groups), np.arange(len(groups)) % 2
    if len(set(groups)) < 3:
        return
    groups = np.array(groups)
    for plan in (Holdout(0.3, stratified, groups), Subsample(2, 0.3, stratified, groups),
                 ThreeWay(0.5, 0.3, stratified, groups)):  # fmt: skip
        for split in plan.splits(n, labels, seed):
            parts = [split.train, split.test]
            parts += [] if split.validation is None else [split.validation]
            assert_partition(n, *parts)
            assert sum(len(set(groups[part])) for part in parts) == len(set(groups))


def test_a_grouped_holdout_comes_near_its_share():
    groups = np.repeat(np.arange(60), 5)
    (split,) = Holdout(0.2, groups=groups).splits(300, None, 0)
    assert abs(len(split.test) - 60) <= 5


# -- bootstrap --------------------------------------------------------------------------------------


@given(st.integers(2, 40), st.sampled_from(["632", "632+", "out-of-bag"]), seeds)
def test_a_bootstrap_tests_the_rows_it_did_not_draw(n, kind, seed):
    splits = list(Bootstrap(3, kind).splits(n, None, seed))
    assert [s.repeat for s in splits] == [0, 1, 2]
    for split in splits:
        assert len(split.train) == n and np.all(np.diff(split.train) >= 0)
        assert len(split.test) and set(split.test.tolist()) == set(range(n)) - set(split.train.tolist())


def test_a_plain_bootstrap_tests_all_rows():
    for split in Bootstrap(3, "plain").splits(9, None, 0):
        assert split.test.tolist() == list(range(9)) and len(split.train) == 9


def test_w000_41_and_w004_02_a_share_of_1_over_e_is_not_drawn():
    assert math.isclose((1 - 1 / 150) ** 150, 0.3666497587, abs_tol=5e-11)
    shares = [len(s.test) / 150 for s in Bootstrap(400, "out-of-bag").splits(150, None, 0)]
    # The share of one sample has a standard deviation of about 0.025, the mean of 400 one of 0.0013.
    assert abs(np.mean(shares) - 0.3666497587) < 0.005
    unique = [len(set(s.train.tolist())) / 10_000 for s in Bootstrap(5, "plain").splits(10_000, None, 0)]
    assert np.allclose(unique, 1 - math.exp(-1), atol=0.02)
    assert math.isclose(1 - math.exp(-1), 0.6321205588, abs_tol=5e-11)


# -- time -------------------------------------------------------------------------------------------


@given(st.integers(2, 6), st.integers(7, 60), st.integers(0, 3), st.booleans())
def test_time_slices_are_those_of_scikit_learn(k, n, gap, sliding):
    size = n // (k + 1)
    first = n - k * size - gap
    if first < 1:
        with pytest.raises(ParameterError, match=f"a gap of {gap} leaves no row"):
            list(TimeSlice(k, gap=gap).splits(n))
        return
    ours = TimeSlice(k, "sliding" if sliding else "expanding", gap).splits(n)
    theirs = TimeSeriesSplit(k, gap=gap, max_train_size=first if sliding else None).split(np.zeros(n))
    for fold, (split, (train, test)) in enumerate(zip(ours, theirs, strict=True)):
        assert np.array_equal(split.train, train) and np.array_equal(split.test, test)
        assert split.fold == fold and split.train.max() < split.test.min()


def test_lengths_are_known_beforehand():
    for plan, length in [
        (Holdout(), 1),
        (ThreeWay(), 1),
        (Subsample(7), 7),
        (Bootstrap(), 50),
        (TimeSlice(4), 4),
    ]:
        assert plan.len_for(30) == length == len(list(plan.splits(30, random_state=0)))
        assert str(plan)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Holdout(0), "Holdout: fraction must be a number between 0 and 1; got 0"),
        (lambda: Holdout(1.0), "fraction must be a number between 0 and 1"),
        (lambda: Holdout(float("nan")), "fraction must be"),
        (lambda: ThreeWay(0.6, 0.4), "must sum to less than 1"),
        (lambda: Subsample(0), "Subsample: n_repeats must be a whole number of at least 1; got 0"),
        (lambda: Bootstrap(3, "633"), "got '633'. Did you mean '632'?"),
        (lambda: Bootstrap(-1), "Bootstrap: n_repeats"),
        (lambda: TimeSlice(3, "rolling"), "window must be 'expanding' or 'sliding'; got 'rolling'"),
        (lambda: TimeSlice(3, gap=-1), "gap must be a whole number of at least 0; got -1"),
        (lambda: next(TimeSlice(3).splits(3)), "at least 4 rows"),
        (lambda: next(Holdout().splits(1)), "at least 2 rows for 2 parts; got 1"),
        (lambda: next(ThreeWay().splits(2)), "at least 3 rows for 3 parts; got 2"),
        (lambda: next(Bootstrap().splits(1)), "at least 2 rows to draw from; got 1"),
        (lambda: next(Holdout(groups=[1, 1, 1]).splits(3)), "at least 2 groups; all rows belong to 1"),
    ],
)
def test_impossible_shares_are_refused_in_a_sentence(make, words):
    with pytest.raises(ParameterError) as raised:
        make()
    assert words in str(raised.value)


@pytest.mark.parametrize("kind", ["632", "out-of-bag", "plain"])
def test_a_bootstrap_by_groups_draws_whole_groups(kind):
    groups = np.repeat(["p", "q", "r", "s"], [1, 4, 2, 3])
    for split in Bootstrap(20, kind, groups=groups).splits(10, None, 0):
        drawn, times = np.unique(split.train, return_counts=True)
        for group in "pqrs":
            of_group = times[groups[drawn] == group]
            assert len(of_group) in (0, (groups == group).sum()) and len(set(of_group)) <= 1
        if kind != "plain":
            assert len(split.test) and not set(groups[split.train]) & set(groups[split.test])
    with pytest.raises(ParameterError, match="at least 2 groups"):
        next(Bootstrap(2, groups=[1, 1, 1]).splits(3))
