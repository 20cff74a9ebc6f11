"""Arrow and Parquet files that lie about themselves: a sentence, never a byte from outside the file.

The files are read in a process of their own, for what goes wrong here ends a process.
"""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acumen
from acumen.data.memory import arrow_c, arrow_columns
from acumen.data.report import Report
from acumen.errors import DataError

READ = """
import json, sys, warnings
warnings.simplefilter("ignore")
import acumen
from acumen.errors import AcumenError
for path in sys.stdin.read().split():
    for ask in (acumen.read, lambda path: acumen.scan(path, rows=5)):
        try:
            found = ask(path)
            parts = [found] if isinstance(found, acumen.Table) else list(found)
            columns = [[v for part in parts for v in part.column(name).tolist()] for name in parts[0].schema.columns]
            print(json.dumps(["table", columns]))
        except AcumenError as error:
            print(json.dumps(["sentence", str(error)]))
        except Exception as error:
            print(json.dumps(["foreign", type(error).__name__, str(error)]))
"""
ROWS = 37
WORDS = ["alpha", "be", "gamma-gamma-gamma"]


def rows():
    words = [WORDS[i % 3] for i in range(ROWS)]
    return pa.table(
        {"word": words, "x": [i / 4 for i in range(ROWS)], "kind": pa.array(words).dictionary_encode()}
    )


def ipc(make):
    sink = io.BytesIO()
    with make(sink, rows().schema) as writer:
        writer.write_table(rows())
    return sink.getvalue()


def answers(folder, files):
    paths = []
    for i, (name, made) in enumerate(files):
        paths.append(folder / f"{i}.{name}")
        paths[-1].write_bytes(made)
    done = subprocess.run(
        [sys.executable, "-c", READ],
        input="\n".join(map(str, paths)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-500:]}"
    return [json.loads(line) for line in done.stdout.splitlines()]


def places(made, wanted):
    at, found = made.find(wanted), []
    while at >= 0:
        found.append(at)
        at = made.find(wanted, at + 1)
    return found


def patched(made, at, value, form="<i"):
    return made[:at] + struct.pack(form, value) + made[at + struct.calcsize(form) :]


@pytest.mark.parametrize(("name", "make"), [("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)])
def test_offsets_outside_their_buffer_are_refused(tmp_path, name, make):
    made = ipc(make)
    lengths = [len(word) for word in WORDS]
    (start,) = places(made, struct.pack("<5i", 0, *np.cumsum([*lengths, lengths[0]])))
    files = [
        (name, patched(made, start + 4 * i, value))
        for i in (0, 1, 5, ROWS)
        for value in (0x70000000, 4096, -1, -(2**31))
    ]
    said = answers(tmp_path, files)
    assert {kind for kind, *_ in said} == {"sentence"}
    assert all("cannot be read as a Parquet or Arrow file" in each[1] for each in said)


@pytest.mark.parametrize(("name", "make"), [("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)])
def test_a_wrong_count_of_rows_is_refused(tmp_path, name, make):
    made = ipc(make)
    found = places(made, struct.pack("<q", ROWS))
    assert len(found) >= 4  # of the batch and of each of its columns
    said = answers(
        tmp_path, [(name, patched(made, at, value, "<q")) for at in found for value in (5, 38, 1 << 40, -1)]
    )
    assert {kind for kind, *_ in said} == {"sentence"}


@pytest.mark.parametrize(("name", "make"), [("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)])
def test_indices_outside_their_dictionary_are_refused(tmp_path, name, make):
    made = ipc(make)
    start = places(made, struct.pack("<6i", 0, 1, 2, 0, 1, 2))[0]
    said = answers(tmp_path, [(name, patched(made, start, value)) for value in (3, 0x70000000, -1)])
    assert {kind for kind, *_ in said} == {"sentence"}


def test_parquet_that_miscounts_its_rows_is_refused(tmp_path):
    sink = io.BytesIO()
    pq.write_table(rows(), sink, compression="none", use_dictionary=False)
    made = sink.getvalue()
    size = struct.unpack("<I", made[-8:-4])[0]
    footer = made[-8 - size : -8]
    coded = bytes([2 * ROWS])  # thrift's zigzag
    files = [
        ("parquet", made[: -8 - size] + footer[:at] + bytes([2 * (ROWS - 1)]) + footer[at + 1 :] + made[-8:])
        for at in places(footer, coded)
    ]
    said = answers(tmp_path, files)
    whole = answers(tmp_path, [("parquet", made)])[0]
    assert sum(kind == "sentence" for kind, *_ in said) >= 4
    assert all(kind == "sentence" or [kind, *more] == whole for kind, *more in said)


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_damaged_pages_with_checksums_are_refused(tmp_path, compression):
    """Wherever bytes of a page were overwritten: by `read`, by `scan`, and by workers who read from the middle."""
    path, draw = tmp_path / "t.parquet", np.random.default_rng(4)
    table = pa.table({"x": draw.normal(size=2_000), "word": [WORDS[i % 3] for i in range(2_000)]})
    pq.write_table(table, path, compression=compression, write_page_checksum=True, row_group_size=700)
    sound, pages = path.read_bytes(), pq.read_metadata(path).row_group(1).column(0)
    located, changed = acumen.scan(path).located, path.stat().st_mtime_ns
    begin = pages.dictionary_page_offset or pages.data_page_offset
    for at in draw.integers(begin + 60, begin + pages.total_compressed_size - 210, 8):
        path.write_bytes(sound[:at] + draw.bytes(200) + sound[at + 200 :])
        with pytest.raises(DataError, match="CRC checksum"):
            acumen.read(path)
        with pytest.raises(DataError, match="CRC checksum"):
            list(acumen.scan(path))
        os.utime(path, ns=(changed, changed))
        with pytest.raises(DataError, match="CRC checksum"):
            list(located.between(0, 2_000))


def test_arrows_own_exceptions_are_sentences(tmp_path, monkeypatch):
    from acumen.data.batches import arrow_files

    path = tmp_path / "t.arrow"
    path.write_bytes(ipc(pa.ipc.new_file))
    for error in (pa.ArrowMemoryError("malloc of size 9 failed"), pa.ArrowNotImplementedError("no such type"),
                  pa.ArrowIndexError("out of bounds"), pa.ArrowTypeError("no"), MemoryError()):  # fmt: skip

        def failing(batch, error=error):
            raise error

        monkeypatch.setattr(arrow_files, "_valid", failing)
        for ask in (acumen.read, acumen.scan):
            with pytest.raises(DataError, match=r"cannot be read as a Parquet or Arrow file: "):
                ask(path)


# -- what comes through the C data interface ------------------------------------------------------------


def strings(offsets, kind=None):
    """An array of three strings whose offsets were changed behind pyarrow's back."""
    kind = pa.string() if kind is None else kind
    at = np.array([0, 1, 2, 4], "i8" if kind == pa.large_string() else "i4")
    made = pa.Array.from_buffers(kind, 3, [None, pa.py_buffer(at), pa.py_buffer(b"abcd")])
    at[:] = offsets
    return made


def test_a_damaged_array_of_pyarrow_is_refused():
    at = np.array([0, 1, 2, 4], "i4")
    broken = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(at), pa.py_buffer(b"abcd")])
    frame = pa.table({"a": broken})
    at[3] = 4096
    with pytest.raises(DataError, match="Table given is damaged"):
        acumen.read(frame)
    with pytest.raises(DataError, match="is damaged"):
        acumen.read((pa.table({"a": [1.0, 2.0, 3.0]}), broken))


def set_to(what, value, child=None):
    """Change something of an array; gives back how to undo it, for its producer must release it as it was."""

    def change(array):
        place = array if child is None else array.children[child].contents
        before = getattr(place, what)
        setattr(place, what, value)
        return lambda: setattr(place, what, before)

    return change


def no_values(array):
    buffers = array.children[0].contents.buffers
    before, buffers[1] = buffers[1], None
    return lambda: buffers.__setitem__(1, before)


@pytest.mark.parametrize(
    "change",
    [
        set_to("length", -1),
        set_to("length", 1 << 61),
        set_to("offset", -8),
        set_to("n_children", 1),
        set_to("n_children", 3),
        set_to("length", 4),
        set_to("length", 2, child=0),
        set_to("offset", -1, child=1),
        set_to("n_buffers", 1, child=0),
        set_to("n_buffers", 2, child=1),
        set_to("null_count", -2, child=0),
        no_values,
    ],
)
def test_what_breaks_the_interfaces_rules_is_refused(change):
    found = arrow_c.import_array(pa.record_batch({"x": [1.0, 2.0, 3.0], "word": ["a", "b", "c"]}))
    array = found.chunks[0].array
    arrow_c._require(array, found.field)
    undo = change(array)
    try:
        with pytest.raises(DataError, match="breaks Arrow's own rules"):
            arrow_c._require(array, found.field)
    finally:
        undo()


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_offsets_that_go_back_are_refused(kind):
    for offsets in ([0, 3, 1, 4], [-1, 2, 3, 4], [0, 1, 2, -4]):
        with pytest.raises(DataError, match="breaks Arrow's own rules"):
            arrow_columns.column_of("a", arrow_c.import_array(strings(offsets, kind)), Report())
