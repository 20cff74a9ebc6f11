"""Databases by number, where the start allows them.

Their addresses may hold passwords; the page's own address, which browsers keep in their histories, has the number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from acumen.errors import DataError
from acumen.studio.uploads import first_number

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
        from acumen.data.databases.address import masked

        if not self.allowed:
            return None
        return [
            {"number": self._first + at, "name": masked(address)} for at, address in enumerate(self._kept)
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
