"""Where values are missing: a line for each attribute, the rows from first to last, darker where more are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import SMALL
from acumen.render.escape import printable
from acumen.render.sheet import Sheet
from acumen.render.svg import cut, decimal, line, measure, tag, text
from acumen.render.text import count, percent
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats

#: So many attributes have a line; a figure of more says so.
MOST = 40
#: Shades a share is drawn in.
SHADES = 8
LINE = 18.0


@dataclass(frozen=True, slots=True, eq=False)
class MissingFigure(Figure):
    """`shares` is (attributes, stretches): what share of a stretch of consecutive rows is missing.

    `totals` are the shares of all rows.
    """

    attributes: Sequence[str]
    shares: Floats
    totals: Floats
    rows: int
    title: str = "Missing values"

    def __post_init__(self) -> None:
        keep(self, attributes=names(self, "attributes"))
        keep(self, shares=floats(self, "shares", length=len(self.attributes), ndim=2))
        keep(self, totals=floats(self, "totals", length=len(self.attributes)))
        if not ((self.shares >= 0) & (self.shares <= 1)).all():
            raise DataError("MissingFigure: shares must be numbers from 0 to 1")

    def _repr_svg_(self) -> str:
        return missing_svg(self)


def missing_svg(figure: MissingFigure) -> str:
    """Draw the map; the attributes stand in the order given."""
    attributes, shares = figure.attributes[:MOST], figure.shares[:MOST]
    about = f"{len(figure.attributes)} attributes over {figure.rows} rows"
    sheet = Sheet(figure.title, "Missing values", about)
    if not len(attributes) or not shares.shape[1]:
        return sheet.nothing("No value is missing.")
    means = [percent(float(share)) for share in figure.totals[:MOST]]
    right = sheet.width - 12 - max(measure(mean, SMALL) for mean in means) - 8
    left_edge = 12 + min(max(measure(printable(name), SMALL) for name in attributes), 0.34 * sheet.width) + 8
    step = (right - left_edge) / shares.shape[1]
    top = sheet.y + 2
    shade = np.ceil(shares * SHADES).astype(int)
    paths = [""] * (SHADES + 1)
    for i, name in enumerate(attributes):
        y = top + LINE * i
        sheet.add(text(cut(name, left_edge - 19, SMALL), left_edge - 8, y + 13, anchor="end", size=SMALL,
                       whole=printable(name)))  # fmt: skip
        sheet.add(text(means[i], sheet.width - 12, y + 13, anchor="end", size=SMALL, faint=True))
        # Neighbours of one shade are drawn as one.
        cuts = np.r_[0, np.flatnonzero(np.diff(shade[i])) + 1, shade.shape[1]]
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            paths[shade[i, a]] += (
                f"M{decimal(left_edge + step * a)} {decimal(y + 1)}h{decimal(step * (b - a))}"
                f"v{decimal(LINE - 2)}h{decimal(-step * (b - a))}z"
            )
    if paths[0]:
        sheet.add(tag("path", d=paths[0], fill="currentColor", fill_opacity=0.06))
    for level, d in enumerate(paths[1:], 1):
        if d:
            sheet.add(tag("path", d=d, fill_opacity=0.12 + 0.83 * level / SHADES, **palette.fill(1)))
    bottom = top + LINE * len(attributes)
    sheet.add(line(left_edge, bottom + 3, right, bottom + 3, stroke_opacity=0.4))
    sheet.add(text("row 1", left_edge, bottom + 18, size=SMALL, faint=True))
    sheet.add(text(f"row {count(figure.rows)}", right, bottom + 18, anchor="end", size=SMALL, faint=True))
    sheet.y = bottom + 24
    sheet.note("The darker, the more of those rows lack a value; at the right the share of all rows.")
    if len(figure.attributes) > MOST:
        sheet.note(f"{MOST} of {len(figure.attributes):,} attributes with missing values are drawn.")
    return sheet.svg()
