"""Which coefficients an additive model has: slots of attributes, cells of pairs, words of texts.

    Shape    one attribute: bins of numbers or levels, then a slot for missing values (and one for unknown levels)
    Cells    a pair of shapes: groups of the slots of both
    Layout   all of them; turns rows into slots

Coefficient 0 is the constant, then come the shapes' slots, the pairs' cells, and the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from acumen import _native
from acumen.additive.slot_rows import SlotRows, no_words
from acumen.additive.survey import Survey, cuts_of, fitting_bins
from acumen.conditions.condition import numbers_of
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.preprocessing.words import Vocabulary
from acumen.rows.weights import whole_rows
from acumen.types import Array, Codes, Floats

#: Rows that a bin has on average, at least, unless there are as few bins as these.
ROWS_A_BIN: Final = 4
FEWEST_BINS: Final = 16
_NO_CUTS: Floats = np.empty(0)
_NO_LEVELS: Codes = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The slots of one attribute."""

    attribute: int  # its place in the schema
    cuts: Floats  # of numbers
    levels: Codes  # codes of the levels that have a slot of their own
    numeric: bool
    ordered: bool  # neighbouring slots are alike

    @property
    def known(self) -> int:
        """How many slots there are for values."""
        return len(self.cuts) + 1 if self.numeric else len(self.levels)

    @property
    def slots(self) -> int:
        """With that of missing values, and of levels that have none of their own."""
        return self.known + (1 if self.numeric else 2)

    def places(self, n_levels: int) -> Codes:
        """Of a nominal attribute the slot of each code: levels first, then of -1 and of -2 (as numpy counts back)."""
        slots = np.full(n_levels + 2, self.known + 1, dtype=np.int32)
        slots[self.levels] = np.arange(len(self.levels))
        slots[-1] = self.known
        return slots


@dataclass(frozen=True, slots=True, eq=False)
class PairCells:
    """A pair of shapes: for each slot of both the group that it belongs to."""

    first: int  # places among the shapes
    second: int
    rows: Codes  # groups of the first one's slots
    columns: Codes
    ordered: tuple[int, int]  # so many first groups of each lie in an order; 0: none do

    @property
    def size(self) -> tuple[int, int]:
        return int(self.rows.max(initial=0)) + 1, int(self.columns.max(initial=0)) + 1

    @property
    def slots(self) -> int:
        a, b = self.size
        return a * b


@dataclass(frozen=True, slots=True, eq=False)
class SlotLayout:
    """Shapes, pairs and words, in the order of their coefficients."""

    shapes: tuple[Shape, ...]
    pairs: tuple[PairCells, ...] = ()
    words: tuple[Vocabulary, ...] = ()

    @property
    def offset(self) -> Array:
        """Where each shape's and pair's coefficients begin, and where the words' do."""
        sizes = [1, *(s.slots for s in self.shapes), *(c.slots for c in self.pairs)]
        return np.cumsum(sizes, dtype=np.int64)

    @property
    def n_words(self) -> int:
        return sum(len(v.words) for v in self.words)

    @property
    def width(self) -> int:
        """How many coefficients there are."""
        return int(self.offset[-1]) + self.n_words

    @property
    def blocks(self) -> list[slice]:
        """The coefficients of each shape, then of each pair, then of each text's words."""
        ends = self.offset.tolist()
        slices = [slice(a, b) for a, b in pairwise(ends)]
        at = ends[-1]
        for vocabulary in self.words:
            slices.append(slice(at, at + len(vocabulary.words)))
            at += len(vocabulary.words)
        return slices

    def with_pairs(self, pairs: Sequence[PairCells]) -> SlotLayout:
        """The same with these pairs."""
        return replace(self, pairs=tuple(pairs))

    def rows(self, table: Table) -> SlotRows:
        """The rows as slots and words."""
        schema, n = table.schema, len(table)
        slots = np.zeros((len(self.shapes) + len(self.pairs), n), dtype=np.uint16)
        nominal = {id(a): codes for a, codes in table.nominal_columns()}
        numbers, outs, cuts = [], [], []
        for shape, out in zip(self.shapes, slots, strict=False):
            attribute = schema.attributes[shape.attribute]
            if shape.numeric:
                numbers.append(np.ascontiguousarray(numbers_of(table, attribute), dtype=np.float64))
                outs.append(out)
                cuts.append(shape.cuts)
            else:
                places = shape.places(len(attribute.levels)).astype(np.uint16)
                out[:] = places[np.maximum(nominal[id(attribute)], -2)]
        if outs and n:
            none = np.zeros(len(outs), dtype=np.int32)
            _native.forest_codes(numbers, cuts, none, outs, n, cores())
            for shape, out in zip(self.shapes, slots, strict=False):
                if shape.numeric:
                    np.minimum(out, shape.known, out=out)
        for cells, out in zip(self.pairs, slots[len(self.shapes) :], strict=True):
            wide = cells.size[1]
            out[:] = cells.rows[slots[cells.first]] * wide + cells.columns[slots[cells.second]]
        return SlotRows.of(slots, self.offset, *self._word_rows(table))

    def _word_rows(self, table: Table) -> tuple[Array, Array, Array, Array]:
        if not self.n_words:
            return no_words()
        from scipy.sparse import hstack

        both = hstack([v.transform(table) for v in self.words], format="csr")
        both.sum_duplicates()
        by_word = both.tocsc()
        return (
            by_word.indptr.astype(np.int64), by_word.indices.astype(np.int32),
            both.indptr.astype(np.int64), both.indices.astype(np.int32),
        )  # fmt: skip


def layout_of(found: Survey, bins: int, room: int) -> SlotLayout:
    """Slots for all attributes that vary among the rows that were surveyed, at most about `room` of them."""
    schema, ranked, levels = found.schema, found.ranked, found.levels
    taken = sum(len(v.words) for v in found.words)
    kept = _kept_levels(levels, schema, max(room - taken, 50))
    taken += sum(len(attribute_levels) for attribute_levels in kept.values())
    # Bins of a row or two are neighbours that smoothing makes alike, at the price of a slot each.
    bins = min(bins, max(FEWEST_BINS, whole_rows(found.weight) // ROWS_A_BIN))
    bins = fitting_bins(list(ranked.values()), bins, max(room - taken, 2 * len(ranked)))
    shapes = []
    for j, attribute in enumerate(schema.attributes):
        gaps = bool(found.gaps[j])
        if attribute.is_numeric:
            cuts = cuts_of(ranked[j], bins)
            if len(cuts) or (gaps and len(ranked[j].distinct)):
                shapes.append(Shape(j, cuts, _NO_LEVELS, True, True))
        elif attribute.is_nominal:
            varied = int(np.count_nonzero(levels[j])) + gaps
            if varied > 1:
                shapes.append(Shape(j, _NO_CUTS, kept[j], False, bool(attribute.ordered)))
    return SlotLayout(tuple(shapes), (), found.words)


def _kept_levels(levels: dict[int, Floats], schema: Schema, room: int) -> dict[int, Codes]:
    """Of nominal attributes the levels that have rows (of ordinal ones all); the most frequent where room is short."""
    every = {
        j: np.arange(len(counts), dtype=np.int32)
        if schema.attributes[j].ordered
        else np.flatnonzero(counts).astype(np.int32)
        for j, counts in levels.items()
    }
    most = max((len(levels_kept) for levels_kept in every.values()), default=0)
    while most > 2 and sum(min(len(levels_kept), most) for levels_kept in every.values()) > room:
        most = max(2, most * 9 // 10)
    kept_by_attribute = {}
    for j, levels_kept in every.items():
        first = np.argsort(-levels[j][levels_kept], kind="stable")[:most]
        kept_by_attribute[j] = np.sort(levels_kept[first]).astype(np.int32)
    return kept_by_attribute
