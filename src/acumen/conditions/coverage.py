"""Which rows each of many rules covers: every different condition judged once, the answers kept as bits.

    Coverage       the bits of each rule's rows
    first_covers   for each row the first rule that covers it; first_of where conditions are numbered already

A rule's rows are the AND of its conditions' bits, 64 rows at a step; a condition that several rules share is
judged for the first of them only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.conditions.condition import Condition
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.types import Bools, Codes, Floats

Bits = npt.NDArray[np.uint64]
#: Where each body begins, the numbers of its conditions, and the conditions, each once.
Numbered: TypeAlias = tuple[npt.NDArray[np.int64], Codes, list[Condition]]
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
    return first_of(numbered(bodies), table)


def first_of(every: Numbered, table: Table) -> Codes:
    """The same for bodies whose conditions are numbered."""
    if table.sparse is None or len(table) <= ROWS:
        return _first(every, table)
    # A column of a sparse table is written out to be judged: few rows at a time.
    made = np.empty(len(table), dtype=np.int32)
    for part, rows in parts_of(table):
        made[part] = _first(every, rows)
    return made


def _first(every: Numbered, table: Table) -> Codes:
    body_at, body, conditions = every
    probes = Probes.of(conditions, table)
    found = _native.cover_first(
        probes.numbers, probes.codes, probes.kinds, probes.columns, probes.low, probes.high,
        probes.allowed_at, probes.allowed, probes.given, body_at, body, len(table), cores(),
    )  # fmt: skip
    return np.asarray(found)


def numbered(bodies: Sequence[tuple[Condition, ...]]) -> Numbered:
    """Every different condition once: where each body begins, its conditions' numbers, and the conditions."""
    places: dict[Condition, int] = {}
    known: dict[int, int] = {}  # by identity, which is quicker asked for than equality
    body = []
    for conditions in bodies:
        for condition in conditions:
            place = known.get(id(condition))
            if place is None:
                place = known[id(condition)] = places.setdefault(condition, len(places))
            body.append(place)
    body_at = np.cumsum([0, *map(len, bodies)], dtype=np.int64)
    return body_at, np.array(body, dtype=np.int32), list(places)


# -- Conditions as the kernel judges them: comparisons of numbers, sets of codes, and bits for all others ----
#
# Codes are looked up in a line of bytes whose first two entries are for levels the schema does not know (-2) and for
# missing ones (-1). Words of texts, pairs of attributes, and numbers that are named are judged by the condition itself.


_BELOW, _ABOVE, _BETWEEN, _CODES, _GIVEN = range(5)
_COMPARED = {"<=": _BELOW, ">": _ABOVE, "between": _BETWEEN}


@dataclass(frozen=True, slots=True, eq=False)
class Probes:
    """The arrays of `_native.cover_first`."""

    numbers: Any
    codes: Any
    kinds: Codes
    columns: Codes
    low: Floats
    high: Floats
    allowed_at: npt.NDArray[np.int64]
    allowed: npt.NDArray[np.uint8]
    given: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, conditions: Sequence[Condition], table: Table) -> Self:
        """For the rows of one table; DataError where a condition does not fit them."""

        numeric = {id(attribute): j for j, attribute in enumerate(table.schema.numeric)}
        nominal = {id(attribute): j for j, attribute in enumerate(table.schema.nominal)}
        n = len(conditions)
        kinds, columns = np.full(n, _GIVEN, dtype=np.int32), np.zeros(n, dtype=np.int32)
        low, high = np.zeros(n), np.zeros(n)
        lines: list[npt.NDArray[np.uint8]] = []
        bits: list[npt.NDArray[np.uint64]] = []
        for i, condition in enumerate(conditions):
            line = np.empty(0, dtype=np.uint8)
            name = condition.attribute
            attribute = table.schema[name] if isinstance(name, str) else None
            if attribute is not None and attribute.is_nominal and id(attribute) in nominal:
                kinds[i], columns[i] = _CODES, nominal[id(attribute)]
                line = _answers(condition, attribute)
            elif _compares(condition, attribute, table):
                kinds[i], columns[i] = _COMPARED[condition.op], numeric[id(attribute)]
                ends = condition.value if condition.op == "between" else (condition.value, condition.value)
                low[i], high[i] = float(ends[0]), float(ends[1])
            else:
                columns[i] = len(bits)
                bits.append(packed(condition.holds(table)))
            lines.append(line)
        words = -(-len(table) // 64)
        return cls(
            () if table.sparse is not None else table.numeric.columns,
            table.nominal.columns,
            kinds,
            columns,
            low,
            high,
            np.cumsum([0, *map(len, lines)], dtype=np.int64),
            np.concatenate(lines) if lines else np.empty(0, dtype=np.uint8),
            np.array(bits, dtype=np.uint64).reshape(len(bits), words),
        )


def _compares(condition: Condition, attribute: Attribute | None, table: Table) -> bool:
    """Whether the kernel can compare the numbers itself."""
    if attribute is None or not attribute.is_numeric or table.sparse is not None:
        return False
    return condition.op in _COMPARED and condition.objection(table.schema) is None


def _answers(condition: Condition, attribute: Attribute) -> npt.NDArray[np.uint8]:
    """The condition judged on every code there can be: -2, -1, and the levels."""
    codes = np.arange(-2, len(attribute.levels), dtype=np.int32)
    return condition.of_codes(codes, attribute).astype(np.uint8)
