"""Putting tables together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from acumen.data.concat import concat
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, SchemaMismatch

SCHEMA = Schema(
    (Attribute("x"), Attribute("c", "nominal", ("a", "b")), Attribute("t", "text")),
    Attribute("y", "nominal", ("no", "yes")),
    "w",
    (Attribute("id", "ignored"),),
)


def table(n: int, weights: bool = True) -> Table:
    return Table(
        SCHEMA,
        n,
        numeric=[np.arange(n, dtype=float)],
        nominal=[np.arange(n, dtype=np.int32) % 3 - 1],
        text=[np.array([f"row {i}" for i in range(n)], dtype=object)],
        labels=np.arange(n, dtype=np.int32) % 2,
        weights=np.arange(n) + 0.5 if weights else np.empty(0),
        ignored=[np.array([f"#{i}" for i in range(n)], dtype=object)],
    )


@pytest.mark.parametrize("cuts", [[0, 3, 7], [0, 0, 7], [0, 7, 7], [0, 1, 2, 7]])
def test_concat_undoes_cutting(cuts: list[int]) -> None:
    whole = table(7)
    made = concat([whole.take(slice(a, b)) for a, b in itertools.pairwise(cuts)])
    assert len(made) == 7
    for name in SCHEMA.columns:
        assert made.column(name).tolist() == whole.column(name).tolist()
    assert made.nominal.columns[0].dtype == np.int32


def test_rows_without_weights_weigh_one_beside_weighted_ones() -> None:
    assert concat([table(2), table(2, weights=False)]).weights.tolist() == [0.5, 1.5, 1, 1]
    assert concat([table(2, weights=False)] * 2).weights.size == 0


def test_concat_joins_numeric_targets_and_sparse_blocks() -> None:
    schema = Schema((Attribute("x"), Attribute("z")), Attribute("y"))
    parts = [
        Table(schema, n, sparse=csr_matrix(np.full((n, 2), n)), response=np.full(n, float(n))) for n in (1, 2)
    ]
    made = concat(parts)
    assert made.response is not None
    assert made.response.tolist() == [1, 2, 2]
    assert made.sparse is not None
    assert made.sparse.toarray().tolist() == [[1, 1], [2, 2], [2, 2]]
    dense = Table(schema, 1, numeric=[np.ones(1), np.ones(1)], response=np.ones(1))
    with pytest.raises(DataError, match="some tables are sparse"):
        concat([parts[0], dense])


def test_concat_refuses_nothing_and_other_schemas() -> None:
    with pytest.raises(DataError, match="at least one table"):
        concat([])
    other = Schema(
        (Attribute("x"), Attribute("c", "nominal", ("a", "z")), Attribute("t", "text")), SCHEMA.target
    )
    moved = Table(
        other,
        1,
        numeric=[np.ones(1)],
        nominal=[np.zeros(1, dtype=np.int32)],
        text=[np.array(["x"], dtype=object)],
        labels=np.zeros(1, dtype=np.int32),
    )
    with pytest.raises(SchemaMismatch, match="'c'"):
        concat([table(1), moved])
