"""The files of the start folder, by number: the page never says a path.

A listing gives each table and model file below the folder a number, which it keeps. Links are not followed, neither in
the listing nor when a file is asked for: every folder on the way is opened without following one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from acumen.data.formats import FORMATS
from acumen.errors import DataError
from acumen.studio.uploads import first_number

#: Endings of files that may hold tables, also packed.
TABLES: Final = tuple(s for each in FORMATS.values() for s in (*each.suffixes, *each.usual_suffixes))


PACKED: Final = (".gz", ".bz2", ".xz", ".zst")


MODELS: Final = (".acm",)


#: So many files are listed, of folders so deep.
MOST_FILES: Final = 2_000


DEEPEST: Final = 3


@dataclass(slots=True)
class Folder:
    """The start folder; `named` files were given at the command line and may lie elsewhere."""

    root: Path
    _numbers: dict[str, int] = field(default_factory=dict)
    _places: list[str] = field(default_factory=list)
    _named: set[str] = field(default_factory=set)

    def add(self, path: Path) -> int:
        """Number a file that was named at the command line."""
        place = os.path.relpath(path, self.root)
        self._named.add(place)
        return self._number(place)

    def listing(self) -> dict[str, Any]:
        """The tables and models that are there now, each with its number, name, bytes and time of change."""
        tables: list[dict[str, Any]] = []
        models: list[dict[str, Any]] = []
        more = False
        for at, (place, status) in enumerate(self._list_files()):
            if at >= MOST_FILES:
                more = True
                break
            entry = {
                "number": self._number(place),
                "name": place,
                "bytes": status.st_size,
                "changed": status.st_mtime,
            }
            (models if place.lower().endswith(MODELS) else tables).append(entry)
        for place in sorted(self._named - {entry["name"] for entry in (*tables, *models)}):
            try:
                status = (self.root / place).stat()
            except OSError:
                continue
            entry = {
                "number": self._number(place),
                "name": place,
                "bytes": status.st_size,
                "changed": status.st_mtime,
            }
            (models if place.lower().endswith(MODELS) else tables).append(entry)
        return {"tables": tables, "models": models, "more": more}

    def place(self, number: Any) -> str:
        """The path of a numbered file, relative to the folder; checked again to exist below it."""
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(self._places):
            raise DataError("there is no file with that number; reload the page.")
        place = self._places[number]
        if place in self._named:
            return place
        self._require_below(place)
        return place

    def stamp(self, place: str) -> str:
        """Another one whenever the file is written: what was made of it before is of another table."""
        try:
            status = (self.root / place).stat()
        except OSError:
            raise DataError(f"{place} is not there any more.") from None
        return f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}"

    def _number(self, place: str) -> int:
        if place not in self._numbers:
            self._numbers[place] = len(self._places)
            self._places.append(place)
        return self._numbers[place]

    def _list_files(self) -> Iterator[tuple[str, os.stat_result]]:
        pending: list[tuple[str, int]] = [("", 0)]
        while pending:
            below, depth = pending.pop(0)
            try:
                entries = sorted(os.scandir(self.root / below), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                if entry.name.startswith(".") or entry.is_symlink() or not _is_text(entry.name):
                    continue
                place = f"{below}/{entry.name}" if below else entry.name
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if depth < DEEPEST and entry.name != "node_modules":
                            pending.append((place, depth + 1))
                    elif entry.is_file(follow_symlinks=False) and _is_listed(entry.name):
                        yield place, entry.stat(follow_symlinks=False)
                except OSError:
                    continue

    def _require_below(self, place: str) -> None:
        """Walk to the file without following a link; refuse what is no plain file."""
        parts = place.split("/")
        try:
            at = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
            try:
                for part in parts[:-1]:
                    step = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                    os.close(at)
                    at = step
                status = os.stat(parts[-1], dir_fd=at, follow_symlinks=False)
            finally:
                os.close(at)
        except OSError:
            raise DataError(f"{place} is not there any more.") from None
        real, root = os.path.realpath(self.root / place), os.path.realpath(self.root)
        if not stat.S_ISREG(status.st_mode) or os.path.commonpath([real, root]) != root:
            raise DataError(f"{place} is no file of the start folder.")


def _is_text(name: str) -> bool:
    """Whether a name can be written: some systems keep names of any bytes, which neither page nor command could say."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_listed(name: str) -> bool:
    low = name.lower()
    for packed in PACKED:
        low = low.removesuffix(packed)
    return low.endswith((*TABLES, *MODELS))


#: Addresses that are remembered, and characters of one.
MOST: Final = 100


LONGEST: Final = 2_000


@dataclass(slots=True)
class Databases:
    """Addresses that were given on the page, until the studio ends."""

    allowed: bool
    _first: int = field(default_factory=first_number)
    _kept: list[str] = field(default_factory=list)

    def listing(self) -> list[dict[str, Any]] | None:
        """Each with its number and its address without a password; None where databases are not allowed."""
        from acumen.data.databases.address import mask_passwords

        if not self.allowed:
            return None
        return [
            {"number": self._first + at, "name": mask_passwords(address)}
            for at, address in enumerate(self._kept)
        ]

    def take(self, address: Any) -> dict[str, Any]:
        """Number an address."""
        from acumen.data.databases.address import is_database

        self._require()
        if not isinstance(address, str) or len(address) > LONGEST or not is_database(address):
            raise DataError("that is not the address of a database.")
        if address not in self._kept:
            if len(self._kept) >= MOST:
                raise DataError(f"{MOST} databases were named already; start the studio again.")
            self._kept.append(address)
        listing = self.listing()
        assert listing is not None
        return listing[self._kept.index(address)]

    def address(self, number: Any) -> str:
        """The address of a number."""
        self._require()
        at = number - self._first if isinstance(number, int) and not isinstance(number, bool) else -1
        if not 0 <= at < len(self._kept):
            raise DataError("that database is not known to this start of the studio; give its address again.")
        return self._kept[at]

    def _require(self) -> None:
        if not self.allowed:
            raise DataError("databases are read only where acumen studio was started with --allow-databases.")
