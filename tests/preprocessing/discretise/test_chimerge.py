"""ChiMerge: against its slow twin, by hand, and on real data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import DataError, ParameterError
from acumen.preprocessing.discretise.discretisers import ChiMerge, discretise_table
from preprocessing_tables import NAN, repeated, table_of
from reference.chimerge import chi_merge

ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=40)


def edges(values, labels, discretiser, **more):
    return discretiser.fit(table_of({"x": values}, labels=labels, **more)).edges["x"].tolist()


@given(ROWS, st.sampled_from([0.5, 0.9, 0.99]), st.integers(1, 4), st.none() | st.integers(4, 6))
def test_it_agrees_with_its_slow_twin(rows, significance, least, most):
    values, labels = [float(v) for v, _ in rows], [c for _, c in rows]
    made = edges(values, labels, ChiMerge(significance, least, most), n_classes=3)
    expected = chi_merge(values, labels, significance, least, most)
    distinct = len(set(values))
    assert len(made) + 1 >= min(least, distinct) and (most is None or len(made) < most)
    assert len(made) == len(expected)
    if len(set(labels)) < 3:  # with three classes equal statistics may differ in their last bit
        assert made == expected


def test_two_clean_halves_have_one_cut_by_hand():
    # chi2 of 5 rows of one class against 5 of the other is 10, the quantile of 0.95 is 3.84.
    assert edges(range(10), [0] * 5 + [1] * 5, ChiMerge()) == [4.5]
    # One row against one has chi2 = 2: merged at 0.95 (3.84), kept at 0.8 (1.64).
    assert edges([1.0, 2.0], [0, 1], ChiMerge(0.95)) == []
    assert edges([1.0, 2.0], [0, 1], ChiMerge(0.8)) == [1.5]


def test_limits_of_intervals_overrule_the_test():
    x, y = np.arange(60.0), (np.arange(60) // 10) % 2
    assert edges(x, y, ChiMerge(0.95)) == [9.5, 19.5, 29.5, 39.5, 49.5]
    assert len(edges(x, y, ChiMerge(0.95, max_intervals=3))) == 2
    assert len(edges(x, np.zeros(60, dtype=int), ChiMerge(0.95, min_intervals=4, max_intervals=None))) == 3


def test_kerber_finds_the_petals_of_iris():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    made = edges(X[:, 2], y, ChiMerge(0.95, max_intervals=6), n_classes=3)
    assert made == pytest.approx([2.45, 4.75, 5.15])
    assert chi_merge(X[:, 2].tolist(), y.tolist(), 0.95, 1, 6) == pytest.approx(made)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=20))
def test_a_weight_of_k_is_k_rows(rows):
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = table_of({"x": columns[0]}, labels=columns[1], weights=columns[2], n_classes=2)
    discretiser = ChiMerge(0.7)
    assert discretiser.fit(table).edges["x"].tolist() == discretiser.fit(repeated(table)).edges["x"].tolist()


@given(ROWS, st.integers(0, 40))
def test_adding_summaries_is_reading_more(rows, at):
    table = table_of({"x": [v for v, _ in rows]}, labels=[c for _, c in rows], n_classes=3)
    parts = [ChiMerge().summarise(table.take(part)) for part in (slice(0, at), slice(at, None))]
    made = ChiMerge().solve(parts[0] + parts[1])
    assert made.edges["x"].tolist() == ChiMerge().fit(table).edges["x"].tolist()


def test_degenerate_columns_and_targets():
    table = table_of({"constant": [2.0, 2.0, NAN], "missing": [NAN] * 3}, labels=[0, 1, -1], n_classes=2)
    made = discretise_table(table, "chi-merge")
    assert [a.levels for a in made.schema] == [("(-inf, inf)",)] * 2
    with pytest.raises(DataError, match="ChiMerge: it cuts where the class changes"):
        ChiMerge().fit(table_of({"x": [1.0]}))


@pytest.mark.parametrize(
    "wrong",
    [{"significance": 0}, {"significance": 1}, {"significance": "high"}, {"min_intervals": 0},
     {"max_intervals": 2.5}, {"min_intervals": 5, "max_intervals": 4}, {"closed": "both"}],
)  # fmt: skip
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match="ChiMerge"):
        ChiMerge(**wrong)
