"""Rows brought to a common size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen.errors import DataError, ModelFileError, ParameterError, SchemaMismatch
from acumen.preprocessing import RowScaler
from acumen.preprocessing.row_norms import NORMS
from preprocessing_tables import NAN, sparse_twin, table_of

KEEP = ("none", "euclidean", "sum", "max")


def made(rows, norm):
    values = np.array(rows, dtype=float)
    table = table_of({f"x{j}": column for j, column in enumerate(values.T)})
    return np.column_stack(RowScaler.fit(table, norm).transform(table).numeric.columns)


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("none", [3, 4, 0]),
        ("euclidean", [0.6, 0.8, 0]),
        ("sum", [3 / 7, 4 / 7, 0]),
        ("max", [0.75, 1, 0]),
        ("min-max", [0.75, 1, 0]),
        ("z-score", [0.39223227, 0.98058068, -1.37281295]),
        ("mean-deviation", [3 / 7, 15 / 14, -1.5]),
    ],
)
def test_the_pages_row(norm, expected):
    np.testing.assert_allclose(made([[3, 4, 0]], norm)[0], expected, rtol=1e-8)


@pytest.mark.parametrize(("norm", "oracle"), [("euclidean", "l2"), ("sum", "l1"), ("max", "max")])
def test_rows_agree_with_scikit_learn(norm, oracle):
    from sklearn.preprocessing import normalize

    rows = np.random.default_rng(0).normal(size=(40, 5))
    np.testing.assert_allclose(made(rows, norm), normalize(rows, norm=oracle), rtol=1e-13)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), min_size=1, max_size=5),
    st.sampled_from(NORMS[1:]),
    st.sampled_from([1e-3, 0.5, 7.0, 1e200]),
)
def test_a_multiple_of_a_row_becomes_the_same_row_and_no_row_minds_another(rows, norm, factor):
    rows = np.round(np.array(rows), 3)
    found = made(rows, norm)
    np.testing.assert_allclose(made(rows * factor, norm), found, atol=1e-7)
    np.testing.assert_array_equal(made(rows[:1], norm)[0], found[0])


@pytest.mark.parametrize("norm", NORMS)
def test_gaps_stay_gaps_and_nothing_stays_nothing(norm):
    found = made([[1.0, NAN, 3.0], [0.0, 0.0, 0.0], [NAN, NAN, NAN], [2.0, np.inf, 4.0]], norm)
    assert np.isnan(found[0, 1]) and np.isnan(found[2]).all() and found[3, 1] == np.inf
    assert (found[1] == 0).all()
    np.testing.assert_allclose(found[0, [0, 2]], made([[1.0, 3.0]], norm)[0])


@pytest.mark.parametrize("norm", ["min-max", "z-score", "mean-deviation"])
def test_a_row_of_equal_numbers_becomes_nothing(norm):
    assert (made([[0.1, 0.1, 0.1]], norm) == 0).all()


@pytest.mark.parametrize("norm", NORMS)
def test_sparse_rows_are_the_same_or_refused(norm):
    table = table_of({"a": [0.0, 3.0, 0.0, -1.0], "b": [2.0, 4.0, 0.0, NAN], "c": [0.0, 0.0, 0.0, 2.0]})
    twin = sparse_twin(table)
    view = RowScaler.fit(table, norm)
    if norm not in KEEP:
        with pytest.raises(DataError, match="would turn the zeros of a sparse table"):
            view.transform(twin)
        return
    dense = np.column_stack(view.transform(table).numeric.columns)
    np.testing.assert_allclose(view.transform(twin).sparse.toarray(), dense)
    assert np.nanmax(twin.sparse.data) == 4.0  # what came in is not edited


def test_a_row_scaler_comes_back_from_arrays_and_what_is_damaged_is_refused():
    table = table_of({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    view = RowScaler.fit(table, "sum")
    again = RowScaler.from_arrays(view.to_arrays())
    assert again.norm == "sum" and again.schema == view.schema
    with pytest.raises(ModelFileError, match="unknown norm 'huge'"):
        RowScaler.from_arrays(RowScaler(view.schema, "huge").to_arrays())
    with pytest.raises(ParameterError, match="norm must be one of none, euclidean"):
        RowScaler.fit(table, "euclid")
    with pytest.raises(SchemaMismatch):
        view.transform(table_of({"a": [1.0], "z": [3.0]}))
