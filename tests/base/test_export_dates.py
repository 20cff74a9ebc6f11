"""Dates are dates wherever a model is read or taken: rules, trees, explanations, SQL and Python."""

from __future__ import annotations

import datetime
import sqlite3

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.base import sql
from acumen.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def table() -> acumen.Table:
    rng = np.random.default_rng(4)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, 400), unit="D")
    times = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90 * 86_400, 400), unit="s")
    text = "day,moment,y\n" + "".join(
        f"{d:%d.%m.%Y},{t:%Y-%m-%d %H:%M:%S},{'late' if d.year > 2023 or t.hour > 20 else 'early'}\n"
        for d, t in zip(days, times, strict=True)
    )
    import io

    return acumen.read(io.StringIO(text), target="y")


def rows_of(table: acumen.Table) -> list[tuple[datetime.date, datetime.datetime]]:
    start = datetime.datetime(1970, 1, 1)
    return [
        (
            (start + datetime.timedelta(days=float(d))).date(),
            start + datetime.timedelta(seconds=round(float(m) * 86_400)),
        )
        for d, m in zip(table.column("day"), table.column("moment"), strict=True)
    ]


@pytest.mark.parametrize(
    "learner", [acumen.DecisionTree(), acumen.OneR(), acumen.DecisionTree(missing="branch")]
)
def test_sql_and_python_compare_dates_and_answer_as_the_model_does(table, learner) -> None:
    model = learner.fit(table)
    wanted = model.predict(table).tolist()
    rows = rows_of(table)
    source: dict = {}
    exec(model.to_python(), source)
    forms = [
        [{"day": d, "moment": m} for d, m in rows],
        [{"day": str(d), "moment": m.isoformat()} for d, m in rows],
        [
            {"day": float(d), "moment": float(m)}
            for d, m in zip(table.column("day"), table.column("moment"), strict=True)
        ],
    ]
    for form in forms:
        assert [source["predict"](row) for row in form] == wanted
    statement = model.to_sql("t")
    assert "'202" in statement and "<= 19" not in statement
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE t (day DATE, moment TIMESTAMP)")
        base.executemany("INSERT INTO t VALUES (?, ?)", [(str(d), str(m)) for d, m in rows])
        assert [row[-1] for row in base.execute(statement)] == wanted
    base.close()


def test_trees_rules_and_explanations_show_whole_days(table) -> None:
    model = acumen.DecisionTree(max_depth=1).fit(table.select(["day"]))
    assert "day <= 2023-12-" in str(model) and "12:00" not in str(model)
    assert "day" in str(model.explain(table.take([0]))) and "2023-12-" in str(model.to_rules())
    assert " days" in str(acumen.NaiveBayes().fit(table)) and "± " in str(acumen.NaiveBayes().fit(table))


def test_missing_dates_are_missing_in_python_too(table) -> None:
    source: dict = {}
    exec(acumen.OneR().fit(table).to_python(), source)
    for row in ({}, {"day": None, "moment": None}, {"day": float("nan")}):
        assert source["predict"](row) in ("early", "late")


def test_sums_of_days_are_refused_in_sql_and_told_in_python(table) -> None:
    model = acumen.Logistic().fit(table)
    with pytest.raises(DataError, match="to_python"):
        model.to_sql("t")
    source: dict = {}
    exec(model.to_python(), source)
    rows = [{"day": d, "moment": m} for d, m in rows_of(table)]
    assert [source["predict"](row) for row in rows] == model.predict(table).tolist()


def test_a_condition_keeps_its_form_in_json() -> None:
    one = acumen.Condition("day", "<=", 19722.5, "date dmy")
    again = acumen.Condition.from_dict(one.to_dict())
    assert str(one) == str(again) == "day <= 2023-12-31" and one.to_dict()["form"] == "date dmy"
    assert "form" not in acumen.Condition("x", ">", 1.0).to_dict()
    with pytest.raises(ParameterError, match="form"):
        acumen.Condition.from_dict({**one.to_dict(), "form": "nonsense"})


def test_moments_are_written_as_databases_take_them() -> None:
    assert sql.moment("date", 19722.5) == "'2023-12-31'"
    assert sql.moment("datetime ymd", 19722.5) == "'2023-12-31 12:00:00'"
    assert sql.moment("time", 0.75) == "'18:00:00'"
    assert sql.moment("date", 1e9) is None
