"""Tables over nodes, for many rows at a time: the building blocks of exact inference.

    Potential        a scope of nodes, ascending, and a table: one line per row (or one for all), one axis per node
    elimination      the order in which to sum nodes out, by least fill, and the total size of the tables needed
    sum_out          multiply potentials, sum out all nodes but some, and return the scale factor as a logarithm
    maximise         the jointly most likely values of all nodes
    at_values, of_rows  a table at known values of some nodes: the same for all rows, or per row
    rows_by_pattern  groups of rows with the same nodes missing
    require_room     raise DataError if the tables of exact inference would be too large

Lines are divided by their largest entry at each step, so that products of many small numbers do not underflow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from acumen.errors import DataError
from acumen.types import Bools, Codes, Floats, Indices

#: Maximum total cells of the tables of one exact inference.
MOST_CELLS = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class Potential:
    """A table over some nodes; the first axis is rows, of length 1 if all rows share it."""

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
    """An elimination order, the clique of each step, and the total cells of their tables."""

    order: tuple[int, ...]
    cliques: tuple[frozenset[int], ...]
    cells: int

    @property
    def largest(self) -> int:
        """The number of nodes in the largest clique."""
        return max(map(len, self.cliques), default=0)


def elimination(
    scopes: Iterable[Collection[int]], sizes: Sequence[int], keep: Collection[int] = ()
) -> Elimination:
    """Eliminate the node that adds the fewest edges next; ties: the smaller table, then the lower number."""
    near: dict[int, set[int]] = {}
    for scope in scopes:
        for node in scope:
            near.setdefault(node, set()).update(scope)
    for node, others in near.items():
        others.discard(node)
    kept = set(keep)
    price: dict[int, tuple[int, int, int]] = {}

    def price_of(node: int) -> tuple[int, int, int]:
        around = near[node]
        fill = sum(b not in near[a] for a, b in combinations(around, 2))
        return fill, prod(sizes[v] for v in around) * sizes[node], node

    waiting = [node for node in near if node not in kept]
    price = {node: price_of(node) for node in waiting}
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
                price[a] = price_of(a)
    if near:  # the kept nodes form one table
        cliques.append(frozenset(near))
        cells += prod(sizes[v] for v in near)
    return Elimination(tuple(order), tuple(cliques), cells)


def require_room(cells: int, who: str, hint: str) -> None:
    """Raise DataError if the tables would have too many cells."""
    if cells > MOST_CELLS:
        raise DataError(
            f"{who}: exact inference would need tables with {cells:,} cells in total, and at most {MOST_CELLS:,} are "
            f"allowed; {hint}"
        )


def sum_out(
    potentials: Sequence[Potential], order: Sequence[int], keep: tuple[int, ...], rows: int
) -> tuple[Floats, Floats]:
    """A table over `keep` (in that order) for each row, scaled to a largest entry of 1, and the log of that scale."""
    waiting = list(potentials)
    logs = np.zeros(rows)
    for node in order:
        near = [p for p in waiting if node in p.scope]
        waiting = [p for p in waiting if node not in p.scope]
        scope = tuple(sorted({v for p in near for v in p.scope}))
        table = _product(near, scope).sum(axis=1 + scope.index(node))
        waiting.append(Potential(tuple(v for v in scope if v != node), _scale_rows(table, logs)))
    scope = tuple(sorted(keep))
    # Every node of `keep` has a potential.
    table = _scale_rows(_product(waiting, scope), logs)
    axes = [1 + scope.index(v) for v in keep]
    return np.transpose(table, (0, *axes)), logs


def maximise(
    potentials: Sequence[Potential], order: Sequence[int], sizes: Sequence[int]
) -> tuple[dict[int, int], float]:
    """The values of all nodes that maximise the product (ties: the first level), and its logarithm."""
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
        waiting.append(Potential(steps[-1][1], _scale_rows(table.max(axis=axis), logs)))
    for rest in waiting:
        logs = logs + np.log(rest.table.ravel())
    best_codes: dict[int, int] = {}
    for node, others, best in reversed(steps):
        best_codes[node] = int(best[tuple(best_codes[v] for v in others)])
    return best_codes, float(logs[0])


def at_values(scope: Sequence[int], table: Floats, known: Mapping[int, int]) -> Potential:
    """A table (one axis per node of `scope`, in any order) at given values."""
    rest = [v for v in scope if v not in known]
    order = sorted(range(len(rest)), key=rest.__getitem__)
    part = table[tuple(known.get(v, slice(None)) for v in scope)]
    return Potential(tuple(rest[i] for i in order), np.transpose(part, order)[None])


def of_rows(scope: Sequence[int], table: Floats, codes: Codes, missing: Bools) -> Potential:
    """The same at the values of each row; `codes` is (nodes, rows), and all rows have the same nodes missing."""
    seen = [axis for axis, v in enumerate(scope) if not missing[v]]
    rest = sorted((axis for axis, v in enumerate(scope) if missing[v]), key=lambda axis: scope[axis])
    part = np.transpose(table, (*seen, *rest))
    free_scope = tuple(scope[axis] for axis in rest)
    if not seen:
        return Potential(free_scope, part[None])
    lengths = part.shape[: len(seen)]
    at = np.zeros(codes.shape[1], dtype=np.intp)
    for axis, length in zip(seen, lengths, strict=True):
        at = at * length + codes[scope[axis]]
    return Potential(free_scope, part.reshape(prod(lengths), *part.shape[len(seen) :])[at])


def rows_by_pattern(gaps: Bools) -> list[Indices]:
    """The rows of each pattern of missing values; `gaps` is (nodes, rows)."""
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
    # Small ones first, so that most products involve small tables.
    first, *others = sorted(potentials, key=lambda p: p.table.size)
    product = first.spread(scope)
    for each in others:
        product = product * each.spread(scope)
    return product


def _scale_rows(table: Floats, logs: Floats) -> Floats:
    """Scale each line to a largest entry of 1 and add the log of the scale to `logs` (-inf for a line of zeros)."""
    most = table.reshape(len(table), -1).max(axis=1)
    with np.errstate(divide="ignore"):
        logs += np.log(most)
    divisor = np.where(most > 0, most, 1.0)
    return table / divisor.reshape(-1, *(1,) * (table.ndim - 1))
