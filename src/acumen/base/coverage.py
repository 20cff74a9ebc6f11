"""Which rows each of many rules covers: every different condition judged once, the answers kept as bits.

    Coverage       the bits of each rule's rows
    first_covers   for each row the first rule that covers it

A rule's rows are the AND of its conditions' bits, 64 rows at a step; a condition that several rules share is
judged for the first of them only. The number of the first rule is put together from bits too: one line of bits
for each binary digit, so that no rule costs a pass over whole numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from acumen.base.condition import Condition
from acumen.data.table import Table
from acumen.types import Bools, Codes

Bits = npt.NDArray[np.uint64]
#: Rows at a time: their columns stay in cache while one condition after another is judged.
ROWS = 65_536


class Coverage:
    """The rows of one table that conditions, and rules made of them, hold for; as bits."""

    def __init__(self, bodies: Sequence[tuple[Condition, ...]], table: Table) -> None:
        self._bodies, self._table = bodies, table
        self._left = Counter(condition for body in bodies for condition in body)
        self._held: dict[Condition, Bits] = {}
        self._words = -(-len(table) // 64)

    def rule(self, at: int) -> Bits:
        """The rows that a rule covers; each rule is asked for once, in any order."""
        made = np.full(self._words, ~np.uint64(0), dtype=np.uint64)
        for condition in self._bodies[at]:
            np.bitwise_and(made, self._condition(condition), out=made)
            self._left[condition] -= 1
            if not self._left[condition]:  # nobody will ask again
                self._held.pop(condition, None)
        return made

    def _condition(self, condition: Condition) -> Bits:
        found = self._held.get(condition)
        if found is None:
            found = self._held[condition] = packed(condition.holds(self._table))
        return found


def packed(some: Bools) -> Bits:
    """Truth values as bits, 64 to a word; what is left over in the last word is 0."""
    words = np.zeros(-(-len(some) // 64), dtype=np.uint64)
    words.view(np.uint8)[: -(-len(some) // 8)] = np.packbits(some, bitorder="little")
    return words


def unpacked(bits: Bits, rows: int) -> Bools:
    """The bits of so many rows as truth values."""
    return np.unpackbits(bits.view(np.uint8), count=rows, bitorder="little").view(np.bool_)


def parts_of(table: Table) -> Iterator[tuple[slice, Table]]:
    """The rows of a table, few at a time."""
    for start in range(0, len(table), ROWS):
        part = slice(start, min(start + ROWS, len(table)))
        yield part, table if part == slice(0, len(table)) else table.take(part)


def first_covers(bodies: Sequence[tuple[Condition, ...]], table: Table) -> Codes:
    """For each row the place of the first body that holds; -1 where none does."""
    made = np.empty(len(table), dtype=np.int32)
    for part, rows in parts_of(table):
        made[part] = _first(bodies, rows)
    return made


def _first(bodies: Sequence[tuple[Condition, ...]], table: Table) -> Codes:
    coverage = Coverage(bodies, table)
    words = -(-len(table) // 64)
    still = packed(np.ones(len(table), dtype=np.bool_))
    digits = [np.zeros(words, dtype=np.uint64) for _ in range(len(bodies).bit_length())]
    for at in range(len(bodies)):
        mine = coverage.rule(at)
        np.bitwise_and(mine, still, out=mine)
        np.bitwise_xor(still, mine, out=still)
        for place, digit in enumerate(digits):
            if (at + 1) >> place & 1:  # from 1, as 0 is for rows that nobody covers
                np.bitwise_or(digit, mine, out=digit)
        if not still.any():
            break
    made = np.zeros(len(table), dtype=np.int32)
    for place, digit in enumerate(digits):
        made |= unpacked(digit, len(table)).astype(np.int32) << place
    return made - np.int32(1)
