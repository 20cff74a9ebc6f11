"""When an attribute is said to determine the class, and when it is not."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.profiling.card import inspect
from acumen.profiling.leaks import nominal_leak, numeric_leak
from card_tables import table_of


def leaking(card):
    return [f.column for f in card.findings if f.code == "leak"]


def distinct(values):
    return len(np.unique(values[~np.isnan(values)]))


def test_a_copy_of_the_class_is_a_leak():
    classes = ["yes", "no"] * 15
    card = inspect(table_of({"copy": ["Y", "N"] * 15, "other": ["a", "b", "c"] * 10}, classes))
    assert leaking(card) == ["copy"]


def test_a_finer_copy_is_a_leak():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 6, 300).astype(np.int32)
    assert nominal_leak(codes, codes % 3, 5).by == "levels"


def test_one_row_of_another_class_is_no_leak():
    labels = np.array([0, 1] * 50, dtype=np.int32)
    codes = labels.copy()
    assert nominal_leak(codes, labels, 1) is not None
    codes[0] = 1
    assert nominal_leak(codes, labels, 1) is None


@pytest.mark.parametrize(("n", "found"), [(8, False), (12, False), (20, True), (200, True)])
def test_a_tiny_table_accuses_nobody(n, found):
    labels = np.array([0, 1] * (n // 2), dtype=np.int32)
    assert (nominal_leak(labels.copy(), labels, 3) is not None) is found
    values = labels + np.arange(n) / (2 * n)
    assert (numeric_leak(values, labels, n, 3) is not None) is found


def test_a_threshold_that_separates_the_classes_is_a_leak():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 400).astype(np.int32)
    values = rng.random(400) + 2 * labels
    leak = numeric_leak(values, labels, distinct(values), 10)
    assert (leak.by, leak.pieces, leak.rows) == ("intervals", 2, 400)


def test_a_class_between_two_thresholds_is_a_leak():
    rng = np.random.default_rng(3)
    values = rng.normal(size=500)
    labels = (np.abs(values) < 0.7).astype(np.int32)
    assert numeric_leak(values, labels, distinct(values), 10).pieces == 3


def test_number_codes_of_one_class_each_are_a_leak():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 20, 1000).astype(float)
    labels = (values % 2).astype(np.int32)
    assert numeric_leak(values, labels, 20, 10).by == "levels"


@pytest.mark.parametrize("noise", [0.3, 0.05, 0.01])
def test_a_good_attribute_is_no_leak(noise):
    rng = np.random.default_rng(5)
    values = rng.normal(size=5000)
    labels = ((values > 0) ^ (rng.random(5000) < noise)).astype(np.int32)
    assert numeric_leak(values, labels, 5000, 1) is None


def test_random_numbers_are_no_leak():
    rng = np.random.default_rng(6)
    for n in (10, 30, 100, 10_000):
        labels = rng.integers(0, 2, n).astype(np.int32)
        assert numeric_leak(rng.random(n), labels, n, 1) is None


def test_random_levels_are_accused_at_most_as_often_as_stated():
    rng = np.random.default_rng(7)
    accused = 0
    for _ in range(2000):
        labels = (rng.random(20) < 0.4).astype(np.int32)
        accused += nominal_leak(rng.integers(0, 2, 20).astype(np.int32), labels, 1) is not None
    assert accused <= 5


def test_iris_petals_are_no_leak(iris_arrays):
    X, y = iris_arrays
    schema = Schema(
        tuple(Attribute(f"x{j}") for j in range(4)), Attribute("class", "nominal", ("s", "ve", "vi"))
    )
    card = inspect(Table(schema, 150, numeric=[*np.ascontiguousarray(X.T)], labels=y.astype(np.int32)))
    assert leaking(card) == []
    # Of setosa against the rest, petal length is one.
    one = (y == 0).astype(np.int32)
    assert numeric_leak(np.ascontiguousarray(X[:, 2]), one, distinct(X[:, 2]), 4).pieces == 2


@pytest.fixture(scope="module")
def iris_arrays():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def test_identifiers_are_named_as_such_and_not_as_leaks():
    n = 60
    classes = ["a"] * 30 + ["b"] * 30  # sorted by class, so that the row number separates them
    ids = [f"k{i:03d}" for i in range(n)]
    card = inspect(
        table_of({"row": np.arange(n), "key": ids, "x": np.random.default_rng(0).random(n)}, classes)
    )
    assert [f.column for f in card.findings if f.code == "id-like"] == ["row", "key"]
    assert leaking(card) == []


def test_measurements_are_not_taken_for_identifiers():
    rng = np.random.default_rng(8)
    card = inspect(table_of({"length": rng.random(200), "income": rng.choice(10**6, 200, replace=False)}))
    assert not [f for f in card.findings if f.code == "id-like"]


def test_shuffled_numbers_of_rows_are_identifiers():
    card = inspect(table_of({"number": np.random.default_rng(9).permutation(100) + 1000}))
    assert [f.code for f in card.findings if f.column] == ["id-like"]


def test_being_missing_can_give_the_class_away():
    rng = np.random.default_rng(10)
    labels = rng.integers(0, 2, 100)
    values = np.where(labels == 1, rng.random(100), np.nan)
    card = inspect(table_of({"body": values}, [str(c) for c in labels]))
    assert leaking(card) == ["body"]
    assert "whether column 'body' is missing" in next(f.text for f in card.findings if f.code == "leak")


def test_a_leak_among_the_known_rows_says_so():
    rng = np.random.default_rng(11)
    labels = rng.integers(0, 2, 200)
    codes = ["p" if c else "q" for c in labels]
    for i in range(0, 200, 3):
        codes[i] = None
    card = inspect(table_of({"copy": codes}, [str(c) for c in labels]))
    assert "in the 133 rows where both are known" in next(f.text for f in card.findings if f.code == "leak")


def test_being_missing_with_few_exceptions_nearly_gives_the_class_away():
    rng = np.random.default_rng(5)
    labels = (rng.random(600) < 0.25).astype(np.int32)
    codes = np.where(labels == 1, rng.integers(0, 3, 600), -1).astype(np.int32)
    forgotten = np.flatnonzero(labels)[:8]
    codes[forgotten] = -1
    leak = nominal_leak(codes, labels, 10)
    assert leak is not None and (leak.by, leak.wrong) == ("missing", 8)
    values = np.where(codes < 0, np.nan, rng.random(600))
    assert numeric_leak(values, labels, distinct(values), 10) == leak
    columns = {"reason": [None if c < 0 else "abc"[c] for c in codes]}
    card = inspect(table_of(columns, ["no" if c == 0 else "yes" for c in labels]))
    (found,) = [f for f in card.findings if f.code == "near-leak"]
    assert found.column == "reason" and found.count == 592 and "in 98.6 % of the rows" in found.text


def test_gaps_that_say_something_of_the_class_are_no_leak():
    rng = np.random.default_rng(6)
    labels = (rng.random(600) < 0.5).astype(np.int32)
    told = rng.random(600) < np.where(labels == 1, 0.85, 0.15)
    assert nominal_leak(np.where(told, 0, -1).astype(np.int32), labels, 10) is None


def test_of_tables_without_a_leak_gaps_accuse_no_column():
    rng = np.random.default_rng(7)
    for n in (12, 20, 40, 80):
        for _ in range(500):
            codes = np.where(rng.random(n) < 0.5, 0, -1).astype(np.int32)
            assert nominal_leak(codes, (rng.random(n) < 0.3).astype(np.int32), 3) is None
