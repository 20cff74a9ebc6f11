"""Rows that occur twice, and rows that agree in every input but not in the class.

    sources_of     table -> what is compared, column by column
    first_equals   for each row the first row equal to it: by hash, then verified
    duplicates     table -> how many, and the first few

Missing equals missing here, and 0 equals -0. Weights and ignored columns are not looked at, since no
learner sees them as inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from acumen.data.table import Table
from acumen.types import Array, Bools, Floats, Indices, Objects

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Words: TypeAlias = npt.NDArray[np.uint64]

#: So many pairs of rows are named.
NAMED = 5
#: Rows hashed at a time: the running hash stays in cache while the columns pass by.
_BLOCK = 65_536
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ODD = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The duplicates of a table; row numbers count from 1.

    `rows` repeat an earlier row, inputs and target alike; `pairs` are (first, repeat). `conflict_rows`
    rows in `conflict_groups` groups agree in all inputs and differ in class; `conflict_pairs` are
    (first row of the group, first row with another class).
    """

    rows: int = 0
    pairs: tuple[tuple[int, int], ...] = ()
    conflict_groups: int = 0
    conflict_rows: int = 0
    conflict_pairs: tuple[tuple[int, int], ...] = ()


class KeySource(Protocol):
    """A column, or several, that is part of the key of every row."""

    def words(self, rows: slice) -> Words: ...
    def same(self, a: Indices, b: Indices) -> Bools: ...


@dataclass(frozen=True, slots=True)
class _NumberKeys:
    values: Floats

    def words(self, rows: slice) -> Words:
        return bits_of(self.values[rows])

    def same(self, a: Indices, b: Indices) -> Bools:
        return np.asarray(bits_of(self.values[a]) == bits_of(self.values[b]))


@dataclass(frozen=True, slots=True)
class _Codes:
    codes: Array

    def words(self, rows: slice) -> Words:
        return self.codes[rows].astype(np.uint64)

    def same(self, a: Indices, b: Indices) -> Bools:
        return np.asarray(self.codes[a] == self.codes[b])


@dataclass(frozen=True, slots=True)
class _Strings:
    strings: Objects

    def words(self, rows: slice) -> Words:
        part = self.strings[rows]
        return np.fromiter(map(hash, part), np.int64, len(part)).view(np.uint64)

    def same(self, a: Indices, b: Indices) -> Bools:
        return np.fromiter(map(_equal, self.strings[a], self.strings[b]), np.bool_, len(a))


class _Sparse:
    """All numeric attributes of a table that came sparse, in canonical form."""

    def __init__(self, matrix: csr_matrix) -> None:
        self.matrix = matrix.copy()
        self.matrix.sum_duplicates()
        self.matrix.eliminate_zeros()

    def words(self, rows: slice) -> Words:
        part = self.matrix[rows]
        entry = bits_of(part.data) * _GOLDEN
        entry ^= (entry >> np.uint64(32)) + part.indices.astype(np.uint64) * _ODD
        entry *= _GOLDEN
        entry ^= entry >> np.uint64(29)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(entry, dtype=np.uint64)])
        return np.asarray(sums[part.indptr[1:]] - sums[part.indptr[:-1]], dtype=np.uint64)

    def same(self, a: Indices, b: Indices) -> Bools:
        one, two = self.matrix[a], self.matrix[b]
        equal: Bools = np.diff(one.indptr) == np.diff(two.indptr)
        one, two = one[equal], two[equal]
        differ = (one.indices != two.indices) | (bits_of(one.data) != bits_of(two.data))
        row = np.repeat(np.arange(one.shape[0]), np.diff(one.indptr))
        equal[np.flatnonzero(equal)[row[differ]]] = False
        return equal


def sources_of(table: Table) -> list[KeySource]:
    """The inputs of a table, ready to be compared."""
    sources: list[KeySource] = [_Codes(codes) for _, codes in table.nominal_columns()]
    sources += [_Strings(strings) for _, strings in table.text_columns()]
    if table.sparse is not None:
        return [*sources, _Sparse(table.sparse)]
    return [*sources, *(_NumberKeys(values) for values in table.numeric.columns)]


def duplicates(table: Table) -> Duplicates:
    """Find the rows that repeat an earlier one, and those that contradict one."""
    sources = sources_of(table)
    if not sources or len(table) < 2:
        return Duplicates()
    first = first_equals(sources, len(table))
    later = np.flatnonzero(first != np.arange(len(table)))
    if not later.size:
        return Duplicates()
    members = np.union1d(later, first[later])
    return repeated_rows(members, first[members], answers_of(table, members), table.labels is not None)


def repeated_rows(members: Indices, groups: Indices, answers: Array, classes: bool) -> Duplicates:
    """Describe repeated rows, in ascending order; `groups` has the first row equal to each."""
    # One key for each different (inputs, answer); the first row of each key is no repeat.
    _, answer_codes = np.unique(answers, return_inverse=True)
    _, group_codes = np.unique(groups, return_inverse=True)
    keys = group_codes * (int(answer_codes.max()) + 1) + answer_codes
    _, at, which = np.unique(keys, return_index=True, return_inverse=True)
    repeats = np.flatnonzero(at[which] != np.arange(len(members)))
    pairs = _pairs(members[at[which[repeats[:NAMED]]]], members[repeats[:NAMED]])
    if not classes:
        return Duplicates(len(repeats), pairs)

    known = at[answers[at] >= 0]  # one member for each (inputs, known class)
    group_of, n_classes = np.unique(groups[known], return_counts=True)
    torn = group_of[n_classes > 1]
    concerned = np.isin(groups, torn) & (answers >= 0)
    conflict_pairs = []
    _, firsts = np.unique(groups[concerned], return_index=True)
    for group in groups[concerned][
        np.sort(firsts)[:NAMED]
    ]:  # the first groups, by their first row of a class
        here = np.flatnonzero((groups == group) & (answers >= 0))
        other = here[answers[here] != answers[here[0]]][0]
        conflict_pairs.append((int(members[here[0]]) + 1, int(members[other]) + 1))
    return Duplicates(
        len(repeats),
        pairs,
        len(torn),
        int(np.count_nonzero(concerned)),
        tuple(conflict_pairs),
    )


def first_equals(
    sources: Sequence[KeySource],
    n_rows: int,
    hashes: Callable[[Sequence[KeySource], int], Words] | None = None,
) -> Indices:
    """For each row the first row equal to it (itself, if there is none before).

    Rows of equal hash are compared with the first of them. Those that differ from it, which only chance
    brings together, are gone through again among themselves.
    """
    keys = (hashes or row_hashes)(sources, n_rows)
    first = np.arange(n_rows)
    rows = first.copy()
    while rows.size:
        ranked = rows[np.argsort(keys[rows], kind="stable")]
        starts = np.flatnonzero(np.concatenate([[True], keys[ranked[1:]] != keys[ranked[:-1]]]))
        leaders = np.repeat(ranked[starts], np.diff(np.append(starts, len(ranked))))
        behind = ranked != leaders
        a, b = ranked[behind], leaders[behind]
        equal = np.ones(len(a), dtype=np.bool_)
        for source in sources:
            equal &= source.same(a, b)
        first[a[equal]] = b[equal]
        rows = np.sort(a[~equal])
    return first


def row_hashes(sources: Sequence[KeySource], n_rows: int) -> Words:
    """A 64-bit hash of each row over all sources."""
    hashes = np.zeros(n_rows, dtype=np.uint64)
    for start in range(0, n_rows, _BLOCK):
        rows = slice(start, min(start + _BLOCK, n_rows))
        running = hashes[rows]
        for source in sources:
            words = source.words(rows) * _ODD
            words ^= words >> np.uint64(32)
            running ^= words
            running *= _GOLDEN
            running ^= running >> np.uint64(29)
    return hashes


def bits_of(values: Floats) -> Words:
    """The bits of numbers, one pattern for all NaN and one for both zeros."""
    without_minus_zero = values + 0.0
    without_minus_zero[np.isnan(without_minus_zero)] = np.nan
    return without_minus_zero.view(np.uint64)


def _equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def answers_of(table: Table, rows: Indices) -> npt.NDArray[np.int64]:
    """A whole number for each row's target; below zero if it is missing."""
    if table.labels is not None:
        return table.labels[rows].astype(np.int64)
    if table.response is not None:
        return bits_of(table.response[rows]).view(np.int64)
    return np.zeros(len(rows), dtype=np.int64)


def merge_duplicates(some: Sequence[Duplicates]) -> Duplicates:
    """Merge the duplicates of several parts of the rows; equal rows are all in the same part."""
    pairs = sorted((pair for each in some for pair in each.pairs), key=lambda pair: pair[1])
    torn = sorted(pair for each in some for pair in each.conflict_pairs)
    return Duplicates(
        sum(each.rows for each in some),
        tuple(pairs[:NAMED]),
        sum(each.conflict_groups for each in some),
        sum(each.conflict_rows for each in some),
        tuple(torn[:NAMED]),
    )


def _pairs(a: Indices, b: Indices) -> tuple[tuple[int, int], ...]:
    return tuple((int(x) + 1, int(y) + 1) for x, y in zip(a, b, strict=True))
