"""Rows as a tree sees them: its inputs' columns, labels and weights; and how they fall on its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen import _native
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.rows.weights import class_weights
from acumen.trees.cut import gathered
from acumen.trees.inputs import Inputs
from acumen.trees.presorted import Drawn
from acumen.trees.tree import Tree
from acumen.types import Array, Codes, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Labelled rows; empty weights mean that each row weighs one."""

    columns: Sequence[Array]
    labels: Codes
    weights: Floats
    drawn: Drawn | None = None  # where they lie in an order that is there already

    @classmethod
    def of(cls, rows: Table, inputs: Inputs, drawn: Drawn | None = None) -> Self:
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
    return gathered(tree, counts)
