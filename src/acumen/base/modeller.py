"""The face of models of all attributes: how probable rows are, learned without a target.

Modeller        a learner whose model gives log P(row)
joint_weights   rows and their weights -> one weight a row
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from acumen.base.learner import Learner
from acumen.base.scikit import DensityMixin
from acumen.engines.cores import limited_to
from acumen.explain.explanation import ValueExplanation
from acumen.models.model import JointModel
from acumen.models.predictor import JointPredictor
from acumen.models.task import JOINT, Task
from acumen.rows.intake import as_table, row_weights
from acumen.types import Floats


def joint_weights(X: Any, sample_weight: Any, who: str) -> Floats:
    """The weight of each row: its own times that given."""
    table = as_table(X)
    weights = row_weights(sample_weight, table, who)
    return weights if weights.size else np.ones(len(table))


class Modeller(DensityMixin, Learner):
    """Base class of models of all attributes together. `fit` ignores a table's target."""

    task: ClassVar[Task] = JOINT
    model_type: ClassVar[type[JointModel]]
    predictor_: JointPredictor

    def score_samples(self, X: Any) -> Floats:
        """log P(known values of the row), one number per row."""
        predictor, rows = self._require_fitted(), self._query(X)
        with limited_to(self.jobs):
            scores: Floats = predictor.predict(rows)
            return scores

    def predict(self, X: Any) -> Floats:
        """The log probability of each row."""
        return self.score_samples(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The weighted mean log probability of rows."""
        return float(np.average(self.score_samples(X), weights=joint_weights(X, sample_weight, self._name)))

    def log_likelihood(self, X: Any, sample_weight: Any = None) -> float:
        """The weighted log-likelihood of rows."""
        return float(np.dot(self.score_samples(X), joint_weights(X, sample_weight, self._name)))

    def explain(self, row: Any, steps: bool = False) -> ValueExplanation:
        """Explain the log probability of one row."""
        explanation: ValueExplanation = super().explain(row, steps)
        return explanation
