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

#: Bytes of one file, unless told otherwise.
MOST_BYTES: Final = 1 << 30
#: Bytes that stay free on the disk.
SPARE: Final = 256 << 20
#: Characters of a name.
LONGEST: Final = 120
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

    def named(self, number: Any) -> tuple[str, Path]:
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
                async for part in _patiently(parts):
                    total += len(part)
                    if total > self.most:
                        raise DataError(
                            f"{shown} is larger than the {self.most:,} bytes that may be dropped here."
                        )
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


async def _patiently(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The parts, while they keep coming: a sender that falls silent may not hold the door for ever."""
    while True:
        try:
            async with asyncio.timeout(PATIENCE):
                part = await anext(parts)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise DataError(f"nothing more of the file came for {PATIENCE:g} seconds.") from None
        yield part


def plain_name(name: str) -> str:
    """A name that is only a name: no folder, nothing that acts, no beginning with a dot; its ending is kept."""
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(c for c in last if unicodedata.category(c)[0] not in "CZ" or c == " ").strip(" .")
    if len(kept) > LONGEST:
        stem, dot, ending = kept.rpartition(".")
        kept = f"{stem[: LONGEST - 12]}{dot}{ending[:10]}"
    return kept or "table"
