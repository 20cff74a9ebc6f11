"""The base class of learners that wrap and fit another learner.

    Within   its task, model, objections and predictions are those of the inner learner

A wrapper adds how the inner learner is fitted: `Tuned` chooses its parameters, `ActiveLearner` its training rows. A
model file holds the inner learner.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from acumen.base.learner import Learner
from acumen.base.scikit import available_if
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.model import AnyModel
from acumen.models.task import CLASSES, Task
from acumen.profiling.training_profile import TrainingProfile
from acumen.types import Array, Bools, Floats


def _has(name: str) -> Any:
    """Check that the inner learner has a method too."""
    return lambda self: hasattr(self.learner, name)


class Within(Learner):
    """A learner that delegates to the inner learner `learner`."""

    learner: Learner

    # -- taken from the inner learner -------------------------------------------------------------

    @property
    def model_type(self) -> type[AnyModel]:  # type: ignore[override]
        """The model class of the inner learner."""
        return self.learner.model_type

    @property
    def task(self) -> Task:  # type: ignore[override]
        """The task of the inner learner: classification or regression."""
        return self.learner.task

    @property
    def costs(self) -> Any:
        """The costs of the learner as given; the measure "cost" uses them."""
        return getattr(self.learner, "costs", None)

    def __sklearn_tags__(self) -> Any:
        return self.learner.__sklearn_tags__()

    def objection(self, schema: Schema) -> str | None:
        return self.learner.objection(schema)

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: as for the inner learner."""
        return self.learner.scale_sensitive

    @property
    def constant_sensitive(self) -> bool:
        """Whether the unit of row weights matters: as for the inner learner."""
        return self.learner.constant_sensitive

    def in_units(self, table: Table) -> Table:
        """The rows with weights as given; the inner learner interprets them."""
        return table

    def counts(self, table: Table) -> Bools:
        """Which rows can be used for training: the inner learner decides about unlabelled rows."""
        return np.ones(len(table), dtype=np.bool_)

    def settle(self, schema: Schema, model: AnyModel, totals: Floats, rows: int) -> None:
        """Store the fitted model; costs and priors are those of the inner learner."""
        self.predictor_ = self._inner.predictor_
        if self.task is CLASSES:
            self.classes_ = self._inner.classes_  # type: ignore[attr-defined]  # a classifier's
        self.training_ = dict(self._inner.training_)

    def remember(self, seen: TrainingProfile | None) -> None:
        """Store ranges and a fingerprint of the training rows, also in the inner learner."""
        super().remember(seen)
        self._inner.remember(seen)

    def _taken_over(self) -> tuple[AnyModel, Floats]:
        """The model of the inner learner and its weight, as `learn` returns them."""
        inner = self._inner
        if not self._has_column_names and hasattr(inner, "feature_names_in_"):
            del inner.feature_names_in_  # columns have no names, also when predicting
        return inner.model_, np.array([float(inner.training_["weight"])])

    # -- prediction by the inner learner ----------------------------------------------------------

    @property
    @abstractmethod
    def _inner(self) -> Learner:
        """The fitted inner learner."""

    def _require_inner(self) -> Any:
        self._require_fitted()
        return self._inner

    def predict(self, X: Any) -> Array:
        """Predict with the inner learner."""
        predictions: Array = self._require_inner().predict(X)
        return predictions

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Predict P(class | row): one line for each row, one column for each of `classes_`."""
        probabilities: Floats = self._require_inner().predict_proba(X)
        return probabilities

    @available_if(_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of `predict_proba`."""
        log_probabilities: Floats = self._require_inner().predict_log_proba(X)
        return log_probabilities

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """The score of each class, from the inner learner."""
        decision: Floats = self._require_inner().decision_function(X)
        return decision

    @available_if(_has("log_likelihood"))
    def log_likelihood(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The log-likelihood of labelled rows, from the inner learner."""
        return float(self._require_inner().log_likelihood(X, y, sample_weight))

    @available_if(_has("aic"))
    def aic(self, X: Any, y: Any = None) -> float:
        """Akaike's criterion of the inner learner."""
        return float(self._require_inner().aic(X, y))

    @available_if(_has("bic"))
    def bic(self, X: Any, y: Any = None) -> float:
        """Schwarz's criterion of the inner learner."""
        return float(self._require_inner().bic(X, y))

    @available_if(_has("to_rules"))
    def to_rules(self) -> Any:
        """The model as rules."""
        return self._require_inner().to_rules()

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The score of the inner learner: accuracy or R2."""
        return float(self._require_inner().score(X, y, sample_weight))
