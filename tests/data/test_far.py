"""Files behind a filesystem that is handed over are the tables that the same files here are."""

from __future__ import annotations

import fnmatch
import gzip
import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.concat import concat
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError

N = 1000


class InMemory:
    """A filesystem of fsspec's kind, its files in memory."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def _at(self, path: str) -> str:
        bare = path.removeprefix("memory://")
        if bare not in self.files:
            raise FileNotFoundError(path)
        return bare

    def open(self, path: str, mode: str = "rb") -> io.BytesIO:
        return io.BytesIO(self.files[self._at(path)])

    def info(self, path: str) -> dict[str, Any]:
        return {"size": len(self.files[self._at(path)]), "type": "file", "mtime": 1}

    def glob(self, pattern: str) -> list[str]:
        return fnmatch.filter(self.files, pattern.removeprefix("memory://"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet as pq

    made = tmp_path_factory.mktemp("far")
    (made / "b").mkdir()
    rng = np.random.default_rng(0)
    x, level, y = rng.normal(size=N).round(3), rng.choice(["u", "v"], N), rng.choice(["n", "p"], N)
    rows = "".join(f"{a},{b},{c}\n" for a, b, c in zip(x.tolist(), level.tolist(), y.tolist(), strict=True))
    table = pyarrow.table({"x": x, "level": level, "y": y})
    for name in ("1", "2"):
        (made / "b" / f"{name}.csv").write_text("x,level,y\n" + rows)
        pq.write_table(table, made / "b" / f"{name}.parquet", row_group_size=300)
    with pyarrow.ipc.new_file(made / "b" / "1.arrow", table.schema) as out:
        out.write(table.to_batches()[0])
    head = "@relation r\n@attribute x numeric\n@attribute level {u,v}\n@attribute y {n,p}\n@data\n"
    (made / "b" / "1.arff").write_text(head + rows)
    (made / "b" / "z.csv.gz").write_bytes(gzip.compress(("x,level,y\n" + rows).encode()))
    (made / "b" / "l.csv.txt").write_bytes(("x,level,y\n" + rows.replace("u", "é")).encode("latin-1"))
    return made


@pytest.fixture(params=["fsspec", "pyarrow"])
def filesystem(request: pytest.FixtureRequest, folder: Path) -> Any:
    if request.param == "fsspec":
        return InMemory({f"b/{path.name}": path.read_bytes() for path in (folder / "b").iterdir()})
    from pyarrow import fs

    return fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())


def same(one: Table, other: Table) -> bool:
    columns = ("x", "level")
    return (
        one.schema == other.schema
        and all(np.array_equal(one.column(name), other.column(name)) for name in columns)
        and np.array_equal(one.label_values(), other.label_values())
    )


@pytest.mark.parametrize("name", ["1.csv", "1.parquet", "1.arrow", "1.arff", "z.csv.gz", "l.csv.txt"])
def test_a_file_is_what_it_is_here(name: str, filesystem: Any, folder: Path) -> None:
    here = acumen.read(folder / "b" / name, target="y")
    assert same(acumen.read(f"memory://b/{name}", target="y", filesystem=filesystem), here)
    parts = acumen.scan(f"b/{name}", target="y", filesystem=filesystem, rows=128)
    assert same(concat(list(parts)), here)
    assert same(parts.block(3), here.take(slice(384, 512)))


@pytest.mark.parametrize("name", ["1.csv", "1.parquet", "1.arrow", "1.arff"])
def test_places_of_a_file_can_be_sent_and_read_there(name: str, filesystem: Any, folder: Path) -> None:
    parts = acumen.scan(f"b/{name}", target="y", filesystem=filesystem)
    assert parts.located is not None
    sent = pickle.loads(pickle.dumps(parts.located))
    some = concat(list(sent.between(700, N)))
    assert same(some, acumen.read(folder / "b" / name, target="y").take(slice(700, N)))


@pytest.mark.parametrize("pattern", ["memory://b/*.csv", "b/?.parquet"])
def test_a_pattern_is_the_filesystem_s_own(pattern: str, filesystem: Any, folder: Path) -> None:
    there = acumen.read(pattern, target="y", filesystem=filesystem)
    here = acumen.read(str(folder / pattern.removeprefix("memory://")), target="y")
    assert len(there) == 2 * N
    assert same(there, here)
    named = sorted(str(path.relative_to(folder)) for path in folder.glob(pattern.removeprefix("memory://")))
    assert same(acumen.read(named, target="y", filesystem=filesystem), here)


def test_a_file_that_changed_meanwhile_is_told() -> None:
    files = InMemory({"t.csv": b"x,y\n1,a\n2,b\n3,a\n"})
    parts = acumen.scan("t.csv", target="y", filesystem=files)
    files.files["t.csv"] += b"4,b\n"
    with pytest.raises(DataError, match=r"t\.csv changed while it was being read"):
        parts.block(0)


@pytest.mark.parametrize("name", ["b/none.csv", "b/none.parquet", "b/*.none"])
def test_what_is_not_there_is_told(name: str, filesystem: Any) -> None:
    with pytest.raises(DataError, match="filesystem given"):
        acumen.scan(name, filesystem=filesystem)


def test_what_a_filesystem_says_itself_is_told() -> None:
    class Shut(InMemory):
        def open(self, path: str, mode: str = "rb") -> io.BytesIO:
            raise PermissionError("no key")

    with pytest.raises(DataError, match=r"t\.csv cannot be read by the filesystem given: no key\."):
        acumen.read("t.csv", filesystem=Shut({"t.csv": b"x\n1\n"}))


@pytest.mark.parametrize(
    ("source", "given", "said"),
    [
        ("t.csv", 3, "filesystem must be one of fsspec's kind"),
        (io.StringIO("x"), InMemory({}), "with a filesystem the source is the path"),
        ([], InMemory({}), "with a filesystem the source is the path"),
    ],
)
def test_what_is_no_filesystem_and_no_path_is_refused(source: Any, given: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        acumen.read(source, filesystem=given)


def test_an_address_alone_is_not_reached() -> None:
    with pytest.raises(
        DataError, match=r"s3://bucket/k\.csv is an address.*give a filesystem that reaches it"
    ):
        acumen.scan("s3://bucket/k.csv")
