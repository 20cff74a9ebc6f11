"""Baskets that do not fit in memory: two passes over their parts, exact (Savasere, Omiecinski and Navathe 1995).

A set that is frequent among all baskets is frequent in some part, as the largest of some shares is no smaller
than their mean. So the first pass searches each part with the same supports, and the second counts everything
that any part brought up. Small parts bring up much by chance; they are searched together until a frequent set
is in twenty baskets of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import _native
from acumen.associations.baskets import Baskets
from acumen.associations.itemsets import Itemsets, condense
from acumen.associations.mining import MiningPlan, MiningRequest, mine_itemsets
from acumen.data.table import Table
from acumen.engines.block_source import Placement, placement_of
from acumen.engines.run import cluster
from acumen.errors import DataError
from acumen.preprocessing.discretise.discretisers import Binning
from acumen.summaries.algebra import Each
from acumen.types import Codes

if TYPE_CHECKING:
    from acumen.associations.taxonomy import Taxonomy
    from acumen.engines.dask_engine import Dask

_WHO = "frequent_itemsets"
_ENOUGH = 20


def two_passes(parts: Iterable[Table], wish: MiningRequest, discretise: Any) -> Itemsets:
    """The sets of all parts together; the parts are gone through twice."""
    if iter(parts) is parts:
        raise DataError(
            f"{_WHO}: the parts must be gone through twice; pass acumen.scan(...) or a list of tables."
        )
    if discretise is not None and not isinstance(discretise, Binning):
        raise DataError(f"{_WHO}: parts must be cut alike; fit the discretiser first and give its Binning.")
    # An item's own support is known when all parts are, and so is what depends on it.
    most = None if wish.kind != "all" else wish.max_size
    local = replace(wish, kind="all", max_size=most, support_difference=None)
    candidates: dict[int, Codes] = {}
    n, complete = 0, True
    for rows, whole, sets in _bring_up(parts, discretise, local):
        n += rows
        complete &= whole
        for size, lines in sets.items():
            both = np.concatenate([candidates[size], lines]) if size in candidates else lines
            candidates[size] = np.unique(both, axis=0)
    if not n:
        return Itemsets((), 0, wish.kind, _lists=(np.zeros(1, np.int64), *(np.empty(0, np.int32),) * 2))
    return _count_candidates(parts, discretise, wish, candidates, n, complete)


def _count_candidates(
    parts: Iterable[Table],
    discretise: Any,
    wish: MiningRequest,
    found: dict[int, Codes],
    n: int,
    complete: bool,
) -> Itemsets:
    sizes = [np.full(len(found[size]), size, dtype=np.int64) for size in sorted(found)]
    starts = np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))]).astype(
        np.int64
    )
    items = np.concatenate([np.empty(0, np.int32), *(found[size].ravel() for size in sorted(found))])
    counts = np.zeros(len(starts) - 1, dtype=np.int64)
    of_items: Any = None
    last: Baskets | None = None
    there = baskets_there(parts)
    if there is not None:
        shape = there.shape(discretise)
        last = shape if wish.taxonomy is None else wish.taxonomy.extend(shape)
        counts, of_items = there.count_baskets(wish.taxonomy, discretise, starts, items)
    for part in () if there is not None else all_parts(parts, discretise):
        extended = part if wish.taxonomy is None else wish.taxonomy.extend(part)
        counts += _native.count_itemsets(
            extended.starts, extended.items, extended.n_items, starts, items, wish.threads
        )
        of_items = extended.counts() if of_items is None else of_items + extended.counts()
        last = extended
    assert last is not None
    settled = replace(MiningPlan.of(last, wish), counts=of_items)
    whole = MiningPlan.of(of_length(last, n), wish)
    kept = counts >= _least(whole, starts, items)
    if whole.difference >= 0 and len(starts) > 1:
        mine = settled.counts[items]
        spread = np.maximum.reduceat(mine, starts[:-1]) - np.minimum.reduceat(mine, starts[:-1])
        kept &= spread <= whole.difference
    itemsets = Itemsets(
        last.names, n, "all", complete, _lists=(starts, items, counts.astype(np.int32)), _sorted=True
    )
    itemsets = itemsets.take(kept)
    return itemsets if wish.kind == "all" else _limit(condense(itemsets, wish.kind), wish)


@dataclass(frozen=True)
class RemoteBaskets:
    """Baskets that workers read, and the engine whose workers these are."""

    engine: Dask
    placement: Placement

    @property
    def n(self) -> int:
        """How many baskets there are."""
        return self.placement.located.n_rows

    def shape(self, discretise: Any) -> Baskets:
        """No basket, with all items."""
        return Baskets.of(self.placement.no_rows(), discretise=discretise, who=_WHO)

    def count_baskets(
        self, taxonomy: Taxonomy | None, discretise: Any, starts: Any, items: Codes
    ) -> tuple[Any, Any]:
        """How many baskets hold each set, and each item."""
        counting = partial(_counts, taxonomy=taxonomy, discretise=discretise, starts=starts, items=items)
        counts = self.engine.sum_blocks(counting, self.placement).things
        return counts[0], counts[1]


def baskets_there(parts: Any) -> RemoteBaskets | None:
    """The baskets of parts that the workers of a cluster are to read, if they are; None if they are read here."""
    engine = cluster()
    placed = None if engine is None else placement_of(parts)
    return None if engine is None or placed is None else RemoteBaskets(engine, placed.keep_all_rows())


def _bring_up(
    parts: Any, discretise: Any, local: MiningRequest
) -> Iterator[tuple[int, bool, dict[int, Codes]]]:
    """Of every part how many baskets it has, whether its search was finished, and the sets that are frequent there."""
    there = baskets_there(parts)
    if there is None:
        yield from (_frequent(part, local) for part in _large(parts, discretise, local.lowest))
        return
    held = there.engine.persist_blocks(_itself, there.placement, size=-1)
    yield from held.each(partial(_frequent_there, local=local, discretise=discretise))


def _itself(part: Table) -> Table:
    return part


def _frequent_there(part: Table, local: MiningRequest, discretise: Any) -> tuple[int, bool, dict[int, Codes]]:
    return _frequent(Baskets.of(part, discretise=discretise, who=_WHO), local)


def _frequent(part: Baskets, local: MiningRequest) -> tuple[int, bool, dict[int, Codes]]:
    here = mine_itemsets(part, local)
    return len(part), here.complete, {size: lines for size, (lines, _) in here.matrices().items()}


def _counts(part: Table, taxonomy: Taxonomy | None, discretise: Any, starts: Any, items: Codes) -> Each[Any]:
    """How many baskets of a block hold each set, and each item."""
    baskets = Baskets.of(part, discretise=discretise, who=_WHO)
    extended = baskets if taxonomy is None else taxonomy.extend(baskets)
    counts = _native.count_itemsets(extended.starts, extended.items, extended.n_items, starts, items, 1)
    return Each((np.asarray(counts, dtype=np.int64), extended.counts()))


def _limit(found: Itemsets, wish: MiningRequest) -> Itemsets:
    return found if wish.max_size is None else found.take(found.sizes <= wish.max_size)


def _least(settled: MiningPlan, starts: Any, items: Codes) -> Any:
    """The least count of each set."""
    if not len(items):
        return np.empty(0, dtype=np.int64)
    by_size = np.array(settled.by_size, dtype=np.int64)[np.minimum(np.diff(starts), len(settled.by_size)) - 1]
    if not settled.several:
        return by_size
    least_of_items = np.minimum.reduceat(settled.item_least[items], starts[:-1])
    return np.maximum(least_of_items, by_size) if len(settled.by_size) > 1 else least_of_items


def of_length(like: Baskets, n: int) -> Baskets:
    """So many empty baskets of the same items: supports become counts of all rows by them."""
    return Baskets(like.names, np.zeros(n + 1, dtype=np.int64), np.empty(0, dtype=np.int32), like.groups)


def all_parts(parts: Iterable[Table], discretise: Any) -> Iterator[Baskets]:
    names: tuple[str, ...] | None = None
    for part in parts:
        baskets = Baskets.of(part, discretise=discretise, who=_WHO)
        if names is not None and baskets.names != names:
            raise DataError(f"{_WHO}: the parts must have one schema, such as acumen.scan gives them.")
        names = baskets.names
        yield baskets


def _large(parts: Iterable[Table], discretise: Any, support: float) -> Iterator[Baskets]:
    """The parts, small ones put together."""
    waiting: list[Baskets] = []
    rows = 0
    for part in all_parts(parts, discretise):
        waiting.append(part)
        rows += len(part)
        if rows * support >= _ENOUGH:
            yield _stack(waiting)
            waiting, rows = [], 0
    if waiting:
        yield _stack(waiting)


def _stack(parts: list[Baskets]) -> Baskets:
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    first = parts[0]
    return Baskets(
        first.names, starts, np.concatenate([part.items for part in parts]), first.groups, first.conditions
    )
