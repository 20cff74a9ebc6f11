"""Rows of a sparse table: borrowed where they follow one another, and the same rows however taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array

import acumen
from acumen.data.block import sparse_rows

ends = st.none() | st.integers(-9, 9)


@given(ends, ends, st.sampled_from([None, 1, 2, -1]))
def test_slices_are_those_of_the_dense_matrix(start: int | None, stop: int | None, step: int | None) -> None:
    matrix = csr_matrix(random_array((7, 4), density=0.5, rng=np.random.default_rng(0)))
    rows = slice(start, stop, step)
    found = sparse_rows(matrix, rows)
    assert np.array_equal(found.toarray(), matrix.toarray()[rows])
    assert found.has_canonical_format


def test_neighbouring_rows_are_borrowed() -> None:
    table = acumen.read(csr_matrix(random_array((50, 6), density=0.5, rng=np.random.default_rng(1))))
    part = table.take(slice(10, 30))
    assert np.shares_memory(part.sparse.data, table.sparse.data)
    assert np.shares_memory(part.sparse.indices, table.sparse.indices)
    assert table.take(slice(None)).sparse is table.sparse


def test_positions_are_taken_in_their_order() -> None:
    matrix = csr_matrix(np.arange(12.0).reshape(4, 3))
    assert np.array_equal(sparse_rows(matrix, np.array([3, 0, 3])).toarray(), matrix.toarray()[[3, 0, 3]])


def test_a_plain_matrix_is_read_as_one_with_roles_is() -> None:
    matrix = csr_matrix(np.eye(3))
    plain, asked = acumen.read(matrix), acumen.read(matrix, kinds={"x0": "numeric"})
    assert plain.schema == asked.schema and plain.difference(asked) is None
    assert plain.schema.names == ("x0", "x1", "x2")
    with pytest.raises(acumen.errors.DataError, match="0 feature"):
        acumen.read(csr_matrix((3, 0)))
