"""Tables of PostgreSQL by ranges of their keys: the rows that going through all of them gives."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.concat import concat
from acumen.data.databases import postgres_rows
from acumen.errors import DataError
from postgres_server import PASSWORD, Server, reason_against, serving

pytestmark = pytest.mark.skipif(reason_against() is not None, reason=str(reason_against()))

ROWS = (
    "SELECT i AS x, CASE WHEN i % 3 = 0 THEN 'u' ELSE 'v' END AS y, (i * 7919) % 1000 AS k "
    "FROM generate_series(1, 100) i"
)


@pytest.fixture(autouse=True)
def small_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_rows, "STRETCH", 16)


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.fixture
def server(own_server: Server) -> Iterator[Server]:
    yield own_server
    own_server.run("DROP TABLE IF EXISTS t CASCADE")


def _again(parts: Any) -> tuple[Any, Any]:
    """All rows as the scan has them, and as somebody else fetches them."""
    sent = pickle.loads(pickle.dumps(parts.located))
    assert max(sent.sizes) == 16 and sum(sent.sizes) == parts.n_rows
    backwards = [concat(list(sent.tables(i, i + 1))) for i in reversed(range(len(sent.sizes)))]
    return concat(list(parts)), concat(backwards[::-1])


KEYS = {
    "whole": ("x int, y text, k int PRIMARY KEY", "k"),
    "text": ('x int, y text, k text COLLATE "C" PRIMARY KEY', "k || '''\\'"),
    "several": ("x int, y text, k int, PRIMARY KEY (y, k)", "k"),
    "a name to quote": ('x int, y text, "k ""1" bigint PRIMARY KEY', "k"),
    "none": ("x int, y text, k int", "k"),
    "of a type that is not plain": ("x int, y text, k float8 PRIMARY KEY", "k"),
}


@pytest.mark.parametrize("kind", KEYS)
def test_ranges_hold_the_rows_of_the_scan_and_of_the_table(server: Server, kind: str) -> None:
    columns, key = KEYS[kind]
    server.run(
        f"CREATE TABLE t ({columns})", f"INSERT INTO t SELECT x, y, {key} FROM ({ROWS}) r ORDER BY random()"
    )
    server.run("DELETE FROM t WHERE x % 7 = 3", "UPDATE t SET x = x + 1000 WHERE x % 5 = 0")
    parts = acumen.scan(server.address, target="y")
    whole, again = _again(parts)
    table = acumen.read(server.address, target="y")
    for other in (again, table):
        np.testing.assert_array_equal(other.column("x"), whole.column("x"))
        np.testing.assert_array_equal(other.labels, whole.labels)


def test_a_partitioned_table_goes_by_its_key(server: Server) -> None:
    server.run(
        "CREATE TABLE t (x int, y text, k int PRIMARY KEY) PARTITION BY RANGE (k)",
        "CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (500)",
        "CREATE TABLE t2 PARTITION OF t DEFAULT",
        f"INSERT INTO t {ROWS}",
    )
    whole, again = _again(acumen.scan(server.address, target="y"))
    np.testing.assert_array_equal(again.column("x"), whole.column("x"))


@pytest.mark.parametrize(
    "change",
    ["UPDATE t SET x = 0 WHERE k = 919", "DELETE FROM t WHERE k = 919", "INSERT INTO t VALUES (1, 'u', 5000)",
     "UPDATE t SET y = y WHERE k = 919"],
)  # fmt: skip
def test_rows_that_changed_meanwhile_are_told(server: Server, change: str) -> None:
    server.run("CREATE TABLE t (x int, y text, k int PRIMARY KEY)", f"INSERT INTO t {ROWS}")
    parts = acumen.scan(server.address, target="y")
    assert parts.located is not None
    server.run(change)
    with pytest.raises(DataError, match="changed while it was being read"):
        list(parts.located.tables(0, len(parts.located.sizes)))


def test_what_goes_to_others_shows_no_password(server: Server) -> None:
    server.run("CREATE TABLE t (x int, y text, k int PRIMARY KEY)", f"INSERT INTO t {ROWS}")
    located = acumen.scan(server.address, target="y").located
    assert located is not None
    for secret in (PASSWORD, PASSWORD.replace("%", "%25")):
        assert secret not in repr(located) and secret not in located.where(0, 5)


def test_a_view_and_a_query_have_no_places(server: Server) -> None:
    server.run("CREATE TABLE t (x int, y text, k int PRIMARY KEY)", f"INSERT INTO t {ROWS}")
    assert acumen.scan(server.address, target="y", query="SELECT * FROM t").located is None
    server.run("DROP TABLE t", f"CREATE VIEW t AS {ROWS}")
    try:
        parts = acumen.scan(server.address, target="y")
        assert parts.located is None and parts.n_rows == 100
    finally:
        server.run("DROP VIEW t")


def test_workers_learn_the_same_from_it(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the engine dask needs the package distributed")
    monkeypatch.setattr(postgres_rows, "STRETCH", 65_536)
    server.run(
        "CREATE TABLE t (k int PRIMARY KEY, x float8, y text)",
        "INSERT INTO t SELECT i, sin(i), CASE WHEN i % 3 = 0 THEN 'u' ELSE 'v' END FROM generate_series(1, 140000) i",
    )
    parts = acumen.scan(server.address, target="y", ignore=["k"])
    here = acumen.NaiveBayes().fit_stream(parts)
    with acumen.engine("dask", workers=2, timeout=500):
        there = acumen.NaiveBayes().fit_stream(acumen.scan(server.address, target="y", ignore=["k"]))
    assert here.summary_ == there.summary_
