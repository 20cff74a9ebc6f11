"""One learner's progress through the splits of a table; `assess` runs it at once, `compare` in turns.

Trial.step         one more split
Trial.whole        how many repeats are finished in all their splits
Trial.assessment   what follows from the first of these
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from acumen.assessment.absent_classes import sentences
from acumen.assessment.assessment import Assessment
from acumen.assessment.contestants import (
    collect_messages,
    cost_matrix,
    learner_name,
    summarise_warnings,
    with_jobs,
)
from acumen.assessment.left_out import pool_runs
from acumen.assessment.outcome import NumericOutcome, Outcome, RunFacts
from acumen.assessment.runs import Ground, TestRun, fresh, ground, join_unlabelled, runs, task_of
from acumen.assessment.scores import Measure, measure_for, require_order
from acumen.assessment.statistics.bootstrap import bootstrap_632, bootstrap_632_plus, no_information_rate
from acumen.assessment.statistics.intervals import Interval
from acumen.caching import cached_property
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.task import CLASSES, Task
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.resampling import Bootstrap, LeaveOneOut
from acumen.resampling.plan import ResamplingPlan
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.base.learner import Learner


@dataclass(eq=False)
class LearnerTrial:
    """A learner, the rows it is judged on, and the splits it has finished."""

    learner: Learner
    base: Ground
    method: Any  # as the task splits by it
    chosen: Sequence[Measure]
    seed: int
    costs: Floats | None
    positive: Label | None
    refit: bool = False
    finished: list[TestRun] = field(default_factory=list)
    exhausted: bool = False
    _messages: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        learner: Learner,
        table: Table,
        method: Any,
        chosen: Sequence[Measure],
        seed: int,
        *,
        refit: bool = False,
        n_jobs: int | None = None,
        positive: Label | None = None,
        costs: Any = None,
        base: Ground | None = None,
    ) -> Self:
        """Start the trial of a learner; `base` is what `ground` returned for another learner with the same needs."""
        learner = with_jobs(learner, n_jobs)
        task = task_of(learner)
        base = ground(learner, table, method) if base is None else base
        require_order(chosen, base.rows.schema, "assess")
        matrix = cost_matrix(learner, base.rows.schema.classes, costs) if task is CLASSES else None
        if matrix is None and any(measure.needs_costs for measure in chosen):
            raise ParameterError(
                "assess: the measure 'cost' needs a cost matrix; give costs=, or a learner with costs."
            )
        return cls(learner, base, task.splitting(method, "assess"), chosen, seed, matrix, positive, refit)

    # -- going on ---------------------------------------------------------------------------------

    @property
    def needs_shares(self) -> bool:
        """Whether a measure uses probabilities."""
        return any(measure.needs == "probabilities" for measure in self.chosen)

    @cached_property
    def _runs(self) -> Iterator[TestRun]:
        return runs(
            self.learner, self.base.rows, self.base.method, random_state=self.seed, refit=self.refit,
            proba=self.needs_shares, unlabelled=self.base.unlabelled,
        )  # fmt: skip

    def step(self) -> bool:
        """Try the next split; False if none is left."""
        with collect_messages(self._messages):
            run = next(self._runs, None)
        if run is None:
            self.exhausted = True
            return False
        self.finished.append(run)
        return True

    @property
    def repeats(self) -> int:
        """The number of repeats of the method."""
        return int(getattr(self.method, "n_repeats", 1))

    @property
    def per_repeat(self) -> int:
        """The number of splits in a repeat."""
        return int(self.base.method.len_for(len(self.base.rows)) // self.repeats)

    @property
    def whole(self) -> int:
        """The number of repeats that are completely finished."""
        if self.exhausted:
            return self.repeats
        counts = Counter(run.repeat for run in self.finished)
        if counts and self.finished[0].each_row:  # every row at once, by a closed form
            return self.repeats
        return next(r for r in range(self.repeats + 1) if counts[r] < self.per_repeat)

    def standing(self) -> Interval:
        """The first measure so far, with its interval, even during a repeat: for progress, not for verdicts.

        Verdicts are made of whole repeats alone.
        """
        return self.assessment(max(self.whole, 1)).interval()

    # -- what follows -----------------------------------------------------------------------------

    def assessment(self, repeats: int | None = None) -> Assessment:
        """The assessment from the first n repeats. [default: all complete ones]"""
        whole = self.whole if repeats is None else repeats
        method = self.method
        if whole < self.repeats:
            method = replace(method, n_repeats=max(whole, 1))
        finished = [run for run in self.finished if run.repeat < whole]
        if not finished:
            raise DataError("assess: no split was finished.")
        with collect_messages(self._messages):
            estimates = self._estimates(finished)
        rows, chosen = self.base.rows, self.chosen
        n_test = float(np.mean([1 if run.each_row else len(run.test) for run in finished]))
        if isinstance(method, LeaveOneOut) and method.by_row and not finished[0].each_row:
            finished = [pool_runs(finished, rows)]
        outcomes: list[Any] = [_outcome(run, rows, chosen) for run in finished]
        total = outcomes[0]
        for outcome in outcomes[1:]:
            total = total + outcome
        return Assessment(
            learner=learner_name(self.learner),
            method=method,
            measures=tuple(m.name for m in chosen),
            table={m.name: np.array(self._values(m, finished, outcomes), dtype=np.float64) for m in chosen},
            confusion=total.confusion if isinstance(total, Outcome) else None,
            seed=self.seed,
            n_train=float(np.mean([run.train_size for run in finished])),
            n_test=n_test,
            notes=(
                *sentences([run.lacks for run in finished], each_row=finished[0].each_row),
                *summarise_warnings(self._messages),
            ),
            estimates=estimates,
            weights=finished[0].weights if finished[0].each_row else np.empty(0),
            runs=tuple(_in_table(run, self.base) for run in finished),
            costs=self.costs,
            positive=self.positive,
        )

    def _values(self, measure: Measure, finished: Sequence[TestRun], outcomes: Sequence[Any]) -> list[float]:
        """One value per split; for leave-one-out one per row if the measure is a mean over rows."""
        values: list[float] = []
        for run, outcome in zip(finished, outcomes, strict=True):
            if run.each_row and measure.is_row_mean:
                classes = self.base.rows.schema.classes
                each = measure.by_row(run.truth, run.predicted, run.proba, costs=self.costs, classes=classes)
                values.extend(each.tolist())
            else:
                facts = RunFacts(run.fit_time, run.predict_time, run.memory, run.size)
                values.append(measure.value(outcome, facts=facts, costs=self.costs, positive=self.positive))
        return values

    @cached_property
    def _fit(self) -> Learner:
        with data_warnings_off():
            return fresh(self.learner).fit(join_unlabelled(self.base.rows, self.base.unlabelled))

    def _estimates(self, finished: Sequence[TestRun]) -> dict[str, float]:
        """Efron's .632 and .632+ estimates: the training value pulls the out-of-bag one towards itself."""
        method, chosen = self.base.method, self.chosen
        if not (isinstance(method, Bootstrap) and method.kind.startswith("632")):
            return {}
        rows = self.base.rows
        shares = self._fit.predictor_.proba(rows) if self.needs_shares else None
        predicted = self._fit.predictor_.predict(rows)
        training: Outcome | NumericOutcome
        if rows.labels is None:
            training = NumericOutcome.of(rows.response, predicted, rows.weights)
        else:
            keep = any(m.needs_scores for m in chosen)
            training = Outcome.of(
                rows.labels, predicted, rows.schema.classes, shares, rows.weights, keep_scores=keep
            )
        outcomes = [_outcome(run, rows, chosen) for run in finished]
        estimates = {}
        for measure in chosen:
            if measure.needs == "run" or (method.kind == "632+" and measure.name != "error"):
                continue
            values = np.array(self._values(measure, finished, outcomes))
            known = values[~np.isnan(values)]
            tested = float(known.mean()) if len(known) else float("nan")
            seen = measure.value(training, costs=self.costs, positive=self.positive)
            if method.kind == "632":
                estimates[measure.name] = bootstrap_632(seen, tested)
            else:
                chance = no_information_rate(rows.class_codes, predicted, rows.weights)
                estimates[measure.name] = bootstrap_632_plus(seen, tested, chance)
        return estimates


def _in_table(run: TestRun, base: Ground) -> TestRun:
    """The run with row numbers of the table it came from."""
    return replace(run, test=base.kept[run.test])


def _outcome(run: TestRun, rows: Table, chosen: Sequence[Measure]) -> Outcome | NumericOutcome:
    if rows.response is not None:
        return NumericOutcome.of(run.truth, run.predicted, run.weights)
    keep = any(measure.needs_scores for measure in chosen)
    return Outcome.of(run.truth, run.predicted, rows.schema.classes, run.proba, run.weights, keep_scores=keep)


# -- what may be asked for ------------------------------------------------------------------------


def chosen_measures(measures: Sequence[str] | str | None, task: Task) -> list[Measure]:
    """The measures of these names, each once. [default: those of the task]"""
    if measures is None:
        measures = task.measures or measure_for(None, task).name
    names = (measures,) if isinstance(measures, str) else tuple(measures)
    if not names:
        raise ParameterError("assess: name at least one measure.")
    return [measure_for(name, task) for name in dict.fromkeys(names)]


def require_method(method: Any, chosen: Sequence[Measure], who: str) -> None:
    """Refuse a method that does not split rows, or that does not suit these measures."""
    if not isinstance(method, ResamplingPlan):
        raise ParameterError(f"{who}: method must be a way to split rows, such as KFold(10); got {method!r}.")
    if isinstance(method, Bootstrap) and method.kind == "632+" and chosen[0].name != "error":
        raise ParameterError(
            f"{who}: the .632+ estimate is defined for the error only; got {chosen[0].name!r}. Use kind='632'."
        )


def require_probabilities(learner: Learner, chosen: Sequence[Measure]) -> None:
    """Refuse a learner without probabilities if a measure needs them."""
    for measure in chosen:
        if measure.needs == "probabilities" and not learner.model_type.probabilistic:
            raise DataError(
                f"assess: the measure {measure.name!r} needs probabilities, which {learner_name(learner)} does not "
                "have; use one of labels, such as 'error'."
            )
