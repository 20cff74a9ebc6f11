"""Searches for the subset of attributes with which a learner does best.

    SubsetCosts      every subset tried, with its values on the splits; each is tried once
    search_subsets   costs, search -> the costs, filled in

forward     from the best single attribute on, each time adding the one that does best beside those chosen
backward    from all attributes down, each time leaving out the one whose absence does best
floating    forward; after each addition attributes are left out as long as that gives the best set of its size so far
            (Pudil, Novovičová and Kittler 1994)
beam        forward with the `beam` best sets of each size, instead of one
exhaustive  every subset

Of sets as good the first in the table's order is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

from acumen.errors import ParameterError
from acumen.tuning.results import means_of
from acumen.tuning.subset_values import Subset
from acumen.types import Floats

Search = Literal["forward", "backward", "floating", "beam", "exhaustive"]
#: So many subsets are gone through one by one; for more, "exhaustive" is refused.
MOST = 1 << 16


class SubsetCosts:
    """Every subset tried, in order."""

    def __init__(self, valuer: Any, larger_is_better: bool) -> None:
        self._valuer, self._sign = valuer, -1.0 if larger_is_better else 1.0
        self.values: dict[Subset, Floats] = {}
        self.means: dict[Subset, tuple[float, float]] = {}

    def cost(self, subset: Subset, base: Subset = ()) -> float:
        """The mean of a subset over the splits, smaller is better; infinite if undefined."""
        if subset not in self.values:
            values = self._valuer.values(subset, base)
            mean, error = means_of(values[None, :])
            self.values[subset] = values
            self.means[subset] = float(mean[0]), float(error[0])
        mean_ = self.means[subset][0]
        return math.inf if math.isnan(mean_) else self._sign * mean_


def search_subsets(
    book: SubsetCosts,
    n: int,
    search: Search,
    most: int,
    *,
    beam: int = 5,
    patience: int | None = None,
    who: str = "Wrapper",
) -> None:
    """Try the subsets of a search and record them, of at most `most` attributes ("backward" also larger)."""
    if search == "exhaustive":
        require_few(n, most, who)
        for size in range(1, most + 1):
            for subset in combinations(range(n), size):
                book.cost(subset, subset[:-1])
    elif search == "backward":
        _backward(book, n, most, patience)
    elif search == "beam":
        _beam(book, n, most, beam, patience)
    else:
        _forward(book, n, most, patience, floating=search == "floating")


def require_few(n: int, most: int, who: str) -> None:
    """Refuse a search over too many subsets."""
    count = sum(math.comb(n, size) for size in range(1, most + 1))
    if count > MOST:
        raise ParameterError(
            f"{who}: search='exhaustive' would try {count:,} subsets, more than {MOST:,}; give max_attributes, "
            "filter attributes first, or use search='floating'."
        )


def _with(subset: Subset, more: int) -> Subset:
    return tuple(sorted((*subset, more)))


def _best(book: SubsetCosts, moves: Sequence[Subset], base: Subset) -> Subset:
    return min(moves, key=lambda subset: book.cost(subset, base))


class _Patience:
    """Whether a number of steps in a row were no better than the best before them."""

    def __init__(self, patience: int | None) -> None:
        self._patience, self._least, self._since = patience, math.inf, 0

    def costs_of_removal(self, cost: float) -> bool:
        if cost < self._least - 1e-12:
            self._least, self._since = cost, 0
            return False
        self._since += 1
        return self._patience is not None and self._since >= self._patience


def _forward(book: SubsetCosts, n: int, most: int, patience: int | None, *, floating: bool) -> None:
    now: Subset = ()
    best_of_size: dict[int, float] = {}
    waits = _Patience(patience)
    while len(now) < most:
        now = _best(book, [_with(now, j) for j in range(n) if j not in now], now)
        cost = book.cost(now)
        if floating and cost >= best_of_size.get(len(now), math.inf) - 1e-12:
            # A set of this size that was as good has been gone on from already.
            now = min((s for s in book.values if len(s) == len(now)), key=book.cost)
            cost = book.cost(now)
        best_of_size[len(now)] = min(cost, best_of_size.get(len(now), math.inf))
        while floating and len(now) > 2:
            less = _best(book, [tuple(i for i in now if i != j) for j in now], now)
            if book.cost(less) >= best_of_size[len(less)] - 1e-12:
                break
            now, best_of_size[len(less)] = less, book.cost(less)
        if waits.costs_of_removal(cost):
            return


def _backward(book: SubsetCosts, n: int, most: int, patience: int | None) -> None:
    now: Subset = tuple(range(n))
    waits = _Patience(patience)
    book.cost(now)
    while len(now) > 1:
        now = _best(book, [tuple(i for i in now if i != j) for j in now], now)
        if len(now) <= most and waits.costs_of_removal(book.cost(now)):
            return


def _beam(book: SubsetCosts, n: int, most: int, width: int, patience: int | None) -> None:
    front: list[Subset] = [()]
    waits = _Patience(patience)
    for _ in range(most):
        costs: dict[Subset, float] = {}
        for base in front:
            for j in range(n):
                if j not in base and (subset := _with(base, j)) not in costs:
                    costs[subset] = book.cost(subset, base)
        front = sorted(costs, key=costs.__getitem__)[:width]
        if waits.costs_of_removal(costs[front[0]]):
            return
