"""The face of clusterers: rows that belong together, learned without a target.

Clusterer   a learner whose model says which group a row belongs to
"""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import ClusterMixin

from acumen.base.explanation import Explanation
from acumen.base.learner import Learner
from acumen.base.model import GroupModel
from acumen.base.predictor import GroupPredictor
from acumen.base.task import GROUPS, Task
from acumen.engines.cores import limited_to
from acumen.types import Codes


class Clusterer(ClusterMixin, Learner):  # type: ignore[misc]
    """What every clusterer of acumen can do: `fit` takes rows without a target; a Table's own plays no part."""

    task: ClassVar[Task] = GROUPS
    model_type: ClassVar[type[GroupModel]]
    predictor_: GroupPredictor

    def predict(self, X: Any) -> Codes:
        """The group of each row, counted from 0; -1 where it belongs to none."""
        rows = self._query(X)
        with limited_to(self.jobs):
            return self.predictor_.predict(rows)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Codes:
        """The groups of the rows that are learned from."""
        return self.fit(X, y, sample_weight).predict(X)

    @property
    def n_groups_(self) -> int:
        """How many groups were found."""
        found: int = self._fitted().model.n_groups
        return found

    def explain(self, row: Any) -> Explanation:
        """Why one row (a mapping, a sequence, or a table of one row) belongs to its group."""
        found: Explanation = super().explain(row)
        return found
