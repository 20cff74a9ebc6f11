"""Figures as text: numbers, shares, bars, small histograms and aligned tables.

Everything here takes plain values and gives plain text. `Glyphs` are the characters drawn with: blocks,
or ASCII where the stream cannot write blocks.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters figures are drawn with."""

    ramp: str  # heights from nothing to full
    bar: str
    ellipsis: str
    none: str


BLOCKS = Glyphs(" ▁▂▃▄▅▆▇█", "█", "…", "–")


ASCII = Glyphs(" .:-=+*#@", "#", "...", "-")


#: What a piece of text is, for whoever colours it.
Role: TypeAlias = Literal["title", "head", "figure", "warning", "note", "faint"]


#: Colours a piece of text by its role; takes no room of its own.
Paint: TypeAlias = Callable[[str, Role], str]


def plain(text: str, role: Role) -> str:
    """No colour."""
    return text


def number(value: float | None, none: str = "–") -> str:
    """A number to four figures, whole ones below ten million in full."""
    if value is None or math.isnan(value):
        return none
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    size = abs(value)
    if value == int(value) and size < 1e7:
        return str(int(value))
    if 1e-3 <= size < 1e4:
        return f"{value:.4g}"
    return f"{value:.0f}" if 1e4 <= size < 1e7 else f"{value:.3g}"


def count(value: int) -> str:
    """A whole number with its thousands apart."""
    return f"{value:,}"


def many(n: int, one: str, more: str | None = None) -> str:
    """A number with its noun: `1 row`, `2 rows`."""
    return f"{n:,} {one if n == 1 else (more or one + 's')}"


def percent(share: float | None, none: str = "–") -> str:
    """A fraction as a percentage; values close to 0 or 1 are not rounded to 0 % or 100 %."""
    if share is None or math.isnan(share):
        return none
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{100 * share:.1f} %" if 0 < share < 1 else f"{100 * share:.0f} %"


def bar(share: float, width: int, glyphs: Glyphs = BLOCKS) -> str:
    """A horizontal bar; whatever is above nothing shows."""
    if not share > 0:
        return ""
    return glyphs.bar * max(1, round(min(share, 1.0) * width))


def histogram(counts: Sequence[float], glyphs: Glyphs = BLOCKS) -> str:
    """One character a bin, its height by the count; a blank is an empty bin, and only that."""
    top = max(counts, default=0.0)
    steps = len(glyphs.ramp) - 1
    if not top > 0:
        return glyphs.ramp[0] * len(counts)
    return "".join(glyphs.ramp[math.ceil(c / top * steps) if c > 0 else 0] for c in counts)


@dataclass(frozen=True, slots=True)
class Heading:
    """A column of a text table: its title, its side, and how gladly it gives way.

    `least` is the width to which the column may be cut when the table is too wide; a column with
    `spare` set is left out before others are cut, the highest first. `reserve` is the least width to count on, for
    columns such as times whose width differs from run to run.
    """

    title: str
    side: Literal["left", "right"] = "left"
    least: int | None = None
    spare: int = 0
    reserve: int = 0


def table(
    headings: Sequence[Heading],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    paint: Paint = plain,
    glyphs: Glyphs = BLOCKS,
    gap: int = 2,
    indent: int = 2,
) -> list[str]:
    """Aligned lines that fit `width` cells; the texts must be printable already."""
    kept = list(range(len(headings)))
    sizes = [
        max([cells(h.title), h.reserve, *(cells(row[j]) for row in rows)]) for j, h in enumerate(headings)
    ]

    def excess() -> int:
        return indent + sum(sizes[j] for j in kept) + gap * (len(kept) - 1) - width

    def slack() -> int:
        return sum(max(0, sizes[j] - (headings[j].least or sizes[j])) for j in kept)

    while excess() > slack() and any(headings[j].spare for j in kept):
        kept.remove(max(kept, key=lambda j: headings[j].spare))
    for j in sorted(kept, key=lambda j: -sizes[j]):
        least = headings[j].least
        if least is not None and excess() > 0:
            sizes[j] = max(min(sizes[j], least), sizes[j] - excess())

    def line(texts: Sequence[str]) -> str:
        put = {"left": pad_right, "right": right}
        cells = [put[headings[j].side](fit(texts[j], sizes[j], glyphs.ellipsis), sizes[j]) for j in kept]
        return (" " * indent + (" " * gap).join(cells)).rstrip()

    return [paint(line([h.title for h in headings]), "head"), *(line(row) for row in rows)]


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
