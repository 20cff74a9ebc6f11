"""Groups of any form: a graph of near rows is cut into many small parts, and those that belong together are joined.

    find_joined      rows -> groups and how they were joined
    Joins            the parts that are left, and how strongly each two are tied

Two parts belong together if they are tied to each other as strongly as each is within itself. How strongly a part
hangs together is what an even cut through it costs: the weight of the edges it cuts (EC), and their mean weight (SEC).

    relative inter-connectivity   RI(i, j) = EC(i, j) / ((EC(i) + EC(j)) / 2)
    relative closeness            RC(i, j) = SEC(i, j) / (n_i SEC(i) + n_j SEC(j)) * (n_i + n_j)

The two parts of the largest RI RC^alpha are joined until k are left. Scattered rows would often be left as a group of
their own, and two true groups be joined for it: so two parts that are both groups already, of at least `smallest` of
what k equal groups would have, are not joined while there are no more than k such.

A part of one row has nothing to cut: ties of two such parts are beyond all others. Parts without an edge to any other
are joined last, the smallest to the part of the row nearest to it. Karypis, Han and Kumar (1999), "Chameleon:
hierarchical clustering using dynamic modeling".
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from acumen.clusters.graph import RowGraph
from acumen.clusters.row_distances import RowsApart
from acumen.geometry.search import Apart, Search
from acumen.types import Array, Codes, Floats


@dataclass(frozen=True, slots=True)
class Join:
    """Two parts that were joined, as they were numbered, and why; nothing ties them where both are zero."""

    one: int
    other: int
    sizes: tuple[float, float]
    connectivity: float
    closeness: float


@dataclass(slots=True)
class Joins:
    """Parts that are left, by number, and the ties between them."""

    graph: RowGraph
    k: int
    alpha: float
    full: float  # the size from which a part counts as a group
    seed: int
    part: Codes  # of each vertex
    weight: Floats = field(init=False)  # (parts, parts): of the edges between two
    count: Floats = field(init=False)
    inner: Floats = field(init=False)  # of an even cut through each
    mean: Floats = field(init=False)
    size: Floats = field(init=False)
    alive: Array = field(init=False)
    made: list[Join] = field(init=False)

    def __post_init__(self) -> None:
        n = int(self.part.max(initial=-1)) + 1
        pairs = self.part[self.graph.begins].astype(np.int64) * n + self.part[self.graph.ends]
        self.weight = np.bincount(pairs, self.graph.weights, n * n).astype(np.float64).reshape(n, n)
        self.count = np.bincount(pairs, minlength=n * n).astype(np.float64).reshape(n, n)
        np.fill_diagonal(self.weight, 0.0)
        np.fill_diagonal(self.count, 0.0)
        self.size = np.bincount(self.part, self.graph.sizes, n).astype(np.float64)
        self.inner, self.mean = np.zeros(n), np.zeros(n)
        for i in range(n):
            self._cut(i)
        self.alive = np.ones(n, dtype=np.bool_)
        self.made = []

    def _cut(self, part: int) -> None:
        members = np.flatnonzero(self.part == part)
        weight, edges = self.graph.cut_inside(members, self.seed)
        self.inner[part], self.mean[part] = weight, weight / edges if edges else 0.0

    def ratios(self) -> tuple[Floats, Floats]:
        """RI and RC of each two parts; infinite where both have nothing to cut."""
        tied = self.count > 0
        close = np.divide(self.weight, self.count, out=np.zeros_like(self.weight), where=tied)
        own = (self.inner[:, None] + self.inner[None, :]) / 2
        heavy = self.size * self.mean
        mean = (heavy[:, None] + heavy[None, :]) / (self.size[:, None] + self.size[None, :])
        with np.errstate(divide="ignore", invalid="ignore"):
            return (
                np.where(tied, self.weight / own, 0.0),
                np.where(tied, close / mean, 0.0),
            )

    def best(self) -> Join | None:
        """The two parts that belong together most, the first of several; none where no two are tied."""
        connectivity, closeness = self.ratios()
        with np.errstate(over="ignore", invalid="ignore"):
            score = np.nan_to_num(connectivity * closeness**self.alpha, nan=0.0, posinf=np.inf)
        score[~self.alive] = 0.0
        score[:, ~self.alive] = 0.0
        full = self.alive & (self.size >= self.full)
        if int(full.sum()) <= self.k:
            score[np.ix_(full, full)] = 0.0
        most = score.max(initial=0.0)
        if not most > 0:
            return None
        # Among those beyond all others the strongest tie comes first.
        strength = np.where(score == most, self.weight, -1.0)
        one, other = divmod(int(np.argmax(strength)), len(score))
        return self._pair(one, other, float(connectivity[one, other]), float(closeness[one, other]))

    def _pair(self, one: int, other: int, connectivity: float, closeness: float) -> Join:
        one, other = min(one, other), max(one, other)
        sizes = float(self.size[one]), float(self.size[other])
        return Join(one, other, sizes, connectivity, closeness)

    def join(self, join: Join) -> None:
        """The second becomes a part of the first."""
        one, other = join.one, join.other
        self.part[self.part == other] = one
        for ties in (self.weight, self.count):
            ties[one] += ties[other]
            ties[:, one] += ties[:, other]
            ties[one, one] = 0.0
            ties[other] = ties[:, other] = 0.0
        self.size[one] += self.size[other]
        self.alive[other] = False
        self.made.append(join)
        self._cut(one)

    def nearest(self, rows: RowsApart) -> Join:
        """The smallest part, and that of the row nearest to it."""
        left = np.flatnonzero(self.alive)
        small = int(left[np.argmin(self.size[left])])
        members = np.flatnonzero(self.part == small)
        search = Search(rows.fitted, rows.raw, part=self.part)
        found = search.lists(rows.raw.take(members), 1.0, Apart(part=self.part[members]))
        known = np.isfinite(found.distances)
        if known.any():
            other = int(self.part[found.rows[known][int(np.argmin(found.distances[known]))]])
        else:  # nothing known in common with anything: to the largest
            other = int(left[np.argmax(np.where(left == small, -1.0, self.size[left]))])
        return self._pair(small, other, 0.0, 0.0)


def join_parts(
    graph: RowGraph, part: Codes, rows: RowsApart, k: int, alpha: float, smallest: float, seed: int
) -> Joins:
    """Parts joined until k are left."""
    joins = Joins(graph, k, alpha, smallest * float(graph.sizes.sum()) / k, seed, part.copy())
    while int(joins.alive.sum()) > k:
        joins.join(joins.best() or joins.nearest(rows))
    return joins
