from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen.data.table import Table
from acumen.errors import DataError, SchemaMismatch
from acumen.preprocessing.discretise.counts import ValueCounts
from acumen.preprocessing.discretise.discretisers import EntropyMDL
from acumen.preprocessing.discretise.entropy import boundary_points
from preprocessing_tables import NAN, repeated, table_of
from reference import entropy_mdl as twin


def cuts(values, labels, n_classes=3, weights=()):
    table = table_of({"x": values}, labels=labels, n_classes=n_classes, weights=weights)
    return EntropyMDL().fit(table).edges["x"].tolist()


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 2)), min_size=2, max_size=60))
def test_cuts_agree_with_brute_force_on_noise(rows):
    assert cuts([float(v) for v, _ in rows], [c for _, c in rows]) == twin.cuts(
        [(float(v), c) for v, c in rows]
    )


@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from([1, 3, 10]))
@settings(deadline=None)
def test_cuts_agree_with_brute_force_on_classes_that_overlap(seed, k, steps):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, size=80)
    values = np.round(rng.normal(labels * 2.0) * steps) / steps
    found = cuts(values, labels, k)
    assert found == twin.cuts(list(zip(values.tolist(), labels.tolist(), strict=True)))


def test_overlapping_classes_are_cut_more_than_once():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 60)
    assert len(cuts(rng.normal(labels * 4.0), labels)) >= 2


def test_iris_cuts_agree_with_brute_force():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    for column in X.T:
        assert cuts(column, y) == twin.cuts(list(zip(column.tolist(), y.tolist(), strict=True)))
    assert cuts(X[:, 2], y) == [2.45, 4.75]
    assert cuts(X[:, 3], y) == [0.8, 1.75]


def test_a_clean_cut_lies_in_the_middle():
    values, labels = [1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 9.0, 10.0], [0] * 4 + [1] * 4
    assert cuts(values, labels) == [5.5]
    binning = EntropyMDL().fit(table_of({"x": values}, labels=labels))
    assert binning["x"].levels == ("(-inf, 5.5]", "(5.5, inf)")


def test_what_says_nothing_about_the_class_is_not_cut():
    assert cuts([1.0, 2.0, 3.0, 4.0], [0, 0, 0, 0]) == []
    assert cuts([1.0, 1.0, 2.0, 2.0] * 5, [0, 1, 0, 1] * 5) == []
    assert cuts([float(i) for i in range(40)], [0, 1] * 20) == []
    assert cuts([NAN, NAN], [0, 1]) == []
    assert cuts([1.0, 1.0], [0, 1]) == []


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(-1, 2), st.integers(0, 4)), min_size=1, max_size=25
    ).filter(lambda rows: any(w for _, _, w in rows))
)
def test_a_weight_of_k_is_k_rows(rows):
    values, labels, weights = (list(part) for part in zip(*rows, strict=True))
    table = table_of({"x": values}, labels=labels, n_classes=3, weights=weights)
    assert (
        EntropyMDL().fit(table).edges["x"].tolist() == EntropyMDL().fit(repeated(table)).edges["x"].tolist()
    )


def test_fractional_weights_leave_no_ghosts_of_classes():
    # 0.1 + 0.2 - 0.3 is not 0: a class must not seem present where its weights cancelled.
    rng = np.random.default_rng(1)
    values = np.arange(90.0)
    labels = np.repeat([0, 1, 2], 30)
    assert cuts(values, labels, weights=np.full(90, 0.7)) == [29.5, 59.5]
    assert cuts(values, labels, weights=rng.uniform(0.5, 1.5, 90)) == [29.5, 59.5]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 2)), max_size=30), st.integers(0, 30))
def test_adding_summaries_is_reading_more(rows, at):
    values = np.array([v for v, _ in rows], dtype=float)
    labels = np.array([c for _, c in rows], dtype=np.int32)
    classes = ("a", "b", "c")
    none = np.empty(0)
    whole = ValueCounts.of("x", values, labels, none, classes)
    left = ValueCounts.of("x", values[:at], labels[:at], none, classes)
    right = ValueCounts.of("x", values[at:], labels[at:], none, classes)
    for parts in (left + right, right + left):
        np.testing.assert_array_equal(parts.values, whole.values)
        np.testing.assert_array_equal(parts.weights, whole.weights)
    assert whole.weights.sum() == len(rows)


def test_folds_solved_from_summaries_equal_refits():
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 2, size=300)
    table = table_of({"x": rng.normal(labels), "y": np.round(rng.normal(labels * 3), 1)}, labels=labels)
    fold = rng.integers(0, 5, size=300)
    discretiser = EntropyMDL()
    parts = [discretiser.summarise(table.take(fold == i)) for i in range(5)]
    for out in range(5):
        others = [part for i, part in enumerate(parts) if i != out]
        summed = sum(others[1:], start=others[0])
        refit = discretiser.fit(table.take(fold != out))
        for mine, theirs in zip(discretiser.solve(summed).intervals, refit.intervals, strict=True):
            assert mine.edges.tolist() == theirs.edges.tolist()


def test_cuts_follow_monotone_changes_of_the_values():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, size=120)
    values = rng.normal(labels * 3)
    codes = EntropyMDL().fit(table_of({"x": values}, labels=labels, n_classes=3))["x"].transform(values)
    other = np.exp(values)
    again = EntropyMDL().fit(table_of({"x": other}, labels=labels, n_classes=3))["x"].transform(other)
    np.testing.assert_array_equal(codes, again)


def test_boundary_points_lie_where_neighbours_are_not_of_one_class():
    weights = np.array([[1, 0], [2, 0], [0, 1], [0, 3], [1, 1], [1, 1]], dtype=float)
    assert boundary_points(weights).tolist() == [False, True, False, True, True]


def test_many_classes_do_not_overflow():
    values = np.repeat(np.arange(900.0), 2)
    assert isinstance(cuts(values, np.repeat(np.arange(900), 2), n_classes=900), list)


def test_a_target_is_needed_and_must_be_the_same():
    with pytest.raises(DataError, match="needs a nominal target"):
        EntropyMDL().fit(table_of({"x": [1.0]}))
    one = EntropyMDL().summarise(table_of({"x": [1.0]}, labels=[0], n_classes=2))
    two = EntropyMDL().summarise(table_of({"x": [1.0]}, labels=[0], n_classes=3))
    other = EntropyMDL().summarise(table_of({"y": [1.0]}, labels=[0], n_classes=2))
    for wrong in (two, other):
        with pytest.raises(SchemaMismatch):
            one + wrong
    assert isinstance(
        EntropyMDL().fit(table_of({"x": [1.0]}, labels=[0])).transform(table_of({"x": [1.0]})), Table
    )
