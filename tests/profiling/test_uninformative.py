"""Columns that are not worth learning from are found without a data card, and are those that it would name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.profiling.fit_warnings import quick_findings
from acumen.profiling.uninformative import UninformativeColumns, drop_uninformative, uninformative_columns
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
    assert set(uninformative_columns(churn)) == named == {"customer_id", "country"}
    assert (
        "customer_id" not in drop_uninformative(churn).schema and "months" in drop_uninformative(churn).schema
    )


def test_numbers_that_count_the_rows_are_an_identifier_and_measurements_are_not():
    rng = np.random.default_rng(0)
    table = table_of(
        {"row": [float(i) for i in range(60)], "shuffled": [float(v) for v in rng.permutation(60)],
         "size": rng.normal(size=60).tolist(), "none": [float("nan")] * 60, "same": [3.0] * 60,
         "few": [float(i % 7) for i in range(60)]},
        ["a", "b"] * 30,
    )  # fmt: skip
    assert set(uninformative_columns(table)) == {"row", "shuffled", "none", "same"}


def test_where_nothing_else_would_be_left_nothing_is_left_out():
    assert uninformative_columns(table_of({"x": [float(i) for i in range(40)]}, ["a", "b"] * 20)) == {}
    assert uninformative_columns(table_of({"x": [1.0], "y": [1.0]}, ["a"])) == {}


def test_sparse_columns_without_a_value_are_idle():
    from scipy.sparse import csr_matrix

    X = csr_matrix(np.array([[1.0, 0, 0], [0, 0, 2], [3, 0, 0], [0, 0, 1]]))
    assert uninformative_columns(acumen.read((X, [0, 1, 0, 1]))) == {"x1": "it is 0 in every row"}


def test_compare_leaves_them_out_and_can_be_told_not_to(churn):
    table = mixed(1, 80)
    odd = acumen.read(table.to_pandas().assign(id=range(80)), target="class")
    plain = acumen.compare([acumen.OneR()], odd, acumen.KFold(2), random_state=0)
    assert plain.left_out == {"id": "it has 80 distinct whole values in 80 rows and looks like an identifier"}
    assert "id" not in plain.data.schema and plain.to_dict()["left_out"][0]["column"] == "id"
    assert "Ignored (identifier, constant or empty): 'id'" in str(plain)
    kept = acumen.compare([acumen.OneR()], odd, acumen.KFold(2), random_state=0, keep_ids=True)
    assert kept.left_out == {} and "id" in kept.data.schema


@pytest.mark.parametrize("order", ["shuffled", "rows behind the others"])
def test_an_identifier_of_which_some_rows_are_there_twice_is_one(order):
    rng = np.random.default_rng(0)
    ids = np.concatenate([1000.0 + np.arange(960), 1000.0 + np.arange(0, 960, 25)])  # 39 rows of 999 again
    if order == "shuffled":
        rng.shuffle(ids)
    labels = rng.choice(["a", "b"], len(ids))
    table = acumen.read((pd.DataFrame({"id": ids, "x": rng.normal(size=len(ids))}), labels))
    assert uninformative_columns(table) == {
        "id": "it has 960 distinct whole values in 999 rows and looks like an identifier"
    }
    assert [f.column for f in quick_findings(table) if f.code == "id-like"] == ["id"]
    assert [f.column for f in acumen.inspect(table).findings if f.code == "id-like"] == ["id"]


@pytest.mark.parametrize("seed", range(20))
def test_whole_numbers_that_meet_as_often_as_chance_has_it_are_no_identifier(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 20_000, 1000).astype(float)  # about 25 meet, so that 97.5 % are different
    table = acumen.read(
        (pd.DataFrame({"v": values, "x": rng.normal(size=1000)}), rng.choice(["a", "b"], 1000))
    )
    assert uninformative_columns(table) == {} and not [
        f for f in quick_findings(table) if f.code == "id-like"
    ]


@pytest.mark.parametrize("dates", [range(60), range(60, 0, -1), [*range(30, 60), *range(30)]])
def test_dates_that_are_all_different_are_no_identifier(dates):
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(list(dates), unit="D")
    frame = pd.DataFrame({"day": days, "calls": [i % 7 for i in range(60)], "y": ["a", "b"] * 30})
    table = acumen.read(frame, target="y")
    assert not uninformative_columns(table)
    parts = UninformativeColumns(table.schema)
    parts.add(table)
    assert not parts.reasons()
    assert not [finding for finding in acumen.inspect(table).findings if finding.code == "id-like"]
