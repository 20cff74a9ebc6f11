"""What clusterers that need nothing but distances have in common: which distance, its scale, its memory."""

from __future__ import annotations

from typing import Any

from acumen.base.clusterer import Clusterer
from acumen.clusters import row_distances
from acumen.clusters.row_distances import DistanceLike, RowsApart
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.geometry.distance import Distance


class DistanceFace(Clusterer):
    """What clusterers by distances have in common."""

    def __init__(
        self, *, distance: DistanceLike = "auto", scale: bool = True, n_jobs: int | None = None
    ) -> None:
        self.distance = distance
        self.scale = scale
        self.n_jobs = n_jobs

    @property
    def constant_sensitive(self) -> bool:
        """Whether a column that never changes may change the groups: a gap counts for less among more columns."""
        return True

    def objection(self, schema: Schema) -> str | None:
        return row_distances.objection(self.distance, schema, self._name)

    def memory(self, rows: int, schema: Schema) -> int | None:
        return row_distances.bytes_apart(self.distance, rows, schema, self._name)

    @property
    def distance_(self) -> Distance:
        """The distance that was used."""
        found: Distance = self._fitted().model.fitted.distance
        return found

    def _rows(self, table: Table, index: Any = "brute") -> RowsApart:
        return RowsApart.of(self._name, table, self.distance, self.scale, index)
