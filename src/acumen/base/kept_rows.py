"""Rows a learner remembers, so that it can show afterwards, step by step, how it learned from them.

    KeepsRows   of few rows the table itself is kept, in memory alone; of many, or after loading, it must be given again

They are not pickled, copied or saved: a model file holds what was learned, not whom it was learned from.
"""

from __future__ import annotations

from typing import Any

from acumen.base.classifier import Classifier
from acumen.data.table import Table
from acumen.errors import DataError

#: Of more cells nobody follows the arithmetic, and they would be memory that nobody asked for.
MOST_CELLS = 20_000
_KEPT = "_kept_rows"


class KeepsRows(Classifier):
    """A learner that can look at the rows it learned from once more."""

    def keep_rows(self, table: Table, *others: Any) -> None:
        """Store the training rows if they are few, so that the steps can be shown again."""
        few = table.sparse is None and len(table) * max(len(table.schema), 1) <= MOST_CELLS
        if few:
            setattr(self, _KEPT, (table, *others))
        else:
            self.__dict__.pop(_KEPT, None)

    def kept_rows(self, asked: str, remedy: str) -> tuple[Any, ...]:
        """The stored rows; raises DataError with advice if there are none."""
        entry: tuple[Any, ...] | None = self.__dict__.get(_KEPT)
        if entry is None:
            raise DataError(
                f"{self._name}: {asked} needs the rows it learned from, and these are kept only after fit, of "
                f"tables of at most {MOST_CELLS:,} cells, and in no file. {remedy}"
            )
        return entry

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop(_KEPT, None)
        return state
