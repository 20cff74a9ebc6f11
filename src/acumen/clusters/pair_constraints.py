"""Pairs of rows that must or must not be in the same cluster, and the cheapest clusters that satisfy them.

    Links      rows drawn together into sets by `must_link`, and the sets that `cannot_link` keeps apart
    cheapest   a group for each set of rows: exact, by branch and bound over sets that are kept apart

Wagstaff, Cardie, Rogers and Schroedl (2001), "Constrained k-means clustering with background knowledge", give row after
row to the nearest group that is allowed, and fail where an early row takes another's only place. Here sets that hang
together by `cannot_link` are settled together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.types import Array, Codes, Floats

#: Steps of one search at most; it then keeps the best it has found.
STEPS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """`sets` has the set of each row, `apart` for each set those it is kept apart from, in order."""

    sets: Array
    n_sets: int
    apart: dict[int, list[int]]

    @classmethod
    def of(cls, must: Any, cannot_link: Any, n_rows: int, who: str) -> Links:
        """Links between `n` rows; refuses contradictions."""
        sets = np.arange(n_rows)
        for a, b in _pairs(must, "must_link", n_rows, who):
            one, other = sets[a], sets[b]
            if one != other:
                sets[sets == max(one, other)] = min(one, other)
        _, sets = np.unique(sets, return_inverse=True)
        apart: dict[int, set[int]] = {}
        for a, b in _pairs(cannot_link, "cannot_link", n_rows, who):
            one, other = int(sets[a]), int(sets[b])
            if one == other:
                raise ParameterError(
                    f"{who}: cannot_link keeps rows {a} and {b} apart, which must_link puts in one cluster; "
                    "leave out one of these pairs."
                )
            apart.setdefault(one, set()).add(other)
            apart.setdefault(other, set()).add(one)
        return cls(
            sets,
            int(sets.max(initial=-1)) + 1,
            {each: sorted(others) for each, others in sorted(apart.items())},
        )

    @property
    def linked_rows(self) -> Array:
        """Which rows are in any pair."""
        together = np.bincount(self.sets, minlength=self.n_sets) > 1
        together[list(self.apart)] = True
        return np.flatnonzero(together[self.sets])

    def require_known(self, known: Array, who: str) -> None:
        """Refuse links of rows of which nothing is known."""
        blank = np.setdiff1d(self.linked_rows, np.flatnonzero(known))
        if len(blank):
            raise DataError(
                f"{who}: must_link or cannot_link names row {int(blank[0])}, of which nothing is known; leave it out."
            )

    def take(self, rows: Array) -> Links:
        """The links of some rows, among which all that are linked must be."""
        kept, sets = np.unique(self.sets[rows], return_inverse=True)
        at = {int(old): new for new, old in enumerate(kept.tolist())}
        apart = {at[each]: [at[other] for other in others] for each, others in self.apart.items()}
        return Links(sets, len(kept), apart)

    def sum_sets(self, costs: Floats) -> Floats:
        """Lines of rows added up to lines of sets."""
        if self.n_sets == len(costs):
            return costs  # every row is a set of its own
        totals = np.zeros((self.n_sets, costs.shape[1]))
        np.add.at(totals, self.sets, costs)
        return totals


def _pairs(given: Any, name: str, n_rows: int, who: str) -> list[tuple[int, int]]:
    try:
        pair_rows = np.array([[*pair] for pair in given])
    except (TypeError, ValueError):
        pair_rows = np.array([[np.nan]])
    if not pair_rows.size and len(pair_rows) == 0:
        return []
    if pair_rows.ndim != 2 or pair_rows.shape[1] != 2 or pair_rows.dtype.kind not in "iu":
        raise ParameterError(
            f"{who}: {name} must be pairs of row numbers, such as [(0, 3), (2, 5)]; got {given!r}."
        )
    if pair_rows.min() < 0 or pair_rows.max() >= n_rows:
        wrong = int(pair_rows.min() if pair_rows.min() < 0 else pair_rows.max())
        raise ParameterError(f"{who}: {name} names row {wrong}; rows are counted from 0 to {n_rows - 1}.")
    pairs = [(int(a), int(b)) for a, b in pair_rows.tolist()]
    for a, b in pairs:
        if a == b:
            raise ParameterError(f"{who}: {name} pairs row {a} with itself; a pair is of two rows.")
    return pairs


def cheapest(costs: Floats, links: Links, who: str, start: Codes | None = None) -> Codes:
    """The group of each set at the least sum of `costs` (sets, groups), of equals the first.

    `start` is an assignment that keeps to the links; the one found costs no more. A search that takes too many steps
    keeps the best so far.
    """
    labels: Codes = costs.argmin(axis=1).astype(np.int32)
    seen: set[int] = set()
    for first in links.apart:
        if first in seen:
            continue
        sets = _together(first, links.apart)
        seen.update(sets)
        if all(labels[a] != labels[b] for a in sets for b in links.apart[a]):
            continue
        groups, all_tried = _branch_and_bound(
            costs, sets, links.apart, None if start is None else start[sets]
        )
        if groups is None:
            k, rows = costs.shape[1], np.flatnonzero(np.isin(links.sets, sets))
            row_list = ", ".join(map(str, rows[:6].tolist())) + (", ..." if len(rows) > 6 else "")
            why = "there is none" if all_tried else f"none was found in {STEPS:,} steps"
            raise DataError(
                f"{who}: cannot_link asks for {k} clusters that separate rows among {row_list}, and {why}; give a "
                "larger n_clusters or fewer pairs."
            )
        labels[sets] = groups
    return labels


def _together(first: int, apart: dict[int, list[int]]) -> list[int]:
    """The sets that hang together with one, most bound first: each next to as many before it as can be."""
    order, linked = [first], {first}
    at = 0
    while at < len(order):
        fresh = [each for each in apart[order[at]] if each not in linked]
        linked.update(fresh)
        order += fresh
        at += 1
    remaining = set(order)
    sets: list[int] = []
    before = dict.fromkeys(order, 0)
    while remaining:
        best = max(remaining, key=lambda each: (before[each], len(apart[each]), -each))
        remaining.remove(best)
        sets.append(best)
        for other in apart[best]:
            before[other] += 1
    return sets


def _branch_and_bound(
    costs: Floats, sets: list[int], apart: dict[int, list[int]], start: Codes | None
) -> tuple[Codes | None, bool]:
    """The cheapest groups of sets in this order, and whether all were tried: cheap groups first, depth first.

    What is left is at least the sum of each set's cheapest group.
    """
    set_costs = costs[sets]
    m, k = set_costs.shape
    place = {each: at for at, each in enumerate(sets)}
    before = [[place[other] for other in apart[each] if place[other] < place[each]] for each in sets]
    least = np.append(np.cumsum(set_costs.min(axis=1)[::-1])[::-1], 0.0).tolist()
    order = np.argsort(set_costs, axis=1, kind="stable").tolist()
    price = set_costs.tolist()
    best = None if start is None else start.copy()
    bound = np.inf if start is None else float(set_costs[np.arange(m), start].sum())
    chosen, tried, spent = [-1] * m, [0] * m, [0.0] * (m + 1)
    at = steps = 0
    while at >= 0:
        if tried[at] == k:
            tried[at], chosen[at] = 0, -1
            at -= 1
            continue
        group = order[at][tried[at]]
        tried[at] += 1
        steps += 1
        if steps > STEPS:
            return best, False
        now = spent[at] + price[at][group]
        if not now + least[at + 1] < bound * (1 - 1e-14):
            tried[at] = k  # groups come in the order of their costs: the others are no better
            continue
        if any(chosen[other] == group for other in before[at]):
            continue
        chosen[at], spent[at + 1] = group, now
        if at + 1 == m:
            best, bound = np.array(chosen, dtype=np.int32), now
            continue
        at += 1
    return best, True
