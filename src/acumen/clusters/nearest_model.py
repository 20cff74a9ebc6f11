"""Models that assign a row to the cluster of the nearest stored row.

    NearestModel    rows kept, the group of each, and how far one of them may be

Medoids, cores and the rows of a hierarchy are such rows. Of several equally near the one that is the same row decides,
then the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.caching import cached_property
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.geometry.distance import FittedDistance
from acumen.geometry.distance_state import from_arrays as distance_from
from acumen.geometry.distance_state import knows, rows_from_arrays, rows_to_arrays
from acumen.geometry.distance_state import to_arrays as distance_arrays
from acumen.geometry.distances import row_values
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import NeighbourSearch
from acumen.models.model import GroupModel
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.types import Array, Codes, Floats

#: Rows asked about at once.
_ROWS = 16_384


@dataclass(frozen=True, eq=False)
class NearestModel(GroupModel):
    """Rows kept, and the group of each."""

    fitted: FittedDistance
    raw: RawRows
    number: Codes  # of each row kept: its group
    sizes: Floats  # of each group: the weight of its rows

    @property
    def n_groups(self) -> int:
        return len(self.sizes)

    @property
    def reach(self) -> float:
        """A row further than this from all rows kept belongs to none."""
        return np.inf

    @cached_property
    def search(self) -> NeighbourSearch:
        """The search among the rows kept."""
        return NeighbourSearch(self.fitted, self.raw)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "search"}

    def groups(self, rows: Table) -> Codes:
        return self.groups_of(self.fitted.raw(rows))[0]

    def groups_of(self, raw: RawRows) -> tuple[Codes, Floats]:
        """The group of each row, and how far the row is that decides."""
        groups, away = np.full(len(raw), -1, dtype=np.int32), np.full(len(raw), np.inf)
        if not len(self.raw):
            return groups, away
        known = knows(self.fitted, raw)
        for start in range(0, len(raw), _ROWS):
            part = slice(start, min(start + _ROWS, len(raw)))
            some = raw if part.stop - part.start == len(raw) else raw.take(np.arange(part.start, part.stop))
            neighbours = self.search.lists(some, 1.0)
            there = np.flatnonzero(np.diff(neighbours.ends) > 0)
            first = neighbours.ends[:-1][there]
            away[start + there] = neighbours.distances[first]
            groups[start + there] = self.number[neighbours.rows[first]]
            for i in there[np.diff(neighbours.ends)[there] > 1].tolist():
                groups[start + i] = self._break_ties(some, i, neighbours.rows[neighbours.of(i)])
        beyond = ~known | ~(away <= self.reach * (1 + 1e-12)) | np.isinf(away)
        groups[beyond], away[beyond] = -1, np.inf
        return groups, away

    def _break_ties(self, asked: RawRows, row: int, near: Array) -> int:
        """The group of a row to which several rows are equally near."""
        if (self.number[near] == self.number[near[0]]).all():
            return int(self.number[near[0]])
        near = np.sort(near)
        same = (
            (self.raw.numbers[near] == asked.numbers[row])
            | (np.isnan(self.raw.numbers[near]) & np.isnan(asked.numbers[row]))
        ).all(axis=1) & (self.raw.codes[near] == asked.codes[row]).all(axis=1)
        return int(self.number[near[int(np.argmax(same))]])

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """Every value kept counts."""
        return int(self.raw.numbers.size + self.raw.codes.size + sum(words.nnz for words in self.raw.words))

    def row_text(self, schema: Schema, row: int) -> str:
        """One of the rows kept, in words."""
        values = row_values(schema, self.raw.take(np.array([row])))[0]
        names = [a.name for a in schema.attributes if a.is_nominal or a.is_numeric]
        phrases = [
            f"{name} {'?' if value is None else f'{value:.4g}' if isinstance(value, float) else value}"
            for name, value in zip(names, values, strict=True)
        ]
        shown = ", ".join(phrases[:6]) + (", ..." if len(phrases) > 6 else "")
        return printable(shown)

    def why(self, row: Table, schema: Schema, group: int) -> str:
        groups, away = self.groups_of(self.fitted.raw(row))
        if group < 0 or groups[0] < 0:
            return "It belongs to no cluster: no row is close enough."
        near = self.search.lists(self.fitted.raw(row), 1.0)
        at = int(np.sort(near.rows[near.of(0)])[0])
        return f"Its nearest medoid or core row is {self.row_text(schema, at)} of cluster {group}, {away[0]:.4g} away."

    # -- storing ----------------------------------------------------------------------------------

    def row_arrays(self) -> dict[str, Array]:
        """The rows kept as plain arrays."""
        arrays: dict[str, Array] = {"number": self.number, "sizes": self.sizes}
        arrays |= {f"distance/{name}": array for name, array in distance_arrays(self.fitted).items()}
        return arrays | rows_to_arrays(self.raw)


def read_row_arrays(arrays: Mapping[str, Array], schema: Schema) -> dict[str, Any]:
    """Read `kept_arrays` back, trusting nothing: what a NearestModel is made of, by name."""
    sizes = stored_floats(arrays, "sizes", (None,), low=0.0, high=1e300)
    number = stored_codes(arrays, "number", (None,), low=0, below=max(len(sizes), 1))
    require(len(np.unique(number)) == len(sizes), "a cluster has no row")
    start = "distance/"
    own_arrays = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
    fitted = distance_from(own_arrays, schema)
    raw = rows_from_arrays(arrays, schema, fitted, len(number))
    return {"fitted": fitted, "raw": raw, "number": number, "sizes": sizes}


def group_sizes(labels: Codes, weights: Floats) -> Floats:
    """The weight of each group's rows."""
    known = labels >= 0
    sizes = np.bincount(labels[known], weights[known], minlength=int(labels.max(initial=-1)) + 1)
    return sizes.astype(np.float64, copy=False)  # of no group at all numpy makes whole numbers
