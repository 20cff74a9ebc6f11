"""Columns that are not worth learning from, of rows that come in parts: what `idle_columns` says of all at once.

    IdleColumns.add(part)   part after part, in order
      .found()              each idle input and why, as `idle_columns` of all rows

A column is acquitted by the first rows that speak for it, and costs nothing from then on. Whole numbers that are all
different but neither rise nor fall must be remembered to be known to be different: no more than MOST of them are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acumen.data.columns import id_like
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.profiling.uninformative import (
    DIFFERENT,
    EMPTY,
    SAME,
    SOME,
    ZERO,
    is_identifier_like,
    numeric_reason,
)
from acumen.types import Floats

#: Numbers of a column that are remembered; one of more that neither rises nor falls is taken for no identifier.
MOST = 1 << 24


class _Numbers:
    """One numeric column."""

    def __init__(self) -> None:
        self.same = True
        self.value = np.nan
        self._candidate = True  # whole, finite and different so far
        self._held: list[Floats] = []
        self._rows = 0

    @property
    def acquitted(self) -> bool:
        return not self.same and not self._candidate

    def add(self, values: Floats) -> None:
        known = values[~np.isnan(values)]
        if self.same and known.size:
            self.value = known[0] if np.isnan(self.value) else self.value
            self.same = bool((known == self.value).all())
        if not self._candidate:
            return
        whole = np.isfinite(values).all() and np.array_equal(values, np.floor(values))
        self._rows += len(values)
        self._candidate = bool(whole) and self._different(values)
        if not self._candidate:
            self._held = []

    def _different(self, values: Floats) -> bool:
        self._held.append(np.array(values))
        if self._rows > MOST:
            return False
        if (
            self._rows - len(values) < SOME <= self._rows
        ):  # what fails on the first rows is not held any longer
            self._held = [np.concatenate(self._held)]
            return is_identifier_like(self._held[0][:SOME])
        return True

    def why(self, form: str) -> str:
        if self.same:
            return EMPTY if np.isnan(self.value) else SAME
        if not self._candidate:
            return ""
        return numeric_reason(np.concatenate(self._held), form)


class UninformativeColumns:
    """Looks at parts as they pass."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._rows = 0
        self._numbers = {place: _Numbers() for place in range(len(schema.numeric))}
        self._counts = [np.zeros(len(attribute.levels), dtype=np.int64) for attribute in schema.nominal]
        self._cells: npt.NDArray[np.int64] | None = None

    def add(self, part: Table) -> None:
        """Take a part into account."""
        self._rows += len(part)
        if part.sparse is not None:
            cells = np.asarray(part.sparse.getnnz(axis=0), dtype=np.int64).reshape(-1)
            self._cells = cells if self._cells is None else self._cells + cells
        else:
            for place, column in list(self._numbers.items()):
                column.add(part.numeric.columns[place])
                if column.acquitted:
                    del self._numbers[place]
        for counts, codes in zip(self._counts, part.nominal.columns, strict=True):
            counts += np.bincount(codes[codes >= 0], minlength=len(counts))

    def found(self) -> dict[str, str]:
        """Each input that is an identifier, constant or empty; none where no other would be left."""
        reasons: dict[str, str] = {}
        if self._rows < 2:
            return reasons
        for place, attribute in enumerate(self._schema.numeric):
            if self._cells is not None:
                why = "" if self._cells[place] else ZERO
            else:
                why = self._numbers[place].why(attribute.form) if place in self._numbers else ""
            if why:
                reasons[attribute.name] = why
        for attribute, counts in zip(self._schema.nominal, self._counts, strict=True):
            if why := _nominal(counts):
                reasons[attribute.name] = why
        return reasons if len(reasons) < len(self._schema.attributes) else {}


def _nominal(counts: npt.NDArray[np.int64]) -> str:
    known, distinct = int(counts.sum()), int(np.count_nonzero(counts))
    if not known:
        return EMPTY
    if distinct == 1:
        return SAME
    return DIFFERENT.format(kind="values", distinct=distinct, rows=known) if id_like(known, distinct) else ""
