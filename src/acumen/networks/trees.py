"""Structures that are trees: naive Bayes, Chow and Liu's tree, and the tree-augmented naive network.

    naive       every attribute hangs on the class
    chow_liu    the tree of largest mutual information (Chow and Liu 1968)
    tan         the class above all, and a tree of largest information given the class (Friedman, Geiger and
                Goldszmidt 1997)

Each pair of attributes is counted over the rows that know both (and the class). Edges are taken heaviest first, of
equal ones (within 1e-12) the first by columns; they point away from the first column of each part, or from the first
one for which edges that must, or must not, be there allow it. Pairs that no row knows together are not joined.
"""

from __future__ import annotations

import numpy as np

from acumen.errors import ParameterError
from acumen.networks.coded import CodedRows
from acumen.types import Bools, Floats

_TIE = 1e-12


def naive(nodes: int, target: int) -> list[list[int]]:
    """The parents of each node."""
    return [[] if v == target else [target] for v in range(nodes)]


def chow_liu(rows: CodedRows, must: Bools, must_not: Bools, who: str) -> list[list[int]]:
    """The parents of each node in the tree."""
    every = list(range(rows.n_nodes))
    return _directed(every, rows.information(), must, must_not, who)


def tan(rows: CodedRows, target: int, must: Bools, must_not: Bools, who: str) -> list[list[int]]:
    """The parents of each node: the class, and at most one more."""
    inputs = [v for v in range(rows.n_nodes) if v != target]
    made = _directed(inputs, rows.information(target), must, must_not, who)
    for v in inputs:
        made[v] = sorted([*made[v], target])
    return made


def _directed(
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
            found = _away(near, root)
            if all(not must_not[u, v] and not must[v, u] for u, v in found):
                break
        else:
            raise ParameterError(
                f"{who}: no tree can have all edges of must and none of must_not; take structure='hill-climbing', or "
                "give fewer of them."
            )
        for u, v in found:
            parents[v] = [u]
    return parents


def _heaviest(
    nodes: list[int], information: Floats, must: Bools, must_not: Bools, who: str
) -> dict[int, list[int]]:
    """The heaviest tree, or one for each part, as the neighbours of each node; edges of `must` come before all others.

    Prim's algorithm: it holds one candidate edge a node, where all edges in order would be a list of all pairs. Edges
    are strictly ordered (by weight, then by columns), so there is one such tree, whichever way it is built.
    """
    _require_no_circle(nodes, must, who)
    places = np.array(nodes, dtype=np.intp)
    d = len(places)
    near: dict[int, list[int]] = {v: [] for v in nodes}
    # Of the best edge from the tree to each node: 0 of must, 1 of others, 2 none; its weight, its place, its other end.
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
        # Rounded, so that what differs by rounding alone is equal.
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
            raise ParameterError(f"{who}: the edges of must make a circle, so there is no such tree.")
        part[top(a)] = top(b)


def _part(near: dict[int, list[int]], first: int) -> list[int]:
    """All nodes of one tree, ascending."""
    found = {first}
    waiting = [first]
    while waiting:
        for other in near[waiting.pop()]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return sorted(found)


def _away(near: dict[int, list[int]], root: int) -> list[tuple[int, int]]:
    """(parent, child) of each edge, away from the root."""
    made: list[tuple[int, int]] = []
    waiting = [(root, -1)]
    while waiting:
        here, above = waiting.pop()
        for other in near[here]:
            if other != above:
                made.append((here, other))
                waiting.append((other, here))
    return made
