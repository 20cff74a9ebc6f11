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
        return float(np.average(self.score_samples(X), weights=joint_weights(X, sample_weight, self._name)))

    def log_likelihood(self, X: Any, sample_weight: Any = None) -> float:
        """The log-likelihood of rows, by weight."""
        return float(np.dot(self.score_samples(X), joint_weights(X, sample_weight, self._name)))

    def explain(self, row: Any, steps: bool = False) -> ValueExplanation:
        """What the log probability of one row is made of."""
        found: ValueExplanation = super().explain(row, steps)
        return found
