"""What must be known of all rows before slots can be laid out: it is made of sums over blocks, and of a sample.

    Survey       different numbers of each column, weights of levels, where values are missing, ranges, words
    survey_of    rows, wherever they are -> Survey

Of more rows than `ROWS_LOOKED_AT` evenly spaced ones say where numbers are cut.

Where the numbers of a column are cut, by ranks alone: a rising rescaling of the column changes nothing.

RankedValues   a column's distinct numbers and the weights of their rows
cuts_of        at most so many bins of about the same weight; a number that alone weighs as much has a bin of its own
fitting_bins   how many bins all columns may have within a limit of slots
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from acumen.base.attribute_weights import without_ignored
from acumen.conditions.condition import numbers_of
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.preprocessing.words import Vocabulary, WordCounts
from acumen.rows.training_rows import Rows
from acumen.types import Array, Floats

_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, slots=True, eq=False)
class RankedValues:
    """The different numbers of a column, ascending, and the weight of the rows of each."""

    distinct: Floats
    weight: Floats

    @classmethod
    def of(cls, values: Array, weights: Floats) -> RankedValues:
        """`weights` may be empty: then every row weighs one."""
        known = ~np.isnan(values)
        numbers = np.clip(np.asarray(values, dtype=np.float64)[known], -_LARGEST, _LARGEST)
        if weights.size:
            order = np.argsort(numbers, kind="stable")
            numbers, reached = numbers[order], np.cumsum(weights[known][order])
        else:
            numbers = np.sort(numbers)
            reached = np.arange(1.0, len(numbers) + 1.0)
        if not len(numbers):
            return cls(np.empty(0), np.empty(0))
        last = np.append(np.flatnonzero(numbers[1:] != numbers[:-1]), len(numbers) - 1)
        return cls(numbers[last], np.diff(reached[last], prepend=0.0))


def cuts_of(column: RankedValues, bins: int) -> Floats:
    """The cuts between the bins: middles between neighbouring numbers."""
    distinct = column.distinct
    if len(distinct) <= bins:
        at = np.arange(len(distinct) - 1)
    else:
        reach = np.cumsum(column.weight)
        share = reach[-1] / bins
        ends = np.searchsorted(reach, np.arange(1, bins) * share * (1 - 1e-12))
        spikes = np.flatnonzero(column.weight >= share * (1 - 1e-12))
        at = np.unique(np.concatenate([ends, spikes, spikes - 1]))
        at = at[(at >= 0) & (at < len(distinct) - 1)]
    below, above = distinct[at], distinct[at + 1]
    cuts = below / 2 + above / 2
    middles: Floats = np.where((cuts >= below) & (cuts < above), cuts, below)
    return middles


def fitting_bins(columns: Sequence[RankedValues], bins: int, room: int) -> int:
    """The most bins, no more than `bins` and no less than 2, under which all columns fit into so many slots."""
    counts = np.array([len(c.distinct) for c in columns])
    low, high = 2, max(bins, 2)
    while low < high:
        middle = (low + high + 1) // 2
        # Spikes may bring twice as many bins as asked for; that is rare, and room is not a hard limit.
        if int(np.minimum(counts, middle).sum()) <= room:
            low = middle
        else:
            high = middle - 1
    return low


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
    ranked: dict[int, RankedValues]
    levels: dict[int, Floats]
    gaps: Array  # how many values of each are missing
    low: Floats  # the least and the largest number; infinite the wrong way round where there is none
    high: Floats
    words: tuple[Vocabulary, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _LevelWeights:
    """Of some rows what adds."""

    levels: tuple[Floats, ...]
    gaps: Array
    low: Floats
    high: Floats
    words: tuple[WordCounts, ...]

    def __add__(self, other: _LevelWeights) -> _LevelWeights:
        return _LevelWeights(
            tuple(a + b for a, b in zip(self.levels, other.levels, strict=True)),
            self.gaps + other.gaps,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            tuple(a + b for a, b in zip(self.words, other.words, strict=True)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _SampledValues:
    """Columns of rows that were picked, in order."""

    columns: tuple[Array, ...]

    def __add__(self, other: _SampledValues) -> _SampledValues:
        return _SampledValues(tuple(map(np.concatenate, zip(self.columns, other.columns, strict=True))))


def _count_levels(ignored: Floats | None, block: Table) -> _LevelWeights:
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
            known_weights = weights[there] if weights.size else None
            levels.append(np.bincount(codes[there], known_weights, len(attribute.levels)).astype(np.float64))
    texts = block.text_columns()
    words = tuple(WordCounts.of(list(each), weights, attribute=a.name) for a, each in texts)
    return _LevelWeights(tuple(levels), gaps, low, high, words)


def _sample_values(
    places: Sequence[int], step: int, ignored: Floats | None, block: Table, first_row: int
) -> _SampledValues:
    """Every `step`-th row of some numeric attributes, and of the weights."""
    block = without_ignored(block, ignored)
    here = slice(-first_row % step, None, step)
    columns = [numbers_of(block, block.schema.attributes[j])[here].copy() for j in places]
    return _SampledValues((*columns, block.weights[here].copy()))


def survey_of(rows: Rows, ignored: Floats | None = None) -> Survey:
    """Of all rows; `ignored` are attributes' weights, of which 0 leaves one out."""
    schema, step = rows.schema, _step(len(rows))
    counted = rows.sum(partial(_count_levels, ignored))
    numeric = [j for j, attribute in enumerate(schema.attributes) if attribute.is_numeric]
    at_once = max(1, _AT_ONCE // (len(rows) // step + 1))
    ranked: dict[int, RankedValues] = {}
    for first in range(0, len(numeric), at_once):
        some = numeric[first : first + at_once]
        *columns, weights = rows.sum(partial(_sample_values, some, step, ignored), numbered=True).columns
        ranked |= {j: RankedValues.of(column, weights) for j, column in zip(some, columns, strict=True)}
    nominal = [j for j, attribute in enumerate(schema.attributes) if attribute.is_nominal]
    levels = dict(zip(nominal, counted.levels, strict=True))
    words = tuple(Vocabulary.of(counts, min_count=1, max_words=MOST_WORDS) for counts in counted.words)
    return Survey(schema, rows.weight, ranked, levels, counted.gaps, counted.low, counted.high, words)


def _step(rows: int) -> int:
    return max(1, rows // ROWS_LOOKED_AT)
