"""Which rules for one class are worth keeping: the shortest message that tells where the class is.

Quinlan (1993), 5.2: the receiver knows the rows and must learn which are of the class. A theory is the rules; the
exceptions are the rows it covers wrongly and the rows of the class it does not cover. Of r weight covered with fp
wrong, and n - r not covered with fn of the class,

    exceptions   log2 C(r, fp) + log2 C(n - r, fn)
    rules        the bits of their conditions, each rule's less log2 of the orders they could stand in
    length       exceptions + rules / 2, since rules can be told in shorter codes than this one

All subsets of few rules are tried. Of many, rules are taken in and out one by one, whichever shortens the message most,
from no rule and from all of them; the shorter end wins.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.types import Bools, Floats, Indices

#: What a bit of the rules counts against a bit of exceptions (Quinlan 1993, p. 55).
RULES_COUNT = 0.5
_FEW = 8
_LN2 = float(np.log(2.0))


@dataclass(frozen=True, slots=True, eq=False)
class RuleCandidates:
    """The rules for one class: which rows each covers, and its bits."""

    covers: Sequence[Indices]
    bits: Floats
    weights: Floats
    right: Bools  # whether each row is of the class

    def length(self, chosen: Bools) -> float:
        """The length of the message with these rules."""
        count = np.zeros(len(self.weights), dtype=np.int64)
        for j in np.flatnonzero(chosen).tolist():
            count[self.covers[j]] += 1
        return float(self._lengths(*self._covered_weights(count), self.bits[chosen].sum()))

    def best(self) -> Bools:
        """The rules of the shortest message."""
        n = len(self.covers)
        if n <= _FEW:
            subsets = [np.array(s, dtype=np.bool_) for s in itertools.product((False, True), repeat=n)]
            return subsets[int(np.argmin([self.length(s) for s in subsets]))]
        ends = [self._climb(np.zeros(n, dtype=np.bool_)), self._climb(np.ones(n, dtype=np.bool_))]
        return ends[int(np.argmin([self.length(s) for s in ends]))]

    def _climb(self, chosen: Bools) -> Bools:
        """Take rules in or out while that shortens the message."""
        rows = np.concatenate(self.covers)
        starts = np.concatenate([[0], np.cumsum([len(c) for c in self.covers])[:-1]]).astype(np.intp)
        empty = np.array([len(c) == 0 for c in self.covers])
        count = np.zeros(len(self.weights), dtype=np.int64)
        for j in np.flatnonzero(chosen).tolist():
            count[self.covers[j]] += 1
        now = self.length(chosen)
        while True:
            # a rule not chosen adds the rows that none covers; a chosen one takes those it alone covers away
            change = np.where(
                np.repeat(chosen, np.diff(np.append(starts, len(rows)))), count[rows] == 1, count[rows] == 0
            )
            sums = np.stack([change * self.weights[rows], change * self.weights[rows] * ~self.right[rows]])
            padded = np.concatenate(
                [sums, np.zeros((2, 1))], axis=1
            )  # a rule that covers nothing may be the last
            moved, wrong = np.where(empty, 0.0, np.add.reduceat(padded, starts, axis=1))
            sign = np.where(chosen, -1.0, 1.0)
            covered, false = self._covered_weights(count)
            lengths = self._lengths(
                covered + sign * moved, false + sign * wrong, self.bits[chosen].sum() + sign * self.bits
            )
            best = int(np.argmin(lengths))
            if lengths[best] >= now - 1e-9:
                return chosen
            count[self.covers[best]] += -1 if chosen[best] else 1
            chosen = chosen.copy()
            chosen[best] = not chosen[best]
            now = float(lengths[best])

    def _covered_weights(self, count: Indices) -> tuple[float, float]:
        """The weight covered, and of it the weight of other classes."""
        covered = count > 0
        return float(self.weights[covered].sum()), float(self.weights[covered & ~self.right].sum())

    def _lengths(self, covered: Floats | float, false: Floats | float, rules: Floats | float) -> Floats:
        n, right_weight = self.weights.sum(), self.weights[self.right].sum()
        missed = right_weight - (np.asarray(covered) - np.asarray(false))
        exceptions = _choices(covered, false) + _choices(n - np.asarray(covered), missed)
        return np.asarray(exceptions + RULES_COUNT * np.asarray(rules))


def _choices(n: Floats | float, of: Floats | float) -> Floats:
    """log2 of n choose `of`, for weights too; rounding may leave a little below zero."""
    from scipy.special import gammaln

    n = np.maximum(np.asarray(n, dtype=np.float64), 0.0)
    of = np.clip(np.asarray(of, dtype=np.float64), 0.0, n)
    return np.asarray((gammaln(n + 1) - gammaln(of + 1) - gammaln(n - of + 1)) / _LN2)
