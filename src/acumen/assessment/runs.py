"""A learner tried on one split after another: what it predicted, and what that cost.

    ground   learner, table, method -> the rows that count, and the method for them
    runs     learner, rows, method  -> a Run for each split

Learners with a summary are not fitted again for each fold: one pass fills a summary for every part, adding
the others gives each training set, and leave-one-out has closed forms (`left_out`). The answers equal those of
refitting.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.assessment.absent import Absences, Lack
from acumen.base.decision import normalised, resolve_class_weight
from acumen.base.intake import relabelled, training_table
from acumen.base.model import Task
from acumen.base.responses import needs_numbers, regression_table
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError
from acumen.resample import KFold, LeaveOneOut, Split
from acumen.summaries.algebra import leave_each_out
from acumen.types import Array, Bools, Floats, Indices


@dataclass(frozen=True, slots=True)
class Run:
    """One split: the rows tested, what is true and what was predicted of them."""

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


def ground(learner: Any, table: Table, method: Any) -> Ground:
    """The rows that count for judging a learner, and what splits them."""
    if not isinstance(table, Table):
        raise DataError(
            f"assess: the rows must be a Table, as acumen.read(data, target=...) gives; got {type(table).__name__}."
        )
    numeric = task_of(learner) == "regression"
    if numeric and table.response is None:
        target = table.schema.target
        raise DataError(
            "assess: the table has no target; read it with target=."
            if target is None
            else f"assess: {needs_numbers(target.name)}"
        )
    if not numeric and table.labels is None:
        if table.response is None:
            raise DataError("assess: the table has no nominal target; read it with target=.")
        training_table(table, None, None, "assess")  # which says what to do
    weighty = table.weights > 0 if table.weights.size else np.ones(len(table), dtype=np.bool_)
    kept = np.flatnonzero(weighty & known_target(table))
    some = table.take(kept) if len(kept) < len(table) else table
    made = regression_table if numeric else training_table
    rows = made(some, None, None, _named(learner))
    unlabelled = None
    if numeric and getattr(method, "stratified", False):
        method = replace(method, stratified=False)  # there are no classes to be dealt out evenly
    if getattr(learner, "unlabelled", "ignore") == "em":
        without = np.flatnonzero(weighty & ~known_target(table))
        if without.size:
            some = table.take(without)
            unlabelled = relabelled(some, some.schema, some.labels, some.weights)
    groups = getattr(method, "groups", None)
    if groups is not None and len(groups) == len(table) > len(kept):
        method = replace(method, groups=groups[kept])
    return Ground(rows, kept, method, unlabelled)


def task_of(learner: Any) -> Task:
    """Whether a learner predicts classes or numbers."""
    task: Task = learner.model_type.task
    return task


def known_target(table: Table) -> Bools:
    """Which rows have a label, or a number."""
    if table.labels is not None:
        return table.labels >= 0
    assert table.response is not None
    return ~np.isnan(table.response)


def truth_of(rows: Table) -> Array:
    """The codes of the classes, or the numbers."""
    truth = rows.labels if rows.labels is not None else rows.response
    assert truth is not None
    return truth


def prepared(learner: Any, table: Table) -> Table:
    """The rows that count for judging a learner: of known target and of weight above zero."""
    return ground(learner, table, None).rows


def _named(learner: Any) -> str:
    return type(learner).__name__


# -- splits ---------------------------------------------------------------------------------------


def runs(
    learner: Any,
    rows: Table,
    method: Any,
    *,
    random_state: Any = None,
    refit: bool = False,
    proba: bool = True,
    unlabelled: Table | None = None,
) -> Iterator[Run]:
    """Try the learner on every split of a method; `rows` as `ground` gives them."""
    from acumen.assessment.left_out import closed_form, left_out

    probabilistic = proba and learner.model_type.probabilistic
    if not refit and unlabelled is None and shares_summaries(learner, rows):
        if isinstance(method, KFold):
            yield from _one_pass(learner, rows, method, random_state, probabilistic)
            return
        if isinstance(method, LeaveOneOut) and method.by_row and closed_form(learner, rows):
            yield left_out(learner, rows, probabilistic)
            return
    absences = Absences(rows)
    for split in method.splits(len(rows), rows.labels, random_state):
        yield _refitted(learner, rows, split, probabilistic, absences, unlabelled)


def shares_summaries(learner: Any, rows: Table) -> bool:
    """Whether training sets may be made by adding summaries.

    Not where a plan must see the training rows first, nor where class weights follow from them.
    """
    return (
        hasattr(learner, "summarise")
        and not learner.needs_plan(rows.schema)
        and getattr(learner, "class_weight", None) != "balanced"
    )


def fresh(learner: Any) -> Any:
    """An unfitted copy."""
    from sklearn.base import clone

    return clone(learner)


# -- by refitting ---------------------------------------------------------------------------------


def _refitted(
    learner: Any,
    rows: Table,
    split: Split,
    probabilistic: bool,
    absences: Absences,
    unlabelled: Table | None,
) -> Run:
    training = joined(rows.take(split.train), unlabelled)
    start = time.perf_counter()
    fitted = fresh(learner).fit(training)
    fit_time = time.perf_counter() - start
    at, size = (split.repeat, split.fold), _distinct(split.train)
    return _judged(fitted, rows, at, split.test, size, fit_time, probabilistic, absences.among(split.train))


def joined(training: Table, unlabelled: Table | None) -> Table:
    """The training rows with the unlabelled ones, which are in every training set of a learner that uses them."""
    if unlabelled is None:
        return training
    from acumen.data.concat import concat

    return concat([training, unlabelled])


def _judged(
    fitted: Any,
    rows: Table,
    at: tuple[int, int],  # repeat and fold
    test: Indices,
    train_size: int,
    fit_time: float,
    probabilistic: bool,
    lacks: tuple[Lack, ...],
) -> Run:
    tested = rows.take(test)
    start = time.perf_counter()
    predictor = fitted.predictor_
    with limited_to(fitted._jobs):
        if probabilistic:
            scores = predictor.scores(tested)
            codes, shares = predictor.choose(scores), normalised(scores)
        else:
            codes, shares = predictor.predict(tested), None
    predict_time = time.perf_counter() - start
    memory, size = footprint(predictor.model)
    return Run(
        *at, test, truth_of(tested), codes, shares, tested.weights, train_size, fit_time, predict_time, memory, size,
        lacks,
    )  # fmt: skip


def _distinct(ascending: Indices) -> int:
    """How many different rows: the bootstrap names some of them more than once."""
    return int(np.count_nonzero(np.diff(ascending))) + 1 if len(ascending) else 0


def footprint(model: Any) -> tuple[float, float]:
    """Bytes of a model's arrays, and its size in nodes, rules or parameters (NaN where it cannot tell)."""
    memory = float(sum(array.nbytes for array in model.to_arrays().values()))
    try:
        return memory, float(model.n_parameters)
    except AttributeError:
        return memory, float("nan")


# -- by adding summaries --------------------------------------------------------------------------


def _one_pass(
    learner: Any, rows: Table, method: KFold, random_state: Any, probabilistic: bool
) -> Iterator[Run]:
    absences = Absences(rows)
    for repeat, parts in enumerate(method.part_codes(len(rows), rows.labels, random_state)):
        maker = fresh(learner)
        maker._check_parameters()
        maker._object_to(rows.schema)
        start = time.perf_counter()
        maker.plan_ = maker._planned((), rows.schema)
        training = leave_each_out(maker._weighed_parts(rows, parts, method.k))
        each = (time.perf_counter() - start) / method.k
        lacks = absences.by_part(parts, method.k)
        for fold, summary in enumerate(training):
            tested = np.flatnonzero(parts == fold)
            learned_from = len(parts) - len(tested)
            start = time.perf_counter()
            fitted = settled(learner, rows, maker.plan_, summary, learned_from)
            fit_time = each + time.perf_counter() - start
            yield _judged(
                fitted, rows, (repeat, fold), tested, learned_from, fit_time, probabilistic, lacks[fold]
            )


def class_weighted(learner: Any, rows: Table) -> tuple[Table, Any]:
    """The rows with given class weights multiplied in, and which of them are left."""
    wish = getattr(learner, "class_weight", None)
    if wish is None:
        return rows, slice(None)
    assert rows.labels is not None
    totals = np.ones(rows.schema.n_classes)
    factors = resolve_class_weight(wish, rows.schema.classes, totals, _named(learner))
    assert factors is not None
    return learner._weighted(rows), np.flatnonzero(rows.row_weights * factors[rows.labels])


def settled(learner: Any, rows: Table, plan: Any, weighed: Any, n_rows: int) -> Any:
    """A learner fitted from a training summary and what its rows weigh."""
    made = fresh(learner)
    if not made._totals(weighed.sums).sum() > 0:
        raise DataError(
            f"{_named(learner)}: every training row of a split has weight zero; use other class weights."
        )
    made.plan_, made.summary_, made.weighing_, made.n_iter_ = plan, weighed.sums, weighed.weighing, 1
    with limited_to(made._jobs):
        made._settle(rows.schema, *made._finished(weighed), n_rows)
    return made
