"""Groups of rows that an ensemble draws as a whole: a column's name, or one value a row.

    Grouped   a learner with a parameter `groups`; a row is out of bag only if its whole group is
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from acumen.base.parameters import Described
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.resample.plan import codes_of
from acumen.types import Codes, Floats, Indices

Groups = Annotated[Any, Described("a column's name, an array of one value a row, or None")]
NO_GROUPS: Codes = np.empty(0, dtype=np.int32)


class Grouped:
    """Keeps which rows count, so that an array of groups can follow them."""

    groups: Any

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        rows, places = super().counted_places(table, factors)  # type: ignore[misc]  # of Learner
        if self.groups is not None and not isinstance(self.groups, str):
            given = np.asarray(self.groups, dtype=object)
            if given.shape != (len(table),):
                raise DataError(
                    f"{self._name}: there are {len(table)} rows, but groups has the shape {given.shape}; give one "  # type: ignore[attr-defined]
                    "value a row, or, where rows are resampled, a column's name, which can be split with them."
                )
            self._counted = places
        return rows, places

    def group_codes(self, table: Table) -> Codes:
        """The group of each row that counts, from 0; empty without groups."""
        if self.groups is None:
            return NO_GROUPS
        who = self._name  # type: ignore[attr-defined]
        if isinstance(self.groups, str):
            names = table.schema.columns
            if self.groups not in names:
                raise ParameterError(
                    f"{who}: groups names the column {self.groups!r}, which the table does not have."
                    + did_you_mean(self.groups, names)
                )
            values = table.column(self.groups)
        else:
            values = np.asarray(self.groups)[self._counted]
            del self._counted
        return np.asarray(codes_of(who, "groups", values, len(table)), dtype=np.int32)

    @property
    def group_column(self) -> str | None:
        """The attribute that only names groups, and is not learned from."""
        return self.groups if isinstance(self.groups, str) else None
