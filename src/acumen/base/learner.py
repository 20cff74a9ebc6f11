"""scikit-learn's face, once for all classifiers.

    Classifier   a learner whose `_learn(table)` returns a model and the weight of each class behind it

A family's `learners.py` declares parameters and points at its algorithm; everything else is here and in `face`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from acumen.base.decision import (
    log_normalised,
    resolve_class_weight,
    resolve_costs,
    resolve_priors,
    shift_of_priors,
)
from acumen.base.explanation import Explanation
from acumen.base.face import Learner
from acumen.base.intake import relabelled, training_rows, training_table
from acumen.base.model import Model, Task
from acumen.base.predictor import Predictor, label_array
from acumen.base.rules import RuleList
from acumen.base.weights import Weighing
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.engines.cores import limited_to
from acumen.engines.run import run
from acumen.errors import DataError
from acumen.summaries.counts import LevelCounts
from acumen.types import Array, Floats


class Classifier(ClassifierMixin, Learner):  # type: ignore[misc]
    """What every classifier of acumen can do; see `fit` for what it can be given."""

    task: ClassVar[Task] = "classification"
    model_type: ClassVar[type[Model]]
    predictor_: Predictor

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.modest
        return tags

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table may carry its target; columns may be numeric, nominal, ordinal or text, with missing
            values.
        y : array-like, optional
            One label a row: text, numbers or booleans; None or NaN for rows without a label. Or soft labels: a
            matrix of one share for each row and class, rows summing to 1 (a frame's columns name the classes).
        sample_weight : array-like, optional
            Row weights of at least 0; a row of weight zero is as if absent. Whole weights are counts of rows; any
            others are relative, and multiplying them changes nothing (but see `minds_scale`).
        """
        self._check_parameters()
        self._fit(X, *training_rows(X, y, sample_weight, self._name))
        return self

    def _learned_from(self, table: Table) -> Table:
        """Labelled rows, unless others are learned from too, with class weights multiplied in."""
        return self._weighted(table if self._learns_unlabelled else labelled(table))

    @abstractmethod
    def _learn(self, table: Table) -> tuple[Model, Floats]:
        """The model, and the weight of each class behind it; all rows have a label unless `_learns_unlabelled`."""

    @property
    def _learns_unlabelled(self) -> bool:
        return getattr(self, "unlabelled", "ignore") != "ignore"

    def _object_to(self, schema: Schema) -> None:
        super()._object_to(schema)
        if not self.model_type.probabilistic:
            for name in ("costs", "priors"):
                if getattr(self, name, None) is not None:
                    how = self.model_type.how_probable
                    raise DataError(
                        f"{self._name}: it has no probabilities, so {name} cannot be used{f'; {how}' if how else ''}."
                    )

    def _weighted(self, table: Table) -> Table:
        """The table with class weights multiplied into its row weights; rows so weighted to zero go."""
        factors = self._class_factors(table)
        if factors is None:
            return table
        assert table.labels is not None
        weights = table.row_weights * np.append(factors, 1.0)[table.labels]
        return relabelled(table, table.schema, table.labels, weights).take(np.flatnonzero(weights))

    def _class_factors(self, table: Table) -> Floats | None:
        """What the row weights of each class are multiplied by; None where they stay as they are."""
        wish = getattr(self, "class_weight", None)
        if wish is None:
            return None
        return resolve_class_weight(wish, table.schema.classes, class_totals(table), self._name)

    def _weighing_of(self, table: Table, shares: Floats) -> Weighing:
        return Weighing.of(table, self._class_factors(table), shares, labelled=not self._learns_unlabelled)

    def _settle(self, schema: Schema, model: Model, totals: Floats, rows: int) -> None:
        """Keep what was learned."""
        classes = schema.classes
        priors = resolve_priors(getattr(self, "priors", None), classes, self._name)
        self.predictor_ = Predictor(
            schema,
            model,
            resolve_costs(getattr(self, "costs", None), classes, self._name),
            shift_of_priors(priors, totals / totals.sum()),
        )
        self.classes_ = label_array(classes)
        self.training_ = self._training(rows, float(totals.sum()))

    # -- what was learned -------------------------------------------------------------------------

    def _fitted(self) -> Predictor:
        found: Predictor = super()._fitted()
        return found

    def explain(self, row: Any) -> Explanation:
        """Why one row (a mapping, a sequence, or a table of one row) gets its class."""
        found: Explanation = super().explain(row)
        return found

    @available_if(lambda self: hasattr(self.model_type, "to_rules"))  # type: ignore[untyped-decorator]
    def to_rules(self) -> RuleList:
        """The model as rules; they say what the model itself prefers, whatever `costs` and `priors`."""
        predictor = self._fitted()
        made: RuleList = predictor.model.to_rules(predictor.schema)  # type: ignore[attr-defined]
        return made

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The class of each row: the likeliest, or of least expected cost where `costs` are given."""
        rows = self._query(X)
        with limited_to(self._jobs):
            return self.classes_[self.predictor_.predict(rows)]

    @available_if(lambda self: self.model_type.probabilistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """P(class | row), one line per row, one column for each of `classes_`."""
        predictor, rows = self._fitted(), self._query(X)
        with limited_to(self._jobs):
            return predictor.proba(rows)

    @available_if(lambda self: self.model_type.probabilistic)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of `predict_proba`."""
        return log_normalised(self._scores(X))

    @available_if(lambda self: not self.model_type.probabilistic)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """How much speaks for each class, one column for each of `classes_`; of two classes, for the second."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _scores(self, X: Any) -> Floats:
        predictor, rows = self._fitted(), self._query(X)
        with limited_to(self._jobs):
            return predictor.scores(rows)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of labelled rows predicted right; a Table may carry its own labels and weights."""
        if y is None and isinstance(X, Table):
            known, truth = X.label_values() != None, X.label_values()  # noqa: E711 - cell by cell
            weights = X.row_weights
            if sample_weight is not None:
                weights = weights * np.asarray(sample_weight, dtype=np.float64)
            right = self.predict(X).astype(object) == truth
            return float(np.average(right[known], weights=weights[known]))
        return float(super().score(X, y, sample_weight))

    def log_likelihood(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The log-likelihood of labelled rows: of row and class together for a generative model, of the
        class given the row otherwise. AIC and BIC follow from it.
        """
        predictor = self._fitted()
        rows = training_table(
            X, y, sample_weight, self._name, None if isinstance(X, Table) else predictor.classes
        )
        rows = align(rows, predictor.schema)
        assert rows.labels is not None
        known = np.flatnonzero(rows.labels >= 0)
        with limited_to(self._jobs):
            scores = predictor.scores(rows)
            common = predictor.model.common(rows) if predictor.model.generative else 0.0
        logs = scores if predictor.model.generative else log_normalised(scores)
        logs = logs[np.arange(len(rows)), np.maximum(rows.labels, 0)] + common
        return float(np.dot(rows.row_weights[known], logs[known]))

    def aic(self, X: Any, y: Any = None) -> float:
        """Akaike's criterion: 2 k - 2 log L; the smaller the better."""
        return 2.0 * self.n_parameters_ - 2.0 * self.log_likelihood(X, y)

    def bic(self, X: Any, y: Any = None) -> float:
        """Schwarz's criterion: k log n - 2 log L; the smaller the better."""
        n = len(X) if hasattr(X, "__len__") else X.shape[0]
        return float(np.log(n)) * self.n_parameters_ - 2.0 * self.log_likelihood(X, y)

    # -- from a model file ------------------------------------------------------------------------

    @classmethod
    def _restore(
        cls,
        parameters: Mapping[str, Any],
        predictor: Predictor,
        training: Mapping[str, Any],
        summary: Mapping[str, Array] | None,
        plan: Mapping[str, Array] | None,
    ) -> Self:
        made = super()._restore(parameters, predictor, training, summary, plan)
        made.classes_ = label_array(predictor.classes)
        return made


def class_totals(source: Source) -> Floats:
    """The weight of each class, added up as summaries are: the same however the rows are cut."""
    return run(_class_counts, source).observed[:, 0]


def _class_counts(rows: Table) -> LevelCounts:
    assert rows.labels is not None
    return LevelCounts.of(np.zeros_like(rows.labels), rows.labels, rows.weights, rows.schema.n_classes, 1)


def labelled(table: Table) -> Table:
    """The rows that have a label."""
    assert table.labels is not None
    return table if table.labels.min(initial=0) >= 0 else table.take(np.flatnonzero(table.labels >= 0))
