"""What must be known of all rows before slots can be laid out: it is made of sums over blocks, and of a sample.

    Survey       different numbers of each column, weights of levels, where values are missing, ranges, words
    survey_of    rows, wherever they are -> Survey

Of more rows than `ROWS_LOOKED_AT` evenly spaced ones say where numbers are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from acumen.additive.binning import Ranked
from acumen.base.attribute_weights import without_ignored
from acumen.conditions.condition import numbers_of
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.preprocessing.words import Vocabulary, WordCounts
from acumen.rows.training_rows import Rows
from acumen.types import Array, Floats

ROWS_LOOKED_AT: Final = 500_000
#: Words that a text brings at most.
MOST_WORDS: Final = 500
#: Numbers that are brought together at a time.
_AT_ONCE: Final = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """By attribute, as the schema has them."""

    schema: Schema
    weight: float  # of all rows
    ranked: dict[int, Ranked]
    levels: dict[int, Floats]
    gaps: Array  # how many values of each are missing
    low: Floats  # the least and the largest number; infinite the wrong way round where there is none
    high: Floats
    words: tuple[Vocabulary, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Of some rows what adds."""

    levels: tuple[Floats, ...]
    gaps: Array
    low: Floats
    high: Floats
    words: tuple[WordCounts, ...]

    def __add__(self, other: _Counted) -> _Counted:
        return _Counted(
            tuple(a + b for a, b in zip(self.levels, other.levels, strict=True)),
            self.gaps + other.gaps,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            tuple(a + b for a, b in zip(self.words, other.words, strict=True)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Picked:
    """Columns of rows that were picked, in order."""

    columns: tuple[Array, ...]

    def __add__(self, other: _Picked) -> _Picked:
        return _Picked(tuple(map(np.concatenate, zip(self.columns, other.columns, strict=True))))


def _counted(ignored: Floats | None, block: Table) -> _Counted:
    block = without_ignored(block, ignored)
    n = len(block.schema.attributes)
    gaps = np.zeros(n, dtype=np.int64)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    codes_of = {id(a): codes for a, codes in block.nominal_columns()}
    weights, levels = block.weights, []
    for j, attribute in enumerate(block.schema.attributes):
        if attribute.is_numeric:
            values = numbers_of(block, attribute)
            gaps[j] = np.count_nonzero(np.isnan(values))
            known = values[np.isfinite(values)]
            low[j], high[j] = known.min(initial=np.inf), known.max(initial=-np.inf)
        elif attribute.is_nominal:
            codes = codes_of[id(attribute)]
            there = codes >= 0
            gaps[j] = len(codes) - np.count_nonzero(there)
            own = weights[there] if weights.size else None
            levels.append(np.bincount(codes[there], own, len(attribute.levels)).astype(np.float64))
    texts = block.text_columns()
    words = tuple(WordCounts.of(list(each), weights, attribute=a.name) for a, each in texts)
    return _Counted(tuple(levels), gaps, low, high, words)


def _picked(
    places: Sequence[int], step: int, ignored: Floats | None, block: Table, first_row: int
) -> _Picked:
    """Every `step`-th row of some numeric attributes, and of the weights."""
    block = without_ignored(block, ignored)
    here = slice(-first_row % step, None, step)
    columns = [numbers_of(block, block.schema.attributes[j])[here].copy() for j in places]
    return _Picked((*columns, block.weights[here].copy()))


def survey_of(rows: Rows, ignored: Floats | None = None) -> Survey:
    """Of all rows; `ignored` are attributes' weights, of which 0 leaves one out."""
    schema, step = rows.schema, _step(len(rows))
    counted = rows.sum(partial(_counted, ignored))
    numeric = [j for j, attribute in enumerate(schema.attributes) if attribute.is_numeric]
    at_once = max(1, _AT_ONCE // (len(rows) // step + 1))
    ranked: dict[int, Ranked] = {}
    for first in range(0, len(numeric), at_once):
        some = numeric[first : first + at_once]
        *columns, weights = rows.sum(partial(_picked, some, step, ignored), numbered=True).columns
        ranked |= {j: Ranked.of(column, weights) for j, column in zip(some, columns, strict=True)}
    nominal = [j for j, attribute in enumerate(schema.attributes) if attribute.is_nominal]
    levels = dict(zip(nominal, counted.levels, strict=True))
    words = tuple(Vocabulary.of(counts, min_count=1, max_words=MOST_WORDS) for counts in counted.words)
    return Survey(schema, rows.weight, ranked, levels, counted.gaps, counted.low, counted.high, words)


def _step(rows: int) -> int:
    return max(1, rows // ROWS_LOOKED_AT)
