"""Chameleon: clusters of any shape, from a graph of near rows cut into small parts that are merged again.

    merge_parts      rows -> clusters and how they were merged
    Joins            the remaining parts, and how strongly each pair is connected
    ChameleonModel   distinct training rows with their clusters; a row belongs where its nearest training row does

Two parts are merged if they are connected as strongly to each other as each is within itself. The strength within a
part is the cost of cutting it evenly: the total weight of the edges cut (EC), and their mean weight (SEC).

    relative inter-connectivity   RI(i, j) = EC(i, j) / ((EC(i) + EC(j)) / 2)
    relative closeness            RC(i, j) = SEC(i, j) / (n_i SEC(i) + n_j SEC(j)) * (n_i + n_j)

The pair with the largest RI RC^alpha is merged until k parts remain. Scattered rows would often end as a cluster of
their own while two true clusters are merged. So two parts that each hold at least `smallest` of the rows of k equal
clusters are not merged while at most k such parts exist.

A part of one row has nothing to cut: the connection of two such parts ranks above all others. Parts without an edge to
any other are merged last, the smallest into the part of its nearest row. Karypis, Han and Kumar (1999), "Chameleon:
hierarchical clustering using dynamic modeling".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from acumen.base.grouping import Grouping, by_first_row
from acumen.clusters.nearest_model import NearestModel, group_sizes, read_row_arrays
from acumen.clusters.row_distances import RowsApart
from acumen.clusters.row_graph import Cutter, RowGraph, neighbour_graph
from acumen.clusters.sampling import distinct_rows, require_distinct
from acumen.data.schema import Schema
from acumen.geometry.search import Apart, NeighbourSearch
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.text import many
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
        mean_inner = (self.inner[:, None] + self.inner[None, :]) / 2
        heavy = self.size * self.mean
        mean = (heavy[:, None] + heavy[None, :]) / (self.size[:, None] + self.size[None, :])
        with np.errstate(divide="ignore", invalid="ignore"):
            return (
                np.where(tied, self.weight / mean_inner, 0.0),
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
        remaining = np.flatnonzero(self.alive)
        small = int(remaining[np.argmin(self.size[remaining])])
        members = np.flatnonzero(self.part == small)
        search = NeighbourSearch(rows.fitted, rows.raw, part=self.part)
        neighbours = search.lists(rows.raw.take(members), 1.0, Apart(part=self.part[members]))
        known = np.isfinite(neighbours.distances)
        if known.any():
            other = int(self.part[neighbours.rows[known][int(np.argmin(neighbours.distances[known]))]])
        else:  # nothing known in common with anything: to the largest
            other = int(remaining[np.argmax(np.where(remaining == small, -1.0, self.size[remaining]))])
        return self._pair(small, other, 0.0, 0.0)


def join_parts(
    graph: RowGraph, part: Codes, rows: RowsApart, k: int, alpha: float, smallest: float, seed: int
) -> Joins:
    """Parts joined until k are left."""
    joins = Joins(graph, k, alpha, smallest * float(graph.sizes.sum()) / k, seed, part.copy())
    while int(joins.alive.sum()) > k:
        joins.join(joins.best() or joins.nearest(rows))
    return joins


@dataclass(frozen=True, eq=False)
class ChameleonModel(NearestModel):
    """Rows with their groups, and the joins."""

    kind: ClassVar[str] = "chameleon"

    n_parts: int
    joins: Floats  # a line for each: sizes of both, relative inter-connectivity, relative closeness; 0 0: no edge
    cut: float  # the weight of the edges between groups

    @property
    def objective(self) -> float:
        return self.cut

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        lines = [
            f"{many(self.n_groups, 'cluster')} joined from {many(self.n_parts, 'part')} of a graph of near rows; "
            f"distance {self.fitted.distance.name}",
            f"similarity cut between clusters {self.cut:.6g}",
            "rows in the clusters: " + ", ".join(f"{size:g}" for size in self.sizes[:40]),
        ]
        shown = self.joins if full else self.joins[-5:]
        if len(shown):
            lines.append("joins" if len(shown) == len(self.joins) else f"the last {len(shown)} joins")
        for one, other, connectivity, closeness in shown.tolist():
            tied = f"inter-connectivity {connectivity:.4g}, closeness {closeness:.4g}"
            if connectivity == 0:
                tied = "no edge connects them"
            lines.append(f"  {one:g} and {other:g} rows: {tied}")
        return "\n".join(lines)

    def to_arrays(self) -> dict[str, Array]:
        # Ratios of parts that have nothing to cut are beyond all numbers, which files do not hold: -1 stands for them.
        joins = np.where(np.isinf(self.joins), -1.0, self.joins)
        return {**self.row_arrays(), "joins": joins, "about": np.array([self.n_parts, self.cut])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = read_row_arrays(arrays, schema)
        joins = stored_floats(arrays, "joins", (None, 4), low=-1.0)
        require((joins[:, :2] > 0).all(), "a merged part has no rows")
        joins = np.where(joins < 0, np.inf, joins)
        parts, cut = stored_floats(arrays, "about", (2,), low=0.0, high=1e300).tolist()
        groups = len(kept["sizes"])
        require(
            parts == int(parts) and parts == groups + len(joins), "joins do not lead from parts to clusters"
        )
        return cls(**kept, n_parts=int(parts), joins=joins, cut=cut)


def merge_parts(
    rows: RowsApart,
    k: int,
    *,
    neighbours: int,
    alpha: float,
    part_share: float,
    smallest: float,
    cutter: Cutter,
    seed: int,
    who: str,
) -> Grouping:
    """Groups of any form: the graph of near rows, cut into parts, and these joined until k are left."""
    first, which = distinct_rows(rows.raw)
    require_distinct(who, k, len(first), len(rows))
    apart = rows.take(first, np.bincount(which, rows.weights, minlength=len(first)).astype(np.float64))
    graph = neighbour_graph(apart, neighbours)
    total = float(graph.sizes.sum())
    # Parts of a few rows say nothing of how they hang together: none is cut below ten, if k groups leave room for it.
    most = max(part_share * total, min(10.0, total / (2 * k)))
    part = graph.parts(k, most, seed, cutter)
    joined = join_parts(graph, part, apart, k, alpha, smallest, seed)
    number, _ = by_first_row(joined.part)
    labels = number[which]
    model = ChameleonModel(
        rows.fitted,
        apart.raw,
        number,
        group_sizes(labels, rows.weights),
        n_parts=int(part.max()) + 1,
        joins=np.array([[j.sizes[0], j.sizes[1], j.connectivity, j.closeness] for j in joined.made]).reshape(
            -1, 4
        ),
        cut=graph.cut_weight(number),
    )
    return Grouping(model, rows.spread(labels), max(len(joined.made), 1))
