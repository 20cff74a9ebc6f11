"""One measure applied to fitted learners: used by searches, parameter sweeps and learning curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.assessment import Assessment
from acumen.assessment.confusion import Confusion
from acumen.assessment.contestants import cost_matrix, learner_name
from acumen.assessment.outcome import NumericOutcome, Outcome, RunFacts
from acumen.assessment.runs import TestRun, footprint, task_of, truth_of
from acumen.assessment.scores import measure_for, require_order
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.decision import softmax
from acumen.resampling import Split
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.base.learner import Learner


class MeasureJudge:
    """A measure of a learner's settings; `costs` are those of the learner as it was given."""

    def __init__(self, measure: str | None, learner: Learner, classes: Sequence[Label], who: str) -> None:
        try:
            chosen = measure_for(measure, task_of(learner))
        except ParameterError as error:
            raise ParameterError(f"{who}: {error}") from None
        self.measure = chosen.name
        self.learner = learner_name(learner)
        self.classes = tuple(classes)
        self.larger_is_better = chosen.larger_is_better
        self.needs_proba = chosen.needs == "probabilities"
        self._measure = chosen
        self._costs = None
        if chosen.needs_costs:
            self._costs = cost_matrix(learner, classes)
            if self._costs is None:
                raise ParameterError(f"{who}: the measure {measure!r} needs costs; give them to the learner.")
        if self.needs_proba and not learner.model_type.probabilistic:
            raise ParameterError(
                f"{who}: the measure {measure!r} needs probabilities, which {type(learner).__name__} does not have; "
                "use a measure of labels, such as 'error'."
            )
        if chosen.needs == "run" and chosen.name in ("fit_time", "predict_time"):
            raise ParameterError(
                f"{who}: the measure {measure!r} cannot be used here, because models that share a pass over the data "
                "cannot be timed separately; assess each learner instead."
            )

    def object_to(self, schema: Schema, who: str) -> None:
        """Refuse a measure by rank if the classes are unordered."""
        require_order([self._measure], schema, who)

    def value(self, fitted: Learner, rows: Table) -> float:
        """The measure of a fitted learner on rows with a known target."""
        return self.value_of_run(self.run(fitted, rows, Split(np.empty(0, np.intp), np.arange(len(rows)))))

    def run(self, fitted: Learner, tested: Table, split: Split, train_size: int = 0) -> TestRun:
        """Predict the test rows of a split, `tested`, by a fitted learner."""
        predictor = fitted.predictor_
        memory = size = np.nan
        proba, codes = None, np.empty(0, dtype=np.int32)
        if self._measure.needs == "run":
            memory, size = footprint(predictor.model)
        else:
            proba = predictor.proba(tested) if self.needs_proba else None
            codes = predictor.predict(tested) if proba is None else predictor.decide(proba)
        return TestRun(
            repeat=split.repeat,
            fold=split.fold,
            test=split.test,
            truth=truth_of(tested),
            predicted=codes,
            proba=proba,
            weights=tested.weights,
            train_size=train_size,
            fit_time=np.nan,
            predict_time=np.nan,
            memory=memory,
            size=size,
        )

    def value_of_run(self, run: TestRun) -> float:
        """The measure of the predictions for one split."""
        if self._measure.needs == "run":
            facts = RunFacts(fit_time=np.nan, predict_time=np.nan, memory=run.memory, size=run.size)
            return self._measure.value(facts=facts)
        return self._of(run.truth, run.predicted, run.proba, run.weights)

    def assessment(self, runs: Sequence[TestRun], values: Floats, method: Any, seed: int) -> Assessment:
        """The runs of all splits as `assess` gives them, `values` being the measure of each."""
        confusion = None
        if self.classes and self._measure.needs not in ("run", "numbers"):
            each = (Confusion.of_codes(r.truth, r.predicted, r.weights, self.classes) for r in runs)
            confusion = reduce(add, each)
        n_train = float(np.mean([run.train_size for run in runs]))
        n_test = float(np.mean([len(run.test) for run in runs]))
        return Assessment(
            self.learner, method, (self.measure,), {self.measure: values}, confusion, seed, n_train, n_test,
            runs=tuple(runs), costs=self._costs,
        )  # fmt: skip

    def value_of_scores(self, predictor: Any, scores: Floats, rows: Table) -> float:
        """The measure of scores that a classifier's model would give the rows, under the priors asked for."""
        proba = softmax(scores) if self.needs_proba else None
        codes = predictor.choose(scores) if proba is None else predictor.decide(proba)
        return self._of(truth_of(rows), codes, proba, rows.weights)

    def value_of_summary(self, fitted: Learner, summary: Any) -> float | None:
        """The same from the summary of the rows, where that tells all: the squared error of linear regressors does."""
        if self.measure != "rmse" or not fitted.summary_gives_error:
            return None
        weight = float(summary.weight.sum())
        return float(np.sqrt(fitted.residual_squares(summary) / weight)) if weight > 0 else None

    def left_out(self, finished: Iterable[TestRun]) -> Floats:
        """From the runs of leave-one-out: one value per row for a mean over rows, else one for all rows."""
        every = list(finished)
        truth = np.concatenate([run.truth for run in every])
        predicted = np.concatenate([run.predicted for run in every])
        proba = (
            np.concatenate([run.proba for run in every if run.proba is not None])
            if self.needs_proba
            else None
        )
        if self._measure.is_row_mean:
            return self._measure.by_row(truth, predicted, proba, costs=self._costs, classes=self.classes)
        if self._measure.needs == "run":
            return np.array([float(getattr(run, self._measure.name)) for run in every])
        weights = np.concatenate([run.weights for run in every])
        return np.array([self._of(truth, predicted, proba, weights)])

    def _of(self, truth: Any, predicted: Any, proba: Floats | None, weights: Floats) -> float:
        if self._measure.needs == "numbers":
            return self._measure.value(NumericOutcome.of(truth, predicted, weights))
        outcome = Outcome.of(
            truth, predicted, self.classes, proba, weights, keep_scores=self._measure.needs_scores
        )
        return self._measure.value(outcome, costs=self._costs)
