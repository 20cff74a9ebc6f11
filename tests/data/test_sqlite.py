"""SQLite: any type in any cell, queries with parameters, and rows written back all or none."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import Dialect
from acumen.data.batches.cell_rows import CellRows
from acumen.data.batches.spool import Spool
from acumen.data.databases import sqlite
from acumen.data.databases.sql import store
from acumen.data.report import Report
from acumen.errors import DataError, ParameterError
from doors import plain, same_in_parts


def made(path: Path, *statements: str, rows: list[tuple] = (), table: str = "t") -> str:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        if rows:
            connection.execute(f"CREATE TABLE {table} ({', '.join(f'c{j}' for j in range(len(rows[0])))})")
            places = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
        connection.commit()
    return f"sqlite:///{path}"


def rows_of(path: Path, query: str) -> list[tuple]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_the_only_table_is_read_without_a_query(tmp_path):
    path = tmp_path / "a.db"
    source = made(path, rows=[(1, "x", 1.5), (2, "y", None), (3, "x", 2)])
    table = same_in_parts(source, target="c1")
    assert table.column("c0").tolist() == [1, 2, 3] and plain(table.column("c2")) == [1.5, None, 2]
    assert table.label_values().tolist() == ["x", "y", "x"] and table.report.source == source
    assert same_in_parts(path, target="c1").difference(table) is None


def test_a_table_with_an_odd_name_and_a_view_are_tables(tmp_path):
    source = made(tmp_path / "a.db", rows=[(1, 2)], table='"odd ""name; drop"')
    assert acumen.read(source).schema.columns == ("c0", "c1")


def test_several_tables_are_listed(tmp_path):
    source = made(tmp_path / "a.db", "CREATE TABLE u (a)", "CREATE VIEW v AS SELECT * FROM u", rows=[(1, 2)])
    with pytest.raises(
        DataError, match=r"holds 3 tables: t, u, v\. Select the rows you want, for example with query="
    ):
        acumen.read(source)
    with pytest.raises(DataError, match="holds no table"):
        acumen.read(made(tmp_path / "b.db", "CREATE TABLE t (a)", "DROP TABLE t"))


def test_parameters_are_bound_and_never_pasted(tmp_path):
    nasty = "x'; DROP TABLE t; --"
    source = made(tmp_path / "a.db", rows=[(1, "x"), (2, nasty), (3, nasty)])
    table = same_in_parts(
        source, query="SELECT c0 AS a, c1 FROM t WHERE c1 = ? AND c0 > ?", params=[nasty, 2]
    )
    assert table.column("a").tolist() == [3]
    assert len(acumen.read(source)) == 3


@pytest.mark.parametrize("value", [2, np.int64(2), np.int32(2), np.float64(2), np.uint8(2)])
def test_numbers_of_numpy_are_numbers_to_a_query(tmp_path, value):
    source = made(tmp_path / "a.db", rows=[(1, "x"), (2, "y")])
    found = acumen.read(source, query="SELECT * FROM t WHERE c0 = ?", params=[value])
    assert found.column("c1").tolist() == ["y"]


@pytest.mark.parametrize("query", ["ATTACH '{}' AS other", "VACUUM INTO '{}'"])
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_no_query_makes_a_file(tmp_path, query, how):
    other = tmp_path / "other.db"
    with pytest.raises(DataError, match="a query may only read"):
        how(made(tmp_path / "a.db", rows=[(1, 2)]), query=query.format(other))
    assert not other.exists()


def test_a_type_that_changes_after_the_first_batch_neither_fails_nor_truncates(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "ROWS", 3)
    values = [1, 2, 3, 4, 5, 5.0, None, "late word", 2.5, b"bytes", 2**60]
    source = made(tmp_path / "a.db", rows=[(i, value) for i, value in enumerate(values)])
    table = same_in_parts(source, sizes=(1, 2, 50))
    expected = ["1", "2", "3", "4", "5", "5.0", None, "late word", "2.5", "bytes", str(2**60)]
    assert table.column("c1").tolist() == expected
    assert "holds values of type bytes, float, int, str, read as text" in table.report


def test_integers_beyond_floats_stay_apart_over_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "ROWS", 2)
    values = [7, 8, 2**53 + 1, 2**53 + 2, None, 7]
    table = same_in_parts(made(tmp_path / "a.db", rows=[(0, value) for value in values]))
    assert table.column("c1").tolist() == values and table.schema["c1"].levels == (7, 8, 2**53 + 1, 2**53 + 2)


CELL = st.one_of(
    st.none(), st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False),
    st.sampled_from(["", "a", "b c d", "1"]), st.binary(max_size=2),
)  # fmt: skip


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=15), st.integers(1, 6))
def test_batches_of_any_size_give_what_one_gives(rows, size):
    whole, several = CellRows([]), CellRows(Spool())
    whole.add_rows(["a", "b"], rows)
    for start in range(0, len(rows), size):
        several.add_rows(["a", "b"], rows[start : start + size])
    one, other = whole.whole(Report()), several.whole(Report())
    for name in ("a", "b"):
        assert plain(one.columns[name].natural()) == plain(other.columns[name].natural())
        assert one.columns[name].distinct() == other.columns[name].distinct()
        cells = [row["ab".index(name)] for row in rows]
        if all(isinstance(cell, str) or cell is None for cell in cells) and any(cells):
            assert one.columns[name].natural().tolist() == cells


def test_columns_of_one_name_are_told_apart(tmp_path):
    table = same_in_parts(made(tmp_path / "a.db", rows=[(1, 2)]), query="SELECT c0, c1 AS c0 FROM t")
    assert table.schema.columns == ("c0", "c0_2") and "repeats the name 'c0'" in table.report


def test_scanned_rows_are_one_state_of_the_database(tmp_path):
    path = tmp_path / "a.db"
    parts = acumen.scan(made(path, rows=[(1, 2), (3, 4)]), rows=1)
    first = [part.column("c0").tolist() for part in parts]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM t")
        connection.commit()  # nobody holds a lock
    assert [part.column("c0").tolist() for part in parts] == first == [[1.0], [3.0]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": "SELECT nope FROM t"}, "the query failed: no such column: nope"),
        ({"query": "SELEC 1"}, "the query failed: near"),
        ({"query": "SELECT 1; SELECT 2"}, "one statement at a time"),
        ({"query": "SELECT * FROM t WHERE c0 = ?"}, "Incorrect number of bindings"),
        ({"query": "SELECT * FROM t WHERE c0 = ?", "params": [[1]]}, "the query failed: "),
        ({"query": "SELECT * FROM t WHERE c0 = ?", "params": [2**70]}, "a number has more than 64 bits"),
        ({"query": "SELECT '\ud800'"}, "half a character"),
        ({"query": "DELETE FROM t"}, "a query may only read"),
        ({"query": "PRAGMA user_version = 3"}, "a query may only read"),
        (
            {"query": "t"},
            'near "t": syntax error. To read all rows of a table of that name, use SELECT * FROM t.',
        ),
        ({"query": ' "odd name"; '}, 'use SELECT * FROM "odd name".'),
        ({"query": "BEGIN"}, "SELECT. Nothing was run."),
        ({"query": "SELECT * FROM t WHERE c0 > 99"}, "has no rows"),
        ({"query": "SELECT CAST(x'ff' AS TEXT) AS a FROM t"}, "CAST(name AS BLOB)"),
    ],
)
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_what_is_wrong_is_a_sentence_and_changes_nothing(tmp_path, options, said, how):
    path = tmp_path / "a.db"
    source = made(path, rows=[(1, 2)])
    with pytest.raises(DataError) as error:
        how(source, **options)
    assert said in str(error.value) and str(error.value).startswith(source) and str(error.value).endswith(".")
    assert rows_of(path, "SELECT * FROM t") == [(1, 2)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": " "}, "query= is empty"),
        ({"params": [1]}, "params= needs query= too"),
        ({"query": "SELECT 1", "params": "abc"}, "params are several values"),
        ({"query": "SELECT 1", "params": {"a": 1}}, "params are several values"),
        ({"query": "SELECT 1", "params": 5}, "params are several values"),
        ({"query": 5}, "query must be text"),
        ({"dialect": Dialect(delimiter=",")}, "a database has no delimiter"),
        ({"dialect": Dialect(format="jsonl")}, "a database is recognised by its address"),
        ({"ragged": "fill"}, "a database has no ragged rows"),
    ],
)
def test_options_that_mean_nothing_here_are_refused(tmp_path, options, said):
    with pytest.raises(ParameterError) as error:
        acumen.read(made(tmp_path / "a.db", rows=[(1, 2)]), **options)
    assert said in str(error.value)


def test_files_that_are_no_database(tmp_path):
    (tmp_path / "a.db").write_bytes(b"nothing of the kind" * 100)
    for source, said in [
        (f"sqlite:///{tmp_path}/a.db", "file is not a database"),
        (f"sqlite:///{tmp_path}/b.db", "there is no SQLite file .*Did you mean 'a.db'"),
        (f"sqlite:///{tmp_path}", "is a directory"),
        ("sqlite://", "names no file"),
        ("sqlite://a.db", "names no file; use sqlite:///file.db"),
        ("sqlite:///:memory:", "names no file"),
    ]:
        with pytest.raises(DataError, match=said):
            acumen.read(source, query="SELECT * FROM t")
    assert not (tmp_path / "b.db").exists()


def test_a_database_cut_short_is_told(tmp_path):
    path = tmp_path / "a.db"
    source = made(path, rows=[(i, "x" * 100) for i in range(2000)])
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(DataError, match="database disk image is malformed"):
        acumen.read(source)


@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_a_cell_beyond_the_end_of_its_page_is_no_row(tmp_path, how):
    """SQLite by itself gives a row that nobody wrote."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("CREATE TABLE t (a INTEGER, b TEXT, c REAL)")
        rows = [(i, f"w{i % 3}", i / 2) for i in range(30)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        connection.commit()
    data = bytearray(path.read_bytes())
    data[4096 + 66 : 4096 + 68] = b"\xff\xff"  # where the second page says its 30th row begins
    path.write_bytes(data)
    with pytest.raises(DataError, match="malformed"):
        how(path)
    with closing(
        sqlite.SQLite(str(path))._open_connection("ro")
    ) as connection:  # what memory holds differs from run to run
        assert connection.execute("PRAGMA cell_size_check").fetchone() == (1,)


def test_a_locked_database_is_told(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    source = made(path, rows=[(1, 2)])
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, timeout=0.05, **k))
    with closing(connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DataError, match="database is locked"):
            acumen.read(source)


def test_an_address_takes_characters_that_addresses_quote(tmp_path):
    path = tmp_path / "a b?c#d%20.db"
    assert len(acumen.read(made(path, rows=[(1, 2)]))) == 1


# -- writing --------------------------------------------------------------------------------------

COLUMNS = [("row", "integer"), ('P("a; b")', "number"), ("text", "text")]


def test_rows_are_written_under_any_name(tmp_path):
    path, name = tmp_path / "a.db", 'answers "of"; DROP TABLE t'
    source = made(path, rows=[(1, 2)])
    assert store(source, name, COLUMNS, iter([(1, 0.5, "x"), (2, None, None)])) == 2
    quoted = name.replace('"', '""')
    assert rows_of(path, f'SELECT * FROM "{quoted}"') == [(1, 0.5, "x"), (2, None, None)]


def test_a_table_that_is_there_is_left_alone_unless_replaced(tmp_path):
    path = tmp_path / "a.db"
    source = made(path, rows=[(1, 2)])
    with pytest.raises(DataError, match="already has a table 'T', which was not changed"):
        store(source, "T", COLUMNS, iter([(1, 0.5, "x")]))
    assert rows_of(path, "SELECT * FROM t") == [(1, 2)]
    assert store(source, "t", COLUMNS, iter([(1, 0.5, "x")]), replace=True) == 1
    assert rows_of(path, "SELECT * FROM t") == [(1, 0.5, "x")]


@pytest.mark.parametrize("replace", [False, True])
def test_rows_that_fail_half_way_leave_nothing_behind(tmp_path, replace):
    path = tmp_path / "a.db"
    source = made(path, rows=[(1, 2)])

    def rows():
        yield (1, 0.5, "x")
        raise RuntimeError("on the way")

    with pytest.raises(RuntimeError, match="on the way"):
        store(source, "t" if replace else "new", COLUMNS, rows(), replace=replace)
    assert rows_of(path, "SELECT name FROM sqlite_master") == [("t",)]
    assert rows_of(path, "SELECT * FROM t") == [(1, 2)]


def test_only_databases_can_be_written_into(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    with pytest.raises(ParameterError, match="is not a database"):
        store(str(path), "t", COLUMNS, iter([]))
    with pytest.raises(ParameterError, match="a table needs a name"):
        store(made(tmp_path / "a.db", rows=[(1, 2)]), "", COLUMNS, iter([]))


def test_streams_learn_what_wholes_learn(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(float(v), "ab"[int(v > 0)], "xyz"[i % 3]) for i, v in enumerate(rng.normal(size=500))]
    source = made(tmp_path / "a.db", rows=rows)
    whole = acumen.NaiveBayes().fit(acumen.read(source, target="c1"))
    stream = acumen.NaiveBayes().fit_stream(acumen.scan(source, rows=64, target="c1"))
    table = acumen.read(source, target="c1")
    np.testing.assert_allclose(stream.predict_proba(table), whole.predict_proba(table), rtol=1e-10)


# -- a database is a program too ------------------------------------------------------------------------

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


@pytest.mark.parametrize("ask", [acumen.read, acumen.scan])
def test_a_view_is_not_run_unasked(tmp_path, ask):
    source = made(tmp_path / "a.db", "CREATE TABLE t (a)", "DROP TABLE t", f"CREATE VIEW v AS {ENDLESS}")
    with pytest.raises(
        DataError,
        match=r"holds only the view 'v', and acumen does not run views by default; .*SELECT \* FROM \"v\"",
    ):
        ask(source)
    assert len(acumen.read(source, query="SELECT * FROM v LIMIT 3")) == 3


@pytest.mark.parametrize("ask", [acumen.read, acumen.scan])
def test_a_query_that_never_ends_is_ended(tmp_path, monkeypatch, ask):
    source = made(tmp_path / "a.db", f"CREATE VIEW v AS {ENDLESS}", rows=[(1, 2)])
    monkeypatch.setattr(sqlite, "MUCH", 1 << 20)
    with pytest.raises(DataError, match="returned rows of more than 1,048,576 bytes"):
        ask(source, query="SELECT * FROM v")
    with pytest.raises(DataError, match=r"more than 5,000 bytes.*max_bytes"):
        ask(source, query="SELECT * FROM v", max_bytes=5000)
    assert len(acumen.read(source, query="SELECT * FROM v LIMIT 50000", max_bytes=1 << 22)) == 50_000
    monkeypatch.setattr(sqlite, "PATIENCE", 0.2)
    with pytest.raises(DataError, match=r"returned no row for 0.2 seconds and was stopped"):
        ask(source, query="SELECT sum(i) FROM v")


def test_a_cell_has_a_size(tmp_path):
    source = made(tmp_path / "a.db", rows=[(1, 2)])
    with pytest.raises(DataError, match="too big"):
        acumen.read(source, query="SELECT zeroblob(900000000)")
    hidden = made(
        tmp_path / "b.db", "CREATE TABLE g (a, b AS (zeroblob(200000000)))", "INSERT INTO g VALUES (1)"
    )
    with pytest.raises(DataError, match="too big"):
        acumen.read(hidden)


def test_rows_of_large_cells_come_a_few_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "BYTES", 1000)
    source = made(tmp_path / "a.db", rows=[(i, "x" * 300) for i in range(40)])
    assert same_in_parts(source).column("c0").tolist() == list(range(40))


def test_ctrl_c_ends_a_query(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "STEPS", 10)
    source = made(tmp_path / "a.db", rows=[(1, 2)])

    def pressed(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(sqlite._QueryTimer, "_check_time", pressed)
    with pytest.raises(KeyboardInterrupt):
        acumen.read(source, query=f"SELECT sum(i) FROM ({ENDLESS})")


KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 2")
connection.execute("BEGIN")
connection.execute("UPDATE t SET c1 = 'half done'")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def test_what_a_killed_writer_left_is_taken_back(tmp_path):
    path = tmp_path / "a.db"
    source = made(path, rows=[(i, "w" * 200) for i in range(3000)])
    subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    journal = tmp_path / "a.db-journal"
    assert journal.exists()
    table = acumen.read(source)
    assert len(table) == 3000 and set(table.column("c1").tolist()) == {"w" * 200}
    assert not journal.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def test_where_it_cannot_be_taken_back_it_is_said_how(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    source = made(path, rows=[(i, "w" * 200) for i in range(3000)])
    subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    real = sqlite.SQLite._try_open  # as root any file can be written, so that permissions would show nothing

    monkeypatch.setattr(sqlite.SQLite, "_try_open", lambda self, mode: real(self, "ro"))
    with pytest.raises(
        DataError, match=r"stopped while writing to it and left .*a\.db-journal\. .*Copy both files"
    ):
        acumen.read(source)


@pytest.mark.parametrize("what", ["table", "column"])
def test_names_that_are_not_utf_8_are_a_sentence(tmp_path, what):
    path = tmp_path / "a.db"
    name = "caf\u00e9"
    with closing(sqlite3.connect(path)) as connection:
        columns = ("a", name) if what == "column" else ("a", "b")
        connection.execute(
            f'CREATE TABLE "{name if what == "table" else "t"}" ("{columns[0]}", "{columns[1]}")'
        )
        connection.execute(f'INSERT INTO "{name if what == "table" else "t"}" VALUES (1, 2)')
        connection.commit()
    path.write_bytes(path.read_bytes().replace(name.encode(), b"caf\xff\xfe"))
    with pytest.raises(DataError, match=r"caf\\xff\\xfe.* is not UTF-8"):
        acumen.read(path)
