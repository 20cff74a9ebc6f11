"""The container: a stored zip with one layout, and a reader that accepts that layout alone.

local header, data        for each member, manifest.json first, then arrays in the order of their names
central directory         one header for each member
end record                no comment

Any zip tool opens such a file. It is read by the parser below rather than by `zipfile`, which puts up
with much that a model file has no need of: bytes before, between and behind the members, members that
overlap, compression, encryption, zip64, a directory that contradicts the local headers. Here every
header is rebuilt from its four free values (name, checksum, size, offset) and compared with what
stands in the file; members must follow one another without a gap, so none can overlap. What is not
byte for byte what the writer would write is refused before anything is read or allocated for it.

Arrays are `.npy` members (version 1.0, C order, little-endian), in one form each:

npy_header      dtype and shape -> the bytes before the data
parse_npy       a whole member  -> the array it holds, read-only, without copying

numpy's own reader evaluates the header as a Python literal and knows object arrays, which are pickles.
This one matches a pattern, rebuilds the header it would have written itself and compares the bytes.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Iterable
from io import BufferedReader
from itertools import pairwise
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from acumen import messages
from acumen.errors import ModelFileError
from acumen.preprocessing.stored_arrays import require
from acumen.types import Array

MAGIC: Final = b"\x93NUMPY\x01\x00"
#: The only types a model file may hold, by their npy names.
DTYPES: Final = ("<f8", "<i4", "<i8", "<u4", "<u8", "|b1", "|u1")
MAX_NDIM: Final = 4
#: Longer than any header of four axes, so that a hostile length makes nobody read far.
MAX_HEADER: Final = 512

_HEADER: Final = re.compile(
    rb"\{'descr': '([<|][fiub][148])', 'fortran_order': False, 'shape': \(((?:[0-9]{1,19},? ?){0,4})\), \} *\n"
)


def storable(name: str, array: Array) -> Array:
    """The array in C order and little-endian, or a sentence that it cannot be kept."""
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in DTYPES:
        raise ModelFileError(
            f"the array {name!r} is of type {array.dtype}; a model file holds {', '.join(DTYPES)} only."
        )
    if array.ndim > MAX_NDIM:
        raise ModelFileError(
            f"the array {name!r} has {array.ndim} axes; a model file holds at most {MAX_NDIM}."
        )
    # Not ascontiguousarray, which turns a single number into an array of one axis.
    return np.asarray(array, dtype=dtype, order="C")


def npy_header(dtype: np.dtype[np.generic], shape: tuple[int, ...]) -> bytes:
    """Magic, version, header length and header, padded so that the data begin on a multiple of 64."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': {shape!r}, }}"
    padded = -(len(MAGIC) + 2 + len(text) + 1) % 64
    header = text.encode("ascii") + b" " * padded + b"\n"
    return MAGIC + struct.pack("<H", len(header)) + header


def parse_npy(name: str, member: Array) -> Array:
    """The array in a member given as its bytes (a one-dimensional uint8 array)."""
    start = len(MAGIC) + 2
    head = member[: start + MAX_HEADER].tobytes()
    require(
        head[: len(MAGIC)] == MAGIC and len(head) >= start, f"{name!r} is not an npy array of version 1.0"
    )
    (length,) = struct.unpack_from("<H", head, len(MAGIC))
    match = _HEADER.fullmatch(head[start : start + length]) if length <= MAX_HEADER else None
    descr = match[1].decode("ascii") if match else ""
    if match is None or descr not in DTYPES:
        raise ModelFileError(
            f"the model file is damaged or forged: {name!r} has a header that acumen does not write."
        )
    shape = tuple(int(axis) for axis in re.findall(rb"[0-9]+", match[2]))
    dtype = np.dtype(descr)
    require(
        npy_header(dtype, shape) == head[: start + length], f"{name!r} has a header acumen does not write"
    )
    data = member[start + length :]
    # Python's whole numbers do not overflow, so the product below is the true one.
    require(
        math.prod(shape) * dtype.itemsize == data.size,
        f"{name!r} states the shape {shape} of {descr}, but holds {data.size} bytes",
    )
    if dtype.kind == "b":
        require(not data.size or data.max() <= 1, f"{name!r} holds a truth value that is neither 0 nor 1")
    # (0, 10**18) passes the product above, but numpy could not make it.
    require(math.prod(axis or 1 for axis in shape) < 2**40, f"{name!r} has the impossible shape {shape}")
    array: Array = data.view(dtype).reshape(shape).astype(dtype.newbyteorder("="), copy=False)
    array.flags.writeable = False
    return array


MANIFEST: Final = "manifest.json"
#: Without zip64 the directory counts members in 16 bits and bytes in 32.
MAX_MEMBERS: Final = 65_534
MAX_FILE: Final = 2**32 - 1
MAX_NAME: Final = 255

_LOCAL: Final = struct.Struct("<4s5H3I2H")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
_VERSION: Final = 10  # "needs 1.0": stored members and nothing else
_UNIX: Final = 3 << 8
_MODE: Final = 0o100644 << 16
_DATE: Final = (1 << 5) | 1  # 1980-01-01, the first day a zip knows: no file tells when it was made
_NAME: Final = re.compile(r"arrays(?:/[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)+\.npy")


class ZipEntry(NamedTuple):
    """One member: all that its headers say."""

    name: str
    crc: int
    size: int
    offset: int

    @property
    def end(self) -> int:
        """Where the next member begins."""
        return self.offset + _LOCAL.size + len(self.name) + self.size


def is_member_name(name: str) -> bool:
    """Whether an array may have this name in the file: plain words, no way out of the folder."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


def local_header(entry: ZipEntry) -> bytes:
    """What stands before a member's data."""
    name = entry.name.encode("ascii")
    fixed = (b"PK\x03\x04", _VERSION, 0, 0, 0, _DATE, entry.crc, entry.size, entry.size, len(name), 0)
    return _LOCAL.pack(*fixed) + name


def central_header(entry: ZipEntry) -> bytes:
    """What stands for a member in the directory."""
    name = entry.name.encode("ascii")
    fixed = (b"PK\x01\x02", _UNIX | _VERSION, _VERSION, 0, 0, 0, _DATE, entry.crc, entry.size, entry.size)
    return _CENTRAL.pack(*fixed, len(name), 0, 0, 0, 0, _MODE, entry.offset) + name


def write_container(file: BinaryIO, members: Iterable[tuple[str, tuple[bytes | memoryview, ...]]]) -> None:
    """Write members, each a name and the pieces of its data."""
    entries: list[ZipEntry] = []
    offset = 0
    for name, pieces in members:
        crc = 0
        for piece in pieces:
            crc = zlib.crc32(piece, crc)
        entry = ZipEntry(name, crc, sum(len(piece) for piece in pieces), offset)
        if entry.end > MAX_FILE or len(entries) == MAX_MEMBERS:
            raise ModelFileError(
                f"a model file holds at most {MAX_FILE} bytes in {MAX_MEMBERS} members, and this model is larger."
            )
        file.write(local_header(entry))
        for piece in pieces:
            file.write(piece)
        entries.append(entry)
        offset = entry.end
    directory = b"".join(central_header(entry) for entry in entries)
    if offset + len(directory) + _END.size > MAX_FILE:
        raise ModelFileError(f"a model file holds at most {MAX_FILE} bytes, and this model is larger.")
    file.write(directory)
    file.write(_END.pack(b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), offset, 0))


def read_directory(file: BufferedReader, size: int) -> list[ZipEntry]:
    """The members of a file of `size` bytes, the manifest first."""
    if not size:
        raise ModelFileError("this file is empty; the model was never written or its copy failed.")
    if file.read(4) != b"PK\x03\x04":
        order = messages.at_the_command_line(" MODEL comes first, DATA behind it.")
        raise ModelFileError(f"this is not a model file; {messages.writer()} writes one.{order}")
    require(size >= _END.size, "it is cut off")
    file.seek(size - _END.size)
    tail = file.read(_END.size)
    require(tail[:4] == b"PK\x05\x06", "its end is missing; it was cut off, or something was put behind it")
    count, length, start = struct.unpack_from("<HII", tail, 10)
    require(
        tail == _END.pack(b"PK\x05\x06", 0, 0, count, count, length, start, 0)
        and start + length + _END.size == size
        and count * (_CENTRAL.size + 1) <= length <= count * (_CENTRAL.size + MAX_NAME),
        "its end record contradicts its size",
    )
    file.seek(start)
    directory = file.read(length)
    require(len(directory) == length, "it became shorter while it was read")
    entries = _entries(directory, count, start)
    require(entries and entries[0].name == MANIFEST, f"its first member is not {MANIFEST}")
    names = [entry.name for entry in entries[1:]]
    require(all(map(is_member_name, names)), "a member has a name that acumen does not give")
    require(all(a < b for a, b in pairwise(names)), "members are doubled or out of order")
    require(entries[-1].end == start, "its members and its directory leave a gap or overlap")
    return entries


def _entries(directory: bytes, count: int, limit: int) -> list[ZipEntry]:
    """The directory read, each member beginning where the last one ends and none reaching past `limit`."""
    entries: list[ZipEntry] = []
    at = offset = 0
    for _ in range(count):
        require(at + _CENTRAL.size <= len(directory), "its directory is cut off")
        crc, size = struct.unpack_from("<II", directory, at + 16)
        (length,) = struct.unpack_from("<H", directory, at + 28)
        name = directory[at + _CENTRAL.size : at + _CENTRAL.size + length]
        require(0 < length <= MAX_NAME and name.isascii(), "a member's name is empty, too long or not ASCII")
        entry = ZipEntry(name.decode("ascii"), crc, size, offset)
        require(entry.end <= limit, f"{entry.name!r} is longer than the file has room for")
        header = central_header(entry)
        require(
            directory[at : at + len(header)] == header,
            f"the directory's entry for {entry.name!r} is not as acumen writes it"
            " (compressed, encrypted, or repacked by another tool)",
        )
        entries.append(entry)
        at, offset = at + len(header), entry.end
    require(at == len(directory), "its directory is longer than its members need")
    return entries


def read_member(file: BufferedReader, entry: ZipEntry) -> Array:
    """One member's bytes; the file stands at its local header, and then behind its data."""
    header = local_header(entry)
    require(file.read(len(header)) == header, f"the header of {entry.name!r} contradicts the directory")
    member = np.empty(entry.size, dtype=np.uint8)
    filled = file.readinto(member.data) if entry.size else 0
    require(filled == entry.size, "it became shorter while it was read")
    require(zlib.crc32(member.data) == entry.crc, f"the checksum of {entry.name!r} is wrong")
    return member
