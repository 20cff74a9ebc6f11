"""Laws of taking rows, choosing columns and cutting in two; and what a table refuses to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from acumen import read
from acumen.data.block import Block
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table, decode
from acumen.errors import DataError
from table_strategies import tables


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    columns = [table.column(name).tolist() for name in table.schema.columns]
    return [tuple("missing" if v is None or v != v else v for v in row) for row in zip(*columns, strict=True)]


@given(tables(unknown=True), st.data())
def test_take_takes_rows(table: Table, data: st.DataObject) -> None:
    positions = data.draw(st.lists(st.integers(-len(table), len(table) - 1)))
    rows = rows_of(table)
    assert rows_of(table.take(positions)) == [rows[i] for i in positions]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    assert rows_of(table.take(mask)) == [row for row, kept in zip(rows, mask, strict=True) if kept]


@given(tables(min_rows=0, unknown=True), st.slices(8))
def test_take_of_a_slice_equals_take_of_its_positions(table: Table, rows: slice) -> None:
    positions = np.arange(len(table))[rows]
    assert table.take(rows).difference(table.take(positions)) is None


@given(tables(unknown=True))
def test_taking_twice_is_taking_from_what_was_taken(table: Table) -> None:
    back = np.arange(len(table))[::-1]
    assert table.take(back).take(back).difference(table) is None


@given(tables(min_rows=0), st.integers(0, 9))
def test_head_is_the_first_rows(table: Table, n: int) -> None:
    assert rows_of(table.head(n)) == rows_of(table)[:n]


@given(tables(unknown=True), st.data())
def test_select_keeps_rows_target_and_weights(table: Table, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(table.schema.names), unique=True, min_size=1))
    made = table.select(chosen)
    assert made.schema.names == tuple(chosen)
    assert (made.schema.target, made.schema.weight) == (table.schema.target, table.schema.weight)
    for name in made.schema.columns:
        np.testing.assert_array_equal(made.column(name), table.column(name))
    assert table.select(table.schema.names).select(chosen).difference(made) is None


@given(tables(), st.floats(0.05, 0.95), st.integers(0, 99), st.booleans())
def test_split_parts_the_rows_and_each_class_evenly(
    table: Table, fraction: float, seed: int, stratified: bool
) -> None:
    ids = np.arange(float(len(table)))
    schema = Schema((Attribute("id"),), table.schema.target)
    numbered = Table(schema, len(table), numeric=[ids], labels=table.labels, response=table.response)
    first, second = numbered.split(fraction, stratified=stratified, random_state=seed)
    taken = np.concatenate([first.column("id"), second.column("id")])
    assert sorted(taken) == ids.tolist()
    assert abs(len(first) - fraction * len(table)) < 1
    if stratified and table.labels is not None:
        assert first.labels is not None
        for code in set(table.labels.tolist()):
            part, whole = np.sum(first.labels == code), np.sum(table.labels == code)
            assert abs(part - fraction * whole) < 1 + 1e-9
    again = numbered.split(fraction, stratified=stratified, random_state=seed)
    assert again[0].difference(first) is None


@given(tables(unknown=True))
def test_a_table_differs_from_one_with_another_value(table: Table) -> None:
    assert table.difference(table.take(slice(None))) is None
    for j, (attribute, codes) in enumerate(table.nominal_columns()):
        other = codes.copy()
        other[0] = -1 if codes[0] != -1 else -2
        changed = table.take(slice(None))
        changed.nominal = Block(
            [other if k == j else c for k, c in enumerate(table.nominal.columns)], len(table), np.int32
        )
        assert table.difference(changed) == f"column {attribute.name!r} holds other values"


def test_weights_and_totals() -> None:
    plain = read(np.array([[1.0], [2.0]]))
    assert plain.total_weight == 2 and plain.row_weights.tolist() == [1, 1] and plain.n_rows == 2
    weighted = read(np.array([[1.0, 3], [2.0, 0.5]]), weight=1)
    assert weighted.total_weight == 3.5 and weighted.column("x1").tolist() == [3, 0.5]
    assert weighted.difference(weighted.take([1, 0])) == "the rows have other weights"


def test_labels_show_their_values() -> None:
    table = read((np.ones((3, 1)), ["b", None, "a"]))
    assert table.label_values().tolist() == ["b", None, "a"]
    with pytest.raises(DataError, match="no nominal target"):
        read(np.ones((3, 1))).label_values()
    assert decode(np.array([0, -2], np.int32), ("a",)).tolist() == ["a", None]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([5], "within the table's 3 rows"),
        ([-4], "within the table's 3 rows"),
        ([True], "a mask needs 3 values; got 1"),
        ([0.5], "positions, a mask or a slice"),
        (1, "positions, a mask or a slice"),
        ([[0]], "positions, a mask or a slice"),
        (["a"], "positions, a mask or a slice"),
    ],
)
def test_take_refuses_what_are_no_rows(rows: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read(np.ones((3, 1))).take(rows)


def test_select_refuses_what_is_no_input() -> None:
    table = read((np.ones((3, 2)), [0, 1, 0]))
    assert table.select("x1").schema.names == ("x1",)
    with pytest.raises(DataError, match="'target' is not an input"):
        table.select(["target"])
    with pytest.raises(DataError, match="no column 'x9'"):
        table.select(["x9"])


@pytest.mark.parametrize("fraction", [0, 1, -1, 2.5, float("nan")])
def test_split_refuses_what_is_no_fraction(fraction: float) -> None:
    with pytest.raises(DataError, match="fraction must lie between 0 and 1"):
        read(np.ones((3, 1))).split(fraction)


def test_a_table_must_fit_its_schema() -> None:
    numeric = Schema((Attribute("a"),))
    labelled = Schema((Attribute("a"),), Attribute("y", "nominal", ("p",)))
    with pytest.raises(ValueError, match="columns of each kind"):
        Table(numeric, 2)
    with pytest.raises(ValueError, match="rows"):
        Table(numeric, 2, numeric=[np.ones(3)])
    with pytest.raises(ValueError, match="another column"):
        Table(numeric, 2, numeric=[np.ones(2, np.float32)])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="needs labels"):
        Table(labelled, 2, numeric=[np.ones(2)])
    with pytest.raises(ValueError, match="has no target"):
        Table(numeric, 2, numeric=[np.ones(2)], labels=np.zeros(2, np.int32))


# -- blocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_block_borrows_its_matrix_and_finds_it_again_from_its_columns(order: Any) -> None:
    matrix = np.array(np.arange(12.0).reshape(4, 3), order=order)
    for block in (Block.of_matrix(matrix), Block([matrix[:, j] for j in range(3)], 4, np.float64)):
        assert np.shares_memory(block.matrix(), matrix)
        np.testing.assert_array_equal(block.matrix(), matrix)
        np.testing.assert_array_equal(block.select([2, 1]).matrix(), matrix[:, [2, 1]])
        np.testing.assert_array_equal(block.take(np.array([3, 0])), matrix[[3, 0]])
        assert np.shares_memory(block.take(slice(1, 3)).matrix(), matrix)
        assert np.asarray(block, dtype=np.int64).dtype == np.int64
        assert block[1, 2] == matrix[1, 2] and block[0].tolist() == matrix[0].tolist()


def test_columns_that_do_not_lie_evenly_are_put_together() -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    for columns in ([0, 1, 3], [0, 2, 1]):
        block = Block([matrix[:, j] for j in columns], 3, np.float64)
        assert not np.shares_memory(block.matrix(), matrix)
        np.testing.assert_array_equal(block.matrix(), matrix[:, columns])
    apart = Block([np.ones(2), np.zeros(2)], 2, np.float64)
    assert apart.matrix().tolist() == [[1, 0], [1, 0]] and apart.shape == (2, 2) and apart.ndim == 2
    with pytest.raises(ValueError, match="a copy is needed"):
        np.array(apart, copy=False)
    assert np.array(Block.of_matrix(matrix), copy=True) is not matrix


def test_a_block_without_columns_still_knows_its_rows() -> None:
    empty: Block[np.float64] = Block([], 3, np.float64)
    assert empty.take(np.array([0, 2])).shape == (2, 0) and empty.matrix().shape == (3, 0) and len(empty) == 3


def test_a_sparse_table_takes_and_selects_as_a_dense_one() -> None:
    dense = np.array([[0, 1.5, 0], [2, 0, 0], [0, 0, 3]])
    y = ["a", "b", "a"]
    sparse, plain = read((scipy.sparse.csr_matrix(dense), y)), read((dense, y))
    assert sparse.sparse is not None and plain.sparse is None
    assert sparse.difference(plain) is None
    assert sparse.take([2, 0]).difference(plain.take([2, 0])) is None
    assert sparse.select(["x2", "x0"]).difference(plain.select(["x2", "x0"])) is None
