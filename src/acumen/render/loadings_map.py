"""What components are made of: a shade for each attribute and component, by the sign and size of its loading."""

from __future__ import annotations

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
from acumen.types import Floats

#: So many attributes and components are drawn, the first ones.
MOST_ROWS, MOST_COLUMNS = 40, 12
DEEPEST = 0.62
_HEIGHT = 22.0


@dataclass(frozen=True, slots=True, eq=False)
class LoadingsFigure(Figure):
    """`values` is (attributes, components), each from -1 to 1."""

    attributes: Sequence[str]
    components: Sequence[str]
    values: Floats
    title: str = "Loadings"

    def __post_init__(self) -> None:
        keep(self, attributes=names(self, "attributes"), components=names(self, "components"))
        keep(self, values=floats(self, "values", length=len(self.attributes), ndim=2))
        if self.values.shape[1] != len(self.components):
            raise DataError(
                f"LoadingsFigure: values must have {len(self.components)} columns; got {self.values.shape[1]}"
            )

    def _repr_svg_(self) -> str:
        return loadings_svg(self)


def loadings_svg(figure: LoadingsFigure) -> str:
    """Draw a line of cells for each attribute, a column for each component."""
    attributes, components = figure.attributes[:MOST_ROWS], figure.components[:MOST_COLUMNS]
    sheet = Sheet(
        figure.title, "Loadings", f"{len(figure.attributes)} attributes, {len(figure.components)} components"
    )
    if not attributes or not components:
        return sheet.nothing("No components.")
    longest = min(max(measure(printable(name), SMALL) for name in attributes), 0.36 * sheet.width)
    left_edge = 12 + longest + 8
    size = min(64.0, (sheet.width - left_edge - 12) / len(components))
    for j, name in enumerate(components):
        short = cut(name, size, SMALL)
        sheet.add(
            text(
                short,
                left_edge + size * (j + 0.5),
                sheet.y + 12,
                anchor="middle",
                size=SMALL,
                whole=printable(name),
            )
        )
    sheet.y += 18
    for i, name in enumerate(attributes):
        y = sheet.y + _HEIGHT * i
        short = cut(name, longest + 1, SMALL)
        sheet.add(text(short, left_edge - 8, y + 15, anchor="end", size=SMALL, whole=printable(name)))
        for j in range(len(components)):
            value = float(figure.values[i, j])
            known = bool(np.isfinite(value))
            label = f"{value:+.2f}".replace("0.", ".", 1) if known else "–"
            sheet.add(
                tag(
                    "rect",
                    tag("title", f"{printable(name)}, {printable(components[j])}: {label}"),
                    x=left_edge + size * j + 0.5,
                    y=y + 0.5,
                    width=size - 1,
                    height=_HEIGHT - 1,
                    fill_opacity=0.04 + (DEEPEST * min(abs(value), 1.0) if known else 0.0),
                    **palette.fill(0 if not known or value >= 0 else 1),
                )
            )
            if size >= 34:
                sheet.add(
                    text(
                        label,
                        left_edge + size * (j + 0.5),
                        y + 15,
                        anchor="middle",
                        size=11.0,
                        faint=abs(value) < 0.1,
                    )
                )
    sheet.y += _HEIGHT * len(attributes) + 10
    sheet.legend([LegendKey("box", 0, "rises with it"), LegendKey("box", 1, "falls with it")])
    if len(attributes) < len(figure.attributes):
        sheet.note(f"The first {len(attributes)} of {len(figure.attributes):,} attributes are drawn.")
    if len(components) < len(figure.components):
        sheet.note(f"The first {len(components)} of {len(figure.components):,} components are drawn.")
    return sheet.svg()
