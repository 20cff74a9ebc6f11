"""What the models and learners of this family let one read.

    TreeModel   what is asked of a model here
    TreeFace    methods of learners: the tree's size, text, drawing, the way of a row

SQL and Python are the models' own answers (`base.export`), and methods of every learner whose model has them.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Protocol, cast

import numpy as np

from acumen.codegen import export
from acumen.data.align import align
from acumen.data.out.atomic import replace_text
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, article
from acumen.models.predictor import Predictor
from acumen.render.tree import TreeFigure, tree_svg
from acumen.rows.intake import one_row, training_table
from acumen.trees.measures import MEASURES
from acumen.trees.reading.figure import one_row_table
from acumen.trees.reading.path import Path, path_of, rows_at
from acumen.trees.reading.text import tree_text
from acumen.trees.tree import Tree
from acumen.types import Floats, Indices


class TreeModel(Protocol):
    """A model that is one tree, with class probabilities for each of its nodes."""

    tree: Tree
    shares: Floats


def to_path(predictor: Predictor, row: Table) -> Path:
    """The way of one row."""
    model = _tree_of(predictor, "path")
    row = one_row_table(align(row, predictor.schema), "path")
    return path_of(model.tree, model.shares, model.tree.inputs.of_table(row), predictor.schema)


def _tree_of(predictor: Predictor, who: str) -> TreeModel:
    model = predictor.model
    if not isinstance(getattr(model, "tree", None), Tree) or not hasattr(model, "shares"):
        raise DataError(f"{who}: {article(model.kind)} model is not a single tree.")
    return cast("TreeModel", model)


def _way_to(tree: Tree, node: int) -> set[int]:
    """The node and all above it, without which rows are not followed to it."""
    way = {node}
    for above in range(node - 1, -1, -1):  # parents come before their children
        if not tree.leaves[above] and way & set(tree.children(above)):
            way.add(above)
    return way


# -- learners -------------------------------------------------------------------------------------


class TreeFace:
    """The reading methods of a learner whose model is one tree."""

    @property
    def tree_(self) -> Tree:
        """The grown and pruned tree, as flat arrays."""
        return self._read().tree

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        return int(np.count_nonzero(self.tree_.leaves))

    @property
    def n_nodes_(self) -> int:
        """The number of nodes, including leaves."""
        return len(self.tree_)

    @property
    def depth_(self) -> int:
        """The depth: the number of tests on the longest path."""
        return int(self.tree_.depth.max())

    @property
    def feature_importances_(self) -> Floats:
        """The fraction of the total impurity decrease due to each attribute.

        Each split counts by the weight of its training rows; a constructed pair shares its part between its two
        attributes. For `measure="gini"` these are scikit-learn's figures.
        """
        tree, schema = self.tree_, self._predictor().schema
        return importances(tree, schema, MEASURES[getattr(self, "measure", "gini")].gain)

    def to_text(self, max_depth: int | None = None) -> str:
        """The tree in indented lines, each leaf with its class and, in brackets, the weight of its training rows and
        after a slash that of the rows of other classes; nodes at `max_depth` are shown as leaves.
        """
        model = self._read()
        return tree_text(model.tree, model.shares, self._predictor().schema, max_depth=max_depth)

    def path(self, row: Any) -> Path:
        """Describe the path of one row (a mapping, a sequence, or a table of one row) through the tree."""
        return to_path(self._predictor(), self._one(row))

    def rows_at(self, node: int, X: Any) -> Indices:
        """The positions of the rows that reach a node; nodes are numbered as in `tree_`, the root is 0.

        A row whose value fits no branch may be shared out over all of them; such a row is at the node that shares it
        out and at none below.

        Parameters
        ----------
        node : int
        X : Table, data frame or array
            The target is not needed.
        """
        model, who = self._read(), type(self).__name__
        if (
            not isinstance(node, int | np.integer)
            or isinstance(node, bool)
            or not 0 <= node < len(model.tree)
        ):
            raise ParameterError(
                f"{who}: node must be a whole number from 0 to {len(model.tree) - 1}; got {node!r}."
            )
        nothing: Indices = np.empty(0, dtype=np.intp)
        return self._rows_at(X, _way_to(model.tree, int(node))).get(int(node), nothing)

    def counts_at(self, X: Any) -> Indices:
        """The number of rows that reach each node, in the order of `tree_`.

        Parameters
        ----------
        X : Table, data frame or array
            The target is not needed.

        Examples
        --------
        >>> import acumen
        >>> loan = acumen.datasets.load("loan")
        >>> acumen.DecisionTree().fit(loan).counts_at(loan)
        array([15,  9,  6,  6,  3])
        """
        counts: Indices = np.zeros(len(self._read().tree), dtype=np.intp)
        for node, rows in self._rows_at(X, set(range(len(counts)))).items():
            counts[node] = len(rows)
        return counts

    def _rows_at(self, X: Any, wanted: set[int]) -> dict[int, Indices]:
        model, predictor = self._read(), self._predictor()
        rows: Table = self._query(X)  # type: ignore[attr-defined]  # of Classifier
        columns = model.tree.inputs.of_table(align(rows, predictor.schema))
        return rows_at(model.tree, columns, len(rows), wanted)

    def figure(
        self, *, row: Any = None, data: Any = None, max_depth: int | None = None, title: str | None = None
    ) -> TreeFigure:
        """The tree as a figure; notebooks show it.

        Parameters
        ----------
        row : mapping, sequence or table of one row, optional
            The path of this row is highlighted, down to its leaf.
        data : Table with its target, or pair (X, y), optional
            Rows, usually the training rows, whose values are drawn around the cuts.
        max_depth : int, optional
            How deep to draw; deeper nodes are counted. [default: as deep as stays readable]
        title : str, optional
        """
        predictor, who = self._predictor(), type(self).__name__
        table: Table | None = None
        if data is not None:
            X, y = data if isinstance(data, tuple) else (data, None)
            table = training_table(X, y, None, who, None if isinstance(X, Table) else predictor.classes)
        one = None if row is None else self._one(row)
        tree_figure = export.figure_of(predictor, row=one, data=table, max_depth=max_depth, title=title)
        return cast("TreeFigure", tree_figure)

    def to_svg(
        self,
        path: str | PathLike[str] | None = None,
        *,
        row: Any = None,
        data: Any = None,
        max_depth: int | None = None,
        title: str | None = None,
    ) -> str:
        """Draw the tree as SVG; also writes it to `path` if given."""
        svg = tree_svg(self.figure(row=row, data=data, max_depth=max_depth, title=title))
        if path is not None:
            replace_text(path, svg, "to_svg")
        return svg

    def _predictor(self) -> Predictor:
        fitted: Predictor = self._require_fitted()  # type: ignore[attr-defined]  # of Classifier
        return fitted

    def _read(self) -> TreeModel:
        return _tree_of(self._predictor(), type(self).__name__)

    def _one(self, row: Any) -> Table:
        who, named = type(self).__name__, bool(self._has_column_names)  # type: ignore[attr-defined]  # of Classifier
        return one_row(row, self._predictor().schema, named, who)


def importances(tree: Tree, schema: Schema, decrease: Callable[[Floats], float]) -> Floats:
    """One share for each attribute of the schema; they sum to 1, or are all 0 where nothing was gained.

    `decrease` gives the impurity decrease of a split from its class counts (branches x classes). Each split counts
    by the weight of its rows; what a pair of attributes gained is halved between the two.
    """
    decreases = np.zeros(len(schema))
    for node in np.flatnonzero(~tree.leaves):
        counts = tree.counts[tree.first[node] : tree.first[node] + tree.branches[node]]
        gained = float(counts.sum()) * max(float(decrease(counts)), 0.0)
        column = tree.inputs[int(tree.tests.input[node])]
        if column.second < 0:
            decreases[column.first] += gained
        else:
            decreases[column.first] += gained / 2
            decreases[column.second] += gained / 2
    total = float(decreases.sum())
    return decreases / total if total > 0 else decreases
