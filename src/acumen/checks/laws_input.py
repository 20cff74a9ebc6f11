"""Laws on what may be handed in: tables, frames, arrays, labels, missing values, unseen levels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, refusal, require
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import MISSING, UNKNOWN

if TYPE_CHECKING:
    from acumen.base.learner import Learner


def tables_frames_and_arrays_agree(subject: Subject) -> None:
    """The same numbers give the same predictions as a Table, a data frame, an array and a sparse matrix."""
    from scipy.sparse import csr_matrix

    X, y = subject.matrix()
    learner = subject.new().fit(X, y)
    names = [f"x{j}" for j in range(X.shape[1])]
    table = subject.with_target(X, y)
    expected = subject.answers(learner, X)
    fits = {"a Table": (subject.new().fit(table), table), "lists": (learner, X.tolist())}
    if (frame := _frame(X, names)) is not None:
        fits["a data frame"] = (subject.new().fit(frame, y), frame)
    if learner.__sklearn_tags__().input_tags.sparse:
        fits["a sparse matrix"] = (subject.new().fit(csr_matrix(X), y), csr_matrix(X))
    fits["an array by columns"] = (subject.new().fit(np.asfortranarray(X), y), np.asfortranarray(X))
    for what, (other, rows) in fits.items():
        same = subject.alike(subject.answers(other, rows), expected)
        require(same, f"{what} is answered differently from an array")


def columns_are_matched_by_name(subject: Subject) -> None:
    """Columns of Tables and frames are matched by name in any order; additional columns are ignored."""
    learner, rows = subject.fitted_learner()
    names = list(rows.schema.names)
    turned = rows.select(names[::-1])
    require(_equal(subject, learner, rows, turned), "columns in another order are answered differently")
    if not rows.schema.text:
        wider = rows.replace(
            schema=Schema((Attribute("aside"), *rows.schema.attributes), rows.schema.target),
            sparse=None,
            numeric=[np.zeros(len(rows)), *rows.numeric.columns],
        )
        require(_equal(subject, learner, rows, wider), "a further column changes the answer")
    X, y = subject.matrix()
    if (frame := _frame(X, ["p", "q", "r"])) is not None:
        learner = subject.new().fit(frame, y)
        require(_equal(subject, learner, frame, frame[["r", "p", "q"]]), "a frame in another order")


def a_missing_column_is_named(subject: Subject) -> None:
    """Predicting without a training column raises an error that names it."""
    learner, rows = subject.fitted_learner()
    names = list(rows.schema.names)
    if len(names) < 2:
        raise NotApplicable("it learns from one column")
    message = refusal(DataError, lambda: subject.predictions(learner, rows.select(names[1:])))
    require(repr(names[0]) in message, f"the sentence does not name the column: {message}")


def arrays_are_matched_by_position(subject: Subject) -> None:
    """An array with another number of columns is refused, with both numbers in the message."""
    X, y = subject.matrix()
    learner = subject.new().fit(X, y)
    for wrong in (X[:, :-1], np.column_stack([X, X[:, 0]])):
        message = refusal(ValueError, lambda wrong=wrong: subject.predictions(learner, wrong))
        require(str(wrong.shape[1]) in message and str(X.shape[1]) in message, f"the sentence is: {message}")


def classes_are_sorted_for_arrays_and_declared_for_tables(subject: Subject) -> None:
    """`classes_` are sorted if labels are an array, and in declared order if a Table carries them."""
    subject.need_classes()
    learner, rows = subject.fitted_learner()
    require(learner.classes_.tolist() == list(data.CLASSES), "the Table's order of classes is not kept")
    values = rows.label_values().astype(str)
    if subject.is_ordinal:
        sentence = refusal(DataError, lambda: subject.new().fit(data.without_target(rows), values))
        require("order" in sentence, f"what is lacking is not said: {sentence}")
        return
    learner = subject.new().fit(data.without_target(rows), values)
    require(learner.classes_.tolist() == sorted(data.CLASSES), "the classes of an array are not sorted")


def labels_keep_their_type(subject: Subject) -> None:
    """Labels that are text, whole numbers, booleans or floats are predicted as the same type."""
    subject.need_classes()
    rows = subject.table()
    inputs, codes = data.without_target(rows), rows.class_codes
    for y in (
        codes.astype(np.int64) * 7 - 3,
        codes > 0,
        codes.astype(np.float64),
        np.array(["b", "a", "c"])[np.minimum(codes, 1) if subject.is_ordinal else codes],
    ):
        predictions = subject.new().fit(inputs, y).predict(inputs)
        require(
            predictions.dtype.kind == y.dtype.kind, f"labels of {y.dtype} come back as {predictions.dtype}"
        )
        require(
            set(predictions.tolist()) <= set(y.tolist()), f"predictions are none of the labels of {y.dtype}"
        )
    objects = np.array(["b", "a", "c"], dtype=object)[np.minimum(codes, 1) if subject.is_ordinal else codes]
    require(
        set(subject.new().fit(inputs, objects).predict(inputs)) <= {"a", "b", "c"}, "labels that are objects"
    )


def missing_values_are_accepted(subject: Subject) -> None:
    """Rows with missing values, even with no other values, can be trained on and predicted."""
    learner, rows = subject.fitted_learner()
    empty = data.without_target(rows).take(slice(0, 2))
    nothing = Table(
        empty.schema,
        2,
        numeric=[np.full(2, np.nan) for _ in empty.schema.numeric],
        nominal=[np.full(2, MISSING, dtype=np.int32) for _ in empty.schema.nominal],
        text=[np.array([None, None], dtype=object) for _ in empty.schema.text],
    )
    subject.require_answers(learner, nothing, data.CLASSES)


def unseen_levels_are_accepted(subject: Subject) -> None:
    """Rows with an unseen category can be predicted; a declared category without rows is allowed in training."""
    seen, rows = subject.fitted_learner()
    nominal = rows.schema.nominal
    if not nominal:
        raise NotApplicable("it does not learn from nominal attributes")
    wider = tuple(a.with_levels((*a.levels, "unheard of")) if a.is_nominal else a for a in rows.schema)
    learner = subject.new().fit(rows.replace(schema=Schema(wider, rows.schema.target)))
    strange = rows.replace(nominal=[np.full(len(rows), UNKNOWN, dtype=np.int32) for _ in nominal])
    for fitted in (learner, seen):
        for new_rows in (rows, strange):
            subject.require_answers(fitted, new_rows, data.CLASSES)


def data_are_left_untouched(subject: Subject) -> None:
    """Training and predicting never change the data passed in; read-only arrays are accepted."""
    rows = subject.table()
    before = data.snapshot(rows)
    subject.answers(subject.new().fit(rows), rows)
    for old, new in zip(before, data.snapshot(rows), strict=True):
        same = np.array_equal(old, new, equal_nan=old.dtype.kind == "f")
        require(same, "an array of the table was written to")
    X, y = subject.matrix()
    X.flags.writeable = y.flags.writeable = False
    weights = np.linspace(0.5, 2.0, len(X))
    weights.flags.writeable = False
    subject.predictions(subject.new().fit(X, y, sample_weight=weights), X)


def rows_without_label_are_ignored(subject: Subject) -> None:
    """Rows with a missing label change nothing, except for a learner set to use them."""
    subject.need_target()
    if subject.learner.learns_unlabelled:
        raise NotApplicable("it learns from rows without a label")
    rows = subject.table()
    gone = np.arange(len(rows)) % 4 == 0
    some = subject.new().fit(subject.without_target(rows, gone))
    kept = subject.new().fit(rows.take(np.flatnonzero(~gone)))
    vocabulary = rows.schema.text  # the words of unlabelled rows must not count either
    subject.require_same(some, kept, rows, "with rows without label" + (" of text" if vocabulary else ""))
    inputs = data.without_target(rows)
    if subject.numbers:
        targets = rows.target_numbers.astype(object)
        targets[gone] = None
        subject.require_same(subject.new().fit(inputs, targets), kept, rows, "None among the numbers of y")
        return
    numbers = rows.class_codes.astype(np.float64)
    numbers[gone] = math.nan
    fitted = subject.new().fit(inputs, numbers)
    if subject.columns and fitted.schema_.target is None:  # what makes columns may forget the classes
        subject.require_same(fitted, kept, rows, "NaN among the labels")
    else:
        require(len(fitted.schema_.classes) == 3, "NaN became a class")
    if subject.is_ordinal:  # words in an array have no order
        return
    values = rows.label_values()
    values[gone] = None
    other = subject.new().fit(inputs, values)
    if subject.columns and other.schema_.target is None:
        subject.require_same(other, kept, rows, "None among the labels")
    else:
        require(sorted(other.schema_.classes) == sorted(data.CLASSES), "None became a class")


def _frame(X: Any, names: list[str]) -> Any:
    try:
        import pandas as pd
    except ImportError:
        return None
    return pd.DataFrame(X, columns=names)


def _equal(subject: Subject, learner: Learner, one: Any, other: Any) -> bool:
    return subject.alike(subject.answers(learner, one), subject.answers(learner, other), 1e-12)


LAWS = (
    tables_frames_and_arrays_agree,
    columns_are_matched_by_name,
    a_missing_column_is_named,
    arrays_are_matched_by_position,
    classes_are_sorted_for_arrays_and_declared_for_tables,
    labels_keep_their_type,
    missing_values_are_accepted,
    unseen_levels_are_accepted,
    data_are_left_untouched,
    rows_without_label_are_ignored,
)
