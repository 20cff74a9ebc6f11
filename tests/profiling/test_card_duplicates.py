"""Duplicate and contradicting rows, against pandas and under a hash that always collides."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.profiling.duplicates import duplicates, first_equals, sources_of
from card_tables import table_of

cell = st.sampled_from([0.0, -0.0, 1.0, float("nan")])
rows = st.lists(
    st.tuples(cell, cell, st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y", None])),
    min_size=1,
    max_size=25,
)


def frame_and_table(made):
    columns = {name: [row[j] for row in made] for j, name in enumerate(["u", "v", "n"])}
    columns["n"] = [*columns["n"]]
    answers = [row[3] for row in made]
    table = table_of({**columns, "n": columns["n"] if any(columns["n"]) else ["a"] * len(made)}, answers)
    frame = pd.DataFrame({**columns, "n": table.column("n"), "class": answers})
    frame[["u", "v"]] += 0.0  # one zero
    return frame, table


@given(rows)
def test_repeats_are_those_of_pandas(made):
    frame, table = frame_and_table(made)
    assert duplicates(table).rows == int(frame.duplicated().sum())


@given(rows)
def test_conflicts_are_those_of_a_group_by(made):
    frame, table = frame_and_table(made)
    known = frame[frame["class"].notna()]
    groups = known.groupby(["u", "v", "n"], dropna=False)["class"].agg(["nunique", "size"])
    torn = groups[groups["nunique"] > 1]
    found = duplicates(table)
    assert (found.conflict_groups, found.conflict_rows) == (len(torn), int(torn["size"].sum()))
    for a, b in found.conflict_pairs:
        one, two = frame.iloc[a - 1], frame.iloc[b - 1]
        assert one[["u", "v", "n"]].equals(two[["u", "v", "n"]]) and one["class"] != two["class"]


@given(rows)
def test_colliding_hashes_change_nothing(made):
    _, table = frame_and_table(made)
    sources = sources_of(table)
    constant = first_equals(sources, len(table), lambda _, n: np.zeros(n, dtype=np.uint64))
    assert np.array_equal(constant, first_equals(sources, len(table)))


def test_first_rows_are_named_from_one():
    table = table_of({"x": [1, 2, 1, 2, 1, 3]}, ["a", "b", "a", "a", "b", "a"])
    found = duplicates(table)
    assert (found.rows, found.pairs) == (1, ((1, 3),))
    assert (found.conflict_groups, found.conflict_rows) == (2, 5)
    assert found.conflict_pairs == ((1, 5), (2, 4))


def test_texts_are_compared_whole():
    table = table_of({"t": ["one", "two", None, "one", None]}, text=["t"])
    assert duplicates(table).pairs == ((1, 4), (3, 5))


def test_a_numeric_target_must_repeat_too():
    schema = Schema((Attribute("x"),), Attribute("y"))
    table = Table(
        schema, 4, numeric=[np.array([1.0, 1.0, 1.0, 2.0])], response=np.array([5.0, 6.0, 5.0, 5.0])
    )
    found = duplicates(table)
    assert (found.rows, found.pairs, found.conflict_rows) == (1, ((1, 3),), 0)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.0, 1.0, float("nan")]), min_size=3, max_size=3), max_size=15)
)
def test_sparse_tables_have_the_duplicates_of_dense_ones(made):
    if not made:
        return
    dense = np.array(made)
    matrix = csr_matrix(dense)
    matrix.data = np.concatenate([matrix.data])
    attributes = tuple(Attribute(f"x{j}") for j in range(3))
    sparse_table = Table(Schema(attributes), len(dense), sparse=matrix)
    dense_table = Table(Schema(attributes), len(dense), numeric=[*np.ascontiguousarray(dense.T)])
    assert duplicates(sparse_table) == duplicates(dense_table)


def test_an_explicit_zero_is_a_zero():
    matrix = csr_matrix((np.array([1.0, 0.0, 1.0]), ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    table = Table(Schema((Attribute("a"), Attribute("b"))), 2, sparse=matrix)
    assert duplicates(table).rows == 1
    assert matrix.nnz == 3  # the caller's matrix is left as it was


@pytest.mark.parametrize("n", [0, 1])
def test_tables_of_no_or_one_row_have_none(n):
    assert duplicates(table_of({"x": [1.0] * n})).rows == 0
