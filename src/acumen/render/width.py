"""How much room a text takes on a terminal, and making it fit.

All of it is about text that is printable already (see `escape`): wide East Asian characters take two
cells, combining marks none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator


def cells(text: str) -> int:
    """The number of terminal cells a text takes."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def fit(text: str, width: int, ellipsis: str = "…") -> str:
    """The text, cut to `width` cells with an ellipsis where it is longer."""
    if cells(text) <= width:
        return text
    room = width - cells(ellipsis)
    if room < 0:
        return ellipsis[:width]
    used, kept = 0, []
    for character in text:
        used += _cells_of(character)
        if used > room:
            break
        kept.append(character)
    return "".join(kept) + ellipsis


def pad_right(text: str, width: int) -> str:
    """Padded on the right to `width` cells."""
    return text + " " * (width - cells(text))


def right(text: str, width: int) -> str:
    """Padded on the left to `width` cells."""
    return " " * (width - cells(text)) + text


def wrap(text: str, width: int, first: str = "", then: str = "") -> list[str]:
    """The text in lines of at most `width` cells, the first begun with `first`, the others with `then`."""
    lines: list[str] = []
    line, bare = first, True
    for word in _pieces(text, max(1, width - max(cells(first), cells(then)))):
        joined = line + word if bare else f"{line} {word}"
        if not bare and cells(joined) > width:
            lines.append(line)
            joined = then + word
        line, bare = joined, False
    return [*lines, line]


def _pieces(text: str, width: int) -> Iterator[str]:
    """The words of a text, a word that fits on no line cut into pieces that do."""
    for word in text.split(" "):
        if cells(word) <= width:
            yield word
            continue
        piece, used = "", 0
        for character in word:
            size = _cells_of(character)
            if piece and used + size > width:
                yield piece
                piece, used = "", 0
            piece, used = piece + character, used + size
        yield piece
