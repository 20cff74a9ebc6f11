"""Files of a filesystem object that the user passes, of fsspec's or pyarrow's kind.

    RemoteFile           a file that can be opened repeatedly; can be pickled if the filesystem can
    find_remote_files    a path, several paths, or a pattern -> the files, in order

acumen opens no network connections itself: to read `s3://bucket/key`, pass a filesystem that reaches it. Workers on
other machines open the file there with the same filesystem.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, cast

from acumen.errors import DataError, ParameterError

#: Keys under which fsspec's filesystems report the state of a file, the most reliable first.
_STATES = ("ETag", "etag", "mtime", "LastModified", "last_modified", "updated", "created")


@dataclass(frozen=True)
class RemoteFile:
    """A file that a filesystem opens."""

    filesystem: Any
    name: str

    def open(self) -> IO[bytes]:
        """Open the file as seekable bytes."""
        with self._sentences():
            if _is_arrow(self.filesystem):
                return cast(IO[bytes], self.filesystem.open_input_file(_bare(self.name)))
            return cast(IO[bytes], self.filesystem.open(self.name, "rb"))

    def state(self) -> tuple[int, Any]:
        """Its size in bytes, and a value that changes with the file; None if the filesystem reports none."""
        with self._sentences():
            if _is_arrow(self.filesystem):
                file_info = self.filesystem.get_file_info(_bare(self.name))
                if not file_info.is_file:
                    raise FileNotFoundError(self.name)
                return int(file_info.size), file_info.mtime_ns
            info = self.filesystem.info(self.name)
            if info.get("type", "file") != "file":
                raise DataError(f"read: {self.name} is no file of the filesystem given; name files in it.")
            changed = next((info[key] for key in _STATES if info.get(key) is not None), None)
            return int(info["size"]), changed if changed is None else str(changed)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except (DataError, KeyboardInterrupt):
            raise
        except FileNotFoundError:
            raise DataError(f"read: the filesystem given has no file {self.name!r}.") from None
        except Exception as error:  # whatever a filesystem of somebody else's raises
            reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
            raise DataError(f"{self.name} cannot be read by the filesystem given: {reason}.") from None


def find_remote_files(source: Any, filesystem: Any) -> list[RemoteFile]:
    """Find the files for a path, several paths, or patterns."""
    if not _is_arrow(filesystem) and not all(
        callable(getattr(filesystem, name, None)) for name in ("open", "info", "glob")
    ):
        raise ParameterError(
            "read: filesystem must be one of fsspec's kind (open, info, glob) or of pyarrow's (open_input_file, "
            f"get_file_info); got a {type(filesystem).__name__}."
        )
    sources = source if isinstance(source, (list, tuple)) else [source]
    if not sources or not all(isinstance(each, (str, os.PathLike)) for each in sources):
        raise ParameterError(
            "read: with a filesystem the source is the path of a file on it, several paths, or a pattern; got "
            f"a {type(source).__name__}."
        )
    files: list[RemoteFile] = []
    for each in sources:
        path = os.fspath(each)
        if not glob.has_magic(path):
            files.append(RemoteFile(filesystem, path))
            continue
        names = _matching(path, filesystem)
        if not names:
            raise DataError(f"read: no file of the filesystem given matches {path!r}.")
        files += [RemoteFile(filesystem, name) for name in names]
    return files


def _matching(pattern: str, filesystem: Any) -> list[str]:
    if not _is_arrow(filesystem):
        return sorted(str(name) for name in filesystem.glob(pattern))
    from pyarrow.fs import FileSelector

    bare = _bare(pattern)
    parts = bare.split("/")
    fixed = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    base = "/".join(parts[:fixed]) or ("/" if bare.startswith("/") else "")
    deep = "**" in bare or fixed < len(parts) - 1
    entries = filesystem.get_file_info(FileSelector(base, recursive=deep, allow_not_found=True))
    fits = _fits(bare)
    return sorted(info.path for info in entries if info.is_file and fits(info.path))


def _fits(pattern: str) -> Callable[[str], bool]:
    """A function that tests whether a path matches the pattern: * stays within a folder, ** does not."""
    words: Sequence[str] = pattern.split("/")

    def matches(path: list[str], remaining: Sequence[str]) -> bool:
        if not remaining:
            return not path
        if remaining[0] == "**":
            return matches(path, remaining[1:]) or (bool(path) and matches(path[1:], remaining))
        return bool(path) and fnmatch.fnmatchcase(path[0], remaining[0]) and matches(path[1:], remaining[1:])

    return lambda path: matches(path.split("/"), words)


def _is_arrow(filesystem: Any) -> bool:
    return callable(getattr(filesystem, "open_input_file", None)) and callable(
        getattr(filesystem, "get_file_info", None)
    )


def _bare(path: str) -> str:
    """A path without its scheme, as pyarrow's filesystems take it."""
    return re.sub(r"^[A-Za-z][A-Za-z0-9+.-]+://", "", path)
