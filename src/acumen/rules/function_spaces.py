"""Version spaces whose hypotheses are told apart by what they cover: disjunctions of conjunctions, and any function.

    RowCells           the possible rows, each a cell; numbers by whether they equal an example's
    DisjunctiveSpace   dnf: one conjunction for each positive, joined by "or"; single-test-dnf: each disjunct is the
                        whole positive or one of its tests
    FunctionSpace       cnf: conjunctions of any clauses, which is every function of the attributes

Different formulas may cover the same rows (F1 = Y or F1 = N, F2 = Y or F2 = N), so functions are counted, not formulas.
A row with gaps is covered by a disjunction where one disjunct asks nothing of the gaps, and by a function where all
that the row may be is covered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from math import inf, prod

import numpy as np

from acumen.caching import cached_property
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.rules.conjunction_spaces import HypothesisSpace, Vote, vote
from acumen.rules.hitting_sets import (
    LARGEST_POWER,
    Bounds,
    Family,
    HittingSets,
    TooManyHypotheses,
    answer_distinct,
    maximal_masks,
    row_masks,
)
from acumen.rules.hypothesis import AllBut, Conjunction, Hypothesis, HypothesisColumns, NumberRange, Test
from acumen.types import Array, Bools

#: Cells over which functions are told apart one by one, functions told apart, and steps that may take.
MOST_CELLS, MOST_FUNCTIONS, _STEPS = 4096, 20_000, 400_000
#: Combinations of disjuncts that are looked at for the most general ones.
_MOST_GENERAL = 3_000
#: Cells that rows with gaps may stand for, and cells that are joined to larger cubes to be told.
MOST_COMPLETIONS, _MOST_JOINED = 20_000, 512
#: Positives times negatives of a disjunction: each positive is set beside every negative.
MOST_PAIRS = 500_000

#: A cell, or with -1 for "?" many.
Cube = tuple[int, ...]


class RowCells:
    """Every row there can be: levels as they are, numbers as those of `rows` and all others.

    With `merged`, levels that no row of `rows` has are one cell too.
    """

    def __init__(self, rows: Table, *, merged: bool) -> None:
        self.schema = rows.schema
        columns = HypothesisColumns(rows)
        self._known: list[Array] = []
        self.sizes: list[int] = []
        for place, attribute in enumerate(self.schema.attributes):
            column, known = columns[place], columns.is_known(place)
            if attribute.is_nominal and not merged:
                values, others = np.arange(len(attribute.levels)), len(attribute.levels) < 2
            else:
                values = np.unique(column[known])
                others = attribute.is_numeric or len(values) < max(len(attribute.levels), 2)
            self._known.append(values)
            self.sizes.append(len(values) + others)

    @cached_property
    def count(self) -> int:
        return prod(self.sizes)

    def cubes_of(self, rows: Table) -> list[Cube]:
        """The cell of each row, -1 where it has a gap."""
        columns = HypothesisColumns(rows)
        cells = np.full((len(rows), len(self.sizes)), -1, dtype=np.int64)
        for place, values in enumerate(self._known):
            column, known = columns[place], columns.is_known(place)
            at = np.searchsorted(values, column)
            same = known & (at < len(values))
            same[same] = values[at[same]] == column[same]
            other = len(values) if self.sizes[place] > len(values) else -1
            cells[:, place] = np.where(same, at, np.where(known, other, -1))
            if other >= 0 and self.schema.attributes[place].is_nominal:
                cells[column == -2, place] = other  # a level that nobody knows is another one
        return [tuple(line) for line in cells.tolist()]

    def test(self, place: int, code: int) -> Test:
        """What puts a row into a cell of one attribute."""
        if code < 0:
            return None
        values, attribute = self._known[place], self.schema.attributes[place]
        if attribute.is_nominal:
            levels = attribute.levels
            if code < len(values):
                return (levels[int(values[code])],)
            return AllBut(tuple(levels[at] for at in values.tolist()))
        if code < len(values):
            return NumberRange(float(values[code]), float(values[code]))
        return AllBut(tuple(values.tolist()))

    def conjunction(self, cube: Cube) -> Conjunction:
        return Conjunction(tuple(self.test(place, code) for place, code in enumerate(cube)))

    def completions(self, cube: Cube) -> Iterator[Cube]:
        """The cells a row with gaps may be in."""
        return product(
            *([code] if code >= 0 else range(size) for code, size in zip(cube, self.sizes, strict=True))
        )

    def n_completions(self, cube: Cube) -> int:
        """How many these are."""
        return prod(size for code, size in zip(cube, self.sizes, strict=True) if code < 0)

    @cached_property
    def _slices(self) -> list[list[int]]:
        """For each attribute and code the set of cells with it, as a whole number."""
        slices, step = [], 1
        for size in reversed(self.sizes):
            one = (1 << step) - 1
            period = sum(one << step * size * at for at in range(self.count // (step * size)))
            slices.append([period << step * code for code in range(size)])
            step *= size
        return slices[::-1]

    def mask(self, cube: Cube) -> int:
        """The cells of a cube as a whole number."""
        cells = (1 << self.count) - 1
        for place, code in enumerate(cube):
            if code >= 0:
                cells &= self._slices[place][code]
        return cells


def primes(cells: Iterable[Cube], sizes: list[int]) -> list[Cube]:
    """The largest cubes inside a set of cells (prime implicants), those with most "?" first; not of too many cells."""
    minterms = set(cells)
    level, kept = set(minterms), set(minterms)
    while level and len(kept) <= _MOST_JOINED:
        wider: set[Cube] = set()
        for place, size in enumerate(sizes):
            rest: dict[Cube, int] = {}
            for cube in level:
                if cube[place] >= 0:
                    key = (*cube[:place], -1, *cube[place + 1 :])
                    rest[key] = rest.get(key, 0) + 1
            wider |= {key for key, times in rest.items() if times == size}
        for cube in wider:
            for place, code in enumerate(cube):
                if code < 0:
                    kept -= {(*cube[:place], each, *cube[place + 1 :]) for each in range(sizes[place])}
        kept |= wider
        level = wider
    return sorted(kept, key=lambda cube: (sum(code >= 0 for code in cube), [(c < 0, c) for c in cube]))


# -- disjunctions ---------------------------------------------------------------------------------


class _Disjunct:
    """What one positive may be generalised to: sets of its own values that no negative has all of."""

    def __init__(self, cube: Cube, negatives: Array, single: bool) -> None:
        self.cube, self._negatives, self._single = cube, negatives, single
        self.places = [place for place, code in enumerate(cube) if code >= 0]

    @cached_property
    def _same(self) -> Bools:
        """Which of its values each negative has."""
        values = np.array([self.cube[place] for place in self.places], dtype=np.int64)
        return np.asarray(self._negatives[:, self.places] == values)

    @property
    def empty(self) -> bool:
        """Whether a negative has all its values."""
        return bool(self._same.all(axis=1).any())

    @cached_property
    def sets(self) -> HittingSets:
        return HittingSets(Family(len(self.places)), set(row_masks(self._same)))

    @cached_property
    def few(self) -> list[int] | None:
        """The choices where there are but the whole positive and its single tests."""
        if not self._single:
            return None
        full = self.sets.family.full
        options = dict.fromkeys([full, *(1 << bit for bit in range(len(self.places)))])
        return [mask for mask in options if self.sets.hits(mask)]

    @cached_property
    def count(self) -> Bounds:
        return self.sets.count() if self.few is None else Bounds(len(self.few), len(self.few))

    def masks(self) -> Iterator[int]:
        return self.sets.members() if self.few is None else iter(self.few)

    def general(self) -> list[int]:
        """The most general choices."""
        if self.few is None:
            return self.sets.smallest()
        return [mask for mask in self.few if not any(o != mask and o & mask == o for o in self.few)]

    def generalise(self, mask: int) -> Cube:
        """The positive with only these of its values."""
        cube = [-1] * len(self.cube)
        for bit, place in enumerate(self.places):
            if mask >> bit & 1:
                cube[place] = self.cube[place]
        return tuple(cube)

    def share(self, row: Cube) -> float:
        """The share of choices that cover a row."""
        within = sum(1 << bit for bit, p in enumerate(self.places) if row[p] == self.cube[p])
        if self.few is not None:
            return sum(mask & within == mask for mask in self.few) / max(len(self.few), 1)
        if within == self.sets.family.full:
            return 1.0
        return vote(self.sets.count(within), self.count).share


class DisjunctiveSpace(HypothesisSpace):
    """One disjunct for each positive; each covers its positive and no negative."""

    def __init__(self, language: str, schema: Schema, positives: Table, negatives: Table) -> None:
        self.schema = schema
        self.cells = RowCells(positives, merged=True)
        cubes = dict.fromkeys(self.cells.cubes_of(positives))
        distinct = list(dict.fromkeys(self.cells.cubes_of(negatives)))
        if len(cubes) * len(distinct) > MOST_PAIRS:
            raise DataError(
                f"VersionSpace: {len(cubes):,} positives and {len(distinct):,} negatives are too many for "
                f"language={language!r}; use language='conjunction', or use fewer rows."
            )
        others = np.array(distinct, dtype=np.int64).reshape(len(distinct), len(schema))
        self.disjuncts = [_Disjunct(cube, others, language == "single-test-dnf") for cube in cubes]

    def _hypothesis(self, cubes: Iterable[Cube]) -> Hypothesis:
        """A disjunction, without disjuncts that another one covers, unless they are very many."""
        kept: list[Cube] = []
        distinct = list(dict.fromkeys(cubes))
        n_tests = {sum(code >= 0 for code in cube) for cube in distinct}
        if (
            len(n_tests) == 1 or len(distinct) > _MOST_JOINED
        ):  # one that asks as much as another is no part of it
            return Hypothesis(self.schema, tuple(map(self.cells.conjunction, distinct)))
        for cube in distinct:
            if not any(_inside(cube, other) for other in kept):
                kept = [other for other in kept if not _inside(other, cube)] + [cube]
        return Hypothesis(self.schema, tuple(map(self.cells.conjunction, kept)))

    @property
    def most_specific(self) -> Hypothesis:
        return self._hypothesis(each.cube for each in self.disjuncts)

    @cached_property
    def empty(self) -> bool:
        return any(each.empty for each in self.disjuncts)

    @cached_property
    def functions(self) -> dict[int, tuple[Cube, ...]] | None:
        """Every function by the cells it covers, with disjuncts that make it; None where they are too many."""
        if self.cells.count > MOST_CELLS or self.empty:
            return None if not self.empty else {}
        covering: dict[int, tuple[Cube, ...]] = {0: ()}
        steps = 0
        for each in self.disjuncts:
            if each.count.high > MOST_FUNCTIONS or steps + len(covering) * each.count.low > _STEPS:
                return None
            choices = [(cube := each.generalise(mask), self.cells.mask(cube)) for mask in each.masks()]
            steps += len(covering) * len(choices)
            extended: dict[int, tuple[Cube, ...]] = {}
            for before, cubes in covering.items():
                for cube, mask in choices:
                    extended.setdefault(before | mask, (*cubes, cube))
            covering = extended
            if len(covering) > MOST_FUNCTIONS:
                return None
        return covering

    @cached_property
    def size(self) -> Bounds:
        if self.empty:
            return Bounds(0, 0)
        if self.functions is not None:
            return Bounds(len(self.functions), len(self.functions))
        return Bounds(1, prod(each.count.high for each in self.disjuncts))

    def general(self) -> Iterator[Hypothesis]:
        if self.empty:
            return
        choices = [[each.generalise(mask) for mask in each.general()] for each in self.disjuncts]
        if prod(map(len, choices)) > _MOST_GENERAL or self.cells.count > MOST_CELLS:
            if prod(map(len, choices)) > 1:
                raise TooManyHypotheses
            yield self._hypothesis(chosen[0] for chosen in choices)
            return
        by_mask: dict[int, tuple[Cube, ...]] = {}
        for cubes in product(*choices):
            mask = 0
            for cube in cubes:
                mask |= self.cells.mask(cube)
            by_mask.setdefault(mask, cubes)
        kept = set(maximal_masks(by_mask))
        yield from (self._hypothesis(cubes) for mask, cubes in by_mask.items() if mask in kept)

    def nodes(self) -> Iterator[tuple[Hypothesis, int]]:
        if self.functions is None:
            raise TooManyHypotheses
        for mask, cubes in sorted(self.functions.items(), key=lambda pair: pair[0].bit_count()):
            yield self._hypothesis(cubes), mask

    def votes(self, rows: Table) -> list[Vote]:
        size, functions = self.size, self.functions

        def count_votes(row: Cube) -> Vote:
            assert functions is not None
            if min(row, default=0) < 0:  # one disjunct must ask nothing of the gaps
                covering = sum(any(_inside(row, cube) for cube in cubes) for cubes in functions.values())
            else:
                cells = self.cells.mask(row)
                covering = sum(cells & mask == cells for mask in functions)
            return vote(Bounds(covering, covering), size)

        def estimate_votes(row: Cube) -> Vote:
            # Formulas instead of functions, each disjunct chosen for itself.
            shares = [each.share(row) for each in self.disjuncts]
            share = 1.0 if 1.0 in shares else 1.0 - float(np.prod([1.0 - each for each in shares]))
            if share in (0.0, 1.0) and (share == 0.0 or 1.0 in shares):
                return Vote(share, size if share else Bounds(0, 0), size)
            return Vote(min(share, 1 - 1e-12), Bounds(1, size.high - 1), size)

        return answer_distinct(
            self.cells.cubes_of(rows), estimate_votes if functions is None else count_votes
        )


def _inside(cube: Cube, other: Cube) -> bool:
    """Whether every row of the first is one of the second."""
    return all(b < 0 or a == b for a, b in zip(cube, other, strict=True))


# -- any function ---------------------------------------------------------------------------------


class FunctionSpace(HypothesisSpace):
    """Every function that covers the positives' cells and no negative's."""

    def __init__(self, schema: Schema, positives: Table, negatives: Table, examples: Table) -> None:
        self.schema = schema
        self.cells = RowCells(examples, merged=False)
        self.cubes = list(dict.fromkeys(self.cells.cubes_of(positives)))
        others = dict.fromkeys(self.cells.cubes_of(negatives))
        self.positive = self._spread(self.cubes)
        gaps = [cube for cube in others if min(cube, default=0) < 0]
        self.negative = {cube for cube in others if min(cube, default=0) >= 0}
        self._spread(gaps)  # not too many
        sets = [set(self.cells.completions(cube)) - self.positive for cube in gaps]
        sets = [cells for cells in sets if not cells & self.negative]
        self._impossible = bool(self.negative & self.positive) or any(not cells for cells in sets)
        #: Cells of which, for each negative with gaps, one at least must stay uncovered.
        self.doubtful = sorted(set().union(*sets)) if sets else []
        place = {cell: 1 << at for at, cell in enumerate(self.doubtful)}
        family = Family(len(self.doubtful))
        self.sets = HittingSets(family, {family.full & ~sum(place[c] for c in cells) for cells in sets})
        self._place = place

    def _spread(self, cubes: list[Cube]) -> set[Cube]:
        if sum(map(self.cells.n_completions, cubes)) > MOST_COMPLETIONS:
            raise DataError(
                "VersionSpace: rows with missing values could be any of more than "
                f"{MOST_COMPLETIONS:,} complete rows, too many for language='cnf'; fill in the "
                "missing values, or use language='conjunction'."
            )
        return {cell for cube in cubes for cell in self.cells.completions(cube)}

    @property
    def free(self) -> int:
        """Cells of which no example says anything."""
        return self.cells.count - len(self.positive) - len(self.negative) - len(self.doubtful)

    @property
    def empty(self) -> bool:
        return self._impossible

    @cached_property
    def size(self) -> Bounds:
        if self.empty:
            return Bounds(0, 0)
        if self.free > LARGEST_POWER:
            return Bounds(1 << LARGEST_POWER, inf)
        low, high = self.sets.count()
        return Bounds(low << self.free, int(high) << self.free)

    @property
    def most_specific(self) -> Hypothesis:
        kept: list[Cube] = []
        few = len(self.positive) <= _MOST_JOINED
        for cube in primes(self.positive, self.cells.sizes) if few else self.cubes:
            if not any(_inside(cube, other) for other in kept):
                kept.append(cube)
        return Hypothesis(self.schema, tuple(map(self.cells.conjunction, kept)))

    def general(self) -> Iterator[Hypothesis]:
        if self.empty:
            return
        for mask in self.sets.smallest():
            excluded = [cell for cell in self.doubtful if mask & self._place[cell]]
            yield self._without({*self.negative, *excluded})

    def _without(self, cells: set[Cube]) -> Hypothesis:
        """The hypothesis that covers all but these cells: a clause for each of the largest cubes of them."""
        return Hypothesis(
            self.schema, tuple(map(self.cells.conjunction, primes(cells, self.cells.sizes))), negated=True
        )

    def nodes(self) -> Iterator[tuple[Hypothesis, int]]:
        if self.cells.count > MOST_CELLS:
            raise TooManyHypotheses
        if self.empty:
            return
        known = self.positive | self.negative | set(self.doubtful)
        cells = list(product(*map(range, self.cells.sizes)))
        free = [cell for cell in cells if cell not in known]
        bit = {cell: 1 << at for at, cell in enumerate(cells)}
        for many in range(len(free), -1, -1):
            for excluded in combinations(free, many):
                for mask in self.sets.members():
                    doubtful = [cell for cell in self.doubtful if mask & self._place[cell]]
                    uncovered = {*self.negative, *excluded, *doubtful}
                    yield self._without(uncovered), sum(bit[c] for c in cells if c not in uncovered)

    def _inside(self, cells: set[Cube], row: Cube) -> int:
        """How many of some cells the row may be in."""
        if min(row, default=0) >= 0:
            return int(row in cells)
        return sum(_inside(cell, row) for cell in cells)

    def votes(self, rows: Table) -> list[Vote]:
        size = self.size
        every = self.sets.count()

        def of_row(row: Cube) -> Vote:
            if self._inside(self.negative, row):
                return Vote(0.0, Bounds(0, 0), size)
            known = self._inside(self.positive, row)
            wanted = [cell for cell in self.doubtful if _inside(cell, row)]
            power = self.cells.n_completions(row) - known - len(wanted)
            if not power and not wanted:
                return Vote(1.0, size, size)
            within = self.sets.family.full & ~sum(self._place[cell] for cell in wanted)
            some = self.sets.count(within) if wanted else every
            share = vote(some, every).share * 0.5 ** min(power, 2000)
            if self.free > LARGEST_POWER:
                return Vote(share, Bounds(0, inf), size)
            remaining = self.free - power
            return Vote(share, Bounds(some.low << remaining, int(some.high) << remaining), size)

        return answer_distinct(self.cells.cubes_of(rows), of_row)
