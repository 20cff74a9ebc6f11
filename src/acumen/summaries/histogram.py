"""Numbers counted in bins, under edges that are the plan.

    Histograms   each attribute by itself: class by bin
    CellCounts   all attributes together: the cells of the grid that are occupied

Bin b of an attribute holds edges[b] <= value < edges[b + 1]; what lies beyond the outer edges, infinities
too, belongs to the end bins. NaN is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.errors import DataError, ParameterError
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.borrow import Membership, Values, columns_of, shares_of
from acumen.summaries.joint import JointCounts
from acumen.types import Codes, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Histograms(Summary):
    """Row weight per class and bin of each attribute.

    Attributes
    ----------
    edges : tuple of arrays of (bins + 1,)
    tables : tuple of arrays of (classes + 1, bins + 1)
        The last row is for rows without a label, the last column for missing values.
    names : tuple of str
        The attributes' names, or nothing; used in messages only.
    """

    edges: tuple[Floats, ...]
    tables: tuple[Floats, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(frozen(e) for e in self.edges))
        object.__setattr__(self, "tables", tuple(frozen(t) for t in self.tables))

    @classmethod
    def of(
        cls,
        columns: Values,
        labels: Codes,
        weights: Floats | None,
        classes: int,
        edges: Sequence[Floats],
        names: Sequence[str] = (),
    ) -> Self:
        """Count rows in bins; parameters as for `ClassMoments.of`, with `edges` one array a column."""
        return cls._count(columns, Membership.of(labels, weights, classes, cls.__name__), edges, names)[0]

    @classmethod
    def of_parts(
        cls,
        columns: Values,
        labels: Codes,
        weights: Floats | None,
        classes: int,
        edges: Sequence[Floats],
        parts: Codes,
        n_parts: int,
        names: Sequence[str] = (),
    ) -> list[Self]:
        """The histograms of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        rows = Membership.of(labels, weights, classes, cls.__name__, parts, n_parts)
        return cls._count(columns, rows, edges, names)

    @classmethod
    def of_soft(
        cls, columns: Values, responsibilities: Floats, edges: Sequence[Floats], names: Sequence[str] = ()
    ) -> Self:
        """Counts in which each row belongs to every class by its share, an array of (rows, classes)."""
        shares = shares_of(responsibilities, cls.__name__)
        lines, plan = _planned(columns, edges, len(shares), cls.__name__)
        tables = [np.zeros((1, shares.shape[1] + 1, len(e))) for e in plan]
        _native.count_bins_soft(lines, shares, [e[1:-1] for e in plan], tables)
        return cls(plan, tuple(table[0] for table in tables), tuple(names))

    @classmethod
    def _count(
        cls, columns: Values, rows: Membership, edges: Sequence[Floats], names: Sequence[str]
    ) -> list[Self]:
        lines, plan = _planned(columns, edges, rows.n_rows, cls.__name__)
        tables = [np.zeros((rows.n_parts, rows.classes + 1, len(e))) for e in plan]
        _native.count_bins(lines, *rows.kernel_arguments(), [e[1:-1] for e in plan], tables)
        return [cls(plan, tuple(table[p] for table in tables), tuple(names)) for p in range(rows.n_parts)]

    def observed(self, attribute: int) -> Floats:
        """Counts of labelled rows with a known value of one attribute, (classes, bins)."""
        return self.tables[attribute][:-1, :-1]

    def scaled(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        return type(self)(self.edges, tuple(table * factor for table in self.tables), self.names)

    def _difference(self, other: Self) -> str | None:
        if sentence := _edges_difference(self.edges, other.edges, self.names):
            return sentence
        if self.tables and len(self.tables[0]) != len(other.tables[0]):
            return f"one has {len(self.tables[0]) - 1} classes, the other {len(other.tables[0]) - 1}"
        return None

    def _merged(self, other: Self) -> Self:
        tables = tuple(mine + theirs for mine, theirs in zip(self.tables, other.tables, strict=True))
        return type(self)(self.edges, tables, self.names)


@dataclass(frozen=True, slots=True, eq=False)
class CellCounts(Summary):
    """Row weight per class of each occupied cell of a grid over all attributes.

    `cells.keys` holds the bins of a cell (-1 where the value is missing), `cells.weights` its weight.
    """

    edges: tuple[Floats, ...]
    cells: JointCounts
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(frozen(e) for e in self.edges))

    @classmethod
    def of(
        cls,
        columns: Values,
        labels: Codes,
        weights: Floats | None,
        classes: int,
        edges: Sequence[Floats],
        names: Sequence[str] = (),
    ) -> Self:
        """Count rows in cells; parameters as for `Histograms.of`."""
        codes, plan = _bin_all(columns, edges, len(labels), cls.__name__)
        return cls(plan, JointCounts.of(codes, labels, weights, classes), tuple(names))

    @classmethod
    def of_parts(
        cls,
        columns: Values,
        labels: Codes,
        weights: Floats | None,
        classes: int,
        edges: Sequence[Floats],
        parts: Codes,
        n_parts: int,
        names: Sequence[str] = (),
    ) -> list[Self]:
        """The cells of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        codes, plan = _bin_all(columns, edges, len(labels), cls.__name__)
        counts = JointCounts.of_parts(codes, labels, weights, classes, parts, n_parts)
        return [cls(plan, part, tuple(names)) for part in counts]

    @classmethod
    def of_soft(
        cls, columns: Values, responsibilities: Floats, edges: Sequence[Floats], names: Sequence[str] = ()
    ) -> Self:
        """Counts in which each row belongs to every class by its share, an array of (rows, classes)."""
        codes, plan = _bin_all(columns, edges, len(responsibilities), cls.__name__)
        return cls(plan, JointCounts.of_soft(codes, responsibilities), tuple(names))

    def find(self, columns: Values) -> Indices:
        """For each row the place of its cell in `cells`, -1 if the cell is empty."""
        lines, _ = columns_of(columns, type(self).__name__)
        n_rows = len(lines) if isinstance(lines, np.ndarray) else len(lines[0]) if lines else 0
        codes, _ = _bin_all(columns, self.edges, n_rows, type(self).__name__)
        return self.cells.find(codes, n_rows)

    def scaled(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        return type(self)(self.edges, self.cells.scaled(factor), self.names)

    def _difference(self, other: Self) -> str | None:
        found = _edges_difference(self.edges, other.edges, self.names)
        return found or self.cells._difference(other.cells)

    def _merged(self, other: Self) -> Self:
        return type(self)(self.edges, self.cells + other.cells, self.names)


def bin_codes(column: Floats, edges: Floats) -> Codes:
    """The bin of each value under these edges, -1 where it is missing."""
    codes = np.empty(len(column), dtype=np.int32)
    _native.bin_codes(column, frozen(edges)[1:-1], codes)
    return codes


def _planned(
    columns: Any, edges: Sequence[Any], n_rows: int, who: str
) -> tuple[list[Floats], tuple[Floats, ...]]:
    """The columns one by one, and their edges checked."""
    borrowed, d = columns_of(columns, who)
    lines = [borrowed[:, j] for j in range(d)] if isinstance(borrowed, np.ndarray) else borrowed
    if len(edges) != d:
        raise ParameterError(f"{who}: there must be edges for each of the {d} columns; got {len(edges)}.")
    if any(len(line) != n_rows for line in lines):
        raise DataError(f"{who}: there are {len(lines[0])} rows but {n_rows} labels; give one a row.")
    plan = tuple(frozen(e) for e in edges)
    for j, e in enumerate(plan):
        if e.ndim != 1 or len(e) < 2 or not (np.diff(e) > 0).all():
            raise ParameterError(f"{who}: the edges of attribute {j} must be two or more increasing numbers.")
    return lines, plan


def _bin_all(
    columns: Any, edges: Sequence[Any], n_rows: int, who: str
) -> tuple[list[Codes], tuple[Floats, ...]]:
    lines, plan = _planned(columns, edges, n_rows, who)
    return [bin_codes(line, e) for line, e in zip(lines, plan, strict=True)], plan


def _edges_difference(
    mine: tuple[Floats, ...], theirs: tuple[Floats, ...], names: tuple[str, ...]
) -> str | None:
    if len(mine) != len(theirs):
        return f"one has {len(mine)} attributes, the other {len(theirs)}"
    for j, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        if not np.array_equal(a, b):
            return f"attribute {repr(names[j]) if names else j} has other edges in the other"
    return None
