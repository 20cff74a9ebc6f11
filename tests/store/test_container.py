"""The stored zip: other tools open it, and only what acumen would have written is read."""

from __future__ import annotations

import io
import os
import shutil
import struct
import subprocess
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acumen.errors import ModelFileError
from acumen.store.container import MAX_MEMBERS, write_container
from acumen.store.file import ModelFileMissing, read_manifest, read_members, write_members

MANIFEST = {"format": 1, "kind": "x"}
ARRAYS = {"model/b": np.arange(3.0), "model/a/0": np.eye(2, dtype=np.int32), "model/none": np.empty((0, 2))}


@pytest.fixture
def written(path: Path) -> bytes:
    write_members(path, MANIFEST, ARRAYS)
    return path.read_bytes()


def refused(path: Path, data: bytes, match: str | None = None) -> None:
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=match):
        read_members(path)


def test_members_come_back(path: Path, written: bytes) -> None:
    manifest, arrays = read_members(path)
    assert manifest == read_manifest(path) == MANIFEST
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_python_and_numpy_read_it_by_hand(path: Path, written: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names[0] == "manifest.json"
        assert names[1:] == sorted(names[1:])
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        np.testing.assert_array_equal(
            np.load(io.BytesIO(archive.read("arrays/model/b.npy"))), ARRAYS["model/b"]
        )


@pytest.mark.skipif(shutil.which("unzip") is None, reason="no unzip here")
def test_unzip_prints_the_manifest(path: Path, written: bytes) -> None:
    shown = subprocess.run(["unzip", "-p", path, "manifest.json"], capture_output=True, check=True).stdout
    assert b'"format": 1' in shown


def test_the_order_of_arrays_does_not_show(path: Path, written: bytes) -> None:
    write_members(path, dict(reversed(MANIFEST.items())), dict(reversed(ARRAYS.items())))
    assert path.read_bytes() == written


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_single_byte_can_change_unseen(path: Path, written: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(written) - 1))
    other = data.draw(st.integers(1, 255))
    refused(path, written[:at] + bytes([written[at] ^ other]) + written[at + 1 :])


def test_every_truncation_is_refused(path: Path, written: bytes) -> None:
    for length in range(0, len(written), 7):
        refused(path, written[:length])


@pytest.mark.parametrize("where", ["before", "behind", "between"])
def test_bytes_that_belong_to_nothing_are_refused(path: Path, written: bytes, where: str) -> None:
    directory = written.index(b"PK\x01\x02")
    at = {"before": 0, "behind": len(written), "between": directory}[where]
    refused(path, written[:at] + b"#" + written[at:])


def repacked(written: bytes, **options: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(written)) as old, zipfile.ZipFile(made, "w", **options) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    return made.getvalue()


def test_a_compressed_file_is_refused(path: Path, written: bytes) -> None:
    refused(path, repacked(written, compression=zipfile.ZIP_DEFLATED), "compressed, encrypted, or repacked")


def test_an_encrypted_entry_is_refused(path: Path, written: bytes) -> None:
    at = written.index(b"PK\x01\x02")
    refused(path, written[: at + 8] + b"\x01" + written[at + 9 :], "encrypted")


def test_a_doubled_member_is_refused(path: Path) -> None:
    made = io.BytesIO()
    write_container(made, [("manifest.json", (b"{}",)), *[("arrays/a.npy", (b"x",))] * 2])
    refused(path, made.getvalue(), "doubled")


@pytest.mark.parametrize(
    "name", ["/arrays/a.npy", "arrays/../a.npy", "arrays/..npy", "../a.npy", "arrays/a.py", "arrays//a.npy",
             "arrays/a\x00.npy", "a", "arrays/" + "a" * 255 + ".npy"]
)  # fmt: skip
def test_names_that_lead_elsewhere_are_refused(path: Path, name: str) -> None:
    made = io.BytesIO()
    write_container(made, [("manifest.json", (b"{}",)), (name, (b"x",))])
    refused(path, made.getvalue(), "name")


def test_the_manifest_comes_first(path: Path) -> None:
    made = io.BytesIO()
    write_container(made, [("arrays/a.npy", (b"x",)), ("manifest.json", (b"{}",))])
    refused(path, made.getvalue(), "first member")


def test_sizes_beyond_the_file_are_refused_before_reading(path: Path, written: bytes) -> None:
    at = written.index(b"PK\x01\x02")
    huge = struct.pack("<II", 2**32 - 2, 2**32 - 2)
    refused(path, written[: at + 20] + huge + written[at + 28 :], "longer than the file has room")


def test_members_must_be_those_of_the_manifest(path: Path) -> None:
    for sums in ({}, {"arrays/a.npy": "0"}, {"arrays/b.npy": "0"}, []):
        made = io.BytesIO()
        text = f'{{"format": 1, "members": {sums}}}'.replace("'", '"').encode()
        write_container(made, [("manifest.json", (text,)), ("arrays/a.npy", (b"x",))])
        refused(path, made.getvalue(), "members|sha256")


def test_another_format_says_who_wrote_it(path: Path) -> None:
    write_members(path, {"format": 2}, {})
    with pytest.raises(ModelFileError, match="newer acumen; this one knows format 1"):
        read_members(path)


@pytest.mark.parametrize("number", [None, "1", 1.0, True, 0, -1])
def test_a_format_that_is_no_number_is_refused(path: Path, number: object) -> None:
    write_members(path, {"format": number}, {})
    with pytest.raises(ModelFileError, match="format number"):
        read_members(path)


def test_a_larger_file_than_allowed_is_not_read(path: Path, written: bytes) -> None:
    with pytest.raises(ModelFileError, match="max_bytes"):
        read_members(path, max_bytes=len(written) - 1)
    read_members(path, max_bytes=len(written))


def test_a_sparse_file_of_many_gigabytes_is_refused_at_once(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**36)
    with pytest.raises(ModelFileError, match="68719476736 bytes"):
        read_members(path)


def test_no_file_a_folder_an_empty_file_and_another_file_are_told_apart(path: Path) -> None:
    with pytest.raises(ModelFileMissing, match="no such file"):
        read_members(path)
    with pytest.raises(FileNotFoundError):
        read_members(path)
    with pytest.raises(ModelFileError, match="folder"):
        read_members(path.parent)
    refused(path, b"", "empty")
    refused(path, b"a,b\n1,2\n", "not a model file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_rather_than_waited_for(path: Path) -> None:
    os.mkfifo(path)
    caught: list[Exception] = []

    def read() -> None:
        try:
            read_members(path)
        except ModelFileError as error:
            caught.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(300)
    assert caught


def test_too_many_members_are_a_sentence(path: Path) -> None:
    arrays = {f"model/{i}": np.empty(0) for i in range(MAX_MEMBERS)}
    with pytest.raises(ModelFileError, match="at most"):
        write_members(path, MANIFEST, arrays)
    assert not list(path.parent.iterdir())


@pytest.mark.slow
def test_as_many_members_as_allowed_come_back(path: Path) -> None:
    arrays = {f"model/{i}": np.empty(0) for i in range(MAX_MEMBERS - 1)}
    write_members(path, MANIFEST, arrays)
    assert len(read_members(path)[1]) == MAX_MEMBERS - 1


def test_an_array_with_a_wild_name_is_not_written(path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot be stored"):
        write_members(path, MANIFEST, {"../x": np.zeros(1)})
