"""Calibrated probabilities: curves over a learner's scores of rows that it did not see.

    Calibrated           the estimator; its model has a file of its own, which needs no scikit-learn
    with_probabilities   any learner -> one with probabilities

The curves are fitted on out-of-fold scores of the training rows alone, so test rows have no part in them. The
predicting model is trained on all training rows.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.learner import Learner
from acumen.data.table import Table
from acumen.ensembles.calibrated_model import CalibratedModel
from acumen.ensembles.code_matrix import copy_learner
from acumen.ensembles.members import OfOneLearner
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, ClassWeight, Costs, OfLearner
from acumen.models.probability_curves import ProbabilityCurves
from acumen.rows.content_folds import content_folds
from acumen.rows.training_rows import Rows
from acumen.types import Floats


class Calibrated(OfOneLearner, Classifier):
    """Calibrate the probabilities of a classifier, or add probabilities, by curves over its scores.

    Parameters
    ----------
    learner : classifier, optional
        Any acumen classifier, or one from scikit-learn (whose models cannot be saved). Default: LeastSquares().
    method : {"platt", "isotonic"}
        A logistic curve of the score (Platt), or any increasing one, which needs some hundred rows of each class.
    folds : int
        The number of folds whose held-out scores the curves are fitted to.
    costs, class_weight, n_jobs
        As for NaiveBayes; the inner learner must have no costs of its own.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Calibrated(acumen.NearestMean()).fit(iris)
    >>> model.predict_proba(iris)[0].round(2).tolist()
    [0.91, 0.09, 0.0]
    """

    kind: ClassVar[str] = "calibrated"
    default_learner: ClassVar[str] = "least-squares"
    model_type = CalibratedModel

    def __init__(
        self,
        learner: Annotated[Any, OfLearner("a classifier of acumen or of scikit-learn, or None")] = None,
        *,
        method: Literal["platt", "isotonic"] = "platt",
        folds: Annotated[int, AtLeast(2)] = 5,
        costs: Costs = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.method = method
        self.folds = folds
        self.costs = costs
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def reason_to_skip(self, table: Table) -> str | None:
        return "it adds probabilities to another learner; name that learner."

    @property
    def interpretable(self) -> bool:
        return bool(getattr(self._inner, "interpretable", False))

    @property
    def folds_by_content(self) -> bool:
        """Whether rows are assigned to folds by content: curves are fitted to scores of held-out folds."""
        return True

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        inner, k = self._inner, table.schema.n_classes
        totals: Floats = np.bincount(table.class_codes, table.row_weights, k).astype(np.float64)
        whole = copy_learner(inner, self.n_jobs, self._name).fit(table).predictor_.model
        scores = np.full((len(table), k), np.nan)
        fold_of = content_folds(table, self.folds)
        for fold in range(self.folds):
            held, rest = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
            if not len(held) or len(np.unique(table.class_codes[rest])) < 2:
                continue
            member = copy_learner(inner, self.n_jobs, self._name).fit(table.take(rest))
            scores[held] = member.predictor_.model.scores(table.take(held))
        known = np.isfinite(scores).any(axis=1)
        if not known.any() or len(np.unique(table.class_codes[known])) < 2:  # too few rows to leave any out
            scores, known = whole.scores(table), np.ones(len(table), dtype=np.bool_)
        curves = ProbabilityCurves.fit(
            self.method, scores[known], table.class_codes[known], table.row_weights[known]
        )
        return CalibratedModel(whole, curves), totals


def with_probabilities(learner: Learner) -> Learner:
    """Return a learner with probabilities: by its own curves if it has some (`SVM`), else by `Calibrated`."""
    from acumen.base.scikit import clone

    copy: Any = clone(getattr(learner, "estimator", learner))
    if "probability" in learner.get_params(deep=False):
        learner_with_curve: Learner = copy.set_params(probability="platt")
        return learner_with_curve
    costs = getattr(learner, "costs", None)
    if costs is not None:
        copy.set_params(costs=None)
    return Calibrated(copy, costs=costs)
