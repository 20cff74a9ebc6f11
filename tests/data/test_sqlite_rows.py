"""Tables of SQLite by ranges of their row numbers: the rows that going through all of them gives."""

from __future__ import annotations

import pickle
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.concat import concat
from acumen.data.databases import sqlite
from acumen.errors import DataError


@pytest.fixture(autouse=True)
def small_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "STRETCH", 16)


def database(path: Path, columns: str, *statements: str) -> Path:
    made = sqlite3.connect(path)
    made.execute(f"CREATE TABLE t ({columns})")
    for statement in statements:
        made.execute(statement)
    made.commit()
    made.close()
    return path


FILL = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
    "INSERT INTO t SELECT i * 0.5, CASE WHEN i % 3 THEN 'u' ELSE 'v' END, CASE WHEN i > 90 THEN 'odd' ELSE i END FROM n"
)


@pytest.mark.parametrize("gone", ["0", "rowid % 7 = 3", "rowid < 40", "rowid > 17 AND rowid < 80"])
def test_ranges_hold_the_rows_that_are_there(gone: str, tmp_path: Path) -> None:
    path = database(tmp_path / "t.db", "x REAL, y TEXT, z", FILL, f"DELETE FROM t WHERE {gone}")
    parts = acumen.scan(path, target="y")
    assert parts.located is not None
    sent = pickle.loads(pickle.dumps(parts.located))
    assert max(sent.sizes) == 16
    assert sum(sent.sizes) == parts.n_rows
    whole, again = concat(list(parts)), concat(list(sent.tables(0, len(sent.sizes))))
    for name in ("x", "z"):  # z is text in the last stretch alone, and so in all of them
        np.testing.assert_array_equal(again.column(name), whole.column(name))
    np.testing.assert_array_equal(again.labels, whole.labels)
    last = concat(list(sent.between(parts.n_rows - 5, parts.n_rows)))
    np.testing.assert_array_equal(last.column("x"), whole.column("x")[-5:])


def test_a_column_that_is_called_as_row_numbers_are_is_not_taken_for_them(tmp_path: Path) -> None:
    path = database(tmp_path / "t.db", "rowid REAL, y TEXT, z", FILL)
    parts = acumen.scan(path, target="y")
    assert parts.located is not None
    assert parts.located.ranges.key == "oid"
    np.testing.assert_array_equal(parts.block(0).column("rowid"), np.arange(1, 101) * 0.5)


def test_what_has_no_row_numbers_has_no_places(tmp_path: Path) -> None:
    columns = "x REAL PRIMARY KEY, y TEXT, z"
    made = sqlite3.connect(tmp_path / "t.db")
    made.execute(f"CREATE TABLE t ({columns}) WITHOUT ROWID")
    made.execute(FILL)
    made.commit()
    made.close()
    parts = acumen.scan(tmp_path / "t.db", target="y")
    assert parts.located is None
    assert parts.n_rows == 100


def test_rows_of_a_query_have_no_places(tmp_path: Path) -> None:
    path = database(tmp_path / "t.db", "x REAL, y TEXT, z", FILL)
    assert acumen.scan(path, target="y", query="SELECT * FROM t").located is None


@pytest.mark.parametrize(
    "change", ["DELETE FROM t WHERE rowid = 50", "UPDATE t SET x = 'word' WHERE rowid = 50"]
)
def test_a_table_that_changed_meanwhile_is_told(change: str, tmp_path: Path, monkeypatch: Any) -> None:
    path = database(tmp_path / "t.db", "x REAL, y TEXT, z", FILL)
    parts = acumen.scan(path, target="y")
    made = sqlite3.connect(path)
    made.execute(change)
    made.commit()
    made.close()
    monkeypatch.setattr(
        "acumen.data.located.Stamp.check", lambda self, name: None
    )  # as with a journal of its own
    with pytest.raises(DataError, match="changed while it was being read"):
        parts.block(0)
