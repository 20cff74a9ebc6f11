"""The junction tree: cliques of a chordal graph, connected so that two passes compute every marginal.

    JunctionTree.of     scopes of tables -> cliques by least fill, connected by the largest separators
    beliefs             tables -> the joint distribution of each clique, and the logarithm of their common constant

Messages are scaled, and 0 / 0 counts as 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen.networks.potentials import Potential, elimination
from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """Cliques, each with its parent clique (none for the root of a component); parents come first."""

    cliques: tuple[tuple[int, ...], ...]
    above: tuple[int, ...]  # -1 where there is none
    cells: int

    @classmethod
    def of(cls, scopes: Iterable[Collection[int]], sizes: Sequence[int]) -> Self:
        """Build the tree for tables with these scopes."""
        plan = elimination(scopes, sizes)
        kept: list[frozenset[int]] = []
        for clique in sorted(plan.cliques, key=lambda c: (-len(c), sorted(c))):
            if not any(clique <= other for other in kept):
                kept.append(clique)
        # Prim's tree: the largest separator first, then the smaller table of it, then the first clique.
        order, above = ([0], [-1]) if kept else ([], [])
        best = {j: (kept[j] & kept[0], 0) for j in range(1, len(kept))} if kept else {}
        while best:
            j = min(best, key=lambda j: (-len(best[j][0]), _cells(best[j][0], sizes), j))
            separator, place = best.pop(j)
            order.append(j)
            above.append(place if separator else -1)
            for other, (separator_so_far, _) in list(best.items()):
                if len(kept[other] & kept[j]) > len(separator_so_far):
                    best[other] = (kept[other] & kept[j], len(order) - 1)
        cliques = tuple(tuple(sorted(kept[j])) for j in order)
        return cls(cliques, tuple(above), sum(_cells(c, sizes) for c in cliques))

    def separator(self, place: int) -> tuple[int, ...]:
        """The nodes that a clique shares with its parent."""
        if self.above[place] < 0:
            return ()
        return tuple(sorted(set(self.cliques[place]) & set(self.cliques[self.above[place]])))

    def beliefs(self, potentials: Sequence[Potential], sizes: Sequence[int]) -> tuple[list[Floats], float]:
        """The distribution of each clique (sums to 1), and the logarithm of the sum of the product of all tables."""
        tables = [np.ones([sizes[v] for v in clique]) for clique in self.cliques]
        log = 0.0
        for potential in potentials:
            if not potential.scope:
                log += _log(float(potential.table.ravel()[0]))
                continue
            home = next(i for i, c in enumerate(self.cliques) if set(potential.scope) <= set(c))
            tables[home] = tables[home] * potential.spread(self.cliques[home])[0]
        sent: dict[int, Floats] = {}
        for i in range(len(tables) - 1, -1, -1):  # upwards
            message = self._sum_onto(tables[i], i, self.separator(i))
            top = float(message.max())
            log += _log(top)
            if self.above[i] < 0:
                log += _log(float(message.sum()) / top) if top > 0 else 0.0
                continue
            sent[i] = message / top if top > 0 else message
            tables[self.above[i]] = tables[self.above[i]] * self._spread(sent[i], i, self.above[i])
        for i in range(len(tables)):  # downwards
            if self.above[i] >= 0:
                whole = self._sum_onto(tables[self.above[i]], self.above[i], self.separator(i))
                with np.errstate(divide="ignore", invalid="ignore"):
                    ratio = np.where(sent[i] > 0, whole / sent[i], 0.0)
                tables[i] = tables[i] * self._spread(ratio, i, i)
            total = float(tables[i].sum())
            tables[i] = tables[i] / total if total > 0 else tables[i]
        return tables, log

    def _sum_onto(self, table: Floats, place: int, keep: tuple[int, ...]) -> Floats:
        axes = tuple(axis for axis, v in enumerate(self.cliques[place]) if v not in keep)
        return np.asarray(table.sum(axis=axes))

    def _spread(self, message: Floats, place: int, onto: int) -> Floats:
        separator = self.separator(place)
        return Potential(separator, message[None]).spread(self.cliques[onto])[0]


def _cells(clique: Collection[int], sizes: Sequence[int]) -> int:
    cells = 1
    for v in clique:
        cells *= sizes[v]
    return cells


def _log(value: float) -> float:
    return float(np.log(value)) if value > 0 else -np.inf
