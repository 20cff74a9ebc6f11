"""Find repeated and contradicting rows of a table stored in several parts, by 128-bit keys.

    text_keys   texts -> a key each
    row_keys    the inputs of a block -> a key for each row
    KeyedRows   rows with their keys, numbers and targets
      .split    into parts, with equal rows in the same one
      .twice    a part -> what `duplicates` reports about its rows

Equal rows have equal keys. Different ones have different keys but for chance, which would need some 10^18 rows to be
likely; so rows need not be in one place to be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from acumen.data.table import Table
from acumen.profiling.duplicates import Duplicates, Words, answers_of, bits_of, repeated_rows
from acumen.types import Array, Indices, Objects

#: Odd numbers of the two halves of a key, and how far its bits are shifted.
_MIX = (
    (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93), np.uint64(29)),
    (np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0xA0761D6478BD642F), np.uint64(31)),
)
_HALF = np.uint64(32)


def text_keys(strings: Objects) -> tuple[Words, Words]:
    """A key of each text, the same on every machine; missing texts share one key."""
    digests = bytearray()
    for text in strings:
        raw = b"" if text is None else b"." + str(text).encode("utf-8", "surrogatepass")
        digests += blake2b(raw, digest_size=16).digest()
    both = np.frombuffer(bytes(digests), dtype="<u8").reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


def row_keys(block: Table) -> tuple[Words, Words]:
    """A key of each row over all inputs: missing equals missing, and 0 equals -0."""
    words: list[tuple[Words, Words]] = []
    for codes in block.nominal.columns:
        one = codes.astype(np.uint64)
        words.append((one, one))
    words += [text_keys(strings) for _, strings in block.text_columns()]
    for values in block.numeric.columns:
        one = bits_of(values)
        words.append((one, one))
    halves = []
    for half, (golden, odd, shift) in enumerate(_MIX):
        running = np.zeros(len(block), dtype=np.uint64)
        for pair in words:
            mixed = pair[half] * odd
            mixed ^= mixed >> _HALF
            running ^= mixed
            running *= golden
            running ^= running >> shift
        halves.append(running)
    return halves[0], halves[1]


def share_of(keys: Words, shares: int) -> Indices:
    """The number of the part, out of `shares`, to which each key belongs."""
    return ((keys >> _HALF) * np.uint64(shares) >> _HALF).astype(np.intp)


def distinct_keys(some: Sequence[tuple[Words, Words]]) -> tuple[Words, Words]:
    """The distinct keys in several arrays."""
    one, two = (np.concatenate([heap[half] for heap in some]) for half in (0, 1))
    order = np.lexsort((two, one))
    one, two = one[order], two[order]
    new = np.ones(len(one), dtype=np.bool_)
    new[1:] = (one[1:] != one[:-1]) | (two[1:] != two[:-1])
    return one[new], two[new]


@dataclass(frozen=True, slots=True, eq=False)
class KeyedRows:
    """Rows with the two halves of their keys, their numbers from 0, and their targets."""

    one: Words
    two: Words
    rows: Indices
    answers: Array

    @classmethod
    def of(cls, block: Table, first_row: int) -> KeyedRows:
        n = len(block)
        return cls(*row_keys(block), np.arange(first_row, first_row + n), answers_of(block, np.arange(n)))

    def split(self, shares: int) -> list[KeyedRows]:
        """Split the rows into parts; equal rows are in the same part."""
        where = share_of(self.one, shares)
        order = np.argsort(where, kind="stable")
        ends = np.searchsorted(where[order], np.arange(shares + 1))
        return [self._take(order[ends[i] : ends[i + 1]]) for i in range(shares)]

    def _take(self, rows: Indices) -> KeyedRows:
        return KeyedRows(self.one[rows], self.two[rows], self.rows[rows], self.answers[rows])

    @classmethod
    def concatenate(cls, some: Sequence[KeyedRows]) -> KeyedRows:
        """Concatenate several parts."""
        return cls(
            np.concatenate([each.one for each in some]),
            np.concatenate([each.two for each in some]),
            np.concatenate([each.rows for each in some]),
            np.concatenate([each.answers for each in some]),
        )

    def twice(self, classes: bool) -> Duplicates:
        """Which rows repeat others or, if the target has classes, contradict others."""
        order = np.lexsort((self.rows, self.two, self.one))
        one, two = self.one[order], self.two[order]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (one[1:] != one[:-1]) | (two[1:] != two[:-1])
        starts = np.flatnonzero(new)
        sizes = np.diff(np.append(starts, len(order)))
        members = order[np.repeat(sizes > 1, sizes)]
        if not members.size:
            return Duplicates()
        groups = np.repeat(self.rows[order[starts]][sizes > 1], sizes[sizes > 1])  # each by its first row
        sort = np.argsort(self.rows[members], kind="stable")
        return repeated_rows(self.rows[members[sort]], groups[sort], self.answers[members[sort]], classes)
