"""One shape of an additive model: what each value adds, its band, and where the rows are.

ShapeFigure    bins of numbers as steps, or levels as points; a histogram of the rows beneath
PairFigure     a pair of attributes as a table of shades
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.data.forms import moment
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import AXIS_ROOM, SMALL, LinearScale, Panel, left_room, right_room
from acumen.render.interval_plot import SLACK
from acumen.render.sheet import MOST_CURVES, LegendKey, Sheet, mark
from acumen.render.svg import Markup, cut, decimal, line, measure, tag, text, trace
from acumen.render.text import number
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats

_TALL, _ROWS, _LINE = 190.0, 52.0, 22.0
_MOST_LEVELS = 40


@dataclass(frozen=True, slots=True, eq=False)
class ShapeFigure(Figure):
    """Values (lines, places) with errors and the weight of rows at each place.

    `edges` are those of bins, one more than there are places (of days and times `form` says how they are written);
    without them `levels` name the places. A band is twice
    the standard error either way. `missing` is one more place, apart: the value of each line there, and its error.
    """

    name: str
    values: Floats
    errors: Floats
    weight: Floats
    edges: Floats | None = None
    levels: Sequence[str] = ()
    lines: Sequence[str] = ()
    y_label: str = "log-odds"
    title: str = ""
    notes: Sequence[str] = ()
    form: str = ""

    def __post_init__(self) -> None:
        keep(self, lines=names(self, "lines"), notes=names(self, "notes"))
        keep(self, values=floats(self, "values", length=len(self.lines), ndim=2))
        places = self.values.shape[1]
        keep(self, errors=floats(self, "errors", length=len(self.lines), ndim=2))
        keep(self, weight=floats(self, "weight", length=places))
        if self.errors.shape != self.values.shape:
            raise DataError("ShapeFigure: values and errors differ in shape")
        if self.edges is not None:
            keep(self, edges=floats(self, "edges", length=places + 1))
        else:
            keep(self, levels=names(self, "levels", length=places))

    def _repr_svg_(self) -> str:
        return shape_svg(self)


def shape_svg(figure: ShapeFigure) -> str:
    """Draw steps or points with their bands, and the rows beneath."""
    title = figure.title or figure.name
    sheet = Sheet(title, "Shape", _about(figure), width=460.0)
    draw_shape(sheet, figure)
    return sheet.svg()


def draw_shape(sheet: Sheet, figure: ShapeFigure) -> None:
    """Put a shape on a sheet, below what is there."""
    if not figure.values.size or not np.isfinite(figure.values).all():
        sheet.note(f"{printable(figure.name)}: nothing to draw.")
        return
    if figure.edges is None:
        _levels(sheet, figure)
    else:
        _steps(sheet, figure)
    if len(figure.lines) > 1:
        sheet.legend([LegendKey("line", k, name) for k, name in enumerate(figure.lines[:MOST_CURVES])])
    for note in figure.notes:
        sheet.note(note)


def _steps(sheet: Sheet, figure: ShapeFigure) -> None:
    edges = figure.edges
    assert edges is not None
    up = LinearScale.around(
        figure.values - 2 * figure.errors, figure.values + 2 * figure.errors, np.zeros(1), pad=0.05
    )
    ticks = up.ticks()
    left_edge = left_room(ticks, labelled=True)
    across = (
        LinearScale(float(edges[0]), float(edges[-1])) if edges[-1] > edges[0] else LinearScale.around(edges)
    )
    places_said = _date_ticks(across.ticks(3), figure.form) if figure.form else across.ticks()
    right = right_room(places_said)
    panel = Panel(left_edge, sheet.y + 4, sheet.width - left_edge - right, _TALL, across, up)
    sheet.add(panel.axes("", figure.y_label, x_ticks=[], y_ticks=ticks))
    zero = float(panel.up(0.0))
    sheet.add(line(panel.left, zero, panel.right, zero, stroke_opacity=0.5, stroke_dasharray="3 3"))
    x = np.repeat(edges, 2)[1:-1]
    at = np.asarray(panel.across(x))
    shades, drawn = [], []
    for k in range(min(len(figure.lines), MOST_CURVES)):
        value, error = np.repeat(figure.values[k], 2), 2 * np.repeat(figure.errors[k], 2)
        over, under = np.asarray(panel.up(value + error)), np.asarray(panel.up(value - error))
        around = np.r_[at, at[::-1]], np.r_[over, under[::-1]]
        shades.append(tag("path", d=trace(*around, close=True), fill_opacity=0.2, **palette.fill(k)))
        drawn.append(
            tag(
                "path", d=trace(at, np.asarray(panel.up(value))), fill="none", stroke_width=2.2,
                stroke_dasharray=palette.dash(k), **palette.stroke(k),
            )
        )  # fmt: skip
    sheet.add(*shades, *drawn)
    below = Panel(left_edge, panel.bottom + 6, panel.width, _ROWS, across, LinearScale(0.0, 1.0))
    width = np.diff(edges)
    thick = np.where(width > 0, figure.weight / np.where(width > 0, width, 1.0), 0.0)
    top = float(thick.max(initial=0.0)) or 1.0
    # Rows to an inch of the axis, by its root: quantile bins differ by orders of magnitude.
    tall = np.sqrt(thick / top)
    places = np.asarray(below.across(edges))
    boxes = "".join(
        f"M{decimal(float(a))} {decimal(below.bottom)}V{decimal(float(below.up(h)))}H{decimal(float(b))}"
        f"V{decimal(below.bottom)}z"
        for a, b, h in zip(places[:-1], places[1:], tall, strict=True)
        if h > 0 and b > a
    )
    if boxes:
        sheet.add(tag("path", d=boxes, fill="currentColor", fill_opacity=0.35))
    sheet.add(text("rows", left_edge - 7, below.bottom - 4, anchor="end", size=SMALL, faint=True))
    sheet.add(below.axes(figure.name, "", x_ticks=places_said, y_ticks=[], x_grid=False))
    sheet.y = below.bottom + AXIS_ROOM


def _date_ticks(ticks: Sequence[tuple[float, str]], form: str) -> list[tuple[float, str]]:
    """Days and times as a person writes them."""
    return [(value, moment(form, value) or label) for value, label in ticks]


def _levels(sheet: Sheet, figure: ShapeFigure) -> None:
    """A line for each level: its name, its rows as a bar, and its value with the band."""
    shown = np.arange(len(figure.levels))
    if len(shown) > _MOST_LEVELS:
        shown = np.sort(np.argsort(-figure.weight, kind="stable")[:_MOST_LEVELS])
    value, error, weight = figure.values[:, shown], figure.errors[:, shown], figure.weight[shown]
    level = [figure.levels[i] for i in shown.tolist()]
    wide = max((measure(printable(name), SMALL) for name in level), default=0.0)
    left_edge = 12 + min(SLACK * wide, 0.3 * sheet.width) + 8
    bars = 70.0
    scale = LinearScale.around(value - 2 * error, value + 2 * error, np.zeros(1), pad=0.05)
    panel = Panel(
        left_edge + bars + 10, sheet.y + 4, sheet.width - left_edge - bars - 10 - right_room(scale.ticks()),
        _LINE * len(level), scale, LinearScale(0.0, 1.0),
    )  # fmt: skip
    sheet.add(panel.axes(figure.y_label, "", y_ticks=[]))
    zero = float(panel.across(0.0))
    sheet.add(line(zero, panel.top, zero, panel.bottom, stroke_opacity=0.5, stroke_dasharray="3 3"))
    most = float(weight.max(initial=0.0)) or 1.0
    several = min(len(figure.lines), MOST_CURVES)
    pieces: list[Markup] = []
    for i, name in enumerate(level):
        y = panel.top + _LINE * (i + 0.5)
        short = cut(name, (left_edge - 19) / SLACK, SMALL)
        pieces.append(text(short, left_edge - 8, y + 4, anchor="end", size=SMALL, whole=printable(name)))
        long = bars * float(weight[i]) / most
        if long > 0.02:
            pieces.append(
                tag(
                    "rect",
                    x=left_edge,
                    y=y - 6,
                    width=long,
                    height=12,
                    fill="currentColor",
                    fill_opacity=0.35,
                )
            )
        for k in range(several):
            at = y + (k - (several - 1) / 2) * min(5.0, 14.0 / several)
            low, middle, high = (float(panel.across(value[k, i] + d * error[k, i])) for d in (-2.0, 0.0, 2.0))
            pieces.append(line(low, at, high, at, stroke_width=2.4, stroke_opacity=0.45, **palette.stroke(k)))
            pieces.append(mark(k, middle, at, 3.6))
    sheet.add(*pieces)
    sheet.add(text("rows", left_edge, panel.bottom + 17, size=SMALL, faint=True))
    sheet.y = panel.bottom + AXIS_ROOM
    if len(level) < len(figure.levels):
        sheet.note(f"Shows the {len(level)} most frequent of {len(figure.levels):,} categories.")


@dataclass(frozen=True, slots=True, eq=False)
class PairFigure(Figure):
    """Values of (first groups, second groups): what a pair adds beyond its attributes' own shapes."""

    name: str
    values: Floats
    rows: Sequence[str]
    columns: Sequence[str]
    x_label: str = ""
    y_label: str = ""
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        keep(self, rows=names(self, "rows"), columns=names(self, "columns"), notes=names(self, "notes"))
        keep(self, values=floats(self, "values", length=len(self.rows), ndim=2))
        if self.values.shape[1] != len(self.columns):
            raise DataError("PairFigure: values must have a column for each of the columns")

    def _repr_svg_(self) -> str:
        sheet = Sheet(self.name, "Pair", f"{printable(self.y_label)} by {printable(self.x_label)}")
        draw_pair(sheet, self)
        return sheet.svg()


def draw_pair(sheet: Sheet, figure: PairFigure) -> None:
    """Put a pair on a sheet: a shade for each cell, and its number."""
    left_edge = (
        12
        + min(max((measure(printable(n), SMALL) for n in figure.rows), default=0.0), 0.28 * sheet.width)
        + 8
    )
    wide = (sheet.width - left_edge - 12) / max(len(figure.columns), 1)
    most = float(np.abs(figure.values).max(initial=0.0)) or 1.0
    top = sheet.y + 4
    for i, name in enumerate(figure.rows):
        y = top + _LINE * i
        sheet.add(
            text(
                cut(name, left_edge - 19, SMALL),
                left_edge - 8,
                y + 15,
                anchor="end",
                size=SMALL,
                whole=printable(name),
            )
        )
        for j in range(len(figure.columns)):
            value = float(figure.values[i, j])
            place = 1 if value > 0 else 0
            shade = 0.75 * abs(value) / most
            sheet.add(
                tag(
                    "rect", x=left_edge + wide * j + 0.5, y=y + 0.5, width=wide - 1, height=_LINE - 1,
                    fill_opacity=shade, **palette.fill(place),
                )
            )  # fmt: skip
            if wide > 30:
                note = f"{value:+.2f}".replace("+0.00", "0").replace("-0.00", "0")
                sheet.add(text(note, left_edge + wide * (j + 0.5), y + 15, anchor="middle", size=SMALL))
    y = top + _LINE * len(figure.rows)
    for j, name in enumerate(figure.columns):
        sheet.add(
            text(cut(name, wide - 4, SMALL), left_edge + wide * (j + 0.5), y + 15, anchor="middle", size=SMALL,
                 faint=True, whole=printable(name))
        )  # fmt: skip
    sheet.y = y + 24
    sheet.note(f"{figure.y_label} (down) by {figure.x_label} (across); the largest is {number(most)}.")
    for note in figure.notes:
        sheet.note(note)


def _about(figure: ShapeFigure) -> str:
    sentences = []
    for k, name in enumerate(figure.lines[:5]):
        low, high = float(figure.values[k].min(initial=0.0)), float(figure.values[k].max(initial=0.0))
        sentences.append(f"{printable(name)}: from {number(low)} to {number(high)}")
    return f"{printable(figure.name)}; " + "; ".join(sentences)
