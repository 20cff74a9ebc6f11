"""Names and levels made safe to show: whatever a file calls its columns must not act on the reader.

printable   for terminals and plain text: no control, bidi or invisible character gets through
in_html     for pages: the same, and no markup
shorten     cut a long text and mark the cut
"""

from __future__ import annotations

import html


def printable(value: object) -> str:
    r"""The text of a value with everything unprintable written out (`\x1b`, `\u202e`, `\n`).

    What Python calls unprintable is what should not reach a screen raw: control characters (a terminal
    obeys them), bidi and zero-width ones (they make a text read as another), blanks that are not the
    space bar's, and lone surrogates (no stream can encode them).
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def printable_lines(text: str) -> str:
    """A message of several lines, each made printable; the line breaks stay."""
    return "\n".join(printable(line) for line in text.split("\n"))


def shorten(text: str, letters: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= letters else text[: letters - 1] + "…"


def in_html(value: object) -> str:
    """Text for an HTML page, in element content or a quoted attribute."""
    return html.escape(printable(value), quote=True)
