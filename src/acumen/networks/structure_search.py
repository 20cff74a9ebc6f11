"""Structure learning by local search: add, drop or turn one edge at a time.

    hill_climbing   make the best change as long as one improves the score
    tabu            continue through changes that do not improve it, never back to a recent structure; keep the best

The score is a sum over families, so a change of one node's parents affects only that node's line of scores, which is
recomputed. Reachability is stored as bits, one integer per node.

Ties: changes are examined in a fixed order, additions first, then removals, then reversals, each by parent and then by
child, in column order; another change is preferred only if it is better by more than 1.5e-8 (as in bnlearn).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from acumen.networks.coded_rows import CodedRows
from acumen.networks.scoring import Scoring
from acumen.types import Array, Bools, Floats

_TIE = float(np.sqrt(np.finfo(np.float64).eps))


@dataclass(slots=True, eq=False)
class StructureSearch:
    """The current structure of a search; `must` and `must_not` are (parent, child) marks."""

    rows: CodedRows
    scoring: Scoring
    max_parents: int
    must: Bools
    must_not: Bools
    parents: list[list[int]]
    #: The change in score, at (v, u), if u is added to v's parents or removed from them.
    gains: Floats = field(init=False)
    family_scores: Floats = field(init=False)
    below: list[int] = field(init=False)  # as bits, the nodes that can be reached, itself among them

    def __post_init__(self) -> None:
        d = self.rows.n_nodes
        self.gains, self.family_scores = np.full((d, d), -np.inf), np.zeros(d)
        self.below = [1 << v for v in range(d)]
        for v in range(d):
            self._recount(v)
        self._reach()

    @property
    def total(self) -> float:
        return float(self.family_scores.sum())

    def _recount(self, v: int) -> None:
        # Parents beyond max_parents are never added, but may be swapped in by turning an edge: not then either.
        allowed = ~self.must_not[:, v]
        if len(self.parents[v]) >= self.max_parents:
            allowed = np.zeros_like(allowed)
        allowed[self.parents[v]] = True
        scores = self.rows.scores(v, sorted(self.parents[v]), allowed, self.scoring)
        self.family_scores[v] = scores[v]
        # If the current family (given by `must`) is too large to count, any other is better.
        self.gains[v] = (
            scores - scores[v] if np.isfinite(scores[v]) else np.where(np.isfinite(scores), 1e300, -np.inf)
        )
        self.gains[v, v] = -np.inf

    def _reach(self) -> None:
        below = [1 << v for v in range(len(self.parents))]
        children: list[list[int]] = [[] for _ in below]
        for v, above in enumerate(self.parents):
            for u in above:
                children[u].append(v)
        done = [False] * len(below)
        for root in range(len(below)):  # depth first: a node is finished once all its children are
            stack = [(root, False)]
            while stack:
                v, finished = stack.pop()
                if done[v]:
                    continue
                if finished:
                    for child in children[v]:
                        below[v] |= below[child]
                    done[v] = True
                else:
                    stack.append((v, True))
                    stack += [(child, False) for child in children[v] if not done[child]]
        self.below = below

    def moves(self) -> tuple[Floats, Array]:
        """The gain of every allowed change, in the fixed order, and each change as a line (kind, parent, child)."""
        d = len(self.parents)
        edge = np.zeros((d, d), dtype=np.bool_)  # (parent, child)
        for v, above in enumerate(self.parents):
            edge[above, v] = True
        width = (d + 7) // 8
        raw = b"".join(bits.to_bytes(width, "little") for bits in self.below)
        reach = np.unpackbits(np.frombuffer(raw, np.uint8).reshape(d, width), axis=1, bitorder="little")
        reach = reach[:, :d].astype(np.bool_)  # (from, to)
        gain = self.gains.T  # (parent, child)
        full = np.array([len(above) >= self.max_parents for above in self.parents], dtype=np.bool_)
        adding = ~edge & ~edge.T & ~self.must_not & ~reach.T & ~full[None, :]
        np.fill_diagonal(adding, False)
        dropping = edge & ~self.must
        there = np.argwhere(dropping)
        turning, turned = [], []
        for a, b in there.tolist():
            if full[a] or self.must_not[b, a]:
                continue
            # Turning a -> b makes a circle where b is reached from a by another way too.
            others = edge[a].copy()
            others[b] = False
            if not reach[others, b].any():
                turning.append((a, b))
                turned.append(gain[a, b] + gain[b, a])
        edges = [np.argwhere(adding), there, np.array(turning, dtype=np.intp).reshape(-1, 2)]
        kinds = np.repeat(np.arange(3), [len(each) for each in edges])
        values = np.concatenate([gain[adding], gain[dropping], np.array(turned)])
        return values, np.column_stack([kinds, np.concatenate(edges)])

    def make(self, move: tuple[int, int, int]) -> None:
        """Apply a change."""
        kind, parent, child = move
        if kind == 0:
            self.parents[child].append(parent)
        else:
            self.parents[child].remove(parent)
        if kind == 2:
            self.parents[parent].append(child)
            self._recount(parent)
        self._recount(child)
        self._reach()

    def after(self, move: tuple[int, int, int]) -> frozenset[tuple[int, int]]:
        """The edges after a change."""
        kind, parent, child = move
        edges = {(u, v) for v, above in enumerate(self.parents) for u in above}
        edges ^= {(parent, child)}
        if kind == 2:
            edges.add((child, parent))
        return frozenset(edges)


def _move(line: Array) -> tuple[int, int, int]:
    kind, parent, child = line.tolist()
    return kind, parent, child


def _first_best(values: Floats) -> int:
    """The first of the changes tied with the best."""
    return int(np.flatnonzero(values >= values.max() - _TIE)[0])


def hill_climbing(search: StructureSearch) -> tuple[list[list[int]], int]:
    """Parents at the end of the climb, and the number of changes."""
    steps = 0
    while True:
        values, moves = search.moves()
        if not len(values) or not values.max() > _TIE:
            return [sorted(above) for above in search.parents], steps
        search.make(_move(moves[_first_best(values)]))
        steps += 1


def tabu(search: StructureSearch, length: int = 10, patience: int = 10) -> tuple[list[list[int]], int]:
    """The best structure of a search that continues for `patience` changes without improvement.

    Each step makes the best change, even if it lowers the score, that leads to none of the last `length` structures.
    """
    best, kept, steps, idle = search.total, [list(above) for above in search.parents], 0, 0
    late: list[frozenset[tuple[int, int]]] = [
        frozenset((u, v) for v, above in enumerate(search.parents) for u in above)
    ]
    while idle < patience:
        values, moves = search.moves()
        # Rounded, so that the first of equal changes comes first whatever rounding did to them.
        order: Sequence[int] = np.argsort(-np.round(values / _TIE), kind="stable").tolist()
        order = [i for i in order if np.isfinite(values[i])]
        chosen = next((i for i in order if search.after(_move(moves[i])) not in late), None)
        if chosen is None:
            break
        search.make(_move(moves[chosen]))
        late = [*late, frozenset((u, v) for v, above in enumerate(search.parents) for u in above)][-length:]
        steps += 1
        if search.total > best + _TIE:
            best, kept, idle = search.total, [list(above) for above in search.parents], 0
        else:
            idle += 1
    return [sorted(above) for above in kept], steps
