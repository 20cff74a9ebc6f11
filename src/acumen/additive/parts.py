"""What an additive model is made of, whatever it predicts: coefficients, their errors, and how they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from acumen.additive.layout import Cells, Layout, Shape
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.preprocessing.stored_arrays import require, stored, stored_codes, stored_floats, stored_starts
from acumen.preprocessing.words import Vocabulary
from acumen.types import Array, Floats

_MOST = 1e150


@dataclass(frozen=True, slots=True)
class Facts:
    """How well the training rows are fitted, and what certifies the fit."""

    loss: float  # minus the log-likelihood; of numbers half the squares left, in units of the target's deviation
    aic: float
    freedom: float
    gradient: float  # the largest entry of the gradient of the mean loss and penalty
    excess: float  # to second order, how far loss and penalty are above their least
    steps: int
    weight: float
    dispersion: float

    def to_array(self) -> Floats:
        return np.array([
            self.loss, self.aic, self.freedom, self.gradient, self.excess, float(self.steps), self.weight,
            self.dispersion,
        ])  # fmt: skip

    @classmethod
    def from_array(cls, array: Floats) -> Facts:
        loss, aic, freedom, gradient, excess, steps, weight, dispersion = array.tolist()
        require(steps == int(steps) and steps >= 0 and weight > 0, "the facts of a fit are none")
        return cls(loss, aic, freedom, gradient, excess, int(steps), weight, dispersion)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Coefficients (width, lines) of a layout, about zero over the training rows."""

    layout: Layout
    coefficients: Floats
    errors: Floats  # standard errors of each
    weight: Floats  # of the training rows that have each
    strengths: Floats  # of each block: shapes, pairs, texts
    freedom: Floats  # degrees of freedom of each block
    ranges: Floats  # (shapes, 2): the least and largest number; 0 of levels
    facts: Facts
    edited: npt.NDArray[np.uint8]  # of each block: 0 as learned, 1 flattened in part, 2 dropped

    @property
    def lines(self) -> int:
        return int(self.coefficients.shape[1])

    def scores(self, rows: Table) -> Floats:
        """The sums of each row, one column for each line."""
        return self.layout.rows(rows).scores(self.coefficients)

    def terms(self, row: Table) -> list[tuple[int, Floats]]:
        """Of one row what each block adds, by block."""
        layout = self.layout
        slots = layout.rows(row)
        made = []
        for at, column in enumerate(slots.slots[:, 0].tolist()):
            made.append((at, self.coefficients[int(layout.offset[at]) + column]))
        has = np.zeros(layout.n_words, dtype=np.bool_)
        has[slots.words[3]] = True
        first = int(layout.offset[-1])
        for text, block in enumerate(layout.blocks[len(layout.shapes) + len(layout.pairs) :]):
            own = has[block.start - first : block.stop - first]
            at = len(layout.shapes) + len(layout.pairs) + text
            made.append((at, self.coefficients[block][own].sum(axis=0)))
        return made

    def name(self, at: int, schema: Schema) -> str:
        """What a block is about."""
        layout = self.layout
        if at < len(layout.shapes):
            return str(schema.attributes[layout.shapes[at].attribute].name)
        at -= len(layout.shapes)
        if at < len(layout.pairs):
            cells = layout.pairs[at]
            return f"{self.name(cells.first, schema)} x {self.name(cells.second, schema)}"
        return layout.words[at - len(layout.pairs)].attribute

    def spread(self) -> Floats:
        """Of each block how far it moves the training rows: the root of its mean square over all lines."""
        made = []
        for block in self.layout.blocks:
            squares = (self.coefficients[block] ** 2).sum(axis=1)
            made.append(np.sqrt(float(self.weight[block] @ squares) / self.weight[0]))
        return np.array(made)

    # -- model files ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            **_layout_arrays(self.layout),
            "coefficients": self.coefficients, "errors": self.errors, "weight": self.weight,
            "strengths": self.strengths, "freedom": self.freedom, "ranges": self.ranges,
            "facts": self.facts.to_array(), "edited": self.edited,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema, lines: int) -> Parts:
        layout = _layout_from(arrays, schema)
        width, blocks = layout.width, len(layout.blocks)
        edited = stored(arrays, "edited", np.uint8, (blocks,))
        require(np.all(edited <= 2), "a shape is edited in no known way")
        weight = stored_floats(arrays, "weight", (width,), low=0.0)
        require(weight[0] > 0, "no row has any weight")
        return cls(
            layout,
            stored_floats(arrays, "coefficients", (width, lines), low=-_MOST, high=_MOST),
            stored_floats(arrays, "errors", (width, lines), low=0.0),
            weight,
            stored_floats(arrays, "strengths", (blocks,), low=0.0),
            stored_floats(arrays, "freedom", (blocks,), low=0.0),
            stored_floats(arrays, "ranges", (len(layout.shapes), 2)),
            Facts.from_array(stored_floats(arrays, "facts", (8,))),
            edited,
        )


def _layout_arrays(layout: Layout) -> dict[str, Array]:
    shapes, pairs = layout.shapes, layout.pairs
    made: dict[str, Array] = {
        "shapes": np.array([s.attribute for s in shapes], dtype=np.int32),
        "cuts": np.concatenate([np.empty(0), *(s.cuts for s in shapes)]),
        "cut_starts": _starts([s.cuts for s in shapes]),
        "levels": np.concatenate([np.empty(0, dtype=np.int32), *(s.levels for s in shapes)]),
        "level_starts": _starts([s.levels for s in shapes]),
        "pairs": np.array([[c.first, c.second, *c.ordered] for c in pairs], dtype=np.int32).reshape(-1, 4),
        "groups": np.concatenate(
            [np.empty(0, dtype=np.int32), *(g for c in pairs for g in (c.rows, c.columns))]
        ),
        "words": np.frombuffer(
            "\n".join(word for v in layout.words for word in v.words).encode(), dtype=np.uint8
        ),
        "word_starts": _starts([v.words for v in layout.words]),
    }
    return made


def _starts(pieces: list[Any]) -> Array:
    return np.cumsum([0, *map(len, pieces)], dtype=np.int32)


def _layout_from(arrays: Mapping[str, Array], schema: Schema) -> Layout:
    """The layout back, trusting nothing."""
    places = stored_codes(arrays, "shapes", (None,), low=0, below=max(len(schema), 1))
    require(np.all(np.diff(places) > 0), "two shapes are of one attribute")
    cuts = stored_floats(arrays, "cuts", (None,))
    cut_starts = stored_starts(arrays, "cut_starts", len(places), len(cuts))
    levels = stored_codes(arrays, "levels", (None,), low=0, below=2**31 - 1)
    level_starts = stored_starts(arrays, "level_starts", len(places), len(levels))
    shapes = []
    for at, place in enumerate(places.tolist()):
        attribute = schema.attributes[place]
        require(attribute.kind != "text", "a text has a shape")
        own = cuts[cut_starts[at] : cut_starts[at + 1]]
        codes = levels[level_starts[at] : level_starts[at + 1]]
        require(np.all(np.diff(own) > 0) and np.all(np.diff(codes) > 0), "cuts or levels do not ascend")
        require(attribute.is_numeric or not len(own), "levels have cuts")
        require(attribute.is_nominal or not len(codes), "numbers have levels")
        require(np.all(codes < len(attribute.levels)), "a shape has a level that its attribute has not")
        ordered = attribute.is_numeric or bool(attribute.ordered)
        shapes.append(Shape(place, own, codes, bool(attribute.is_numeric), ordered))
        require(shapes[-1].slots < 2**16, "a shape has too many slots")
    return Layout(tuple(shapes), _pairs_from(arrays, shapes), _words_from(arrays, schema))


def _pairs_from(arrays: Mapping[str, Array], shapes: list[Shape]) -> tuple[Cells, ...]:
    table = stored_codes(arrays, "pairs", (None, 4), low=0, below=2**31 - 1)
    groups = stored_codes(arrays, "groups", (None,), low=0, below=2**15)
    made, at = [], 0
    for first, second, *ordered in table.tolist():
        require(first < second < len(shapes), "a pair is of shapes that are not there")
        a, b = shapes[first].slots, shapes[second].slots
        require(at + a + b <= len(groups), "the groups of a pair are missing")
        cells = Cells(first, second, groups[at : at + a], groups[at + a : at + a + b], tuple(ordered))
        require(cells.slots < 2**16, "a pair has too many cells")
        require(
            cells.ordered[0] <= cells.size[0] and cells.ordered[1] <= cells.size[1],
            "a pair has no such order",
        )
        made.append(cells)
        at += a + b
    require(at == len(groups), "there are groups of no pair")
    return tuple(made)


def _words_from(arrays: Mapping[str, Array], schema: Schema) -> tuple[Vocabulary, ...]:
    try:
        text = stored(arrays, "words", np.uint8, (None,)).tobytes().decode()
    except UnicodeDecodeError:
        text = ""
        require(False, "the words of texts are not UTF-8")
    every = text.split("\n") if text else []
    texts = [a.name for a in schema.text]
    starts = stored_starts(arrays, "word_starts", len(texts), len(every)).tolist()
    made = []
    for at, name in enumerate(texts):
        own = tuple(every[starts[at] : starts[at + 1]])
        require(len(set(own)) == len(own) and all(own), "a text has a word twice")
        made.append(Vocabulary(own, name))
    return tuple(made)
