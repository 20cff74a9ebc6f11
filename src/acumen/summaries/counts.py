"""Row weight per class and level of one nominal attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.errors import DataError, ParameterError
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.borrow import Membership, borrowable, shares_of
from acumen.types import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class LevelCounts(Summary):
    """Row weight per class and level; the last row and column hold the missing.

    Attributes
    ----------
    table : array of (classes + 1, levels + 1)
        A row whose label is missing counts in the last row; a value that is missing (code -1) or a level
        the schema does not know (-2) in the last column.
    """

    table: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", frozen(self.table))

    @classmethod
    def of(cls, codes: Codes, labels: Codes, weights: Floats | None, classes: int, levels: int) -> Self:
        """Count the levels of one column; empty or absent `weights` mean that every row weighs one."""
        return cls._count(codes, Membership.of(labels, weights, classes, cls.__name__), levels)[0]

    @classmethod
    def of_parts(
        cls,
        codes: Codes,
        labels: Codes,
        weights: Floats | None,
        classes: int,
        levels: int,
        parts: Codes,
        n_parts: int,
    ) -> list[Self]:
        """The counts of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        rows = Membership.of(labels, weights, classes, cls.__name__, parts, n_parts)
        return cls._count(codes, rows, levels)

    @classmethod
    def of_soft(cls, codes: Codes, responsibilities: Floats, levels: int) -> Self:
        """Counts in which each row belongs to every class by its share, an array of (rows, classes)."""
        shares = shares_of(responsibilities, cls.__name__)
        column = _column(codes, len(shares), cls.__name__)
        table = np.zeros((1, shares.shape[1] + 1, levels + 1))
        _native.count_levels_soft(column, shares, table)
        return cls(table[0])

    @classmethod
    def _count(cls, codes: Any, rows: Membership, levels: int) -> list[Self]:
        column = _column(codes, rows.n_rows, cls.__name__)
        table = np.zeros((rows.n_parts, rows.classes + 1, levels + 1))
        _native.count_levels(column, rows.labels, rows.weights, rows.parts, table)
        return [cls(part) for part in table]

    @property
    def classes(self) -> int:
        return len(self.table) - 1

    @property
    def levels(self) -> int:
        return int(self.table.shape[1]) - 1

    @property
    def observed(self) -> Floats:
        """The counts of labelled rows with a known value, (classes, levels)."""
        return self.table[:-1, :-1]

    def widen(self, levels: int, classes: int | None = None) -> Self:
        """The same counts under a schema with more levels (and classes) at the end, which count nothing."""
        classes = self.classes if classes is None else classes
        if levels < self.levels or classes < self.classes:
            raise ParameterError(
                f"{type(self).__name__}: widening cannot take away; there are {self.classes} classes and "
                f"{self.levels} levels, asked for were {classes} and {levels}."
            )
        table = np.zeros((classes + 1, levels + 1))
        table[: self.classes, : self.levels] = self.observed
        table[: self.classes, -1] = self.table[:-1, -1]
        table[-1, : self.levels] = self.table[-1, :-1]
        table[-1, -1] = self.table[-1, -1]
        return type(self)(table)

    def scale_weights(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        return type(self)(self.table * factor)

    def _difference(self, other: Self) -> str | None:
        if self.classes != other.classes:
            return f"one has {self.classes} classes, the other {other.classes}"
        if self.levels != other.levels:
            return f"one has {self.levels} levels, the other {other.levels}; widen it first"
        return None

    def _merge(self, other: Self) -> Self:
        return type(self)(self.table + other.table)


def _column(codes: Any, n_rows: int, who: str) -> Codes:
    column = borrowable(np.asarray(codes), np.int32)
    if column.ndim != 1 or len(column) != n_rows:
        raise DataError(f"{who}: codes must be one column of {n_rows} rows, got {column.shape}.")
    return column
