"""scikit-learn's face, once for all regressors.

    Regressor          a learner whose `_learn(table)` returns a model and the weight of the rows behind it
    SummaryRegressor   one whose model is solve(summarise(rows)): rows may come in any parts

Rows come as a Table with a numeric target (`table.response`); rows whose target is missing are left out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from acumen.base.explanation import ValueExplanation
from acumen.base.face import Learner
from acumen.base.intake import relabelled
from acumen.base.model import RegressionModel, Task
from acumen.base.predictor import RegressionPredictor
from acumen.base.responses import known_rows, needs_numbers, regression_table
from acumen.base.summary_face import Stream, SummaryLearner, called
from acumen.base.weights import Weighing
from acumen.base.widen import joined_schema, renamed
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError
from acumen.types import Floats


class Regressor(RegressorMixin, Learner):  # type: ignore[misc]
    """What every regressor of acumen can do; see `fit` for what it can be given."""

    task: ClassVar[Task] = "regression"
    model_type: ClassVar[type[RegressionModel]]
    predictor_: RegressionPredictor

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.modest
        return tags

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows with a number each.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table may carry its target; columns may be numeric, nominal, ordinal or text, with missing
            values.
        y : array-like, optional
            One number a row; None or NaN for rows without one, which are left out.
        sample_weight : array-like, optional
            Row weights of at least 0; a row of weight zero is as if absent. Whole weights are counts of rows; any
            others are relative, and multiplying them changes nothing (but see `minds_scale`).
        """
        self._check_parameters()
        self._fit(X, regression_table(X, y, sample_weight, self._name))
        return self

    def _learned_from(self, table: Table) -> Table:
        """The rows whose target is known."""
        return known_rows(table)

    def _weighing_of(self, table: Table, shares: Floats) -> Weighing:
        return Weighing.of(known_rows(table))

    @abstractmethod
    def _learn(self, table: Table) -> tuple[RegressionModel, Floats]:
        """The model, and the weight of all rows behind it, an array of one; every row has a response."""

    def _settle(self, schema: Schema, model: RegressionModel, totals: Floats, rows: int) -> None:
        """Keep what was learned."""
        self.predictor_ = RegressionPredictor(schema, model)
        self.training_ = self._training(rows, float(totals.sum()))

    # -- what was learned -------------------------------------------------------------------------

    def _fitted(self) -> RegressionPredictor:
        found: RegressionPredictor = super()._fitted()
        return found

    def explain(self, row: Any) -> ValueExplanation:
        """What the value of one row (a mapping, a sequence, or a table of one row) is made of."""
        found: ValueExplanation = super().explain(row)
        return found

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """The number predicted for each row."""
        predictor, rows = self._fitted(), self._query(X)
        with limited_to(self._jobs):
            return predictor.predict(rows)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R2, the share of the target's variance that is explained; 1 at best, 0 for always saying the mean.

        Rows whose target is missing are left out; a Table may carry its own target and weights.
        """
        rows = known_rows(regression_table(X, y, sample_weight, self._name))
        assert rows.response is not None
        weights, truth = rows.row_weights, rows.response
        apart = truth - self.predict(X if len(rows) == _length(X) else rows)
        around = truth - np.average(truth, weights=weights)
        left, whole = float(weights @ apart**2), float(weights @ around**2)
        if whole == 0.0:
            return 1.0 if left == 0.0 else 0.0  # as scikit-learn has it: nothing varies, nothing to explain
        return 1.0 - left / whole


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


class SummaryRegressor(SummaryLearner, Regressor):
    """A regressor with a summary: `fit`, `partial_fit` and `fit_stream` give the same model.

    Its summary has `weight`, the weight of all rows, as an array of one; for the rest see `SummaryLearner`.
    """

    def _totals(self, summary: Any) -> Floats:
        weight: Floats = summary.weight
        return weight

    def fit_stream(self, parts: Iterable[Table]) -> Self:
        """Learn from parts under one schema, such as `acumen.scan` gives, holding one at a time.

        The model is the same, to the byte, as `fit` on all rows at once. Where the parts must be gone through
        more than once (a plan), an iterator that can be used only once is refused.
        """
        self._check_parameters()
        source = Stream(parts, self._name)
        target = source.schema.target
        if target is None:
            raise DataError(f"{self._name}: the parts have no target; name one with target=.")
        if not target.is_numeric:
            raise DataError(f"{self._name}: {needs_numbers(target.name)}")
        self._object_to(source.schema)
        if source.once and self.needs_plan(source.schema):
            raise self._refuse_once(source)
        self._fit_stream(source, lambda part: _weighed(_prepared(part, self._name)))
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from further rows as if they had been there from the start.

        Later rows may bring levels not seen before. A plan, where one is needed, is settled by the first call's
        rows.
        """
        self._check_parameters()
        self._partial_fit(
            lambda: _weighed(self._first_rows(X, y, sample_weight)),
            lambda: _weighed(self._further_rows(X, y, sample_weight)),
        )
        return self

    def _first_rows(self, X: Any, y: Any, sample_weight: Any) -> Table:
        table = regression_table(X, y, sample_weight, self._name)
        self._remember_names(X, table.schema)
        self._object_to(table.schema)
        return known_rows(table)

    def _further_rows(self, X: Any, y: Any, sample_weight: Any) -> Table:
        known = self.predictor_.schema
        table = regression_table(X, y, sample_weight, self._name)
        if not self._named:
            table = renamed(table, known.names, self._name)
        if table.schema.target is not None and known.target is not None:
            schema = Schema(table.schema.attributes, called(table.schema.target, known.target.name))
            table = relabelled(table, schema, None, table.weights, table.response)
        return known_rows(align(table, joined_schema(known, table.schema)))


def _weighed(table: Table) -> tuple[Table, Weighing]:
    return table, Weighing.of(table)


def _prepared(part: Table, who: str) -> Table:
    """Only rows that count: with a known target, of weight above zero."""
    assert part.response is not None
    if np.isinf(part.response).any():
        raise DataError(f"{who}: the target holds infinity; leave such rows out.")
    table = known_rows(relabelled(part, part.schema, None, part.weights, part.response))
    weights = table.weights
    return table if not weights.size or weights.all() else table.take(np.flatnonzero(weights))
