"""A learner tried on one split after another: what it predicted, and what that cost.

    runs    learner, table, method -> a Run for each split

Learners with a summary are not fitted again for each fold: one pass fills a summary for every part, adding
the others gives each training set, and leave-one-out has closed forms. The answers equal those of refitting.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.base.decision import normalised
from acumen.base.intake import training_table
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.resample import KFold, LeaveOneOut, Split
from acumen.summaries.algebra import leave_each_out
from acumen.types import Codes, Floats, Indices


@dataclass(frozen=True, slots=True)
class Run:
    """One split: the rows tested, what is true and what was predicted of them."""

    repeat: int
    fold: int
    test: Indices
    truth: Codes
    predicted: Codes
    proba: Floats | None
    weights: Floats  # of the rows tested; empty when every row weighs one
    train_size: int
    fit_time: float
    predict_time: float
    memory: float
    size: float
    notes: tuple[str, ...] = ()
    each_row: bool = False  # every row was tested by a model of its own


def prepared(learner: Any, table: Table) -> Table:
    """The rows that count for judging a learner: labelled and of weight above zero."""
    if table.labels is None:
        raise DataError("assess: the table has no nominal target; read it with target=.")
    rows = training_table(table, None, None, type(learner).__name__)
    assert rows.labels is not None
    known = np.flatnonzero(rows.labels >= 0)
    return rows if len(known) == len(rows) else rows.take(known)


def runs(
    learner: Any,
    rows: Table,
    method: Any,
    *,
    random_state: Any = None,
    refit: bool = False,
    proba: bool = True,
) -> Iterator[Run]:
    """Try the learner on every split of a method; `rows` as `prepared` gives them."""
    probabilistic = proba and learner.model_type.probabilistic
    if not refit and shares_summaries(learner, rows):
        if isinstance(method, KFold):
            yield from _one_pass(learner, rows, method, random_state, probabilistic)
            return
        if isinstance(method, LeaveOneOut) and _closed_form(learner, rows):
            yield _left_out(learner, rows, probabilistic)
            return
    for split in method.splits(len(rows), rows.labels, random_state):
        yield _refitted(learner, rows, split, probabilistic)


def shares_summaries(learner: Any, rows: Table) -> bool:
    """Whether training sets may be made by adding summaries.

    Not where a plan must see the training rows first, nor where class weights follow from them.
    """
    return (
        hasattr(learner, "fit_stream")
        and not learner.needs_plan(rows.schema)
        and getattr(learner, "class_weight", None) != "balanced"
    )


def _closed_form(learner: Any, rows: Table) -> bool:
    """Whether leave-one-out needs no refits; new priors would shift each row's scores in their own way."""
    return (
        rows.sparse is None and learner.can_leave_one_out(rows) and getattr(learner, "priors", None) is None
    )


def fresh(learner: Any) -> Any:
    """An unfitted copy."""
    from sklearn.base import clone

    return clone(learner)


# -- by refitting ---------------------------------------------------------------------------------


def _refitted(learner: Any, rows: Table, split: Split, probabilistic: bool) -> Run:
    training = rows.take(split.train)
    start = time.perf_counter()
    fitted = fresh(learner).fit(training)
    fit_time = time.perf_counter() - start
    return _judged(fitted, rows, split, fit_time, probabilistic, absent(training))


def absent(training: Table) -> tuple[str, ...]:
    """What a training part lacks of the whole table's schema."""
    assert training.labels is not None
    notes = []
    present = np.bincount(training.labels, minlength=training.schema.n_classes) > 0
    notes += [
        f"class {label!r} does not occur among the training rows"
        for label, there in zip(training.schema.classes, present, strict=True)
        if not there
    ]
    for attribute, codes in training.nominal_columns():
        seen = np.bincount(codes[codes >= 0], minlength=len(attribute.levels)) > 0
        if not seen.all():
            first = attribute.levels[int(np.argmin(seen))]
            notes.append(f"{attribute.name}: level {first!r} does not occur among the training rows")
    return tuple(notes)


def _judged(
    fitted: Any, rows: Table, split: Split, fit_time: float, probabilistic: bool, notes: tuple[str, ...]
) -> Run:
    tested = rows.take(split.test)
    start = time.perf_counter()
    predictor = fitted.predictor_
    shares = predictor.proba(tested) if probabilistic else None
    codes = predictor.predict(tested) if shares is None else predictor.decide(shares)
    predict_time = time.perf_counter() - start
    assert tested.labels is not None
    memory, size = footprint(predictor.model)
    return Run(
        split.repeat, split.fold, split.test, tested.labels, codes, shares, tested.weights, len(split.train),
        fit_time, predict_time, memory, size, notes,
    )  # fmt: skip


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
    for repeat, parts in enumerate(method.part_codes(len(rows), rows.labels, random_state)):
        maker = fresh(learner)
        start = time.perf_counter()
        maker.plan_ = maker._planned((), rows.schema)
        # Class weights stay in the summaries; a row's part is no longer known once rows weighted to zero are gone.
        weighted, kept = class_weighted(maker, rows)
        training = leave_each_out(maker._summaries_of(weighted, parts[kept], method.k))
        each = (time.perf_counter() - start) / method.k
        for fold, summary in enumerate(training):
            tested = parts == fold
            start = time.perf_counter()
            fitted = settled(learner, rows, maker.plan_, summary, len(rows) - int(tested.sum()))
            fit_time = each + time.perf_counter() - start
            split = Split(np.flatnonzero(~tested), np.flatnonzero(tested), repeat, fold)
            yield _judged(fitted, rows, split, fit_time, probabilistic, _absent_in(summary, rows))


def class_weighted(learner: Any, rows: Table) -> tuple[Table, Any]:
    """The rows with class weights multiplied in, and which of them are left."""
    if getattr(learner, "class_weight", None) is None:
        return rows, slice(None)
    assert rows.labels is not None
    from acumen.base.decision import resolve_class_weight

    factors = resolve_class_weight(
        learner.class_weight, rows.schema.classes, np.ones(1), type(learner).__name__
    )
    assert factors is not None
    kept = np.flatnonzero(factors[rows.labels] > 0)
    return learner._weighted(rows), kept


def settled(learner: Any, rows: Table, plan: Any, summary: Any, n_rows: int) -> Any:
    """A learner fitted from a training summary."""
    made = fresh(learner)
    made.plan_, made.summary_ = plan, summary
    made._settle(rows.schema, made._solved(summary), summary.class_totals, n_rows)
    return made


def _absent_in(summary: Any, rows: Table) -> tuple[str, ...]:
    """As `absent`, from a summary's counts."""
    notes = [
        f"class {label!r} does not occur among the training rows"
        for label, weight in zip(rows.schema.classes, summary.class_totals, strict=True)
        if weight <= 0
    ]
    for attribute, counts in zip(rows.schema.nominal, getattr(summary, "nominal", ()), strict=False):
        seen = counts.table[:, :-1].sum(axis=0) > 0
        if not seen.all():
            first = attribute.levels[int(np.argmin(seen))]
            notes.append(f"{attribute.name}: level {first!r} does not occur among the training rows")
    return tuple(notes)


# -- leaving one out ------------------------------------------------------------------------------


def _left_out(learner: Any, rows: Table, probabilistic: bool) -> Run:
    """Every row by the model of all the others, as one run; rows the closed form cannot answer are refitted."""
    start = time.perf_counter()
    whole = fresh(learner).fit(rows)
    predictor = whole.predictor_
    scores, refit = whole._leave_one_out(rows)
    for row in np.flatnonzero(refit):
        keep = np.delete(np.arange(len(rows)), row)
        scores[row] = fresh(learner).fit(rows.take(keep)).predictor_.scores(rows.take([row]))[0]
    shares = normalised(scores) if probabilistic or predictor.costs is not None else None
    codes = predictor.decide(scores if shares is None else shares)
    took = time.perf_counter() - start
    assert rows.labels is not None
    memory, size = footprint(whole.model_)
    return Run(
        0, 0, np.arange(len(rows)), rows.labels, codes, shares, rows.weights, len(rows) - 1, took, 0.0, memory, size,
        each_row=True,
    )  # fmt: skip
