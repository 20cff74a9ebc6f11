"""Which coefficients an additive model has: slots of attributes, cells of pairs, words of texts.

    Shape        one attribute: bins of numbers or levels, then a slot for missing values (and one for unknown levels)
    PairCells    a pair of shapes: groups of the slots of both
    SlotLayout   all of them; turns rows into slots

Coefficient 0 is the constant, then come the shapes' slots, the pairs' cells, and the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.additive.survey import Survey, cuts_of, fitting_bins
from acumen.conditions.condition import numbers_of
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.preprocessing.words import Vocabulary
from acumen.rows.weights import whole_rows
from acumen.types import Array, Codes, Floats, Indices

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
    def n_values(self) -> int:
        """The number of slots for known values."""
        return len(self.cuts) + 1 if self.numeric else len(self.levels)

    @property
    def slots(self) -> int:
        """With that of missing values, and of levels that have none of their own."""
        return self.n_values + (1 if self.numeric else 2)

    def places(self, n_levels: int) -> Codes:
        """Of a nominal attribute the slot of each code: levels first, then of -1 and of -2 (as numpy counts back)."""
        slots = np.full(n_levels + 2, self.n_values + 1, dtype=np.int32)
        slots[self.levels] = np.arange(len(self.levels))
        slots[-1] = self.n_values
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
                    np.minimum(out, shape.n_values, out=out)
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


# -- rows as slots --------------------------------------------------------------------------------
#
# Rows as the slots that their columns fall into: what sums over rows are made from.
#
# SlotRows   slots by column, words by row and by word; scores, sums, two-way tables and quadratic forms


_SHARED = 100_000
Slots = npt.NDArray[np.uint16]
Words = tuple[Array, Array, Array, Array]


def no_words() -> Words:
    """What rows without texts have."""
    starts, indices = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    return starts, indices, starts, indices


@dataclass(frozen=True, slots=True, eq=False)
class SlotRows:
    """Rows of an additive model; see native/kernels/additive/additive.hpp."""

    slots: Slots  # (columns, rows)
    offset: Array
    words: Words
    kernel: Any

    @classmethod
    def of(cls, slots: Slots, offset: Array, *words: Array) -> SlotRows:
        word_rows = words or no_words()
        offset = np.ascontiguousarray(offset, dtype=np.int64)
        kernel = _native.AdditiveRows(slots, offset, *word_rows)
        return cls(slots, offset, word_rows, kernel)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return int(self.slots.shape[1])

    @property
    def width(self) -> int:
        """How many coefficients rows meet."""
        return int(self.offset[-1]) + max(len(self.words[0]) - 1, 0)

    @property
    def threads(self) -> int:
        """Few rows are not worth waking another thread for."""
        return cores() if self.slots.size > _SHARED else 1

    def take(self, places: Indices) -> SlotRows:
        """Some of the rows."""
        words = self.words
        if len(words[0]):
            from scipy.sparse import csr_matrix

            shape = len(self), len(words[0]) - 1
            by_row = csr_matrix((np.ones(len(words[3]), dtype=np.int8), words[3], words[2]), shape)[places]
            by_word = by_row.tocsc()
            words = (
                by_word.indptr.astype(np.int64), by_word.indices.astype(np.int32),
                by_row.indptr.astype(np.int64), by_row.indices.astype(np.int32),
            )  # fmt: skip
        return SlotRows.of(np.ascontiguousarray(self.slots[:, places]), self.offset, *words)

    def scores(self, coefficients: Floats) -> Floats:
        """The sum of each row's coefficients; (rows, lines) for (width, lines)."""
        scores = np.empty((len(self), coefficients.shape[1]))
        if scores.size:
            self.kernel.scores(np.ascontiguousarray(coefficients), scores, self.threads)
        return scores

    def sums(self, values: Floats) -> Floats:
        """Sums of (rows, lines) over the rows of each coefficient."""
        sums = np.empty((self.width, values.shape[1]))
        self.kernel.sums(np.ascontiguousarray(values), sums, self.threads)
        return sums

    def tables(self, weight: Floats) -> Floats:
        """Sums of a weight over the rows that have both of two coefficients."""
        tables = np.empty((self.width, self.width))
        self.kernel.tables(np.ascontiguousarray(weight), tables, self.threads)
        return tables

    def forms(self, matrix: Floats) -> Floats:
        """x' M x of each row."""
        forms = np.empty(len(self))
        if forms.size:
            self.kernel.forms(np.ascontiguousarray(matrix), forms, self.threads)
        return forms
