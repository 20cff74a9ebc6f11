"""Fit a learner on one split after another: what it predicted, and what that cost.

    ground   learner, table, method -> the rows that count, and the method for them
    runs     learner, rows, method  -> a Run for each split

Learners whose summaries add are not fitted again for each fold: one pass fills a summary for every part, and adding
the others gives each training set. Those that can leave one row out by themselves are asked (`left_out`). The answers
equal those of refitting.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from acumen.assessment.absent_classes import Absences, Lack
from acumen.base.training import Training
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.engines.run import cluster
from acumen.engines.tasks import each_task
from acumen.errors import AcumenWarning, DataError
from acumen.models.decision import softmax
from acumen.models.task import Task
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.resampling import KFold, LeaveOneOut, Split
from acumen.rows.intake import replace_target
from acumen.summaries.algebra import leave_each_out
from acumen.types import Array, Floats, Indices

if TYPE_CHECKING:
    from acumen.base.learner import Learner
    from acumen.models.model import AnyModel

L = TypeVar("L", bound="Learner")


@dataclass(frozen=True, slots=True)
class TestRun:
    """One split: the rows tested, their true classes or numbers and the predictions."""

    repeat: int
    fold: int
    test: Indices
    truth: Array  # codes of classes, or numbers
    predicted: Array
    proba: Floats | None
    weights: Floats  # of the rows tested; empty when every row weighs one
    train_size: int  # different rows learned from
    fit_time: float
    predict_time: float
    memory: float
    size: float
    lacks: tuple[Lack, ...] = ()
    each_row: bool = False  # every row was tested by a model of its own


# -- what is judged -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ground:
    """The rows a learner is judged on."""

    rows: Table  # with a known target, of weight above zero
    kept: Indices  # which rows of the table these are
    method: Any  # with the groups of these rows
    unlabelled: Table | None  # join every training set of a learner that uses them


def ground(learner: Learner, table: Table, method: Any) -> Ground:
    """Select the rows that count for judging a learner, and the method that splits them."""
    if not isinstance(table, Table):
        raise DataError(
            f"assess: the rows must be a Table, as acumen.read(data, target=...) gives; got {type(table).__name__}."
        )
    task = learner.task
    sentence = task.needs(table.schema)
    if sentence is not None:
        raise DataError(f"assess: {sentence}")
    weighty = table.weights > 0 if table.weights.size else np.ones(len(table), dtype=np.bool_)
    kept = np.flatnonzero(weighty & table.known_target())
    some = table.take(kept) if len(kept) < len(table) else table
    rows = task.table(some, _name(learner))
    unlabelled = None
    if learner.learns_unlabelled:
        without = np.flatnonzero(weighty & ~table.known_target())
        if without.size:
            some = table.take(without)
            unlabelled = replace_target(some, some.schema, some.labels, some.weights)
    return for_method(Ground(rows, kept, None, unlabelled), method, len(table), learner)


def for_method(base: Ground, method: Any, n_rows: int, learner: Learner) -> Ground:
    """Adapt a method to the task and to the groups of these rows."""
    method = None if method is None else learner.task.splitting(method, "assess")
    groups, own_groups = getattr(method, "groups", None), getattr(learner, "groups", None)
    if groups is not None and len(groups) == n_rows > len(base.kept):
        method = replace(method, groups=groups[base.kept])
    if method is not None and groups is None and isinstance(own_groups, str):
        warnings.warn(
            f"{_name(learner)}: groups={own_groups!r} keeps whole groups out of bag, but the splits that judge it "
            "split them, which makes it look better than it is. Split by groups too: "
            f"KFold(groups=table.column({own_groups!r})).",
            AcumenWarning, stacklevel=2,
        )  # fmt: skip
    return replace(base, method=method)


def task_of(learner: Learner) -> Task:
    """What a learner predicts."""
    return learner.task


def truth_of(rows: Table) -> Array:
    """The codes of the classes, or the numbers."""
    truth = rows.labels if rows.labels is not None else rows.response
    assert truth is not None
    return truth


def judged_rows(learner: Learner, table: Table) -> Table:
    """Select the rows that count for judging a learner: with a known target and weight above zero."""
    return ground(learner, table, None).rows


def _name(learner: Learner) -> str:
    return type(learner).__name__


# -- splits ---------------------------------------------------------------------------------------


def runs(
    learner: Learner,
    rows: Table,
    method: Any,
    *,
    random_state: Any = None,
    refit: bool = False,
    proba: bool = True,
    unlabelled: Table | None = None,
) -> Iterator[TestRun]:
    """Fit and test the learner on every split of a method; `rows` as `ground` returns them."""
    from acumen.assessment.left_out import (
        leave_one_out_run,
        leave_parts_out_runs,
        leaves_out,
        leaves_parts_out,
    )

    probabilistic = proba and learner.model_type.probabilistic
    if not refit and unlabelled is None:
        if isinstance(method, KFold) and learner.can_add_folds(rows.schema):
            yield from _one_pass(learner, rows, method, random_state, probabilistic)
            return
        if isinstance(method, KFold):
            sentence = learner.folds_objection(rows)
            if sentence is None:
                yield from _at_once(learner, rows, method, random_state, probabilistic)
                return
            if sentence:
                warnings.warn(
                    f"{_name(learner)}: a model is fitted for each fold, because {sentence}.",
                    AcumenWarning,
                    stacklevel=2,
                )
        if isinstance(method, LeaveOneOut) and method.by_row and leaves_out(learner, rows):
            yield leave_one_out_run(learner, rows, probabilistic)
            return
        if isinstance(method, KFold) and leaves_parts_out(learner, rows):
            yield from leave_parts_out_runs(learner, rows, method, random_state, probabilistic)
            return
    absences = Absences(rows)
    if cluster() is not None and isinstance(random_state, (int, np.integer)):
        arguments = (learner, rows, method, int(random_state), probabilistic, absences, unlabelled)
        numbers = ((i,) for i in range(method.len_for(len(rows))))
        yield from each_task(_refitted_number, numbers, shared=arguments, what=f"a split of {_name(learner)}")
        return
    for split in method.splits(len(rows), rows.labels, random_state):
        yield _refit_runs(learner, rows, split, probabilistic, absences, unlabelled)


def fresh(learner: L) -> L:
    """An unfitted copy."""
    from acumen.base.scikit import clone

    copy: L = clone(learner)
    return copy


# -- by refitting ---------------------------------------------------------------------------------


def _refitted_number(
    learner: Learner,
    rows: Table,
    method: Any,
    seed: int,
    probabilistic: bool,
    absences: Absences,
    unlabelled: Table | None,
    number: int,
) -> TestRun:
    """The run of the split with this number: splits follow from the seed, so none is sent to workers."""
    split = next(islice(method.splits(len(rows), rows.labels, seed), number, None))
    return _refit_runs(learner, rows, split, probabilistic, absences, unlabelled)


def _refit_runs(
    learner: Learner,
    rows: Table,
    split: Split,
    probabilistic: bool,
    absences: Absences,
    unlabelled: Table | None,
) -> TestRun:
    training = join_unlabelled(rows.take(split.train), unlabelled)
    start = time.perf_counter()
    with data_warnings_off():
        fitted = fresh(learner).fit(training)
    fit_time = time.perf_counter() - start
    at, size = (split.repeat, split.fold), _distinct(split.train)
    return _run_of(fitted, rows, at, split.test, size, fit_time, probabilistic, absences.among(split.train))


def join_unlabelled(training: Table, unlabelled: Table | None) -> Table:
    """Add the unlabelled rows to the training rows, for a learner that uses them."""
    if unlabelled is None:
        return training
    from acumen.data.concat import concat

    return concat([training, unlabelled])


def _run_of(
    fitted: Learner,
    rows: Table,
    at: tuple[int, int],  # repeat and fold
    test: Indices,
    train_size: int,
    fit_time: float,
    probabilistic: bool,
    lacks: tuple[Lack, ...],
) -> TestRun:
    tested = rows.take(test)
    start = time.perf_counter()
    predictor = fitted.predictor_
    with limited_to(fitted.jobs):
        if probabilistic:
            scores = predictor.scores(tested)
            codes, shares = predictor.choose(scores), softmax(scores)
        else:
            codes, shares = predictor.predict(tested), None
    predict_time = time.perf_counter() - start
    memory, size = footprint(predictor.model)
    return TestRun(
        *at, test, truth_of(tested), codes, shares, tested.weights, train_size, fit_time, predict_time, memory, size,
        lacks,
    )  # fmt: skip


def _distinct(ascending: Indices) -> int:
    """The number of distinct rows: the bootstrap draws some more than once."""
    return int(np.count_nonzero(np.diff(ascending))) + 1 if len(ascending) else 0


def footprint(model: AnyModel) -> tuple[float, float]:
    """The bytes of a model's arrays, and its size in nodes, rules or parameters (NaN if unknown)."""
    memory = float(model.n_bytes)
    try:
        return memory, float(model.size)
    except AttributeError:
        return memory, float("nan")


# -- by a learner's own way -----------------------------------------------------------------------


def _at_once(
    learner: Learner, rows: Table, method: KFold, random_state: Any, probabilistic: bool
) -> Iterator[TestRun]:
    """Fit each fold by a learner that fits all of them in one pass."""
    absences = Absences(rows)
    for repeat, parts in enumerate(method.part_codes(len(rows), rows.labels, random_state)):
        lacks = absences.by_part(parts, method.n_splits)
        start = time.perf_counter()
        for fold, fitted in enumerate(learner.fit_folds(rows, parts, method.n_splits)):
            fit_time = time.perf_counter() - start
            tested = np.flatnonzero(parts == fold)
            size = len(parts) - len(tested)
            yield _run_of(fitted, rows, (repeat, fold), tested, size, fit_time, probabilistic, lacks[fold])
            start = time.perf_counter()


# -- by adding summaries --------------------------------------------------------------------------


def _one_pass(
    learner: Learner, rows: Table, method: KFold, random_state: Any, probabilistic: bool
) -> Iterator[TestRun]:
    absences = Absences(rows)
    for repeat, parts in enumerate(method.part_codes(len(rows), rows.labels, random_state)):
        start = time.perf_counter()
        training = leave_each_out(Training.of(learner, rows).parts(parts, method.n_splits))
        each = (time.perf_counter() - start) / method.n_splits
        lacks = absences.by_part(parts, method.n_splits)
        for fold, others in enumerate(training):
            tested = np.flatnonzero(parts == fold)
            learned_from = len(parts) - len(tested)
            start = time.perf_counter()
            fitted = others.fit_learner()
            fit_time = each + time.perf_counter() - start
            yield _run_of(
                fitted, rows, (repeat, fold), tested, learned_from, fit_time, probabilistic, lacks[fold]
            )
