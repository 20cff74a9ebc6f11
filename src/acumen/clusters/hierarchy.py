"""Cluster hierarchies: built from rows by agglomeration or division, cut, and stored.

    Hierarchy        the table of merges: cut it at a number of clusters or a height, its coefficient, its dendrogram
    HierarchyModel   a hierarchy, its rows and the clusters of one cut; a row belongs where its nearest row does
    joins_of         rows -> Hierarchy, by one of four linkages or by division
    cut_hierarchy    the clusters of a cut, and the model that assigns other rows

Line t of the table merges clusters `a` < `b` into cluster n + t of `size` rows; rows are clusters 0 to n - 1. Heights
never fall. scipy and R's agnes use the same form (agnes writes row i - 1 as -i). Equal rows are one row with the sum of
their weights and are merged first, at height 0. So a weight counts as that many repeated rows, and equal rows always
stay together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from acumen import _native
from acumen.base.grouping import Grouping
from acumen.clusters.nearest_model import NearestModel, group_sizes, read_row_arrays
from acumen.clusters.row_distances import RowsApart
from acumen.clusters.sampling import distinct_rows, require_distinct
from acumen.data.schema import Schema
from acumen.engines.cores import cores
from acumen.errors import DataError, ParameterError
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.text import many
from acumen.types import Array, Codes, Floats

LINKAGES = ("average", "single", "complete", "ward", "divisive")


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """The joins of a hierarchy, in the order of their heights."""

    a: Array
    b: Array
    heights: Floats
    sizes: Array

    @property
    def n_rows(self) -> int:
        """How many rows it is of."""
        return len(self.a) + 1

    def table(self) -> Floats:
        """One line for each join: first group, second group, height, rows; as scipy's linkage gives it."""
        return np.column_stack([self.a, self.b, self.heights, self.sizes]).astype(np.float64)

    def cut(
        self, n_clusters: int | None = None, *, distance_threshold: float | None = None, who: str = "cut"
    ) -> Codes:
        """Cluster rows with `n_clusters` left, or with all joins above height `distance_threshold` undone."""
        n, k, theta = self.n_rows, n_clusters, distance_threshold
        if (k is None) == (theta is None):
            raise ParameterError(f"{who}: give either n_clusters or distance_threshold.")
        if k is not None:
            if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= n:
                raise ParameterError(
                    f"{who}: n_clusters must be a whole number from 1 to {n}, the rows; got {k!r}."
                )
            joins = n - int(k)
        else:
            if isinstance(theta, bool) or not isinstance(theta, (int, float, np.number)) or not theta >= 0:
                raise ParameterError(f"{who}: distance_threshold must be at least 0; got {theta!r}.")
            joins = int(np.searchsorted(self.heights, float(theta), side="right"))
        labels: Codes = _native.cut_joins(self.a, self.b, joins)
        return labels

    def leap(self) -> int:
        """The number of groups before the join whose height leaps most; 1 where all are at one height."""
        if len(self.heights) < 2:
            return 1 if not len(self.heights) or self.heights[0] == 0 else 2
        rise = np.diff(self.heights)
        best = int(np.flatnonzero(rise >= rise.max() * (1 - 1e-12))[-1])
        return 1 if rise[best] <= 0 else self.n_rows - best - 1

    @property
    def coefficient(self) -> float:
        """The mean over rows of 1 - (height of the row's first join) / (height of the last).

        The agglomerative coefficient, or the divisive one (Kaufman and Rousseeuw 1990, chapters 5 and 6); NaN where
        all rows are the same.
        """
        n = self.n_rows
        if not len(self.heights) or not self.heights[-1] > 0:
            return float("nan")
        first = np.empty(n)
        for groups in (self.a, self.b):
            rows = groups < n
            first[groups[rows]] = self.heights[rows]
        return float((1.0 - first / self.heights[-1]).mean())


@dataclass(frozen=True, eq=False)
class HierarchyModel(NearestModel):
    """All rows with their groups, and the hierarchy they were cut from."""

    kind: ClassVar[str] = "agglomerative"

    joins: Hierarchy
    linkage: str
    height: float  # of the last join that was kept

    @property
    def objective(self) -> float:
        """The heights of all joins inside groups, added; Ward's as what they add to the sum of squares."""
        inside = self.joins.heights[: self.joins.n_rows - self.n_groups]
        return float((inside * inside).sum() / 2 if self.linkage == "ward" else inside.sum())

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        joins = self.joins
        lines = [
            f"{many(self.n_groups, 'cluster')} of {joins.n_rows} rows, {self.linkage} linkage; distance "
            f"{self.fitted.distance.name}"
            if self.linkage != "divisive"
            else f"{many(self.n_groups, 'cluster')} of {joins.n_rows} rows, divided from above; distance "
            f"{self.fitted.distance.name}",
        ]
        undone = (
            joins.heights[len(joins.heights) - (self.n_groups - 1) :] if self.n_groups > 1 else np.empty(0)
        )
        if len(undone):
            lines.append(f"cut between heights {self.height:.6g} and {undone[0]:.6g}")
        lines.append(f"coefficient {joins.coefficient:.6f}")
        lines.append("rows in the clusters: " + ", ".join(f"{size:g}" for size in self.sizes[:40]))
        last = joins.heights[::-1][: 30 if full else 8]
        lines.append("heights of the last merges: " + ", ".join(f"{h:.4g}" for h in last))
        return "\n".join(lines)

    def to_figure(self, predictor: Any, leaves: int = 30) -> Any:
        """The dendrogram; of more than `leaves` rows the last joins, each lower group as one leaf."""
        from acumen.render.dendrogram import DendrogramFigure

        joins = self.joins
        if not len(joins.heights):
            raise DataError("there is only one row, so there is no dendrogram to draw.")
        title = "Divisions" if self.linkage == "divisive" else f"Joins, {self.linkage} linkage"
        return DendrogramFigure(
            joins.a, joins.b, joins.heights, groups=self.n_groups, most=int(leaves), title=title
        )

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.row_arrays(),
            "about": pack_json({"linkage": self.linkage, "height": self.height}),
            "join_a": self.joins.a,
            "join_b": self.joins.b,
            "join_height": self.joins.heights,
            "join_size": self.joins.sizes,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = read_row_arrays(arrays, schema)
        about = unpack_json(cls.kind, arrays, linkage=str, height=float)
        require(
            about["linkage"] in LINKAGES and about["height"] >= 0, "its clusters were joined in no known way"
        )
        heights = stored_floats(arrays, "join_height", (None,), low=0.0)
        n = len(heights) + 1
        require(n == len(kept["number"]), "it has joins of other rows")
        require((np.diff(heights) >= 0).all(), "a join is below an earlier one")
        a, b, sizes = (
            stored_array(arrays, name, np.int64, (n - 1,)) for name in ("join_a", "join_b", "join_size")
        )
        numbers = np.arange(n - 1) + n
        require(
            (a >= 0).all() and (a < b).all() and (b < numbers).all(), "a join is of clusters not there yet"
        )
        joined = np.concatenate([a, b])
        require(len(np.unique(joined)) == len(joined), "a cluster is joined twice")
        require((sizes >= 2).all() and (sizes <= n).all(), "a join has no such number of rows")
        return cls(
            **kept, joins=Hierarchy(a, b, heights, sizes), linkage=about["linkage"], height=about["height"]
        )


class DivisionModel(HierarchyModel):
    """A hierarchy made from above."""

    kind: ClassVar[str] = "divisive"


def joins_of(rows: RowsApart, linkage: str) -> tuple[Hierarchy, int]:
    """The whole hierarchy, and how many rows differ."""
    first, lot = distinct_rows(rows.raw)
    some = rows
    if len(first) < len(rows):
        some = rows.take(first, np.bincount(lot, rows.weights).astype(np.float64))
    a, b, heights, sizes = _native.link_rows(
        *some.pairs, "divide" if linkage == "divisive" else linkage, cores()
    )
    if len(first) == len(rows):
        return Hierarchy(a, b, heights, sizes), len(first)
    return _with_equals(Hierarchy(a, b, heights, sizes), first, lot), len(first)


def _with_equals(found: Hierarchy, first: Array, lot: Array) -> Hierarchy:
    """A hierarchy of different rows as one of all rows: equal ones are joined first."""
    n, m = len(lot), len(first)
    group = first.copy()  # of each different row: the group it stands for
    size = np.bincount(lot, minlength=m)
    a, b, sizes = [], [], []
    held = np.ones(m, dtype=np.int64)
    for row in range(n):
        own_lot = int(lot[row])
        if row == first[own_lot]:
            continue
        held[own_lot] += 1
        pair = sorted((int(group[own_lot]), row))
        a.append(pair[0])
        b.append(pair[1])
        sizes.append(int(held[own_lot]))
        group[own_lot] = n + len(a) - 1
    before = len(a)
    rows_of = np.concatenate([size, np.zeros(len(found.a), dtype=np.int64)])
    for t, (x, y) in enumerate(zip(found.a.tolist(), found.b.tolist(), strict=True)):
        rows_of[m + t] = rows_of[x] + rows_of[y]
    # Group m + t of the different rows is group n + before + t of all.
    name = np.concatenate([group, n + before + np.arange(len(found.a))])
    pairs = np.sort(np.column_stack([name[found.a], name[found.b]]), axis=1)
    return Hierarchy(
        np.concatenate([np.array(a, dtype=np.int64), pairs[:, 0]]),
        np.concatenate([np.array(b, dtype=np.int64), pairs[:, 1]]),
        np.concatenate([np.zeros(before), found.heights]),
        np.concatenate([np.array(sizes, dtype=np.int64), rows_of[m:]]),
    )


def cut_hierarchy(rows: RowsApart, linkage: str, k: int | None, theta: float | None, who: str) -> Grouping:
    """The groups of the hierarchy cut at k groups, at a height, or where heights leap most."""
    joins, distinct = joins_of(rows, linkage)
    if k is not None:
        require_distinct(who, k, distinct, len(rows))
    if k is None and theta is None:
        k = min(joins.leap(), distinct)
    labels = joins.cut(k, distance_threshold=theta, who=who)
    sizes = group_sizes(labels, rows.weights)
    kept = len(joins.heights) - (len(sizes) - 1)
    height = float(joins.heights[kept - 1]) if kept else 0.0
    kind = DivisionModel if linkage == "divisive" else HierarchyModel
    model = kind(rows.fitted, rows.raw, labels, sizes, joins, linkage, height)
    return Grouping(model, rows.spread(labels))
