"""Clusterers that go over rows in blocks: the same blocks in memory and from parts, and so the same model.

Rows           rows that count, in canonical blocks, as often as wanted
StreamingFace  a Clusterer that gives `found(rows)`; `fit` and `fit_stream` follow
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen.base.clusterer import Clusterer
from acumen.base.grouping import Grouping
from acumen.clusters.rows import Counted
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.engines.cores import limited_to
from acumen.rows.weights import total_weight


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows that count, with their weights, as blocks of tables."""

    tables: Callable[[], Iterable[Table]]
    schema: Schema
    n_rows: int
    weight: float
    held: bool  # whether they are in memory anyway, so that something may be kept of each


class StreamingFace(Clusterer):
    """What clusterers that learn from blocks have in common."""

    @abstractmethod
    def found(self, rows: Rows) -> Grouping:
        """Find groups; of rows that are not held the labels may be empty."""

    @property
    def streams(self) -> bool:
        return True

    def cluster(self, table: Table) -> Grouping:
        return self.found(
            Rows(lambda: blocks(table), table.schema, len(table), total_weight(table.row_weights), held=True)
        )

    def fit_stream(self, parts: Iterable[Table] | Table) -> Self:
        """Find groups in parts under one schema, such as `acumen.scan` gives, going through them several times.

        One part is held at a time. The model is that of `fit` on all rows, to the byte.
        """
        self.check_parameters()
        with limited_to(self.jobs):
            counted = Counted(parts, self, self._name)
            self.weighing_ = counted.weighing
            found = self.found(
                Rows(counted.tables, counted.schema, counted.n_rows, counted.weight, held=False)
            )
            self.n_iter_ = found.n_iter
            self.n_features_in_ = len(counted.schema)
            self.feature_names_in_ = np.array(counted.schema.names, dtype=object)
            self.settle(counted.schema, found.model, np.array([counted.weight]), counted.n_rows)
            if counted.passed is not None:
                self.remember_passed(counted.passed)
        return self
