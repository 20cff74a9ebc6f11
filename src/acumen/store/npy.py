"""Arrays as `.npy` members: a writer with one form for each array, a reader that accepts that form alone.

preamble        dtype and shape -> the bytes before the data (npy version 1.0, C order, little-endian)
parse           a whole member  -> the array it holds, read-only, without copying

numpy's own reader evaluates the header as a Python literal and knows object arrays, which are pickles.
This one matches a pattern, rebuilds the header it would have written itself and compares the bytes.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Final

import numpy as np

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


def preamble(dtype: np.dtype[np.generic], shape: tuple[int, ...]) -> bytes:
    """Magic, version, header length and header, padded so that the data begin on a multiple of 64."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': {shape!r}, }}"
    padded = -(len(MAGIC) + 2 + len(text) + 1) % 64
    header = text.encode("ascii") + b" " * padded + b"\n"
    return MAGIC + struct.pack("<H", len(header)) + header


def parse(name: str, member: Array) -> Array:
    """The array in a member given as its bytes (a one-dimensional uint8 array)."""
    start = len(MAGIC) + 2
    head = member[: start + MAX_HEADER].tobytes()
    require(
        head[: len(MAGIC)] == MAGIC and len(head) >= start, f"{name!r} is not an npy array of version 1.0"
    )
    (length,) = struct.unpack_from("<H", head, len(MAGIC))
    found = _HEADER.fullmatch(head[start : start + length]) if length <= MAX_HEADER else None
    descr = found[1].decode("ascii") if found else ""
    if found is None or descr not in DTYPES:
        raise ModelFileError(
            f"the model file is damaged or forged: {name!r} has a header that acumen does not write."
        )
    shape = tuple(int(axis) for axis in re.findall(rb"[0-9]+", found[2]))
    dtype = np.dtype(descr)
    require(preamble(dtype, shape) == head[: start + length], f"{name!r} has a header acumen does not write")
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
