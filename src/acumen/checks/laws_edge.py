"""Laws on data with nothing in them: a learner works, or refuses in a sentence; it never crashes."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.checks import data
from acumen.checks.subject import Subject, refusal, require
from acumen.data.table import Table
from acumen.errors import AcumenError, DataError


def one_class_alone(subject: Subject) -> None:
    """Rows of a single class are learned from, and then always predicted; or refused in a sentence."""
    rows = subject.table()
    assert rows.labels is not None
    single = data.with_classes(rows, ("only",), np.zeros_like(rows.labels))
    _require_answers(subject, subject.works_or_says_why(single), single, ("only",))


def one_row_alone(subject: Subject) -> None:
    """A single row is learned from, or refused in a sentence."""
    rows = subject.table().take([0])
    _require_answers(subject, subject.works_or_says_why(rows), rows, data.CLASSES)


def no_rows_are_refused(subject: Subject) -> None:
    """No rows, no labels, or no weight at all are refused in a sentence that names the learner."""
    rows = subject.table()
    assert rows.labels is not None
    for what in (
        rows.take(slice(0, 0)),
        data.remade(rows, labels=np.full_like(rows.labels, -1)),
        data.weighted(rows, np.zeros(len(rows))),
        data.unlabelled(rows),
    ):
        said = refusal(AcumenError, lambda what=what: subject.new().fit(what))
        require(subject.name in said, f"the sentence does not name the learner: {said}")


def a_column_without_values(subject: Subject) -> None:
    """A column in which every value is missing is learned from, or refused in a sentence."""
    rows = subject.table()
    empty = Table(
        rows.schema,
        len(rows),
        numeric=[np.full(len(rows), np.nan), *rows.numeric.columns[1:]] if rows.schema.numeric else (),
        nominal=[np.full(len(rows), -1, dtype=np.int32), *rows.nominal.columns[1:]] if rows.schema.nominal else (),
        text=[np.array([None] * len(rows), dtype=object) for _ in rows.schema.text],
        labels=rows.labels,
    )  # fmt: skip
    _require_answers(subject, subject.works_or_says_why(empty), empty, data.CLASSES)
    _require_answers(subject, subject.works_or_says_why(empty), rows, data.CLASSES)


def constant_columns(subject: Subject) -> None:
    """Columns that never change are learned from, or refused in a sentence."""
    rows = subject.table()
    n = len(rows)
    flat = Table(
        rows.schema,
        n,
        numeric=[np.full(n, 3.5) for _ in rows.schema.numeric],
        nominal=[np.zeros(n, dtype=np.int32) for _ in rows.schema.nominal],
        text=[np.array(["same"] * n, dtype=object) for _ in rows.schema.text],
        labels=rows.labels,
    )
    learner = subject.works_or_says_why(flat)
    _require_answers(subject, learner, flat, data.CLASSES)
    _require_answers(subject, learner, rows, data.CLASSES)


def huge_and_infinite_numbers(subject: Subject) -> None:
    """Numbers of 1e300 in training, and infinite ones, are learned from, or refused in a sentence."""
    X, y = subject.matrix()
    X[0, 0], X[1, 0], X[2, 1] = 1e300, -1e300, 1e-300
    learner = subject.works_or_says_why(X, y)
    _require_answers(subject, learner, X, (0, 1, 2))
    X[3, 2] = np.inf
    _require_answers(subject, subject.works_or_says_why(X, y), X, (0, 1, 2))


def repeated_rows(subject: Subject) -> None:
    """Rows that are all the same, with different labels, are learned from, or refused in a sentence."""
    rows = subject.table().take(np.zeros(12, dtype=np.intp))
    labels = (np.arange(12) % 3).astype(np.int32)
    same = data.remade(rows, labels=labels)
    _require_answers(subject, subject.works_or_says_why(same), same, data.CLASSES)


def mismatched_lengths_are_refused(subject: Subject) -> None:
    """Labels or weights of another length than the rows are refused."""
    X, y = subject.matrix()
    refusal(DataError, lambda: subject.new().fit(X, y[:-1]))
    refusal(DataError, lambda: subject.new().fit(X, y, sample_weight=np.ones(len(y) - 1)))
    refusal(DataError, lambda: subject.new().fit(X, y, sample_weight=-np.ones(len(y))))


def _require_answers(subject: Subject, learner: Any, X: Any, classes: tuple[Any, ...]) -> None:
    if learner is None:
        return
    require(set(learner.predict(X).tolist()) <= set(classes), "a prediction is no class")
    if subject.probabilistic:
        found = learner.predict_proba(X)
        require(np.isfinite(found).all(), "a probability is not finite")
        require(np.allclose(found.sum(axis=1), 1.0), "probabilities do not sum to 1")
    learner.describe()


LAWS = (
    one_class_alone,
    one_row_alone,
    no_rows_are_refused,
    a_column_without_values,
    constant_columns,
    huge_and_infinite_numbers,
    repeated_rows,
    mismatched_lengths_are_refused,
)
