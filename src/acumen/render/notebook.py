"""Pieces as one block of HTML for a notebook's cell: nothing to load, nothing that runs, bounded in size.

notebook_html   a heading and pieces (those of `report`) -> a `<div>` of its own class
block           HTML under the same style; `preformatted` of lines that are to stay as they are
bundle          what a notebook is given to choose from: text, HTML, and a drawing where there is one
rendered        a figure value as a piece; a note in its place where it would be too large

The block takes the ink of the notebook it is in, so that it can be read on light ground and dark, whatever decides
between the two; only the colours of classes are switched, by the notebook's own sign where it has one. All of its style
is under `.acumen-nb`.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any, Final

from acumen.data.escape import in_html, printable_lines
from acumen.render import palette
from acumen.render.report import Details, Drawing, Paragraph, Piece, ReportTable, pieces_html

#: Characters of a block, of a drawing in it, and rows of a table; what is more is left out, and that is said.
MOST, MOST_DRAWN, MOST_ROWS = 400_000, 200_000, 30


#: Thrice, for notebooks have rules of their own for tables and texts, and the more special rule wins.
_SCOPE: Final = ".acumen-nb" * 3
_MONO: Final = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_RULES: Final = {
    "": "max-width:62rem;line-height:1.45;font-size:13px",
    "p": "margin:.35em 0",
    "ul": "margin:.3em 0",
    ".t": "font-size:1.08em;margin:.1em 0 .5em",
    ".t small": "opacity:.75;font-size:.88em",
    "table": "border-collapse:collapse;border:0;margin:.5em 0;font-size:13px;font-variant-numeric:tabular-nums",
    "tr": "background:none",
    "th": "padding:.22em .9em .22em 0;text-align:left;vertical-align:bottom;border:0;background:none;color:inherit;"
    "font-weight:600",
    "thead th": "border-bottom:2px solid rgba(128,128,128,.5)",
    "td": "padding:.22em .9em .22em 0;text-align:left;vertical-align:top;border:0;background:none;color:inherit;"
    "border-bottom:1px solid rgba(128,128,128,.3);white-space:normal;max-width:34em",
    ".n": "text-align:right;white-space:nowrap",
    "caption": "caption-side:top;text-align:left;color:inherit;opacity:.8;padding:0 0 .3em;white-space:nowrap",
    ".scroll": "overflow-x:auto",
    "figure": "margin:.4em 0;max-width:46rem",
    "figure>svg": "display:block;max-width:100%;height:auto",
    "figcaption": "opacity:.8;font-size:.92em",
    ".figures": "display:flex;flex-wrap:wrap;gap:8px 24px",
    ".figures figure": "flex:0 1 24rem",
    "pre": "background:none;color:inherit;padding:0;margin:.5em 0;overflow-x:auto;white-space:pre;"
    f"font:12px/1.4 {_MONO}",
    "pre code": "font:inherit;background:none;padding:0;color:inherit",
    "details": "margin:.5em 0",
    "summary": "cursor:pointer;opacity:.85",
    "progress": "width:16rem;vertical-align:middle",
}
#: Signs of a notebook's own theme, which need not be that of the screen.
_THEMES: Final = (
    ('[data-jp-theme-light="true"]', palette.SERIES),
    (".vscode-light", palette.SERIES),
    ('[data-jp-theme-light="false"]', palette.SERIES_DARK),
    (".vscode-dark", palette.SERIES_DARK),
)


def _style() -> str:
    css = "".join(f"{_SCOPE}{' ' if part else ''}{part}{{{rule}}}" for part, rule in _RULES.items())
    for sign, colours in _THEMES:
        for i, colour in enumerate(colours):
            css += f"{sign} .acumen-nb .acumen .s{i}{{stroke:{colour}}}"
            css += f"{sign} .acumen-nb .acumen .f{i}{{fill:{colour}}}"
    return css


STYLE: Final = _style()


def notebook_html(title: str, pieces: Sequence[Piece], under: str = "", *, rows: int = MOST_ROWS) -> str:
    """The block; tables have so many `rows` at most, and what would make it larger than `MOST` is left out and told."""
    short = [_abridge(piece, rows) for piece in pieces]
    written = [pieces_html([piece]) for piece in short]
    room = MOST - len(STYLE) - len(title) - len(under) - 1_000
    omitted = 0
    while written and sum(map(len, written)) > room:
        del written[max(range(len(written)), key=lambda i: len(written[i]))]
        omitted += 1
    if omitted:
        written.append(f"<p>{omitted} of {len(pieces)} parts are too large to show here.</p>")
    small = f" <small>{in_html(under)}</small>" if under else ""
    head = f'<p class="t"><b>{in_html(title)}</b>{small}</p>' if title or under else ""
    return block(f"{head}{''.join(written)}")


def block(inner: str) -> str:
    """HTML, escaped already, in a block of its own style."""
    return f'<div class="acumen-nb"><style>{STYLE}</style>{inner}</div>'


def _abridge(piece: Piece, rows: int) -> Piece:
    """Long tables with their first rows alone, which is said above them."""
    if isinstance(piece, ReportTable) and len(piece.rows) > rows:
        more = f"the first {rows} of {len(piece.rows):,}"
        caption = f"{piece.caption} ({more})" if piece.caption else more
        return ReportTable(piece.headings, piece.rows[:rows], piece.sides, caption)
    if isinstance(piece, Details):
        return Details(piece.summary, tuple(_abridge(inner, rows) for inner in piece.pieces))
    return piece


def render_figure(figure: Any, caption: str = "") -> Piece:
    """A figure value as a piece."""
    svg = figure._repr_svg_()
    if len(svg) > MOST_DRAWN:
        return Paragraph("The drawing is too large for a notebook; to_svg(path) writes it to a file.")
    return Drawing(svg, caption)


def bundle(text: str, page: str, svg: str | None = None) -> dict[str, str]:
    """By kind of content; a program that shows notebooks takes the one it likes best."""
    contents = {"text/plain": printable_lines(text), "text/html": page}
    if svg is not None and len(svg) <= MOST_DRAWN:
        contents["image/svg+xml"] = svg
    return contents


def preformat(text: str) -> str:
    """Lines as they are, escaped, in a block of their own."""
    return (
        f'<div class="acumen-nb"><style>{STYLE}</style><pre>{html.escape(printable_lines(text))}</pre></div>'
    )
