"""A tree that predicts: its nodes and the class probabilities of each.

node_shares        counts -> class probabilities, as `leaf_estimate` asks
DecisionTreeModel  tree and probabilities; RandomTreeModel is the same under another kind
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self

import numpy as np

from acumen import _native
from acumen.codegen.export import Select, Selects
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.explain.explanation import Evidence
from acumen.models.model import Model
from acumen.models.nested import Packed
from acumen.models.predictor import Predictor
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.tree import TreeFigure
from acumen.rulelist.rule_list import RuleList
from acumen.trees.forest_file import forest_from
from acumen.trees.reading.branches import tree_rules
from acumen.trees.reading.figure import draw_tree
from acumen.trees.reading.path import evidence
from acumen.trees.reading.source import python_source
from acumen.trees.reading.sql import select_statement, shares_statement
from acumen.trees.reading.text import tree_description
from acumen.trees.tree import Tree
from acumen.types import Array, Floats

LeafEstimate = Literal["frequency", "laplace", "m"]


def node_shares(tree: Tree, estimate: LeafEstimate, m: float) -> Floats:
    """The class probabilities of every node.

    "frequency" has n_c / n, "laplace" (n_c + 1) / (n + classes), "m" (n_c + m p_c) / (n + m) with p the frequencies
    at the root (Cestnik 1990). A class without rows has probability 0; a node without weight has its parent's.
    """
    counts = tree.counts
    weight = tree.weight[:, None]
    if estimate == "laplace":
        met = (counts[0] > 0).astype(np.float64)
        return np.asarray((counts + met) / (weight + met.sum()))
    if estimate == "m":
        return np.asarray((counts + m * counts[0] / weight[0]) / (weight + m))
    shares = counts / np.where(weight > 0, weight, 1.0)
    parent = tree.parent
    for node in np.flatnonzero(weight[:, 0] <= 0):  # parents come before their children
        shares[node] = shares[parent[node]]
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class DecisionTreeModel(Selects, Model):
    """A grown and pruned tree with the class probabilities of each node."""

    kind: ClassVar[str] = "decision-tree"
    #: A row with a missing value may go down several branches, and is then of no rule alone.
    rules_for_some: ClassVar[bool] = True

    tree: Tree
    shares: Floats  # (nodes, classes)
    # what every prediction needs, however few rows it is of
    _logs: Floats = field(init=False, repr=False)
    _weight: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        with np.errstate(divide="ignore"):
            object.__setattr__(self, "_logs", np.log(self.shares))
        object.__setattr__(self, "_weight", np.ascontiguousarray(self.tree.weight))

    # -- predicting -------------------------------------------------------------------------------

    def scores(self, rows: Table) -> Floats:
        """log P(class | row), one line per row."""
        scores = np.empty((len(rows), self.shares.shape[1]))
        columns = self.tree.inputs.of_table(rows)
        _native.tree_scores(self.tree, columns, self._weight, self.shares, self._logs, scores, cores())
        return scores

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """A test each inner node, and the probabilities of each leaf but one, which the others settle."""
        leaves = int(np.count_nonzero(self.tree.leaves))
        return len(self.tree) - leaves + leaves * (self.shares.shape[1] - 1)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        return evidence(self.tree, self.shares, self.tree.inputs.of_table(row), schema, winner, rival)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return tree_description(self.tree, self.shares, schema, full=full)

    def to_rules(self, schema: Schema) -> RuleList:
        """Each leaf as a rule."""
        return tree_rules(self.tree, self.shares, schema)

    def statement(self, predictor: Predictor, asked: Select) -> str:
        """A SELECT in which each row walks down the tree."""
        make = shares_statement if asked.probabilities else select_statement
        return make(predictor, self.tree, self.shares, asked.table, asked.column)

    def to_python(self, predictor: Predictor) -> str:
        """Write a Python module with `predict(row)` and `predict_proba(row)`."""
        return python_source(predictor, self.tree, self.shares)

    def to_figure(
        self,
        predictor: Predictor,
        *,
        row: Table | None = None,
        data: Table | None = None,
        max_depth: int | None = None,
        title: str | None = None,
    ) -> TreeFigure:
        """The tree drawn; see `DecisionTree.figure`."""
        return draw_tree(
            predictor, self.tree, self.shares, row=row, data=data, max_depth=max_depth, title=title
        )

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {**self.tree.to_arrays(), "shares": self.shares}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        tree = Tree.from_arrays(arrays, schema)
        shares = stored_floats(arrays, "shares", tree.counts.shape, low=0.0, high=1.0)
        require(
            np.all(np.abs(shares.sum(axis=1) - 1.0) < 1e-6),
            "the class probabilities of a node do not sum to 1",
        )
        return cls(tree, np.ascontiguousarray(shares))

    @classmethod
    def many_from_arrays(
        cls, slots: Mapping[str, Packed], members: int, schema: Schema
    ) -> tuple[Self, ...] | None:
        """The trees of a forest, checked all at once; None where they must be read one by one."""
        forest = forest_from(slots, members, schema)
        return None if forest is None else tuple(map(cls, *forest))


@dataclass(frozen=True, slots=True, eq=False)
class RandomTreeModel(DecisionTreeModel):
    """The same of a tree grown on inputs drawn at random."""

    kind: ClassVar[str] = "random-tree"
