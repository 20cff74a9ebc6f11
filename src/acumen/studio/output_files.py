"""Files that the worker has made, by number, and tickets to open one as a page.

A file is fetched with the key, as everything is. A page that is opened in a tab of its own cannot send the key: for it
a ticket is made, an address that nobody can guess and that is good for one look. What it leads to may do nothing: it is
served sandboxed, without scripts, as of nobody's origin.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError

#: Files that are kept; the oldest go first.
MOST_KEPT: Final = 20
#: Seconds that a ticket is good for, and how many wait to be used.
GOOD_FOR: Final = 120.0
MOST_TICKETS: Final = 50
#: Where tickets lead.
PREFIX: Final = "/kept/"
#: Of a page that is opened: its own styles and pictures, and nothing else; it may neither run nor ask for anything.
SANDBOX: Final = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(slots=True)
class OutputFiles:
    """What lies in a folder that the worker writes to, one folder a file."""

    folder: Path
    _tickets: dict[str, tuple[Path, float]] = field(default_factory=dict)

    def path(self, number: Any) -> Path:
        """The file of a number."""
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise DataError("a file is named by its number.")
        try:
            expired = [each for each in (self.folder / str(number)).iterdir() if each.is_file()]
        except OSError:
            expired = []
        if len(expired) != 1:
            raise DataError("that file is not kept any more; make it again.")
        return expired[0]

    def ticket(self, number: Any) -> str:
        """An address that shows a file once; of pages alone."""
        path = self.path(number)
        if path.suffix != ".html":
            raise DataError("only reports and cards are opened as pages; other files are saved.")
        now = time.monotonic()
        self._tickets = {
            word: kept
            for word, kept in list(self._tickets.items())[-MOST_TICKETS + 1 :]
            if now - kept[1] < GOOD_FOR
        }
        word = secrets.token_urlsafe(32)
        self._tickets[word] = path, now
        return PREFIX + word

    def admits(self, path: str) -> bool:
        """Whether an address is that of a ticket which was not used yet."""
        ticket = self._tickets.get(path.removeprefix(PREFIX)) if path.startswith(PREFIX) else None
        return ticket is not None and time.monotonic() - ticket[1] < GOOD_FOR

    def use(self, word: str) -> Path:
        """Where a ticket leads; it is good for nothing afterwards."""
        path, created_at = self._tickets.pop(word, (None, 0.0))
        if path is None or time.monotonic() - created_at >= GOOD_FOR or not path.is_file():
            raise DataError("this page was shown already, or waited too long; open it from the studio again.")
        return path


def put(folder: Path, name: str) -> tuple[int, Path]:
    """A number, and a place for a file of that name; called by the worker, of which there is one at a time."""
    import shutil

    folder.mkdir(mode=0o700, exist_ok=True)
    numbers = sorted(int(each.name) for each in folder.iterdir() if each.name.isdecimal())
    for old in numbers[: max(len(numbers) - MOST_KEPT + 1, 0)]:
        shutil.rmtree(folder / str(old), ignore_errors=True)
    number = numbers[-1] + 1 if numbers else 1
    place = folder / str(number)
    place.mkdir(mode=0o700)
    return number, place / name
