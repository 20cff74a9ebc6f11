"""Rows that models keep to compare others with, in model files; and what rows know.

rows_to_arrays     raw rows as plain arrays
rows_from_arrays   the same back, trusting nothing
knows              which rows know anything that a distance looks at
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from acumen.data.schema import Schema
from acumen.geometry.distance import Fitted, codes_of, numbers_of
from acumen.geometry.raw_rows import RawRows
from acumen.preprocessing.stored_arrays import require, stored, stored_codes, stored_floats
from acumen.types import UNKNOWN, Array, Bools, Floats


def rows_to_arrays(raw: RawRows) -> dict[str, Array]:
    """Rows as plain arrays."""
    arrays: dict[str, Array] = {"numbers": raw.numbers, "codes": raw.codes}
    for j, (counts, told) in enumerate(zip(raw.words, raw.told, strict=True)):
        arrays |= {
            f"text/{j}/counts": np.asarray(counts.data, dtype=np.float64),
            f"text/{j}/columns": counts.indices.astype(np.int32),
            f"text/{j}/ends": counts.indptr.astype(np.int64),
            f"text/{j}/told": told.astype(np.uint8),
        }
    return arrays


def rows_from_arrays(arrays: Mapping[str, Array], schema: Schema, fitted: Fitted, n: int) -> RawRows:
    """Read `rows_to_arrays` back, trusting nothing: n rows of such a table."""
    numbers: Floats = stored(arrays, "numbers", np.float64, (n, len(schema.numeric)))
    require(not np.isinf(numbers).any(), "the array 'numbers' holds infinity")
    codes = stored_codes(arrays, "codes", (n, len(schema.nominal)), low=UNKNOWN, below=2**31 - 1)
    sizes = np.array([len(a.levels) for a in schema.nominal], dtype=np.int64)
    require(np.all(codes < sizes), "the array 'codes' names no level")
    words, told = _texts(arrays, fitted, n)
    return RawRows(numbers, codes, words, told)


def _texts(arrays: Mapping[str, Array], fitted: Fitted, n: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    from scipy.sparse import csr_matrix

    words, told = [], []
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
        told.append(there.astype(np.bool_))
    return tuple(words), tuple(told)


def knows(fitted: Fitted, raw: RawRows) -> Bools:
    """Which rows know anything that the distance looks at; of a function, anything at all."""
    layout, made = fitted.layout, np.zeros(len(raw), dtype=np.bool_)
    if not layout.numbers and not layout.levels and not layout.text:
        return np.asarray((~np.isnan(raw.numbers)).any(axis=1) | (raw.codes >= 0).any(axis=1))
    made |= (~np.isnan(numbers_of(layout, raw))).any(axis=1)
    made |= (codes_of(layout, raw) >= 0).any(axis=1)
    for told in raw.told if layout.text else ():
        made |= told
    return made
