"""Members of a model file, written and read: a manifest, and arrays by name.

write_members   manifest and arrays -> file, atomically, the same bytes for the same values
read_members    file -> manifest and arrays; sizes are bounded before anything is read
read_manifest   file -> manifest alone

An array `model/mean` is the member `arrays/model/mean.npy`; the manifest lists the sha256 of each.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from os import PathLike, fsdecode
from typing import Any, Final, TypeAlias

import numpy as np

from acumen import messages
from acumen.data.out.atomic import replacing
from acumen.errors import AcumenError, ModelFileError
from acumen.preprocessing.stored_arrays import require
from acumen.store.container import (
    MANIFEST,
    MAX_NAME,
    ZipEntry,
    is_member_name,
    npy_header,
    parse_npy,
    read_directory,
    read_member,
    storable,
    write_container,
)
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
    with model_file_errors(path), _open_model_file(path, max_bytes) as (file, entries):
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
    with model_file_errors(path), _open_model_file(path, max_bytes) as (file, entries):
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
def _open_model_file(path: Path, max_bytes: int) -> Iterator[tuple[BufferedReader, list[ZipEntry]]]:
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


def _manifest(file: BufferedReader, entries: list[ZipEntry]) -> tuple[dict[str, Any], dict[str, str]]:
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


# -- the manifest ---------------------------------------------------------------------------------
#
# The manifest as JSON: written in one way, read without trust.
#
# dump    dict  -> indented UTF-8 with sorted keys, the same bytes for the same values
# parse   bytes -> dict; depth, containers and numbers are bounded, doubled keys and NaN refused
# digest  dict  -> sha256 of its compact form
# guarded whatever goes wrong while a model file is read ends as ModelFileError, in a sentence that names the file


Path: TypeAlias = str | PathLike[str]


class ModelFileMissing(ModelFileError, FileNotFoundError):  # noqa: N818 - as errors.MissingExtra
    """The model file does not exist."""


@contextmanager
def model_file_errors(path: Path) -> Iterator[None]:
    """Turn any exception inside into a ModelFileError; hostile numbers must not warn either."""
    where = fsdecode(path)
    try:
        with np.errstate(all="ignore"):
            yield
    except AcumenError as error:
        raise ModelFileError(f"{where}: {error}") from error
    except FileNotFoundError as error:
        raise ModelFileMissing(f"{where}: there is no such file.") from error
    except OSError as error:
        raise ModelFileError(f"{where}: the file cannot be read ({error.strerror or error}).") from error
    except ImportError as error:
        # What is missing is no fault of the file.
        missing = (error.name or "").partition(".")[0]
        what = f"{missing}, which is not installed" if missing else "a library that cannot be imported"
        raise ModelFileError(
            f"{where}: this model needs {what} ({str(error)[:200]}); install it, or open the file where it is."
        ) from error
    except MemoryError as error:
        raise ModelFileError(f"{where}: the model needs more memory than there is.") from error
    except Exception as error:
        # No bare `raise` on purpose: hostile values may break an assumption anywhere below.
        raise ModelFileError(
            f"{where}: the model file is damaged or forged ({type(error).__name__}: {str(error)[:200]})."
        ) from error


FORMAT: Final = 1
MAX_MANIFEST: Final = 16 * 2**20
MAX_DEPTH: Final = 64
#: A Python list or dict takes many times the two bytes of `[]`, so their number is bounded as well.
MAX_CONTAINERS: Final = 2**20

# Possessive, and with an optional end quote: one pass whatever the text, since every quote starts a match.
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def dump(manifest: dict[str, Any]) -> bytes:
    """The bytes of manifest.json."""
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True)
    # A lone surrogate (bytes that were no UTF-8 when read) becomes \udcXX, which is JSON's own escape.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def digest(value: dict[str, Any]) -> str:
    """sha256 of a JSON value in its compact ASCII form with sorted keys."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def parse(text: bytes) -> dict[str, Any]:
    """The manifest a file holds."""
    require(len(text) <= MAX_MANIFEST, f"its manifest is longer than {MAX_MANIFEST} bytes")
    _require_shallow(text)
    manifest = json.loads(
        text.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
    )
    require(isinstance(manifest, dict), "its manifest is not a JSON object")
    return manifest


def _require_shallow(text: bytes) -> None:
    """Bound depth and number of containers before a parser recurses into them."""
    outside = np.frombuffer(_STRING.sub(b"", text), dtype=np.uint8)
    opens = (outside == ord("[")) | (outside == ord("{"))
    closes = (outside == ord("]")) | (outside == ord("}"))
    require(np.count_nonzero(opens) <= MAX_CONTAINERS, "its manifest has too many lists and objects")
    depth = np.cumsum(opens.astype(np.int8) - closes.astype(np.int8), dtype=np.int32)
    require(not depth.size or depth.max() <= MAX_DEPTH, f"its manifest nests deeper than {MAX_DEPTH}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    require(len(entries) == len(pairs), "its manifest gives a key twice")
    return entries


def _constant(word: str) -> Any:
    require(False, f"its manifest holds {word}, which is no JSON number")


def _float(text: str) -> float:
    value = float(text)
    require(abs(value) != float("inf"), f"its manifest holds the number {text[:40]}, which is too large")
    return value
