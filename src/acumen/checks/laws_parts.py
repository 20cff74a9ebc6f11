"""Laws on learning part by part: the model does not depend on how the rows were cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from acumen.base.training import Training
from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, refusal, require
from acumen.data.align import align
from acumen.data.concat import concat
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, SchemaMismatch
from acumen.models.summary_arrays import summary_arrays


def chunks_equal_one_fit(subject: Subject) -> None:
    """`partial_fit` over chunks gives the model of `fit` on all rows."""
    learner = _split_into_chunks(subject, rows := _rows(subject))
    subject.require_same(learner, subject.new().fit(rows), rows, "chunks")
    uneven = data.with_weights(rows, np.random.default_rng(3).random(len(rows)))
    subject.require_same(
        _split_into_chunks(subject, uneven), subject.new().fit(uneven), rows, "chunks of relative weights"
    )
    X, y = subject.matrix()
    if subject.learner.needs_plan(subject.new().fit(X, y).schema_):
        return
    known = {"classes": [0, 1, 2]} if subject.classes else {}
    third = len(y) // 3
    learner = subject.new().partial_fit(X[:third], y[:third], **known)
    learner = learner.partial_fit(X[third:], y[third:], sample_weight=np.ones(len(y) - third))
    subject.require_same(learner, subject.new().fit(X, y), X, "chunks of an array")


def later_chunks_may_add_categories(subject: Subject) -> None:
    """A category that first occurs in a later chunk is treated as if declared from the start."""
    rows = _rows(subject)
    if not rows.schema.nominal:
        raise NotApplicable("it does not learn from nominal attributes")
    wider = tuple(a.with_levels((*a.levels, "new")) if a.is_nominal else a for a in rows.schema)
    later = rows.replace(
        schema=Schema(wider, rows.schema.target),
        nominal=[np.where(column == 0, np.int32(3), column) for column in rows.nominal.columns],
    )
    learner = subject.new().partial_fit(rows).partial_fit(later)
    whole = subject.new().fit(concat([align(rows, later.schema), later]))
    subject.require_same(learner, whole, later, "a level of a later chunk")


def streams_equal_one_fit(subject: Subject) -> None:
    """`fit_stream` over parts gives the model of `fit` on all rows, byte for byte."""
    subject.need_summary()
    if subject.parameters.get("unlabelled", "ignore") == "em":
        raise NotApplicable("it goes over unlabelled rows many times")
    awkward = _awkward(subject, subject.table())
    for rows in (subject.table(), awkward, data.with_weights(awkward, awkward.weights / 7)):
        fitted = subject.new().fit(rows)
        whole = fitted.model_.to_arrays()
        n = len(rows)
        for cuts in ([0, 1, 4 * n // 9, n], [0, n], [0, n // 3, 2 * n // 3, n]):
            parts = [rows.take(slice(a, b)) for a, b in itertools.pairwise(cuts)]
            streamed = subject.new().fit_stream(parts)
            arrays = streamed.model_.to_arrays()
            require(arrays.keys() == whole.keys(), "a stream gives other arrays")
            for name, array in whole.items():
                require(
                    array.dtype == arrays[name].dtype and array.tobytes() == arrays[name].tobytes(),
                    f"a stream in {len(parts)} parts gives another {name!r}",
                )
            require(streamed.schema_ == fitted.schema_, "a stream gives another schema")
            require(streamed.training_ == fitted.training_, "a stream counts other rows")


def one_shot_iterators_are_refused_if_rows_are_read_twice(subject: Subject) -> None:
    """A one-shot iterator is refused if the plan needs a separate pass, and accepted otherwise."""
    subject.need_summary()
    if subject.parameters.get("unlabelled", "ignore") == "em":
        raise NotApplicable("it goes over unlabelled rows many times")
    rows = subject.table()
    middle = 5 * len(rows) // 9
    parts = [rows.take(slice(0, middle)), rows.take(slice(middle, len(rows)))]

    def once() -> Iterator[Table]:
        yield from parts

    if subject.learner.needs_plan(rows.schema):
        message = refusal(DataError, lambda: subject.new().fit_stream(once()))
        require("once" in message, f"the sentence is: {message}")
    else:
        subject.require_same(subject.new().fit_stream(once()), subject.new().fit(rows), rows, "an iterator")
    refusal(DataError, lambda: subject.new().fit_stream([]))
    if subject.takes("class_weight"):
        balanced = subject.new(class_weight="balanced")
        require(
            "once" in refusal(DataError, lambda: balanced.fit_stream(once())), "balanced weights, one pass"
        )
        refusal(ParameterError, lambda: subject.new(class_weight="balanced").partial_fit(rows))


def partial_fit_continues_after_fit(subject: Subject) -> None:
    """`partial_fit` after `fit` continues from the fitted model."""
    rows = _rows(subject)
    half = len(rows) // 2
    going_on = subject.new().fit(rows.take(slice(0, half))).partial_fit(rows.take(slice(half, len(rows))))
    subject.require_same(going_on, subject.new().fit(rows), rows, "fit and then partial_fit")


def parts_in_one_pass_equal_parts_alone(subject: Subject) -> None:
    """The summaries of several parts computed in one pass, as in cross-validation, equal those of each part alone."""
    subject.need_summary()
    learner, rows = subject.fitted_learner()
    parts = np.random.default_rng(4).integers(-1, 3, len(rows)).astype(np.int32)  # -1: in no part
    training = Training.of(learner, rows)
    for p, part in enumerate(training.parts(parts, 3)):
        some = rows.take(np.flatnonzero(parts == p))
        alone = summary_arrays(
            Training(learner, training.schema, learner.training_rows(some), plan=training.plan).summary
        )
        together = summary_arrays(part.summary)
        # What all parts are counted in may have room for missing values that a part alone does not need.
        require(together.keys() >= alone.keys(), "an array is lacking")
        for name, array in alone.items():
            other = together[name]
            near = array.shape == other.shape and np.allclose(array, other, rtol=1e-9, equal_nan=True)
            require(near, f"part {p} has another {name!r}")


def summaries_of_different_plans_do_not_add(subject: Subject) -> None:
    """Two summaries add only if they have the same plan; otherwise adding them raises an error that says so."""
    subject.need_summary()
    rows = subject.table()
    if not subject.learner.needs_plan(rows.schema):
        raise NotApplicable("it needs no plan")
    one = subject.new().fit(rows.take(slice(0, len(rows) // 2)))
    other = subject.new().fit(subject.table(seed=3).take(slice(20, 30)))
    mine, theirs = one.plan_.to_arrays(), other.plan_.to_arrays()
    same = mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)
    require(not same, "other rows gave the same plan")
    refusal(SchemaMismatch, lambda: one.summary_ + other.summary_)


def _rows(subject: Subject) -> Table:
    """Rows that can be learned from in chunks: no plan is made of the first chunk alone."""
    subject.need_summary()
    rows = subject.table(text=False)
    if subject.learner.needs_plan(rows.schema):
        raise NotApplicable("its plan is settled by the first chunk")
    return rows


def _awkward(subject: Subject, rows: Table) -> Table:
    """The same with the target as first column, with weights, some of them zero, and with targets missing."""
    number = np.arange(len(rows))
    some = subject.without_target(rows, number % 7 == 3)
    target = some.schema.target
    assert target is not None
    return some.replace(
        schema=Schema(some.schema.attributes, target, columns=(target.name, *some.schema.names)),
        weights=(number % 4).astype(np.float64),
    )


def _split_into_chunks(subject: Subject, rows: Table) -> Any:
    learner = subject.new()
    n = len(rows)
    for a, b in ((0, n // 9), (n // 9, n // 9 + 1), (n // 9 + 1, 2 * n // 3), (2 * n // 3, n)):
        require(learner.partial_fit(rows.take(slice(a, b))) is learner, "partial_fit does not return self")
    if subject.classes:
        require(learner.classes_.tolist() == list(data.CLASSES), "the classes are not the declared ones")
    return learner


LAWS = (
    chunks_equal_one_fit,
    later_chunks_may_add_categories,
    streams_equal_one_fit,
    one_shot_iterators_are_refused_if_rows_are_read_twice,
    partial_fit_continues_after_fit,
    parts_in_one_pass_equal_parts_alone,
    summaries_of_different_plans_do_not_add,
)
