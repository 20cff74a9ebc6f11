"""Row weight per class and level of one nominal attribute and, below, per class and combination of several."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from acumen import _native
from acumen.errors import DataError, ParameterError
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.borrow import CodeColumns, Membership, borrowable, codes_of, rows_in, shares_of
from acumen.types import Codes, Floats, Indices


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
        """Count the levels of one column; without `weights` every row weighs one."""
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
    def known_counts(self) -> Floats:
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
        table[: self.classes, : self.levels] = self.known_counts
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


# -- joint counts ---------------------------------------------------------------------------------
#
# Joint counts of several nominal attributes: the combinations that occur, and how often in each class.
#
# Nothing of the size of the product of the domains is ever built; what is kept grows with the number of
# distinct combinations, at most one for each row.


@dataclass(frozen=True, slots=True, eq=False)
class JointCounts(Summary):
    """Weight per class of each combination of codes that occurs.

    Attributes
    ----------
    keys : int32 array of (combinations, attributes)
        Distinct, in lexicographic order; a missing or unknown code stands as -1.
    weights : array of (combinations, classes)
        Rows without a label, and rows of weight zero, are left out.
    """

    #: As many lines as there are combinations: these arrays have no length of their own in a model file.
    grows: ClassVar[tuple[str, ...]] = ("keys", "weights")

    keys: Codes
    weights: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", frozen(self.keys, np.int32))
        object.__setattr__(self, "weights", frozen(self.weights))

    @classmethod
    def of(cls, code_columns: CodeColumns, labels: Codes, weights: Floats | None, classes: int) -> Self:
        """Count the combinations of the columns: an int32 matrix, a Block or a sequence of columns."""
        rows = Membership.of(labels, weights, classes, cls.__name__)
        keys, weight = _count(code_columns, rows, cls.__name__)
        return cls(keys, weight)

    @classmethod
    def of_parts(
        cls,
        code_columns: CodeColumns,
        labels: Codes,
        weights: Floats | None,
        classes: int,
        parts: Codes,
        n_parts: int,
    ) -> list[Self]:
        """The counts of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        rows = Membership.of(labels, weights, classes, cls.__name__, parts, n_parts)
        keys, weight = _count(code_columns, rows, cls.__name__)
        if not rows.parts.size:  # no rows at all: then the part does not lead the keys
            return [cls(keys, weight) for _ in range(n_parts)]
        cuts = np.searchsorted(keys[:, 0], np.arange(n_parts + 1))
        return [cls(keys[a:b, 1:], weight[a:b]) for a, b in pairwise(cuts)]

    @classmethod
    def of_soft(cls, code_columns: CodeColumns, responsibilities: Floats) -> Self:
        """Counts in which each row belongs to every class by its share, an array of (rows, classes)."""
        shares = shares_of(responsibilities, cls.__name__)
        columns, d = codes_of(code_columns, cls.__name__)
        if rows_in(columns, d, len(shares)) != len(shares):
            raise DataError(f"{cls.__name__}: each row of codes needs a line of responsibilities.")
        keys, weight = _native.count_joint_soft(columns, shares)
        return cls(*_to_matrices(keys, weight, d, shares.shape[1]))

    @property
    def classes(self) -> int:
        return int(self.weights.shape[1])

    @property
    def attributes(self) -> int:
        return int(self.keys.shape[1])

    def __len__(self) -> int:
        """How many combinations occur."""
        return len(self.keys)

    def find(self, code_columns: CodeColumns, n_rows: int | None = None) -> Indices:
        """For each row the place of its combination in `keys`, -1 if it does not occur.

        `n_rows` is needed only when there are no columns.
        """
        columns, d = codes_of(code_columns, type(self).__name__)
        if d != self.attributes:
            raise DataError(f"{type(self).__name__}: there must be {self.attributes} columns; got {d}.")
        n = rows_in(columns, d, n_rows or 0)
        if not d:
            return np.full(n, 0 if len(self) else -1, dtype=np.intp)
        place = np.empty(n, dtype=np.int64)
        _native.find_joint(self.keys, columns, place)
        return place.astype(np.intp, copy=False)

    def scale_weights(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        return type(self)(self.keys, self.weights * factor)

    def _difference(self, other: Self) -> str | None:
        if self.attributes != other.attributes:
            return f"one has {self.attributes} attributes, the other {other.attributes}"
        if self.classes != other.classes:
            return f"one has {self.classes} classes, the other {other.classes}"
        return None

    def _merge(self, other: Self) -> Self:
        keys, weights = _native.merge_joint(self.keys, self.weights, other.keys, other.weights)
        return type(self)(*_to_matrices(keys, weights, self.attributes, self.classes))


def _count(code_columns: Any, rows: Membership, who: str) -> tuple[Codes, Floats]:
    columns, d = codes_of(code_columns, who)
    rows.require_rows(rows_in(columns, d, rows.n_rows), who)
    keys, weights = _native.count_joint(columns, *rows.kernel_arguments())
    return _to_matrices(keys, weights, d + (1 if rows.parts.size else 0), rows.classes)


def _to_matrices(keys: Any, weights: Any, d: int, classes: int) -> tuple[Codes, Floats]:
    """Flat arrays from the kernels as matrices."""
    n = len(weights) // classes if classes else 0
    return keys.reshape(n, d), weights.reshape(n, classes)
