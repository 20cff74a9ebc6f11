"""0/1 tables as sparse ones."""

from __future__ import annotations

import io

import numpy as np
import pytest

import acumen
from acumen import Dialect
from acumen.errors import DataError
from doors import same_in_parts

BINARY = Dialect(format="binary")


def test_ones_are_kept_and_zeros_and_gaps_are_not(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text("milk,beer,eggs,class\n1,0,t,x\n0,,?,y\n1,1,f,x\n")
    table = same_in_parts(path, target="class", dialect=BINARY)
    assert table.sparse.toarray().tolist() == [[1, 0, 1], [0, 0, 0], [1, 1, 0]] and table.sparse.nnz == 4
    assert table.schema.names == ("milk", "beer", "eggs") and table.label_values().tolist() == ["x", "y", "x"]


def test_the_same_numbers_as_the_table_in_full(tmp_path):
    rng = np.random.default_rng(0)
    cells = (rng.random((500, 12)) < 0.2).astype(int)
    path = tmp_path / "made.csv"
    path.write_text(
        "\n".join([",".join(f"i{j}" for j in range(12)), *(",".join(map(str, row)) for row in cells)])
    )
    table = same_in_parts(path, sizes=(64,), dialect=BINARY)
    np.testing.assert_array_equal(table.sparse.toarray(), acumen.read(path).numeric.matrix())


@pytest.mark.parametrize(
    ("one", "zero"), [("true", "false"), ("Yes", "No"), ("T", "F"), ("y", "n"), ("1", "0")]
)
def test_words_for_one_and_zero(one, zero):
    text = io.StringIO(f"a,b\n{one},{zero}\n{zero},{one}\n{zero},{zero}\n")
    assert acumen.read(text, dialect=Dialect(format="binary", header=True)).sparse.toarray().tolist() == [
        [1, 0],
        [0, 1],
        [0, 0],
    ]


@pytest.mark.parametrize("value", ["2", "0.5", "maybe", "a b"])
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_anything_else_is_named(tmp_path, value, how):
    path = tmp_path / "bad.csv"
    path.write_text(f"a,b\n1,0\n0,{value}\n")
    with pytest.raises(DataError, match=r"column 'b' holds .*a binary table holds only 0 and 1"):
        how(path, dialect=Dialect(format="binary", header=True))


def test_columns_that_are_no_inputs_may_hold_anything(tmp_path):
    path = tmp_path / "more.csv"
    path.write_text("id,w,a,b\n7,2.5,1,0\n8,1,0,1\n")
    table = same_in_parts(path, ignore="id", weight="w", dialect=BINARY)
    assert table.column("id").tolist() == [7, 8] and table.weights.tolist() == [2.5, 1]


def test_inputs_that_are_left_out_may_hold_anything(tmp_path):
    path = tmp_path / "more.csv"
    path.write_text("id,a,b,class\n7,1,0,x\n8,0,1,y\n")
    table = same_in_parts(path, columns=["b", "a"], target="class", dialect=BINARY)
    assert table.schema.names == ("b", "a") and table.sparse.toarray().tolist() == [[0, 1], [1, 0]]
