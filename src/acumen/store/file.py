"""Members of a model file, written and read: a manifest, and arrays by name.

write_members   manifest and arrays -> file, atomically, the same bytes for the same values
read_members    file -> manifest and arrays; sizes are bounded before anything is read
read_manifest   file -> manifest alone

An array `model/mean` is the member `arrays/model/mean.npy`; the manifest lists the sha256 of each.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from typing import Any, Final

from acumen import messages
from acumen.data.out.atomic import replacing
from acumen.errors import ModelFileError
from acumen.preprocessing.stored_arrays import require
from acumen.store.container import (
    MANIFEST,
    MAX_NAME,
    Entry,
    is_member_name,
    npy_header,
    parse_npy,
    read_directory,
    read_member,
    storable,
    write_container,
)
from acumen.store.manifest import FORMAT, MAX_MANIFEST, Path, dump, guarded, parse
from acumen.types import Array

MAX_BYTES: Final = 2 * 2**30

Pieces = tuple[bytes | memoryview, ...]


def write_members(path: Path, manifest: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write a model file in the place of whatever `path` names; `members` is added to the manifest."""
    members = {member_name(name): pieces_of(name, array) for name, array in sorted(arrays.items())}
    sums = {name: sha256_of(pieces) for name, pieces in members.items()}
    first = dump({**manifest, "members": sums})
    if len(first) > MAX_MANIFEST:
        raise ModelFileError(
            f"save: the manifest would take {len(first)} bytes, and {MAX_MANIFEST} is the most;"
            " the schema has too many levels or the parameters are too large."
        )
    where = os.fsdecode(path)
    try:
        with replacing(where) as file:
            write_container(file, [(MANIFEST, (first,)), *sorted(members.items())])
    except OSError as error:
        raise ModelFileError(f"save: {where} cannot be written ({error.strerror or error}).") from error


def read_members(path: Path, *, max_bytes: int = MAX_BYTES) -> tuple[dict[str, Any], dict[str, Array]]:
    """The manifest (without `members`) and the arrays, read-only; every checksum holds.

    A file of more than `max_bytes` is refused before it is read; no other file takes more memory for
    its arrays than its own size.
    """
    with guarded(path), _opened(path, max_bytes) as (file, entries):
        manifest, sums = _manifest(file, entries)
        arrays: dict[str, Array] = {}
        for entry in entries[1:]:
            member = read_member(file, entry)
            require(
                hashlib.sha256(member.data).hexdigest() == sums[entry.name],
                f"the sha256 of {entry.name!r} is not the one in the manifest",
            )
            arrays[entry.name.removeprefix("arrays/").removesuffix(".npy")] = parse_npy(entry.name, member)
        return manifest, arrays


def read_manifest(path: Path, *, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """The manifest (without `members`) alone; arrays are not read."""
    with guarded(path), _opened(path, max_bytes) as (file, entries):
        return _manifest(file, entries)[0]


def member_name(name: str) -> str:
    """The member an array is kept in."""
    member = f"arrays/{name}.npy"
    if not is_member_name(member):
        raise ModelFileError(
            f"the array {name!r} cannot be stored: a name is words of letters, digits, _ and - between"
            f" slashes, of at most {MAX_NAME} characters."
        )
    return member


def pieces_of(name: str, array: Array) -> Pieces:
    """An array as the pieces of its member: the npy header, and the numbers where they lie."""
    kept = storable(name, array)
    # A memoryview cannot be cast when an axis is zero, and there is nothing to write then.
    data: Pieces = (kept.data.cast("B"),) if kept.size else ()
    return npy_header(kept.dtype, kept.shape), *data


def sha256_of(pieces: Pieces) -> str:
    """The sha256 of a member."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


@contextmanager
def _opened(path: Path, max_bytes: int) -> Iterator[tuple[BufferedReader, list[Entry]]]:
    """The file at its first byte, with its directory read."""
    # O_NONBLOCK: opening a named pipe must not wait for somebody to write to it.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(_handle(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError(f"this is not a plain file; give the file that {messages.writer()} wrote.")
        if status.st_size > max_bytes:
            raise ModelFileError(
                f"the file has {status.st_size} bytes and {max_bytes} are allowed;"
                " give a larger max_bytes if you trust it."
            )
        entries = read_directory(file, status.st_size)
        file.seek(0)
        yield file, entries


def _handle(path: Path, flags: int) -> int:
    """A descriptor of a path that is no folder (which cannot be wrapped as a file to be told so)."""
    if os.path.isdir(path):  # noqa: PTH112
        raise ModelFileError(f"this is a folder; give the file that {messages.writer()} wrote.")
    return os.open(path, flags)


def _manifest(file: BufferedReader, entries: list[Entry]) -> tuple[dict[str, Any], dict[str, str]]:
    """The manifest, its format known, and the sha256 of each member, whose names are the directory's."""
    require(entries[0].size <= MAX_MANIFEST, f"its manifest is longer than {MAX_MANIFEST} bytes")
    manifest = parse(read_member(file, entries[0]).tobytes())
    number = manifest.get("format")
    require(type(number) is int and number >= 1, "its manifest states no format number")
    if number != FORMAT:
        raise ModelFileError(
            f"it has format {number}, written by a newer acumen; this one knows format {FORMAT}."
        )
    sums = manifest.pop("members", None)
    require(isinstance(sums, dict), "its manifest lists no members")
    require(
        sums.keys() == {entry.name for entry in entries[1:]},
        "the members listed in its manifest are not those in the file",
    )
    return manifest, sums
