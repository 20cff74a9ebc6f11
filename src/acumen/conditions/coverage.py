"""Which rows each of many rules covers: every distinct condition is tested once and its answers are stored as bits.

    Coverage       the bits of each rule's rows
    first_covers   for each row the first rule that covers it; `first_of` if the conditions are numbered already

A rule's rows are the AND of its conditions' bits, 64 rows per step; a condition that several rules share is tested
only once.
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
#: Rows per block: their columns stay in cache while the conditions are tested one after another.
ROWS = 65_536


class Coverage:
    """The rows of one table that each rule covers, as bits."""

    def __init__(self, bodies: Sequence[tuple[Condition, ...]], table: Table) -> None:
        self._bodies, self._table = bodies, table
        self._uses_left = Counter(condition for body in bodies for condition in body)
        self._bits: dict[Condition, Bits] = {}
        self._words = -(-len(table) // 64)

    def rule(self, at: int) -> Bits:
        """The rows that a rule covers. Call it once for each rule, in any order."""
        bits = np.full(self._words, ~np.uint64(0), dtype=np.uint64)
        for condition in self._bodies[at]:
            np.bitwise_and(bits, self._condition(condition), out=bits)
            self._uses_left[condition] -= 1
            if not self._uses_left[condition]:  # no later rule needs it
                self._bits.pop(condition, None)
        return bits

    def _condition(self, condition: Condition) -> Bits:
        bits = self._bits.get(condition)
        if bits is None:
            bits = self._bits[condition] = pack_bits(condition.holds(self._table))
        return bits


def pack_bits(some: Bools) -> Bits:
    """Pack truth values into bits, 64 to a word; unused bits of the last word are 0."""
    words = np.zeros(-(-len(some) // 64), dtype=np.uint64)
    words.view(np.uint8)[: -(-len(some) // 8)] = np.packbits(some, bitorder="little")
    return words


def unpack_bits(bits: Bits, rows: int) -> Bools:
    """Unpack the bits of `rows` rows into truth values."""
    return np.unpackbits(bits.view(np.uint8), count=rows, bitorder="little").view(np.bool_)


def parts_of(table: Table) -> Iterator[tuple[slice, Table]]:
    """Cut a table into blocks of `ROWS` rows."""
    for start in range(0, len(table), ROWS):
        part = slice(start, min(start + ROWS, len(table)))
        yield part, table if part == slice(0, len(table)) else table.take(part)


def first_covers(bodies: Sequence[tuple[Condition, ...]], table: Table) -> Codes:
    """For each row the position of the first body that holds; -1 if none does."""
    return first_of(number_conditions(bodies), table)


def first_of(every: Numbered, table: Table) -> Codes:
    """The same for bodies whose conditions are numbered already."""
    if table.sparse is None or len(table) <= ROWS:
        return _first(every, table)
    # A sparse column is made dense for testing, so take one block of rows at a time.
    first = np.empty(len(table), dtype=np.int32)
    for part, rows in parts_of(table):
        first[part] = _first(every, rows)
    return first


def _first(every: Numbered, table: Table) -> Codes:
    body_at, body, conditions = every
    probes = Probes.of(conditions, table)
    first = _native.cover_first(
        probes.numbers, probes.codes, probes.kinds, probes.columns, probes.low, probes.high,
        probes.allowed_at, probes.allowed, probes.given, body_at, body, len(table), cores(),
    )  # fmt: skip
    return np.asarray(first)


def number_conditions(bodies: Sequence[tuple[Condition, ...]]) -> Numbered:
    """Number the distinct conditions: where each body begins, its conditions' numbers, and the conditions."""
    places: dict[Condition, int] = {}
    known: dict[int, int] = {}  # by identity, which is faster to look up than equality
    body = []
    for conditions in bodies:
        for condition in conditions:
            place = known.get(id(condition))
            if place is None:
                place = known[id(condition)] = places.setdefault(condition, len(places))
            body.append(place)
    body_at = np.cumsum([0, *map(len, bodies)], dtype=np.int64)
    return body_at, np.array(body, dtype=np.int32), list(places)


# -- conditions in the form the kernel tests ---------------------------------------------------------
# Codes index a line of bytes whose first two entries are for levels outside the schema (-2) and missing values (-1).
# Words in texts, pairs of attributes and lists of numbers are tested here by the condition itself and passed as bits.

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
        """Build the arrays for the rows of one table; DataError if a condition does not fit them."""
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
                bits.append(pack_bits(condition.holds(table)))
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
    """The condition's answer for every possible code: -2, -1, and the levels."""
    codes = np.arange(-2, len(attribute.levels), dtype=np.int32)
    return condition.of_codes(codes, attribute).astype(np.uint8)
