"""Files made to hurt, and files that change under our hands: each ends in a sentence, soon, in little memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import acumen
from acumen import Dialect
from acumen.data import byte_streams, files, lines
from acumen.data.delimited import sniff
from acumen.errors import DataError, ParameterError

BOTH = pytest.mark.parametrize("how", [acumen.read, acumen.scan])


# -- bombs ----------------------------------------------------------------------------------------


def packed_rows(megabytes: int) -> bytes:
    return gzip.compress(b"1,2\n" * (1 << 18)) * megabytes


@BOTH
@pytest.mark.parametrize(
    "name", ["bomb.csv.gz", "bomb.jsonl.gz", "bomb.svm.gz", "bomb.basket.gz", "bomb.fwf.gz"]
)
def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path, monkeypatch, how, name):
    monkeypatch.setattr(files, "MUCH", 1 << 20)
    row = {"jsonl": b'{"a": 1}\n', "svm": b"1 1:1\n"}.get(name.split(".")[1], b"1,2\n")
    path = tmp_path / name
    path.write_bytes(gzip.compress(row * (1 << 19)))
    with pytest.raises(
        DataError, match=r"unpacks to more than 1 MiB, over 50 times its own size.*max_bytes="
    ):
        how(path, dialect=Dialect(header=False) if "csv" in name or "fwf" in name else None)


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_other_packers_are_held_to_the_same(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(files, "MUCH", 1 << 20)
    path = tmp_path / "bomb.csv"
    path.write_bytes(pack(b"1,2\n" * (1 << 19)))
    with pytest.raises(DataError, match="unpacks to more than 1 MiB"):
        acumen.read(path)


def test_max_bytes_allows_more_and_less(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MUCH", 1 << 16)
    path = tmp_path / "big.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 100_000))
    assert len(acumen.read(path, max_bytes=1 << 20)) == 100_000
    assert acumen.scan(path, max_bytes=1 << 20).n_rows == 100_000
    plain = tmp_path / "plain.csv"
    plain.write_bytes(b"a,b\n" + b"1,2\n" * 100)
    for source in (plain, io.BytesIO(plain.read_bytes()), io.StringIO(plain.read_text())):
        with pytest.raises(DataError, match="holds more than the 100 bytes that max_bytes= allows"):
            acumen.read(source, max_bytes=100)


@pytest.mark.parametrize("given", [0, -1, 1.5, "1", True])
def test_max_bytes_is_a_whole_number(tmp_path, given):
    with pytest.raises(ParameterError, match="max_bytes must be a whole number of at least 1"):
        acumen.read(tmp_path, max_bytes=given)


@pytest.mark.slow
def test_a_bomb_is_refused_in_little_memory(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(packed_rows(280))
    code = (
        "import acumen, sys; from acumen.data import files; files.MUCH = 1 << 28\n"
        "try: acumen.scan(sys.argv[1])\n"
        "except acumen.errors.DataError as error: print(error)\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    said, peak = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "unpacks to more than 256 MiB" in said and int(peak) < 300_000


# -- shapes ---------------------------------------------------------------------------------------


@BOTH
def test_a_header_of_a_million_columns_is_refused(tmp_path, how):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{j}" for j in range(1_000_000)) + "\n" + ",".join(["1"] * 1_000_000) + "\n")
    with pytest.raises(DataError, match="has 1,000,000 columns, but at most 200,000 are allowed"):
        how(path)


def test_so_is_one_object_of_many_keys_and_a_wide_line(tmp_path, monkeypatch):
    monkeypatch.setattr(sniff, "MANY_COLUMNS", 100)
    pyarrow = pytest.importorskip("pyarrow")
    jsonl, fixed, arrow = tmp_path / "wide.jsonl", tmp_path / "wide.fwf", tmp_path / "wide.arrow"
    wide = pyarrow.table({f"k{j}": [1] for j in range(101)})
    with pyarrow.ipc.new_file(arrow, wide.schema) as writer:
        writer.write_table(wide)
    jsonl.write_text("{" + ", ".join(f'"k{j}": 1' for j in range(101)) + "}\n")
    fixed.write_text("a " * 101 + "\n")
    assert acumen.read(arrow, columns=["k7"]).schema.names == ("k7",)
    for path in (jsonl, fixed, arrow):
        with pytest.raises(DataError, match="has 101 columns, but at most 100 are allowed"):
            acumen.read(path)


@BOTH
@pytest.mark.parametrize("name", ["long.jsonl", "long.svm", "long.basket", "long.fwf"])
def test_a_line_without_end_is_refused(tmp_path, monkeypatch, how, name):
    monkeypatch.setattr(lines, "LONGEST", 1 << 20)
    path = tmp_path / name
    start = {"jsonl": b'{"a": "', "svm": b"1 1:1 #"}.get(name.split(".")[1], b"")
    path.write_bytes(start + b"x" * (3 << 20))
    with pytest.raises(DataError, match="line 1 is longer than 1 MB"):
        how(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["long.csv", "long.jsonl", "long.basket"])
def test_a_line_of_a_gigabyte_is_refused(tmp_path, name):
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(b"a,b\n" if name == "long.csv" else b"")
        for _ in range(1024):
            file.write(b"x" * (1 << 20))
    try:
        with pytest.raises(DataError, match="longer than 256 MB"):
            acumen.scan(path)
    finally:
        path.unlink()


@BOTH
@pytest.mark.parametrize("name", ["nul.csv", "nul.arff", "nul.jsonl", "nul.svm", "nul.basket", "nul.fwf"])
def test_nul_bytes_are_told_with_their_line(tmp_path, how, name):
    text = {
        "csv": "a,b\n1,2\n3,\0\n",
        "arff": "@relation r\n@attribute a numeric\n@data\n1\n\0\n",
        "jsonl": '{"a": 1}\n{"a": 2}\n{"a": \0}\n',
        "svm": "1 1:1\n1 1:1\n1 1:\0\n",
        "basket": "a,b\na,b\na,\0\n",
        "fwf": "a b\n1 2\n3 \0\n",
    }[name.split(".")[1]]
    path = tmp_path / name
    path.write_bytes(text.encode())
    with pytest.raises(DataError, match=r"line [35]"):
        how(path)


# -- what is no file, and what changes ------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "name", ["a", "a.csv", "a.arff", "a.parquet", "a.arrow", "a.jsonl", "a.svm", "a.basket", "a.fwf"]
)
def test_a_directory_is_told(tmp_path, how, name):
    folder = tmp_path / name
    folder.mkdir()
    with pytest.raises(DataError, match="is a directory"):
        how(folder)


@BOTH
def test_paths_that_lead_nowhere_are_told(tmp_path, how):
    (tmp_path / "broken.csv").symlink_to("nowhere")
    (tmp_path / "round.csv").symlink_to("round.csv")
    os.mkfifo(tmp_path / "pipe.db")
    for source, said in [
        ("a" * 5000 + ".csv", "cannot be read: File name too long"),
        ("a" * 5000, "cannot be read: File name too long"),
        (tmp_path / "broken.csv", r"there is no file .*broken\.csv'\.(?! Did you mean 'broken)"),
        (tmp_path / "round.csv", "there is no file|cannot be read"),
        (f"sqlite:///{tmp_path}/pipe.db", "is not a regular file"),
    ]:
        with pytest.raises(DataError, match=said):
            how(source)


@BOTH
def test_a_pipe_to_which_nobody_writes_is_told(tmp_path, monkeypatch, how):
    monkeypatch.setattr(byte_streams, "PATIENCE", 0.1)
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(DataError, match=r"is a named pipe, and no program wrote to it within 0\.1 seconds"):
        how(pipe)


@BOTH
@pytest.mark.parametrize(
    ("name", "text"), [("p.csv", "a,b\n1,x\n2,y\n"), ("p.jsonl", '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n')]
)
def test_a_pipe_is_read_when_someone_writes(tmp_path, how, name, text):
    pipe = tmp_path / name
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(text))
    writer.start()
    found = how(pipe)
    writer.join()
    assert found.n_rows == 2 and found.schema.columns == ("a", "b")


@BOTH
def test_a_writer_that_is_slow_to_begin_is_waited_for(tmp_path, monkeypatch, how):
    monkeypatch.setattr(byte_streams, "PATIENCE", 0.1)
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    script = (
        "import sys, time; f = open(sys.argv[1], 'w'); f.flush(); time.sleep(0.6); f.write('a,b\\n1,2\\n')"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(pipe)]) as writer:
        monkeypatch.setattr(byte_streams, "PATIENCE", 300.0)
        assert how(pipe).n_rows == 1
    assert writer.returncode == 0


class Shrinking(io.RawIOBase):
    """A file that is cut off where it is being read, once so much of it has been read in all."""

    left = 5_000_000

    def __init__(self, path: Path) -> None:
        self.file, self.path = Path.open(path, "rb", buffering=0), path

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer):
        if Shrinking.left < 0:
            os.truncate(self.path, self.file.tell())
        n = self.file.readinto(buffer)
        Shrinking.left -= n
        return n

    def seek(self, offset, whence=0):
        return self.file.seek(offset, whence)

    def tell(self):
        return self.file.tell()

    def close(self):
        self.file.close()
        super().close()


@BOTH
@pytest.mark.parametrize("name", ["s.csv", "s.arff", "s.jsonl", "s.svm", "s.basket", "s.fwf"])
def test_a_file_that_shrinks_while_it_is_read_is_told(tmp_path, monkeypatch, how, name):
    row = {"jsonl": f'{{"a": 1, "b": "{"x" * 900}"}}\n', "svm": "1 1:1\n"}.get(name.split(".")[1], "1,2\n")
    head = "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n" if "arff" in name else ""
    path = tmp_path / name
    path.write_text(head + row * (9_500_000 // len(row)))
    source = files.open_source(path)
    monkeypatch.setattr(Shrinking, "left", 5_000_000)
    monkeypatch.setattr(source, "_open_file", lambda: Shrinking(path))
    with pytest.raises(DataError, match="changed while it was being read"):
        how(source)


def test_missing_by_column_is_refused_and_not_taken_by_its_keys(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,-9\n2,3\n")
    with pytest.raises(ParameterError, match="missing holds for every column"):
        acumen.read(path, missing={"b": "-9"})
