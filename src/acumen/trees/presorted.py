"""The order of a table's numbers, sorted once for all trees that are grown from draws of its rows.

Presorted   every numeric input's known values in ascending order
Drawn       some of the rows in that order: what a tree is grown from instead of sorting anew, and the same tree
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.trees.inputs import Inputs
from acumen.types import Array, Codes, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Presorted:
    """Of the rows of a table: for each numeric input a rank and a row for every known value."""

    inputs: Inputs
    rows: int
    entries: Array  # numeric inputs x rows x 2
    known: Codes  # how many of each input's entries count

    @classmethod
    def of(cls, rows: Table, inputs: Inputs) -> Self | None:
        """None where there is no number to sort."""
        numeric = [column for column in inputs.columns if column.is_numeric(rows.schema)]
        if not numeric or not len(rows):
            return None
        columns: Any = Inputs(tuple(numeric)).of_table(rows)
        entries, known = _native.presort(columns, cores())
        return cls(inputs, len(rows), entries.reshape(len(numeric), len(rows), 2), known)

    def drawn(self, places: Indices | Codes, inputs: Inputs) -> Drawn | None:
        """The rows at these places, which ascend; None where a tree of them would have other inputs."""
        return Drawn(self, np.ascontiguousarray(places, dtype=np.int32)) if inputs == self.inputs else None


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Rows at some places of the table whose numbers were sorted."""

    order: Presorted
    places: Codes

    @property
    def entries(self) -> Array:
        return self.order.entries

    @property
    def known(self) -> Codes:
        return self.order.known

    def take(self, rows: Indices) -> Drawn | None:
        """Some of them; None unless in the same order."""
        return Drawn(self.order, self.places[rows]) if np.all(np.diff(rows) > 0) else None
