"""Parquet and Arrow files: row groups in parts, dictionaries with their levels, only the columns wanted."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen import Dialect
from acumen.data.batches import arrow_files, tally
from acumen.errors import DataError, MissingExtra, ParameterError
from doors import plain, same_in_parts

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def sizes():
    codes = pa.array([0, 2, 0, None, 2], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, ["low", "mid", "high"], ordered=True)


TABLE = pa.table(
    {
        "number": [1.5, 2.0, None, 4.0, float("nan")],
        "word": ["x", "y", "x", None, "z"],
        "size": sizes(),
        "small": pa.array([1, 2, 3, 4, 5], pa.int16()),
        "big": [1, 2, None, 4, 2**60 + 1],
        "flag": [True, False, None, True, True],
        "day": pa.array([0, 1, None, 365, -1], pa.date32()),
        "class": ["a", "b", "a", "b", "a"],
    }
)


def write(path: Path, table=TABLE, rows: int = 2) -> Path:
    if path.suffix in (".parquet", ".pq"):
        pq.write_table(table, path, row_group_size=rows)
    elif path.suffix == ".arrows":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
    else:
        options = pa.ipc.IpcWriteOptions(compression="lz4" if path.suffix == ".feather" else None)
        with (
            pa.OSFile(str(path), "wb") as sink,
            pa.ipc.new_file(sink, table.schema, options=options) as writer,
        ):
            writer.write_table(table, max_chunksize=rows)
    return path


NAMES = ["t.parquet", "t.pq", "t.arrow", "t.feather", "t.ipc", "t.arrows"]


@pytest.mark.parametrize("name", NAMES)
def test_every_column_comes_as_it_is(tmp_path, name):
    table = same_in_parts(write(tmp_path / name), target="class")
    assert plain(table.column("number")) == [1.5, 2, None, 4, None]
    assert table.column("word").tolist() == ["x", "y", "x", None, "z"] and table.schema["word"].levels == (
        "x",
        "y",
        "z",
    )
    assert str(table.schema["size"]) == "size: ordinal {low < mid < high}"
    assert table.column("size").tolist() == ["low", "high", "low", None, "high"]
    assert table.column("big").tolist() == [1, 2, None, 4, 2**60 + 1]
    assert table.column("flag").tolist() == [True, False, None, True, True]
    assert plain(table.column("day")) == [0, 1, None, 365, -1]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_the_frame_is(tmp_path, name):
    options = {"target": "class", "ignore": ["word"], "missing": "4", "levels": {"flag": [True]}}
    table = same_in_parts(write(tmp_path / name), **options)
    assert table.difference(acumen.read(TABLE, **options)) is None


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_only_columns_that_are_wanted_are_read(tmp_path, name, monkeypatch):
    asked = []
    gathered = arrow_files._gather
    monkeypatch.setattr(
        arrow_files,
        "_gather",
        lambda batch, names, *rest: asked.append(tuple(names)) or gathered(batch, names, *rest),
    )
    path = write(tmp_path / name)
    assert acumen.read(path, target="class", columns=["size", "number"]).schema.names == ("size", "number")
    assert asked == [("number", "size", "class")]
    asked.clear()
    parts = acumen.scan(path, rows=2, target="class", columns=["number", "small"])
    assert set(asked) == {("class",), ("number", "small", "class")}  # the first pass leaves numbers out
    assert [part.schema.names for part in parts] == [("number", "small")] * 3
    asked.clear()
    needed = acumen.scan(path, needs=["small", "not there"])
    assert needed.schema.names == ("small",) and asked == []
    assert [part.column("small").tolist() for part in needed] == [[1, 2, 3, 4, 5]] and set(asked) == {
        ("small",)
    }


def test_an_arrow_file_is_not_fetched_but_for_the_columns_wanted(tmp_path):
    path = tmp_path / "wide.arrow"
    table = pa.table({f"x{j}": np.arange(20_000.0) for j in range(50)})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)

    class Counted(io.FileIO):
        fetched = 0

        def read(self, size=-1):
            made = super().read(size)
            Counted.fetched += len(made)
            return made

        def readinto(self, buffer):
            n = super().readinto(buffer)
            Counted.fetched += n
            return n

    with Counted(path) as file:
        assert acumen.read(file, columns=["x7"]).column("x7")[-1] == 19_999
    assert 160_000 <= Counted.fetched < 400_000  # of 8 MB


def test_batches_of_many_columns_have_fewer_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow_files, "CELLS", 16)
    for name in ("t.parquet", "t.arrow"):
        assert same_in_parts(write(tmp_path / name)).n_rows == 5


def test_a_large_record_batch_is_put_together_from_its_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow_files, "LARGE", 8)
    monkeypatch.setattr(arrow_files, "ROWS", 2)
    path = write(tmp_path / "t.arrow")
    fetched = []
    pieces = arrow_files.pieces_of
    monkeypatch.setattr(
        arrow_files,
        "pieces_of",
        lambda fetch, names, rows: fetched.append(names) or pieces(fetch, names, rows),
    )
    assert same_in_parts(path, target="class").difference(acumen.read(TABLE, target="class")) is None
    assert fetched and fetched[-1] == TABLE.column_names


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one.parquet", "one.arrow"])
def test_a_row_group_or_record_batch_is_never_held_whole(tmp_path, name):
    path = tmp_path / name
    rng = np.random.default_rng(0)
    table = pa.table({f"x{j}": rng.normal(size=1 << 20) for j in range(40)})
    if name.endswith("parquet"):
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    code = (
        "import acumen, sys; sum(map(len, acumen.scan(sys.argv[1])))\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert (
        path.stat().st_size > 300_000_000 and int(done.stdout) < 330_000
    )  # 267 MB alone, some more where the machine is busy


def test_of_a_stream_its_largest_batch_is_held_and_no_copy_of_it(tmp_path):
    path, before, most = tmp_path / "a.arrows", pa.total_allocated_bytes(), 0
    batch = pa.record_batch({f"x{i}": pa.array(np.arange(300_000) + i / 2) for i in range(4)})
    size = batch.nbytes
    with pa.ipc.new_stream(path, batch.schema) as writer:
        writer.write_batch(batch)
        writer.write_batch(batch.slice(0, 1000))
    del batch
    for part in acumen.scan(path, rows=10_000):
        most = max(most, pa.total_allocated_bytes() - before)
        assert len(part) <= 10_000
    assert size <= most < 1.2 * size


def test_max_bytes_is_for_texts(tmp_path):
    with pytest.raises(ParameterError, match="max_bytes= applies to text files"):
        acumen.read(write(tmp_path / "t.parquet"), max_bytes=10)


def test_a_column_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DataError, match=r"there is no column 'wrod' in the file. Did you mean 'word'"):
        acumen.read(write(tmp_path / "t.parquet"), columns="wrod")
    with pytest.raises(ParameterError, match="columns= takes names"):
        acumen.read(write(tmp_path / "t.parquet"), columns=[1])


def test_numbers_of_one_row_group_are_borrowed(tmp_path):
    path = write(
        tmp_path / "t.parquet", pa.table({"a": np.arange(1000.0), "b": np.arange(1000.0)}), rows=1000
    )
    assert not acumen.read(path).column("a").flags.owndata


def test_levels_over_row_groups_agree(tmp_path):
    words = [f"w{i % 97}" for i in range(1000)]
    table = pa.table(
        {"plain": words, "coded": pa.array(words).dictionary_encode(), "n": [i % 7 for i in range(1000)]}
    )
    found = same_in_parts(write(tmp_path / "t.parquet", table, 64), sizes=(1, 97, 640), target="n")
    assert found.column("plain").tolist() == words == found.column("coded").tolist()
    assert found.schema.classes == tuple(range(7))


def test_a_target_of_many_numbers_is_regressed_on(tmp_path):
    table = pa.table({"x": np.arange(200.0), "y": np.arange(200), "z": np.arange(200) % 2 + 0.5})
    path = write(tmp_path / "t.parquet", table, 30)
    assert same_in_parts(path, sizes=(64,), target="y").response is not None
    assert same_in_parts(path, sizes=(64,), target="z").response is not None
    assert len(same_in_parts(path, sizes=(64,), target="y", kinds={"y": "nominal"}).schema.classes) == 200


def test_too_many_strings_are_text_in_the_whole_and_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(tally, "MANY_STRINGS", 50)
    table = pa.table({"id": [f"id{i}" for i in range(120)], "x": np.arange(120.0)})
    found = same_in_parts(write(tmp_path / "t.parquet", table, 25), sizes=(7,))
    assert found.schema["id"].kind == "text" and "more than 50 distinct values" in found.report
    asked = same_in_parts(write(tmp_path / "t.parquet", table, 25), sizes=(7,), kinds={"id": "nominal"})
    assert len(asked.schema["id"].levels) == 120


def test_open_files_and_bytes_are_read(tmp_path):
    path = write(tmp_path / "t.parquet")
    whole = acumen.read(path, target="class")
    with path.open("rb") as file:
        assert acumen.read(file, target="class").difference(whole) is None
    given = io.BytesIO(path.read_bytes())
    assert acumen.read(given, target="class", dialect=Dialect(format="parquet")).difference(whole) is None


def test_content_tells_where_the_name_does_not(tmp_path):
    for name in ("t.parquet", "t.arrow"):
        path = write(tmp_path / name)
        assert len(acumen.read(path.rename(tmp_path / "nameless"))) == 5


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.arrows"])
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
@pytest.mark.parametrize("damage", ["cut", "empty", "noise"])
def test_damaged_files_are_told(tmp_path, name, how, damage):
    path = write(tmp_path / name)
    data = path.read_bytes()
    path.write_bytes(
        {"cut": data[: len(data) // 2], "empty": b"", "noise": data[:8] + os.urandom(500)}[damage]
    )
    with pytest.raises(DataError, match="cannot be read as a Parquet or Arrow file") as error:
        how(path)
    assert "\n" not in str(error.value)


def test_a_file_that_shrinks_between_passes_is_told(tmp_path):
    for name in ("t.parquet", "t.arrow"):
        path = write(tmp_path / name)
        parts = acumen.scan(path, rows=2)
        write(path, TABLE.slice(0, 3))
        with pytest.raises(DataError, match="changed while it was being read"):
            list(parts)
        write(path, TABLE.select(["number", "word"]))
        with pytest.raises(DataError, match="changed while it was being read"):
            list(parts)


def test_nested_columns_folders_and_absent_files_are_told(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table({"a": [[1, 2], [3]]}))
    for source, said in [
        (path, "column 'a' holds lists"),
        (tmp_path / "u.parquet", "there is no file .*Did you mean 't.parquet'"),
        (write(tmp_path / "none.parquet", pa.table({"a": pa.array([], pa.float64())})), "has no rows"),
    ]:
        with pytest.raises(DataError, match=said):
            acumen.read(source)
    folder = tmp_path / "many.parquet"
    folder.mkdir()
    with pytest.raises(DataError, match="is a directory; give one Parquet"):
        acumen.read(folder)


def test_pyarrow_is_asked_for_in_a_sentence(tmp_path, monkeypatch):
    path = write(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'acumen-learn\[arrow\]'"):
        acumen.read(path)
