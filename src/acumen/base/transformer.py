"""The face of transformers: other columns in place of a table's own.

    Transformer   a learner whose model makes columns of rows
    Projection    the same beside another face, for a classifier that projects

A Table becomes a Table, its target and weights kept, so that a learner of acumen can follow; anything else an array,
or what `set_output` asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from acumen.base.learner import Learner
from acumen.base.scikit import TransformerMixin, get_config
from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.cores import limited_to
from acumen.models.model import ColumnModel
from acumen.models.predictor import ColumnPredictor
from acumen.models.task import COLUMNS, Task
from acumen.rows.intake import is_named, query_table
from acumen.rows.weights import Weighing
from acumen.types import Array, Floats


class _Transforms(TransformerMixin):
    """`transform`, for a learner that has `made_columns` and `get_feature_names_out`."""

    if TYPE_CHECKING:  # of the learner

        @property
        def jobs(self) -> int | None: ...
        @property
        def model_(self) -> Any: ...
        def _query(self, X: Any) -> Table: ...
        def made_columns(self, rows: Table) -> Floats: ...
        def get_feature_names_out(self, input_features: Any = None) -> Array: ...

    def transform(self, X: Any) -> Any:
        """Compute the new columns; a Table gives a Table with its target.

        Anything but a Table becomes an array, or what `set_output` asks for.
        """
        rows = self._query(X)
        with limited_to(self.jobs):
            columns = self.made_columns(rows)
        if isinstance(X, Table) and output_of(self) == "default":
            return self.as_table(X, columns)
        return columns

    def as_table(self, rows: Table, made: Floats) -> Table:
        """The new columns as a Table, with the target and weights of the original rows."""
        return as_coordinates(rows, made, tuple(self.get_feature_names_out()))


class Projection(_Transforms):
    """`transform`, `fit_transform` and the names of the coordinates, for a classifier that projects."""

    #: What the coordinates are called, a number behind it.
    coordinate: str

    def made_columns(self, rows: Table) -> Floats:
        columns: Floats = self.model_.project(rows)
        return columns

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the coordinates; input names are ignored."""
        n = self.model_.n_directions
        return np.array([f"{self.coordinate}{j + 1}" for j in range(n)], dtype=object)


class Transformer(_Transforms, Learner):
    """Base class of all transformers.

    One that learns from classes what columns to make names another task, `CLASS_COLUMNS`: `fit` then needs classes,
    and `transform` still takes any rows.
    """

    task: ClassVar[Task] = COLUMNS
    model_type: ClassVar[type[ColumnModel]]
    predictor_: ColumnPredictor

    def _query(self, X: Any) -> Table:
        """By name, rows need only what the columns are made of."""
        predictor = self._require_fitted()
        wanted = (
            predictor.inputs
            if isinstance(X, Table) or (self._has_column_names and is_named(X))
            else predictor.schema
        )
        return query_table(X, wanted, self._has_column_names, self._name)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.task.target is not None
        return tags

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        return Weighing.of(table, factors, shares, labelled=self.task.target is not None)

    def made_columns(self, rows: Table) -> Floats:
        return self.predictor_.predict(rows)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the new columns; input names are ignored."""
        return np.array(self._require_fitted().headings, dtype=object)


def output_of(transformer: Any) -> Any:
    """What `set_output`, or else scikit-learn's configuration, asks for."""
    configured = getattr(transformer, "_sklearn_output_config", {}).get("transform")
    return get_config()["transform_output"] if configured is None else configured


def as_coordinates(rows: Table, coordinates: Floats, names: tuple[str, ...]) -> Table:
    """Coordinates as a table with the target and the weights of the rows they came from."""
    target = rows.schema.target
    taken = () if target is None else (target.name,)
    attributes = tuple(Attribute(name if name not in taken else f"{name}_") for name in names)
    return Table(
        Schema(attributes, target),
        len(rows),
        numeric=[*np.ascontiguousarray(coordinates.T)],
        labels=rows.labels,
        response=rows.response,
        weights=rows.weights if rows.weights.size else NO_WEIGHTS,
    )
