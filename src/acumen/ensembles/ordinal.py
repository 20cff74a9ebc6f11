"""Ordered classes with any learner: K - 1 problems of "higher than this class?"."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from acumen.base.classifier import Classifier
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.code_matrix import copy_learner
from acumen.ensembles.members import OfOneLearner
from acumen.ensembles.ordinal_model import OrdinalModel, schema_above
from acumen.errors import DataError
from acumen.models.model import Model
from acumen.models.parameters import ClassWeight, Costs, OfLearner, Priors
from acumen.rows.class_order import has_class_order, no_order
from acumen.rows.intake import replace_target
from acumen.rows.training_rows import Rows
from acumen.types import Codes, Floats


class Ordinal(OfOneLearner, Classifier):
    """Classify K ordered classes with K - 1 two-class learners, each of "higher than this class?".

    Any learner with probabilities can respect the order this way (Frank and Hall 2001): the probability of a class is
    that of being higher than the one below minus that of being higher than itself. These probabilities must fall from
    class to class; where learners disagree, the nearest falling sequence is used. The target must be ordinal. Two
    classes are always ordered, and numeric classes are ordered by size.

    Parameters
    ----------
    learner : classifier, optional
        Solves each problem: any acumen classifier with probabilities, or one from scikit-learn (whose models cannot
        be saved). Default: Logistic(). Wrap a learner without probabilities in `Calibrated(learner)`.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes; the inner learner must have no costs and priors of its own.

    Attributes
    ----------
    learners_ : list
        The fitted learner of each problem.

    Examples
    --------
    >>> import acumen
    >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]
    >>> model = acumen.Ordinal(acumen.NaiveBayes()).fit(rows, [1, 1, 1, 2, 2, 3, 3, 3])
    >>> model.predict([[0.0], [4.5], [9.0]]).tolist(), len(model.learners_)
    ([1, 2, 3], 2)
    """

    kind: ClassVar[str] = "ordinal"
    model_type = OrdinalModel
    requires_ordered_classes: ClassVar[bool] = True

    def __init__(
        self,
        learner: Annotated[Any, OfLearner("a classifier of acumen or of scikit-learn, or None")] = None,
        *,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def objection(self, schema: Schema) -> str | None:
        from acumen.base.foreign_estimators import is_acumen

        if (sentence := no_order(schema)) is not None:
            return sentence
        within: Any = self._inner
        if is_acumen(within) and not within.model_type.probabilistic:
            name = type(within).__name__
            return (
                f"{name} has no probabilities to compute those of the classes from; use Calibrated({name}())."
            )
        return super().objection(schema)

    def reason_to_skip(self, table: Table) -> str | None:
        if not has_class_order(table.schema.target):
            return "no order of three or more classes is declared."
        return "it wraps another learner; name that learner."

    @property
    def interpretable(self) -> bool:
        """A few two-class models, each as interpretable as its learner."""
        return bool(getattr(self._inner, "interpretable", False))

    def in_units(self, table: Table) -> Table:
        """The rows with weights as given; the inner learner interprets them in each problem."""
        return table

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        totals: Floats = np.bincount(table.class_codes, table.row_weights, table.schema.n_classes).astype(
            np.float64
        )
        places: Codes = np.flatnonzero(totals > 0).astype(np.int32)
        classes = tuple(table.schema.classes[place] for place in places.tolist())
        copy_learner(
            self._inner, None, self._name
        )  # what cannot be a member is refused though there be no problem
        fitted = []
        for cut in range(len(places) - 1):
            labels = (table.class_codes > places[cut]).astype(np.int32)
            above = replace_target(table, schema_above(table.schema, classes, cut), labels, table.weights)
            member = copy_learner(self._inner, self.n_jobs, self._name)
            try:
                fitted.append(member.fit(above))
            except DataError as error:
                raise DataError(
                    f"{self._name}: the problem 'higher than {classes[cut]}' could not be fitted: {error}"
                ) from error
        if any(not member.model_type.probabilistic for member in fitted):
            raise DataError(
                f"{self._name}: {type(self._inner).__name__} has no probabilities, which it needs to "
                "compute those of the classes; use Calibrated around it."
            )
        self.learners_: list[Any] = [getattr(member, "estimator_", member) for member in fitted]
        return OrdinalModel(places, table.schema.n_classes, tuple(m.predictor_.model for m in fitted)), totals
