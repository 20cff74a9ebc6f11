"""Rows as a tree sees them: its inputs' columns, labels and weights; and how they fall on its nodes.

The order of a table's numbers, sorted once for all trees that are grown from draws of its rows.

Presorted       every numeric input's known values in ascending order
PresortedDraw   some of the rows in that order: a tree can be grown from them without sorting, with the same result
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.rows.weights import class_weights
from acumen.trees.inputs import Inputs
from acumen.trees.subtree import sum_upwards
from acumen.trees.tree import Tree
from acumen.types import Array, Codes, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Presorted:
    """Of the rows of a table: for each numeric input a rank and a row for every known value."""

    inputs: Inputs
    rows: int
    entries: Array  # numeric inputs x rows x 2
    known: Codes  # how many of each input's entries count

    @classmethod
    def of(cls, rows: Table, inputs: Inputs) -> Self | None:
        """None where there is no number to sort."""
        numeric = [column for column in inputs.columns if column.is_numeric(rows.schema)]
        if not numeric or not len(rows):
            return None
        columns: Any = Inputs(tuple(numeric)).of_table(rows)
        entries, known = _native.presort(columns, cores())
        return cls(inputs, len(rows), entries.reshape(len(numeric), len(rows), 2), known)

    def draw(self, places: Indices | Codes, inputs: Inputs) -> PresortedDraw | None:
        """The rows at these places, which ascend; None where a tree of them would have other inputs."""
        return (
            PresortedDraw(self, np.ascontiguousarray(places, dtype=np.int32))
            if inputs == self.inputs
            else None
        )


@dataclass(frozen=True, slots=True, eq=False)
class PresortedDraw:
    """Rows at some places of the table whose numbers were sorted."""

    order: Presorted
    places: Codes

    @property
    def entries(self) -> Array:
        return self.order.entries

    @property
    def known(self) -> Codes:
        return self.order.known

    def take(self, rows: Indices) -> PresortedDraw | None:
        """Some of them; None unless in the same order."""
        return PresortedDraw(self.order, self.places[rows]) if np.all(np.diff(rows) > 0) else None


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Labelled rows; empty weights mean that each row weighs one."""

    columns: Sequence[Array]
    labels: Codes
    weights: Floats
    drawn: PresortedDraw | None = None  # where they lie in an order that is there already

    @classmethod
    def of(cls, rows: Table, inputs: Inputs, drawn: PresortedDraw | None = None) -> Self:
        """The rows of a table; every one has a label."""
        return cls(inputs.of_table(rows), rows.class_codes, np.ascontiguousarray(rows.weights), drawn)

    @classmethod
    def empty(cls, columns: int) -> Self:
        """No rows."""
        return cls([np.empty(0)] * columns, np.empty(0, dtype=np.int32), np.empty(0))

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Indices) -> Self:
        """Some of the rows."""
        weights = self.weights[rows] if len(self.weights) else self.weights
        drawn = None if self.drawn is None else self.drawn.take(rows)
        return type(self)([column[rows] for column in self.columns], self.labels[rows], weights, drawn)

    def totals(self, classes: int) -> Floats:
        """The weight of each class."""
        return class_weights(self.labels, self.weights, classes)

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.weights.sum()) if len(self.weights) else float(len(self.labels))


def counts_of(tree: Tree, rows: Sample) -> Floats:
    """The weight of each class at every node when these rows go through the tree."""
    counts = np.zeros((len(tree), tree.counts.shape[1]))
    weight = np.ascontiguousarray(tree.weight)
    _native.tree_leaf_counts(tree, list(rows.columns), rows.labels, rows.weights, weight, counts, cores())
    return sum_upwards(tree, counts)
