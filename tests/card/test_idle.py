"""Columns that are not worth learning from are found without a data card, and are those that it would name."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.card.idle import idle_columns, without_idle
from churn import write_churn
from judged_tables import mixed
from tables import table_of


@pytest.fixture(scope="module")
def churn(tmp_path_factory):
    return acumen.read(write_churn(tmp_path_factory.mktemp("churn") / "churn.csv", 1500), target="churn")


def test_the_columns_left_out_are_those_that_the_card_names(churn):
    named = {
        f.column for f in acumen.inspect(churn).findings if f.code in ("id-like", "constant", "all-missing")
    }
    assert set(idle_columns(churn)) == named == {"customer_id", "country"}
    assert "customer_id" not in without_idle(churn).schema and "months" in without_idle(churn).schema


def test_numbers_that_count_the_rows_are_an_identifier_and_measurements_are_not():
    rng = np.random.default_rng(0)
    table = table_of(
        {"row": [float(i) for i in range(60)], "shuffled": [float(v) for v in rng.permutation(60)],
         "size": rng.normal(size=60).tolist(), "none": [float("nan")] * 60, "same": [3.0] * 60,
         "few": [float(i % 7) for i in range(60)]},
        ["a", "b"] * 30,
    )  # fmt: skip
    assert set(idle_columns(table)) == {"row", "shuffled", "none", "same"}


def test_where_nothing_else_would_be_left_nothing_is_left_out():
    assert idle_columns(table_of({"x": [float(i) for i in range(40)]}, ["a", "b"] * 20)) == {}
    assert idle_columns(table_of({"x": [1.0], "y": [1.0]}, ["a"])) == {}


def test_sparse_columns_without_a_value_are_idle():
    from scipy.sparse import csr_matrix

    X = csr_matrix(np.array([[1.0, 0, 0], [0, 0, 2], [3, 0, 0], [0, 0, 1]]))
    assert idle_columns(acumen.read((X, [0, 1, 0, 1]))) == {"x1": "it is 0 in every row"}


def test_compare_leaves_them_out_and_can_be_told_not_to(churn):
    table = mixed(1, 80)
    odd = acumen.read(table.to_pandas().assign(id=range(80)), target="class")
    plain = acumen.compare([acumen.OneR()], odd, acumen.KFold(2), random_state=0)
    assert plain.left_out == {"id": "it has 80 different whole values in 80 rows, as an identifier has"}
    assert "id" not in plain.data.schema and plain.to_dict()["left_out"][0]["column"] == "id"
    assert "without the column 'id'" in str(plain)
    kept = acumen.compare([acumen.OneR()], odd, acumen.KFold(2), random_state=0, keep_ids=True)
    assert kept.left_out == {} and "id" in kept.data.schema
