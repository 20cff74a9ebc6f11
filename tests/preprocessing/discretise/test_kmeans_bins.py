"""Bins by k-means: against every partition there is, and Lloyd's algorithm."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import ParameterError
from acumen.preprocessing.discretise.discretisers import KMeansBins, discretise_table
from preprocessing_tables import NAN, repeated, table_of


def within(values, weights, codes):
    """The weighted sum of squares around the means of the groups."""
    total = 0.0
    for code in np.unique(codes):
        here = codes == code
        mean = np.average(values[here], weights=weights[here])
        total += float((weights[here] * (values[here] - mean) ** 2).sum())
    return total


def best(values, weights, bins):
    """The least sum of squares over all ways of cutting the distinct values."""
    distinct = np.unique(values)
    found = np.inf
    for cuts in combinations(range(1, len(distinct)), min(bins, len(distinct)) - 1):
        codes = np.searchsorted(np.array(cuts), np.searchsorted(distinct, values), side="right")
        found = min(found, within(values, weights, codes))
    return found


@given(
    st.lists(st.tuples(st.integers(-30, 30), st.integers(1, 4)), min_size=1, max_size=12),
    st.integers(1, 5),
    st.sampled_from(["left", "right"]),
)
def test_no_partition_is_better(rows, bins, closed):
    values, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    intervals = KMeansBins(bins, closed).fit(table_of({"x": values}, weights=weights))["x"]
    assert len(intervals) == min(bins, len(np.unique(values)))
    made = within(values, weights, intervals.transform(values))
    assert made == pytest.approx(best(values, weights, bins), abs=1e-9)


def test_w001_28_two_pairs_are_parted_between_them():
    intervals = KMeansBins(2).fit(table_of({"x": [0.0, 1.0, 4.0, 5.0]}))["x"]
    assert intervals.edges.tolist() == [2.5] and intervals.levels == ("[0, 2.5]", "(2.5, 5]")


def test_it_is_never_worse_than_lloyd_and_edges_lie_between_centres():
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(m, s, 120) for m, s in ((0, 1), (4, 0.5), (9, 2))])
    ones = np.ones(len(values))
    for bins in (2, 3, 7):
        intervals = KMeansBins(bins).fit(table_of({"x": values}))["x"]
        codes = intervals.transform(values)
        oracle = KMeans(bins, n_init=5, random_state=0).fit(values[:, None])
        assert within(values, ones, codes) <= oracle.inertia_ * (1 + 1e-9)
        centres = [values[codes == c].mean() for c in range(bins)]
        assert intervals.edges == pytest.approx([(a + b) / 2 for a, b in pairwise(centres)])


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3)), min_size=1, max_size=15), st.integers(1, 5))
def test_a_weight_of_k_is_k_rows(rows, bins):
    table = table_of({"x": [x for x, _ in rows]}, weights=[w for _, w in rows])
    discretiser = KMeansBins(bins)
    assert discretiser.fit(table).edges["x"].tolist() == discretiser.fit(repeated(table)).edges["x"].tolist()


@given(st.lists(st.floats(-1e300, 1e300) | st.just(NAN), min_size=1, max_size=20), st.integers(0, 20))
def test_adding_summaries_is_reading_more(values, at):
    table, discretiser = table_of({"x": values}), KMeansBins(3)
    parts = [discretiser.summarise(table.take(part)) for part in (slice(0, at), slice(at, None))]
    mine, whole = discretiser.solve(parts[0] + parts[1])["x"], discretiser.fit(table)["x"]
    assert mine.edges.tolist() == whole.edges.tolist() and mine.levels == whole.levels


def test_degenerate_columns_have_one_interval():
    table = table_of({"constant": [2.0, 2.0, NAN], "missing": [NAN] * 3, "wild": [np.inf, 1.0, -np.inf]})
    made = discretise_table(table, "k-means")
    assert [a.levels for a in made.schema] == [("[2, 2]",), ("(-inf, inf)",), ("[1, 1]",)]
    assert KMeansBins(2).fit(table_of({"x": [-1.7e308, 1.7e308]})).edges["x"].tolist() == [0.0]
    tiny = KMeansBins(2).fit(table_of({"x": [0.0, 5e-324]}))["x"]
    assert tiny.transform(np.array([0.0, 5e-324])).tolist() == [0, 1]


@pytest.mark.parametrize(
    "make", [lambda: KMeansBins(0), lambda: KMeansBins(2.5), lambda: KMeansBins(3, "up")]
)
def test_wrong_parameters_are_refused(make):
    with pytest.raises(ParameterError, match="KMeansBins"):
        make()
