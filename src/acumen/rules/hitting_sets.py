"""Hypotheses as sets of literals: how many are left, which are the smallest, and all of them.

    Family         which sets of literals are hypotheses at all
    HittingSets    those of them that no negative example passes
    Bounds         a number between two others, where it cannot be had exactly

A hypothesis T covers a row if the row passes all of T's literals. A negative passes a set of literals P, so T must have
a literal outside P: T must hit the complement of each such set. Sets of literals are whole numbers, one bit a literal.

Counting is by inclusion and exclusion over intersections of the sets that negatives pass, equal ones taken
together: there are no more of them than subsets of the literals, nor than subsets of the negatives. Where Python would
take too long, tables over all subsets of at most 25 literals, or of at most 25 negatives, do the same; beyond both the
number lies between bounds: from below by the inequality of Harris (1960), since the events "T hits D" favour each
other, from above by sets D that have no literal in common.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, log2
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from acumen.caching import cached_property
from acumen.engines.memory import limit
from acumen.types import Array

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

#: Literals, or negatives, up to which every set of them is looked at.
EXACT = 25
#: Steps and entries of inclusion and exclusion in Python, beyond which tables do the same.
_STEPS, _ENTRIES = 3_000_000, 60_000
#: The smallest sets that are held at a time.
MOST_SMALLEST = 20_000
#: Powers of two beyond it are told by their exponent alone.
LARGEST_POWER = 8192


class Bounds(NamedTuple):
    """A number between `low` and `high`."""

    low: int
    high: int | float

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def __repr__(self) -> str:
        # Python refuses to write numbers of more than 4,300 digits.
        ends = [repr(end) if end < 10**300 else count_words(end) for end in self]
        return f"Bounds(low={ends[0]}, high={ends[1]})"

    def __str__(self) -> str:
        return (
            count_words(self.low)
            if self.exact
            else f"between {count_words(self.low)} and {count_words(self.high)}"
        )


def count_words(number: int | float) -> str:
    """A count for people: digits where they can be read."""
    if isinstance(number, float):
        return "more than can be written down"
    return f"{number:,}" if number < 10**15 else f"about 2 to the power {log2(number):.5g}"


class TooManyHypotheses(Exception):  # noqa: N818 - no failure, and told in a sentence by whoever asked
    """There are more smallest sets than may be held."""


@dataclass(frozen=True)
class Family:
    """Which sets of `width` literals are hypotheses.

    kind "free": all; "one": those with at most one literal of each group; "some": those that have no group as a whole;
    "closed": those that are transitive, literals being pairs of things that are equal.
    """

    width: int
    kind: Literal["free", "one", "some", "closed"] = "free"
    groups: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def full(self) -> int:
        return (1 << self.width) - 1

    def weight(self, within: int) -> int:
        """How many hypotheses there are of these literals; of pairs, a transitive set is given."""
        if self.kind == "free":
            return 1 << within.bit_count()
        product = 1
        if self.kind == "closed":
            for block in self.blocks(within):
                product *= bell(len(block))
            return product
        for group in self.groups:
            inside = (within & group).bit_count()
            product *= inside + 1 if self.kind == "one" else (1 << inside) - (inside == group.bit_count())
        return product

    def admits(self, literals: int) -> bool:
        """Whether a set is a hypothesis."""
        if self.kind == "one":
            return all((literals & group).bit_count() <= 1 for group in self.groups)
        if self.kind == "some":
            return all(literals & group != group for group in self.groups)
        return self.kind == "free" or self.closure(literals) == literals

    def closure(self, literals: int) -> int:
        """The smallest hypothesis that has these literals."""
        if self.kind != "closed":
            return literals
        within = {member: at for at, block in enumerate(self.blocks(literals)) for member in block}
        return sum(
            1 << bit
            for bit, (one, other) in enumerate(self.pairs)
            if one in within and within[one] == within.get(other)
        )

    def blocks(self, literals: int) -> list[list[int]]:
        """What pairs make equal, as blocks of two or more."""
        blocks: list[set[int]] = []
        for bit, pair in enumerate(self.pairs):
            if literals >> bit & 1:
                touched = [block for block in blocks if not block.isdisjoint(pair)]
                blocks = [block for block in blocks if block.isdisjoint(pair)]
                blocks.append(set(pair).union(*touched))
        return sorted(sorted(block) for block in blocks)

    def members(self) -> Iterator[int]:
        """All hypotheses, the most specific first where there is one."""
        if self.kind == "closed":
            place = {pair: 1 << bit for bit, pair in enumerate(self.pairs)}
            ways = [list(_partitions(block)) for block in self.blocks(self.full)]
            for parts in product(*ways):
                joined = [pair for blocks in parts for block in blocks for pair in _within(block)]
                yield sum(place[pair] for pair in joined)
        elif self.kind == "one":
            choices = [[*_bits(group), 0] for group in self.groups]
            yield from (sum(chosen) for chosen in product(*choices))
        else:
            yield from (
                self.full ^ dropped for dropped in range(1 << self.width) if self.admits(self.full ^ dropped)
            )


class HittingSets:
    """Hypotheses of a family that are a subset of none of the sets in `passed`."""

    def __init__(self, family: Family, passed: Iterable[int]) -> None:
        self.family = family
        self.passed = maximal_masks(passed)

    @cached_property
    def sets_to_hit(self) -> list[int]:
        """The sets that must be hit, smallest first."""
        return sorted((self.family.full & ~mask for mask in self.passed), key=int.bit_count)

    @cached_property
    def empty(self) -> bool:
        """Whether no hypothesis is left; what is left grows with the literals, but not all sets are hypotheses."""
        if self.family.kind in ("free", "closed"):
            return any(not mask for mask in self.sets_to_hit)
        return not self.smallest() if self.passed else False

    def hits(self, literals: int) -> bool:
        """Whether a set hits all."""
        return all(literals & mask for mask in self.sets_to_hit)

    # -- counting ---------------------------------------------------------------------------------

    def count(self, within: int | None = None) -> Bounds:
        """How many there are, of these literals alone where some are given."""
        full = self.family.full if within is None else within
        if any(full & mask == full for mask in self.passed):
            return Bounds(0, 0)
        exact = self._exactly(full)
        return self._bounds(full) if exact is None else Bounds(exact, exact)

    def _exactly(self, full: int) -> int | None:
        if self.signed_intersections is not None:
            return self._by_signed(full)
        if self.family.kind != "free":
            return None
        if self._subset_table is not None:
            return self._by_table(full)
        if len(self.passed) <= EXACT and _fits_memory(12 << len(self.passed)):
            return self._by_negatives(full)
        return None

    @cached_property
    def signed_intersections(self) -> dict[int, int] | None:
        """Inclusion and exclusion: intersections of the sets passed, each with its sign summed up; None if too many."""
        signs, steps = {self.family.full: 1}, 0
        for mask in self.passed:
            steps += len(signs)
            if steps > _STEPS or len(signs) > _ENTRIES:
                return None
            for common, sign in list(signs.items()):
                both = common & mask
                signs[both] = signs.get(both, 0) - sign
            signs = {common: sign for common, sign in signs.items() if sign}
        return signs

    def _by_signed(self, full: int) -> int:
        signed = self.signed_intersections
        assert signed is not None
        if self._packed_masks is not None:
            masks, signs = self._packed_masks
            # Sums are taken modulo 2**64; the result itself is below 2**width.
            powers = np.uint64(1) << _ones(masks & np.uint64(full))
            return int((signs * powers).sum(dtype=np.uint64)) % (1 << 64)
        return sum(sign * self.family.weight(mask & full) for mask, sign in signed.items())

    @cached_property
    def _packed_masks(self) -> tuple[Array, Array] | None:
        if self.signed_intersections is None or self.family.kind != "free" or self.family.width > 62:
            return None
        masks = np.fromiter(
            self.signed_intersections.keys(), dtype=np.uint64, count=len(self.signed_intersections)
        )
        signs = [sign % (1 << 64) for sign in self.signed_intersections.values()]
        return masks, np.array(signs, dtype=np.uint64)

    @cached_property
    def _relevant_literals(self) -> list[int]:
        """The literals that some negative does not pass, one bit each."""
        common = self.family.full
        for mask in self.passed:
            common &= mask
        return list(_bits(self.family.full & ~common))

    @cached_property
    def _subset_table(self) -> Array | None:
        """For every set of mattering literals how many of its subsets hit all; None where there are too many."""
        bits = self._relevant_literals
        if len(bits) > EXACT or not _fits_memory(6 << len(bits)):
            return None
        fails = np.zeros(1 << len(bits), dtype=np.bool_)
        fails[[_packed_bits(mask, bits) for mask in self.passed]] = True
        for bit in range(len(bits)):
            halves = fails.reshape(-1, 2, 1 << bit)
            halves[:, 0] |= halves[:, 1]
        hit_counts = (~fails).astype(np.int32)
        del fails
        for bit in range(len(bits)):
            counts = hit_counts.reshape(-1, 2, 1 << bit)
            counts[:, 1] += counts[:, 0]
        return hit_counts

    def _by_table(self, full: int) -> int:
        bits, table = self._relevant_literals, self._subset_table
        assert table is not None
        others = (full & ~sum(bits)).bit_count()
        return int(table[_packed_bits(full, bits)]) << others

    def _by_negatives(self, full: int) -> int:
        """Over all subsets of negatives: sets of literals that hit none but those (Moebius)."""
        n = len(self.sets_to_hit)
        fitting = np.zeros(1 << n, dtype=np.int32)
        for bit in _bits(full):
            fitting[sum(1 << at for at, mask in enumerate(self.sets_to_hit) if mask & bit)] += 1
        odd = np.zeros(1 << n, dtype=np.bool_)
        for bit in range(n):
            halves = fitting.reshape(-1, 2, 1 << bit)
            halves[:, 1] += halves[:, 0]
            signs = odd.reshape(-1, 2, 1 << bit)
            signs[:, 0] ^= True  # odd where an odd number of negatives is left out
        total = 0
        for sign, chosen in ((1, ~odd), (-1, odd)):
            for power, times in enumerate(np.bincount(fitting[chosen]).tolist()):
                total += sign * times << power if times else 0
        return total

    def _bounds(self, full: int) -> Bounds:
        """Lower by Harris' inequality for free sets; upper by sets that share no literal."""
        if self.family.kind != "free":
            return Bounds(1, self.family.weight(full))
        width = full.bit_count()
        sizes = [(mask & full).bit_count() for mask in self.sets_to_hit]
        scale = 1 << 64
        low, high, used = scale, scale, 0
        for mask, size in sorted(zip(self.sets_to_hit, sizes, strict=True), key=lambda pair: pair[1]):
            hitting = scale - (scale >> size)
            low = low * hitting // scale
            if not mask & full & used:
                used |= mask & full
                high = -(-high * hitting // scale)
        return Bounds(max(1, (low << width) // scale), max(1, -(-(high << width) // scale)))

    # -- the sets themselves ----------------------------------------------------------------------

    def smallest(self) -> list[int]:
        """The smallest hypotheses that hit all (Berge 1989); TooMany where more are met on the way than may be held."""
        partial, steps = [0], 0
        for mask in self.sets_to_hit:
            kept = [literals for literals in partial if literals & mask]
            short = [literals for literals in partial if not literals & mask]
            steps += len(kept) * len(short) * mask.bit_count()
            if steps > _STEPS:
                raise TooManyHypotheses
            # Two new ones are never one a part of the other, since all of `made` are smallest.
            partial = list(kept)
            for bit in _bits(mask):
                having = [old for old in kept if old & bit]
                partial += [
                    literals | bit
                    for literals in short
                    if not any(old & (literals | bit) == old for old in having)
                ]
            if len(partial) > MOST_SMALLEST:
                raise TooManyHypotheses
        if self.family.kind == "closed":
            partial = minimal_masks(map(self.family.closure, partial))
        partial = [literals for literals in partial if self.family.admits(literals)]
        return sorted(partial, key=lambda literals: (literals.bit_count(), _literal_order(literals)))

    def members(self) -> Iterator[int]:
        """All hypotheses that hit all, one after the other, the most specific first where there is one."""
        if self.family.kind != "free":
            yield from (literals for literals in self.family.members() if self.hits(literals))
            return
        bits = list(_bits(self.family.full))
        if self.hits(self.family.full):
            yield from self._below(bits, 0, self.family.full)

    def _below(self, bits: list[int], at: int, kept: int) -> Iterator[int]:
        """The hitting sets inside `kept` that have the first `at` literals as it has them."""
        stack = [(at, kept)]
        while stack:
            at, kept = stack.pop()
            if at == len(bits):
                yield kept
                continue
            without = kept & ~bits[at]
            if self.hits(without):
                stack.append((at + 1, without))
            stack.append((at + 1, kept))


# -- small helpers --------------------------------------------------------------------------------


def maximal_masks(masks: Iterable[int]) -> list[int]:
    """Those that are no proper part of another."""
    kept: list[int] = []
    for mask in sorted(set(masks), key=int.bit_count, reverse=True):
        if not any(mask & other == mask for other in kept):
            kept.append(mask)
    return kept


def minimal_masks(masks: Iterable[int]) -> list[int]:
    """Those that have no other as a proper part."""
    kept: list[int] = []
    for mask in sorted(set(masks), key=int.bit_count):
        if not any(mask & other == other for other in kept):
            kept.append(mask)
    return kept


def row_masks(holds: Array) -> list[int]:
    """Lines of truth values as whole numbers, the first column the lowest bit."""
    packed = np.packbits(holds, axis=1, bitorder="little")
    return [int.from_bytes(line.tobytes(), "little") for line in packed]


def answer_distinct(keys: Sequence[K], answer: Callable[[K], T]) -> list[T]:
    """The answers for many keys, each asked for once."""
    known = {key: answer(key) for key in set(keys)}
    return [known[key] for key in keys]


_BELL = [1]


def bell(n: int) -> int:
    """The number of ways to part n things into blocks."""
    while len(_BELL) <= n:
        k = len(_BELL) - 1
        _BELL.append(sum(comb(k, i) * _BELL[i] for i in range(k + 1)))
    return _BELL[n]


def _partitions(things: list[int]) -> Iterator[list[list[int]]]:
    """All ways to part things into blocks, the one block of all first."""
    if not things:
        yield []
        return
    *others, last = things
    for parts in _partitions(others):
        for at in range(len(parts)):
            yield [*parts[:at], [*parts[at], last], *parts[at + 1 :]]
        yield [*parts, [last]]


def _within(block: list[int]) -> Iterator[tuple[int, int]]:
    for at, one in enumerate(block):
        yield from ((one, other) for other in block[at + 1 :])


def _ones(masks: Array) -> Array:
    """How many bits are set in each of some 64-bit words (numpy.bitwise_count, which is of numpy 2)."""
    bits = np.unpackbits(np.ascontiguousarray(masks).view(np.uint8).reshape(-1, 8), axis=1)
    return bits.sum(axis=1, dtype=np.uint64)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


def _literal_order(mask: int) -> tuple[int, ...]:
    """For an order by the first literals."""
    return tuple(bit.bit_length() for bit in _bits(mask))


def _packed_bits(mask: int, bits: Sequence[int]) -> int:
    return sum(1 << at for at, bit in enumerate(bits) if mask & bit)


def _fits_memory(size: int) -> bool:
    """Whether so many bytes may be taken."""
    return size < 1 << 24 or size < limit()
