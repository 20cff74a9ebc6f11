"""k-modes and k-prototypes: passes over numbers and levels, exact whatever the threads and the parts.

    Prototypes          a line of numbers and a line of levels for each cluster
    search              tries starts on a sample and continues with the best on all rows
    number_prototypes   prototypes in the order of their first rows, and the cluster of each row

The distance of a row is the squares of its differences plus gamma for each level that is not the mode (Huang, 1998),
over what it knows, times attributes / known ones: a gap is neither like nor unlike. Means and modes count rows by the
same factor, so that the sum of distances never rises. Of equally frequent levels the first is the mode, of equally near
prototypes the first has the row; a prototype that loses all its rows takes the one that is farthest from all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Self

import numpy as np

from acumen import _native
from acumen.base.grouping import by_first_row
from acumen.clusters.mixed_space import MixedRows
from acumen.clusters.sampling import draw_by_places, require_distinct
from acumen.clusters.space import Blocks
from acumen.clusters.starts import SAMPLE, at_places
from acumen.engines.executors import map_in_threads
from acumen.rows.persisted import Persisted
from acumen.summaries.algebra import add_up
from acumen.types import Codes, Floats, Indices

#: Counts so near to the largest are equal to it: shares of rows with gaps are rounded.
_EQUAL = 1 - 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Prototypes:
    """Where groups are: means of numbers, most frequent levels."""

    numbers: Floats
    modes: Codes

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, which: list[int]) -> Self:
        return type(self)(np.ascontiguousarray(self.numbers[which]), np.ascontiguousarray(self.modes[which]))

    def same(self, other: Self) -> bool:
        return np.array_equal(self.numbers, other.numbers) and np.array_equal(self.modes, other.modes)


@dataclass(frozen=True, slots=True, eq=False)
class MixedMeasure:
    """What rows are compared by: gamma, where each attribute's levels begin, and their modes in all rows."""

    gamma: float
    starts: Indices  # attributes + 1
    common: Codes

    @classmethod
    def of(cls, source: Blocks, levels: list[int], gamma: float, p: int = 0) -> Self:
        """The measure for rows with these numbers of levels, and `p` numbers."""
        starts = np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)
        none = cls(gamma, starts, np.full(len(levels), -1, dtype=np.int32))
        one = Prototypes(np.zeros((1, p)), none.common[None, :])
        sums = source.sum(_sums, (one, none))
        return cls(gamma, starts, _modes(sums.counts, starts, none.common)[0])


@dataclass(frozen=True, slots=True, eq=False)
class PrototypeSums:
    """The rows of each prototype, added up."""

    total: Floats
    known: Floats
    counts: Floats
    whole: Floats
    left: float  # the sum of distances

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.total + other.total, self.known + other.known, self.counts + other.counts,
            self.whole + other.whole, self.left + other.left,
        )  # fmt: skip

    def prototypes(self, measure: MixedMeasure) -> Prototypes:
        means = np.divide(self.total, self.known, out=np.zeros_like(self.total), where=self.known > 0)
        return Prototypes(means, _modes(self.counts, measure.starts, measure.common))


@dataclass(frozen=True, slots=True, eq=False)
class PrototypePass:
    """What one block was found to be: sums, the group of each row, its distance before weights."""

    sums: PrototypeSums
    labels: Codes
    away: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PrototypeFit:
    """Where prototypes came to rest."""

    prototypes: Prototypes
    objective: float
    n_iter: int


def search(
    source: Blocks, n_rows: int, weight: float, k: int, measure: MixedMeasure, max_iter: int,
    starts: list[np.random.Generator], who: str,
) -> PrototypeFit:  # fmt: skip
    """The best prototypes of several starts, tried on a sample where there are many rows."""
    rows = _sample(source, n_rows, weight, k, starts[0])
    n_distinct = _count_distinct([rows], k)
    if n_distinct < k:
        if n_rows > len(rows):
            n_distinct = _count_distinct(source, k)
        require_distinct(who, k, n_distinct, n_rows)
        rows = _different(source, k)  # the sample missed rows that are rare
    own_rows = Persisted.of([rows])

    def search_from(rng: np.random.Generator) -> PrototypeFit:
        return descend(own_rows, draw_prototypes(rows, k, measure, rng), measure, max_iter)

    best = min(map_in_threads(starts, search_from), key=lambda each: each.objective)
    if n_rows <= len(rows):
        return best
    return descend(source, best.prototypes, measure, max_iter)


def descend(source: Blocks, prototypes: Prototypes, measure: MixedMeasure, max_iter: int) -> PrototypeFit:
    """Passes until no prototype changes, or `max_iter` are done."""
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        sums = _total_sums(source, prototypes, measure)
        moved = sums.prototypes(measure)
        empty = np.flatnonzero(sums.whole == 0).tolist()
        if empty:
            moved = _refill(source, prototypes, moved, empty, measure)
        if moved.same(prototypes):
            break
        prototypes = moved
    return PrototypeFit(prototypes, _total_sums(source, prototypes, measure).left, n_iter)


def draw_prototypes(rows: MixedRows, k: int, measure: MixedMeasure, rng: np.random.Generator) -> Prototypes:
    """`k` rows drawn far apart: each as likely as its distance to the nearest so far, the best of 2 + ln k draws."""
    weights = rows.counted
    chosen = [_as_prototype(rows, int(draw_by_places(rng, weights, 1)[0]), measure)]
    away = _away(rows, chosen[0], measure)
    for _ in range(1, k):
        chance = weights * away
        drawn = draw_by_places(rng, chance if chance.sum() > 0 else weights, 2 + int(np.log(k)))
        tries = [_as_prototype(rows, row, measure) for row in dict.fromkeys(drawn.tolist())]
        after = [np.minimum(_away(rows, each, measure), away) for each in tries]
        best = int(np.argmin([float((weights * each).sum()) for each in after]))
        chosen.append(tries[best])
        away = after[best]
    return Prototypes(
        np.concatenate([each.numbers for each in chosen]), np.concatenate([each.modes for each in chosen])
    )


@dataclass(frozen=True, slots=True, eq=False)
class NumberedPrototypes:
    """Prototypes in the order of their first rows, what the rows of each weigh, the group of each row."""

    prototypes: Prototypes
    sizes: Floats
    labels: Codes  # empty unless they are kept


def number_prototypes(
    source: Blocks, prototypes: Prototypes, measure: MixedMeasure, keep: bool
) -> NumberedPrototypes:
    """Prototypes in the order of their first rows; those left out that are nearest to no row.

    A row between two prototypes belongs to the first of them, so orders are tried until one is its own; each try
    settles one more of them. The group of each row is told with `keep`.
    """
    for _ in range(len(prototypes) + 1):
        order: dict[int, None] = {}
        sizes, kept = [], [np.empty(0, dtype=np.int32)]
        grouped = partial(_assign_block, prototypes=prototypes, measure=measure, keep=keep)
        for met, labels, size in source.each(grouped):
            order.update(dict.fromkeys(met))
            sizes.append(size)
            kept.append(labels)
        if list(order) == list(range(len(prototypes))):
            break
        prototypes = prototypes.take(list(order))
    return NumberedPrototypes(prototypes, add_up(sizes), np.concatenate(kept))


def nearest(block: MixedRows, prototypes: Prototypes, measure: MixedMeasure) -> tuple[Codes, Floats]:
    """The group of each row, and its distance before weights."""
    assignment = _pass_block(block, prototypes, measure)
    return assignment.labels, assignment.away


def distances(block: MixedRows, prototypes: Prototypes, measure: MixedMeasure) -> Floats:
    """Of each row to each prototype, over what the row knows."""
    return np.column_stack([_away(block, prototypes.take([c]), measure) for c in range(len(prototypes))])


def _pass_block(block: MixedRows, prototypes: Prototypes, measure: MixedMeasure) -> PrototypePass:
    k, p = prototypes.numbers.shape
    n, levels = len(block), int(measure.starts[-1])
    labels, away = np.full(n, -1, dtype=np.int32), np.zeros(n)
    total, known = np.zeros((k, p)), np.zeros((k, p))
    counts, whole = np.zeros((k, levels)), np.zeros(k)
    _native.prototype_pass(
        block.numbers, block.codes, block.counted, prototypes.numbers, prototypes.modes, measure.gamma,
        measure.starts, labels, away, total, known, counts, whole,
    )  # fmt: skip
    return PrototypePass(
        PrototypeSums(total, known, counts, whole, float((away * block.counted).sum())), labels, away
    )


def _total_sums(source: Blocks, prototypes: Prototypes, measure: MixedMeasure) -> PrototypeSums:
    sums: PrototypeSums = source.sum(_sums, (prototypes, measure))
    return sums


def _sums(given: tuple[Prototypes, MixedMeasure], block: MixedRows) -> PrototypeSums:
    return _pass_block(block, *given).sums


def _assign_block(
    block: MixedRows, prototypes: Prototypes, measure: MixedMeasure, keep: bool
) -> tuple[list[int], Codes, Floats]:
    """Groups in the order of their first rows, those of the rows if they are kept, and what they weigh."""
    labels = _pass_block(block, prototypes, measure).labels
    there = labels >= 0
    size = np.bincount(labels[there], block.weights[there], len(prototypes)).astype(np.float64)
    return by_first_row(labels)[1].tolist(), labels if keep else labels[:0], size


def _away(block: MixedRows, prototype: Prototypes, measure: MixedMeasure) -> Floats:
    return _pass_block(block, prototype, measure).away


def _modes(counts: Floats, starts: Indices, common: Codes) -> Codes:
    """The first of the most frequent levels; that of all rows where a group knows none."""
    modes = np.tile(common, (len(counts), 1))
    for j in range(len(common)):
        level_counts = counts[:, int(starts[j]) : int(starts[j + 1])]
        if not level_counts.shape[1]:
            continue
        most = level_counts.max(axis=1, keepdims=True)
        first = np.argmax(level_counts >= most * _EQUAL, axis=1)
        modes[:, j] = np.where(most[:, 0] > 0, first, common[j])
    return modes.astype(np.int32)


def _as_prototype(rows: MixedRows, row: int, measure: MixedMeasure) -> Prototypes:
    """One row, its gaps filled with what is usual."""
    numbers = np.nan_to_num(rows.numbers[row : row + 1], nan=0.0)
    codes = rows.codes[:, row]
    return Prototypes(numbers, np.where(codes >= 0, codes, measure.common)[None, :].astype(np.int32))


def _refill(
    source: Blocks, before: Prototypes, moved: Prototypes, empty: list[int], measure: MixedMeasure
) -> Prototypes:
    """Put prototypes without rows on those rows that are farthest from all there were, and from those put so far."""
    placed = before.take([c for c in range(len(before)) if c not in empty])
    numbers, modes = moved.numbers.copy(), moved.modes.copy()
    for c in empty:
        numbers[c], modes[c] = before.numbers[c], before.modes[c]
        away, row = max(
            source.each(partial(_farthest, prototypes=placed, measure=measure)),
            key=lambda each: each[0],
        )
        if away <= 0:
            continue  # every row is on a prototype
        numbers[c], modes[c] = row.numbers[0], row.modes[0]
        placed = Prototypes(
            np.concatenate([placed.numbers, row.numbers]), np.concatenate([placed.modes, row.modes])
        )
    return Prototypes(numbers, modes)


def _farthest(block: MixedRows, prototypes: Prototypes, measure: MixedMeasure) -> tuple[float, Prototypes]:
    away = _pass_block(block, prototypes, measure).away * (block.counted > 0)
    if not len(away):
        return -1.0, prototypes
    at = int(np.argmax(away))
    return float(away[at]), _as_prototype(block, at, measure)


def _sample(source: Blocks, n_rows: int, weight: float, k: int, rng: np.random.Generator) -> MixedRows:
    """All rows where there are few; else those at drawn places of the running sum of weights."""
    draws = max(SAMPLE, 64 * k)
    if n_rows <= draws:
        return MixedRows.concatenate(list(source))
    places = np.sort(rng.random(draws)) * weight
    return MixedRows.concatenate(at_places(source, places, attrgetter("weights"), MixedRows.take))


def _keys(block: MixedRows, start: int, end: int) -> list[bytes]:
    numbers = np.ascontiguousarray(block.numbers[start:end] + 0.0).view(np.uint8).reshape(end - start, -1)
    codes = np.ascontiguousarray(block.codes[:, start:end].T).view(np.uint8).reshape(end - start, -1)
    return [line.tobytes() for line in np.concatenate([numbers, codes], axis=1)]


def _first_different(blocks: Iterable[MixedRows], most: int) -> list[tuple[MixedRows, int]]:
    """The first rows that differ from each other and know something; no more than `most`."""
    seen: set[bytes] = set()
    different: list[tuple[MixedRows, int]] = []
    for block in blocks:
        step = max(4 * most, 64)
        for start in range(0, len(block), step):
            end = min(start + step, len(block))
            for i, key in enumerate(_keys(block, start, end), start):
                if key in seen or block.counted[i] <= 0:
                    continue
                seen.add(key)
                different.append((block, i))
                if len(different) == most:
                    return different
    return different


def _count_distinct(blocks: Iterable[MixedRows], most: int) -> int:
    return len(_first_different(blocks, most))


def _different(blocks: Iterable[MixedRows], most: int) -> MixedRows:
    rows = [block.take([i], np.ones(1)) for block, i in _first_different(blocks, most)]
    return MixedRows.concatenate(rows)
