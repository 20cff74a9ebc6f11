"""Cut at the edges one says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.table import Table
from acumen.errors import DataError, did_you_mean
from acumen.preprocessing.discretise.base import Discretiser, require_closed
from acumen.preprocessing.discretise.counts import Classes, Unread
from acumen.preprocessing.discretise.intervals import Closed, Intervals
from acumen.types import Codes, Floats


@dataclass(frozen=True)
class GivenEdges(Discretiser):
    """Cut at given edges: k of them make k + 1 intervals.

    Parameters
    ----------
    edges : sequence of numbers, or mapping from attribute names to such sequences
        One sequence is for every numeric attribute; with a mapping the others stay numeric.
        Edges are sorted, and repeated ones count once.
    closed : {"right", "left"}
        Whether an edge belongs to the interval on its left, `(a, b]`, or on its right, `[a, b)`.
    """

    edges: Sequence[float] | Mapping[str, Sequence[float]]
    closed: Closed = "right"

    def __post_init__(self) -> None:
        require_closed("GivenEdges", self.closed)
        many = self.edges.values() if isinstance(self.edges, Mapping) else [self.edges]
        for edges in many:
            Intervals("edges", np.unique(np.asarray(edges, dtype=np.float64)))  # refuses what is not finite

    def chosen(self, table: Table) -> tuple[str, ...]:
        numeric = [a.name for a in table.schema.numeric]
        if not isinstance(self.edges, Mapping):
            return tuple(numeric)
        for name in self.edges:
            if name not in numeric:
                hint = did_you_mean(str(name), numeric)
                raise DataError(f"GivenEdges: the table has no numeric attribute {name!r}.{hint}")
        return tuple(self.edges)

    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> Unread:
        return Unread(attribute)

    def solve_column(self, summary: Unread) -> Intervals:
        edges = self.edges[summary.attribute] if isinstance(self.edges, Mapping) else self.edges
        return Intervals(summary.attribute, np.unique(np.asarray(edges, dtype=np.float64)), self.closed)
