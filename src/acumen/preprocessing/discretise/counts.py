"""What discretisers need to know of a column; each of these summaries adds over parts of the rows.

    ValueCounts    for each distinct value the weight of each class: enough for any discretiser
    Extent         the smallest and the largest value
    Unread         nothing: the edges are given

Only finite values count, of rows of positive weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np

from acumen.errors import SchemaMismatch
from acumen.types import Codes, Floats, Label

Classes = tuple[Label, ...]


class ColumnSummary(Protocol):
    """A column's summary: it knows its attribute and adds."""

    @property
    def attribute(self) -> str: ...

    def __add__(self, other: Self) -> Self: ...

    def scale_weights(self, factor: float) -> Self: ...


def require_same_attribute(mine: str, theirs: str) -> None:
    """Summaries of different attributes do not add."""
    if mine != theirs:
        raise SchemaMismatch(f"the summary of {mine!r} does not add to one of {theirs!r}.")


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """The weight of each class at each distinct value.

    `values` ascend; `weights` is (values, classes + 1), the last column for rows whose label is missing
    (all rows, in a table without classes).
    """

    #: As many lines as there are distinct values: these arrays have no length of their own in a model file.
    grows: ClassVar[tuple[str, ...]] = ("values", "weights")

    attribute: str
    classes: Classes
    values: Floats
    weights: Floats

    @classmethod
    def of(
        cls, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes = ()
    ) -> ValueCounts:
        """Summarise a column; empty `weights` mean ones, no `labels` that all are missing."""
        keep = np.isfinite(values)
        if weights.size:
            keep &= weights > 0
        k = len(classes)
        distinct, inverse = np.unique(values[keep], return_inverse=True)
        slots = np.full(len(inverse), k, dtype=np.int64) if labels is None else labels[keep].astype(np.int64)
        slots[slots < 0] = k
        slots += inverse.ravel() * (k + 1)
        summed = np.bincount(slots, weights[keep] if weights.size else None, len(distinct) * (k + 1))
        return cls(attribute, classes, distinct, summed.reshape(-1, k + 1).astype(np.float64))

    def __add__(self, other: ValueCounts) -> ValueCounts:
        require_same_attribute(self.attribute, other.attribute)
        if self.classes != other.classes:
            raise SchemaMismatch(f"the summaries of {self.attribute!r} were made under different classes.")
        both = np.concatenate([self.values, other.values])
        lines = np.concatenate([self.weights, other.weights])
        order = np.argsort(both, kind="stable")  # two ascending runs, which a stable sort merges
        both, lines = both[order], lines[order]
        first = np.ones(len(both), dtype=np.bool_)
        np.not_equal(both[1:], both[:-1], out=first[1:])
        if not first.all():
            at = np.flatnonzero(first)
            both, lines = both[at], np.add.reduceat(lines, at, axis=0)
        return ValueCounts(self.attribute, self.classes, both, lines)

    def scale_weights(self, factor: float) -> ValueCounts:
        """The same of rows so many times as heavy."""
        return ValueCounts(self.attribute, self.classes, self.values, self.weights * factor)


@dataclass(frozen=True, slots=True)
class Extent:
    """The smallest and the largest value; the wrong way round when there is none."""

    attribute: str
    low: float = math.inf
    high: float = -math.inf

    @classmethod
    def of(cls, attribute: str, values: Floats, weights: Floats) -> Extent:
        """Summarise a column; empty `weights` mean ones."""
        keep = np.isfinite(values)
        if weights.size:
            keep &= weights > 0
        if not keep.any():
            return cls(attribute)
        known = values if keep.all() else values[keep]
        return cls(attribute, float(known.min()), float(known.max()))

    def __add__(self, other: Extent) -> Extent:
        require_same_attribute(self.attribute, other.attribute)
        return Extent(self.attribute, min(self.low, other.low), max(self.high, other.high))

    def scale_weights(self, factor: float) -> Extent:
        """The same: weights have no effect."""
        return self


@dataclass(frozen=True, slots=True)
class Unread:
    """Nothing about a column but its name."""

    attribute: str

    def __add__(self, other: Unread) -> Unread:
        require_same_attribute(self.attribute, other.attribute)
        return self

    def scale_weights(self, factor: float) -> Unread:
        """The same: there are no weights."""
        return self
