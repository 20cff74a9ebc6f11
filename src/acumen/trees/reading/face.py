"""What the models and learners of this family let one read.

TreeModel   for models: what they say of themselves under a schema
written       a predictor around such a model as SQL, as Python, as a figure, or as the way of a row
TreeFace      the same as methods of learners
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Protocol, cast

import numpy as np

from acumen.base.intake import one_row, training_table
from acumen.base.model import Model
from acumen.base.predictor import Predictor
from acumen.data.align import align
from acumen.data.atomic import replace_text
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.show.tree import TreeFigure, tree_svg
from acumen.trees.measures import MEASURES
from acumen.trees.reading.decide import decisions
from acumen.trees.reading.figure import tree_figure
from acumen.trees.reading.importances import importances
from acumen.trees.reading.path import Path, path_of
from acumen.trees.reading.source import python_source
from acumen.trees.reading.sql import select_statement
from acumen.trees.reading.text import tree_text
from acumen.trees.tree import Tree
from acumen.types import Floats


class TreeModel(Protocol):
    """A model that is one tree, with class probabilities for each of its nodes."""

    tree: Tree
    shares: Floats


# -- a predictor, read ----------------------------------------------------------------------------


def is_tree(model: Model) -> bool:
    """Whether a model is a single tree, so that what is below can be asked of it."""
    return isinstance(getattr(model, "tree", None), Tree) and hasattr(model, "shares")


def to_sql(predictor: Predictor, table: str | Sequence[str], column: str | None = None) -> str:
    """A SELECT of all columns of a table and the class of each row; see `TreeFace.to_sql`."""
    model = _tree_of(predictor, "to_sql")
    return select_statement(predictor, model.tree, model.shares, table, column)


def to_python(predictor: Predictor) -> str:
    """Python source of `predict` and `predict_proba`; see `TreeFace.to_python`."""
    model = _tree_of(predictor, "to_python")
    return python_source(predictor, model.tree, model.shares)


def to_path(predictor: Predictor, row: Table) -> Path:
    """The way of one row."""
    model = _tree_of(predictor, "path")
    row = _single(align(row, predictor.schema), "path")
    return path_of(model.tree, model.shares, model.tree.inputs.of_table(row), predictor.schema)


def to_figure(
    predictor: Predictor,
    *,
    row: Table | None = None,
    data: Table | None = None,
    max_depth: int | None = None,
    title: str | None = None,
) -> TreeFigure:
    """The tree as a figure value; see `TreeFace.figure`."""
    model = _tree_of(predictor, "figure")
    if max_depth is not None and (not isinstance(max_depth, int | np.integer) or max_depth < 0):
        raise ParameterError(
            f"figure: max_depth must be a whole number of at least 0, or None; got {max_depth!r}."
        )
    return tree_figure(
        model.tree,
        model.shares,
        predictor.schema,
        decision=decisions(predictor, model.shares),
        row=None if row is None else _single(align(row, predictor.schema), "figure"),
        data=None if data is None else align(data, predictor.schema),
        max_depth=None if max_depth is None else int(max_depth),
        title=title,
    )


def _tree_of(predictor: Predictor, who: str) -> TreeModel:
    model = predictor.model
    if not is_tree(model):
        raise DataError(f"{who}: a {model.kind} model is no single tree.")
    return cast("TreeModel", model)


def _single(row: Table, who: str) -> Table:
    if len(row) != 1:
        raise ParameterError(f"{who}: give one row at a time; got {len(row)}.")
    return row


# -- learners -------------------------------------------------------------------------------------


class TreeFace:
    """The reading methods of a learner whose model is one tree."""

    @property
    def tree_(self) -> Tree:
        """The grown and pruned tree, as flat arrays."""
        return self._read().tree

    @property
    def n_leaves_(self) -> int:
        """How many leaves the tree has."""
        return int(np.count_nonzero(self.tree_.leaves))

    @property
    def n_nodes_(self) -> int:
        """How many nodes the tree has, leaves included."""
        return len(self.tree_)

    @property
    def depth_(self) -> int:
        """How many tests the longest way has."""
        return int(self.tree_.depth.max())

    @property
    def feature_importances_(self) -> Floats:
        """How much each attribute lessened the impurity by the learner's measure, as shares that sum to 1.

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
        """The way of one row (a mapping, a sequence, or a table of one row) through the tree, in words."""
        return to_path(self._predictor(), self._one(row))

    def to_sql(self, table: str | Sequence[str], column: str | None = None) -> str:
        """A SELECT that gives every row of a table all its columns and, in a last one, its class.

        It decides as `predict` does, costs, priors, missing values (NULL) and unknown levels included. Names and
        constants are quoted by the SQL standard; words of texts cannot be asked for.

        Parameters
        ----------
        table : str or sequence of str
            The table's name, or its parts: `("main", "loans")`. Its columns are called as the attributes are; others
            may be there.
        column : str, optional
            What the last column is called: `prediction`, unless the schema has such a column; then with an underscore.
        """
        return to_sql(self._predictor(), table, column)

    def to_python(self) -> str:
        """The source of a Python module that needs nothing: `predict(row)` and `predict_proba(row)`.

        A row is a mapping from attributes to values; None, NaN and what is not there are missing. Levels are to be
        given as they are in `schema_`.
        """
        return to_python(self._predictor())

    def figure(
        self, *, row: Any = None, data: Any = None, max_depth: int | None = None, title: str | None = None
    ) -> TreeFigure:
        """The tree as a figure value, which shows itself in a notebook.

        Parameters
        ----------
        row : mapping, sequence or table of one row, optional
            The way of this row is drawn heavily, to its leaf however deep.
        data : Table with its target, or pair (X, y), optional
            Rows, as a rule those learned from, whose values are drawn around the cuts.
        max_depth : int, optional
            How deep to draw; what lies below is counted. Unless given, as deep as stays readable.
        title : str, optional
        """
        predictor, who = self._predictor(), type(self).__name__
        table: Table | None = None
        if data is not None:
            X, y = data if isinstance(data, tuple) else (data, None)
            table = training_table(X, y, None, who, None if isinstance(X, Table) else predictor.classes)
        one = None if row is None else self._one(row)
        return to_figure(predictor, row=one, data=table, max_depth=max_depth, title=title)

    def to_svg(
        self,
        path: str | PathLike[str] | None = None,
        *,
        row: Any = None,
        data: Any = None,
        max_depth: int | None = None,
        title: str | None = None,
    ) -> str:
        """The drawing of `figure` as SVG text; also written to `path` where that is given."""
        made = tree_svg(self.figure(row=row, data=data, max_depth=max_depth, title=title))
        if path is not None:
            replace_text(path, made, "to_svg")
        return made

    def _predictor(self) -> Predictor:
        made: Predictor = self._fitted()  # type: ignore[attr-defined]  # of Classifier
        return made

    def _read(self) -> TreeModel:
        return _tree_of(self._predictor(), type(self).__name__)

    def _one(self, row: Any) -> Table:
        who, named = type(self).__name__, bool(self._named)  # type: ignore[attr-defined]  # of Classifier
        return one_row(row, self._predictor().schema, named, who)
