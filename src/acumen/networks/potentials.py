"""Tables over nodes, for many rows at a time: what exact inference multiplies and sums.

    Potential        a scope of nodes, ascending, and a table: a line for each row (or one for all), an axis a node
    elimination      in which order to sum nodes out, by least fill, and the sum of the table sizes on the way
    summed           the product of potentials with all nodes but some summed out, and the logarithm taken out of it
    maximised        the likeliest values of all nodes together
    at_values, of_rows  a table where some nodes are known: the same for all rows, or differently
    alike            rows that miss the same nodes, together
    require_room     a sentence where the tables of exact inference would be too large

Lines are divided by their largest entry on the way, so that products of many small numbers stay numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from acumen.errors import DataError
from acumen.types import Bools, Codes, Floats, Indices

#: Cells of all tables of one exact inference together.
MOST_CELLS = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class Potential:
    """A table over some nodes; the first axis is of rows, of length 1 where all rows share it."""

    scope: tuple[int, ...]
    table: Floats

    def spread(self, scope: tuple[int, ...]) -> Floats:
        """The table with an axis for each node of a larger scope."""
        if scope == self.scope:
            return self.table
        lengths = dict(zip(self.scope, self.table.shape[1:], strict=True))
        return self.table.reshape(self.table.shape[0], *(lengths.get(v, 1) for v in scope))


@dataclass(frozen=True, slots=True)
class Elimination:
    """An order of summing out, the clique that each step makes, and the cells of all of them."""

    order: tuple[int, ...]
    cliques: tuple[frozenset[int], ...]
    cells: int

    @property
    def largest(self) -> int:
        """How many nodes the largest clique has."""
        return max(map(len, self.cliques), default=0)


def elimination(
    scopes: Iterable[Collection[int]], sizes: Sequence[int], keep: Collection[int] = ()
) -> Elimination:
    """Sum out the node that joins the fewest pairs of strangers; ties: the smaller table, then the lower number."""
    near: dict[int, set[int]] = {}
    for scope in scopes:
        for node in scope:
            near.setdefault(node, set()).update(scope)
    for node, others in near.items():
        others.discard(node)
    kept = set(keep)
    price: dict[int, tuple[int, int, int]] = {}

    def priced(node: int) -> tuple[int, int, int]:
        around = near[node]
        fill = sum(b not in near[a] for a, b in combinations(around, 2))
        return fill, prod(sizes[v] for v in around) * sizes[node], node

    left = [node for node in near if node not in kept]
    price = {node: priced(node) for node in left}
    order: list[int] = []
    cliques: list[frozenset[int]] = []
    cells = 0
    while price:
        node = min(price, key=price.__getitem__)
        around = near.pop(node)
        cliques.append(frozenset({node, *around}))
        cells += price[node][1]
        order.append(node)
        del price[node]
        touched = set(around)
        for a in around:
            near[a].discard(node)
            new = around - near[a] - {a}
            if new:
                near[a] |= new
            touched |= near[a]
        for a in touched:
            if a in price:
                price[a] = priced(a)
    if near:  # those that are kept form one table
        cliques.append(frozenset(near))
        cells += prod(sizes[v] for v in near)
    return Elimination(tuple(order), tuple(cliques), cells)


def require_room(cells: int, who: str, hint: str) -> None:
    """Raise DataError unless so many cells may be held."""
    if cells > MOST_CELLS:
        raise DataError(
            f"{who}: exact inference would need tables of {cells:,} cells in sum, and at most {MOST_CELLS:,} are "
            f"taken; {hint}"
        )


def summed(
    potentials: Sequence[Potential], order: Sequence[int], keep: tuple[int, ...], rows: int
) -> tuple[Floats, Floats]:
    """A table over `keep` (in that order) for each row, its largest entry 1, and the logarithm of what that was."""
    waiting = list(potentials)
    logs = np.zeros(rows)
    for node in order:
        near = [p for p in waiting if node in p.scope]
        waiting = [p for p in waiting if node not in p.scope]
        scope = tuple(sorted({v for p in near for v in p.scope}))
        table = _product(near, scope).sum(axis=1 + scope.index(node))
        waiting.append(Potential(tuple(v for v in scope if v != node), _scaled(table, logs)))
    scope = tuple(sorted(keep))
    # Nothing may be left of a node that nobody has a potential of; every node of `keep` has one.
    table = _scaled(_product(waiting, scope), logs)
    axes = [1 + scope.index(v) for v in keep]
    return np.transpose(table, (0, *axes)), logs


def maximised(
    potentials: Sequence[Potential], order: Sequence[int], sizes: Sequence[int]
) -> tuple[dict[int, int], float]:
    """The values of all nodes of which the product is largest (ties: the first level), and its logarithm."""
    waiting = list(potentials)
    logs = np.zeros(1)
    steps: list[tuple[int, tuple[int, ...], Floats]] = []
    for node in order:
        near = [p for p in waiting if node in p.scope]
        waiting = [p for p in waiting if node not in p.scope]
        scope = tuple(sorted({v for p in near for v in p.scope}))
        table = _product(near, scope)
        axis = 1 + scope.index(node)
        steps.append((node, tuple(v for v in scope if v != node), table.argmax(axis=axis)[0]))
        waiting.append(Potential(steps[-1][1], _scaled(table.max(axis=axis), logs)))
    for rest in waiting:
        logs = logs + np.log(rest.table.ravel())
    found: dict[int, int] = {}
    for node, others, best in reversed(steps):
        found[node] = int(best[tuple(found[v] for v in others)])
    return found, float(logs[0])


def at_values(scope: Sequence[int], table: Floats, known: Mapping[int, int]) -> Potential:
    """A table (an axis for each node of `scope`, in any order) at the values given."""
    rest = [v for v in scope if v not in known]
    order = sorted(range(len(rest)), key=rest.__getitem__)
    part = table[tuple(known.get(v, slice(None)) for v in scope)]
    return Potential(tuple(rest[i] for i in order), np.transpose(part, order)[None])


def of_rows(scope: Sequence[int], table: Floats, codes: Codes, missing: Bools) -> Potential:
    """The same at the values of each row; `codes` is (nodes, rows), and all rows miss the same nodes."""
    seen = [axis for axis, v in enumerate(scope) if not missing[v]]
    rest = sorted((axis for axis, v in enumerate(scope) if missing[v]), key=lambda axis: scope[axis])
    part = np.transpose(table, (*seen, *rest))
    left = tuple(scope[axis] for axis in rest)
    if not seen:
        return Potential(left, part[None])
    lengths = part.shape[: len(seen)]
    at = np.zeros(codes.shape[1], dtype=np.intp)
    for axis, length in zip(seen, lengths, strict=True):
        at = at * length + codes[scope[axis]]
    return Potential(left, part.reshape(prod(lengths), *part.shape[len(seen) :])[at])


def alike(gaps: Bools) -> list[Indices]:
    """The rows of each pattern of gaps; `gaps` is (nodes, rows)."""
    n = gaps.shape[1]
    if not n:
        return []
    packed = np.packbits(gaps, axis=0).T.copy()
    if (packed == packed[0]).all():
        return [np.arange(n)]
    _, which = np.unique(packed, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    return np.split(order, np.flatnonzero(np.diff(which.ravel()[order])) + 1)


def _product(potentials: Sequence[Potential], scope: tuple[int, ...]) -> Floats:
    if not potentials:
        return np.ones((1,) * (1 + len(scope)))
    # Small ones first: most of the work is then done on small tables.
    first, *others = sorted(potentials, key=lambda p: p.table.size)
    made = first.spread(scope)
    for each in others:
        made = made * each.spread(scope)
    return made


def _scaled(table: Floats, logs: Floats) -> Floats:
    """The table with each line's largest entry 1, whose logarithm is added to `logs`; a line of zeros has -inf."""
    most = table.reshape(len(table), -1).max(axis=1)
    with np.errstate(divide="ignore"):
        logs += np.log(most)
    divisor = np.where(most > 0, most, 1.0)
    return table / divisor.reshape(-1, *(1,) * (table.ndim - 1))
