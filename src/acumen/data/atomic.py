"""A file replaced as a whole: whoever looks, and whatever is killed, finds the old file or the new one.

The new bytes go to a temporary file in the same folder, which is flushed to the disk, renamed over the
old one, and the folder flushed in turn. A writer that is killed leaves its temporary behind; the next
one in that folder clears it away. A lock held while writing tells a dead writer's file from a live one's.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final

from acumen.errors import AcumenError, DataError, ModelFileError

if sys.platform != "win32":  # which has no locks of this kind, so leftovers stay there
    import fcntl

_TEMPORARY: Final = re.compile(r"\.acumen-[0-9a-f]{16}\.part")
_BINARY: Final = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def replacing(path: str, who: str = "save", error: type[AcumenError] = ModelFileError) -> Iterator[BinaryIO]:
    """A file to write to, which becomes `path` when the block ends well and vanishes when it does not.

    Links are followed; the new file's permissions follow the umask. `who` and `error` are for a sentence that refuses
    what is no plain file.
    """
    target = os.path.realpath(path)
    # A rename would put a plain file in the place of a device such as /dev/null.
    if os.path.lexists(target) and not stat.S_ISREG(os.stat(target).st_mode):  # noqa: PTH116
        raise error(f"{who}: {path} is not a plain file; give the name of a file to write.")
    folder = os.path.dirname(target)  # noqa: PTH120
    clear_leftovers(folder)
    file, temporary = _create(folder)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if sys.platform == "win32":
                file.close()
            # The lock is still held, so nobody takes the temporary for a leftover before it has its name.
            os.replace(temporary, target)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise
    _flush_folder(folder)


def replace_text(path: str | os.PathLike[str], text: str, who: str) -> None:
    """Put a text in the place of a file, as UTF-8; characters that have none are written as escapes."""
    with replacing(os.fspath(path), who, DataError) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def clear_leftovers(folder: str) -> None:
    """Remove the temporaries of writers that are no more."""
    if sys.platform == "win32":
        return
    for entry in os.scandir(folder):
        if not _TEMPORARY.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
            continue
        with suppress(OSError):
            handle = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | _BINARY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
                os.unlink(entry.path)  # noqa: PTH108
            finally:
                os.close(handle)


def _create(folder: str) -> tuple[BinaryIO, str]:
    """A new locked temporary file and its path."""
    while True:
        temporary = os.path.join(folder, f".acumen-{secrets.token_hex(8)}.part")  # noqa: PTH118
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        if sys.platform != "win32":
            # Some network folders know no locks; no one can clear leftovers there either.
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            # Between open and lock another writer may have taken it for a leftover.
            if os.fstat(handle).st_nlink == 0:
                os.close(handle)
                continue
        return os.fdopen(handle, "wb"), temporary


def _flush_folder(folder: str) -> None:
    """Make the rename itself last through a power cut."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Some file systems cannot flush a folder; the file itself is safe already.
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
