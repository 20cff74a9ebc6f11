"""Blocks of training rows as points, with weights and what a search remembers of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from acumen.clusters.space import Space
from acumen.data.table import Table
from acumen.rows.persisted import Persisted
from acumen.rows.training_rows import Rows
from acumen.types import Codes, Floats

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Held

NO_FLOATS: Floats = np.empty(0)
#: Blocks of points (or of whatever a search takes rows as), wherever they are.
Blocks: TypeAlias = "Persisted | Held"


@dataclass(slots=True, eq=False)
class Points:
    """A block of rows as points; labels and bounds are empty until something is remembered of them."""

    values: Floats
    weights: Floats
    labels: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    upper: Floats = field(default_factory=lambda: NO_FLOATS)
    lower: Floats = field(default_factory=lambda: NO_FLOATS)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def row_weights(self) -> Floats:
        return self.weights if self.weights.size else np.ones(len(self))

    def remember(self, bounds: bool) -> None:
        """Make room for labels, and for bounds where asked for."""
        n = len(self)
        self.labels = np.full(n, -1, dtype=np.int32)
        if bounds:
            self.upper, self.lower = np.full(n, np.inf), np.zeros(n)

    @classmethod
    def joined(cls, blocks: Iterable[Points]) -> Points:
        """All blocks as one."""
        every = list(blocks)
        if len(every) == 1:
            return every[0]
        weights = [block.row_weights for block in every]
        return cls(np.concatenate([block.values for block in every]), np.concatenate(weights))


def points_of(table: Table, space: Space) -> Points:
    """The rows of a block as points."""
    return Points(space.write(table), table.weights)


def points_in(rows: Rows, space: Space) -> Blocks:
    """All rows as points, block by block."""
    return rows.persist(partial(points_of, space=space), 8 * (space.width + 1))
