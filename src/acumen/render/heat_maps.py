"""Maps of cells coloured by a value: associations of attributes, loadings of components, missing values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import SMALL
from acumen.render.sheet import LegendKey, Sheet
from acumen.render.svg import cut, decimal, line, measure, tag, text
from acumen.render.text import count, fit, percent
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats

#: So many attributes are drawn, the first ones.
MOST_ASSOCIATED = 30


#: The length at which a name is cut.
LONGEST = 110.0


#: The strongest shade; ink is read on it in light and in dark.
DEEPEST = 0.62


@dataclass(frozen=True, slots=True, eq=False)
class AssociationFigure(Figure):
    """`values` is square, from -1 to 1; NaN where two attributes cannot be compared."""

    attributes: Sequence[str]
    values: Floats
    title: str = "Associations between attributes"

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
    attributes = figure.attributes[:MOST_ASSOCIATED]
    k = len(attributes)
    sheet = Sheet(
        figure.title, "Associations between attributes", f"{len(figure.attributes)} attributes, pairwise"
    )
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
        sheet.note("Not every column is labelled; hover over a cell to see its pair.")
    if len(figure.attributes) > MOST_ASSOCIATED:
        sheet.note(f"Shows {MOST_ASSOCIATED} of {len(figure.attributes):,} attributes.")
    return sheet.svg()


#: So many attributes and components are drawn, the first ones.
MOST_ROWS, MOST_COLUMNS = 40, 12


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
        sheet.note(f"Shows the first {len(attributes)} of {len(figure.attributes):,} attributes.")
    if len(components) < len(figure.components):
        sheet.note(f"Shows the first {len(components)} of {len(figure.components):,} components.")
    return sheet.svg()


#: So many attributes have a line; a figure of more says so.
MOST_MISSING = 40


#: Shades a share is drawn in.
SHADES = 8


LINE = 18.0


@dataclass(frozen=True, slots=True, eq=False)
class MissingFigure(Figure):
    """`shares` is (attributes, stretches): what share of a stretch of consecutive rows is missing.

    `totals` are the fractions over all rows.
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
    attributes, shares = figure.attributes[:MOST_MISSING], figure.shares[:MOST_MISSING]
    about = f"{len(figure.attributes)} attributes over {figure.rows} rows"
    sheet = Sheet(figure.title, "Missing values", about)
    if not len(attributes) or not shares.shape[1]:
        return sheet.nothing("No missing values.")
    means = [percent(float(share)) for share in figure.totals[:MOST_MISSING]]
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
    sheet.note("Darker means more missing values in those rows; the percentage of all rows is on the right.")
    if len(figure.attributes) > MOST_MISSING:
        sheet.note(f"Shows {MOST_MISSING} of {len(figure.attributes):,} attributes with missing values.")
    return sheet.svg()
