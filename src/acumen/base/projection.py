"""The transformer's face of learners whose model has `project(rows)`: coordinates in place of attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import TransformerMixin

from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.cores import limited_to
from acumen.types import Array, Floats


class Projection(TransformerMixin):  # type: ignore[misc]
    """`transform`, `fit_transform` and the names of the coordinates, for a classifier that projects."""

    #: What the coordinates are called, a number behind it.
    coordinate: str

    def transform(self, X: Any) -> Any:
        """The coordinates of rows along the directions; of a Table as a Table with its target.

        Anything but a Table becomes an array, or what `set_output` asks for.
        """
        rows = self._query(X)
        with limited_to(self._jobs):
            made: Floats = self.model_.project(rows)
        if isinstance(X, Table) and self._output() == "default":
            return as_coordinates(X, made, tuple(self.get_feature_names_out()))
        return made

    def _output(self) -> Any:
        """What `set_output`, or else scikit-learn's configuration, asks for."""
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        return get_config()["transform_output"] if own is None else own

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the coordinates; those of the inputs play no part."""
        n = self.model_.n_directions
        return np.array([f"{self.coordinate}{j + 1}" for j in range(n)], dtype=object)


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
