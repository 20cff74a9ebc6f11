"""Groups of rows that an ensemble draws as a whole: a column's name, or one value a row.

Grouped   a learner with a parameter `groups`; a row is out of bag only if its whole group is
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from acumen.base.learner import Learner
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.models.parameters import Described
from acumen.resampling.plan import codes_of
from acumen.types import Array, Codes, Floats, Indices

Groups = Annotated[Any, Described("a column's name, an array of one value a row, or None")]
NO_GROUPS: Codes = np.empty(0, dtype=np.int32)


class Grouped(Learner):
    """Takes the groups out of the rows that count; an attribute that only names groups is not learned from."""

    groups: Any

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        """The rows that are learned from, without the column of groups; the groups are kept for `group_codes`."""
        rows, places = super().counted_places(table, factors)
        self._units = NO_GROUPS
        if self.groups is None:
            return rows, places
        who: str = self._name
        if isinstance(self.groups, str):
            values = self._column(rows, who)
            if self.groups in rows.schema.names:
                rows = rows.select([name for name in rows.schema.names if name != self.groups])
        else:
            groups = np.asarray(self.groups)
            if groups.shape != (len(table),):
                raise DataError(
                    f"{who}: there are {len(table)} rows, but groups has the shape {groups.shape}; give one value a "
                    "row, or, where rows are resampled, a column's name, which can be split with them."
                )
            values = groups[places]
        self._units = np.asarray(codes_of(who, "groups", values, len(rows)), dtype=np.int32)
        if len(rows) and int(self._units.max()) < 1:
            raise DataError(f"{who}: there must be at least 2 groups to draw from; got 1.")
        return rows, places

    def _column(self, rows: Table, who: str) -> Array:
        target = rows.schema.target
        names = [name for name in rows.schema.columns if target is None or name != target.name]
        if self.groups not in names:
            raise ParameterError(
                f"{who}: groups names the column {self.groups!r}, which the table does not have."
                + did_you_mean(self.groups, names)
            )
        return rows.column(self.groups)

    def group_codes(self) -> Codes:
        """The group of each row that counts, from 0; empty without groups."""
        units: Codes = self.__dict__.pop("_units", NO_GROUPS)
        return units
