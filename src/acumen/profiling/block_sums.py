"""The statistics a data card needs of each block of rows; they add.

    Cuts        where sorted columns are cut into slices, and how many rows there are in all
    BlockSums   what a block comes to: counts, moments, classes; `+` is what both blocks come to

What does not add in little room (how many numbers differ, quartiles, rows that repeat) is found slice by slice;
see `sorted_slices` and `row_keys`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.profiling.card import columns_of
from acumen.profiling.figures import share
from acumen.profiling.findings import StepPattern
from acumen.profiling.leaks import SUPPORT, Leak, missing_leak, pure_levels
from acumen.profiling.levels import LevelTally, TextTally
from acumen.profiling.numeric import Moments, block_moments
from acumen.profiling.pictures import absences, absent_counts
from acumen.types import Array, Codes, Floats, Indices

#: A level in whose rows no class has been seen, and one in whose rows several have.
_NONE, _SEVERAL = -1, -2


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Where each numeric column is cut, a numeric target's behind the inputs'; `ends` of the map of missing values."""

    columns: tuple[Floats, ...]
    ends: Indices


def numbers_of(table: Table) -> list[Floats]:
    """The numeric columns, followed by a numeric target."""
    columns = list(table.numeric.columns)
    return columns if table.response is None else [*columns, table.response]


@dataclass(frozen=True, slots=True, eq=False)
class NumberSums:
    """Statistics of a numeric column. `slices` is the weight of finite values in each slice; see `Cuts`."""

    missing: int
    missing_mass: float
    total: float
    above: int  # infinite values
    below: int
    moments: Moments
    steps: StepPattern
    slices: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats, cuts: Floats) -> NumberSums:
        absent = np.isnan(values)
        missing = int(np.count_nonzero(absent))
        finite = np.isfinite(values)
        if weights.size:
            finite &= weights > 0
        places = np.searchsorted(cuts, values[finite], side="right")
        slices = np.bincount(places, weights[finite] if weights.size else None, len(cuts) + 1)
        return cls(
            missing,
            float(weights[absent].sum()) if weights.size else float(missing),
            float(weights.sum()) if weights.size else float(len(values)),
            int(np.count_nonzero(values == np.inf)),
            int(np.count_nonzero(values == -np.inf)),
            block_moments(values, weights),
            StepPattern.of(values),
            slices.astype(np.float64),
        )

    def __add__(self, other: NumberSums) -> NumberSums:
        return NumberSums(
            self.missing + other.missing,
            self.missing_mass + other.missing_mass,
            self.total + other.total,
            self.above + other.above,
            self.below + other.below,
            self.moments + other.moments,
            self.steps + other.steps,
            self.slices + other.slices,
        )

    @property
    def missing_share(self) -> float | None:
        return share(self.missing_mass, self.total)


@dataclass(frozen=True, slots=True, eq=False)
class LevelSums:
    """Statistics of a nominal column: its levels, and the class of each as long as all its rows have the same one."""

    tally: LevelTally
    classes: Codes
    classed: Indices  # rows of each level that have a class

    @classmethod
    def of(cls, codes: Codes, labels: Codes | None, weights: Floats, levels: int) -> LevelSums:
        tally = LevelTally.of(codes, weights, levels)
        classes = np.full(levels, _NONE, dtype=np.int32)
        if labels is None:
            return cls(tally, classes, np.zeros(levels, dtype=np.int64))
        chosen = (labels >= 0) & (codes >= 0)
        c, y = codes[chosen], labels[chosen]
        classes[c] = y
        classes[c[classes[c] != y]] = _SEVERAL
        return cls(tally, classes, np.bincount(c, minlength=levels))

    def __add__(self, other: LevelSums) -> LevelSums:
        one, two = self.classes, other.classes
        both = np.where(one == _NONE, two, np.where((two == _NONE) | (two == one), one, _SEVERAL))
        return LevelSums(self.tally + other.tally, both.astype(np.int32), self.classed + other.classed)

    def leak(self, classes: Indices, attributes: int) -> Leak | None:
        """Whether the levels determine the class; `classes` are the rows of each class where a level is known."""
        rows = int(self.classed.sum())
        if not rows or np.any(self.classes == _SEVERAL):
            return None
        sizes = self.classed[self.classed > 0]
        pieces = pure_levels(len(sizes), int(sizes[sizes >= SUPPORT].sum()), classes, attributes)
        return Leak("levels", rows, pieces) if pieces else None


@dataclass(frozen=True, slots=True, eq=False)
class BlockSums:
    """The statistics of one or more blocks; lists are in the order of the attributes of each kind."""

    rows: int
    total_weight: float
    numbers: tuple[NumberSums, ...]
    levels: tuple[LevelSums, ...]
    texts: tuple[TextTally, ...]
    labels: LevelTally | None
    #: For each input the rows of each class where it is known, and where it is not.
    there: tuple[Indices, ...]
    gone: tuple[Indices, ...]
    absent: Floats  # (inputs, stretches) missing values

    def __add__(self, other: BlockSums) -> BlockSums:
        return BlockSums(
            self.rows + other.rows,
            self.total_weight + other.total_weight,
            _add_each(self.numbers, other.numbers),
            _add_each(self.levels, other.levels),
            _add_each(self.texts, other.texts),
            None if self.labels is None or other.labels is None else self.labels + other.labels,
            _add_each(self.there, other.there),
            _add_each(self.gone, other.gone),
            self.absent + other.absent,
        )

    def missing_leak(self, place: int, attributes: int) -> Leak | None:
        """Whether a missing value in this input determines the class."""
        if not self.there:
            return None
        return missing_leak(self.there[place], self.gone[place], attributes)


def _add_each(one: tuple[Any, ...], two: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a + b for a, b in zip(one, two, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Summing:
    """The function that tasks receive: a block and the number of its first row -> its statistics."""

    cuts: Cuts

    def __call__(self, block: Table, first_row: int) -> BlockSums:
        weights, labels, schema = block.weights, block.labels, block.schema
        numbers = [
            NumberSums.of(values, weights, cuts)
            for values, cuts in zip(numbers_of(block), self.cuts.columns, strict=True)
        ]
        levels = [
            LevelSums.of(codes, labels, weights, len(attribute.levels))
            for attribute, codes in block.nominal_columns()
        ]
        there, gone, absent = [], [], []
        for attribute, values in columns_of(block):
            absent.append(absent_counts(attribute, values, first_row, self.cuts.ends))
            if labels is not None:
                known = values >= 0 if attribute.is_nominal else ~absences(attribute, values)
                there.append(_classes(labels[known], schema.n_classes))
                gone.append(_classes(labels[~known], schema.n_classes))
        return BlockSums(
            len(block),
            block.total_weight,
            tuple(numbers),
            tuple(levels),
            tuple(TextTally.of(strings, weights) for _, strings in block.text_columns()),
            None if labels is None else LevelTally.of(labels, weights, schema.n_classes),
            tuple(there),
            tuple(gone),
            np.array(absent).reshape(len(absent), -1),
        )


def _classes(labels: Array, n: int) -> Indices:
    return np.bincount(labels[labels >= 0], minlength=n)
