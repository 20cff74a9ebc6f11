"""Compressed files, read to the very end, and pipes.

    open_compressed   open a compressed file by its first bytes; None if it is not compressed
    is_pipe           whether a path leads to a pipe, which can be read only once
    open_pipe         open a pipe; an error if no program writes to it

A file may hold several streams in sequence, as `cat a.bz2 b.bz2` and parallel compressors create them. Python's readers
of bzip2 and xz silently drop a damaged stream after the first; here, anything after a stream must be another complete
stream. (xz may pad with groups of four NULs; gzip's reader is strict by itself.)
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import select
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol, cast

from acumen.errors import DataError

#: Seconds that are waited for someone to write to a named pipe.
PATIENCE = 10.0
#: Packed bytes fetched at a time.
PIECE = 1 << 16

_BZIP2, _XZ = b"BZh", b"\xfd7zXZ\x00"


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class Streams(io.RawIOBase):
    """The streams of a packed file, one behind another; what is no stream raises EOFError or an error of its own."""

    def __init__(self, packed: Any, make: Callable[[], _Decompressor], magic: bytes, padding: int) -> None:
        self._packed, self._make, self._magic, self._padding = packed, make, magic, padding
        self._stream, self._begun = make(), b""  # the stream, and what was fetched of it already

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        while True:
            if self._stream.eof and not self._next():
                return 0
            piece, self._begun = self._begun, b""
            if self._stream.needs_input and not piece:
                piece = self._packed.read(PIECE)
                if not piece:
                    raise EOFError("it ends in the middle of a stream")
            if data := self._stream.decompress(piece, len(view)):
                view[: len(data)] = data
                return len(data)

    def _next(self) -> bool:
        """Begin the stream that follows; False at the end of the file."""
        rest = self._stream.unused_data
        while len(rest) < len(self._magic) or (self._padding and not rest.strip(b"\0")):
            if not (more := self._packed.read(PIECE)):
                break
            rest += more
        if self._padding:
            begun = rest.lstrip(b"\0")
            if (len(rest) - len(begun)) % self._padding:
                raise EOFError("its first stream is followed by something else than a stream")
            rest = begun
        if not rest:
            return False
        if not rest.startswith(self._magic):
            raise EOFError("its first stream is followed by something else than a stream")
        self._stream, self._begun = self._make(), rest
        return True


def open_compressed(head: bytes, packed: Any) -> IO[bytes] | None:
    """Open a gzip, bzip2 or xz file, recognised by its first bytes; None for any other."""
    if head.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=packed))
    if head.startswith(_BZIP2):
        return cast(IO[bytes], Streams(packed, bz2.BZ2Decompressor, _BZIP2, 0))
    if head.startswith(_XZ):
        return cast(IO[bytes], Streams(packed, _xz, _XZ, 4))
    return None


def _xz() -> _Decompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ)


# -- pipes ---------------------------------------------------------------------------------------------


def is_pipe(source: str | os.PathLike[str]) -> bool:
    """Whether a path leads to something that is neither a file nor a folder."""
    try:
        mode = Path(source).expanduser().stat().st_mode
    except (OSError, ValueError, RuntimeError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def open_pipe(path: Path, name: str) -> IO[bytes]:
    """Open a source that can be read once; an error, instead of waiting forever, if nothing writes to a pipe."""
    if not stat.S_ISFIFO(path.stat().st_mode):
        return path.open("rb")
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        first, waited = b"", select.poll()
        waited.register(pipe, select.POLLIN)
        with suppress(BlockingIOError):  # someone has it open and is still at work
            first = os.read(pipe, 1)
            if not first:
                if not waited.poll(PATIENCE * 1000):
                    raise DataError(
                        f"{name} is a named pipe, and no program wrote to it within {PATIENCE:g} seconds; start the "
                        "writer first."
                    )
                first = os.read(pipe, 1)
        os.set_blocking(pipe, True)
    except BaseException:
        os.close(pipe)
        raise
    return cast(IO[bytes], _Begun(first, os.fdopen(pipe, "rb")))


class _Begun:
    """A pipe of which the first byte has been read."""

    def __init__(self, first: bytes, pipe: IO[bytes]) -> None:
        self._first, self._pipe = first, pipe

    def __enter__(self) -> _Begun:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()

    def read(self, size: int) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        return self._pipe.read(size)
