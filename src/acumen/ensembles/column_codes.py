"""Columns as codes of one or two bytes: what forests and stumps are grown from and walk down by.

    ColumnCoding   the columns, where the numbers of each are cut, and how many codes each has

A number's code is how many cuts of its column lie below it. A column of few different numbers is cut between each two
neighbours, so that nothing is lost; one of more has `bins` slots of about as many rows each. Cuts are shared by all
trees and know no label. Levels are their own codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.trees.candidate_inputs import inputs_of
from acumen.trees.inputs import Input, Inputs
from acumen.types import Array, Codes, Floats

CodeRows = npt.NDArray[np.uint16]
#: More levels than these have no code of their own: such are taken as never seen.
MOST_LEVELS: Final = 65_534
#: Of more rows than these, so many evenly spaced ones say where numbers are cut.
ROWS_LOOKED_AT: Final = 200_000
_NARROW = 255
_MANY_ROWS = 5_000
_LARGEST = np.finfo(np.float64).max
_NO_CUTS: Floats = np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCoding:
    """How rows become codes."""

    inputs: Inputs
    cuts: tuple[Floats, ...]  # of each column; empty for levels
    slots: Codes  # how many codes each column has

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def width(self) -> int:
        """Columns of codes that a row has: one at least, so that a tree without a test can be walked."""
        return max(len(self), 1)

    def nominal(self, schema: Schema) -> npt.NDArray[np.uint8]:
        """Which columns have levels without an order; two levels have one by themselves."""
        flags = [
            not column.is_numeric(schema) and not column.is_ordered(schema) and slots > 2
            for column, slots in zip(self.inputs.columns, self.slots.tolist(), strict=True)
        ]
        return np.array(flags, dtype=np.uint8)

    def rows(self, table: Table) -> CodeRows:
        """The codes of each row, side by side."""
        codes = np.zeros((len(table), self.width), dtype=np.uint16)
        self._write(table, [codes[:, j] for j in range(len(self))])
        return codes

    def columns(self, table: Table) -> list[Array]:
        """The codes of each column, in one byte where that holds them."""
        columns: list[Array] = [
            np.empty(len(table), dtype=np.uint8 if slots <= _NARROW else np.uint16) for slots in self.slots
        ]
        self._write(table, columns)
        return columns

    def _write(self, table: Table, out: Sequence[Array]) -> None:
        if len(self) and len(table):
            columns = self.inputs.of_table(table)
            _native.forest_codes(columns, list(self.cuts), self.slots, list(out), len(table), cores())

    # -- model files ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        ends = np.cumsum([len(cuts) for cuts in self.cuts], dtype=np.int64)
        return {
            **self.inputs.to_arrays(),
            "cuts": np.concatenate([_NO_CUTS, *self.cuts]),
            "cut_ends": np.asarray(ends, dtype=np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        inputs = Inputs.from_arrays(arrays, schema)
        require(len(inputs) < 2**16, "there are more columns than a node can name")
        flat = stored_floats(arrays, "cuts", (None,))
        ends = stored_array(arrays, "cut_ends", np.int64, (len(inputs),))
        starts = np.concatenate([[0], ends]).astype(np.int64)
        require(np.all(np.diff(starts) >= 0) and starts[-1] == len(flat), "the cuts do not fit their ends")
        cuts = tuple(flat[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
        for column, column_cuts in zip(inputs.columns, cuts, strict=True):
            numeric = column.is_numeric(schema)
            require(numeric or not len(column_cuts), "a column of levels has cuts")
            require(
                len(column_cuts) < MOST_LEVELS and np.all(np.diff(column_cuts) > 0),
                "the cuts of a column do not ascend",
            )
        return cls(inputs, cuts, _slots(inputs, cuts, schema))


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumns:
    """Training rows as codes, and the least and largest number in each slot."""

    coding: ColumnCoding
    columns: list[Array]
    low: list[Floats]
    high: list[Floats]
    nominal: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, table: Table, bins: int) -> Self:
        """Cuts by these rows and what they weigh, and their codes."""
        inputs, step = inputs_of(table), step_of(len(table))
        values = [column[::step] for column in inputs.of_table(table)]
        plan = cls.plan(inputs, values, table.weights[::step], bins, table.schema)
        return replace(plan, columns=plan.coding.columns(table))

    @classmethod
    def plan(
        cls, inputs: Inputs, values: Sequence[Array], weights: Floats, bins: int, schema: Schema
    ) -> Self:
        """Cuts by the values of rows that are looked at, and no rows yet; values of levels are ignored."""

        def cut(column: Input, values: Array) -> tuple[Floats, Floats, Floats]:
            numeric = column.is_numeric(schema)
            return _cut(values, weights, bins) if numeric else (_NO_CUTS, _NO_CUTS, _NO_CUTS)

        # numpy sorts without holding the interpreter, so columns go over threads
        many = max(map(len, values), default=0) >= _MANY_ROWS
        with ThreadPoolExecutor(cores() if many else 1) as pool:
            cuts_and_ends = list(pool.map(cut, inputs.columns, values))
        cuts = tuple(cut for cut, _, _ in cuts_and_ends)
        coding = ColumnCoding(inputs, cuts, _slots(inputs, cuts, schema))
        low, high = [low for _, low, _ in cuts_and_ends], [high for _, _, high in cuts_and_ends]
        return cls(coding, [], low, high, coding.nominal(schema))


def step_of(rows: int) -> int:
    """Every how many-th row is looked at to say where numbers are cut."""
    return max(1, rows // ROWS_LOOKED_AT)


def _slots(inputs: Inputs, cuts: Sequence[Floats], schema: Schema) -> Codes:
    n_slots = [
        len(column_cuts) + 1 if column.is_numeric(schema) else min(column.n_levels(schema), MOST_LEVELS)
        for column, column_cuts in zip(inputs.columns, cuts, strict=True)
    ]
    return np.array(n_slots, dtype=np.int32)


def _cut(values: Array, weights: Floats, bins: int) -> tuple[Floats, Floats, Floats]:
    """The cuts of a column of numbers, and the least and the largest number of each slot."""
    there = ~np.isnan(values)
    known = values[there]
    if not len(known):
        return _NO_CUTS, np.zeros(1), np.zeros(1)
    if weights.size:
        order = np.argsort(known, kind="stable")
        known, reached = known[order], np.cumsum(weights[there][order])
    else:
        known = np.sort(known)
    known = np.clip(known, -_LARGEST, _LARGEST)
    last = np.append(np.flatnonzero(known[1:] != known[:-1]), len(known) - 1)  # where each number ends
    distinct = known[last]
    if len(distinct) <= bins:
        at = np.arange(len(distinct) - 1)
    else:
        reach = reached[last] if weights.size else last + 1.0
        at = np.unique(np.searchsorted(reach, np.arange(1, bins) * (reach[-1] / bins)))
        at = at[at < len(distinct) - 1]
    below, above = distinct[at], distinct[at + 1]
    cuts = below / 2 + above / 2
    cuts = np.where((cuts >= below) & (cuts < above), cuts, below)
    starts, ends = np.append(0, at + 1), np.append(at, len(distinct) - 1)
    return cuts, distinct[starts], distinct[ends]
