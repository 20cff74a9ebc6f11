"""PostgreSQL: a real server, started for these tests."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import acumen
from acumen.codegen import sql
from acumen.data.databases import postgres
from acumen.data.databases.sql import store
from acumen.errors import AcumenError, DataError, ParameterError
from doors import plain, same_in_parts
from postgres_server import PASSWORD, reason_against, serving

pytestmark = pytest.mark.skipif(reason_against() is not None, reason=str(reason_against()))

OTHERS = "FROM pg_stat_activity WHERE pid <> pg_backend_pid()"


@pytest.fixture(scope="module")
def server():
    with serving() as made:
        made.run(
            "CREATE TABLE people (id int, name text, height numeric, age smallint, member boolean, born date, "
            "w float4)",
            "INSERT INTO people VALUES (1, 'ann', 1.75, 30, true, '1990-01-02', 1), "
            "(2, 'bob', NULL, 41, false, NULL, 2), (3, 'o''hara; --', 'NaN', NULL, NULL, '1970-01-01', 0.5), "
            "(4, 'ann', 12345678901234567890.5, 7, true, '2000-02-29', 1)",
        )
        yield made


def test_the_only_table_is_read_without_a_query(server):
    table = same_in_parts(server.address, target="member", weight="w")
    assert table.column("id").tolist() == [1, 2, 3, 4] and table.schema["name"].levels == (
        "ann",
        "bob",
        "o'hara; --",
    )
    assert plain(table.column("age")) == [30, 41, None, 7]
    assert plain(table.column("born")) == [7306, None, 0, 11016]
    assert table.label_values().tolist() == [True, False, None, True] and table.weights.tolist() == [
        1,
        2,
        0.5,
        1,
    ]


def test_numeric_comes_as_text_and_is_made_numbers(server):
    table = same_in_parts(server.address, query="SELECT id, height FROM people")
    assert plain(table.column("height")) == [1.75, None, None, 12345678901234567890.5]


@pytest.mark.parametrize("rows", [2, 20_000])
def test_parameters_are_bound_and_never_pasted(server, monkeypatch, rows):
    monkeypatch.setattr(postgres, "ROWS", rows)
    query = "SELECT id, height FROM people WHERE name = $1 AND id >= $2;"
    assert same_in_parts(server.address, query=query, params=["o'hara; --", 1]).column("id").tolist() == [3]
    assert same_in_parts(server.address, query="SELECT id FROM people WHERE id > $1", params=[0]).n_rows == 4
    assert server.run("SELECT count(*) FROM people").strip() == "4"


def test_a_query_streams_in_batches(server):
    query = "SELECT i, i * 0.5 AS half, 'v' || (i % 7) AS word FROM generate_series(1, 300000) AS i"
    table = same_in_parts(server.address, sizes=(65_536,), query=query)
    assert len(table) == 300_000 and np.array_equal(table.column("half"), np.arange(1, 300_001) / 2)


def test_several_tables_are_listed(server):
    server.run("CREATE TABLE other (a int)")
    try:
        with pytest.raises(DataError, match=r"holds 2 tables: other, people\. Select the rows"):
            acumen.read(server.address)
    finally:
        server.run("DROP TABLE other")


@pytest.mark.parametrize(
    ("query", "params", "said"),
    [
        ("SELECT nope FROM people", [], 'the query failed: column "nope" does not exist'),
        ("SELECT 1; SELECT 2", [], "the query failed: cannot insert multiple commands"),
        ("DELETE FROM people", [], "a query may only read"),
        ("DELETE FROM people WHERE id = $1 RETURNING *", [1], "a query may only read"),
        ("SELECT * FROM people WHERE id = $1", [], "the query failed: "),
        ("SELECT id FROM people WHERE id > 99", [], "has no rows"),
        ("SELECT 1 / (i - 5) AS a FROM generate_series(1, 9) i", [], "division by zero"),
        ("SELECT ARRAY[1, 2] AS a", [], "column 'a' holds lists"),
        ("SELECT INTERVAL '1 day' AS a", [], 'in the query with EXTRACT(epoch FROM "a")'),
        ("SELECT inet '1.2.3.4' AS a", [], "column 'a' has PostgreSQL's type inet"),
        ("SELECT 12.5::money AS a", [], 'cast it in the query with "a"::numeric'),
    ],
)
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_what_is_wrong_is_a_sentence_and_changes_nothing(server, query, params, said, how):
    with pytest.raises(DataError) as error:
        how(server.address, query=query, params=params)
    assert said in str(error.value) and str(error.value).endswith(".") and "\n" not in str(error.value)
    assert server.run("SELECT count(*) FROM people").strip() == "4"


@pytest.mark.parametrize("value", [object(), 2**70, "\ud800"])
def test_a_parameter_arrow_cannot_hold_is_told(server, value):
    with pytest.raises(ParameterError, match="a value in params= cannot be sent to PostgreSQL"):
        acumen.read(server.address, query="SELECT $1", params=[value])


def test_values_for_which_there_is_no_place_are_told(server):
    with pytest.raises(ParameterError, match=r"has 2 values, but the query has 1 placeholders"):
        acumen.read(server.address, query="SELECT id FROM people WHERE id = $1", params=[1, 2])


@pytest.mark.parametrize("params", [[], [0]])
@pytest.mark.parametrize("end", [";", " ; ", " -- all of them", "\n-- all\n"])
def test_a_query_may_end_as_queries_do(server, end, params):
    query = f"SELECT id FROM people WHERE id > {'$1' if params else 0}{end}"
    assert acumen.read(server.address, query=query, params=params).n_rows == 4


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamptz"])
def test_infinite_dates_are_missing_and_told(server, kind):
    query = (
        f"SELECT i, (CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN '4713-01-01 BC' "
        f"ELSE '1970-01-02' END)::{kind} AS day FROM generate_series(1, 4) i"
    )
    table = same_in_parts(server.address, query=query)
    assert plain(table.column("day"))[:2] == [None, None] and table.column("day")[2] < -2_440_000
    assert "column 'day' holds dates that are infinite" in table.report


def wrong_addresses(server):
    place = server.address.rpartition("@")[2]
    return [
        f"postgresql://acumen:{'wrong' + 'word'}@{place}",
        f"postgresql://acumen:wrong%zzword@{place}",
        f"postgresql://acumen@{place}?password=wrongword&application_name=x",
        "postgresql://acumen:wrongword@127.0.0.1:1/postgres",
        "postgresql://acumen:wrongword@127.0.0.1:port/postgres",
        f"postgresql://acumen:wrong/word@{place}",
        f"postgresql://acumen:wrong@word@{place}",
        f"postgresql://acumen:wrong?word@{place}",
        "postgresql://acumen:wrongword/postgres",
    ]


@pytest.mark.parametrize("which", range(9))
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_no_message_holds_a_password(server, which, how):
    with pytest.raises(AcumenError, match=r"cannot be reached|is malformed") as error:
        how(wrong_addresses(server)[which], query="SELECT 1 AS a")
    assert "wrong" not in str(error.value) and "word" not in str(error.value).replace("password", "")


def test_a_report_holds_no_password(server):
    table = acumen.read(server.address)
    assert table.report.source == server.shown and PASSWORD not in str(table.report) + repr(table)


def test_a_connection_that_drops_half_way_is_a_sentence(server):
    query = (
        "SELECT i, repeat('x', 200) AS t, pg_sleep(CASE WHEN i % 20000 = 0 THEN 0.3 ELSE 0 END) IS NULL AS s "
        "FROM generate_series(1, 3000000) AS i"
    )

    def cut() -> None:
        ask = f"SELECT count(pg_terminate_backend(pid)) {OTHERS} AND query LIKE '%repeat%'"
        for _ in range(2000):
            time.sleep(0.05)
            if server.run(ask).strip() != "0":
                return

    for how in (acumen.read, acumen.scan):
        cutter = threading.Thread(target=cut)
        cutter.start()
        with pytest.raises(DataError, match=r"(the rows broke off after|the query failed).*terminat"):
            how(server.address, query=query)
        cutter.join()


def test_scanned_rows_are_one_state_of_the_database(server):
    server.run("CREATE TABLE changing AS SELECT i FROM generate_series(1, 10) i")
    try:
        parts = acumen.scan(server.address, query="SELECT i, i AS j FROM changing", rows=4)
        server.run("DELETE FROM changing")
        for _ in range(2):
            assert [part.column("i").tolist() for part in parts] == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]
        assert server.run(f"SELECT count(*) {OTHERS} AND query LIKE '%AS j FROM changing%'").strip() == "0"
    finally:
        server.run("DROP TABLE changing")


# -- writing --------------------------------------------------------------------------------------

COLUMNS = [("row", "integer"), ('P("a; b")', "number"), ("text", "text")]
ROWS = [(1, 0.5, "x"), (2, None, None), (3, 1e-300, "é'\"")]


@pytest.fixture
def answers(server):
    yield 'answers "of"; x'
    server.run('DROP TABLE IF EXISTS "answers ""of""; x"')


def test_rows_are_written_under_any_name(server, answers, monkeypatch):
    monkeypatch.setattr(postgres, "ROWS", 2)
    assert store(server.address, answers, COLUMNS, iter(ROWS)) == 3
    back = acumen.read(server.address, query='SELECT * FROM "answers ""of""; x" ORDER BY "row"')
    assert back.column("row").tolist() == [1, 2, 3] and plain(back.column('P("a; b")')) == [0.5, None, 1e-300]
    assert back.column("text").tolist() == ["x", None, "é'\""]


def test_a_table_that_is_there_is_left_alone_unless_replaced(server, answers):
    store(server.address, answers, COLUMNS, iter(ROWS))
    with pytest.raises(DataError, match="which was not changed"):
        store(server.address, answers, COLUMNS, iter(ROWS[:1]))
    count = 'SELECT count(*) FROM "answers ""of""; x"'
    assert server.run(count).strip() == "3"
    assert store(server.address, answers, COLUMNS, iter(ROWS[:1]), replace=True) == 1
    assert server.run(count).strip() == "1"


def test_rows_that_fail_half_way_leave_nothing_behind(server, answers, monkeypatch):
    monkeypatch.setattr(postgres, "ROWS", 2)
    store(server.address, answers, COLUMNS, iter(ROWS))

    def rows():
        yield from ROWS
        raise RuntimeError("on the way")

    for name, replace in (("new", False), (answers, True)):
        with pytest.raises(RuntimeError, match="on the way"):
            store(server.address, name, COLUMNS, rows(), replace=replace)
    assert server.run("SELECT relname FROM pg_class WHERE relname = 'new'") == ""
    assert server.run('SELECT count(*) FROM "answers ""of""; x"').strip() == "3"


def test_values_that_fit_no_column_are_a_sentence(server):
    for value, kind in ((2**70, "integer"), ("\ud800", "text"), ("a\0b", "text")):
        with pytest.raises(DataError, match=r"table 'odd' could not be written: "):
            store(server.address, "odd", [("a", kind)], iter([(value,)]))
    assert server.run("SELECT relname FROM pg_class WHERE relname = 'odd'") == ""


def test_a_schema_may_stand_before_the_table(server):
    server.run('CREATE SCHEMA "s p"')
    try:
        assert store(server.address, "s p.t", COLUMNS, iter(ROWS)) == 3
        assert server.run('SELECT count(*) FROM "s p".t').strip() == "3"
        with pytest.raises(DataError, match="could not be written"):
            store(server.address, "nowhere.t", COLUMNS, iter(ROWS))
    finally:
        server.run('DROP SCHEMA "s p" CASCADE')


def test_reading_without_parameters_needs_no_pyarrow(server):
    code = (
        "import sys; sys.modules['pyarrow'] = None; import acumen; "
        f"print(acumen.read({server.address!r}, query='SELECT id, name FROM people').n_rows)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "4", done.stderr


def test_parts_of_dates_are_worked_out_as_models_have_them(server):
    """The SQL of a model names no column that only acumen has."""
    query = (
        "SELECT timestamp '1899-12-28' + i * interval '400 days 7 hours' AS at, date '1999-12-28' + i AS d, "
        "(i % 7 > 4) AS y FROM generate_series(0, 250) AS i"
    )
    server.run(f"CREATE TABLE dated AS {query}")
    try:
        table = acumen.read(server.address, query="SELECT * FROM dated", target="y", date_parts=["at", "d"])
        names = [name for name in table.schema.names if "." in name]
        parts = ", ".join(f'{sql.column(name, table.schema)} AS "{name}"' for name in names)
        found = acumen.read(server.address, query=f"SELECT {parts} FROM dated AS t")
        assert len(names) == 7
        for name in names:
            assert [str(v) for v in found.column(name)] == [str(v) for v in table.column(name)], name
        model = acumen.DecisionTree(prune="none").fit(table)
        statement = model.to_sql("dated")
        assert "SUBSTR" in statement
        answers = acumen.read(server.address, query=f"SELECT prediction FROM ({statement}) AS made")
        assert [str(v) for v in answers.column("prediction")] == [str(v) for v in model.predict(table)]
    finally:
        server.run("DROP TABLE dated")


def test_exported_sql_compares_dates_timestamps_and_texts_as_the_model_does(server):
    import pandas as pd

    rng = np.random.default_rng(5)
    times = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 300 * 86_400, 300), unit="s")
    frame = pd.DataFrame({"day": times.floor("D"), "at": times, "zoned": times.tz_localize("UTC")})
    frame["y"] = np.where((times.hour > 11) ^ (times.month > 6), "u", "v")
    table = acumen.read(frame, target="y")
    assert [a.form for a in table.schema] == ["datetime", "datetime", "datetime utc"]
    cells = ", ".join(f"('{t:%Y-%m-%d}', '{t}', '{t}Z')" for t in times)
    types = {"typed": ("date", "timestamp", "timestamptz"), "texts": ("text", "text", "text")}
    try:
        for name, (day, at, zoned) in types.items():
            server.run(
                f"CREATE TABLE {name} (day {day}, at {at}, zoned {zoned})",
                f"INSERT INTO {name} VALUES {cells}",
            )
        for learner in (acumen.DecisionTree(prune="none"), acumen.Ripper(), acumen.AdaBoost()):
            model = learner.fit(table)
            wanted = [str(label) for label in model.predict(table)]
            for name in types:
                query = f"SELECT prediction FROM ({model.to_sql(name)}) AS made"
                answers = acumen.read(server.address, query=query).column("prediction")
                assert [str(v) for v in answers] == wanted, (name, learner)
    finally:
        server.run("DROP TABLE IF EXISTS typed, texts")


def test_uuids_are_texts_and_intervals_are_refused_with_what_to_write(server):
    first, second = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12"
    try:
        server.run(
            "CREATE TABLE kinds (id uuid, i interval, n int)",
            f"INSERT INTO kinds VALUES ('{second}', '1 day 02:00', 1), (NULL, NULL, 2), ('{first}', '1:00', 3)",
        )
        table = same_in_parts(server.address, query="SELECT id, n FROM kinds ORDER BY n")
        assert table.schema["id"].levels == (first, second)
        assert table.column("id").tolist() == [second, None, first]
        with pytest.raises(DataError, match=r"type interval.*query with EXTRACT\(epoch FROM \"i\"\)"):
            acumen.read(server.address, query="SELECT * FROM kinds")
        query = 'SELECT EXTRACT(epoch FROM "i") AS s, n FROM kinds ORDER BY n'
        assert plain(acumen.read(server.address, query=query).column("s")) == [93600, None, 3600]
    finally:
        server.run("DROP TABLE IF EXISTS kinds")
