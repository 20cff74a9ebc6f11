"""Files that were dropped on the page: counted while they come, capped, kept in a folder of our own until the end."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError
from acumen.studio.problems import TooLarge

#: Bytes of one file, unless told otherwise.
MOST_BYTES: Final = 1 << 30
#: Bytes that stay free on the disk.
SPARE: Final = 256 << 20
#: Bytes of a name and of its ending; a folder takes names of 255 bytes.
LONGEST: Final = 120
LONGEST_ENDING: Final = 16
#: Seconds without a byte after which nobody waits for the rest.
PATIENCE: Final = 60.0


def first_number() -> int:
    """Where numbers begin: elsewhere at each start, so that an address kept from another start names nothing here."""
    return secrets.randbelow(1 << 40)


@dataclass(slots=True)
class Uploads:
    """Uploaded files by number."""

    folder: Path
    most: int = MOST_BYTES
    _first: int = field(default_factory=first_number)
    _kept: list[tuple[str, Path]] = field(default_factory=list)
    _busy: bool = False

    def listing(self) -> list[dict[str, Any]]:
        """Each with its number, its name and its bytes."""
        return [
            {"number": self._first + at, "name": name, "bytes": path.stat().st_size}
            for at, (name, path) in enumerate(self._kept)
        ]

    def file_named(self, number: Any) -> tuple[str, Path]:
        """The name a file came with, and where it is."""
        at = number - self._first if isinstance(number, int) and not isinstance(number, bool) else -1
        if not 0 <= at < len(self._kept):
            raise DataError("that file is not here any more; drop it on the page again.")
        return self._kept[at]

    async def take(self, name: str, parts: AsyncIterator[bytes]) -> dict[str, Any]:
        """Keep a file as it comes; nothing of it stays where it is too large."""
        if self._busy:
            raise DataError("another file is being received; one at a time.")
        shown = plain_name(name)
        place = self.folder / str(len(self._kept)) / shown
        self._busy = True
        try:
            place.parent.mkdir(mode=0o700)
            total = 0
            with place.open("xb") as file:
                async for part in patiently(parts):
                    total += len(part)
                    if total > self.most:
                        raise TooLarge(shown, self.most)
                    if shutil.disk_usage(self.folder).free < SPARE + len(part):
                        raise DataError(f"there is not enough room on the disk for {shown}.")
                    file.write(part)
            self._kept.append((shown, place))
        except BaseException:
            shutil.rmtree(place.parent, ignore_errors=True)
            raise
        finally:
            self._busy = False
        return self.listing()[-1]


async def patiently(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The parts, while they keep coming: a sender that falls silent may not hold the door for ever."""
    while True:
        try:
            async with asyncio.timeout(PATIENCE):
                part = await anext(parts)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise DataError(f"nothing more came for {PATIENCE:g} seconds; send it again.") from None
        yield part


def plain_name(name: str) -> str:
    """A name that is only a name: no folder, nothing that acts, no beginning with a dot; its ending is kept."""
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(c for c in last if unicodedata.category(c)[0] not in "CZ" or c == " ").strip(" .")
    if len(kept.encode()) > LONGEST:
        stem, dot, ending = kept.rpartition(".")
        ending = _first_bytes(dot + ending, LONGEST_ENDING)
        kept = _first_bytes(stem, LONGEST - len(ending.encode())) + ending
    return kept or "table"


def _first_bytes(text: str, most: int) -> str:
    """The beginning of a text that takes at most that many bytes, without half a character."""
    return text.encode()[:most].decode(errors="ignore")
