"""Pipes: what can be read only once, and may keep its reader waiting.

is_pipe     whether a path leads to one
open_pipe   a pipe to read from; a sentence if nobody writes to it
"""

from __future__ import annotations

import os
import select
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from acumen.errors import DataError

#: Seconds that are waited for someone to write to a named pipe.
PATIENCE = 10.0


def is_pipe(source: str | os.PathLike[str]) -> bool:
    """Whether a path leads to something that is neither a file nor a folder."""
    try:
        mode = Path(source).expanduser().stat().st_mode
    except (OSError, ValueError, RuntimeError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def open_pipe(path: Path, given: str) -> IO[bytes]:
    """Open what can be read once; a named pipe to which nobody writes would keep us waiting for ever."""
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
                        f"{given} is a named pipe to which nobody wrote in {PATIENCE:g} seconds; start the "
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
