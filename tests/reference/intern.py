"""The slow twin of `intern`: a dictionary filled row by row."""

from __future__ import annotations

from collections.abc import Sequence


def intern(strings: Sequence[bytes | None]) -> tuple[list[int], list[bytes]]:
    """Codes in order of first occurrence, -1 for None, and the distinct strings."""
    place: dict[bytes, int] = {}
    codes = [-1 if string is None else place.setdefault(string, len(place)) for string in strings]
    return codes, list(place)
