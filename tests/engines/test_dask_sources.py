"""Every kind of source gives a cluster the rows it gives one machine, or says in a sentence why it cannot."""

from __future__ import annotations

import gzip
import hashlib
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.errors import DataError, EngineError
from acumen.store import save

pytest.importorskip("distributed", reason="the engine dask needs the package distributed")

N = 67_000  # a block and a little


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """One table in every format, cut in two as well."""
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet as pq

    made = tmp_path_factory.mktemp("sources")
    rng = np.random.default_rng(3)
    x = rng.normal(size=N).round(3)
    level = np.array(["u", "v", "w"])[rng.integers(0, 3, N)]
    y = np.where(x + rng.normal(size=N) > 0, "p", "n")
    lines = [f"{a},{b},{c}\n" for a, b, c in zip(x.tolist(), level.tolist(), y.tolist(), strict=True)]
    table = pyarrow.table({"x": x, "level": level, "y": y})
    head = "@relation r\n@attribute x numeric\n@attribute level {u,v,w}\n@attribute y {n,p}\n@data\n"
    for name, (a, b) in {"t": (0, N), "part1": (0, 40_000), "part2": (40_000, N)}.items():
        (made / f"{name}.csv").write_text("x,level,y\n" + "".join(lines[a:b]))
        (made / f"{name}.arff").write_text(head + "".join(lines[a:b]))
        some = table.slice(a, b - a)
        pq.write_table(some, made / f"{name}.parquet", row_group_size=30_000)
        with pyarrow.ipc.new_file(made / f"{name}.arrow", some.schema) as out:
            for batch in some.to_batches(max_chunksize=30_000):
                out.write(batch)
    text = (made / "t.csv").read_text()
    (made / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    (made / "latin.csv").write_bytes(text.replace("w", "é").encode("latin-1"))
    with sqlite3.connect(made / "t.db") as database:
        database.execute("CREATE TABLE t (x REAL, level TEXT, y TEXT)")
        rows = zip(x.tolist(), level.tolist(), y.tolist(), strict=True)
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        database.execute(
            "INSERT INTO t (rowid, x, level, y) SELECT rowid + 9000000, x, level, y FROM t LIMIT 500"
        )
        database.execute("DELETE FROM t WHERE rowid % 1000 = 7")
    database.close()
    return made


def _fitted(source, folder: Path, **given) -> str:
    model = acumen.NaiveBayes().fit_stream(acumen.scan(source, target="y", **given))
    save(model, folder / "m.acm", summary=True)
    return hashlib.sha256((folder / "m.acm").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "kind", ["csv", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("arff", "parquet", "arrow"))]
)
def test_one_file_and_a_pattern_are_what_they_are_on_one_machine(kind, folder, cluster, tmp_path):
    one = _fitted(folder / f"t.{kind}", tmp_path)
    assert _fitted(str(folder / f"part*.{kind}"), tmp_path) == one
    with acumen.engine(cluster):
        assert _fitted(folder / f"t.{kind}", tmp_path) == one
        assert _fitted(str(folder / f"part*.{kind}"), tmp_path) == one


def test_files_of_several_formats_are_one_table(folder, cluster, tmp_path):
    mixed = [folder / "part1.csv", folder / "part2.parquet"]
    with acumen.engine(cluster):
        assert _fitted(mixed, tmp_path) == _fitted(folder / "t.csv", tmp_path)


def test_a_table_of_sqlite_is_fetched_by_ranges_of_its_rows(folder, cluster, tmp_path):
    path = folder / "t.db"
    parts = acumen.scan(path, target="y")
    assert len(parts.located.sizes) == 2
    np.testing.assert_array_equal(parts.block(1).column("x"), list(parts)[1].column("x"))
    here = _fitted(path, tmp_path)
    with acumen.engine(cluster):
        assert _fitted(path, tmp_path) == here


def test_rows_of_a_query_stay_here(folder, cluster):
    with acumen.engine(cluster), pytest.raises(DataError, match=r"t\.db cannot be read from the middle"):
        acumen.NaiveBayes().fit_stream(
            acumen.scan(folder / "t.db", target="y", query="SELECT * FROM t WHERE x > 0")
        )


@pytest.mark.parametrize("name", ["t.csv.gz", "latin.csv"])
def test_texts_that_have_no_middle_are_told(name, folder, cluster):
    with (
        acumen.engine(cluster),
        pytest.raises(DataError, match=r"cannot be read from the middle.*Write it as plain CSV or Parquet"),
    ):
        acumen.NaiveBayes().fit_stream(acumen.scan(folder / name, target="y"))


def test_workers_read_by_the_filesystem_that_is_handed_over(folder, cluster, tmp_path):
    from pyarrow import fs

    rooted = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())
    here = _fitted(folder / "t.csv", tmp_path)
    with acumen.engine(cluster):
        assert _fitted("bucket://part*.csv", tmp_path, filesystem=rooted) == here
        assert _fitted("t.parquet", tmp_path, filesystem=rooted) == _fitted(folder / "t.parquet", tmp_path)


class Unsendable:
    """A filesystem that cannot leave its process."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def open(self, path: str, mode: str):
        return (self._root / path).open(mode)

    def info(self, path: str):
        return {"size": (self._root / path).stat().st_size, "type": "file"}

    def glob(self, pattern: str):
        return [path.name for path in self._root.glob(pattern)]

    def __reduce__(self):
        raise TypeError("no")


def test_a_filesystem_that_does_not_pickle_is_told(folder, cluster):
    with acumen.engine(cluster), pytest.raises(EngineError, match=r"cannot be sent to workers.*must pickle"):
        acumen.Majority().fit_stream(acumen.scan("t.csv", target="y", filesystem=Unsendable(folder)))
