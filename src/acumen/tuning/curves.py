"""Learning curves and parameter sweeps: a measure by the number of training rows or by a learner's complexity.

    learning_curve   more rows: does it still improve?
    sweep            a parameter from simple to complex: where does it begin to overfit?

Learners with a summary read each training set once for all sizes (a larger one is a smaller one plus further
rows), and once for all values of a parameter that only `solve` uses.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.contestants import collect_warnings, fixed_seed
from acumen.assessment.judge import MeasureJudge
from acumen.assessment.runs import TestRun, fresh, ground
from acumen.base.training import Training
from acumen.data.table import Table
from acumen.engines.tasks import each_task
from acumen.errors import DataError, ParameterError
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.resampling import KFold, ResamplingPlan
from acumen.tuning.curve import LearningCurve
from acumen.tuning.grid import families, learners_of, settings_of
from acumen.tuning.search import require_method, trials
from acumen.types import Array, Indices

if TYPE_CHECKING:
    from acumen.base.learner import Learner

#: Shares of the training rows, unless sizes are given.
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def learning_curve(
    learner: Learner,
    table: Table,
    sizes: Sequence[float] | None = None,
    method: ResamplingPlan | None = None,
    measure: str | None = None,
    random_state: Any = None,
) -> LearningCurve:
    """Measure a learner on training and test rows as the number of training rows grows.

    In every split, acumen puts the training rows in a random order with the classes evenly spread. Each size uses
    the first rows of that order, so a larger training set contains the smaller ones. The test rows of a split are
    the same for all sizes.

    Parameters
    ----------
    learner : a classifier or regressor of acumen
        Not changed: copies of it are fitted.
    table : Table with a nominal target, for a regressor with a numeric one
    sizes : numbers of rows, or fractions of the training rows (above 0, at most 1), optional
        [default: (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)] Integers are rows, even 1; other numbers are fractions, even 1.0.
    method : KFold, LeaveOneOut, Holdout, Subsample or TimeSlice, optional
        [default: KFold(10)] Repeat it (`KFold(10, n_repeats=5)`) for a smoother curve.
    measure : str
        Any measure of `assess`. [default: "error" for classifiers and "rmse" for regressors]
    random_state : int, Generator or None
        Seeds the splits and the orders.

    Returns
    -------
    Curve
        `.sizes`, `.training_mean`, `.test_mean`, `.test_low`, `.test_high`; `.figure()` for drawing; `print` it.
    """
    who = "learning_curve"
    method = require_method(KFold(10) if method is None else method, who)
    base = ground(learner, table, method)
    rows, method = base.rows, base.method
    judge = MeasureJudge(measure, learner, rows.schema.classes, who)
    judge.object_to(rows.schema, who)
    seed = fixed_seed(random_state)
    splits = list(method.splits(len(rows), rows.labels, seed))
    counts = _counts(SHARES if sizes is None else sizes, min(len(split.train) for split in splits), who)
    orders = np.random.SeedSequence(seed, spawn_key=(1,)).spawn(len(splits))
    training, test = np.full((2, len(counts), len(splits)), np.nan)
    runs: list[list[TestRun]] = [[] for _ in counts]
    with collect_warnings() as notes:
        for at, split in enumerate(splits):
            labels = np.zeros(len(split.train)) if rows.labels is None else rows.labels[split.train]
            order = split.train[_spread(labels, np.random.default_rng(orders[at]))]
            tested = rows.take(split.test)
            for i, fitted in enumerate(_fitted_on(learner, rows, order, counts)):
                training[i, at] = judge.value(fitted, rows.take(np.sort(order[: counts[i]])))
                runs[i].append(judge.run(fitted, tested, split, counts[i]))
                test[i, at] = judge.value_of_run(runs[i][at])
    return LearningCurve(
        learner=judge.learner,
        measure=judge.measure,
        method=str(method),
        what="training rows",
        values=tuple(counts),
        training=training,
        test=test,
        larger_is_better=judge.larger_is_better,
        notes=tuple(notes),
        assessments=tuple(
            judge.assessment(each, values, method, seed) for each, values in zip(runs, test, strict=True)
        ),
    )


def sweep(
    learner: Learner,
    table: Table,
    parameter: str,
    values: Sequence[Any],
    method: ResamplingPlan | None = None,
    measure: str | None = None,
    random_state: Any = None,
) -> LearningCurve:
    """Measure a learner on training and validation rows as a parameter goes from simple to complex.

    Parameters
    ----------
    learner : a classifier or regressor of acumen
        Not changed: copies of it are fitted.
    table : Table with a nominal target, for a regressor with a numeric one
    parameter : str
        One of the learner's; of a learner within it `learner__alpha`.
    values : sequence
        What the parameter is set to, in the order of the curve.
    method, measure, random_state
        As for `learning_curve`; the splits are the same for all values.

    Returns
    -------
    Curve
        `.values`, `.training_mean`, `.test_mean`, `.test_low`, `.test_high`; `.figure()` for drawing; `print` it.
    """
    who = "sweep"
    method = require_method(KFold(10) if method is None else method, who)
    base = ground(learner, table, method)
    rows, method = base.rows, base.method
    judge = MeasureJudge(measure, learner, rows.schema.classes, who)
    judge.object_to(rows.schema, who)
    settings = settings_of({parameter: values}, learner, who)
    learners = learners_of(learner, settings, who, rows.schema)
    shape = (len(settings), method.len_for(len(rows)))
    seed = fixed_seed(random_state)
    training, test = np.full((2, *shape), np.nan)
    runs: list[list[TestRun]] = [[] for _ in settings]
    with collect_warnings() as notes:
        for trial in trials(learners, families(learners, settings), rows, method, seed):
            if isinstance(trial.fitted, DataError):
                raise trial.fitted
            training[trial.setting, trial.at] = judge.value(trial.fitted, rows.take(trial.split.train))
            split = trial.split
            run = judge.run(trial.fitted, rows.take(split.test), split, len(split.train))
            test[trial.setting, trial.at] = judge.value_of_run(run)
            runs[trial.setting].append(run)
    listed = tuple(setting[parameter] for setting in settings)
    return LearningCurve(
        learner=judge.learner,
        measure=judge.measure,
        method=str(method),
        what=parameter,
        values=listed,
        training=training,
        test=test,
        larger_is_better=judge.larger_is_better,
        notes=tuple(notes),
        assessments=tuple(
            judge.assessment(each, values, method, seed) for each, values in zip(runs, test, strict=True)
        ),
    )


def _counts(sizes: Sequence[float], most: int, who: str) -> list[int]:
    """Distinct numbers of rows in ascending order."""
    counts: set[int] = set()
    for size in sizes:
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        if whole and 1 <= size <= most:
            counts.add(int(size))
        elif isinstance(size, float | np.floating) and 0 < size <= 1:
            counts.add(max(1, round(float(size) * most)))
        else:
            raise ParameterError(
                f"{who}: a size must be a whole number of rows from 1 to {most}, the size of the smallest training "
                f"set, or a fraction above 0 and at most 1.0; got {size!r}."
            )
    if not counts:
        raise ParameterError(f"{who}: sizes must name at least one size.")
    return sorted(counts)


def _spread(labels: Array, rng: np.random.Generator) -> Indices:
    """A random order in which the first n rows have about the class proportions of all."""
    place = np.empty(len(labels))
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        # The rows of a class, shuffled, fall at random points of as many equal steps.
        place[rng.permutation(rows)] = (np.arange(len(rows)) + rng.random(len(rows))) / len(rows)
    return np.argsort(place, kind="stable")


def _fitted_first(learner: Learner, rows: Table, order: Indices, count: int) -> Learner:
    """Fit the learner on the first rows of an order."""
    with data_warnings_off():
        fitted: Learner = fresh(learner).fit(rows.take(np.sort(order[:count])))
    return fitted


def _fitted_on(learner: Learner, rows: Table, order: Indices, counts: Sequence[int]) -> Iterator[Learner]:
    """Fit the learner on the first rows of an order, for each of the ascending counts."""
    if not learner.can_add_folds(rows.schema):
        what = f"a part of the rows for {type(learner).__name__}"
        yield from each_task(
            _fitted_first, ((count,) for count in counts), shared=(learner, rows, order), what=what
        )
        return
    parts = np.repeat(np.arange(len(counts), dtype=np.int32), np.diff([0, *counts]))
    within = np.argsort(order[: counts[-1]], kind="stable")
    chosen = rows.take(order[: counts[-1]][within])
    for training in accumulate(Training.of(learner, chosen).parts(parts[within], len(counts)), operator.add):
        yield training.fit_learner()
