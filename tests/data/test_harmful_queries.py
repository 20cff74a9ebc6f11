"""Queries that would write, run programs or change settings: refused in a sentence, before any part of them runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

import acumen
from acumen.cli.main import run
from acumen.data.databases import postgres
from acumen.data.databases.adbc_link import Link
from acumen.errors import DataError, ParameterError
from postgres_server import reason_against, serving

#: FILE is a path that must not exist afterwards; each statement is complete, so that it would run if it were let.
POSTGRES = [
    "COPY one TO PROGRAM 'touch FILE'",
    "copy one to program 'touch FILE'",
    "COPY one TO 'FILE'",
    "COPY (SELECT * FROM one) TO 'FILE' WITH (FORMAT csv)",
    "COPY one FROM PROGRAM 'touch FILE'",
    "COPY one FROM '/etc/hostname'",
    "/* SELECT */ COPY one TO PROGRAM 'touch FILE'",
    "-- SELECT\nCOPY one TO PROGRAM 'touch FILE'",
    "/* nested /* SELECT */ */ COPY one TO PROGRAM 'touch FILE' -- end",
    "COPY one TO PROGRAM $$touch FILE$$",
    "COPY one TO PROGRAM $select$touch FILE$select$",
    "COPY one TO PROGRAM E'touch\\040FILE'",
    "COPY one TO PROGRAM U&'touch\\0020FILE'",
    "\tCOPY\none\r\nTO\fPROGRAM 'touch FILE';",
    "; COPY one TO PROGRAM 'touch FILE'",
    "SELECT 1; COPY one TO PROGRAM 'touch FILE'",
    "SELECT 1\n; ; COPY one TO PROGRAM 'touch FILE'; SELECT 1",
    "SELECT 1) q; COPY one TO PROGRAM 'touch FILE' --",
    "SELECT 1) q; COPY one TO PROGRAM 'touch FILE'; SELECT * FROM (SELECT 1",
    "SELECT 1) TO PROGRAM 'touch FILE' --",
    "SELECT 1) TO PROGRAM 'touch FILE' /*",
    "SELECT 1) TO PROGRAM 'touch FILE' WITH (FORMAT text",
    "one) TO PROGRAM 'touch FILE'; SELECT (1",
    "SELECT 1 /* ) q; COPY one TO PROGRAM 'touch FILE'",
    "SELECT '); COPY one TO PROGRAM ''touch FILE'''; COPY one TO PROGRAM 'touch FILE'",
    "SELECT $$ $$; COPY one TO PROGRAM 'touch FILE'",
    "SELECT $a$ $b$ $a$; COPY one TO PROGRAM 'touch FILE'",
    "DO $$ BEGIN COPY one TO PROGRAM 'touch FILE'; END $$",
    "DO LANGUAGE plpgsql 'BEGIN EXECUTE ''COPY one TO PROGRAM ''''touch FILE''''''; END'",
    "EXPLAIN ANALYZE INSERT INTO one VALUES (9, 'z')",
    "EXPLAIN (ANALYZE, BUFFERS) DELETE FROM one",
    "INSERT INTO one VALUES (9, 'z')",
    "INSERT INTO one VALUES (9, 'z') RETURNING *",
    "UPDATE one SET a = 9",
    "UPDATE one SET a = 9 RETURNING a",
    "DELETE FROM one RETURNING *",
    "MERGE INTO one USING (SELECT 1 AS k) s ON a = k WHEN MATCHED THEN DELETE",
    "TRUNCATE one",
    "DROP TABLE one",
    "ALTER TABLE one ADD COLUMN c int",
    "WITH gone AS (DELETE FROM one RETURNING *) SELECT * FROM gone",
    "WITH added AS (INSERT INTO one VALUES (9, 'z') RETURNING *) SELECT * FROM added",
    "WITH r AS (SELECT 1), changed AS (UPDATE one SET a = 9 RETURNING a) SELECT * FROM r, changed",
    "WITH x AS (SELECT 1) INSERT INTO one SELECT 9, 'z' RETURNING *",
    "WITH gone AS (DELETE FROM one RETURNING *) SELECT * FROM gone) q, (SELECT 1",
    "SELECT * INTO two FROM one",
    "SELECT * INTO TEMPORARY two FROM one",
    "SELECT * FROM (SELECT 1) q INTO two",
    "CREATE TABLE two AS SELECT * FROM one",
    "CREATE TEMP TABLE two (a int)",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE EXTENSION IF NOT EXISTS file_fdw",
    "CREATE ROLE mallory SUPERUSER",
    "ALTER SYSTEM SET work_mem = '1GB'",
    "SET default_transaction_read_only = off",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "SET ROLE postgres",
    "RESET ALL",
    "BEGIN; SET TRANSACTION READ WRITE; DELETE FROM one; COMMIT",
    "COMMIT",
    "ROLLBACK",
    "START TRANSACTION READ WRITE",
    "SAVEPOINT a",
    "LOCK TABLE one",
    "CALL p()",
    "PREPARE s AS DELETE FROM one",
    "EXECUTE s",
    "DEALLOCATE ALL",
    "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    "FETCH ALL FROM acumen_rows",
    "LISTEN x",
    "NOTIFY x, 'y'",
    "LOAD 'auto_explain'",
    "VACUUM one",
    "ANALYZE one",
    "CHECKPOINT",
    "CLUSTER",
    "REINDEX TABLE one",
    "REFRESH MATERIALIZED VIEW seen",
    "IMPORT FOREIGN SCHEMA s FROM SERVER x INTO public",
    "GRANT ALL ON one TO PUBLIC",
    "SECURITY LABEL ON TABLE one IS 'x'",
    "COMMENT ON TABLE one IS 'x'",
    "DISCARD ALL",
    "SHOW ALL",
]  # fmt: skip
#: What grammar allows inside a SELECT and a read-only transaction forbids.
POSTGRES_BY_TRANSACTION = [
    "SELECT * FROM one FOR UPDATE",
    "SELECT nextval('counter')",
    "SELECT setval('counter', 99)",
    "SELECT set_config('transaction_read_only', 'off', false), nextval('counter')",
    "SELECT deletes()",
]
#: Functions that a read-only transaction lets act, or that run a text; 4711 is a large object that exists.
POSTGRES_BY_NAME = [
    "SELECT lo_export(4711, 'FILE')",
    "SELECT * FROM lo_export(4711, 'FILE')",
    "VALUES (pg_catalog . LO_EXPORT /* ( */ (4711, 'FILE'))",
    'SELECT "lo_export"--\n(4711, \'FILE\')',
    "SELECT u&\"lo\\005fexport\"(4711, 'FILE')",
    "SELECT 1 AS a, U&\"!006c!006f_export\" UESCAPE '!' (4711, 'FILE')",
    "SELECT 1 LIMIT lo_export(4711, 'FILE')",
    "SELECT a FROM one ORDER BY sum(a) OVER (ROWS lo_export(4711, 'FILE') PRECEDING)",
    "SELECT query_to_xml('SELECT lo_' || 'export(4711, ''FILE'')', true, true, '')::text",
    "SELECT * FROM ts_stat('SELECT lo_' || 'export(4711, ''FILE'')::text::tsvector')",
    "SELECT ts_rewrite('a'::tsquery, 'SELECT lo_' || 'export(4711, ''FILE'')::text::tsquery, ''b''::tsquery')::text",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend'",
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity",
    "SELECT pg_create_physical_replication_slot('slot', true)::text",
    "SELECT pg_reload_conf()",
    "SELECT pg_rotate_logfile()",
    "SELECT pg_switch_wal()::text",
    "SELECT pg_stat_reset()::text",
    "SELECT pg_backup_start('x')::text",
    "SELECT pg_start_backup('x')::text",
    "SELECT pg_logical_emit_message(false, 'a', 'b')::text",
    "SELECT * FROM dblink('dbname=postgres', 'COPY one TO PROGRAM ''touch FILE''') AS t(a text)",
    "SELECT pg_file_write('FILE', 'x', false)",
]  # fmt: skip
SQLITE = [
    "ATTACH 'FILE' AS other",
    "ATTACH DATABASE 'file:FILE?mode=rwc' AS other",
    "/* SELECT */ ATTACH 'FILE' AS other",
    "-- SELECT\nATTACH 'FILE' AS other",
    "VACUUM",
    "VACUUM INTO 'FILE'",
    "VACUUM main INTO 'FILE'",
    "DETACH main",
    "SELECT 1; ATTACH 'FILE' AS other",
    "SELECT 1; VACUUM INTO 'FILE'; SELECT 1",
    "; ATTACH 'FILE' AS other",
    "SELECT 1) q; ATTACH 'FILE' AS other; SELECT (1",
    "PRAGMA query_only = 0",
    "PRAGMA writable_schema = 1",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA data_store_directory = '/tmp'",
    "PRAGMA hard_heap_limit = 1",
    "PRAGMA soft_heap_limit = 1",
    "PRAGMA user_version = 7",
    "PRAGMA main.application_id = 7",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA trusted_schema = 1",
    "PRAGMA optimize",
    "PRAGMA incremental_vacuum",
    "PRAGMA key = 'x'",
    "EXPLAIN PRAGMA journal_mode = WAL",
    "EXPLAIN DELETE FROM one",
    "EXPLAIN QUERY PLAN INSERT INTO one VALUES (9, 'z')",
    "SELECT load_extension('FILE')",
    "SELECT load_extension('FILE', 'init') FROM one",
    "SELECT LOAD_EXTENSION('FILE')",
    "WITH x AS (SELECT load_extension('FILE')) SELECT * FROM x",
    "SELECT fts3_tokenizer('simple', x'0000000000000000')",
    "SELECT writefile('FILE', 'x')",
    "SELECT edit('x', 'touch FILE')",
    "INSERT INTO one VALUES (9, 'z')",
    "INSERT INTO one VALUES (9, 'z') RETURNING *",
    "INSERT INTO words(words) VALUES ('rebuild')",
    "REPLACE INTO one VALUES (9, 'z')",
    "UPDATE one SET a = 9 RETURNING a",
    "DELETE FROM one RETURNING *",
    "WITH x AS (SELECT 1) INSERT INTO one SELECT 9, 'z' RETURNING *",
    "WITH x AS (SELECT 1) DELETE FROM one RETURNING *",
    "WITH x AS (DELETE FROM one RETURNING *) SELECT * FROM x",
    "CREATE TABLE two AS SELECT * FROM one",
    "CREATE TEMP TABLE two (a)",
    "CREATE TEMP VIEW two AS SELECT 1",
    "CREATE TEMP TRIGGER t AFTER INSERT ON one BEGIN DELETE FROM one; END",
    "CREATE VIRTUAL TABLE temp.two USING fts5(a)",
    "SELECT * INTO two FROM one",
    "DROP TABLE one",
    "ALTER TABLE one RENAME TO two",
    "REINDEX",
    "ANALYZE",
    "BEGIN",
    "BEGIN EXCLUSIVE",
    "SAVEPOINT a",
    "COMMIT",
]
#: What reads, however much it looks like something else.
HARMLESS = [
    "SELECT a, b FROM one ORDER BY a DESC",
    "SELECT 'COPY one TO PROGRAM; DELETE' AS a, ');' AS b",
    "WITH x AS (SELECT * FROM one) SELECT * FROM x -- ; DELETE FROM one",
    "VALUES (1, 'x'), (2, 'y');",
    "SELECT a, a AS a2 FROM one UNION ALL SELECT 3, 4 /* ( */",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
]  # fmt: skip


@pytest.fixture(scope="module")
def server():
    if reason_against() is not None:
        pytest.skip(str(reason_against()))
    with serving() as started:
        started.run(
            "CREATE TABLE one (a int, b text)",
            "INSERT INTO one VALUES (1, 'x'), (2, 'y')",
            "CREATE SEQUENCE counter",
            "CREATE MATERIALIZED VIEW seen AS SELECT * FROM one",
            "CREATE PROCEDURE p() LANGUAGE sql AS 'DELETE FROM one'",
            "SELECT lo_from_bytea(4711, 'bytes')",
            "CREATE FUNCTION deletes() RETURNS int LANGUAGE sql AS 'DELETE FROM one; SELECT 1'",
        )
        yield started


def state_of(server) -> str:
    """All that a statement of the corpus could change."""
    return server.run(
        "SELECT * FROM one ORDER BY a",
        "SELECT last_value, is_called FROM counter",
        "SELECT relname, relnatts FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
        "SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
        "SELECT count(*) FROM pg_roles WHERE rolname = 'mallory'",
        "SELECT count(*) FROM pg_extension",
        "SELECT count(*) FROM pg_largeobject_metadata",
        "SELECT count(*) FROM pg_replication_slots",
        "SELECT obj_description('one'::regclass)",
    )


def refusal(source: str, query: str, how=acumen.read, params=()) -> str:
    with pytest.raises(DataError) as error:
        how(source, query=query, params=params)
    message = str(error.value)
    assert message.endswith(".") and "\n" not in message
    return message


@pytest.fixture
def forbidden_file():
    """A path that the server's user and ours can both write to, in a folder that goes away."""
    import tempfile

    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder, "prog")


def test_the_corpus_is_a_corpus():
    assert len({*POSTGRES, *POSTGRES_BY_TRANSACTION}) >= 50 and len(set(SQLITE)) >= 50


def test_copy_to_program_would_run_where_nothing_refuses_it(server, forbidden_file):
    server.run(POSTGRES[0].replace("FILE", str(forbidden_file)))
    assert forbidden_file.exists()


@pytest.fixture
def one_connection(monkeypatch):
    """All readings share a connection, because each login takes the server a tenth of a second."""
    links = {}

    class Shared(Link):
        def __new__(cls, address):
            return links.setdefault(address, super().__new__(cls))

        def __init__(self, address):
            if not vars(self):
                super().__init__(address)

        def close(self):
            self.settle()
            self.rollback()
            self._connection.set_autocommit(True)

    monkeypatch.setattr(postgres, "Link", Shared)
    yield
    for link in links.values():
        Link.close(link)


def test_postgres_runs_no_part_of_a_harmful_query(server, forbidden_file, one_connection):
    before = state_of(server)
    for query in (*POSTGRES, *POSTGRES_BY_TRANSACTION, *POSTGRES_BY_NAME):
        refusal(server.address, query.replace("FILE", str(forbidden_file)))
        assert not forbidden_file.exists(), query
    assert state_of(server) == before


def test_postgres_runs_no_part_of_a_harmful_query_with_a_parameter(server, forbidden_file, one_connection):
    before = state_of(server)
    for query in (*POSTGRES, *POSTGRES_BY_TRANSACTION, *POSTGRES_BY_NAME):
        harmful = query.replace("FILE", str(forbidden_file))
        placed = harmful.replace(" 1", " $1::int", 1) if " 1" in harmful else f"{harmful} -- $1"
        with pytest.raises((DataError, ParameterError)):
            acumen.read(server.address, query=placed, params=[1])
        assert not forbidden_file.exists(), query
    assert state_of(server) == before


def test_what_a_function_changes_is_taken_back(server):
    """Before version 16, lo_create is let through in a read-only transaction."""
    count = "SELECT count(*) FROM pg_largeobject_metadata"
    before = server.run(count)
    with suppress(DataError):
        acumen.read(server.address, query="SELECT lo_create(0)")
    assert server.run(count) == before


def test_a_function_that_acts_is_refused_by_name(server):
    message = refusal(server.address, "SELECT pg_terminate_backend(1)")
    assert message.endswith("only read, but pg_terminate_backend does more; remove it. Nothing was run.")
    harmless = "SELECT 1 AS pg_start, 2 AS brinkmanship, 3 AS dblinks, 4 AS my_ts_stat"
    assert acumen.read(server.address, query=harmless).n_rows == 1


def test_what_is_refused_says_what_may_be_asked(server):
    for query in ("COPY one TO STDOUT", "DELETE FROM one", "DELETE FROM one RETURNING a", "SHOW work_mem",
                  "SELECT * INTO two FROM one", "WITH x AS (DELETE FROM one RETURNING *) SELECT * FROM x"):  # fmt: skip
        message = refusal(server.address, query)
        assert message.endswith(
            ": a query may only read; write SELECT, VALUES or WITH ... SELECT. Nothing was run."
        )


@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_postgres_answers_what_only_reads(server, how):
    for query in (
        *HARMLESS,
        "TABLE one",
        "(SELECT a FROM one) UNION (SELECT 5) ORDER BY 1",
        "SELECT DISTINCT ON (a) * FROM one",
        "SELECT * FROM one LIMIT 1 OFFSET 1",
    ):
        assert how(server.address, query=query).n_rows, query


def test_the_command_line_refuses_before_anything_runs(server, forbidden_file, capsys):
    query = f"copy one to program 'touch {forbidden_file}'"
    assert run(["inspect", server.address, "--query", query]) == 3
    assert "a query may only read" in capsys.readouterr().err and not forbidden_file.exists()


# -- SQLite ---------------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE one (a, b)")
        connection.executemany("INSERT INTO one VALUES (?, ?)", [(1, "x"), (2, "y")])
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(line)")
        connection.execute("INSERT INTO words VALUES ('the quick fox')")
        connection.commit()
    return path


@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_sqlite_runs_no_part_of_a_harmful_query(database, how):
    before = database.read_bytes()
    entries = sorted(database.parent.iterdir())
    for query in SQLITE:
        refusal(f"sqlite:///{database}", query.replace("FILE", str(database.parent / "prog")), how)
        assert sorted(database.parent.iterdir()) == entries, query
    assert database.read_bytes() == before
    assert (
        acumen.read(f"sqlite:///{database}", query="SELECT * FROM one").n_rows == 2
    )  # no limit of the process fell


def test_sqlite_says_what_may_be_asked(database):
    for query in ("ATTACH 'x' AS y", "PRAGMA hard_heap_limit = 1", "CREATE TEMP TABLE two (a)", "BEGIN", "VACUUM",
                  "DELETE FROM one", "SELECT load_extension('x')"):  # fmt: skip
        assert "a query may only read" in refusal(f"sqlite:///{database}", query), query


def test_sqlite_answers_what_only_reads(database):
    more = [
        "SELECT line FROM words WHERE words MATCH 'quick'",
        "SELECT name FROM pragma_table_info('one')",
        "SELECT json_extract('{\"a\": 1}', '$.a') AS a",
        "SELECT name, sql FROM sqlite_master",
    ]
    for query in (*HARMLESS, *more):
        assert acumen.read(f"sqlite:///{database}", query=query).n_rows, query


@pytest.mark.parametrize("place", ["sqlite:///a.db", "postgresql://nobody@127.0.0.1:1/x"])
def test_a_query_that_holds_nul_is_refused(place):
    with pytest.raises(ParameterError, match="contains a NUL character"):
        acumen.read(place, query="SELECT 1\0; DELETE FROM one")
