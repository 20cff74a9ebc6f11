"""Find columns that should not be used for training: identifiers, constant columns and empty ones.

    uninformative_columns       table -> why each such input is uninformative
    drop_uninformative          table -> the table without them
    empty_columns               table -> the inputs without a single value
    UninformativeColumns.add    the same for a table in parts, part after part in order
                        .reasons    why each uninformative input is so, as for all rows at once

These are the findings of the data card, computed without making one. The first rows clear nearly every column, and a
cleared column costs nothing from then on. A column of whole numbers that all differ, but neither rise nor fall, is kept
in memory to count them, up to MOST numbers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from acumen.data.columns import id_like
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.profiling.findings import is_identifier
from acumen.types import Floats

#: Rows examined first: a column that fails on them by far fails on all.
SOME = 4096
#: At most this many numbers of a column are kept; a longer column is not taken for an identifier.
MOST = 1 << 24

EMPTY = "it is empty"
SAME = "it has the same value in every row where it is known"
ZERO = "it is 0 in every row"
DIFFERENT = "it has {distinct:,} distinct {kind} in {rows:,} rows and looks like an identifier"


def uninformative_columns(table: Table) -> dict[str, str]:
    """The reason for each input that is an identifier, constant or empty; empty if no other input would remain."""
    if len(table) < 2:
        return {}
    columns = UninformativeColumns(table.schema)
    columns.add(table)
    return columns.reasons()


def drop_uninformative(table: Table) -> Table:
    """Drop identifiers and constant or empty columns from a table.

    The commands do this by default; `--keep-ids` turns it off there.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Table
        The table itself if nothing has to be dropped, or if no column would remain.

    Examples
    --------
    >>> import acumen
    >>> rows = [[f"c{i}", i % 7, "x", "ab"[i % 2]] for i in range(40)]
    >>> import pandas as pd
    >>> table = acumen.read(pd.DataFrame(rows, columns=["id", "calls", "same", "y"]), target="y")
    >>> acumen.drop_uninformative(table).schema.names
    ('calls',)
    """
    dropped = uninformative_columns(table)
    return table.select([name for name in table.schema.names if name not in dropped]) if dropped else table


def empty_columns(table: Table) -> list[str]:
    """The inputs without a single value."""
    empty = [a.name for a, codes in table.nominal_columns() if not (codes >= 0).any()]
    if table.sparse is None:
        empty += [a.name for a, values in table.numeric_columns() if np.isnan(values).all()]
    return [name for name in table.schema.names if name in empty]


class UninformativeColumns:
    """Checks the parts of a table, one at a time."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._rows = 0
        self._numbers = {place: _NumericCheck() for place in range(len(schema.numeric))}
        self._counts = [np.zeros(len(attribute.levels), dtype=np.int64) for attribute in schema.nominal]
        self._nonzero: npt.NDArray[np.int64] | None = None

    def add(self, part: Table) -> None:
        """Include a part."""
        self._rows += len(part)
        if part.sparse is not None:
            nonzero = np.asarray(part.sparse.getnnz(axis=0), dtype=np.int64).reshape(-1)
            self._nonzero = nonzero if self._nonzero is None else self._nonzero + nonzero
        else:
            for place, column in list(self._numbers.items()):
                column.add(part.numeric.columns[place])
                if column.is_informative:
                    del self._numbers[place]
        for counts, codes in zip(self._counts, part.nominal.columns, strict=True):
            counts += np.bincount(codes[codes >= 0], minlength=len(counts))

    def reasons(self) -> dict[str, str]:
        """The reason for each input that is an identifier, constant or empty; empty if no other input would remain."""
        if self._rows < 2:
            return {}
        reasons: dict[str, str] = {}
        for place, attribute in enumerate(self._schema.numeric):
            if self._nonzero is not None:
                why = "" if self._nonzero[place] else ZERO
            else:
                why = self._numbers[place].reason(attribute.form) if place in self._numbers else ""
            if why:
                reasons[attribute.name] = why
        for attribute, counts in zip(self._schema.nominal, self._counts, strict=True):
            if why := _nominal_reason(counts):
                reasons[attribute.name] = why
        return reasons if len(reasons) < len(self._schema.attributes) else {}


class _NumericCheck:
    """Whether one numeric column is constant, empty or an identifier."""

    def __init__(self) -> None:
        self._same = True
        self._value = np.nan
        self._candidate = True  # whole, finite and different so far
        self._kept: list[Floats] = []
        self._rows = 0

    @property
    def is_informative(self) -> bool:
        return not self._same and not self._candidate

    def add(self, values: Floats) -> None:
        for some in (values[:SOME], values[SOME:]):
            if some.size and not self.is_informative:
                self._add(some)

    def _add(self, values: Floats) -> None:
        known = values[~np.isnan(values)]
        if self._same and known.size:
            self._value = known[0] if np.isnan(self._value) else self._value
            self._same = bool((known == self._value).all())
        if not self._candidate:
            return
        whole = np.isfinite(values).all() and np.array_equal(values, np.floor(values))
        self._rows += len(values)
        self._candidate = bool(whole) and self._may_identify(values)
        if not self._candidate:
            self._kept = []

    def _may_identify(self, values: Floats) -> bool:
        self._kept.append(np.array(values))
        if self._rows > MOST:
            return False
        if self._rows - len(values) < SOME <= self._rows:
            self._kept = [np.concatenate(self._kept)]
            return _look_different(self._kept[0][:SOME])
        return True

    def reason(self, form: str) -> str:
        """Why a column of numbers should not be used; empty if it may be."""
        if self._same:
            return EMPTY if np.isnan(self._value) else SAME
        if not self._candidate:
            return ""
        values = np.concatenate(self._kept)
        if not _look_different(values[:SOME]):
            return ""
        distinct = len(np.unique(values))
        if not is_identifier(values, distinct, form):
            return ""
        return DIFFERENT.format(kind="whole values", distinct=distinct, rows=len(values))


def _look_different(some: Floats) -> bool:
    """Whether the first rows leave open that the column is an identifier."""
    return len(np.unique(some)) >= 0.9 * len(some)


def _nominal_reason(counts: npt.NDArray[np.int64]) -> str:
    known, distinct = int(counts.sum()), int(np.count_nonzero(counts))
    if not known:
        return EMPTY
    if distinct == 1:
        return SAME
    return DIFFERENT.format(kind="values", distinct=distinct, rows=known) if id_like(known, distinct) else ""
