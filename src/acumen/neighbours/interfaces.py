"""What the faces of all learners by neighbours share: how rows are compared and searched, and what is known of them.

NeighbourFace    distance, weights, scale, index; objections, memory, the number of neighbours
CurveFace        the errors of each number of neighbours, where it was chosen by them
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from acumen.base.attribute_weights import AttributeWeights
from acumen.base.learner import Learner
from acumen.data.schema import Schema
from acumen.geometry.distance import Distance
from acumen.geometry.distance_state import resolve
from acumen.types import Floats

DistanceLike = str | Distance | Callable[[Any, Any], Any]


class NeighbourLearner(Learner):
    """Mixed into a learner whose model keeps rows to compare new ones with."""

    n_neighbors: Any

    def __init__(
        self,
        *,
        distance: DistanceLike = "auto",
        weights: Literal["uniform", "distance", "kernel"] = "uniform",
        scale: bool = True,
        index: Literal["auto", "kd", "blocked", "vantage", "brute"] = "auto",
        attribute_weights: AttributeWeights = None,
        n_jobs: int | None = None,
    ) -> None:
        self.distance = distance
        self.weights = weights
        self.scale = scale
        self.index = index
        self.attribute_weights = attribute_weights
        self.n_jobs = n_jobs

    @property
    def constant_sensitive(self) -> bool:
        """Whether a column that never changes may change the answers: a gap counts for less among more columns."""
        return True

    def objection(self, schema: Schema) -> str | None:
        return resolve(self.distance, schema, self._name).objection(schema)

    @property
    def interpretable(self) -> bool:
        """Rows kept to be compared with are not read."""
        return False

    def memory(self, rows: int, schema: Schema) -> int | None:
        # The rows as they came, as the kernels keep them, and a single-precision copy that proposes neighbours.
        return 24 * rows * max(len(schema), 1)

    @property
    def n_neighbors_(self) -> int:
        """How many neighbours are asked."""
        k: int = self.model_.k
        return k

    @property
    def distance_(self) -> Distance:
        """The distance between rows."""
        distance: Distance = self.model_.fitted.distance
        return distance


class CurveLearner(NeighbourLearner):
    """Mixed into a learner that may choose the number of neighbours by leaving each row out."""

    @property
    def curve_(self) -> Floats:
        """With n_neighbors="loo" the leave-one-out error of k = 1, 2, ..."""
        error: Floats = self.model_.curve.error
        return error

    @property
    def curve_se_(self) -> Floats:
        """The standard error of each."""
        deviation: Floats = self.model_.curve.deviation
        return deviation

    @property
    def one_se_n_neighbors_(self) -> int | None:
        """The largest k whose error is within one standard error of the least."""
        curve = self.model_.curve
        return curve.one_se if len(curve.error) else None
