"""Leave-one-out without refitting for each row, for learners that can.

It says by `can_leave_one_out(rows)` whether it can: by a closed form, or by one pass over the rows. `leave_one_out`
gives the scores (or the number) of every row under the model of all the others, and names the rows that must be
refitted after all (of high leverage, say). `can_leave_parts_out` and `leave_parts_out` are the same for the folds of
cross-validation: a search for neighbours passes over the rows of the own fold.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.absent_classes import Absences
from acumen.assessment.runs import TestRun, footprint, fresh, truth_of
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.models.decision import resolve_priors, shift_of_priors, softmax
from acumen.models.predictor import Predictor
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.resampling import KFold
from acumen.rows.class_order import class_totals
from acumen.types import Bools, Floats

if TYPE_CHECKING:
    from acumen.base.learner import Learner


def leaves_out(learner: Learner, rows: Table) -> bool:
    """Whether leave-one-out needs no refit for each row."""
    # What is settled by all rows together, a plan or balanced weights, changes with the row left out.
    if len(rows) < 2 or learner.needs_two_passes(rows.schema) or not learner.can_leave_one_out(rows):
        return False
    # Without a row the others have another mean weight, by which relative weights are divided.
    relative = not learner.weighing_of(rows, factors=learner.class_factors(rows)).whole
    if rows.labels is not None and relative and not learner.scale_sensitive:
        return False
    # A class weighted to nothing is not in the model that its rows would have to be taken out of.
    return len(learner.training_rows(rows)) == len(rows)


def leave_one_out_run(learner: Learner, rows: Table, probabilistic: bool) -> TestRun:
    """Predict every row by the model of all others, as one run."""
    start = time.perf_counter()
    with data_warnings_off():
        whole = fresh(learner).fit(rows)
    weighted = learner.training_rows(rows)
    scores, refit = whole.leave_one_out(weighted)
    numeric = rows.response is not None
    if not numeric:
        _shift(scores, learner, weighted, class_totals(weighted))
    for row in np.flatnonzero(refit).tolist():
        keep = np.delete(np.arange(len(rows)), row)
        with data_warnings_off():
            other, alone = fresh(learner).fit(rows.take(keep)).predictor_, rows.take([row])
        scores[row] = other.predict(alone)[0] if numeric else other.scores(alone)[0]
    answers = scores if numeric else whole.predictor_.choose(scores)
    shares = softmax(scores) if probabilistic else None
    took = (time.perf_counter() - start) / len(rows)
    memory, size = footprint(whole.model_)
    return TestRun(
        repeat=0,
        fold=0,
        test=np.arange(len(rows)),
        truth=truth_of(rows),
        predicted=answers,
        proba=shares,
        weights=rows.weights,
        train_size=len(rows) - 1,
        fit_time=took,
        predict_time=0.0,
        memory=memory,
        size=size,
        lacks=Absences(rows).alone(),
        each_row=True,
    )


def leaves_parts_out(learner: Learner, rows: Table) -> bool:
    """Whether cross-validation needs no refit for each fold."""
    return learner.can_leave_parts_out(rows) and len(learner.training_rows(rows)) == len(rows)


def leave_parts_out_runs(
    learner: Learner, rows: Table, method: KFold, random_state: Any, probabilistic: bool
) -> Iterator[TestRun]:
    """Predict every row by the model of the other folds, one run per fold."""
    absences, numeric = Absences(rows), rows.response is not None
    start = time.perf_counter()
    with data_warnings_off():
        whole = fresh(learner).fit(rows)
    fit_time = time.perf_counter() - start
    memory, size = footprint(whole.model_)
    for repeat, parts in enumerate(method.part_codes(len(rows), rows.labels, random_state)):
        start = time.perf_counter()
        with limited_to(learner.jobs):
            answers = whole.leave_parts_out(rows, parts, method.n_splits)
        took = (time.perf_counter() - start) / method.n_splits
        lacks = absences.by_part(parts, method.n_splits)
        for fold in range(method.n_splits):
            tested = np.flatnonzero(parts == fold)
            scores, shares = answers[tested], None
            if not numeric:
                predictor = _of_fold(whole.predictor_, learner, rows, parts != fold)
                if predictor.shift is not None:
                    scores = scores + predictor.shift
                shares = softmax(scores) if probabilistic else None
            codes = scores if numeric else predictor.choose(scores)
            some = rows.take(tested)
            yield TestRun(
                repeat=repeat,
                fold=fold,
                test=tested,
                truth=truth_of(some),
                predicted=codes,
                proba=shares,
                weights=some.weights,
                train_size=len(rows) - len(tested),
                fit_time=fit_time,
                predict_time=took,
                memory=memory,
                size=size,
                lacks=lacks[fold],
            )


def _of_fold(predictor: Predictor, learner: Learner, rows: Table, training: Bools) -> Predictor:
    """The predictor with the priors asked for turned against the frequencies of a fold's training rows."""
    priors = resolve_priors(getattr(learner, "priors", None), rows.schema.classes, type(learner).__name__)
    if priors is None:
        return predictor
    totals = class_totals(rows.take(np.flatnonzero(training)))
    return replace(predictor, shift=shift_of_priors(priors, totals / totals.sum()))


def _shift(scores: Floats, learner: Learner, rows: Table, totals: Floats) -> None:
    """Turn scores under the training frequencies, which differ by row, into scores under the given priors."""
    new = resolve_priors(getattr(learner, "priors", None), rows.schema.classes, type(learner).__name__)
    if new is None:
        return
    weight, class_codes = rows.row_weights, rows.class_codes
    share = np.tile(totals, (len(rows), 1))
    share[np.arange(len(rows)), class_codes] -= weight
    share /= (totals.sum() - weight)[:, None]
    share[share <= 1e-9] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        scores += np.where(share > 0, np.log(new) - np.log(share), 0.0)


def pool_runs(finished: Sequence[TestRun], rows: Table) -> TestRun:
    """Merge the runs of leave-one-out with refitting into one run over all rows."""
    first = finished[0]

    def mean(name: str) -> float:
        return float(np.mean([getattr(run, name) for run in finished]))

    def concatenate(name: str) -> Any:
        return np.concatenate([getattr(run, name) for run in finished])

    return TestRun(
        repeat=0,
        fold=0,
        test=concatenate("test"),
        truth=concatenate("truth"),
        predicted=concatenate("predicted"),
        proba=None if first.proba is None else concatenate("proba"),
        weights=concatenate("weights"),
        train_size=first.train_size,
        fit_time=mean("fit_time"),
        predict_time=mean("predict_time"),
        memory=mean("memory"),
        size=mean("size"),
        lacks=Absences(rows).alone(),
        each_row=True,
    )
