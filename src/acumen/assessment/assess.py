"""`assess`: how good is a learner on a table, by any way of splitting it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.assessment.absent import sentences
from acumen.assessment.assessment import Assessment
from acumen.assessment.left_out import pooled
from acumen.assessment.numeric_outcome import NumericOutcome
from acumen.assessment.outcome import Outcome, RunFacts
from acumen.assessment.runs import Ground, Run, fresh, ground, joined, runs, task_of
from acumen.assessment.scores import Measure, measure_for
from acumen.assessment.statistics.bootstrap import bootstrap_632, bootstrap_632_plus, no_information_rate
from acumen.assessment.subject import cost_matrix, fixed_seed, learner_name, taken, warnings_kept, with_jobs
from acumen.base.task import CLASSES, Task
from acumen.base.watch import unwatched
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.resample import Bootstrap, KFold, LeaveOneOut
from acumen.resample.plan import Plan
from acumen.types import Floats, Label

Progress = Callable[[int], None]

TEN_FOLDS = KFold(10)


def assess(
    learner: Any,
    table: Table,
    method: Any = TEN_FOLDS,
    measures: Sequence[str] | str | None = None,
    random_state: Any = None,
    refit: bool = False,
    n_jobs: int | None = None,
    *,
    positive: Label | None = None,
    costs: Any = None,
    progress: Progress | None = None,
) -> Assessment:
    """Judge a learner on rows it has not seen.

    Rows without a label, or of weight zero, are not tested; a learner that makes use of unlabelled rows
    (`unlabelled="em"`) has them in every training set. A class or a level that does not occur among the training rows
    of a split is noted.

    Parameters
    ----------
    learner : a classifier or regressor of acumen, or an estimator or pipeline of scikit-learn
        Not changed: copies of it are fitted. Pipelines get a pandas frame, other estimators of scikit-learn numbers.
    table : Table with a nominal target, for a regressor with a numeric one
    method : KFold, LeaveOneOut, Bootstrap, Holdout, ThreeWay, TimeSlice or Subsample
        KFold(10) unless given. Of a ThreeWay the validation rows are left aside.
    measures : names of measures
        Of classes error (the default), accuracy, balanced_accuracy, kappa, mcc, precision, recall, f1, macro_f1,
        log_loss, brier, auc, cost; of numbers rmse, mae, r2 (all three the default); of both fit_time, predict_time,
        memory, size. The first is the one reported as `mean` and `values`.
    random_state : int, Generator or None
        Seeds the splits.
    refit : bool
        Fit anew for every split even where adding summaries gives the same answer in one pass.
    n_jobs : int, optional
        Threads of the learner, where it has that parameter; its own unless given.
    positive : label, optional
        The class that precision, recall and f1 are about; of two classes the last unless given, of more the mean of
        all.
    costs : matrix or mapping, optional
        For the measure `cost`: rows predicted, columns true. The learner's own unless given.
    progress : callable, optional
        Told how many splits are finished.

    Returns
    -------
    Assessment

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> found = acumen.assess(acumen.NaiveBayes(), iris, acumen.LeaveOneOut())
    >>> round(found.mean * 150)
    7
    """
    learner = taken(learner, "assess")
    task = task_of(learner)
    chosen = chosen_measures(measures, task)
    method = TEN_FOLDS if method is None else method
    if not isinstance(method, Plan):
        raise ParameterError(
            f"assess: method must be a way to split rows, such as KFold(10); got {method!r}."
        )
    _require_probabilities(learner, chosen)
    if isinstance(method, Bootstrap) and method.kind == "632+" and chosen[0].name != "error":
        raise ParameterError(
            f"assess: the .632+ estimate is defined for the error only; got {chosen[0].name!r}. Use kind='632'."
        )
    learner = with_jobs(learner, n_jobs)
    seed = fixed_seed(random_state)
    base = ground(learner, table, method)
    matrix = cost_matrix(learner, base.rows.schema.classes, costs) if task is CLASSES else None
    if matrix is None and any(measure.needs_costs for measure in chosen):
        raise ParameterError(
            "assess: the measure 'cost' needs a cost matrix; give costs=, or a learner with costs."
        )
    finished: list[Run] = []
    needs = any(measure.needs == "probabilities" for measure in chosen)
    with warnings_kept() as kept:
        for run in runs(
            learner, base.rows, base.method, random_state=seed, refit=refit, proba=needs, unlabelled=base.unlabelled
        ):  # fmt: skip
            finished.append(run)
            if progress is not None:
                progress(len(finished))
        estimates = _estimates(learner, base, chosen, finished, matrix, positive)
    method = task.splitting(method, "assess")
    return _assembled(learner, base, method, chosen, finished, matrix, positive, seed, estimates, kept)


def chosen_measures(measures: Sequence[str] | str | None, task: Task) -> list[Measure]:
    """The measures of these names, each once; the task's usual ones unless named."""
    if measures is None:
        measures = task.measures or measure_for(None, task).name
    names = (measures,) if isinstance(measures, str) else tuple(measures)
    if not names:
        raise ParameterError("assess: name at least one measure.")
    return [measure_for(name, task) for name in dict.fromkeys(names)]


def _require_probabilities(learner: Any, chosen: Sequence[Measure]) -> None:
    for measure in chosen:
        if measure.needs == "probabilities" and not learner.model_type.probabilistic:
            raise DataError(
                f"assess: the measure {measure.name!r} needs probabilities, which {learner_name(learner)} does not "
                "have; take one of labels, such as 'error'."
            )


# -- from runs to values --------------------------------------------------------------------------


def _assembled(
    learner: Any,
    base: Ground,
    method: Any,
    chosen: Sequence[Measure],
    finished: Sequence[Run],
    costs: Floats | None,
    positive: Label | None,
    seed: int,
    estimates: dict[str, float],
    said: Sequence[str],
) -> Assessment:
    if not finished:
        raise DataError("assess: no split was finished.")
    n_test = float(np.mean([1 if run.each_row else len(run.test) for run in finished]))
    if isinstance(method, LeaveOneOut) and method.by_row and not finished[0].each_row:
        finished = [pooled(finished, base.rows)]
    rows = base.rows
    outcomes: list[Any] = [_outcome(run, rows, chosen) for run in finished]
    table = {
        m.name: np.array(_values(m, finished, outcomes, rows, costs, positive), dtype=np.float64)
        for m in chosen
    }
    total = outcomes[0]
    for outcome in outcomes[1:]:
        total = total + outcome
    return Assessment(
        learner=learner_name(learner),
        method=method,
        measures=tuple(m.name for m in chosen),
        table=table,
        confusion=total.confusion if isinstance(total, Outcome) else None,
        seed=seed,
        n_train=float(np.mean([run.train_size for run in finished])),
        n_test=n_test,
        notes=(*sentences([run.lacks for run in finished], each_row=finished[0].each_row), *said),
        estimates=estimates,
        weights=finished[0].weights if finished[0].each_row else np.empty(0),
        runs=tuple(_in_table(run, base) for run in finished),
        costs=costs,
        positive=positive,
    )


def _in_table(run: Run, base: Ground) -> Run:
    """The run with row numbers of the table it came from."""
    return replace(run, test=base.kept[run.test])


def _outcome(run: Run, rows: Table, chosen: Sequence[Measure]) -> Outcome | NumericOutcome:
    if rows.response is not None:
        return NumericOutcome.of(run.truth, run.predicted, run.weights)
    keep = any(measure.needs_scores for measure in chosen)
    return Outcome.of(run.truth, run.predicted, rows.schema.classes, run.proba, run.weights, keep_scores=keep)


def _values(
    measure: Measure,
    finished: Sequence[Run],
    outcomes: Sequence[Any],
    rows: Table,
    costs: Floats | None,
    positive: Label | None,
) -> list[float]:
    """One value a split; of leave-one-out one a row, where the measure is a mean over rows."""
    values: list[float] = []
    for run, outcome in zip(finished, outcomes, strict=True):
        if run.each_row and measure.is_row_mean:
            classes = rows.schema.classes
            each = measure.by_row(run.truth, run.predicted, run.proba, costs=costs, classes=classes)
            values.extend(each.tolist())
        else:
            facts = RunFacts(run.fit_time, run.predict_time, run.memory, run.size)
            values.append(measure.value(outcome, facts=facts, costs=costs, positive=positive))
    return values


def _estimates(
    learner: Any,
    base: Ground,
    chosen: Sequence[Measure],
    finished: Sequence[Run],
    costs: Floats | None,
    positive: Label | None,
) -> dict[str, float]:
    """Efron's .632 and .632+ estimates: the training value pulls the out-of-bag one towards itself."""
    method = base.method
    if not (isinstance(method, Bootstrap) and method.kind.startswith("632")) or not finished:
        return {}
    rows = base.rows
    with unwatched():
        fitted = fresh(learner).fit(joined(rows, base.unlabelled))
    shares = None
    if any(m.needs == "probabilities" for m in chosen):
        shares = fitted.predictor_.proba(rows)
    predicted = fitted.predictor_.predict(rows)
    training: Outcome | NumericOutcome
    if rows.labels is None:
        training = NumericOutcome.of(rows.response, predicted, rows.weights)
    else:
        keep = any(m.needs_scores for m in chosen)
        training = Outcome.of(
            rows.labels, predicted, rows.schema.classes, shares, rows.weights, keep_scores=keep
        )
    outcomes = [_outcome(run, rows, chosen) for run in finished]
    made = {}
    for measure in chosen:
        if measure.needs == "run" or (method.kind == "632+" and measure.name != "error"):
            continue
        values = np.array(_values(measure, finished, outcomes, rows, costs, positive))
        known = values[~np.isnan(values)]
        tested = float(known.mean()) if len(known) else float("nan")
        seen = measure.value(training, costs=costs, positive=positive)
        if method.kind == "632":
            made[measure.name] = bootstrap_632(seen, tested)
        else:
            assert rows.labels is not None  # the error is of classes
            chance = no_information_rate(rows.labels, predicted, rows.weights)
            made[measure.name] = bootstrap_632_plus(seen, tested, chance)
    return made
