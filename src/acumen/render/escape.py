"""Names and levels made safe to show, for all that draws: `acumen.data.escape`, where schemas print by it too."""

from __future__ import annotations

from acumen.data.escape import in_html, printable, printable_lines

__all__ = ["in_html", "printable", "printable_lines"]
