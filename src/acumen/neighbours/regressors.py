"""The face of the regressor by neighbours."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.model import RegressionModel
from acumen.base.parameters import AtLeast
from acumen.base.regressor import Regressor
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.geometry.distance import Distance
from acumen.geometry.distance_state import resolve
from acumen.neighbours import learn
from acumen.neighbours.judged import exact_values, has_exact_folds, has_exact_rows, part_values
from acumen.neighbours.learners import DistanceLike
from acumen.neighbours.models import KNNRegressionModel
from acumen.types import Bools, Codes, Floats

_HOW = ("k", "distance", "weights", "scale", "index", "max_k", "choice")


class KNNRegressor(Regressor):
    """Predict the mean of the k nearest training rows.

    All rows as near as the k-th are averaged. k, distances, missing values and the choice of k by leaving each row
    out are as for KNN, the error being the mean squared one. Value differences need classes and are refused.

    Parameters
    ----------
    k : "loo" or int
        How many neighbours are averaged. "loo": the k of the least leave-one-out error, the smallest of several.
    distance, weights, scale, index, max_k, choice, n_jobs
        As for KNN.

    Attributes
    ----------
    k_ : int
    curve_ : array
        With k="loo" the leave-one-out mean squared error of k = 1, 2, ...
    curve_se_ : array
        The standard error of each.
    one_se_k_ : int or None
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> acumen.KNNRegressor(2).fit([[0.0], [1.0], [5.0]], [1.0, 3.0, 9.0]).predict([[0.4]]).tolist()
    [2.0]
    """

    kind: ClassVar[str] = "knn-regressor"
    model_type = KNNRegressionModel

    def __init__(
        self,
        k: Literal["loo"] | Annotated[int, AtLeast(1)] = "loo",
        *,
        distance: DistanceLike = "auto",
        weights: Literal["uniform", "distance", "kernel"] = "uniform",
        scale: bool = True,
        index: Literal["auto", "kd", "blocked", "vantage", "brute"] = "auto",
        max_k: Annotated[int, AtLeast(1)] = 50,
        choice: Literal["best", "one-se"] = "best",
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.distance = distance
        self.weights = weights
        self.scale = scale
        self.index = index
        self.max_k = max_k
        self.choice = choice
        self.n_jobs = n_jobs

    @property
    def minds_constants(self) -> bool:
        """Whether a column that never changes may change the answers: a gap counts for less among more columns."""
        return True

    def objection(self, schema: Schema) -> str | None:
        return resolve(self.distance, schema, self._name).objection(schema)

    @property
    def legible(self) -> bool:
        """Rows kept to be compared with are not read."""
        return False

    def memory(self, rows: int, schema: Schema) -> int | None:
        return 24 * rows * max(len(schema), 1)

    def learn(self, table: Table) -> tuple[RegressionModel, Floats]:
        how = {name: getattr(self, name) for name in _HOW}
        model = learn.learn_numbers(table, who=self._name, whole=self.weighing_.whole, **how)
        return model, np.array([model.weights.sum()])

    # -- with rows left out -----------------------------------------------------------------------

    def can_leave_one_out(self, rows: Table) -> bool:
        whole = self.weighing_of(rows).whole
        return self.k != "loo" and whole and has_exact_rows(self.distance, self.scale, rows, self._name)

    def leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return exact_values(self._model(), rows), np.zeros(len(rows), dtype=np.bool_)

    def can_leave_parts_out(self, rows: Table) -> bool:
        whole = self.weighing_of(rows).whole
        return self.k != "loo" and whole and has_exact_folds(self.distance, self.scale, rows, self._name)

    def leave_parts_out(self, rows: Table, parts: Codes, n_parts: int) -> Floats:
        return part_values(self._model(), rows, parts, n_parts)

    # -- what was learned -------------------------------------------------------------------------

    @property
    def k_(self) -> int:
        return self._model().k

    @property
    def curve_(self) -> Floats:
        return self._model().curve.error

    @property
    def curve_se_(self) -> Floats:
        return self._model().curve.deviation

    @property
    def one_se_k_(self) -> int | None:
        curve = self._model().curve
        return curve.one_se if len(curve.error) else None

    @property
    def distance_(self) -> Distance:
        return self._model().fitted.distance

    def _model(self) -> KNNRegressionModel:
        model: Any = self.model_
        assert isinstance(model, KNNRegressionModel)
        return model
