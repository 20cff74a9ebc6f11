"""How strongly every two attributes hang together: a triangle of shades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import SMALL
from acumen.render.escape import printable
from acumen.render.sheet import LegendKey, Sheet
from acumen.render.svg import cut, measure, tag, text
from acumen.render.values import Figure, floats, keep, names
from acumen.render.width import fit
from acumen.types import Floats

#: So many attributes are drawn, the first ones.
MOST = 30
#: The length at which a name is cut.
LONGEST = 110.0
#: The strongest shade; ink is read on it in light and in dark.
DEEPEST = 0.62


@dataclass(frozen=True, slots=True, eq=False)
class AssociationFigure(Figure):
    """`values` is square, from -1 to 1; NaN where two attributes cannot be compared."""

    attributes: Sequence[str]
    values: Floats
    title: str = "Between attributes"

    def __post_init__(self) -> None:
        keep(self, attributes=names(self, "attributes"))
        keep(self, values=floats(self, "values", length=len(self.attributes), ndim=2))
        if self.values.shape[1] != len(self.attributes):
            raise DataError(f"AssociationFigure: values must be square; got {self.values.shape}")
        if (np.abs(self.values) > 1).any():
            raise DataError("AssociationFigure: values must be from -1 to 1, or NaN")

    def _repr_svg_(self) -> str:
        return association_svg(self)


def association_svg(figure: AssociationFigure) -> str:
    """Draw the pairs below the diagonal; names stand at the left and on the diagonal's end."""
    attributes = figure.attributes[:MOST]
    k = len(attributes)
    sheet = Sheet(figure.title, "Between attributes", f"{len(figure.attributes)} attributes, two by two")
    if k < 2:
        return sheet.nothing("No two attributes to compare.")
    longest = min(max(measure(printable(name), SMALL) for name in attributes), LONGEST)
    left_edge = 12 + longest + 8
    size = min(56.0, (sheet.width - left_edge - 12 - 0.72 * longest) / (k - 1))
    height = max(min(size, 30.0), 13.0)
    top = sheet.y - height
    for i in range(1, k):
        y = top + height * i
        short = cut(attributes[i], longest + 1, SMALL)
        at = y + height / 2 + 4
        sheet.add(text(short, left_edge - 8, at, anchor="end", size=SMALL, whole=printable(attributes[i])))
        for j in range(i):
            value = float(figure.values[i, j])
            known = not math.isnan(value)
            paint = palette.fill(0 if value >= 0 else 1) if known else {"fill": "currentColor"}
            about = f"{fit(printable(attributes[i]), 60)}, {fit(printable(attributes[j]), 60)}: "
            sheet.add(
                tag(
                    "rect",
                    tag("title", about + (f"{value:.2f}" if known else "–")),
                    x=left_edge + size * j + 0.5,
                    y=y + 0.5,
                    width=max(size - 1, 0.5),
                    height=max(height - 1, 0.5),
                    fill_opacity=0.04 + (DEEPEST * abs(value) if known else 0.0),
                    **paint,
                )
            )
            if known and size >= 27 and height >= 14:
                label = f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.0f}"
                at = left_edge + size * (j + 0.5)
                sheet.add(
                    text(label, at, y + height / 2 + 4, anchor="middle", size=11.0, faint=abs(value) < 0.1)
                )
    bottom = top + height * k
    room = max(measure(cut(name, longest + 1, SMALL), SMALL) for name in attributes[:-1])
    step = max(1, math.ceil(14 / size))
    for j in range(0, k - 1, step):  # the names below lean to the right, each from its column
        x = left_edge + size * (j + 0.5) - 3
        short = cut(attributes[j], longest + 1, SMALL)
        sheet.add(text(short, x, bottom + 12, size=SMALL, turned=45.0, whole=printable(attributes[j])))
    sheet.y = bottom + 0.71 * room + 26
    sheet.legend([LegendKey("box", 0, "together"), LegendKey("box", 1, "opposite (correlations only)")])
    if step > 1:
        sheet.note("Not every column is named; point at a cell to see its two.")
    if len(figure.attributes) > MOST:
        sheet.note(f"{MOST} of {len(figure.attributes):,} attributes are drawn.")
    return sheet.svg()
