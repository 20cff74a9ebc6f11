"""Version spaces of conjunctions: of tests, of tests that allow several levels, of equal attributes.

    Vote           what a space says of a row: how many of its hypotheses cover it
    VersionSpace   what every version space answers
    LiteralSpace   hypotheses are sets of literals, which hit what negatives do not pass (`hitting`)

The literals are those that every positive passes, so the most specific hypothesis has them all, and any other is a part
of them. An attribute of which one level is known may have another, or nothing could be said with it. Before the first
positive every test there is counts, and so does the hypothesis that covers nothing.

    conjunction           a test for each attribute: its value, or the shortest interval that has all positives' numbers
    internal-disjunction  several levels may pass: one literal for each level that is kept out
    attribute-equality    attributes that have the same value: sets of pairs that are transitive
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import exp, inf, isinf, log

import numpy as np

from acumen.caching import cached_property
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.rules.hitting_sets import (
    Bounds,
    Family,
    HittingSets,
    answer_distinct,
    row_masks,
)
from acumen.rules.hypothesis import Conjunction, Hypothesis, HypothesisColumns, NumberRange, Test
from acumen.types import Bools


@dataclass(frozen=True, slots=True)
class Vote:
    """How many hypotheses of a space cover a row.

    `covering` and `of` are whole numbers, or bounds where the space is too large to be counted, and then `share` is an
    estimate between theirs, exact where all hypotheses agree. `of` 0 is an empty space, whose share is not a number.
    """

    share: float
    covering: Bounds
    of: Bounds

    @property
    def exact(self) -> bool:
        return self.covering.exact and self.of.exact

    def __str__(self) -> str:
        if self.of == (0, 0):
            return "the space is empty"
        about = "" if self.exact else "about "
        return f"covered by {self.covering} of {self.of} hypotheses ({about}{100 * self.share:.4g} %)"


class HypothesisSpace(ABC):
    """The hypotheses of one language that agree with all examples."""

    schema: Schema

    @property
    @abstractmethod
    def most_specific(self) -> Hypothesis:
        """Find-S: the most specific hypothesis that covers all positives, whatever the negatives are."""

    @property
    @abstractmethod
    def size(self) -> Bounds:
        """How many hypotheses there are."""

    @abstractmethod
    def general(self) -> Iterator[Hypothesis]:
        """The most general of them; TooMany where they cannot be held."""

    @abstractmethod
    def nodes(self) -> Iterator[tuple[Hypothesis, int]]:
        """All of them, each with a set as a whole number: the more general, the more it holds."""

    @abstractmethod
    def votes(self, rows: Table) -> list[Vote]:
        """How many cover each row, the space not being empty."""

    @property
    def empty(self) -> bool:
        return self.size.high == 0


def vote(covering: Bounds, of: Bounds) -> Vote:
    """A vote from counts: where they are bounds, in the middle between them on the scale of logarithms."""
    if covering.high == 0:
        return Vote(0.0, covering, of)
    if covering == of and covering.exact:
        return Vote(1.0, covering, of)
    if covering.exact and of.exact:
        return Vote(covering.low / of.low, covering, of)
    gap = _middle(covering) - _middle(of)
    return Vote(min(max(exp(min(gap, 0.0)), 1e-12), 1 - 1e-12), covering, of)


def _middle(bounds: Bounds) -> float:
    return (log(max(bounds.low, 1)) + (log(bounds.high) if not isinf(bounds.high) else inf)) / 2


@dataclass(frozen=True, slots=True)
class Literal:
    """A test of one attribute, or, with another, that both are equal."""

    place: int
    test: Test = None
    other: int = -1

    def holds(self, columns: HypothesisColumns) -> Bools:
        if self.other >= 0:
            return columns.equal(self.place, self.other)
        return columns.passes(self.place, self.test)


class LiteralSpace(HypothesisSpace):
    """Conjunctions of literals that all positives pass and no negative does."""

    def __init__(self, language: str, schema: Schema, positives: Table, negatives: Table) -> None:
        self.schema, self.language = schema, language
        self.begun = len(positives) > 0
        columns = HypothesisColumns(positives)
        make = {
            "conjunction": _test_literals,
            "internal-disjunction": _exclusions,
            "attribute-equality": _equalities,
        }[language]
        self.literals = make(schema, columns, self.begun)
        self.sets = HittingSets(self._family(), set(self.masks(negatives)))

    def _family(self) -> Family:
        width = len(self.literals)
        if self.language == "attribute-equality":
            return Family(width, "closed", pairs=tuple((each.place, each.other) for each in self.literals))
        if self.begun:
            return Family(width)
        groups: dict[int, int] = {}
        for bit, literal in enumerate(self.literals):
            groups[literal.place] = groups.get(literal.place, 0) | 1 << bit
        return Family(width, "one" if self.language == "conjunction" else "some", tuple(groups.values()))

    def masks(self, rows: Table) -> list[int]:
        """Which literals each row passes."""
        columns = HypothesisColumns(rows)
        held = np.empty((len(rows), len(self.literals)), dtype=np.bool_)
        for at, literal in enumerate(self.literals):
            held[:, at] = literal.holds(columns)
        return row_masks(held)

    def hypothesis(self, mask: int) -> Hypothesis:
        """A set of literals as a hypothesis."""
        tests: list[Test] = [None] * len(self.schema)
        chosen = [literal for bit, literal in enumerate(self.literals) if mask >> bit & 1]
        for literal in chosen:
            before, test = tests[literal.place], literal.test
            if isinstance(before, tuple) and isinstance(test, tuple):
                test = tuple(level for level in before if level in test)
            tests[literal.place] = test if literal.other < 0 else before
        equal = tuple(map(tuple, self.sets.family.blocks(mask))) if self.sets.family.pairs else ()
        return Hypothesis(self.schema, (Conjunction(tuple(tests), equal),))

    @property
    def nothing(self) -> Hypothesis:
        return Hypothesis(self.schema, ())

    @property
    def most_specific(self) -> Hypothesis:
        return self.hypothesis(self.sets.family.full) if self.begun else self.nothing

    @cached_property
    def size(self) -> Bounds:
        low, high = self.sets.count()
        return Bounds(low, high) if self.begun else Bounds(low + 1, high + 1)

    @property
    def empty(self) -> bool:
        return self.begun and self.sets.empty

    def general(self) -> Iterator[Hypothesis]:
        smallest = self.sets.smallest()
        yield from map(self.hypothesis, smallest)
        if not (self.begun or smallest):
            yield self.nothing

    def nodes(self) -> Iterator[tuple[Hypothesis, int]]:
        full, width = self.sets.family.full, self.sets.family.width
        if not self.begun:
            yield self.nothing, 0
        for mask in self.sets.members():
            yield self.hypothesis(mask), (full ^ mask) | 1 << width

    def votes(self, rows: Table) -> list[Vote]:
        full, size = self.sets.family.full, self.size

        def of_mask(mask: int) -> Vote:
            if mask == full and self.begun:
                return Vote(1.0, size, size)
            return vote(self.sets.count(mask), size)

        return answer_distinct(self.masks(rows), of_mask)


def _test_literals(schema: Schema, columns: HypothesisColumns, begun: bool) -> list[Literal]:
    literals = []
    for place, attribute in enumerate(schema.attributes):
        if not begun:
            literals += [Literal(place, (level,)) for level in attribute.levels]
        elif columns.is_known(place).all():
            column = columns[place]
            if attribute.is_numeric:
                literals.append(Literal(place, NumberRange(float(column.min()), float(column.max()))))
            elif (column == column[0]).all():
                literals.append(Literal(place, (attribute.levels[int(column[0])],)))
    return literals


def _exclusions(schema: Schema, columns: HypothesisColumns, begun: bool) -> list[Literal]:
    literals = []
    for place, attribute in enumerate(schema.attributes):
        if begun and not columns.is_known(place).all():
            continue
        if attribute.is_numeric:
            if begun:
                column = columns[place]
                literals.append(Literal(place, NumberRange(float(column.min()), float(column.max()))))
            continue
        held = {attribute.levels[code] for code in np.unique(columns[place]).tolist()}
        if len(attribute.levels) == 1 and begun:
            literals.append(Literal(place, attribute.levels))  # which keeps out whatever else may come
        literals += [
            Literal(place, tuple(other for other in attribute.levels if other != level))
            for level in attribute.levels
            if level not in held
        ]
    return literals


def _equalities(schema: Schema, columns: HypothesisColumns, begun: bool) -> list[Literal]:
    return [
        Literal(one, other=other)
        for one, other in combinations(range(len(schema)), 2)
        if schema.attributes[one].is_nominal == schema.attributes[other].is_nominal
        and columns.equal(one, other).all()
    ]
