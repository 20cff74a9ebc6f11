"""A report as one HTML page that needs nothing else: no network, no script, no font of its own.

ReportPage    title, a leading sentence, sections, a last line
Section       a heading over pieces: paragraphs, lists, tables, drawings, code, a data card, details
report_html   the page as text

Every text is escaped here. Drawings are what the `..._svg` functions of this room give, which escape theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from acumen.data.escape import in_html
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.card_html import card_html
from acumen.render.report_style import STYLE
from acumen.render.verdicts import LOOKS, Look

#: So many rows of a table are written; the rest is counted.
MOST_ROWS = 500

# Whatever the page holds, a reader's browser fetches nothing and runs nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_BADGES = {**LOOKS, "warning": Look("bad", "!")}


@dataclass(frozen=True, slots=True)
class Badge:
    """A small sign: a verdict (such as `better` or `no significant difference`), `warning`, or other words."""

    text: str

    @property
    def look(self) -> Look:
        """Its sign and tone."""
        return _BADGES.get(self.text, Look())


#: What a cell of a table may hold.
Cell: TypeAlias = str | Badge


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A piece of prose; `lead` sets it off, as the one sentence to be read."""

    text: str
    lead: bool = False


@dataclass(frozen=True, slots=True)
class PointsPanel:
    """A list of short texts."""

    texts: Sequence[str]


def named_rows(columns: int) -> list[Literal["left", "right"]]:
    """The sides of a column of names and so many of numbers."""
    sides: list[Literal["left", "right"]] = ["right"] * (columns + 1)
    sides[0] = "left"
    return sides


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Headings and rows; `sides` puts columns of numbers to the right."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    sides: Sequence[Literal["left", "right"]] = ()
    caption: str = ""

    def __post_init__(self) -> None:
        n = len(self.headings)
        if self.sides and len(self.sides) != n:
            raise DataError(
                f"ReportTable: sides must be one for each of the {n} headings; got {len(self.sides)}"
            )
        for row in self.rows:
            if len(row) != n:
                raise DataError(
                    f"ReportTable: a row must have {n} cells, as there are headings; got {len(row)}"
                )


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG drawing of this room, and what is said below it."""

    svg: str
    caption: str = ""

    def __post_init__(self) -> None:
        if not self.svg.startswith("<svg"):
            raise DataError(
                "Drawing: svg must be the text that a ..._svg function gives; it begins with <svg"
            )


@dataclass(frozen=True, slots=True)
class Drawings:
    """Drawings side by side if there is room."""

    drawings: Sequence[Drawing]


@dataclass(frozen=True, slots=True)
class Code:
    """A command or a piece of program, to be copied; `wrapped` is shown whole, its long lines on several."""

    text: str
    wrapped: bool = False


@dataclass(frozen=True, slots=True)
class DataCard:
    """The plain values of a data card."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Details:
    """Pieces that are folded away until asked for, or `open` until folded; print shows them."""

    summary: str
    pieces: Sequence[Piece]
    open: bool = False


Piece: TypeAlias = "Paragraph | PointsPanel | ReportTable | Drawing | Drawings | Code | DataCard | Details"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it."""

    heading: str
    pieces: Sequence[Piece] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A whole page; `lead` is the answer in a sentence, `subtitle` and `footer` are small print."""

    title: str
    sections: Sequence[Section]
    lead: str = ""
    subtitle: str = ""
    footer: str = ""


def report_html(page: ReportPage) -> str:
    """The page, complete; write it to a file as UTF-8."""
    title = in_html(page.title)
    links = "".join(f'<a href="#s{i}">{in_html(s.heading)}</a>' for i, s in enumerate(page.sections, 1))
    body = "".join(
        f'<section id="s{i}"><h2>{in_html(section.heading)}</h2>{_pieces(section.pieces)}</section>'
        for i, section in enumerate(page.sections, 1)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{STYLE}{palette.STYLE}</style></head><body><main><h1>{title}</h1>"
        + (f'<p class="under">{in_html(page.subtitle)}</p>' if page.subtitle else "")
        + (_paragraph(Paragraph(page.lead, lead=True)) if page.lead else "")
        + (f"<nav>{links}</nav>" if len(page.sections) > 2 else "")
        + body
        + (f"<footer>{in_html(page.footer)}</footer>" if page.footer else "")
        + "</main></body></html>\n"
    )


def pieces_html(pieces: Sequence[Piece]) -> str:
    """Pieces alone, for a page that has its own head."""
    return _pieces(pieces)


def badge_html(badge: Badge) -> str:
    """The badge; sign, word and colour say the same."""
    look = badge.look
    return (
        f'<span class="badge {look.tone}">{look.sign}{" " if look.sign else ""}{in_html(badge.text)}</span>'
    )


def _pieces(pieces: Sequence[Piece]) -> str:
    return "".join(_WRITE[type(piece)](piece) for piece in pieces)


def _paragraph(piece: Paragraph) -> str:
    mark = ' class="lead"' if piece.lead else ""
    return f"<p{mark}>{in_html(piece.text)}</p>"


def _points(piece: PointsPanel) -> str:
    return f"<ul>{''.join(f'<li>{in_html(text)}</li>' for text in piece.texts)}</ul>"


def _table(piece: ReportTable) -> str:
    sides = piece.sides or ["left"] * len(piece.headings)
    marks = [' class="n"' if side == "right" else "" for side in sides]
    head = "".join(
        f'<th scope="col"{mark}>{in_html(heading)}</th>'
        for mark, heading in zip(marks, piece.headings, strict=True)
    )
    shown = piece.rows[:MOST_ROWS]
    body = "".join(
        "<tr>"
        + "".join(f"<td{mark}>{_cell(cell)}</td>" for mark, cell in zip(marks, row, strict=True))
        + "</tr>"
        for row in shown
    )
    caption = f"<caption>{in_html(piece.caption)}</caption>" if piece.caption else ""
    rest = f"<p>and {len(piece.rows) - len(shown):,} more</p>" if len(piece.rows) > len(shown) else ""
    # tabindex: who has no mouse can scroll a wide table too.
    return (
        f'<div class="scroll" tabindex="0"><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{rest}"
    )


def _cell(cell: Cell) -> str:
    return badge_html(cell) if isinstance(cell, Badge) else in_html(cell)


def _drawing(piece: Drawing) -> str:
    # The page has the style sheet once; each drawing need not bring it again.
    bare = piece.svg.replace(f"<style>{palette.STYLE}</style>", "", 1)
    caption = f"<figcaption>{in_html(piece.caption)}</figcaption>" if piece.caption else ""
    return f"<figure>{bare}{caption}</figure>"


def _drawings(piece: Drawings) -> str:
    return f'<div class="figures">{"".join(map(_drawing, piece.drawings))}</div>'


def _code(piece: Code) -> str:
    lines = "\n".join(map(in_html, piece.text.split("\n")))
    whole = ' class="whole"' if piece.wrapped else ""
    # tabindex: who has no mouse can scroll long lines too.
    reach = "" if piece.wrapped else ' tabindex="0"'
    return f"<pre{whole}{reach}><code>{lines}</code></pre>"


def _card(piece: DataCard) -> str:
    return card_html(piece.values)


def _details(piece: Details) -> str:
    unfolded = " open" if piece.open else ""
    return f"<details{unfolded}><summary>{in_html(piece.summary)}</summary>{_pieces(piece.pieces)}</details>"


_WRITE: dict[type, Callable[[Any], str]] = {
    Paragraph: _paragraph,
    PointsPanel: _points,
    ReportTable: _table,
    Drawing: _drawing,
    Drawings: _drawings,
    Code: _code,
    DataCard: _card,
    Details: _details,
}
