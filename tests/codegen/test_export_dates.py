"""Dates are dates wherever a model is read or taken: rules, trees, explanations, SQL and Python."""

from __future__ import annotations

import datetime
import sqlite3

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.codegen import sql
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


def test_moments_are_written_as_iso_texts_shortest_and_longest() -> None:
    assert sql.moment("date", 19722.0) == ("'2023-12-31'", "'2023-12-31 00:00:00.000000'")
    assert sql.moment("datetime ymd", 19722.5) == ("'2023-12-31 12:00'", "'2023-12-31 12:00:00.000000'")
    assert sql.moment("datetime", 19722 + 1.5 / 86_400) == (
        "'2023-12-31 00:00:01.5'",
        "'2023-12-31 00:00:01.500000'",
    )
    assert sql.moment("time", 0.75) == ("'18:00'", "'18:00:00.000000'")
    assert sql.moment("date", 1e9) is None


#: One moment on either side of a cut, in each way that databases and texts write it.
WAYS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S.%f")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("op", ["<=", ">", "between", "=", "not in"])
def test_sql_compares_moments_however_they_are_written(way: str, op: str) -> None:
    days = [19720.0, 19721.0, 19722.0, 19723.0]
    values = {"between": (19720.0, 19722.0), "not in": (19721.0, 19722.0)}
    one = acumen.Condition("day", op, values.get(op, 19721.0), "datetime")
    schema = acumen.Schema((acumen.Attribute("day", form="datetime"),))
    wanted = {"<=": [1, 1, 0, 0], ">": [0, 0, 1, 1], "between": [0, 1, 1, 0], "=": [0, 1, 0, 0]}
    start = datetime.datetime(1970, 1, 1)
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE t (day)")
        texts = [((start + datetime.timedelta(days=day)).strftime(way),) for day in days]
        base.executemany("INSERT INTO t VALUES (?)", [*texts, (None,)])
        found = [
            row[0] for row in base.execute(f"SELECT coalesce({sql.condition(one, schema)}, 0) FROM t AS t")
        ]
    base.close()
    assert found == [*wanted.get(op, [1, 0, 0, 1]), 0]


@pytest.mark.parametrize(
    "learner", [acumen.CN2(), acumen.Ripper(random_state=0), acumen.AdaBoost(), acumen.Additive()]
)
def test_a_frame_of_a_table_in_a_database_gets_the_model_s_answers(table, learner) -> None:
    model = learner.fit(table)
    statement = model.to_sql("t")
    comments = {line.split(":")[0] for line in statement.splitlines() if line.startswith("--")}
    assert comments == {f'-- "{name}"' for name in ("day", "moment") if f't."{name}"' in statement} != set()
    with sqlite3.connect(":memory:") as base:
        table.to_pandas().to_sql("t", base, index=False)
        assert [row[-1] for row in base.execute(statement)] == model.predict(table).tolist()
    base.close()


def test_what_a_column_of_dates_must_hold_stays_within_its_comment() -> None:
    line = sql.column_comment(acumen.Attribute("a\nDROP TABLE t; --", form="datetime utc"))
    assert "\n" not in line and line.endswith(
        "a TIMESTAMP in UTC, or ISO text in UTC such as 2023-12-31 18:30:00"
    )


# -- parts of dates ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def in_parts() -> acumen.Table:
    """Classes by weekday, month, year and hour, with dates on both sides of leap days."""
    rng = np.random.default_rng(7)
    times = pd.Timestamp("1999-12-28") + pd.to_timedelta(rng.integers(0, 1500 * 24, 900), unit="h")
    odd = (times.day_of_week >= 5) ^ (times.month.isin([2, 3, 11])) ^ (times.hour > 12) ^ (times.year > 2001)
    frame = pd.DataFrame({"at": times, "n": rng.normal(size=900)})
    frame.loc[:9, "at"] = pd.NaT
    return acumen.read((frame, np.where(odd, "odd", "even")), date_parts="at")


LEARNERS = [
    acumen.DecisionTree(prune="none"),
    acumen.DecisionTree(prune="none", missing="branch", max_depth=6),
    acumen.Logistic(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: each.kind)
def test_sql_and_python_work_out_parts_of_dates(in_parts, learner) -> None:
    model = learner.fit(in_parts)
    wanted = model.predict(in_parts).tolist()
    start = datetime.datetime(1970, 1, 1)
    rows = [
        {
            "at": None if np.isnan(at) else start + datetime.timedelta(seconds=round(at * 86_400)),
            "n": float(n),
        }
        for at, n in zip(in_parts.column("at"), in_parts.column("n"), strict=True)
    ]
    source: dict = {}
    exec(model.to_python(), source)
    assert [source["predict"](row) for row in rows] == wanted
    if isinstance(learner, acumen.Logistic):  # sums of days have no SQL
        return
    statement = model.to_sql("t")
    assert "at.year" not in statement and "at.weekday" not in statement and "SUBSTR" in statement
    assert _in_sqlite(statement, rows) == wanted


def test_pairs_with_days_are_refused_in_sql_and_told_in_python() -> None:
    rng = np.random.default_rng(3)
    begin = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 900, 300), unit="D")
    took = rng.integers(0, 60, 300)
    frame = pd.DataFrame({"begin": begin, "end": begin + pd.to_timedelta(took, unit="D")})
    model = acumen.DecisionTree(construct="pairs").fit(frame, np.where(took > 20, "slow", "fast"))
    source: dict = {}
    exec(model.to_python(), source)
    assert "_pair('-', _days(" in model.to_python()
    rows = [{"begin": b.date(), "end": e.date()} for b, e in zip(frame["begin"], frame["end"], strict=True)]
    assert [source["predict"](row) for row in rows] == model.predict(frame).tolist()
    with pytest.raises(DataError, match="to_python"):
        model.to_sql("t")


def _in_sqlite(statement: str, rows: list[dict]) -> list[str]:
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE t (at TIMESTAMP, n REAL)")
        base.executemany("INSERT INTO t VALUES (?, ?)", [(r["at"] and str(r["at"]), r["n"]) for r in rows])
        found = [row[-1] for row in base.execute(statement)]
    base.close()
    return found


def test_every_part_in_sql_is_the_part_that_is_learned_from(in_parts) -> None:
    days = [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]
    days += [datetime.date(1899, 12, 25) + datetime.timedelta(days=17 * i) for i in range(4000)]
    table = acumen.read(pd.DataFrame({"d": days}), date_parts="d")
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE t (d DATE)")
        base.executemany("INSERT INTO t VALUES (?)", [(day.isoformat(),) for day in days])
        for part in ("year", "month", "weekday"):
            found = [row[0] for row in base.execute(f"SELECT {sql.column(f'd.{part}', table.schema)} FROM t")]
            assert found == table.column(f"d.{part}").tolist(), part
    base.close()


# -- intervals of dates --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [
        acumen.HistogramBayes(),
        acumen.NaiveBayes(numeric="histogram"),
        acumen.NaiveBayes(numeric="discretise"),
    ],
    ids=str,
)
def test_intervals_of_dates_are_shown_as_dates(table, learner) -> None:
    model = learner.fit(table)
    for said in (str(model), str(model.explain(table.take([0])))):
        assert " 2023-" in said or "(2023-" in said or " 2024-" in said or "(2024-" in said
        assert "(193" not in said and "(197" not in said, "days since 1970"


def test_kernels_speak_of_dates(table) -> None:
    assert "day = 20" in str(acumen.NaiveBayes(numeric="kernel").fit(table).explain(table.take([0])))


def test_discretised_dates_have_levels_that_say_so(table) -> None:
    from acumen.preprocessing.discretise.discretisers import Binning, EqualFrequency, EqualWidth

    for closed in ("right", "left"):
        binning = EqualFrequency(4, closed=closed).fit(table)
        levels = binning.transform(table).schema["day"].levels
        assert levels[0].startswith("[2023-01-0") and len(set(levels)) == 4
        assert (
            Binning.from_arrays(binning.to_arrays()).transform(table).schema
            == binning.transform(table).schema
        )
        days = table.column("day")
        codes = binning["day"].transform(days)
        for at, level in enumerate(levels):
            low, high = (
                (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days
                for text in level.strip("[]()").split(", ")
            )
            inside = (days >= low) if level[0] == "[" else (days > low)
            inside &= (days <= high) if level[-1] == "]" else (days < high)
            assert (inside == (codes == at)).all(), level
    assert ":" in EqualWidth(2).fit(table)["moment"].levels[0]
