"""What Arrow's formats mean for a table: each imported column as a column of ours.

Numbers, decimals, dates and durations are numeric, Booleans and dictionaries nominal, strings nominal or
text; lists, structs, maps and unions are refused. Strings are made distinct by a kernel, so that Python
sees each value once however long the column is.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from acumen import _native
from acumen.data.columns import RawColumn
from acumen.data.memory import cells
from acumen.data.memory.arrow_c import ArrowColumn, Chunk, Field
from acumen.data.report import Report
from acumen.errors import DataError
from acumen.types import MISSING, Array, Bools, Codes, Objects

INTEGERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8"}
FLOATS = {"e": "f2", "f": "f4", "g": "f8"}
STRINGS = {"u": "i4", "z": "i4", "U": "i8", "Z": "i8", "vu": "", "vz": ""}
#: Dates, times of day and durations: how they lie, and what numpy calls them.
MOMENTS = {
    "tdD": ("i4", "M8[D]"), "tdm": ("i8", "M8[ms]"),
    "tts": ("i4", "m8[s]"), "ttm": ("i4", "m8[ms]"), "ttu": ("i8", "m8[us]"), "ttn": ("i8", "m8[ns]"),
    "tDs": ("i8", "m8[s]"), "tDm": ("i8", "m8[ms]"), "tDu": ("i8", "m8[us]"), "tDn": ("i8", "m8[ns]"),
    "tss": ("i8", "M8[s]"), "tsm": ("i8", "M8[ms]"), "tsu": ("i8", "M8[us]"), "tsn": ("i8", "M8[ns]"),
}  # fmt: skip
#: Where ADBC says what a column is in the database.
TYPE_NAME = "ADBC:postgresql:typname"
#: Where Arrow says that fixed-size bytes mean more than bytes.
EXTENSION = "ARROW:extension:name"
NESTED = {
    "+l": "lists", "+L": "lists", "+vl": "lists", "+vL": "lists", "+w": "lists", "+s": "structs",
    "+m": "maps", "+u": "unions", "+r": "run-end encoded values",
}  # fmt: skip


def column_of(name: str, imported: ArrowColumn, report: Report) -> RawColumn:
    """One Arrow column as ours, by its format."""
    field, chunks = imported.field, imported.chunks
    form = field.format
    if field.dictionary is not None:
        return _dictionary(name, imported, report)
    if form == "n":
        return cells.floats(name, np.full(len(imported), np.nan))
    if form in STRINGS:
        if field.metadata.get(TYPE_NAME) == "numeric":
            return cells.floats(
                name, _concatenate([_parse_text_numbers(form, chunk) for chunk in chunks], np.float64)
            )
        codes, levels = _strings(form, chunks)
        return cells.strings(name, codes, levels, report)
    known = _known_rows(chunks)
    if form in INTEGERS:
        return cells.integers(name, _join_values(chunks, INTEGERS[form]), known, report)
    if form in FLOATS:
        return cells.floats(name, _join_values(chunks, FLOATS[form]), known)
    if form == "b":
        values = _concatenate([chunk.bits(1) for chunk in chunks], np.bool_)
        return cells.booleans(name, values, known)
    if form.startswith("d:"):
        return cells.floats(name, _decimals(form, chunks), known)
    if form.startswith("t"):
        zoned = form.startswith("ts") and bool(form.partition(":")[2])
        values = _moments(name, form, chunks, known)
        return cells.moments(name, values, report, zoned=zoned, clock=form.startswith("tt"))
    if form == "w:16" and field.metadata.get(EXTENSION) == "arrow.uuid":
        return cells.objects(name, _uuids(chunks, known), report)
    raise _refusal(name, form)


def _uuids(chunks: list[Chunk], known: Bools | None) -> Objects:
    """Universally unique identifiers as they are usually written."""
    raw = b"".join(
        chunk.buffer(1, np.uint8, chunk.start * 16, chunk.length * 16).tobytes() for chunk in chunks
    )
    texts = np.empty(len(raw) // 16, dtype=object)
    texts[:] = [str(uuid.UUID(bytes=raw[i : i + 16])) for i in range(0, len(raw), 16)]
    if known is not None:
        texts[~known] = None
    return texts


def _parse_text_numbers(form: str, chunk: Chunk) -> Array:
    """Numbers that came as text: PostgreSQL's NUMERIC has more digits than any of Arrow's types need have."""
    if not chunk.length:
        return np.empty(0)
    mask = chunk.known_rows()
    known = np.empty(0, np.uint8) if mask is None else np.ascontiguousarray(mask).view(np.uint8)
    offsets = chunk.buffer(1, STRINGS[form], chunk.start, chunk.length + 1).astype(np.int64)
    with _check_bounds():
        return _native.parse_offsets(offsets, chunk.buffer(2, np.uint8, 0, int(offsets[-1])), known)


@contextmanager
def _check_bounds() -> Iterator[None]:
    """Kernels look where each string begins and ends before they go there."""
    try:
        yield
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            "the Arrow source breaks Arrow's own rules: a string lies outside its buffer."
        ) from None


def _refusal(name: str, form: str) -> DataError:
    what = NESTED.get(form.split(":")[0], NESTED.get(form[:2], f"values of the Arrow format {form!r}"))
    return DataError(
        f"column {name!r} holds {what}, which no attribute can be; give their parts columns of their own, "
        "or leave the column out."
    )


# -- rows of one type -----------------------------------------------------------------------------


def _known_rows(chunks: list[Chunk]) -> Bools | None:
    masks = [chunk.known_rows() for chunk in chunks]
    if all(mask is None for mask in masks):
        return None
    return _concatenate(
        [np.ones(c.length, np.bool_) if m is None else m for c, m in zip(chunks, masks, strict=True)],
        np.bool_,
    )


def _join_values(chunks: list[Chunk], dtype: str) -> Array:
    return _concatenate([chunk.values(1, dtype) for chunk in chunks], dtype)


def _concatenate(pieces: list[Array], dtype: Any) -> Array:
    """One piece as it is, several put together."""
    return pieces[0] if len(pieces) == 1 else np.concatenate([np.empty(0, dtype), *pieces])


def _moments(name: str, form: str, chunks: list[Chunk], known: Bools | None) -> Array:
    # A time zone behind the colon is for showing: what is stored is UTC.
    if (how := MOMENTS.get(form.split(":")[0])) is None:
        raise _refusal(name, form)
    values = _join_values(chunks, how[0]).astype(np.int64).view(how[1])
    if known is not None:
        values[~known] = "NaT"
    return values


def _decimals(form: str, chunks: list[Chunk]) -> Array:
    """Decimals as the nearest floats: `d:precision,scale[,bits]`."""
    parts = [int(part) for part in form[2:].split(",")]
    scale, width = parts[1], (parts[2] if len(parts) > 2 else 128) // 8
    unit = 10 ** abs(scale)
    number: Callable[[int], float] = (lambda v: v / unit) if scale >= 0 else (lambda v: float(v * unit))
    numbers = []
    for chunk in chunks:
        raw = chunk.buffer(1, np.uint8, chunk.start * width, chunk.length * width).tobytes()
        # Python divides whole numbers of any size with one rounding.
        numbers += [
            number(int.from_bytes(raw[i : i + width], "little", signed=True))
            for i in range(0, len(raw), width)
        ]
    return np.array(numbers, dtype=np.float64)


# -- strings and dictionaries ---------------------------------------------------------------------


def _strings(form: str, chunks: list[Chunk]) -> tuple[Codes, list[str]]:
    """Codes over the distinct strings of all chunks, in order of first occurrence."""
    interned = [_intern(form, chunk) for chunk in chunks]
    texts = [[value.decode("utf-8", "backslashreplace") for value in distinct] for _, distinct in interned]
    if len(chunks) == 1 and len(set(texts[0])) == len(texts[0]):
        return interned[0][0], texts[0]
    place: dict[str, int] = {}  # over chunks; and bytes that are no UTF-8 may read alike
    pieces = []
    for (codes, _), distinct in zip(interned, texts, strict=True):
        table = np.array([*(place.setdefault(text, len(place)) for text in distinct), MISSING], np.int32)
        pieces.append(table[codes])  # -1 reaches the last slot
    return _concatenate(pieces, np.int32), list(place)


def _intern(form: str, chunk: Chunk) -> tuple[Codes, list[bytes]]:
    mask = chunk.known_rows()
    known = np.empty(0, np.uint8) if mask is None else np.ascontiguousarray(mask).view(np.uint8)
    if form in ("vu", "vz"):
        views = chunk.buffer(1, np.uint8, chunk.start * 16, chunk.length * 16).reshape(-1, 16)
        # The last buffer holds the sizes of those between.
        extra = chunk.array.n_buffers - 3
        sizes = chunk.buffer(extra + 2, np.int64, 0, extra)
        buffers = [chunk.buffer(2 + i, np.uint8, 0, int(size)) for i, size in enumerate(sizes)]
        with _check_bounds():
            return _native.intern_views(views, buffers, known)
    if not chunk.length:
        return np.empty(0, np.int32), []
    offsets = chunk.buffer(1, STRINGS[form], chunk.start, chunk.length + 1).astype(np.int64)
    data = chunk.buffer(2, np.uint8, 0, int(offsets[-1]))
    with _check_bounds():
        return _native.intern_offsets(offsets, data, known)


def _dictionary(name: str, imported: ArrowColumn, report: Report) -> RawColumn:
    """A dictionary column: the dictionary is the list of levels; chunks may bring different ones."""
    field = imported.field
    assert field.dictionary is not None
    place: dict[Any, int] = {}
    pieces = []
    for chunk in imported.chunks:
        levels = _levels(name, field.dictionary, chunk.dictionary(), report)
        keyed = (((type(v), v), v) for v in levels)
        table = [MISSING if cells.is_missing(v) else place.setdefault(key, len(place)) for key, v in keyed]
        if field.format not in INTEGERS:
            raise DataError(f"column {name!r}: the indices of its Arrow dictionary are no whole numbers.")
        codes = chunk.values(1, INTEGERS[field.format]).astype(np.int64)
        if (known := chunk.known_rows()) is not None:
            codes[~known] = MISSING
        if codes.size and not -1 <= int(codes.min()) <= int(codes.max()) < len(levels):
            raise DataError(f"column {name!r}: an index lies outside its Arrow dictionary.")
        pieces.append(np.array([*table, MISSING], dtype=np.int32)[codes])  # -1 reaches the last slot
    # polars marks every Enum as ordered; there the order is that of the declaration, no statement.
    ordered = field.ordered and not any(key.startswith("_PL_ENUM") for key in field.metadata)
    joined = _concatenate(pieces, np.int32)
    return cells.categories(name, joined, [value for _, value in place], report, ordered=ordered)


def _levels(name: str, field: Field, chunk: Chunk, report: Report) -> list[Any]:
    """A dictionary's values as Python values, None where null."""
    form = field.format
    if form in STRINGS:
        codes, texts = _strings(form, [chunk])
        return [texts[code] if code >= 0 else None for code in codes]
    if form in INTEGERS or form in FLOATS or form == "b":
        values = chunk.bits(1) if form == "b" else chunk.values(1, (INTEGERS | FLOATS)[form])
    elif form.split(":")[0] in MOMENTS:
        values = _moments(name, form, [chunk], None).astype(str)
    elif form == "n":
        return [None] * chunk.length
    else:
        raise _refusal(name, form)
    known = chunk.known_rows()
    plain = values.tolist()
    return plain if known is None else [v if k else None for v, k in zip(plain, known, strict=True)]
