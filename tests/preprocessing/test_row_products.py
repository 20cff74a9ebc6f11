"""Rows times a matrix: the same bits for a row, whichever rows come with it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from acumen.preprocessing.sparse import row_products


@pytest.mark.parametrize(("wide", "lines"), [(1, 1), (5, 2), (70, 1), (300, 3), (64, 64)])
def test_a_row_has_the_same_bits_alone_and_among_others(wide: int, lines: int) -> None:
    rng = np.random.default_rng(wide)
    rows, columns = rng.normal(size=(300, wide)), rng.normal(size=(wide, lines))
    whole = row_products(rows, columns)
    np.testing.assert_allclose(whole, rows @ columns, rtol=1e-12, atol=1e-12)
    for some in (np.arange(1), np.arange(63), np.array([5]), np.arange(100, 233), rng.permutation(300)):
        for layout in (np.ascontiguousarray, np.asfortranarray):
            assert row_products(layout(rows[some]), columns).tobytes() == whole[some].tobytes()


def test_sparse_rows_and_none_at_all_are_multiplied_too() -> None:
    columns = np.arange(6.0).reshape(3, 2)
    assert row_products(csr_matrix(np.eye(3)), columns).tolist() == columns.tolist()
    assert row_products(np.empty((0, 3)), columns).shape == (0, 2)
