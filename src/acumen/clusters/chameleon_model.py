"""Groups that were joined from parts of a graph: a row belongs where the nearest training row does.

ChameleonModel   the different training rows with their groups, and how the last parts were joined
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.base.grouping import Grouping, by_first_row
from acumen.clusters.chameleon import join_parts
from acumen.clusters.distinct import distinct_rows
from acumen.clusters.drawing import require_distinct
from acumen.clusters.graph import Cutter, neighbour_graph
from acumen.clusters.nearest import NearestModel, group_sizes, kept_from
from acumen.clusters.row_distances import RowsApart
from acumen.data.schema import Schema
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.text import many
from acumen.types import Array, Floats


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
            f"{many(self.n_groups, 'group')} joined from {many(self.n_parts, 'part')} of a graph of near rows; "
            f"distance {self.fitted.distance.name}",
            f"similarity cut between groups {self.cut:.6g}",
            "rows in the groups: " + ", ".join(f"{size:g}" for size in self.sizes[:40]),
        ]
        shown = self.joins if full else self.joins[-5:]
        if len(shown):
            lines.append("joins" if len(shown) == len(self.joins) else f"the last {len(shown)} joins")
        for one, other, connectivity, closeness in shown.tolist():
            tied = f"inter-connectivity {connectivity:.4g}, closeness {closeness:.4g}"
            if connectivity == 0:
                tied = "no edge ties them"
            lines.append(f"  {one:g} and {other:g} rows: {tied}")
        return "\n".join(lines)

    def to_arrays(self) -> dict[str, Array]:
        # Ratios of parts that have nothing to cut are beyond all numbers, which files do not hold: -1 stands for them.
        joins = np.where(np.isinf(self.joins), -1.0, self.joins)
        return {**self.kept_arrays(), "joins": joins, "about": np.array([self.n_parts, self.cut])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = kept_from(arrays, schema)
        joins = stored_floats(arrays, "joins", (None, 4), low=-1.0)
        require((joins[:, :2] > 0).all(), "a part that was joined has no rows")
        joins = np.where(joins < 0, np.inf, joins)
        parts, cut = stored_floats(arrays, "about", (2,), low=0.0, high=1e300).tolist()
        groups = len(kept["sizes"])
        require(
            parts == int(parts) and parts == groups + len(joins), "joins do not lead from parts to groups"
        )
        return cls(**kept, n_parts=int(parts), joins=joins, cut=cut)


def find_joined(
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
