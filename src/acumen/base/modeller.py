"""The face of models of all attributes: how probable rows are, learned without a target.

Modeller   a learner whose model gives log P(row)
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import DensityMixin

from acumen.base.explanation import ValueExplanation
from acumen.base.learner import Learner
from acumen.base.model import JointModel
from acumen.base.predictor import JointPredictor
from acumen.base.task import JOINT, Task
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.types import Floats


class Modeller(DensityMixin, Learner):  # type: ignore[misc]
    """What every model of all attributes can do: `fit` takes rows without a target; a Table's own plays no part."""

    task: ClassVar[Task] = JOINT
    model_type: ClassVar[type[JointModel]]
    predictor_: JointPredictor

    def score_samples(self, X: Any) -> Floats:
        """log P(what is known of the row), one number a row."""
        predictor, rows = self._fitted(), self._query(X)
        with limited_to(self.jobs):
            found: Floats = predictor.predict(rows)
            return found

    def predict(self, X: Any) -> Floats:
        """The same: what there is to say of a row."""
        return self.score_samples(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean log probability of a row, by weight."""
        return float(np.average(self.score_samples(X), weights=self._weights(X, sample_weight)))

    def log_likelihood(self, X: Any, sample_weight: Any = None) -> float:
        """The log-likelihood of rows, by weight."""
        return float(np.dot(self.score_samples(X), self._weights(X, sample_weight)))

    @staticmethod
    def _weights(X: Any, sample_weight: Any) -> Floats:
        n = len(X) if hasattr(X, "__len__") else X.shape[0]
        weights = X.row_weights if isinstance(X, Table) else np.ones(n)
        return weights if sample_weight is None else weights * np.asarray(sample_weight, dtype=np.float64)

    def explain(self, row: Any) -> ValueExplanation:
        """What the log probability of one row is made of."""
        found: ValueExplanation = super().explain(row)
        return found
