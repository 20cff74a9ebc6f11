"""The base class of classifiers: classes, probabilities, costs, priors and class weights.

    Classifier   a learner with a nominal target

The `learners.py` of a family declares parameters and names its algorithm; everything else is here and in `learner`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from acumen import messages
from acumen.base.availability import available
from acumen.base.expectation_maximisation import expectation_maximisation
from acumen.base.learner import Learner
from acumen.base.scikit import ClassifierMixin, available_if
from acumen.base.training import Training
from acumen.codegen import export
from acumen.data.align import align
from acumen.data.columns import sorted_levels
from acumen.data.memory.reader import declared_labels
from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.block_source import MappedParts
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.explain.explanation import Explanation
from acumen.models.decision import (
    log_softmax,
    resolve_class_weight,
    resolve_costs,
    resolve_priors,
    shift_of_priors,
)
from acumen.models.model import Model
from acumen.models.predictor import AnyPredictor, Predictor, label_array
from acumen.models.task import CLASSES, Task
from acumen.rows.class_order import class_totals, counted_rows, drop_unlabelled
from acumen.rows.intake import training_rows, training_table
from acumen.rows.part_statistics import KnownTargets, RowCounting
from acumen.rows.stream import Stream
from acumen.rows.weights import Weighing, total_weight
from acumen.rulelist.rule_list import RuleList
from acumen.types import Array, Bools, Floats, Label


def _is_probabilistic(learner: Any) -> bool:
    return bool(learner.model_type.probabilistic)


def _without_probabilities(learner: Any) -> str:
    return str(learner.model_type.without_probabilities())


class Classifier(ClassifierMixin, Learner):
    """Base class of all classifiers."""

    task: ClassVar[Task] = CLASSES
    model_type: ClassVar[type[Model]]
    predictor_: Predictor

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.poor_score
        return tags

    # -- learning ---------------------------------------------------------------------------------

    def learn_unlabelled(self, table: Table) -> tuple[Model, Floats]:
        """Train on unlabelled rows too, by expectation maximisation."""
        unlabelled, table = table.take(np.flatnonzero(table.class_codes < 0)), drop_unlabelled(table)
        self.plan_ = Training(self, table.schema, [table, unlabelled], weighing=self.weighing_).plan
        total = total_weight(unlabelled.row_weights) + total_weight(table.row_weights)
        factor = 1.0 if self.scale_sensitive else self.weighing_.factor(total, self._name)

        def summarise_rows(rows: Table) -> Any:
            return Training(self, table.schema, rows, plan=self.plan_).summary

        def solve_summary(summary: Any) -> Model:
            assert self.solve is not None
            scaled = summary if factor == 1.0 else summary.scale_weights(factor)
            model: Model = self.solve(scaled, **self.parameters_for(self.solve))
            return model

        fit = expectation_maximisation(summarise_rows, solve_summary, table, unlabelled)
        self.summary_, self.n_iter_ = fit.summary, fit.steps
        self.log_likelihoods_ = np.array(fit.log_likelihoods)
        return fit.model, fit.summary.class_totals * factor

    @property
    def learns_unlabelled(self) -> bool:
        """Whether unlabelled rows are used in training too."""
        return bool(getattr(self, "unlabelled", "ignore") != "ignore")

    def object_to(self, schema: Schema) -> None:
        super().object_to(schema)
        if not self.model_type.probabilistic:
            for name in ("costs", "priors"):
                if getattr(self, name, None) is not None:
                    how = messages.fill_template(self.model_type.how_probable)
                    raise DataError(
                        f"{self._name}: {name} cannot be used, because it has no probabilities"
                        f"{f'; {how}' if how else ''}."
                    )

    def settle(self, schema: Schema, model: Model, totals: Floats, rows: int) -> None:
        """Store the fitted model."""
        classes = schema.classes
        priors = resolve_priors(getattr(self, "priors", None), classes, self._name)
        self.predictor_ = Predictor(
            schema,
            model,
            resolve_costs(getattr(self, "costs", None), classes, self._name),
            shift_of_priors(priors, totals / totals.sum()),
            np.asarray(totals, dtype=np.float64),
        )
        self.classes_ = label_array(classes)
        self.training_ = self._training(rows, float(totals.sum()))

    def weight_of(self, summary: Any) -> Floats:
        totals: Floats = summary.class_totals
        return totals

    # -- which rows count -------------------------------------------------------------------------

    @property
    def balances(self) -> bool:
        """Whether class weights depend on all training rows together."""
        wish = getattr(self, "class_weight", None)
        return isinstance(wish, str) and wish == "balanced"

    def can_add_folds(self, schema: Schema) -> bool:
        return super().can_add_folds(schema) and not self.balances

    def needs_two_passes(self, schema: Schema) -> bool:
        return super().needs_two_passes(schema) or self.balances

    def counts(self, table: Table) -> Bools:
        return np.ones(len(table), dtype=np.bool_) if self.learns_unlabelled else table.known_target()

    def class_factors(self, source: Table | Stream) -> Floats | None:
        wish = getattr(self, "class_weight", None)
        if wish is None:
            return None
        schema = source.schema
        totals = np.ones(schema.n_classes)
        if self.balances:
            totals = class_totals(
                MappedParts([source] if isinstance(source, Table) else source, counted_rows)
            )
        return resolve_class_weight(wish, schema.classes, totals, self._name)

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        return Weighing.of(table, factors, shares, labelled=not self.learns_unlabelled)

    def counting(self) -> RowCounting:
        cls, usual = type(self), Classifier
        as_usual = cls.counts is usual.counts and cls.weighing_of is usual.weighing_of
        if as_usual and cls.counted_places is usual.counted_places and not self.learns_unlabelled:
            return KnownTargets(self._name)
        return super().counting()

    # -- part by part -----------------------------------------------------------------------------

    @available_if(lambda self: self.adds)
    def partial_fit(  # type: ignore[override]  # scikit-learn has `classes` in third place
        self, X: Any, y: Any = None, classes: Sequence[Label] | None = None, sample_weight: Any = None
    ) -> Self:
        """Update the model with further rows, as if they had been part of the first fit.

        The first call needs all `classes`, unless X is a Table that declares them. Later rows may have new levels.
        A plan (bin edges or a vocabulary, for example) is determined by the rows of the first call.
        """
        self.check_parameters()
        if self.balances:
            raise ParameterError(
                f"{self._name}: class_weight='balanced' needs all rows at once; pass a weight for each class instead."
            )
        known: Sequence[Label] | None
        if self.begins():
            if classes is None and not (isinstance(X, Table) and y is None):
                raise ParameterError(
                    f"{self._name}: classes must be passed on the first call to partial_fit."
                )
            known = None if classes is None else _in_order(classes, y)
        else:
            known = None if y is None else self.predictor_.schema.classes
        table, shares = training_rows(X, y, sample_weight, self._name, known)
        if self.learns_unlabelled and not table.known_target().all():
            raise self._unlabelled_in("partial_fit")
        return self._learn_more(X, table, shares)

    # -- what was learned -------------------------------------------------------------------------

    def _require_fitted(self) -> Predictor:
        predictor: Predictor = super()._require_fitted()
        return predictor

    def explain(self, row: Any, steps: bool = False) -> Explanation:
        """Explain the prediction for one row: a mapping, a sequence, or a table of one row.

        With `steps` the arithmetic is written down too: counts as fractions and their product, or the sum.
        """
        explanation: Explanation = super().explain(row, steps)
        return explanation

    @available_if(lambda self: hasattr(self.model_type, "to_rules"))
    def to_rules(self) -> RuleList:
        """The model as rules. They predict the class that the model itself prefers, without `costs` and `priors`."""
        predictor = self._require_fitted()
        return export.rules_of(predictor)

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """Predict the class of each row: the most likely one or, with `costs`, the one of least expected cost."""
        rows = self._query(X)
        with limited_to(self.jobs):
            return self.classes_[self.predictor_.predict(rows)]

    @available(_is_probabilistic, _without_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Predict P(class | row): one line for each row, one column for each of `classes_`."""
        predictor, rows = self._require_fitted(), self._query(X)
        with limited_to(self.jobs):
            return predictor.proba(rows)

    @available(_is_probabilistic, _without_probabilities)
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of `predict_proba`."""
        return log_softmax(self._scores(X))

    @available_if(lambda self: not self.model_type.probabilistic)
    def decision_function(self, X: Any) -> Floats:
        """Decision values, one column per class; for two classes, of the second class."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _scores(self, X: Any) -> Floats:
        predictor, rows = self._require_fitted(), self._query(X)
        with limited_to(self.jobs):
            return predictor.scores(rows)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The accuracy on labelled rows; a Table may bring its own labels and weights."""
        if y is None and isinstance(X, Table):
            known, truth = X.label_values() != None, X.label_values()  # noqa: E711 - cell by cell
            weights = X.row_weights
            if sample_weight is not None:
                weights = weights * np.asarray(sample_weight, dtype=np.float64)
            right = self.predict(X).astype(object) == truth
            return float(np.average(right[known], weights=weights[known]))
        return float(super().score(X, y, sample_weight))

    def log_likelihood(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The log-likelihood of labelled rows: of row and class together for a generative model, otherwise of the
        class given the row. AIC and BIC are computed from it.
        """
        predictor = self._require_fitted()
        rows = training_table(
            X, y, sample_weight, self._name, None if isinstance(X, Table) else predictor.classes
        )
        rows = align(rows, predictor.schema)
        known = np.flatnonzero(rows.class_codes >= 0)
        with limited_to(self.jobs):
            scores = predictor.scores(rows)
            common = predictor.model.common(rows) if predictor.model.generative else 0.0
        logs = scores if predictor.model.generative else log_softmax(scores)
        logs = logs[np.arange(len(rows)), np.maximum(rows.class_codes, 0)] + common
        return float(np.dot(rows.row_weights[known], logs[known]))

    def aic(self, X: Any, y: Any = None) -> float:
        """Akaike's information criterion: 2 k - 2 log L; smaller is better."""
        return 2.0 * self.n_parameters_ - 2.0 * self.log_likelihood(X, y)

    def bic(self, X: Any, y: Any = None) -> float:
        """Bayesian (Schwarz's) information criterion: k log n - 2 log L; smaller is better."""
        n = len(X) if hasattr(X, "__len__") else X.shape[0]
        return float(np.log(n)) * self.n_parameters_ - 2.0 * self.log_likelihood(X, y)

    # -- from a model file ------------------------------------------------------------------------

    def restore_state(self, predictor: AnyPredictor, training: Mapping[str, Any]) -> None:
        super().restore_state(predictor, training)
        self.classes_ = label_array(predictor.schema.classes)


def _in_order(classes: Sequence[Label], y: Any) -> Sequence[Label]:
    """The classes in the order in which y declares them, or sorted, as in `fit`."""
    levels = sorted_levels(np.unique(np.asarray(classes)).tolist())
    declared = None if y is None else declared_labels(y)
    if declared is None:
        return levels
    return [level for level in declared.levels if level in levels] + [
        level for level in levels if level not in declared.levels
    ]
