"""Given edges, equal width and equal frequency."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import DataError, ParameterError
from acumen.preprocessing.discretise.discretisers import (
    Binning,
    EqualFrequency,
    EqualWidth,
    GivenEdges,
    discretise_table,
)
from preprocessing_tables import NAN, repeated, table_of


def uci_iris_2d():
    """Sepal length and width of the UCI rows; class 0 is setosa, 1 the others."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    X[34] = X[37] = [4.9, 3.1, 1.5, 0.1]
    return table_of({"length": X[:, 0], "width": X[:, 1]}, labels=(y > 0).astype(int))


def test_w000_06_joint_counts_of_discretised_iris():
    table = uci_iris_2d()
    length = EqualWidth(4).fit(table.select(["length"]))
    width = EqualWidth(3).fit(table.select(["width"]))
    binning = Binning((*length.intervals, *width.intervals))
    assert binning["length"].levels == ("[4.3, 5.2]", "(5.2, 6.1]", "(6.1, 7]", "(7, 7.9]")
    assert binning["width"].levels == ("[2, 2.8]", "(2.8, 3.6]", "(3.6, 4.4]")
    made = binning.transform(table)
    joint = np.zeros((2, 4, 3), dtype=int)
    np.add.at(joint, (made.labels, *made.nominal.columns), 1)
    assert joint[0].tolist() == [[1, 33, 5], [0, 3, 8], [0, 0, 0], [0, 0, 0]]
    assert joint[1].tolist() == [[6, 0, 0], [24, 15, 0], [13, 30, 0], [3, 7, 2]]
    # The document prints 13/50 for the second of these margins, an erratum.
    assert joint[0].sum(axis=1).tolist() == [39, 11, 0, 0]


def test_w000_15_class_counts_of_discretised_length():
    made = discretise_table(uci_iris_2d().select(["length"]), EqualWidth(4))
    counts = np.zeros((2, 4), dtype=int)
    np.add.at(counts, (made.labels, made.nominal.columns[0]), 1)
    assert counts.tolist() == [[39, 11, 0, 0], [6, 39, 43, 12]]


@pytest.mark.parametrize(("discretiser", "strategy"), [(EqualWidth, "uniform"), (EqualFrequency, "quantile")])
def test_bins_agree_with_kbins_discretizer(discretiser, strategy):
    from sklearn.preprocessing import KBinsDiscretizer

    X = np.random.default_rng(4).normal(size=(240, 3))
    table = table_of({f"x{j}": X[:, j] for j in range(3)})
    for bins in (2, 3, 8):
        oracle = KBinsDiscretizer(
            bins, encode="ordinal", strategy=strategy, quantile_method="linear", subsample=None
        )
        made = discretise_table(table, discretiser(bins, closed="left")).nominal.matrix()
        np.testing.assert_array_equal(made, oracle.fit_transform(X))


@given(st.lists(st.integers(0, 12), min_size=1, max_size=30), st.integers(1, 6))
def test_each_equal_frequency_cut_is_the_nearest_there_is(values, bins):
    table = table_of({"x": values})
    edges = EqualFrequency(bins).fit(table).edges["x"]
    distinct = sorted(set(values))
    left = {(a + b) / 2: sum(v <= a for v in values) for a, b in pairwise(distinct)}
    expected = set()
    for i in range(1, bins if left else 1):
        expected.add(min(left, key=lambda edge: (abs(left[edge] * bins - len(values) * i), edge)))
    assert edges.tolist() == sorted(expected)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3)), min_size=1, max_size=15), st.integers(1, 5))
def test_a_weight_of_k_is_k_rows(rows, bins):
    table = table_of({"x": [x for x, _ in rows]}, weights=[w for _, w in rows])
    tenths = table_of({"x": [x for x, _ in rows]}, weights=[w / 10 for _, w in rows])
    for discretiser in (EqualWidth(bins), EqualFrequency(bins)):
        expected = discretiser.fit(repeated(table)).edges["x"].tolist()
        assert discretiser.fit(table).edges["x"].tolist() == expected
        assert discretiser.fit(tenths).edges["x"].tolist() == expected


@given(st.lists(st.floats(-1e300, 1e300) | st.just(NAN), min_size=1, max_size=20), st.integers(0, 20))
def test_adding_summaries_is_reading_more(values, at):
    table = table_of({"x": values})
    for discretiser in (EqualWidth(3), EqualFrequency(3), GivenEdges([1.0])):
        parts = discretiser.summarise(table.take(slice(0, at))) + discretiser.summarise(
            table.take(slice(at, None))
        )
        mine, whole = discretiser.solve(parts)["x"], discretiser.fit(table)["x"]
        assert mine.edges.tolist() == whole.edges.tolist() and mine.levels == whole.levels


@pytest.mark.parametrize("discretiser", [EqualWidth(3), EqualFrequency(3)])
def test_degenerate_columns_have_one_interval(discretiser):
    table = table_of({"constant": [2.0, 2.0, NAN], "missing": [NAN] * 3, "wild": [np.inf, 1.0, -np.inf]})
    made = discretise_table(table, discretiser)
    assert [a.levels for a in made.schema] == [("[2, 2]",), ("(-inf, inf)",), ("[1, 1]",)]
    assert made.nominal.matrix().T.tolist() == [[0, 0, -1], [-1, -1, -1], [0, 0, 0]]
    assert len(discretise_table(table.take(slice(0, 0)), discretiser)) == 0


def test_ranges_wider_than_the_largest_number_are_cut():
    edges = EqualWidth(4).fit(table_of({"x": [-1.7e308, 1.7e308]})).edges["x"]
    assert edges.tolist() == [-8.5e307, 0.0, 8.5e307]
    assert EqualFrequency(2).fit(table_of({"x": [-1.7e308, 1.7e308]})).edges["x"].tolist() == [0.0]


def test_ranges_of_few_binary_numbers_are_cut_as_far_as_they_go():
    low = 1.0
    high = np.nextafter(np.nextafter(low, 2), 2)
    edges = EqualWidth(10).fit(table_of({"x": [low, high]})).edges["x"]
    assert edges.tolist() == [np.nextafter(low, 2)]


def test_given_edges_cut_all_attributes_or_the_named_ones():
    table = table_of({"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 2.0]})
    assert discretise_table(table, GivenEdges([1, 0.5, 1])).nominal.matrix().T.tolist() == [[0, 1, 2]] * 2
    made = discretise_table(table, GivenEdges({"y": [1]}, closed="left"))
    assert [a.kind for a in made.schema] == ["numeric", "ordinal"]
    assert made.nominal.columns[0].tolist() == [0, 1, 1]
    assert made.numeric.columns[0] is table.numeric.columns[0]
    with pytest.raises(DataError, match="no numeric attribute 'z'"):
        GivenEdges({"z": [1]}).fit(table)


@pytest.mark.parametrize(
    "make",
    [lambda: EqualWidth(0), lambda: EqualWidth(2.5), lambda: EqualFrequency(True), lambda: EqualWidth(3, "both"),
     lambda: EqualFrequency(3, "none"), lambda: GivenEdges([NAN]), lambda: GivenEdges([1], "up")],
)  # fmt: skip
def test_wrong_parameters_are_refused(make):
    with pytest.raises(ParameterError):
        make()
