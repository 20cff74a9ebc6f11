"""Folds dealt by what rows hold, so that nothing else about a table moves a row.

    content_folds   table -> a fold for each row: equal rows share one, and each class is spread evenly over the folds
    deal            the same of columns, however they were come by

Neither the order of rows nor repetition plays a part, nor do units of numbers, names of levels, classes and columns, or
the order of columns. Rows get colours that say how they lie among the others, as nodes of a graph do (Weisfeiler and
Leman 1968): a number is known by its rank, a level by the rows that have it, a column by its values, and a row by its
class and by its values in all columns, in whatever order. Rows in the order of their colours are dealt out in turn.
Only where rows have one colour, each being the mirror image of the other, does their order follow from their cells.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from acumen.data.table import Table
from acumen.types import MISSING, Array, Codes, Floats, Indices

_ROUNDS = 2
#: Sums of whole numbers of so many bits stay exact in doubles, for any number of rows that memory holds.
_BITS = 22
_ABSENT, _CLASS, _LEVEL = (np.uint64(seed) for seed in range(1, 4))
_KINDS = ("number", "rank", "level", "text")


def content_folds(table: Table, k: int) -> Codes:
    """A fold from 0 to k - 1 for each row of a table."""
    columns = [Column("number", values) for _, values in table.numeric_columns()]
    columns += [
        Column("rank" if attribute.ordered else "level", codes)
        for attribute, codes in table.nominal_columns()
    ]
    columns += [
        Column("text", np.array([zlib.crc32(str(text).encode()) for text in texts], dtype=np.uint64))
        for _, texts in table.text_columns()
    ]
    labels = np.full(len(table), MISSING, dtype=np.int32) if table.labels is None else table.labels
    return deal(columns, labels, k)


def deal(columns: Sequence[Column], labels: Codes, k: int, numbers: Floats | None = None) -> Codes:
    """A fold for each row by its values in some columns, and by the classes that rows of the same values have.

    With `numbers`, the target of a regressor that is one of the columns too, rows are dealt out in its order.
    """
    if not len(labels):
        return np.empty(0, dtype=np.int32)
    cells = _cell_hashes(columns, len(labels))
    _, first, row_of = np.unique(cells, return_index=True, return_inverse=True)
    row_of = row_of.ravel()
    inputs = [one for one in (column.colour(first) for column in columns) if len(one.values) > 1]
    owner, label = _labels(labels, row_of)
    classes = _mix(np.where(np.arange(int(label.max()) + 1) == 0, _ABSENT, _CLASS))
    shared = _sums(owner, classes[label], len(first))
    rows = _row_colours(inputs, shared)
    for _ in range(_ROUNDS):
        for one in inputs:
            one.values = _mix(one.values ^ _sums(one.value_of, rows, len(one.values)))
            one.colour = _mix(one.colour ^ _total(one.values))
        classes = _mix(classes ^ _sums(label, rows[owner], len(classes)))
        shared = _sums(owner, classes[label], len(first))
        rows = _row_colours(inputs, shared)
    before = [] if numbers is None else [numbers[first]]
    order = np.lexsort((cells[first], rows, shared, *before))
    fold_of = np.empty(len(first), dtype=np.int32)
    fold_of[order] = np.arange(len(first)) % k
    return fold_of[row_of]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The values of rows: numbers (NaN missing), codes of ranks or of levels (below 0 missing), or hashes of texts."""

    kind: Literal["number", "rank", "level", "text"]
    cells: Array

    @property
    def bits(self) -> Array:
        """A whole number for each cell, the same for the same value."""
        if self.kind == "number":
            return (
                np.where(self.cells == 0, 0.0, self.cells).astype(np.float64).view(np.uint64)
            )  # -0.0 is 0.0
        return self.cells if self.kind == "text" else self.cells.astype(np.int64).view(np.uint64)

    def colour(self, rows: Indices) -> _Coloured:
        """Some rows: numbers and ranks by their place among the others, levels all alike, texts by what they say."""
        cells = self.cells[rows]
        if self.kind == "number":
            cells = np.where(cells == 0, 0.0, cells)
        values, value_of = np.unique(cells, return_inverse=True)
        missing = np.isnan(values) if self.kind == "number" else np.asarray(values < 0)
        if self.kind == "text":
            colours = values
        elif self.kind == "level":
            colours = np.where(missing, values.astype(np.int64).view(np.uint64), _LEVEL)
        else:
            ranks = np.cumsum(~missing).astype(np.uint64) + _LEVEL
            colours = np.where(missing, _ABSENT, ranks)
        return _Coloured(value_of.ravel(), _mix(colours), np.uint64(_KINDS.index(self.kind)))


@dataclass(slots=True)
class _Coloured:
    """The value of each row by its number, and the colours of the values and of the column."""

    value_of: Indices
    values: Array
    colour: Any


def _row_colours(columns: Sequence[_Coloured], shared: Array) -> Array:
    """What rows are by their classes and their values; the order of columns plays no part in a sum."""
    colours = shared.copy()
    with np.errstate(over="ignore"):
        for column in columns:
            colours += _mix(column.colour ^ column.values)[column.value_of]
    return _mix(colours)


def _labels(labels: Codes, row_of: Indices) -> tuple[Indices, Indices]:
    """Which classes different rows have, however often: the number of a row, and a code from 0, which is no class."""
    codes = labels.astype(np.int64) + 1
    width = int(codes.max()) + 1
    pairs = np.unique(row_of * width + codes)
    return pairs // width, pairs % width


def _cell_hashes(columns: Sequence[Column], n_rows: int) -> Array:
    """A number for each row that two rows share where all their cells are equal."""
    mixed = np.zeros(n_rows, dtype=np.uint64)
    for j, column in enumerate(columns):
        mixed = _mix(mixed ^ (column.bits + np.uint64(j)))
    return mixed


# -- colours --------------------------------------------------------------------------------------


def _sums(places: Indices, colours: Array, size: int) -> Array:
    """The sum of the colours at each place, modulo 2^64, whatever their order."""
    total = np.zeros(size, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for shift in range(0, 64, _BITS):
            part = (colours >> np.uint64(shift)) & np.uint64(2**_BITS - 1)
            total += np.bincount(places, part.astype(np.float64), size).astype(np.uint64) << np.uint64(shift)
    return total


def _total(colours: Array) -> Any:
    with np.errstate(over="ignore"):
        return np.add.reduce(_mix(colours))


def _mix(z: Any) -> Any:
    """splitmix64's last steps: every bit of the answer depends on every bit given."""
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
