"""A pool of rows, some of them labelled, and the labels added since.

LabelPool   a table that gets its labels one by one; they can be taken back, and new classes can appear
row_of      one row as a mapping of attributes to values, as oracles and people see it
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.rows.intake import replace_target
from acumen.types import MISSING, Codes, Indices, Label


class LabelPool:
    """A table, and the label of each row as far as it is known."""

    def __init__(self, table: Table, target: Attribute, labels: Codes) -> None:
        self.table, self.target, self.labels = table, target, labels

    @classmethod
    def of(cls, table: Table, name: str = "class", classes: tuple[Label, ...] = ()) -> Self:
        """The pool of a table with its known labels; if it has no target, it gets one of this name and these classes.

        The classes are those of the table followed by those given.
        """
        own_target = table.schema.target
        if own_target is not None and not own_target.is_nominal:
            raise DataError(
                f"the target {own_target.name!r} is {own_target.kind}; questions are about classes."
            )
        target = Attribute(name, "nominal") if own_target is None else own_target
        more = tuple(label for label in classes if label not in target.levels)
        known = table.labels
        labels = np.full(len(table), MISSING, dtype=np.int32) if known is None else known.copy()
        labels[labels < 0] = MISSING
        return cls(table, target.with_levels((*target.levels, *more)), labels)

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.target.levels

    @property
    def known_rows(self) -> Indices:
        """The rows that have a label."""
        return np.flatnonzero(self.labels >= 0)

    @property
    def open(self) -> Indices:
        """The rows that have no label."""
        return np.flatnonzero(self.labels < 0)

    @property
    def n_known_classes(self) -> int:
        """The number of classes that have a row."""
        return len(np.unique(self.labels[self.labels >= 0]))

    def tell(self, row: int, label: Label) -> None:
        """Set the label of a row, which may be a new class."""
        if label not in self.classes:
            self.target = self.target.with_levels((*self.classes, label))
        self.labels[row] = self.classes.index(label)

    def whole(self) -> Table:
        """All rows under the classes known so far."""
        return replace_target(
            self.table,
            Schema(self.table.schema.attributes, self.target),
            self.labels.copy(),
            self.table.weights,
        )

    def labelled_rows(self) -> Table:
        """The rows that have a label."""
        return self.whole().take(self.known_rows)


def row_of(table: Table, row: int) -> dict[str, Any]:
    """One row as a mapping of attributes to values; None for missing values."""
    values: dict[str, Any] = {}
    one = table.take(np.array([row]))
    for name in table.schema.names:
        value = one.column(name)[0]
        value = value.item() if isinstance(value, np.generic) else value
        values[name] = None if isinstance(value, float) and np.isnan(value) else value
    return values


def plain_label(answer: Any, who: str) -> Label | None:
    """Check an oracle's answer as a label; None if it gave none."""
    value = answer.item() if isinstance(answer, np.generic) else answer
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if not isinstance(value, str | int | float | bool):
        raise DataError(
            f"{who}: the oracle must give a label (text, a number or a boolean), or None if it does not know; "
            f"got {answer!r}."
        )
    return value
