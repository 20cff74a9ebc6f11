"""Laws on data with nothing in them: a learner works, or refuses in a sentence; it never crashes."""

from __future__ import annotations

import numpy as np

from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, refusal, require
from acumen.data.schema import Attribute, Schema
from acumen.errors import AcumenError, DataError


def one_class_alone(subject: Subject) -> None:
    """Rows of a single class can be trained on, and the class is then always predicted; or `fit` refuses."""
    subject.need_classes()
    rows = subject.table()
    single = data.with_classes(rows, ("only",), np.zeros_like(rows.class_codes))
    subject.require_answers(subject.works_or_says_why(single), single, ("only",))


def one_row_alone(subject: Subject) -> None:
    """A single row can be trained on, or `fit` refuses with a message."""
    rows = subject.table().take([0])
    subject.require_answers(subject.works_or_says_why(rows), rows, data.CLASSES)


def no_rows_are_refused(subject: Subject) -> None:
    """No rows, no labels or no weight at all are refused with a message that names the learner."""
    rows = subject.table()
    nothing = [rows.take(slice(0, 0)), data.with_weights(rows, np.zeros(len(rows)))]
    if subject.has_target:
        nothing.append(subject.without_target(rows, slice(None)))
    if subject.has_target and not subject.learner.learns_without_target:
        nothing.append(data.without_target(rows))
    for what in nothing:
        message = refusal(AcumenError, lambda what=what: subject.new().fit(what))
        require(subject.name in message, f"the sentence does not name the learner: {message}")


def a_column_without_values(subject: Subject) -> None:
    """A column with only missing values can be trained on, or `fit` refuses with a message."""
    rows = subject.table()
    empty = data.with_empty_columns(rows)
    subject.require_answers(subject.works_or_says_why(empty), empty, data.CLASSES)
    subject.require_answers(subject.works_or_says_why(empty), rows, data.CLASSES)


def constant_columns(subject: Subject) -> None:
    """Constant columns can be trained on, or `fit` refuses with a message."""
    rows = subject.table()
    flat = data.with_constant_columns(rows)
    learner = subject.works_or_says_why(flat)
    subject.require_answers(learner, flat, data.CLASSES)
    subject.require_answers(learner, rows, data.CLASSES)


def a_constant_column_changes_nothing(subject: Subject) -> None:
    """An additional constant column changes no prediction.

    Where bins, widths or a kernel depend on the number of columns it may, and the learner says so in
    `constant_sensitive`.
    """
    subject.need_no_chance()
    if subject.learner.constant_sensitive:
        raise NotApplicable("it heeds the number of columns")
    learner, rows = subject.fitted_learner()
    plain, n = subject.answers(learner, rows), len(rows)
    for flat in (Attribute("flat"), Attribute("flat", "nominal", ("always",))):
        schema = Schema((*rows.schema.attributes, flat), rows.schema.target)
        if subject.learner.objection(schema) is not None:
            continue
        wider = rows.replace(
            schema=schema,
            sparse=None,
            numeric=[*rows.numeric.columns, *([np.full(n, 3.5)] if flat.is_numeric else [])],
            nominal=[*rows.nominal.columns, *([np.zeros(n, dtype=np.int32)] if flat.is_nominal else [])],
        )
        same = subject.alike(subject.answers(subject.new().fit(wider), wider), plain, 1e-6)
        require(same, f"a {flat.kind} column that never changes makes a difference")


def huge_and_infinite_numbers(subject: Subject) -> None:
    """Training numbers of 1e300 and infinite ones are accepted, or `fit` refuses with a message."""
    X, y = subject.matrix()
    X[0, 0], X[1, 0], X[2, 1] = 1e300, -1e300, 1e-300
    learner = subject.works_or_says_why(X, y)
    subject.require_answers(learner, X, (0, 1, 2))
    X[3, 2] = np.inf
    subject.require_answers(subject.works_or_says_why(X, y), X, (0, 1, 2))


def repeated_rows(subject: Subject) -> None:
    """Equal rows with different labels can be trained on, or `fit` refuses with a message."""
    rows = subject.table().take(np.zeros(12, dtype=np.intp))
    target = (np.arange(12) % 3).astype(np.int32)
    same = (
        rows.replace(response=target.astype(np.float64)) if subject.numbers else rows.replace(labels=target)
    )
    subject.require_answers(subject.works_or_says_why(same), same, data.CLASSES)


def mismatched_lengths_are_refused(subject: Subject) -> None:
    """Labels or weights whose length differs from the number of rows are refused."""
    X, y = subject.matrix()
    if subject.has_target:
        refusal(DataError, lambda: subject.new().fit(X, y[:-1]))
    refusal(DataError, lambda: subject.new().fit(X, y, sample_weight=np.ones(len(y) - 1)))
    refusal(DataError, lambda: subject.new().fit(X, y, sample_weight=-np.ones(len(y))))


LAWS = (
    one_class_alone,
    one_row_alone,
    no_rows_are_refused,
    a_column_without_values,
    constant_columns,
    a_constant_column_changes_nothing,
    huge_and_infinite_numbers,
    repeated_rows,
    mismatched_lengths_are_refused,
)
