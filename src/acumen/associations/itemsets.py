"""Frequent itemsets: flat arrays inside, a sequence of sets outside.

    Itemset        items, count, support
    Itemsets       a sequence of them, shortest first and then in the order of items; `len` creates no objects
    ItemsetLevel   one step of a level-wise search: candidates, pruned, survivors
    condense       the closed or maximal sets of a family

All frequent sets are stored as a forest, twelve bytes a set: each set is its parent plus one item. Lists of items are
built when somebody looks at them. A set is closed in its family if no larger set of the family has the same count, and
maximal if no larger set is in it. The family need not be closed downwards (several supports, constraints, kinds).
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, overload

import numpy as np

from acumen.associations.baskets import Longs
from acumen.caching import cached_property
from acumen.data.escape import printable
from acumen.errors import ParameterError
from acumen.render.text import many
from acumen.types import Bools, Codes, Floats

_SHOWN = 20


class Itemset(NamedTuple):
    """One set of items, in how many baskets it is, and in what share of them."""

    items: tuple[str, ...]
    count: int  # type: ignore[assignment]  # in place of a tuple's own, which nobody needs of a set
    support: float

    def __str__(self) -> str:
        return printable(f"{{{', '.join(self.items)}}}") + f"  {self.count} ({self.support:.4g})"


@dataclass(frozen=True, slots=True)
class ItemsetLevel:
    """What Apriori did with the sets of one size."""

    size: int
    candidates: int
    pruned: int
    survivors: int

    def __str__(self) -> str:
        return (
            f"size {self.size}: {many(self.candidates, 'candidate')}, {self.pruned} pruned, "
            f"{many(self.survivors, 'survivor')}"
        )


@dataclass(frozen=True, eq=False)
class Itemsets(Sequence[Itemset]):
    """Sets of items that occur together, with their counts.

    Attributes
    ----------
    names : tuple of str
        Every item, by its number.
    n : int
        How many baskets there are, empty ones included.
    kind : {"all", "closed", "maximal"}
    complete : bool
        False where Ctrl-C ended the search: what is here was found, and there may be more.
    trace : tuple of Level
        What a level-wise search did.
    """

    names: tuple[str, ...]
    n: int
    kind: str = "all"
    complete: bool = True
    trace: tuple[ItemsetLevel, ...] = ()
    _nodes: Codes | None = field(default=None, repr=False)  # lines of parent, item, count
    _lists: tuple[Longs, Codes, Codes] | None = field(default=None, repr=False)  # starts, items, counts
    _sorted: bool = field(default=False, repr=False)  # whether the lists are in order

    # -- arrays -----------------------------------------------------------------------------------

    def __len__(self) -> int:
        if self._nodes is not None:
            return len(self._nodes)
        assert self._lists is not None
        return len(self._lists[0]) - 1

    @cached_property
    def _flat(self) -> tuple[Longs, Codes, Codes]:
        if self._sorted and self._lists is not None:
            return self._lists
        groups = self._matrices()
        made_items, made_counts, sizes = [], [], []
        for size in sorted(groups):
            items, counts = groups[size]
            order = np.lexsort(items.T[::-1])
            made_items.append(items[order].ravel())
            made_counts.append(counts[order])
            sizes.append(np.full(len(items), size, dtype=np.int64))
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))]).astype(
            np.int64
        )
        return (
            starts,
            np.concatenate([np.empty(0, np.int32), *made_items]),
            np.concatenate([np.empty(0, np.int32), *made_counts]),
        )

    def _matrices(self) -> dict[int, tuple[Codes, Codes]]:
        """By size: a line of ascending items for each set, and the counts."""
        if self._nodes is None:
            assert self._lists is not None
            starts, items, counts = self._lists
            lengths = np.diff(starts)
            matrices = {}
            for size in np.unique(lengths).tolist():
                some = np.flatnonzero(lengths == size)
                matrices[size] = (np.sort(items[starts[some, None] + np.arange(size)], axis=1), counts[some])
            return matrices
        parents, item, count = (np.ascontiguousarray(self._nodes[:, j]) for j in range(3))
        matrices, sizes = {}, _depths(parents)
        for size in range(1, int(sizes.max(initial=0)) + 1):
            some = np.flatnonzero(sizes == size)
            lines = np.empty((len(some), size), dtype=np.int32)
            at: Any = some
            for j in range(size):
                lines[:, j] = item[at]
                at = parents[at]
            lines.sort(axis=1)
            if len(some):
                matrices[size] = (lines, count[some])
        return matrices

    def to_arrays(self) -> tuple[Longs, Codes, Codes]:
        """Starts, items and counts: the items of set i lie from starts[i] to starts[i + 1]."""
        return self._flat

    @property
    def counts(self) -> Codes:
        """The count of each set, in order."""
        return self._flat[2]

    @property
    def sizes(self) -> Longs:
        """How many items each set has, in order."""
        return np.diff(self._flat[0])

    @property
    def supports(self) -> Floats:
        """The share of baskets that hold each set, in order."""
        return self.counts / max(self.n, 1)

    def by_size(self) -> dict[int, int]:
        """How many sets there are of each size."""
        if self._nodes is not None:
            sizes: Any = _depths(np.ascontiguousarray(self._nodes[:, 0]))
        else:
            sizes = self.sizes
        sizes_present, times = np.unique(sizes, return_counts=True)
        return dict(zip(sizes_present.tolist(), times.tolist(), strict=True))

    def matrices(self) -> dict[int, tuple[Codes, Codes]]:
        """By size: the sets as lines of ascending item numbers, in order, and their counts."""
        starts, items, counts = self._flat
        sizes = np.diff(starts)
        by_size, at = {}, 0
        for size, times in zip(
            *(each.tolist() for each in np.unique(sizes, return_counts=True)), strict=True
        ):
            first = int(starts[at])
            by_size[size] = (
                items[first : first + size * times].reshape(times, size),
                counts[at : at + times],
            )
            at += times
        return by_size

    # -- a sequence -------------------------------------------------------------------------------

    def _itemset_at(self, at: int) -> Itemset:
        starts, items, counts = self._flat
        held = items[starts[at] : starts[at + 1]].tolist()
        count = int(counts[at])
        return Itemset(tuple(self.names[item] for item in held), count, count / self.n if self.n else 0.0)

    @overload
    def __getitem__(self, at: int) -> Itemset: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> Itemset | Self:
        if isinstance(at, slice):
            return self.take(np.arange(len(self))[at])
        if not -len(self) <= at < len(self):
            raise IndexError(f"there are {many(len(self), 'set')}, and none at {at}")
        return self._itemset_at(at % len(self))

    def __iter__(self) -> Iterator[Itemset]:
        return (self._itemset_at(at) for at in range(len(self)))

    def take(self, places: Any) -> Self:
        """Some of the sets, in the order of their places."""
        starts, items, counts = self._flat
        some = np.asarray(places)
        some = np.flatnonzero(some) if some.dtype == np.bool_ else some.astype(np.intp)
        sizes = np.diff(starts)[some]
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        within = np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
        lists = (ends, items[np.repeat(starts[:-1][some], sizes) + within], counts[some])
        return type(self)(
            self.names, self.n, self.kind, self.complete, self.trace, _lists=lists, _sorted=True
        )

    def sort(self, by: str = "support") -> Self:
        """By support or by size, largest first; what is equal stays in order."""
        if by not in ("support", "count", "size"):
            raise ParameterError(f"Itemsets: sort by 'support' or 'size'; got {by!r}.")
        key = self.sizes if by == "size" else self.counts
        return self.take(np.argsort(-key.astype(np.int64), kind="stable"))

    def filter(
        self,
        *,
        min_support: float = 0.0,
        min_size: int = 1,
        max_size: int | None = None,
        contains: Iterable[str] = (),
    ) -> Self:
        """Those sets that are frequent, large and small enough, and hold all of some items."""
        kept: Bools = (self.supports >= min_support) & (self.sizes >= min_size)
        if max_size is not None:
            kept &= self.sizes <= max_size
        for name in contains:
            kept &= self._has(name)
        return self.take(kept)

    def _has(self, name: str) -> Bools:
        starts, items, _ = self._flat
        if name not in self.names:
            return np.zeros(len(self), dtype=np.bool_)
        places = np.flatnonzero(items == self.names.index(name))
        has_item = np.zeros(len(self), dtype=np.bool_)
        has_item[np.searchsorted(starts, places, side="right") - 1] = True
        return has_item

    def __contains__(self, items: object) -> bool:
        return isinstance(items, Iterable) and self.count_of(items) is not None

    def count_of(self, items: Iterable[Any]) -> int | None:
        """The count of the set with exactly these items; None where it is not here."""
        wanted = sorted({str(item) for item in items})
        place = {name: at for at, name in enumerate(self.names)}
        if not wanted or any(item not in place for item in wanted):
            return None
        line = sorted(place[item] for item in wanted)
        lines, counts = self.matrices().get(
            len(line), (np.empty((0, len(line)), np.int32), np.empty(0, np.int32))
        )
        matching = np.flatnonzero((lines == np.array(line, dtype=np.int32)).all(axis=1))
        return int(counts[matching[0]]) if matching.size else None

    # -- other forms ------------------------------------------------------------------------------

    def to_pandas(self) -> Any:
        """A data frame of support, count, size and items, one set a line."""
        import pandas as pd

        return pd.DataFrame(
            {
                "support": self.supports,
                "count": self.counts,
                "size": self.sizes,
                "items": [one.items for one in self],
            }
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """JSON-ready, one mapping a set."""
        return [{"items": list(one.items), "count": one.count, "support": one.support} for one in self]

    def __str__(self) -> str:
        kind = "" if self.kind == "all" else f"{self.kind} "
        head = f"{many(len(self), f'{kind}itemset')} of {many(self.n, 'basket')}"
        head += "" if self.complete else ", and perhaps more: the search was ended early"
        lines = [f"  {one}" for one in self.sort()[:_SHOWN]]
        n_more = len(self) - len(lines)
        return "\n".join([head, *lines, *([f"  ... and {n_more} more"] if n_more > 0 else [])])

    def __repr__(self) -> str:
        return f"<Itemsets: {len(self)} {self.kind}, of {self.n} baskets>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _depths(parents: Codes) -> Codes:
    """How many items each set of a forest has."""
    sizes = np.ones(len(parents), dtype=np.int32)
    some = np.flatnonzero(parents >= 0)
    above = parents[some]
    while some.size:
        sizes[some] += 1
        above = parents[above]
        going = above >= 0
        some, above = some[going], above[going]
    return sizes


def condense(found: Itemsets, kind: str) -> Itemsets:
    """Those sets of a family that are closed or maximal in it."""
    starts, items, counts = found.to_arrays()
    kept: Bools = np.zeros(len(found), dtype=np.bool_)
    # For each item (and, of closed sets, each count) the larger sets seen so far, one bit each.
    seen: dict[tuple[int, int], int] = {}
    n = 0
    for at in reversed(range(len(found))):
        group = int(counts[at]) if kind == "closed" else 0
        mine = items[starts[at] : starts[at + 1]].tolist()
        above = -1
        for item in mine:
            above &= seen.get((group, item), 0)
            if not above:
                break
        if above:  # only those of other sizes: sets of one size hold each other nowhere
            continue
        kept[at] = True
        for item in mine:
            seen[group, item] = seen.get((group, item), 0) | 1 << n
        n += 1
    condensed_sets = found.take(kept)
    return Itemsets(
        condensed_sets.names,
        condensed_sets.n,
        kind,
        condensed_sets.complete,
        condensed_sets.trace,
        _lists=condensed_sets.to_arrays(),
        _sorted=True,
    )
