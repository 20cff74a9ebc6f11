"""Structures that are trees: naive Bayes, Chow and Liu's tree, and the tree-augmented naive network.

    naive       the class is the only parent of every attribute
    chow_liu    the tree of largest mutual information (Chow and Liu 1968)
    tan         the class above all, and a tree of largest information given the class (Friedman, Geiger and
                Goldszmidt 1997)

Each pair of attributes is counted over the rows that have both values (and the class). Edges are added heaviest first;
ties (within 1e-12) by column order. They point away from the first column of each component, or from the first column
that satisfies `must` and `must_not`. Pairs that are never known together get no edge.
"""

from __future__ import annotations

import numpy as np

from acumen.errors import ParameterError
from acumen.networks.coded_rows import CodedRows
from acumen.types import Bools, Floats

_TIE = 1e-12


def naive(nodes: int, target: int) -> list[list[int]]:
    """The parents of each node."""
    return [[] if v == target else [target] for v in range(nodes)]


def chow_liu(rows: CodedRows, must: Bools, must_not: Bools, who: str) -> list[list[int]]:
    """The parents of each node in the tree."""
    every = list(range(rows.n_nodes))
    return _direct_tree(every, rows.information(), must, must_not, who)


def tan(rows: CodedRows, target: int, must: Bools, must_not: Bools, who: str) -> list[list[int]]:
    """The parents of each node: the class, and at most one more."""
    inputs = [v for v in range(rows.n_nodes) if v != target]
    parents = _direct_tree(inputs, rows.information(target), must, must_not, who)
    for v in inputs:
        parents[v] = sorted([*parents[v], target])
    return parents


def _direct_tree(
    nodes: list[int], information: Floats, must: Bools, must_not: Bools, who: str
) -> list[list[int]]:
    """The heaviest tree, directed."""
    near = _heaviest(nodes, information, must, must_not, who)
    parents: list[list[int]] = [[] for _ in range(len(information))]
    seen: set[int] = set()
    for first in nodes:
        if first in seen:
            continue
        part = _part(near, first)
        seen |= set(part)
        for root in part:
            edges = _edges_from(near, root)
            if all(not must_not[u, v] and not must[v, u] for u, v in edges):
                break
        else:
            raise ParameterError(
                f"{who}: no tree can have all edges of must and none of must_not; use structure='hill-climbing', or "
                "give fewer of them."
            )
        for u, v in edges:
            parents[v] = [u]
    return parents


def _heaviest(
    nodes: list[int], information: Floats, must: Bools, must_not: Bools, who: str
) -> dict[int, list[int]]:
    """The heaviest tree of each component, as the neighbours of each node; edges of `must` come before all others.

    Prim's algorithm needs one candidate edge per node instead of a sorted list of all pairs. Edges are strictly ordered
    (by weight, then by columns), so the tree is unique.
    """
    _require_no_circle(nodes, must, who)
    places = np.array(nodes, dtype=np.intp)
    d = len(places)
    near: dict[int, list[int]] = {v: [] for v in nodes}
    # The best edge from the tree to each node: group (0 must, 1 other, 2 none), weight, order and other end.
    group, weight, order = np.full(d, 2), np.zeros(d), np.zeros(d, dtype=np.int64)
    other, outside, every = np.zeros(d, dtype=np.intp), np.ones(d, dtype=np.bool_), np.arange(d)
    for _ in range(d):
        open_ends = np.flatnonzero(outside)
        at = open_ends[np.lexsort((order[open_ends], -weight[open_ends], group[open_ends]))[0]]
        v = int(places[at])
        outside[at] = False
        if group[at] < 2:
            above = int(places[other[at]])
            near[above].append(v)
            near[v].append(above)
        # Rounded, so that values that differ only by rounding errors are equal.
        values = np.round(information[v, places] / _TIE)
        wanted = must[v, places] | must[places, v]
        barred = (values < 0) | (must_not[v, places] & must_not[places, v])
        groups = np.where(wanted, 0, np.where(barred, 2, 1))
        orders = np.minimum(every, at) * d + np.maximum(every, at)
        heavier = (values > weight) | ((values == weight) & (orders < order))
        better = outside & (groups < 2) & ((groups < group) | ((groups == group) & heavier))
        group[better], weight[better], order[better] = groups[better], values[better], orders[better]
        other[better] = at
    return near


def _require_no_circle(nodes: list[int], must: Bools, who: str) -> None:
    part = {v: v for v in nodes}

    def top(v: int) -> int:
        while part[v] != v:
            part[v] = part[part[v]]
            v = part[v]
        return v

    both = np.argwhere(np.triu(must | must.T))
    for a, b in both.tolist():
        if a not in part or b not in part:
            continue
        if top(a) == top(b):
            raise ParameterError(f"{who}: the edges of must form a cycle, so no tree can contain them.")
        part[top(a)] = top(b)


def _part(near: dict[int, list[int]], first: int) -> list[int]:
    """All nodes of one tree, ascending."""
    reached = {first}
    waiting = [first]
    while waiting:
        for other in near[waiting.pop()]:
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return sorted(reached)


def _edges_from(near: dict[int, list[int]], root: int) -> list[tuple[int, int]]:
    """(parent, child) of each edge, away from the root."""
    edges: list[tuple[int, int]] = []
    waiting = [(root, -1)]
    while waiting:
        here, above = waiting.pop()
        for other in near[here]:
            if other != above:
                edges.append((here, other))
                waiting.append((other, here))
    return edges
