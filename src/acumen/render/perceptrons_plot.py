"""A chain of perceptrons: units as circles, layer by layer, and a line for each weight."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render.palette import both, stroke
from acumen.render.sheet import WIDTH, LegendKey, Sheet
from acumen.render.svg import cut, line, measure, tag, text
from acumen.render.text import many, number
from acumen.render.values import Figure, keep
from acumen.types import Array, Floats

_SIZE = 11.0
_STEP, _WIDE_STEP, _RADIUS = 34.0, 58.0, 9.0
_ROOM = 120.0  # for a name at most
#: So many weights have their number beside the line; more could not be read.
MOST_NUMBERS = 16
#: So many lines are drawn; of more, the heaviest.
MOST_LINES = 1_500


@dataclass(frozen=True, slots=True, eq=False)
class PerceptronsFigure(Figure):
    """Names of inputs and outputs; of each layer its weights (inputs x units) and its biases."""

    inputs: Sequence[str]
    outputs: Sequence[str]
    weights: Sequence[Array]
    biases: Sequence[Array]
    title: str = "Network"

    def __post_init__(self) -> None:
        weights = tuple(np.asarray(w, dtype=np.float64) for w in self.weights)
        biases = tuple(np.asarray(b, dtype=np.float64) for b in self.biases)
        keep(self, weights=weights, biases=biases)
        sizes = [len(self.inputs), *(len(b) for b in biases)]
        right = len(weights) == len(biases) and all(
            w.shape == pair for w, pair in zip(weights, itertools.pairwise(sizes), strict=False)
        )
        if not right or (weights and sizes[-1] != len(self.outputs)):
            raise DataError("PerceptronsFigure: weights, biases and names do not fit each other")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units of each layer, inputs first."""
        return (len(self.inputs), *(len(b) for b in self.biases))

    @property
    def heaviest(self) -> float:
        """The largest magnitude of a finite weight."""
        largest = [float(np.abs(w[np.isfinite(w)]).max(initial=0.0)) for w in self.weights]
        return max(largest, default=0.0)

    def lines(self) -> list[tuple[int, int, int, float]]:
        """Layer, input, unit and weight of each line that is drawn, the lightest first."""
        every = [
            (layer, i, j, float(w))
            for layer, matrix in enumerate(self.weights)
            for (i, j), w in np.ndenumerate(matrix)
            if np.isfinite(w) and w
        ]
        every.sort(key=lambda each: abs(each[3]))
        return every[-MOST_LINES:]

    def _repr_svg_(self) -> str:
        return perceptrons_svg(self)


def perceptrons_svg(figure: PerceptronsFigure) -> str:
    """Draw the units in columns, inputs left; lines are as thick as their weight, dashed where it is below 0."""
    sizes = figure.sizes
    about = f"{many(max(len(sizes) - 1, 0), 'layer')} of perceptrons: {' - '.join(map(str, sizes))} units"
    sheet = Sheet(figure.title, "Network", about)
    if not figure.weights or not all(sizes):
        return sheet.nothing("No network: it has no units.")
    left_edge, right = _room(figure.inputs), _room(figure.outputs)
    numbered = sum(w.size for w in figure.weights) <= MOST_NUMBERS
    step = _WIDE_STEP if numbered else _STEP
    height = step * max(sizes)
    xs = np.linspace(left_edge + _RADIUS, WIDTH - right - _RADIUS, len(sizes))
    at = [
        [(float(x), sheet.y + height / 2 + step * (i - (size - 1) / 2)) for i in range(size)]
        for x, size in zip(xs, sizes, strict=True)
    ]
    top = figure.heaviest or 1.0
    drawn = figure.lines()
    for layer, i, j, weight in drawn:
        (x1, y1), (x2, y2) = at[layer][i], at[layer + 1][j]
        share = abs(weight) / top
        sheet.add(
            line(
                x1,
                y1,
                x2,
                y2,
                **{
                    **stroke(0 if weight > 0 else 1),
                    "stroke_width": 0.5 + 3.0 * share,
                    "stroke_opacity": 0.2 + 0.7 * share,
                    "stroke_dasharray": None if weight > 0 else "5 3",
                },
            )
        )
    if numbered:
        for layer, i, j, weight in drawn:
            (x1, y1), (x2, y2) = at[layer][i], at[layer + 1][j]
            # Lines to each unit have their numbers at another place along them, or crossing lines would share one.
            share = 0.2 + 0.26 * (j % 3)
            x, y = x1 + share * (x2 - x1), y1 + share * (y2 - y1)
            sheet.add(text(f"{weight:.2g}", x, y - 3, size=9.5, anchor="middle"))
    _units(sheet, figure, at)
    sheet.y += height + 6
    keys = [LegendKey("line", 0, "weight above 0"), LegendKey("line", 1, "below 0")]
    sheet.legend(keys)
    sheet.note("Thicker lines mean larger weights; inputs are scaled.")
    if len(drawn) < sum(w.size for w in figure.weights) and len(drawn) == MOST_LINES:
        sheet.note(f"Shows the {MOST_LINES:,} largest weights.")
    return sheet.svg()


def _room(names: Sequence[str]) -> float:
    widest = max((measure(printable(name), _SIZE) for name in names), default=0.0)
    return min(1.1 * widest, _ROOM) + 20  # fonts differ


def _units(sheet: Sheet, figure: PerceptronsFigure, at: list[list[tuple[float, float]]]) -> None:
    """Circles over the lines; the bias of a unit is told to who points at it."""
    last = len(at) - 1
    for layer, units in enumerate(at):
        for i, (x, y) in enumerate(units):
            bias: Floats | None = figure.biases[layer - 1] if layer else None
            tooltip = () if bias is None else (tag("title", f"bias {number(float(bias[i]))}"),)
            place = 2 if layer in (0, last) else 5
            sheet.add(
                tag(
                    "circle",
                    *tooltip,
                    cx=x,
                    cy=y,
                    r=_RADIUS,
                    stroke_width=1.2,
                    fill_opacity=0.85,
                    **both(place),
                )
            )
            if layer == 0:
                name = figure.inputs[i]
                label = cut(printable(name), _ROOM, _SIZE)
                sheet.add(
                    text(label, x - _RADIUS - 4, y + 4, anchor="end", size=_SIZE, whole=printable(name))
                )
            elif layer == last:
                name = figure.outputs[i]
                label = cut(printable(name), _ROOM, _SIZE)
                sheet.add(text(label, x + _RADIUS + 4, y + 4, size=_SIZE, whole=printable(name)))
