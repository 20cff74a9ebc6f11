"""The face of regressors: one number a row.

    Regressor   a learner of a numeric target

Rows come as a Table with a numeric target (`table.response`); rows whose target is missing are left out.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from acumen.base.learner import Learner
from acumen.base.scikit import RegressorMixin
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.cores import limited_to
from acumen.explain.explanation import ValueExplanation
from acumen.models.model import RegressionModel
from acumen.models.predictor import RegressionPredictor
from acumen.models.task import NUMBERS, Task
from acumen.rows.numeric_targets import known_rows, regression_table
from acumen.rows.part_statistics import KnownTargets, RowCounting
from acumen.rows.weights import Weighing
from acumen.types import Bools, Floats


class Regressor(RegressorMixin, Learner):
    """Base class of all regressors."""

    task: ClassVar[Task] = NUMBERS
    model_type: ClassVar[type[RegressionModel]]
    predictor_: RegressionPredictor

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.poor_score
        return tags

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        return Weighing.of(known_rows(table))

    def counts(self, table: Table) -> Bools:
        """Which rows have a number; infinity, which only parts can still hold, is refused."""
        return KnownTargets(self._name, numbers=True).counts(table)

    def counting(self) -> RowCounting:
        cls, usual = type(self), Regressor
        as_usual = cls.counts is usual.counts and cls.weighing_of is usual.weighing_of
        if as_usual and cls.counted_places is usual.counted_places:
            return KnownTargets(self._name, numbers=True)
        return super().counting()

    # -- what was learned -------------------------------------------------------------------------

    def _require_fitted(self) -> RegressionPredictor:
        predictor: RegressionPredictor = super()._require_fitted()
        return predictor

    def explain(self, row: Any, steps: bool = False) -> ValueExplanation:
        """Explain the predicted number for one row: a mapping, a sequence, or a table of one row.

        With `steps` the sum is written down too.
        """
        explanation: ValueExplanation = super().explain(row, steps)
        return explanation

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """Predict a number for each row."""
        predictor, rows = self._require_fitted(), self._query(X)
        with limited_to(self.jobs):
            return predictor.predict(rows)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R2, the fraction of the target's variance that is explained: 1 is perfect, 0 is always predicting the mean.

        Rows whose target is missing are left out; a Table may carry its own target and weights.
        """
        rows = known_rows(regression_table(X, y, sample_weight, self._name))
        weights, truth = rows.row_weights, rows.target_numbers
        apart = truth - self.predict(X if len(rows) == _length(X) else rows)
        around = truth - np.average(truth, weights=weights)
        residual, whole = float(weights @ apart**2), float(weights @ around**2)
        if whole == 0.0:
            return (
                1.0 if residual == 0.0 else 0.0
            )  # as scikit-learn has it: nothing varies, nothing to explain
        return 1.0 - residual / whole


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
