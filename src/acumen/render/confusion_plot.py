"""The confusion matrix as a map: counts, shares of the true class, right in one hue and wrong in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from acumen.data.escape import in_html, printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.sheet import LegendKey, Sheet
from acumen.render.svg import Markup, cut, measure, tag, text
from acumen.render.text import Heading, count, fit, number, percent, table, wrap
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats

#: So many classes have lines of their own; the smaller ones are put together.
MOST_CLASSES = 40


#: The length at which a turned name is cut.
LONGEST = 110.0


#: Counts that would have to be smaller are not written.
SMALLEST = 8.5


#: The strongest shade; ink is read on it in light and in dark.
DEEPEST = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionFigure(Figure):
    """Rows are the predicted classes, columns the true ones, both in the order of `labels`."""

    matrix: Floats
    labels: Sequence[str]
    title: str = "Confusion matrix"

    def __post_init__(self) -> None:
        keep(self, labels=names(self, "labels"))
        keep(self, matrix=floats(self, "matrix", length=len(self.labels), ndim=2))
        if self.matrix.shape[1] != len(self.labels):
            raise DataError(f"ConfusionFigure: matrix must be square; got {self.matrix.shape}")
        if not np.all(self.matrix >= 0) or not np.all(np.isfinite(self.matrix)):
            raise DataError("ConfusionFigure: matrix must hold counts of at least 0")

    def _repr_svg_(self) -> str:
        return confusion_svg(self)


def confusion_svg(figure: ConfusionFigure) -> str:
    """Draw the matrix; a cell's shade is its share of the true class, so a column adds up to all of it."""
    matrix, labels, pooled = _pool_classes(figure.matrix, tuple(figure.labels))
    total = float(matrix.sum())
    right = float(np.trace(figure.matrix))
    summary = f"{_rows(right)} of {_rows(total)} rows are classified correctly"
    sheet = Sheet(figure.title, "Confusion matrix", summary if total > 0 else "no rows")
    if not total > 0:
        return sheet.nothing("No confusion matrix: no row was classified.")
    k = len(labels)
    widest = max(measure(printable(name)) for name in labels)
    left_edge = 34 + min(widest, 0.26 * sheet.width) + 8
    size = min(100.0, (sheet.width - left_edge - 12) / k)
    upright = k > 1 and widest > size - 4
    if upright:  # the last of the turned names leans over the edge
        lean = min(widest, LONGEST) * 0.34
        size = min(size, (sheet.width - left_edge - 8 - lean) / (k - 0.5))
    height = max(min(size, 56.0), 16.0) if k <= 12 else size
    head = min(widest, LONGEST) * 0.94 + 12 if upright else 20.0
    top = sheet.y + 20 + head
    sheet.add(
        text("actual class", left_edge + size * k / 2, sheet.y + 13, anchor="middle", faint=True),
        text("predicted class", 16.0, top + height * k / 2, anchor="middle", faint=True, turned=-90.0),
    )
    every = -(-16 // int(max(height, 1.0))) if height < 16 else 1
    for i, name in enumerate(labels):
        if i % every:
            continue
        short = cut(name, left_edge - 42)
        whole = printable(name)
        sheet.add(text(short, left_edge - 8, top + height * (i + 0.5) + 4.5, anchor="end", whole=whole))
        x = left_edge + size * (i + 0.5)
        if upright:
            sheet.add(text(cut(name, LONGEST), x + 4, top - 8, turned=-70.0, whole=whole))
        else:
            sheet.add(text(whole, x, top - 8, anchor="middle"))
    font = _font(matrix, size, height)
    shares = matrix / np.maximum(matrix.sum(axis=0), 1e-300)
    for i in range(k):
        for j in range(k):
            box = (left_edge + size * j, top + height * i, size, height)
            sheet.add(*_cell(box, float(matrix[i, j]), float(shares[i, j]), font, right=i == j))
    sheet.y = top + height * k + 10
    sheet.legend([LegendKey("box", 0, "right"), LegendKey("box", 1, "wrong")])
    sheet.note(f"{summary} ({percent(right / total)}). Percentages and shades are per actual class.")
    if pooled:
        sheet.note(
            f"The {pooled:,} smallest classes are merged into one; its cell includes confusions among them."
        )
    return sheet.svg()


def _rows(weight: float) -> str:
    """A number of rows; a weighted one need not be whole."""
    return count(int(weight)) if weight == int(weight) else number(weight)


def _cell(
    box: tuple[float, float, float, float], rows: float, share: float, font: float, *, right: bool
) -> list[Markup]:
    """One cell: its shade, its count, and its share where that fits."""
    x, y, width, height = box
    paint = palette.fill(0 if right else 1) if rows > 0 else {"fill": "currentColor"}
    pieces = [
        tag(
            "rect",
            x=x + 1,
            y=y + 1,
            width=max(width - 2, 1.0),
            height=max(height - 2, 1.0),
            rx=min(3.0, width / 8),
            fill_opacity=0.04 if rows == 0 else min(0.05 + DEEPEST * share, DEEPEST),
            **paint,
        )
    ]
    if font < SMALLEST:
        return pieces
    below = percent(share)
    both = height >= 36 and measure(below, 11.0) <= width - 6 and rows > 0
    at = y + height / 2 + (-2.0 if both else 0.35 * font)
    label = number(rows)
    pieces.append(
        text(label, x + width / 2, at, anchor="middle", size=font, bold=right and rows > 0, faint=rows == 0)
    )
    if both:
        pieces.append(text(below, x + width / 2, y + height / 2 + 13, anchor="middle", size=11.0))
    return pieces


def _font(matrix: Floats, width: float, height: float) -> float:
    """One size for all counts, such that the longest fits its cell."""
    longest = max(measure(number(float(rows)), 1.0, bold=True) for rows in np.unique(matrix))
    return min(13.0, (width - 5) / longest, 0.75 * height)


def _pool_classes(matrix: Floats, labels: tuple[str, ...]) -> tuple[Floats, tuple[str, ...], int]:
    """The matrix with all but the largest classes added up into one, and how many these were."""
    if len(labels) <= MOST_CLASSES:
        return matrix, labels, 0
    sizes = matrix.sum(axis=0) + matrix.sum(axis=1)
    kept = np.sort(np.argsort(-sizes, kind="stable")[: MOST_CLASSES - 1])
    group = np.full(len(labels), MOST_CLASSES - 1)
    group[kept] = np.arange(MOST_CLASSES - 1)
    pooled = np.zeros((MOST_CLASSES, MOST_CLASSES))
    np.add.at(pooled, (group[:, None], group[None, :]), matrix)
    rest = len(labels) - len(kept)
    return pooled, (*(labels[i] for i in kept), f"{rest:,} others"), rest


Values: TypeAlias = Mapping[str, Any]


#: The matrix of more classes than these is left out of the text; the figures of each class are not.
DRAWN = 20


#: Cells for a class's name at the head of a column.
NAME = 14


_ONE = ("error", "accuracy", "balanced_accuracy", "kappa", "mcc", "macro_f1")


_BY_LABEL = ("precision", "recall", "f1")


def confusion_text(values: Values, width: int | None = None) -> str:
    """Aligned lines: the matrix, each class's figures at its row, and the figures of the whole.

    Names are cut, and as a last resort each class's figures left out, so that lines fit `width` cells.
    """
    room = 10**6 if width is None else width
    names = [printable(label) for label in values["labels"]]
    drawn = len(names) <= DRAWN
    heads = [Heading("predicted \\ actual", least=16)]
    heads += [Heading(fit(name, NAME), "right", least=8) for name in names] if drawn else []
    heads += [Heading("all", "right"), *(Heading(title, "right", spare=1) for title in _BY_LABEL)]
    rows = [
        [name, *([number(x) for x in line] if drawn else []), number(sum(line)), *_figures(by)]
        for name, line, by in zip(names, values["matrix"], values["by_label"], strict=True)
    ]
    sums = [number(sum(column)) for column in zip(*values["matrix"], strict=True)] if drawn else []
    rows.append(["all", *sums, number(values["total"]), "", "", ""])
    lines = [f"Confusion of {number(values['total'])} rows", *table(heads, rows, room)]
    lines += [line for sentence in _sentences(values) for line in wrap(sentence, room, "  ", "  ")]
    if not drawn:
        lines.append(f"  The matrix of {len(names)} classes is too large to show; see .matrix.")
    return "\n".join(lines)


def confusion_html(values: Values) -> str:
    """One `<div>` without scripts or outside resources; all names are escaped."""
    cell = 'style="text-align:right;padding:2px 10px"'
    names = [in_html(label) for label in values["labels"]]
    head = "".join(f"<th {cell}>{title}</th>" for title in ("predicted \\ actual", *names, "all", *_BY_LABEL))
    body = ""
    for i, (name, line, by) in enumerate(zip(names, values["matrix"], values["by_label"], strict=True)):
        marked = [f"<b>{number(x)}</b>" if j == i else number(x) for j, x in enumerate(line)]
        texts = (*marked, number(sum(line)), *_figures(by))
        body += f"<tr><th {cell}>{name}</th>" + "".join(f"<td {cell}>{t}</td>" for t in texts) + "</tr>"
    sentences = "".join(f"<p>{in_html(sentence)}</p>" for sentence in _sentences(values))
    grid = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="acumen-confusion">{grid}{sentences}</div>'


def _figures(by: Values) -> list[str]:
    return [number(by[name], none="undefined") for name in _BY_LABEL]


def _sentences(values: Values) -> Sequence[str]:
    figures = [f"{n.replace('_', ' ')} {number(values[n], none='undefined')}" for n in _ONE]
    sentences = [", ".join(figures)]
    if values["unlabelled"]:
        sentences.append(f"Not counted because the actual class is missing: {number(values['unlabelled'])}.")
    return sentences
