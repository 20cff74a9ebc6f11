"""A packed file is read to its end or refused: no stream behind the first is lost without a word."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable

import pytest

import acumen
from acumen.data.byte_streams import open_compressed
from acumen.errors import DataError

FIRST = b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(1000))
SECOND = b"".join(b"%d,y\n" % i for i in range(1000))
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
packed = pytest.mark.parametrize("pack", PACKERS.values(), ids=list(PACKERS))


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


@packed
def test_streams_one_behind_another_are_one_text(pack: Callable[[bytes], bytes]) -> None:
    assert len(acumen.read(io.BytesIO(pack(FIRST) + pack(SECOND)))) == 2000
    assert len(acumen.read(io.BytesIO(pack(b"") + pack(FIRST) + pack(b"") + pack(SECOND)))) == 2000


@packed
@pytest.mark.parametrize("where", [0, 1, 2, 0.5, -4], ids=str)
def test_a_damaged_later_stream_is_refused(pack: Callable[[bytes], bytes], where: float) -> None:
    second = pack(SECOND)
    at = int(where * len(second)) if isinstance(where, float) else where % len(second)
    with pytest.raises(DataError, match="damaged or truncated"):
        acumen.read(io.BytesIO(pack(FIRST) + flipped(second, at)))


@packed
@pytest.mark.parametrize(
    "rubbish", [b"x", b"rubbish behind the end", b"\x1f", b"BZ", b"BZh", b"\xfd7zXZ"], ids=repr
)
def test_rubbish_behind_the_end_is_refused(pack: Callable[[bytes], bytes], rubbish: bytes) -> None:
    with pytest.raises(DataError, match="damaged or truncated"):
        acumen.read(io.BytesIO(pack(FIRST) + rubbish))


@packed
def test_a_file_cut_off_anywhere_is_refused(pack: Callable[[bytes], bytes]) -> None:
    whole = pack(FIRST[:400]) + pack(SECOND[:400])
    first = len(pack(FIRST[:400]))
    for end in range(20, len(whole)):
        if end == first:
            continue  # then it is whole, and shorter
        with pytest.raises(DataError):
            acumen.read(io.BytesIO(whole[:end]))


def test_xz_may_be_padded_by_fours() -> None:
    first, second = lzma.compress(FIRST), lzma.compress(SECOND)
    for padding in (4, 8, 70_000):
        assert len(acumen.read(io.BytesIO(first + bytes(padding) + second + bytes(padding)))) == 2000
    for padding in (1, 3, 70_001):
        with pytest.raises(DataError, match="damaged or truncated"):
            acumen.read(io.BytesIO(first + bytes(padding) + second))
        with pytest.raises(DataError, match="damaged or truncated"):
            acumen.read(io.BytesIO(first + bytes(padding)))


@packed
def test_small_and_large_reads_give_the_same_bytes(pack: Callable[[bytes], bytes]) -> None:
    data = pack(FIRST) + pack(SECOND)
    for size in (1, 7, 1 << 20):
        file = open_compressed(data[:16], io.BytesIO(data))
        assert file is not None
        made = bytearray()
        while piece := file.read(size):
            made += piece
        assert bytes(made) == FIRST + SECOND


def test_what_is_not_packed_has_no_reader() -> None:
    assert open_compressed(b"a,b\n1,2\n", io.BytesIO(b"a,b\n1,2\n")) is None
