"""K folds and leave-one-out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import KFold, LeaveOneOut
from acumen.errors import DataError, ParameterError

cases = st.tuples(
    st.integers(2, 7), st.lists(st.integers(-1, 4), min_size=7, max_size=60), st.integers(0, 99)
)


def sizes(codes, k):
    return np.bincount(codes, minlength=k)


@given(cases, st.booleans())
def test_every_row_is_tested_once_in_each_repeat(case, stratified):
    k, labels, seed = case
    plan = KFold(k, n_repeats=2, stratified=stratified)
    splits = list(plan.splits(len(labels), labels, seed))
    assert len(splits) == plan.len_for(len(labels)) == 2 * k
    for repeat in range(2):
        tested = np.concatenate([s.test for s in splits if s.repeat == repeat])
        assert sorted(tested.tolist()) == list(range(len(labels)))
    for split in splits:
        both = np.concatenate([split.train, split.test])
        assert sorted(both.tolist()) == list(range(len(labels)))
        assert split.train.dtype == split.test.dtype == np.intp
        assert np.all(np.diff(split.train) > 0) and np.all(np.diff(split.test) > 0)


@given(cases)
def test_stratified_folds_differ_by_at_most_one_row_in_size_and_in_every_class(case):
    k, labels, seed = case
    (codes,) = KFold(k).part_codes(len(labels), labels, seed)
    assert np.ptp(sizes(codes, k)) <= 1
    for label in set(labels):
        assert np.ptp(sizes(codes[np.array(labels) == label], k)) <= 1


@given(cases)
def test_part_codes_are_the_folds_of_the_splits(case):
    k, labels, seed = case
    plan = KFold(k, n_repeats=3)
    codes = plan.part_codes(len(labels), labels, seed)
    assert codes.dtype == np.int32 and codes.shape == (3, len(labels))
    for split in plan.splits(len(labels), labels, seed):
        assert np.array_equal(np.flatnonzero(codes[split.repeat] == split.fold), split.test)


@given(cases)
def test_a_repeat_does_not_depend_on_how_many_there_are(case):
    k, labels, seed = case
    few = KFold(k, n_repeats=2).part_codes(len(labels), labels, seed)
    many = KFold(k, n_repeats=5).part_codes(len(labels), labels, seed)
    assert np.array_equal(few, many[:2])


def test_repeats_and_seeds_give_other_folds():
    one, two = KFold(5, n_repeats=2).part_codes(100, random_state=1)
    other = KFold(5).part_codes(100, random_state=2)[0]
    assert not np.array_equal(one, two) and not np.array_equal(one, other)


def test_labels_of_any_type_give_the_folds_of_their_codes():
    codes = np.array([0, 1, 2, 1, 0, 2, 2, 1, 0, 0])
    words = np.array(["a", "b", "c"])[codes]
    expected = KFold(3).part_codes(10, codes, 4)
    assert np.array_equal(KFold(3).part_codes(10, words, 4), expected)
    missing = np.array(["a", None, "c"], dtype=object)[codes]
    (folds,) = KFold(3).part_codes(10, missing, 4)
    assert np.ptp(sizes(folds[codes == 1], 3)) <= 1
    (folds,) = KFold(3).part_codes(10, np.array([0.5, np.nan, 2])[codes].astype(object), 4)
    assert np.ptp(sizes(folds[codes == 1], 3)) <= 1


@given(
    st.integers(2, 4),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=12, max_size=80),
    st.booleans(),
    st.integers(0, 99),
)
def test_a_group_is_never_in_train_and_test_both(k, rows, stratified, seed):
    groups, labels = np.array(rows).T
    if len(set(groups)) < k:
        return
    plan = KFold(k, stratified=stratified, groups=groups)
    for split in plan.splits(len(rows), labels, seed):
        assert len(split.test) and not set(groups[split.train]) & set(groups[split.test])
    if not stratified:
        (codes,) = plan.part_codes(len(rows), labels, seed)
        assert np.ptp(sizes(codes, k)) <= np.bincount(groups).max()


def test_grouped_folds_balance_the_classes_where_they_can():
    groups = np.repeat(np.arange(30), 4)
    labels = np.repeat(np.arange(30) % 3 == 0, 4)
    (codes,) = KFold(5, groups=groups).part_codes(120, labels, 0)
    assert sizes(codes[labels], 5).tolist() == [8] * 5
    assert sizes(codes, 5).tolist() == [24] * 5


@pytest.mark.parametrize("seed", [np.random.SeedSequence(5), np.int64(5)], ids=["sequence", "numpy"])
def test_seeds_of_several_kinds_mean_the_same(seed):
    assert np.array_equal(KFold(3).part_codes(20, None, seed), KFold(3).part_codes(20, None, 5))


def test_generators_are_drawn_from():
    for make in (np.random.default_rng, np.random.RandomState):
        source = make(3)
        first, second = (KFold(3).part_codes(30, None, source) for _ in range(2))
        assert not np.array_equal(first, second)
        assert np.array_equal(first, KFold(3).part_codes(30, None, make(3)))
    assert not np.array_equal(KFold(3).part_codes(50), KFold(3).part_codes(50))


@given(st.integers(2, 30))
def test_leave_one_out_tests_each_row_on_all_the_others(n):
    splits = list(LeaveOneOut().splits(n))
    assert len(splits) == LeaveOneOut().len_for(n) == n
    for i, split in enumerate(splits):
        assert split.test.tolist() == [i] and split.fold == i
        assert split.train.tolist() == [j for j in range(n) if j != i]


def test_splits_are_made_when_asked_for():
    first = next(itertools.islice(LeaveOneOut().splits(10**6), 1))
    assert len(first.train) == 10**6 - 1


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: KFold(1), "n_splits must be a whole number of at least 2; got 1"),
        (lambda: KFold(2.5), "n_splits must be a whole number"),
        (lambda: KFold(True), "n_splits must be a whole number"),
        (lambda: KFold(3, n_repeats=0), "n_repeats must be a whole number of at least 1; got 0"),
        (lambda: KFold(3, stratified="yes"), "stratified must be true or false; got 'yes'"),
        (lambda: KFold(3, groups=[[1]]), "groups must be one value a row"),
        (lambda: next(KFold(5).splits(4)), "at least 5 rows for 5 folds; got 4"),
        (lambda: next(KFold(3, groups=[1, 1, 2, 2]).splits(4)), "got 2 groups and n_splits=3"),
        (
            lambda: KFold(3).part_codes(9, random_state=-1),
            "random_state must be a whole number of at least 0",
        ),
        (lambda: KFold(3).part_codes(9, random_state="x"), "random_state must be"),
        (lambda: next(LeaveOneOut().splits(1)), "at least 2 rows so that one can be left out; got 1"),
    ],
)
def test_impossible_plans_are_refused_in_a_sentence(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_labels_and_groups_must_be_one_a_row():
    with pytest.raises(DataError, match=r"there are 9 rows, but labels has the shape \(8,\)"):
        KFold(3).part_codes(9, np.zeros(8))
    with pytest.raises(DataError, match="groups has the shape"):
        KFold(3, groups=range(8)).part_codes(9)


def test_plans_are_values():
    assert KFold(3) == KFold(3) != KFold(4)
    assert KFold(3, groups=[1, 2]) == KFold(3, groups=[1, 2]) != KFold(3, groups=[1, 3])
    assert KFold(3) != LeaveOneOut() and LeaveOneOut() == LeaveOneOut()
    assert hash(KFold(3, groups=[1, 2])) == hash(KFold(3, groups=[1, 2]))
    assert repr(KFold(3, groups=[1, 2])) == "KFold(n_splits=3, n_repeats=1, stratified=True)"
    assert str(KFold(5, 2)) == "5-fold cross-validation, 2 times, stratified"
    groups = np.array([1, 2])
    plan = KFold(2, groups=groups)
    groups[0] = 9
    assert plan.groups.tolist() == [1, 2]


def test_leave_one_out_by_groups_leaves_out_whole_groups():
    groups = np.array(["b", "a", "b", "c"])
    plan = LeaveOneOut(groups=groups)
    assert [split.test.tolist() for split in plan.splits(4)] == [[1], [0, 2], [3]]
    assert all(len(split.train) + len(split.test) == 4 for split in plan.splits(4))
    assert plan.len_for(4) == 3 and str(plan) == "leave-one-group-out" and not plan.by_row
    with pytest.raises(ParameterError, match="at least 2 groups"):
        next(LeaveOneOut(groups=[1, 1]).splits(2))
