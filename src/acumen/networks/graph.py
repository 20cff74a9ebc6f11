"""Graphs over nodes 0, 1, ...: directed ones as the parents of each node, undirected ones as its neighbours.

topological_order   parents before children; None if there is a cycle
ancestors           nodes and all their ancestors
active_path         the path along which two nodes of a directed graph depend on each other; None if d-separated
blanket             the Markov blanket: parents, children, and other parents of the children
moral_graph         the undirected graph that keeps every family together
connecting_path     a path between two nodes of an undirected graph that avoids others
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

Parents: TypeAlias = Sequence[Sequence[int]]
Neighbours: TypeAlias = Sequence[Collection[int]]


def topological_order(parents: Parents) -> tuple[int, ...] | None:
    """The nodes, parents first; ties: the lower number. None if there is a cycle."""
    parents_left = [len(set(each)) for each in parents]
    below = children(parents)
    order: list[int] = []
    ready = [v for v, count in enumerate(parents_left) if not count]
    while ready:
        node = min(ready)
        ready.remove(node)
        order.append(node)
        for child in below[node]:
            parents_left[child] -= 1
            if not parents_left[child]:
                ready.append(child)
    return tuple(order) if len(order) == len(parents) else None


def children(parents: Parents) -> list[list[int]]:
    """The children of each node."""
    below: list[list[int]] = [[] for _ in parents]
    for child, above in enumerate(parents):
        for parent in above:
            below[parent].append(child)
    return below


def ancestors(parents: Parents, nodes: Iterable[int]) -> set[int]:
    """These nodes and all their ancestors."""
    reached = set(nodes)
    waiting = list(reached)
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent not in reached:
                reached.add(parent)
                waiting.append(parent)
    return reached


def active_path(parents: Parents, start: int, end: int, given: Collection[int]) -> list[int] | None:
    """The shortest path along which `start` and `end` depend on each other given others; None if d-separated.

    The ball of Bayes (Shachter 1998) walks over pairs of a node and the direction it came from: upwards (from a child)
    it goes on to parents and children unless the node is given; downwards (from a parent) to children unless the node
    is given, and back up to the other parents where the node or something below it is given.
    """
    if start in given or end in given:
        return None
    below = children(parents)
    opened = ancestors(parents, given)
    first = (start, True)
    before: dict[tuple[int, bool], tuple[int, bool] | None] = {first: None}
    waiting = deque([first])
    while waiting:
        here = waiting.popleft()
        node, upwards = here
        if node == end:
            path = []
            at: tuple[int, bool] | None = here
            while at is not None:
                path.append(at[0])
                at = before[at]
            return path[::-1]
        further: list[tuple[int, bool]] = []
        if node not in given:
            further += [(child, False) for child in below[node]]
        if (upwards and node not in given) or (not upwards and node in opened):
            further += [(parent, True) for parent in parents[node]]
        for state in further:
            if state not in before:
                before[state] = here
                waiting.append(state)
    return None


def blanket(parents: Parents, node: int) -> set[int]:
    """The Markov blanket: given these nodes, this one is independent of all others."""
    members = set(parents[node])
    for child in children(parents)[node]:
        members |= {child, *parents[child]}
    return members - {node}


def moral_graph(parents: Parents) -> tuple[list[set[int]], list[tuple[int, int]]]:
    """The neighbours of each node once edges lose direction and parents of a child are connected; and the new edges."""
    neighbours: list[set[int]] = [set() for _ in parents]
    for child, above in enumerate(parents):
        for parent in above:
            neighbours[child].add(parent)
            neighbours[parent].add(child)
    wed: list[tuple[int, int]] = []
    for above in parents:
        for i, first in enumerate(sorted(above)):
            for second in sorted(above)[i + 1 :]:
                if second not in neighbours[first]:
                    wed.append((first, second))
                    neighbours[first].add(second)
                    neighbours[second].add(first)
    return neighbours, sorted(wed)


def connecting_path(neighbours: Neighbours, start: int, end: int, given: Collection[int]) -> list[int] | None:
    """The shortest path between two nodes that avoids the given ones; None if these separate them."""
    if start in given or end in given:
        return None
    before: dict[int, int | None] = {start: None}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        if here == end:
            path: list[int] = []
            at: int | None = here
            while at is not None:
                path.append(at)
                at = before[at]
            return path[::-1]
        for other in sorted(neighbours[here]):
            if other not in before and other not in given:
                before[other] = here
                waiting.append(other)
    return None
