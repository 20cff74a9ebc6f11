"""A file replaced as a whole: whoever looks, and whatever is killed, finds the old file or the new one.

replacing        a file of bytes to write to; whatever acumen writes is written by it
replacing_text   the same for text
replace_text     a text at one go

The new bytes go to a temporary file in the same folder, which is flushed to the disk, renamed over the
old one, and the folder flushed in turn. A writer that is killed leaves its temporary behind; the next
one in that folder clears it away. A lock held while writing tells a dead writer's file from a live one's.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import BinaryIO, Final, TextIO

from acumen.errors import AcumenError, DataError, ModelFileError

if sys.platform != "win32":  # which has no locks of this kind, so leftovers stay there
    import fcntl

_TEMPORARY: Final = re.compile(r"\.acumen-[0-9a-f]{16}\.part")
_BINARY: Final = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | _BINARY
_OPEN: Final = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})|/dev/std(out|err)")

#: The name of standard output among files to be written.
STDOUT: Final = "-"


@contextmanager
def replacing(path: str, who: str = "save", error: type[AcumenError] = ModelFileError) -> Iterator[BinaryIO]:
    """A file to write to, which becomes `path` when the block ends well and vanishes when it does not.

    Links are followed. A file that is replaced keeps its permissions; those of a new one follow the umask. `-` is
    standard output. Devices, named pipes and open descriptors (/dev/stdout) cannot be replaced, so they are written to
    as they are. `who` and `error` are for a sentence that refuses folders and disks.
    """
    direct = _direct(path, who, error)
    if direct is not None:
        with direct as file:
            yield file
            file.flush()
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)  # noqa: PTH120
    try:
        clear_leftovers(folder)
        file, temporary = _create(folder, _mode_of(target))
    except OSError as fault:  # in the name of what was asked for, not of the temporary
        raise type(fault)(fault.errno, fault.strerror, path) from None
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


@contextmanager
def replacing_text(path: str | os.PathLike[str], who: str) -> Iterator[TextIO]:
    """The same for text, as UTF-8; line ends stay as they are, characters that have no bytes become escapes."""
    with replacing(os.fspath(path), who, DataError) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        try:
            yield text
            text.flush()
        finally:
            with suppress(ValueError):  # flushing what could not be flushed before
                text.detach()


def replace_text(path: str | os.PathLike[str], text: str, who: str) -> None:
    """Put a text in the place of a file, as UTF-8; characters that have none are written as escapes."""
    with replacing_text(path, who) as file:
        file.write(text)


def _direct(path: str, who: str, error: type[AcumenError]) -> AbstractContextManager[BinaryIO] | None:
    """What is written to as it is; None for a file that can be replaced, or made."""
    if path == STDOUT:
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            raise error(f"{who}: standard output takes no bytes here; give the name of a file to write.")
        sys.stdout.flush()
        return nullcontext(stream)
    if (number := _descriptor(path)) is not None:
        return os.fdopen(os.dup(number), "wb")
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except OSError:  # nothing there yet; what else is wrong shows when the temporary is made
        return None
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISCHR(mode) or stat.S_ISFIFO(mode):
        return os.fdopen(os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | _BINARY), "wb")
    raise error(f"{who}: {path} is not a plain file; give the name of a file to write.")


def _descriptor(path: str) -> int | None:
    """The number behind /dev/stdout, /dev/fd/3 and their like: what is open there may be anything, a file included."""
    match = _OPEN.fullmatch(os.path.abspath(path))  # noqa: PTH100
    if match is None:
        return None
    return int(match[1]) if match[1] else {"out": 1, "err": 2}[match[2]]


def _mode_of(target: str) -> int | None:
    """The permissions of what is to be replaced; None if nothing is there."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode) & 0o777  # noqa: PTH116
    except OSError:
        return None


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


def _create(folder: str, mode: int | None) -> tuple[BinaryIO, str]:
    """A new locked temporary file and its path; nobody can guess its name, and no link of that name is followed.

    It has the permissions of what it will replace from the first byte on: what is private stays so meanwhile.
    """
    while True:
        temporary = os.path.join(folder, f".acumen-{secrets.token_hex(8)}.part")  # noqa: PTH118
        handle = os.open(temporary, _NEW, 0o666 if mode is None else 0o600)
        if mode is not None and hasattr(os, "fchmod"):
            with suppress(OSError):  # some network folders know no permissions
                os.fchmod(handle, mode)
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
