"""The kernel that makes strings distinct, against its twin; and its refusal to read outside a buffer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import _native
from reference.intern import intern

columns = st.lists(st.none() | st.binary(max_size=20), max_size=60)
NO_MASK = np.empty(0, np.uint8)


def mask_of(strings: list[bytes | None]) -> np.ndarray:
    return np.array([s is not None for s in strings], dtype=np.uint8)


@given(columns)
def test_offsets_intern_as_the_twin_does(strings: list[bytes | None]) -> None:
    plain = [s or b"" for s in strings]
    offsets = np.cumsum([0, *map(len, plain)], dtype=np.int64)
    data = np.frombuffer(b"".join(plain), dtype=np.uint8)
    codes, distinct = _native.intern_offsets(offsets, data, mask_of(strings))
    assert (codes.tolist(), distinct) == intern(strings)


@given(columns)
def test_views_intern_as_the_twin_does(strings: list[bytes | None]) -> None:
    buffer, views = bytearray(), bytearray()
    for string in strings:
        plain = b"?" * 3 if string is None else string
        size = len(plain).to_bytes(4, "little")
        if string is None:
            views += b"\xff" * 16  # what a null's view holds must not matter
        elif len(plain) <= 12:
            views += size + plain.ljust(12, b"\0")
        else:
            views += size + plain[:4] + (0).to_bytes(4, "little") + len(buffer).to_bytes(4, "little")
            buffer += plain
    table = np.frombuffer(bytes(views), dtype=np.uint8).reshape(-1, 16)
    data = np.frombuffer(bytes(buffer), dtype=np.uint8)
    codes, distinct = _native.intern_views(table, [data], mask_of(strings))
    assert (codes.tolist(), distinct) == intern(strings)


def test_many_distinct_strings_keep_their_codes_while_the_table_grows() -> None:
    plain = [str(i % 5000).encode() for i in range(12_000)]
    offsets = np.cumsum([0, *map(len, plain)], dtype=np.int64)
    codes, distinct = _native.intern_offsets(offsets, np.frombuffer(b"".join(plain), np.uint8), NO_MASK)
    assert (codes.tolist(), distinct) == intern(plain)


@pytest.mark.parametrize("offsets", [[0, 9], [-1, 2], [2, 1], [0, 3, 2]])
def test_a_string_outside_its_buffer_is_refused(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="outside its buffer"):
        _native.intern_offsets(np.array(offsets, np.int64), np.zeros(3, np.uint8), NO_MASK)


@pytest.mark.parametrize(("length", "buffer", "place"), [(20, 1, 0), (20, 0, 5), (-1, 0, 0), (20, -1, 0)])
def test_a_view_outside_its_buffer_is_refused(length: int, buffer: int, place: int) -> None:
    parts = [length, 0, buffer, place]
    view = np.frombuffer(b"".join(p.to_bytes(4, "little", signed=True) for p in parts), np.uint8)
    with pytest.raises(ValueError, match="outside its buffer"):
        _native.intern_views(view.reshape(1, 16), [np.zeros(20, np.uint8)], NO_MASK)


def test_a_mask_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="mask"):
        _native.intern_offsets(np.zeros(3, np.int64), NO_MASK, np.ones(1, np.uint8))
