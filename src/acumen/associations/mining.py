"""`frequent_itemsets`: find items that often occur together.

settle     supports, items and constraints as whole numbers for the search
search     by projection (the kernel), or level by level (Apriori)
condense   closed and maximal sets where the family is not closed downwards
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from acumen import _native
from acumen.associations.apriori import TooManyCandidates, apriori
from acumen.associations.baskets import Baskets, Longs
from acumen.associations.constraints import ItemConstraints, matches
from acumen.associations.itemsets import Itemsets, condense
from acumen.associations.miner import check_support, check_supports, least_count, most_count
from acumen.associations.taxonomy import Taxonomy
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.engines.memory import limit as memory_limit
from acumen.errors import AcumenWarning, DataError, ParameterError
from acumen.types import Codes

Kind = Literal["all", "closed", "maximal"]
Algorithm = Literal["auto", "apriori", "eclat", "fp-growth"]

_WHO = "frequent_itemsets"
#: Sets beyond which the search is not even begun to be kept, unless `limit` says otherwise.
LIMIT = 10_000_000
#: The usual support, an object of its own: with `top` it is told apart from one that was asked for.
_USUAL = float("0.1")
_WALKS = 64
#: Sets are numbered in 32 bits, and each takes so many bytes.
_NUMBERED = 2**31 - 2
_NODE = 12


class TooManySets(DataError):  # noqa: N818 - the house's way of naming them
    """There are more sets than anybody asked to hold; `estimate` is about how many."""

    def __init__(self, sentence: str, estimate: float) -> None:
        super().__init__(sentence)
        self.estimate = estimate


def frequent_itemsets(
    data: Any,
    *,
    min_support: float | Sequence[float] = _USUAL,
    max_size: int | None = None,
    kind: Kind = "all",
    algorithm: Algorithm = "auto",
    item_supports: Mapping[str, float] | None = None,
    support_difference: float | None = None,
    constraints: Any = None,
    top: int | None = None,
    taxonomy: Any = None,
    level_supports: Sequence[float] | None = None,
    discretise: Any = None,
    limit: int | None = LIMIT,
    n_jobs: int | None = None,
) -> Itemsets:
    """Find the itemsets that occur in at least a given fraction of the baskets.

    Parameters
    ----------
    data : Table, path, lists of strings, 0/1 frame or array, sparse matrix, or parts as `acumen.scan` gives them
        Items of a table are `attribute=level`. Baskets without items count as baskets. Parts are read
        twice and never held in memory together.
    min_support : float, or one for each size
        A set is frequent if count / n >= min_support. Of a sequence, the last one is for all larger sizes too.
    max_size : int, optional
        The largest number of items in a set. Closed and maximal consider all sizes; larger sets are not returned.
    kind : {"all", "closed", "maximal"}
        All; those of which no larger set has the same count; those of which no larger set is frequent.
    algorithm : {"auto", "apriori", "eclat", "fp-growth"}
        "apriori" works level by level and records a trace. All others are one search by projection that packs the rows
        of a set into bits (Eclat), which here is no slower than a tree of prefixes (FP-growth). The sets are the same.
    item_supports : mapping of item to float, optional
        Minimum supports of single items; a set needs the smallest of its items'. Items not named need `min_support`.
    support_difference : float, optional
        The largest difference between the supports of the items in a set.
    constraints : Constraints or mapping, optional
        `contains`, `any_of`, `excludes`: items or patterns such as `Age=*`.
    top : int, optional
        Only this number of sets with the largest support; `min_support`, if given, still applies.
    taxonomy : mapping of item to what it is of, optional
    level_supports : sequence of float, optional
        With a taxonomy: the minimum support of items at each level, from the top.
    discretise : Discretiser, Binning or name, optional
        How numbers of a table are cut into intervals.
    limit : int, optional
        If there are more sets than this, the search stops and TooManySets estimates how many there are; None for no
        limit.
    n_jobs : int, optional
        Number of threads; None for all available cores.

    Returns
    -------
    Itemsets
        A sequence of sets with `items`, `count` and `support`. Ctrl-C ends the search and gives the sets
        so far, with `complete` False and a warning.

    Examples
    --------
    >>> import acumen
    >>> found = acumen.frequent_itemsets([["milk", "bread"], ["bread"], [], ["milk", "bread", "jam"]], min_support=0.5)
    >>> [(one.items, one.count) for one in found]
    [(('bread',), 3), (('milk',), 2), (('bread', 'milk'), 2)]
    """
    usual = min_support is _USUAL
    _check(kind, algorithm, max_size, top, limit)
    rules = ItemConstraints.of(constraints, _WHO)
    if rules.by_side:
        raise ParameterError(
            f"{_WHO}: sets have no sides; constraints of body, head or templates are for rules."
        )
    wish = MiningRequest(
        check_supports(min_support, _WHO), max_size, kind, algorithm, item_supports, support_difference, rules,
        taxonomy=None if taxonomy is None else Taxonomy.of(taxonomy, _WHO), level_supports=level_supports,
        limit=limit, threads=cores(n_jobs),
    )  # fmt: skip
    if is_stream(data):
        from acumen.associations.parted_mining import two_passes

        if top is not None:
            raise ParameterError(f"{_WHO}: top needs all baskets in memory; give min_support for parts.")
        return two_passes(data, wish, discretise)
    baskets = Baskets.of(data, discretise=discretise, who=_WHO)
    return most_frequent(baskets, wish, top, usual) if top is not None else mine_itemsets(baskets, wish)


@dataclass(frozen=True)
class MiningRequest:
    """What is searched for."""

    supports: tuple[float, ...]
    max_size: int | None = None
    kind: Kind = "all"
    algorithm: Algorithm = "auto"
    item_supports: Mapping[str, float] | None = None
    support_difference: float | None = None
    constraints: ItemConstraints = ItemConstraints()  # noqa: RUF009 - frozen
    taxonomy: Taxonomy | None = None
    level_supports: Sequence[float] | None = None
    limit: int | None = LIMIT
    threads: int = 1
    least: int = 1  # a count below which nothing is looked at, whatever the supports

    @property
    def lowest(self) -> float:
        """The least of all supports."""
        item_supports = (self.item_supports or {}).values()
        return min((*self.supports, *item_supports, *(self.level_supports or ())))

    @property
    def most(self) -> int:
        """More sets than these are not kept: the limit, what can be numbered, or what there is memory for twice."""
        return max(min(self.limit or _NUMBERED, _NUMBERED, memory_limit() // (2 * _NODE)), 1)

    @property
    def plain(self) -> bool:
        """Whether every subset of a frequent set is frequent, so that the kernel itself can tell closed and
        maximal ones.
        """
        return (
            len(self.supports) == 1
            and self.item_supports is None
            and self.level_supports is None
            and self.support_difference is None
            and self.taxonomy is None
            and not self.constraints.contains
            and not self.constraints.any_of
        )


def is_stream(data: Any) -> bool:
    """Whether data come in parts: an iterable of tables."""
    if isinstance(data, (Table, Baskets, str, bytes, Mapping)) or not isinstance(data, Iterable):
        return False
    if isinstance(data, (list, tuple)):
        return bool(data) and all(isinstance(part, Table) for part in data)
    from acumen.data.parts import Parts

    return isinstance(data, Parts)


def mine_itemsets(baskets: Baskets, wish: MiningRequest) -> Itemsets:
    """The sets of baskets in memory."""
    if wish.kind != "all" and not wish.plain and wish.max_size is not None:
        # Which sets are closed or maximal depends on the larger ones, whether they are given or not.
        itemsets = mine_itemsets(baskets, replace(wish, max_size=None))
        return itemsets.take(itemsets.sizes <= wish.max_size)
    if wish.taxonomy is not None:
        baskets = wish.taxonomy.extend(baskets)
    wish.constraints.check(baskets.names, _WHO)
    n = len(baskets)
    # Items' own supports are of all baskets, so where these matter all are searched.
    whole = (wish.kind != "all" and wish.plain) or wish.support_difference is not None
    must = [] if whole else _required_items(baskets, wish)
    settled = MiningPlan.of(baskets, wish)
    if must:  # only baskets that hold them matter, and n stays what it was
        settled = replace(settled, baskets=baskets.holding(must))
    itemsets = settled.level_by_level(wish) if wish.algorithm == "apriori" else settled.by_projection(wish)
    if itemsets.n != n:
        itemsets = replace(itemsets, n=n)
    itemsets = settled.tidy(itemsets, wish)
    return itemsets if wish.kind == "all" or wish.plain else condense(itemsets, wish.kind)


def _required_items(baskets: Baskets, wish: MiningRequest) -> list[int]:
    """Items that every set must hold, named outright."""
    place = {name: at for at, name in enumerate(baskets.names)}
    return [place[name] for name in wish.constraints.contains if name in place]


@dataclass(frozen=True)
class MiningPlan:
    """The search in whole numbers."""

    baskets: Baskets
    n: int
    counts: Longs
    item_least: Longs  # the least count of a set by its item that asks for least
    by_size: tuple[int, ...]  # the least count by size, as asked for
    difference: int  # the largest difference between items' counts, -1 for any
    excluded: np.ndarray[Any, np.dtype[np.bool_]]
    several: bool  # whether items have supports of their own

    @classmethod
    def of(cls, baskets: Baskets, wish: MiningRequest) -> MiningPlan:
        n = len(baskets)
        by_size = tuple(max(least_count(s, n), wish.least) for s in wish.supports)
        item_least = np.full(baskets.n_items, min(by_size), dtype=np.int64)
        item_supports: dict[str, float] = {}
        if wish.level_supports is not None:
            if wish.taxonomy is None:
                raise ParameterError(f"{_WHO}: level_supports are of the levels of a taxonomy; give one.")
            if isinstance(wish.level_supports, (str, bytes)) or not len(wish.level_supports):
                raise ParameterError(
                    f"{_WHO}: level_supports must be a number for each level; got {wish.level_supports!r}."
                )
            levels = [check_support(s, _WHO, "each of level_supports") for s in wish.level_supports]
            item_supports |= wish.taxonomy.supports(baskets, levels)
        if wish.item_supports is not None:
            if not isinstance(wish.item_supports, Mapping):
                raise ParameterError(
                    f"{_WHO}: item_supports must be a mapping of items to supports; got {wish.item_supports!r}."
                )
            item_supports |= {
                k: check_support(v, _WHO, f"the support of {k!r}") for k, v in wish.item_supports.items()
            }
        for name, at in zip(item_supports, baskets.numbers(item_supports, _WHO), strict=True):
            item_least[at] = max(least_count(item_supports[name], n), wish.least)
        difference = -1
        if wish.support_difference is not None:
            difference = most_count(_share(wish.support_difference), n)
        patterns = wish.constraints.excludes
        excluded = np.array(
            [any(matches(name, p) for p in patterns) for name in baskets.names], dtype=np.bool_
        )
        return cls(
            baskets, n, baskets.counts(), item_least, by_size, difference, excluded, bool(item_supports)
        )

    @property
    def suffix_least(self) -> tuple[int, ...]:
        """By size, the least count from which some size yet to come could be frequent."""
        if self.several:
            return (1,)
        return tuple(min(self.by_size[at:]) for at in range(len(self.by_size)))

    @property
    def lowest(self) -> int:
        """A count below which no set is frequent."""
        return int(self.item_least.min(initial=self.n + 1)) if self.several else min(self.by_size)

    def order(self, wish: MiningRequest) -> tuple[Codes, int]:
        """The items in the order of search, and how many of them a set may begin with."""
        counts = self.baskets.counts()
        usable = np.flatnonzero((counts >= self.lowest) & ~self.excluded)
        if self.several:
            ranked = usable[np.lexsort((usable, self.item_least[usable]))]
            return ranked.astype(np.int32), len(ranked)
        patterns = wish.constraints.any_of
        first = np.array([any(matches(n, p) for p in patterns) for n in self.baskets.names], dtype=np.bool_)
        ranked = usable[np.lexsort((usable, counts[usable], ~first[usable]))]
        roots = int(first[usable].sum()) if patterns else len(ranked)
        return ranked.astype(np.int32), roots

    def numbers(self, wish: MiningRequest) -> tuple[Any, ...]:
        """What the kernel searches by."""
        order, roots = self.order(wish)
        rank = np.full(self.baskets.n_items, -1, dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return (
            self.baskets.starts, self.baskets.items, rank, order,
            self.item_least[order] if self.several else np.full(len(order), self.lowest, dtype=np.int64),
            np.array(self.suffix_least, dtype=np.int64), roots, int(wish.max_size or 0), self.difference,
        )  # fmt: skip

    def by_projection(self, wish: MiningRequest) -> Itemsets:
        """By projection; TooManySets where they are more than the limit."""
        numbers = self.numbers(wish)
        kind = wish.kind if wish.plain else "all"
        limit = wish.most
        search: Any = _native.mine_itemsets  # of as many arguments as `given` and four
        nodes, counts, starts, items, _, stopped, overflow = search(
            *numbers, kind, limit, False, wish.threads
        )
        if overflow:
            raise self._too_many(numbers, kind, limit)
        if stopped:
            _ended_early_note()
        if kind == "all":
            return Itemsets(self.baskets.names, self.n, "all", not stopped, _nodes=nodes)
        return Itemsets(self.baskets.names, self.n, kind, not stopped, _lists=(starts, items, counts))

    def _too_many(self, given: tuple[Any, ...], kind: str, limit: int) -> TooManySets:
        guess: Any = _native.estimate_itemsets  # of as many arguments as `given` and two
        about = max(guess(*given, _WALKS, 1), float(limit))
        reason = _in_words(about)
        if kind != "all":
            return TooManySets(
                f"{_WHO}: there are more than {limit:,} {kind} sets; raise min_support or limit.", about
            )
        return TooManySets(
            f"{_WHO}: this would give about {reason} sets, more than limit={limit:,}; raise min_support, ask for "
            "kind='closed' or 'maximal', give max_size, or a larger limit.",
            about,
        )

    def level_by_level(self, wish: MiningRequest) -> Itemsets:
        """By Apriori."""
        items, suffix = np.flatnonzero(~self.excluded).tolist(), self.suffix_least
        item_least, counts = self.item_least.tolist(), self.counts.tolist()

        def least(one: tuple[int, ...]) -> int:
            if self.several:
                return self.lowest if len(one) == 1 else min(item_least[item] for item in one)
            return suffix[min(len(one), len(suffix)) - 1]

        def near(one: tuple[int, ...]) -> bool:
            mine = [counts[item] for item in one]
            return max(mine) - min(mine) <= self.difference

        def prunes(one: tuple[int, ...], subset: tuple[int, ...]) -> bool:
            first = min(one, key=lambda item: (item_least[item], item))
            return len(subset) == 1 or first in subset

        try:
            counts_by_set = apriori(
                self.baskets, items, least, wish.max_size if wish.kind == "all" else None,
                allowed=near if self.difference >= 0 else None, prunes=prunes if self.several else None,
                most=wish.most,
            )  # fmt: skip
        except TooManyCandidates as many:
            if not many.candidates:
                raise self._too_many(self.numbers(wish), "all", wish.most) from None
            raise TooManySets(
                f"{_WHO}: Apriori would have to count {many}, for which there is no memory; raise min_support, or "
                "leave algorithm='apriori' out.",
                float(many.candidates),
            ) from None
        if not counts_by_set.complete:
            _ended_early_note()
        return counts_by_set

    def tidy(self, itemsets: Itemsets, wish: MiningRequest) -> Itemsets:
        """Without what the search passed through but nobody asked for."""
        if wish.algorithm == "apriori" and self.several:
            starts, items, counts = itemsets.to_arrays()
            if len(itemsets):
                itemsets = itemsets.take(counts >= np.minimum.reduceat(self.item_least[items], starts[:-1]))
        if len(self.by_size) > 1 or (self.several and len(wish.supports) > 1):
            sizes = np.minimum(itemsets.sizes, len(self.by_size)) - 1
            itemsets = itemsets.take(itemsets.counts >= np.array(self.by_size, dtype=np.int64)[sizes])
        if wish.constraints.contains or wish.constraints.any_of:
            itemsets = wish.constraints.filter(itemsets)
        if wish.taxonomy is not None:
            itemsets = wish.taxonomy.plain(itemsets)
        if wish.algorithm == "apriori" and wish.kind != "all" and wish.plain:
            itemsets = condense(itemsets, wish.kind)
            if wish.max_size is not None:
                itemsets = itemsets.take(itemsets.sizes <= wish.max_size)
        return itemsets


def most_frequent(baskets: Baskets, wish: MiningRequest, top: int, usual: bool) -> Itemsets:
    """So many sets of largest count; the support is lowered until there are enough of them."""
    n = len(baskets)
    if usual:
        wish = replace(wish, supports=(1 / n if n else 1.0,))
    floor = min(least_count(s, n) for s in wish.supports)
    counts = np.sort(baskets.counts())[::-1]
    least = int(counts[min(top, len(counts)) - 1]) if len(counts) else 1
    if wish.kind == "maximal":  # which sets are maximal depends on how rare ones may be
        least = floor
    while True:
        itemsets = mine_itemsets(baskets, replace(wish, least=max(least, floor)))
        if len(itemsets) >= top or least <= floor or not itemsets.complete:
            break
        least = max(least // 2, floor)
    order = np.argsort(-itemsets.counts.astype(np.int64), kind="stable")[:top]
    return itemsets.take(order)


def _ended_early_note() -> None:
    warnings.warn(
        f"{_WHO}: the search was stopped early; there may be more itemsets.",
        AcumenWarning,
        stacklevel=5,
    )


def _share(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ParameterError(f"{_WHO}: support_difference must be a number from 0 to 1; got {value!r}.")
    return float(value)


def _check(kind: Any, algorithm: Any, max_size: Any, top: Any, limit: Any) -> None:
    if kind not in ("all", "closed", "maximal"):
        raise ParameterError(f"{_WHO}: kind must be 'all', 'closed' or 'maximal'; got {kind!r}.")
    if algorithm not in ("auto", "apriori", "eclat", "fp-growth"):
        raise ParameterError(
            f"{_WHO}: algorithm must be 'auto', 'apriori', 'eclat' or 'fp-growth'; got {algorithm!r}."
        )
    for name, value in (("max_size", max_size), ("top", top), ("limit", limit)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if value is not None and not (whole and value >= 1):
            raise ParameterError(
                f"{_WHO}: {name} must be a whole number of at least 1, or None; got {value!r}."
            )


def _in_words(number: float) -> str:
    for size, word in (
        (1e12, "million million"),
        (1e9, "thousand million"),
        (1e6, "million"),
        (1e3, "thousand"),
    ):
        if number >= size:
            return f"{number / size:.2g} {word}" if number < 1e15 else f"{number:.2g}"
    return f"{number:.0f}"
