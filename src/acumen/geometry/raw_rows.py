"""Rows as distances see them: numbers, codes and word counts.

RawRows          the values of some rows
raw_rows         table -> RawRows
decimal_places   the number of decimals that a column's values have, so that differences are exact
in_units         numbers as whole multiples of their last decimal place
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.errors import DataError
from acumen.preprocessing.columns import is_missing_text
from acumen.preprocessing.sparse import dense_slices
from acumen.preprocessing.words import Vocabulary
from acumen.types import Array, Bools, Codes, Floats

#: A sparse table that would take more bytes than this when written out is refused.
LARGEST = 1 << 30
#: Beyond this the difference of two numbers may overflow.
_FURTHEST = 8e307
#: Digits behind the point that are looked for.
_MOST_PLACES = 6


@dataclass(frozen=True, slots=True, eq=False)
class RawRows:
    """Rows in their own units."""

    numbers: Floats  # (rows, numeric attributes)
    codes: Codes  # (rows, nominal attributes)
    words: tuple[Any, ...] = ()  # a CSR matrix of counts for each text attribute
    text_known: tuple[Bools, ...] = ()  # for each text attribute, which rows have a text

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Array) -> RawRows:
        """Some rows."""
        return RawRows(
            np.ascontiguousarray(self.numbers[rows]),
            np.ascontiguousarray(self.codes[rows]),
            tuple(counts[rows] for counts in self.words),
            tuple(there[rows] for there in self.text_known),
        )

    @property
    def gaps(self) -> bool:
        """Whether a value is missing."""
        return bool(
            np.isnan(self.numbers).any()
            or (self.codes < 0).any()
            or not all(t.all() for t in self.text_known)
        )


def raw_rows(table: Table, vocabularies: Sequence[Vocabulary], who: str) -> RawRows:
    """A table's inputs as plain arrays; texts by the words of the vocabularies."""
    n, d = len(table), len(table.schema.numeric)
    if table.sparse is not None and 8 * n * d > LARGEST:
        raise DataError(
            f"{who}: written out, {n} sparse rows of {d} attributes would take {8 * n * d / 2**30:.1f} GB; choose "
            "fewer attributes or rows."
        )
    numbers = np.empty((n, d))
    for part, block in dense_slices(table):
        numbers[part] = block.matrix()
    # Without a copy of all: the ends are NaN where a value is.
    if numbers.size and not (numbers.max() <= _FURTHEST and numbers.min() >= -_FURTHEST):
        numbers[np.isinf(numbers)] = np.nan
        np.clip(numbers, -_FURTHEST, _FURTHEST, out=numbers)
    codes = np.empty((n, len(table.schema.nominal)), dtype=np.int32)
    for j, column in enumerate(table.nominal.columns):
        codes[:, j] = column
    words = tuple(vocabulary.transform(table) for vocabulary in vocabularies)
    known = tuple(~is_missing_text(column) for column in table.text[: len(words)])
    return RawRows(numbers, codes, words, known)


def decimal_places(column: Floats) -> int:
    """Digits behind the point of all known numbers, at most six; -1 where some have more, or are huge.

    Numbers people wrote down are whole in units of their last digit, and whole numbers have exact differences: 0.3 -
    0.2 and 0.2 - 0.1 are one and the same only then.
    """
    places = 0
    for some in (column[:256], column):  # most columns that have more places show it at once
        known = some[~np.isnan(some)]
        places = _places(known) if len(known) else 0
        if places < 0:
            return -1
    return places


def _places(values: Floats) -> int:
    for places in range(_MOST_PLACES + 1):
        ten = 10.0**places
        whole = np.rint(values * ten)
        if (np.abs(whole) < 2.0**46).all() and (whole / ten == values).all():
            return places
    return -1


def in_units(values: Floats, places: int) -> Floats:
    """Numbers counted in units of a decimal place; exactly, where they have no more places."""
    if places <= 0:
        return values
    ten = 10.0**places
    moved = values * ten
    whole = np.rint(moved)
    return np.where(whole / ten == values, whole, moved)
