"""What an additive model is made of, whatever it predicts: coefficients, their errors, and how they were found.

What an additive model would say of each training row without having seen it, approximately.

    left_out   rows and parts of a model -> scores of each row by the model of all the others, to second order

Taking one row away moves the optimum, to second order, by (H - h x x')^-1 x times the row's slope, where H are the
second derivatives with the penalty: one inverse serves all rows (Sherman and Morrison). Cuts and strengths, which the
row had a say in, stay as they are. Of several classes each line is moved by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from acumen.additive.cholesky import Inverse
from acumen.additive.layout import PairCells, Shape, SlotLayout
from acumen.additive.losses import Loss
from acumen.additive.penalty import Penalty
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import blas_threads
from acumen.preprocessing.stored_arrays import (
    require,
    stored_array,
    stored_codes,
    stored_floats,
    stored_starts,
)
from acumen.preprocessing.words import Vocabulary
from acumen.types import Array, Floats

_MOST = 1e150


@dataclass(frozen=True, slots=True)
class FitFacts:
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
    def from_array(cls, array: Floats) -> FitFacts:
        loss, aic, freedom, gradient, excess, steps, weight, dispersion = array.tolist()
        require(steps == int(steps) and steps >= 0 and weight > 0, "the facts of a fit are none")
        return cls(loss, aic, freedom, gradient, excess, int(steps), weight, dispersion)


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveParts:
    """Coefficients (width, lines) of a layout, about zero over the training rows."""

    layout: SlotLayout
    coefficients: Floats
    errors: Floats  # standard errors of each
    weight: Floats  # of the training rows that have each
    strengths: Floats  # of each block: shapes, pairs, texts
    freedom: Floats  # degrees of freedom of each block
    ranges: Floats  # (shapes, 2): the least and largest number; 0 of levels
    facts: FitFacts
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
        terms = []
        for at, column in enumerate(slots.slots[:, 0].tolist()):
            terms.append((at, self.coefficients[int(layout.offset[at]) + column]))
        has = np.zeros(layout.n_words, dtype=np.bool_)
        has[slots.words[3]] = True
        first = int(layout.offset[-1])
        for text, block in enumerate(layout.blocks[len(layout.shapes) + len(layout.pairs) :]):
            block_words = has[block.start - first : block.stop - first]
            at = len(layout.shapes) + len(layout.pairs) + text
            terms.append((at, self.coefficients[block][block_words].sum(axis=0)))
        return terms

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
        spreads = []
        for block in self.layout.blocks:
            squares = (self.coefficients[block] ** 2).sum(axis=1)
            spreads.append(np.sqrt(float(self.weight[block] @ squares) / self.weight[0]))
        return np.array(spreads)

    # -- model files ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            **_layout_arrays(self.layout),
            "coefficients": self.coefficients, "errors": self.errors, "weight": self.weight,
            "strengths": self.strengths, "freedom": self.freedom, "ranges": self.ranges,
            "facts": self.facts.to_array(), "edited": self.edited,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema, lines: int) -> AdditiveParts:
        layout = _layout_from(arrays, schema)
        width, blocks = layout.width, len(layout.blocks)
        edited = stored_array(arrays, "edited", np.uint8, (blocks,))
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
            FitFacts.from_array(stored_floats(arrays, "facts", (8,))),
            edited,
        )


def _layout_arrays(layout: SlotLayout) -> dict[str, Array]:
    shapes, pairs = layout.shapes, layout.pairs
    arrays: dict[str, Array] = {
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
    return arrays


def _starts(pieces: list[Any]) -> Array:
    return np.cumsum([0, *map(len, pieces)], dtype=np.int32)


def _layout_from(arrays: Mapping[str, Array], schema: Schema) -> SlotLayout:
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
        own_cuts = cuts[cut_starts[at] : cut_starts[at + 1]]
        codes = levels[level_starts[at] : level_starts[at + 1]]
        require(np.all(np.diff(own_cuts) > 0) and np.all(np.diff(codes) > 0), "cuts or levels do not ascend")
        require(attribute.is_numeric or not len(own_cuts), "levels have cuts")
        require(attribute.is_nominal or not len(codes), "numbers have levels")
        require(np.all(codes < len(attribute.levels)), "a shape has a level that its attribute has not")
        ordered = attribute.is_numeric or bool(attribute.ordered)
        shapes.append(Shape(place, own_cuts, codes, bool(attribute.is_numeric), ordered))
        require(shapes[-1].slots < 2**16, "a shape has too many slots")
    return SlotLayout(tuple(shapes), _pairs_from(arrays, shapes), _words_from(arrays, schema))


def _pairs_from(arrays: Mapping[str, Array], shapes: list[Shape]) -> tuple[PairCells, ...]:
    table = stored_codes(arrays, "pairs", (None, 4), low=0, below=2**31 - 1)
    groups = stored_codes(arrays, "groups", (None,), low=0, below=2**15)
    pairs, at = [], 0
    for first, second, *ordered in table.tolist():
        require(first < second < len(shapes), "a pair is of shapes that are not there")
        a, b = shapes[first].slots, shapes[second].slots
        require(at + a + b <= len(groups), "the groups of a pair are missing")
        cells = PairCells(first, second, groups[at : at + a], groups[at + a : at + a + b], tuple(ordered))
        require(cells.slots < 2**16, "a pair has too many cells")
        require(
            cells.ordered[0] <= cells.size[0] and cells.ordered[1] <= cells.size[1],
            "a pair has no such order",
        )
        pairs.append(cells)
        at += a + b
    require(at == len(groups), "there are groups of no pair")
    return tuple(pairs)


def _words_from(arrays: Mapping[str, Array], schema: Schema) -> tuple[Vocabulary, ...]:
    try:
        text = stored_array(arrays, "words", np.uint8, (None,)).tobytes().decode()
    except UnicodeDecodeError:
        text = ""
        require(False, "the words of texts are not UTF-8")
    every = text.split("\n") if text else []
    texts = [a.name for a in schema.text]
    starts = stored_starts(arrays, "word_starts", len(texts), len(every)).tolist()
    vocabularies = []
    for at, name in enumerate(texts):
        words = tuple(every[starts[at] : starts[at + 1]])
        require(len(set(words)) == len(words) and all(words), "a text has a word twice")
        vocabularies.append(Vocabulary(words, name))
    return tuple(vocabularies)


def scores_left_out(parts: AdditiveParts, table: Table, loss: Loss) -> Floats:
    """The scores (rows, lines) of each training row by the model of all other rows."""
    rows = parts.layout.rows(table)
    scores = rows.scores(parts.coefficients)
    _, slope, shares = loss.at(scores)
    curve = loss.curvature(shares)
    penalty = Penalty.of(parts.layout, parts.weight).charge(parts.strengths).matrix
    left_out = scores.copy()
    with blas_threads(1):
        for k in range(parts.lines):
            curvature = np.ascontiguousarray(curve[:, k])
            reach = rows.forms(Inverse(rows.tables(curvature) + penalty).matrix)
            # A row that alone holds a slot of no penalty up would leave it without an answer.
            left_out[:, k] += slope[:, k] * reach / np.maximum(1.0 - curvature * reach, 1e-6)
    return left_out
