"""Arrow's C data interface: columns handed over as pointers, without pyarrow and without copying.

    import_array(source)    -> Imported            what a source hands over, as one column
    stream_of(source)       -> Field, Imported...  the same batch by batch, none of them kept
    schema_fields(schema)   -> Field...            the columns of a schema, without rows
    fields_of(Imported)     -> list of Imported    the columns of a frame
    Imported                a field and its chunks
    Chunk                   one array of the producer: its buffers as read-only numpy views

What the producer says of an array is held against its format before any of it is looked at (`_require`): counts of
rows, buffers and children, and buffers that are not there. How long a buffer is the interface does not tell, so that
files are validated before they come here.

Every view keeps its producer's memory alive; when the last one is gone the producer's own `release` is
called. The layout is fixed by https://arrow.apache.org/docs/format/CDataInterface.html; what the formats
mean is told in `arrow_columns`.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterator, Mapping
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Any

import numpy as np
import numpy.typing as npt

from acumen.errors import DataError, MissingExtra
from acumen.types import Array, Bools

ORDERED = 1  # the flag of a dictionary whose order means something


class CSchema(ctypes.Structure):
    """struct ArrowSchema."""


CSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(CSchema))),
    ("dictionary", POINTER(CSchema)),
    ("release", CFUNCTYPE(None, POINTER(CSchema))),
    ("private_data", c_void_p),
]


class CArray(ctypes.Structure):
    """struct ArrowArray."""


CArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(CArray))),
    ("dictionary", POINTER(CArray)),
    ("release", CFUNCTYPE(None, POINTER(CArray))),
    ("private_data", c_void_p),
]


class CStream(ctypes.Structure):
    """struct ArrowArrayStream."""


CStream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(CStream), POINTER(CSchema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(CStream), POINTER(CArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(CStream))),
    ("release", CFUNCTYPE(None, POINTER(CStream))),
    ("private_data", c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = c_void_p
_pointer_of.argtypes = [ctypes.py_object, c_char_p]


@dataclass(frozen=True, slots=True)
class Field:
    """What a column is, read out of the producer's schema."""

    name: str | None
    format: str
    ordered: bool
    metadata: Mapping[str, str]
    dictionary: Field | None
    children: tuple[Field, ...]

    @classmethod
    def of(cls, schema: CSchema) -> Field:
        return cls(
            schema.name.decode("utf-8", "backslashreplace") if schema.name is not None else None,
            schema.format.decode(),
            bool(schema.flags & ORDERED),
            _metadata(schema.metadata),
            cls.of(schema.dictionary.contents) if schema.dictionary else None,
            tuple(cls.of(schema.children[i].contents) for i in range(schema.n_children)),
        )


def schema_fields(schema: Any) -> tuple[Field, ...]:
    """The columns of an Arrow schema from any producer."""
    capsule = schema.__arrow_c_schema__()
    return Field.of(CSchema.from_address(_pointer_of(capsule, b"arrow_schema"))).children


class _Owner:
    """The producer's array; its memory is given back when no view of it is left."""

    def __init__(self, array: CArray) -> None:
        self.array = array
        # At exit the process returns its memory anyway, and the producer may be gone by then.
        weakref.finalize(self, _release, array).atexit = False


class _Span:
    """A stretch of a producer's memory in the form numpy borrows from."""

    def __init__(self, address: int, dtype: np.dtype[Any], shape: tuple[int, ...], owner: _Owner) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "data": (address, True), "shape": shape, "typestr": dtype.str,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows `start` to `start + length` of one array of the producer."""

    array: CArray
    owner: _Owner
    start: int
    length: int

    def buffer(self, index: int, dtype: npt.DTypeLike, start: int, count: int) -> Array:
        """`count` elements of a buffer from element `start` on, borrowed and read-only."""
        kind = np.dtype(dtype)
        address = self.array.buffers[index] if index < self.array.n_buffers else None
        if not count:
            return np.empty(0, dtype=kind)
        if not address or count < 0 or start < 0:
            raise _broken_rule("a buffer is not there, or of a negative size")
        return np.asarray(_Span(address + start * kind.itemsize, kind, (count,), self.owner))

    def values(self, index: int, dtype: npt.DTypeLike) -> Array:
        """A buffer of one element a row."""
        return self.buffer(index, dtype, self.start, self.length)

    def bits(self, index: int) -> Bools:
        """A buffer of one bit a row."""
        first = self.start // 8
        packed = self.buffer(index, np.uint8, first, (self.start + self.length + 7) // 8 - first)
        skip = self.start - 8 * first
        return np.unpackbits(packed, bitorder="little")[skip : skip + self.length].view(np.bool_)

    def known_rows(self) -> Bools | None:
        """Which rows hold a value; None when all do."""
        if self.array.null_count == 0 or not self.array.n_buffers or not self.array.buffers[0]:
            return None
        bits = self.bits(0)
        return None if bits.all() else bits

    def dictionary(self) -> Chunk:
        """The values a dictionary column points to."""
        array = self.array.dictionary.contents
        return Chunk(array, self.owner, array.offset, array.length)


@dataclass(slots=True)
class ArrowColumn:
    """One column: its field and its chunks in order."""

    field: Field
    chunks: list[Chunk] = made_by(default_factory=list)

    def __len__(self) -> int:
        return sum(chunk.length for chunk in self.chunks)


def speaks_arrow(source: Any) -> bool:
    """Whether an object hands over Arrow data; a class that could make such objects does not."""
    offers = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    return offers and not isinstance(source, type)


def import_array(source: Any) -> ArrowColumn:
    """What is handed over as one column; of a frame, that is a column of structs."""
    root, batches = _batches(source)
    for batch in batches:
        _require(batch.array, root)
    return ArrowColumn(root, [Chunk(b.array, b, b.array.offset, b.array.length) for b in batches])


def stream_of(source: Any) -> tuple[Field, Iterator[ArrowColumn]]:
    """What is handed over batch by batch; a batch's memory is given back when nobody holds a view of it."""
    capsule = source.__arrow_c_stream__()
    stream = CStream.from_address(_pointer_of(capsule, b"arrow_array_stream"))
    schema = CSchema()
    _check(stream, stream.get_schema(byref(stream), byref(schema)))
    root = Field.of(schema)
    _release(schema)

    def batches() -> Iterator[ArrowColumn]:
        assert capsule is not None and source is not None  # which own the stream, and must live as long
        try:
            for batch in _arrays(stream):
                _require(batch.array, root)
                yield ArrowColumn(root, [Chunk(batch.array, batch, batch.array.offset, batch.array.length)])
        finally:
            _release(stream)

    return root, batches()


def fields_of(structs: ArrowColumn) -> list[ArrowColumn] | None:
    """The columns of a frame; None if this is no column of structs."""
    if structs.field.format != "+s":
        return None
    columns = [ArrowColumn(child) for child in structs.field.children]
    for rows in structs.chunks:
        if rows.known_rows() is not None:
            raise DataError("the Arrow source has rows that are null as a whole; leave them out first.")
        for j, column in enumerate(columns):
            array = rows.array.children[j].contents
            column.chunks.append(Chunk(array, rows.owner, array.offset + rows.start, rows.length))
    return columns


#: Buffers of an array by how its format begins; those of string views differ in number, and nulls have none.
_BUFFERS = {"n": None, "v": None, "u": 3, "U": 3, "z": 3, "Z": 3, "+s": 1}
_MOST_ROWS = 1 << 60


def _require(array: CArray, field: Field, at_least: int = 0) -> None:
    """Refuse an array that cannot be what its field says; its children must have `at_least` its rows."""
    rows = array.length + array.offset
    if not (0 <= array.length <= _MOST_ROWS and 0 <= array.offset <= _MOST_ROWS and array.null_count >= -1):
        raise _broken_rule("an array has a negative number of rows, or more than any memory holds")
    if rows < at_least:
        raise _broken_rule(f"a column has {rows:,} rows where its frame has {at_least:,}")
    if field.format[:1] == "+" and field.format != "+s":
        return  # lists, maps and unions are refused by name later on
    wanted = _BUFFERS.get(field.format if field.format == "+s" else field.format[:1], 2)
    if (wanted is not None and array.n_buffers != wanted) or (
        field.format[:1] == "v" and array.n_buffers < 3
    ):
        raise _broken_rule(f"an array of the format {field.format!r} has {array.n_buffers} buffers")
    if array.n_buffers and not array.buffers:
        raise _broken_rule("an array has no buffers")
    if array.length and wanted in (2, 3) and not array.buffers[1]:
        raise _broken_rule("an array has rows, and no buffer for them")
    if bool(array.dictionary) != (field.dictionary is not None):
        raise _broken_rule("a dictionary is not there, or not announced")
    if field.dictionary is not None:
        _require(array.dictionary.contents, field.dictionary)
    if array.n_children != len(field.children):
        raise _broken_rule(
            f"an array has {array.n_children} children where its schema has {len(field.children)}"
        )
    for j, child in enumerate(field.children):
        _require(array.children[j].contents, child, rows)


def _broken_rule(what: str) -> DataError:
    return DataError(f"the Arrow source breaks Arrow's own rules: {what}.")


def _batches(source: Any) -> tuple[Field, list[_Owner]]:
    try:
        if hasattr(source, "__arrow_c_stream__"):
            capsule = source.__arrow_c_stream__()
            stream = CStream.from_address(_pointer_of(capsule, b"arrow_array_stream"))
            return _drain(stream)
        schema_capsule, array_capsule = source.__arrow_c_array__()
    except ImportError as error:
        raise MissingExtra(f"reading a {type(source).__name__} needs another package: {error}") from error
    schema = CSchema.from_address(_pointer_of(schema_capsule, b"arrow_schema"))
    theirs = CArray.from_address(_pointer_of(array_capsule, b"arrow_array"))
    ours = CArray.from_buffer_copy(theirs)
    theirs.release = type(theirs.release)()  # moved: the capsule must not free it again
    return Field.of(schema), [_Owner(ours)]


def _drain(stream: CStream) -> tuple[Field, list[_Owner]]:
    try:
        schema = CSchema()
        _check(stream, stream.get_schema(byref(stream), byref(schema)))
        root = Field.of(schema)
        _release(schema)
        return root, list(_arrays(stream))
    finally:
        _release(stream)


def _arrays(stream: CStream) -> Iterator[_Owner]:
    while True:
        array = CArray()
        _check(stream, stream.get_next(byref(stream), byref(array)))
        if not array.release:
            return
        yield _Owner(array)


def _check(stream: CStream, code: int) -> None:
    if code:
        message = stream.get_last_error(byref(stream))
        reason = message.decode("utf-8", "replace") if message else f"error {code}"
        raise DataError(f"the Arrow source could not be read: {reason}.")


def _release(structure: Any) -> None:
    if structure.release:
        structure.release(byref(structure))


def _metadata(address: int | None) -> dict[str, str]:
    """A field's metadata: a count, then lengths and bytes of keys and values in turn."""
    if not address:
        return {}

    def number() -> int:
        nonlocal address
        assert address is not None
        value = c_int.from_address(address).value
        address += 4
        return value

    def text() -> str:
        nonlocal address
        length = number()
        assert address is not None
        data = ctypes.string_at(address, length)
        address += length
        return data.decode("utf-8", "replace")

    pairs = [(text(), text()) for _ in range(number())]  # key before value
    return dict(pairs)
