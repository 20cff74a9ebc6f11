"""Where the bytes of a text come from: a path, an open file, or stdin; compressed or not.

    open_source   anything a user may give -> Source
    Source        its name, its suffix, and its bytes in chunks, from the start as often as asked

A path is opened anew each time. A binary file that can seek is read where it is, from the position it was
handed over at; everything else (text files, pipes, stdin) is spooled, in memory while small, then on disk.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, cast

from acumen import messages
from acumen.data.byte_streams import is_pipe, open_compressed, open_pipe
from acumen.data.remote_files import RemoteFile
from acumen.errors import DataError, did_you_mean

#: Bytes read at a time: enough to be worth a second thread, little beside any table.
CHUNK = 1 << 22
_SPOOL_IN_MEMORY = 1 << 25
#: A compressed file may unpack to so many bytes, or to so many times its own size.
MUCH = 1 << 30
RATIO = 50

_COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz")
_REFUSED = {
    b"PK\x03\x04": "is a zip archive or an Excel workbook; unpack it, or say {excel}",
    b"\x28\xb5\x2f\xfd": "is compressed by zstd; unpack it, or compress it by gzip, bzip2 or xz",
    b"PAR1": "is a Parquet file, not a text; give its path, or say {parquet}",
    b"ARROW1\x00\x00": "is an Arrow file, not a text; give its path, or say {arrow}",
    b"SQLite format 3\x00": "is an SQLite database, not a text; give its path, or sqlite:///PATH",
}


class Source:
    """A text as bytes, to be gone through as often as needed; `decoded` if they came from a text file."""

    def __init__(
        self,
        name: str,
        suffix: str,
        opened: Callable[[], IO[bytes]],
        *,
        decoded: bool = False,
        size: int = 0,
        max_bytes: int | None = None,
        path: str | RemoteFile | None = None,
    ) -> None:
        self.name = name
        self.path = path  # of a regular file, or one of a filesystem, which can be opened elsewhere too
        self.suffix = suffix
        self.decoded = decoded
        self.size = size  # in bytes, packed or not; 0 if nobody knows
        self.max_bytes = max_bytes  # of text, unpacked; None: what MUCH and RATIO allow a packed one
        self._open_file = opened

    def raw(self, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes as they are, packed or not, text or not."""
        with self._open_file() as file:
            while piece := file.read(size):
                yield piece

    def chunks(self, size: int = CHUNK) -> Iterator[memoryview]:
        """The bytes, unpacked, in pieces of at most `size`; each piece is good until the next is asked for."""
        with self._open_file() as raw:
            try:
                head = raw.read(16)
            except OSError as error:
                raise DataError(f"{self.name} cannot be read: {error.strerror or error}.") from None
            for magic, reason in _REFUSED.items():
                if head.startswith(magic):
                    forms = {word: messages.dialect("format", word) for word in ("excel", "parquet", "arrow")}
                    raise DataError(f"{self.name} {reason.format(**forms)}.")
            raw.seek(-len(head), os.SEEK_CUR)
            inside = open_compressed(head, raw)
            if inside is None:
                yield from self._pieces(raw, size)
                return
            with inside:
                yield from self._pieces(inside, size, raw)

    def _pieces(self, file: IO[bytes], size: int, packed: IO[bytes] | None = None) -> Iterator[memoryview]:
        # A small file needs no large buffer, and is opened several times; one byte more shows whether it has grown.
        buffer = bytearray(min(size, self.size + 1) if packed is None and self.size else size)
        view = memoryview(buffer)
        total = 0
        while True:
            try:
                n = file.readinto(buffer)  # type: ignore[attr-defined]
            except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
                raise self._damage_error(error) from None
            except OSError as error:
                if packed is not None and error.errno is None:  # bzip2's word for it
                    raise self._damage_error(error) from None
                raise DataError(f"{self.name} cannot be read: {error.strerror or error}.") from None
            total += n
            if not n:
                if packed is None and total < self.size:
                    raise DataError(
                        f"{self.name} changed while it was being read: it has {total:,} bytes left of {self.size:,}."
                    )
                return
            self._check_size(total, packed)
            yield view[:n]

    def _damage_error(self, error: Exception) -> DataError:
        return DataError(
            f"{self.name}: the compressed data are damaged or truncated ({error}), so rows may be missing; download or "
            "create the file again."
        )

    def _check_size(self, total: int, packed: IO[bytes] | None) -> None:
        """Refuse more text than was asked for; a few bytes that unpack to ever more are no table."""
        if self.max_bytes is not None:
            if total > self.max_bytes:
                raise DataError(
                    f"{self.name} holds more than the {self.max_bytes:,} bytes that "
                    f"{messages.option('max_bytes')} allows."
                )
        elif packed is not None and total > max(MUCH, RATIO * packed.tell()):
            raise DataError(
                f"{self.name} unpacks to more than {MUCH >> 20:,} MiB, over {RATIO} times its own size, as files made "
                f"to fill memory do; if it is a table, allow it with {messages.option('max_bytes')}."
            )

    @property
    def is_plain_file(self) -> bool:
        """Whether its bytes are those of a regular file, neither packed nor from elsewhere."""
        if self.path is None or self.decoded:
            return False
        with self._open_file() as raw:
            return open_compressed(raw.read(16), io.BytesIO()) is None

    def head(self, size: int) -> tuple[bytes, bool]:
        """At most `size` bytes from the start, and whether that is all there is."""
        head = bytearray()
        for chunk in self.chunks(min(size, CHUNK)):
            head += chunk
            if len(head) > size:
                return bytes(head[:size]), False
        return bytes(head), True


def open_source(source: Any, max_bytes: int | None = None) -> Source:
    """Take a path, an open file (text or binary) or "-"; say in a sentence why it cannot be read."""
    file = source if isinstance(source, Source) else _make_source(source, max_bytes)
    if max_bytes is not None:
        file.max_bytes = max_bytes
    return file


def _make_source(source: Any, max_bytes: int | None) -> Source:
    if isinstance(source, (str, os.PathLike)):
        if source == "-":
            if sys.stdin is None or sys.stdin.closed:
                raise DataError(
                    "read: standard input is closed; pipe a table into it, or give the path of a file."
                )
            return _spool(getattr(sys.stdin, "buffer", sys.stdin), "standard input", "", max_bytes)
        return _of_path(source, max_bytes)
    if isinstance(source, RemoteFile):
        size, _ = source.state()
        return Source(source.name, _suffix(Path(source.name)), source.open, size=size, path=source)
    name = getattr(source, "name", None)
    suffix = _suffix(Path(name)) if isinstance(name, str) else ""
    shown = name if isinstance(name, str) else f"the {type(source).__name__} given"
    if getattr(source, "closed", False):
        raise DataError(f"read: {shown} is closed; hand over an open file or its path.")
    if _is_binary(source) and source.seekable():
        start = source.tell()
        return Source(shown, suffix, lambda: cast(IO[bytes], _Window(source, start)))
    return _spool(source, shown, suffix, max_bytes)


def suffix_of(source: Any) -> str:
    """The suffix that tells what a path or an open file is, in lower case, whatever the compression; or nothing."""
    if isinstance(source, Source):
        return source.suffix
    name = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    if isinstance(name, os.PathLike):
        name = os.fspath(name)
    if not isinstance(name, str) or "\n" in name or "\0" in name:
        return ""
    return _suffix(Path(name))


def head_of(source: Any, size: int = 16) -> bytes:
    """The first bytes of a regular file given by its path, or of a filesystem; nothing of anything else."""
    if isinstance(source, RemoteFile):
        with source.open() as far:
            return bytes(far.read(size))
    if not isinstance(source, (str, os.PathLike)):
        return b""
    name = os.fspath(source)
    if not isinstance(name, str) or not name or "\n" in name or "\0" in name:
        return b""
    path = Path(name).expanduser()
    try:
        if not path.is_file():
            return b""
        with path.open("rb", buffering=0) as file:
            return file.read(size)
    except OSError:
        return b""


def read_once(source: Any) -> bool:
    """Whether a source can be read only once, so that code that reads its start must keep it."""
    if isinstance(source, (str, os.PathLike)):
        return source == "-" or is_pipe(source)
    read, seekable = getattr(source, "read", None), getattr(source, "seekable", None)
    return callable(read) and not getattr(source, "closed", False) and not (callable(seekable) and seekable())


def _of_path(source: str | os.PathLike[str], max_bytes: int | None) -> Source:
    path_text = os.fspath(source)
    if not path_text:
        raise DataError("read: got an empty path; give the path of a file, or '-' for standard input.")
    if "\n" in path_text:
        raise DataError("read: got text where a path was expected; wrap text in io.StringIO(...).")
    path = Path(path_text).expanduser()
    if not _is_there(path):
        folder = path.parent
        if not folder.is_dir():
            raise DataError(f"read: there is no folder {str(folder)!r}, hence no file {path_text!r}.")
        near = did_you_mean(path.name, (entry.name for entry in folder.iterdir()), 0.75)
        raise DataError(f"read: there is no file {path_text!r}.{near}")
    if path.is_dir():
        raise DataError(f"read: {path_text} is a directory; give a file in it.")
    if not path.is_file():  # a named pipe, /dev/stdin: can be read once
        try:
            with open_pipe(path, path_text) as pipe:
                return _spool(pipe, path_text, _suffix(path), max_bytes)
        except OSError as error:
            raise DataError(f"{path_text} cannot be read: {error.strerror or error}.") from None

    def open_file() -> IO[bytes]:
        try:
            return path.open("rb", buffering=0)
        except OSError as error:
            raise DataError(f"{path_text} cannot be read: {error.strerror or error}.") from None

    return Source(path_text, _suffix(path), open_file, size=path.stat().st_size, path=str(path))


def _is_there(path: Path) -> bool:
    """Whether a path leads to anything; a sentence if that cannot even be asked."""
    try:
        return path.exists()
    except OSError as error:
        raise DataError(f"{str(path)[:200]} cannot be read: {error.strerror or error}.") from None


def _suffix(path: Path) -> str:
    """The suffix that tells the format, in lower case, whatever the compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _is_binary(source: Any) -> bool:
    """Whether an open file gives bytes; asks it for none of them."""
    if not all(hasattr(source, method) for method in ("readinto", "seek", "tell", "seekable")):
        return False
    return isinstance(source.read(0), bytes)


def _spool(source: Any, name: str, suffix: str, max_bytes: int | None = None) -> Source:
    """Copy what can be read only once, or gives text, to where it can be read again."""
    # The Source owns the spool and closes it when nobody can ask for its bytes any more.
    spool = tempfile.SpooledTemporaryFile(max_size=_SPOOL_IN_MEMORY)  # noqa: SIM115
    decoded, total = False, 0
    while piece := source.read(1 << 20):
        total += len(piece)
        if max_bytes is not None and total > max_bytes:
            spool.close()
            raise DataError(
                f"{name} holds more than the {max_bytes:,} bytes that {messages.option('max_bytes')} allows."
            )
        if isinstance(piece, str):
            decoded = True
            piece = _encode(piece, name)
        spool.write(piece)
    spooled = Source(name, suffix, lambda: cast(IO[bytes], _Window(spool, 0)), decoded=decoded)
    weakref.finalize(spooled, spool.close)
    return spooled


def _encode(piece: str, name: str) -> bytes:
    """A text file's text as UTF-8; bytes it could not decode itself come back as they were."""
    try:
        return piece.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise DataError(f"{name}: the text cannot be written as UTF-8 ({error.reason}).") from None


class _Window:
    """A file from some position on, with a position of its own, so that several may read one file."""

    def __init__(self, file: Any, start: int) -> None:
        self._file = file
        self._at = start
        self._start = start

    def __enter__(self) -> _Window:
        return self

    def __exit__(self, *_: object) -> None:
        """The file is not ours to close."""

    def _move(self) -> None:
        if self._file.closed:
            raise DataError(
                "the file was closed before it was read to its end; keep it open, or give its path."
            )
        self._file.seek(self._at)

    def read(self, size: int = -1) -> bytes:
        self._move()
        data = cast(bytes, self._file.read(size))
        self._at += len(data)
        return data

    def readinto(self, buffer: bytearray) -> int:
        self._move()
        n = int(self._file.readinto(buffer) or 0)
        self._at += n
        return n

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """From the window's start, or from where it stands."""
        self._at = offset + (self._at if whence == os.SEEK_CUR else self._start)
        return self._at - self._start

    def tell(self) -> int:
        return self._at - self._start
