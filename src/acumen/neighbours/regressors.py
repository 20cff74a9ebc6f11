"""The face of the regressor by neighbours."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.regressor import Regressor
from acumen.data.table import Table
from acumen.models.model import RegressionModel
from acumen.models.parameters import AtLeast, with_parameters_of
from acumen.neighbours import fitting
from acumen.neighbours.fitting import CurveLearner, NeighbourLearner
from acumen.neighbours.leave_out import exact_values, has_exact_folds, has_exact_rows, part_values
from acumen.neighbours.models import KNNRegressionModel
from acumen.rows.training_rows import Rows
from acumen.types import Bools, Codes, Floats

_HOW = (
    "n_neighbors",
    "distance",
    "weights",
    "scale",
    "index",
    "max_neighbors",
    "selection_rule",
    "attribute_weights",
)


class KNNRegressor(CurveLearner, Regressor):
    """Predict the mean of the k nearest training rows.

    All rows as near as the k-th are averaged. k, distances, missing values and the choice of k by leaving each row
    out are as for KNN, the error being the mean squared one. Value differences need classes and are refused.

    Parameters
    ----------
    n_neighbors : "loo" or int
        How many neighbours are averaged. "loo": the k of the least leave-one-out error, the smallest of several.
    distance, weights, scale, index, attribute_weights, max_neighbors, selection_rule, n_jobs
        As for KNN.

    Attributes
    ----------
    n_neighbors_ : int
    curve_ : array
        With n_neighbors="loo" the leave-one-out mean squared error of k = 1, 2, ...
    curve_se_ : array
        The standard error of each.
    one_se_n_neighbors_ : int or None
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> acumen.KNNRegressor(2).fit([[0.0], [1.0], [5.0]], [1.0, 3.0, 9.0]).predict([[0.4]]).tolist()
    [2.0]
    """

    kind: ClassVar[str] = "knn-regressor"
    model_type = KNNRegressionModel

    @with_parameters_of(NeighbourLearner)
    def __init__(
        self,
        n_neighbors: Literal["loo"] | Annotated[int, AtLeast(1)] = "loo",
        *,
        max_neighbors: Annotated[int, AtLeast(1)] = 50,
        selection_rule: Literal["best", "one-se"] = "best",
        **others: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.max_neighbors = max_neighbors
        self.selection_rule = selection_rule
        super().__init__(**others)

    def learn(self, rows: Rows) -> tuple[RegressionModel, Floats]:
        table = rows.require_local(self._name)
        how = {name: getattr(self, name) for name in _HOW}
        model = fitting.learn_numbers(table, who=self._name, whole=self.weighing_.whole, **how)
        return model, np.array([model.weights.sum()])

    # -- with rows left out -----------------------------------------------------------------------

    def can_leave_one_out(self, rows: Table) -> bool:
        whole = self.weighing_of(rows).whole
        return (
            self.n_neighbors != "loo"
            and whole
            and has_exact_rows(self.distance, self.scale, rows, self._name)
        )

    def leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return exact_values(self.model_, rows), np.zeros(len(rows), dtype=np.bool_)

    def can_leave_parts_out(self, rows: Table) -> bool:
        whole = self.weighing_of(rows).whole
        return (
            self.n_neighbors != "loo"
            and whole
            and has_exact_folds(self.distance, self.scale, rows, self._name)
        )

    def leave_parts_out(self, rows: Table, parts: Codes, n_parts: int) -> Floats:
        return part_values(self.model_, rows, parts, n_parts)
