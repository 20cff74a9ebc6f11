"""The baskets that rules are mined from: in memory, or in parts.

    LocalBaskets    baskets in memory
    PartedBaskets   parts as `acumen.scan` returns them

Both find sets and count any others; a taxonomy's kinds are items of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from acumen import _native
from acumen.associations.baskets import Baskets, Longs
from acumen.associations.itemsets import Itemsets
from acumen.associations.mining import MiningRequest, is_stream, mine_itemsets
from acumen.associations.parted_mining import all_parts, baskets_there, of_length, two_passes
from acumen.associations.taxonomy import Taxonomy
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import Codes


class LocalBaskets:
    """Baskets in memory."""

    def __init__(self, data: Any, discretise: Any, taxonomy: Taxonomy | None, who: str) -> None:
        self._plain = Baskets.of(data, discretise=discretise, who=who)
        self.baskets = self._plain if taxonomy is None else taxonomy.extend(self._plain)

    def mine(self, wish: MiningRequest) -> Itemsets:
        return mine_itemsets(self._plain, wish)

    def count(self, starts: Longs, items: Codes, threads: int) -> Longs:
        """How many baskets hold all of each set's items."""
        held = self.baskets
        return _native.count_itemsets(held.starts, held.items, held.n_items, starts, items, threads)


class PartedBaskets:
    """Parts under one schema; of their baskets only the number and the items are kept."""

    def __init__(self, parts: Iterable[Table], discretise: Any, taxonomy: Taxonomy | None, who: str) -> None:
        self._parts, self._discretise, self._taxonomy = parts, discretise, taxonomy
        n, first = 0, None
        self._there = baskets_there(parts)
        if self._there is not None:
            n, first = self._there.n, self._there.shape(discretise)
        for part in () if self._there is not None else all_parts(parts, discretise):
            n += len(part)
            first = part if first is None else first
        if first is None:
            raise DataError(f"{who}: there is no part, and so no basket.")
        self.baskets = of_length(first if taxonomy is None else taxonomy.extend(first), n)

    def mine(self, wish: MiningRequest) -> Itemsets:
        return two_passes(self._parts, wish, self._discretise)

    def count(self, starts: Longs, items: Codes, threads: int) -> Longs:
        """How many baskets hold all of each set's items."""
        if self._there is not None:
            part_counts: Longs = self._there.count_baskets(self._taxonomy, self._discretise, starts, items)[0]
            return part_counts
        counts = np.zeros(len(starts) - 1, dtype=np.int64)
        for part in all_parts(self._parts, self._discretise):
            held = part if self._taxonomy is None else self._taxonomy.extend(part)
            counts += _native.count_itemsets(held.starts, held.items, held.n_items, starts, items, threads)
        return counts


def source_of(
    data: Any, discretise: Any, taxonomy: Taxonomy | None, who: str
) -> LocalBaskets | PartedBaskets:
    """Whatever baskets come as."""
    return (PartedBaskets if is_stream(data) else LocalBaskets)(data, discretise, taxonomy, who)
