"""Rows as distances see them: numbers, codes and word counts, read from a table or a model file.

RawRows            the values of some rows
raw_rows           table -> RawRows
rows_to_arrays     raw rows as plain arrays for a model file
rows_from_arrays   read them back, validating everything
knows              which rows have any value that a distance uses
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry.distance import FittedDistance, codes_of, numbers_of
from acumen.preprocessing.columns import is_missing_text
from acumen.preprocessing.dense import dense_slices
from acumen.preprocessing.stored_arrays import require, stored, stored_codes, stored_floats
from acumen.preprocessing.words import Vocabulary
from acumen.types import UNKNOWN, Array, Bools, Codes, Floats

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


def rows_to_arrays(raw: RawRows) -> dict[str, Array]:
    """Rows as plain arrays."""
    arrays: dict[str, Array] = {"numbers": raw.numbers, "codes": raw.codes}
    for j, (counts, known) in enumerate(zip(raw.words, raw.text_known, strict=True)):
        arrays |= {
            f"text/{j}/counts": np.asarray(counts.data, dtype=np.float64),
            f"text/{j}/columns": counts.indices.astype(np.int32),
            f"text/{j}/ends": counts.indptr.astype(np.int64),
            f"text/{j}/told": known.astype(np.uint8),
        }
    return arrays


def rows_from_arrays(arrays: Mapping[str, Array], schema: Schema, fitted: FittedDistance, n: int) -> RawRows:
    """Read `rows_to_arrays` back, trusting nothing: n rows of such a table."""
    numbers: Floats = stored(arrays, "numbers", np.float64, (n, len(schema.numeric)))
    require(not np.isinf(numbers).any(), "the array 'numbers' holds infinity")
    codes = stored_codes(arrays, "codes", (n, len(schema.nominal)), low=UNKNOWN, below=2**31 - 1)
    sizes = np.array([len(a.levels) for a in schema.nominal], dtype=np.int64)
    require(np.all(codes < sizes), "the array 'codes' names no level")
    words, known = _texts(arrays, fitted, n)
    return RawRows(numbers, codes, words, known)


def _texts(
    arrays: Mapping[str, Array], fitted: FittedDistance, n: int
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    from scipy.sparse import csr_matrix

    words, known = [], []
    for j, vocabulary in enumerate(fitted.vocabularies):
        counts = stored_floats(arrays, f"text/{j}/counts", (None,), low=0.0, high=1e15)
        columns = stored_codes(
            arrays, f"text/{j}/columns", (len(counts),), low=0, below=max(len(vocabulary), 1)
        )
        ends = stored(arrays, f"text/{j}/ends", np.int64, (n + 1,))
        require(
            ends[0] == 0 and ends[-1] == len(counts) and np.all(np.diff(ends) >= 0), "rows of words overlap"
        )
        there = stored(arrays, f"text/{j}/told", np.uint8, (n,))
        require(np.all(there <= 1), "a flag is neither 0 nor 1")
        words.append(csr_matrix((counts, columns, ends), shape=(n, len(vocabulary))))
        known.append(there.astype(np.bool_))
    return tuple(words), tuple(known)


def knows(fitted: FittedDistance, raw: RawRows) -> Bools:
    """Which rows know anything that the distance looks at; of a function, anything at all."""
    layout, has_value = fitted.layout, np.zeros(len(raw), dtype=np.bool_)
    if not layout.numbers and not layout.levels and not layout.text:
        return np.asarray((~np.isnan(raw.numbers)).any(axis=1) | (raw.codes >= 0).any(axis=1))
    has_value |= (~np.isnan(numbers_of(layout, raw))).any(axis=1)
    has_value |= (codes_of(layout, raw) >= 0).any(axis=1)
    for text_known in raw.text_known if layout.text else ():
        has_value |= text_known
    return has_value
