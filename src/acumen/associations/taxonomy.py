"""Taxonomies of items: milk is dairy, dairy is food.

    Taxonomy.of({"milk": "dairy", "dairy": "food"})

A basket with an item holds everything the item is of, so sets and rules may mix levels; no set holds an item
beside what the item is of, which would say nothing. The kinds of which nothing is said are level 1, what is
of them level 2, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.associations.baskets import Baskets
from acumen.associations.itemsets import Itemsets
from acumen.errors import ParameterError
from acumen.types import Bools


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """What each item is of, straight."""

    parents: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, given: Any, who: str) -> Taxonomy:
        """From a mapping of items to what they are of, one or several."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise ParameterError(
                f"{who}: taxonomy must be a mapping of items to what they are of; got {given!r}."
            )
        taxonomy = cls({str(k): (v,) if isinstance(v, str) else tuple(map(str, v)) for k, v in given.items()})
        for item in taxonomy.parents:
            if item in taxonomy.above(item, who):
                raise ParameterError(f"{who}: in the taxonomy {item!r} is of itself.")
        return taxonomy

    def above(self, item: str, who: str = "taxonomy") -> set[str]:
        """Everything an item is of."""
        ancestors: set[str] = set()
        waiting = list(self.parents.get(item, ()))
        while waiting:
            one = waiting.pop()
            if one not in ancestors:
                ancestors.add(one)
                waiting += self.parents.get(one, ())
        return ancestors

    def level(self, item: str) -> int:
        """How far below the top an item is; 1 at the top."""
        return 1 + max((self.level(one) for one in self.parents.get(item, ())), default=0)

    def extend(self, baskets: Baskets) -> Baskets:
        """Baskets that also hold everything their items are of."""
        kinds = sorted({kind for name in baskets.names for kind in self.above(name)} - set(baskets.names))
        names = (*baskets.names, *kinds)
        place = {name: at for at, name in enumerate(names)}
        each = [[at, *(place[kind] for kind in self.above(name))] for at, name in enumerate(baskets.names)]
        times = np.array([len(one) for one in each], dtype=np.int64)
        begin = np.cumsum(times) - times
        every = np.array([item for one in each for item in one], dtype=np.int64)
        here = times[baskets.items]
        rows = np.repeat(np.repeat(np.arange(len(baskets)), np.diff(baskets.starts)), here)
        within = np.arange(int(here.sum())) - np.repeat(np.cumsum(here) - here, here)
        items = every[np.repeat(begin[baskets.items], here) + within]
        pairs = np.unique(rows * max(len(names), 1) + items)  # a kind once, however many items are of it
        rows, items = np.divmod(pairs, max(len(names), 1))
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(baskets)))]).astype(np.int64)
        groups = np.concatenate([baskets.groups, np.full(len(kinds), -1, dtype=np.int32)])
        return Baskets(names, starts, items.astype(np.int32), groups)

    def supports(self, baskets: Baskets, by_level: Sequence[float]) -> dict[str, float]:
        """The least support of each item: that of its level, the last one for all deeper ones."""
        return {n: by_level[min(self.level(n), len(by_level)) - 1] for n in baskets.names}

    def plain(self, found: Itemsets) -> Itemsets:
        """The sets without an item next to its own category."""
        starts, items, _ = found.to_arrays()
        rows = np.repeat(np.arange(len(found)), np.diff(starts))
        place = {name: at for at, name in enumerate(found.names)}
        bad: Bools = np.zeros(len(found), dtype=np.bool_)
        for name, at in place.items():
            above = [place[kind] for kind in self.above(name) if kind in place]
            if above:
                has = np.bincount(rows[items == at], minlength=len(found)) > 0
                bad |= has & (np.bincount(rows[np.isin(items, above)], minlength=len(found)) > 0)
        return found.take(~bad) if bad.any() else found
