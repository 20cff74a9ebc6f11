"""Which rows each of many rules covers: every different condition judged once, the answers kept as bits.

    Coverage       the bits of each rule's rows
    first_covers   for each row the first rule that covers it; first_of where conditions are numbered already

A rule's rows are the AND of its conditions' bits, 64 rows at a step; a condition that several rules share is
judged for the first of them only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.base.condition import Condition
from acumen.data.table import Table
from acumen.types import Bools, Codes

Bits = npt.NDArray[np.uint64]
#: Where each body begins, the numbers of its conditions, and the conditions, each once.
Numbered: TypeAlias = tuple[npt.NDArray[np.int64], Codes, list[Condition]]
_NOBODY = -9  # a code that no row has
#: Rows at a time: their columns stay in cache while one condition after another is judged.
ROWS = 65_536
#: Rules at a time: conditions of later ones are not judged once every row has its first.
BODIES = 256


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


def all_packed(conditions: Sequence[Condition], table: Table) -> list[Bits]:
    """The rows that each of many conditions holds for; those that name a level are judged an attribute at a time."""
    columns = {attribute.name: (attribute, codes) for attribute, codes in table.nominal_columns()}
    levels: dict[Any, list[int]] = {}
    for at, condition in enumerate(conditions):
        if condition.op == "=" and condition.attribute in columns:
            levels.setdefault(condition.attribute, []).append(at)
    some = [(name, places[i : i + 64]) for name, places in levels.items() for i in range(0, len(places), 64)]
    words = -(-len(table) // 64)
    made: dict[int, Bits] = {}
    for name, places in some:
        attribute, codes = columns[name]
        code = {level: number for number, level in enumerate(attribute.levels)}
        wanted = np.array([code.get(conditions[at].value, _NOBODY) for at in places], dtype=np.int32)
        lines = np.zeros((len(places), 8 * words), dtype=np.uint8)
        lines[:, : -(-len(table) // 8)] = np.packbits(codes == wanted[:, None], axis=1, bitorder="little")
        made |= zip(places, lines.view(np.uint64), strict=True)
    return [
        made[at] if at in made else packed(condition.holds(table)) for at, condition in enumerate(conditions)
    ]


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
    made = np.empty(len(table), dtype=np.int32)
    for part, rows in parts_of(table):
        made[part] = _first(every, rows)
    return made


def _first(every: Numbered, table: Table) -> Codes:
    body_at, body, conditions = every
    n = len(body_at) - 1
    still = packed(np.ones(len(table), dtype=np.bool_))
    made = np.full(64 * len(still), -1, dtype=np.int32)
    last = np.zeros(len(conditions), dtype=np.int64)
    np.maximum.at(last, body, np.repeat(np.arange(n), np.diff(body_at)))
    held: dict[int, Bits] = {}
    for begin in range(0, n, BODIES):
        end = min(begin + BODIES, n)
        here, places = np.unique(body[body_at[begin] : body_at[end]], return_inverse=True)
        new = [number for number in here.tolist() if number not in held]
        held |= zip(new, all_packed([conditions[number] for number in new], table), strict=True)
        bits = np.array([held[number] for number in here.tolist()], dtype=np.uint64)
        starts = body_at[begin : end + 1] - body_at[begin]
        if not _native.cover_first(
            bits.reshape(len(here), len(still)), starts, places.astype(np.int32), begin, still, made
        ):
            break
        for number in here[last[here] < end].tolist():  # nobody will ask again
            del held[number]
    return made[: len(table)]


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
