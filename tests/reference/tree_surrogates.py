"""Surrogates from their definition (Breiman et al. 1984, 5.3), and the small things all of growing needs.

A stand-in for a test in two branches is a test of another input, over the rows where both are known; it is worth
what it agrees with the test more than sending every row to the larger branch would.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from typing import Any

from acumen.trees.node_tests import Test

Rows = list[tuple[int, float]]
NEAR, TINY = 1e-12, 1e-14


def first_best(things: list[Any], scores: list[float]) -> Any:
    """The first whose score is the best, up to rounding."""
    best = max(scores)
    enough = best - max(NEAR * abs(best), TINY)
    return next(thing for thing, score in zip(things, scores, strict=True) if score >= enough)


def midpoint(a: float, b: float) -> float:
    """Half-way, finite, at least a and below b."""
    big = sys.float_info.max
    low, high = max(a, -big), min(b, big)
    middle = low / 2 + high / 2 if abs(low) > 1e300 or abs(high) > 1e300 else (low + high) / 2
    return middle if a <= middle < b else low


class Surrogates:
    """The part of a grower that finds surrogates."""

    columns: Any
    inputs: Any
    schema: Any
    how: Any
    is_known: Any
    branch_of: Any
    weight: Any

    def by_surrogate(self, test: Test, row: int) -> int:
        if not self.is_known(test.input, row):
            return -1
        at = (
            self.branch_of(Test(test.input, test.cuts), row)
            if test.cuts
            else int(self.columns[test.input][row])
        )
        return test.branches[at] if test.branches else at

    def surrogates(self, best: Any) -> list[Test]:
        """The five tests of other inputs that agree most with this one, each more often than its larger branch."""
        if self.how.missing != "surrogate" or len(best.branches) != 2:
            return []
        found: list[tuple[float, Test]] = []
        for j in range(len(self.inputs)):
            if j == best.test.input:
                continue
            sides = [[(r, w) for r, w in b if self.is_known(j, r)] for b in best.branches]
            tried = list(self.stand_ins(j, sides))
            if not tried:
                continue
            larger = max(self.weight(side) for side in sides)
            agree = [self.agreement(test, sides) - larger for test in tried]
            test = first_best(tried, agree)
            excess = agree[tried.index(test)]
            if excess > NEAR * larger:
                found.append((excess, test))
        made = []
        while found and len(made) < 5:
            pick = first_best(found, [excess for excess, _ in found])
            found.remove(pick)
            made.append(pick[1])
        return made

    def stand_ins(self, j: int, sides: list[Rows]) -> Iterator[Test]:
        column = self.columns[j]
        if self.inputs[j].is_numeric(self.schema):
            for a, b in itertools.pairwise(sorted({float(column[r]) for side in sides for r, _ in side})):
                yield Test(j, cuts=(midpoint(a, b),))
                yield Test(j, cuts=(midpoint(a, b),), branches=(1, 0))
            return
        branches = []
        for level in range(self.inputs[j].n_levels(self.schema)):
            zero, one = (math.fsum(w for r, w in side if column[r] == level) for side in sides)
            branches.append(-1 if zero + one == 0 else int(one > zero))
        yield Test(j, branches=tuple(branches))

    def agreement(self, test: Test, sides: list[Rows]) -> float:
        return math.fsum(
            w for b, side in enumerate(sides) for r, w in side if self.by_surrogate(test, r) == b
        )
