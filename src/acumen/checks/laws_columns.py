"""Laws on transformers: other columns in place of a table's own."""

from __future__ import annotations

import numpy as np

from acumen.checks import data
from acumen.checks.subject import Subject, require
from acumen.data.table import Table
from acumen.types import MISSING


def fit_transform_is_fit_and_transform(subject: Subject) -> None:
    """`fit_transform` gives what `transform` gives after `fit`, of Tables and of arrays."""
    subject.need_columns()
    rows = subject.table()
    X, y = subject.matrix()
    labels = y if subject.targeted else None
    for what, given, own in (("a Table", rows, None), ("an array", X, labels)):
        apart = subject.said(subject.new().fit(given, own), given)
        at_once = subject.new().fit_transform(given, own)
        if isinstance(at_once, Table):
            names = subject.new().fit(given, own).get_feature_names_out()
            at_once = np.column_stack([at_once.column(name) for name in names])
        require(np.array_equal(apart, at_once, equal_nan=True), f"of {what} the two differ")
    if subject.targeted:
        return
    other = subject.new().fit(X, y)
    require(
        subject.alike(subject.answers(other, X), subject.answers(subject.new().fit(X), X)), "y plays a part"
    )


def every_column_has_a_name(subject: Subject) -> None:
    """`get_feature_names_out` has a name of its own for every column, in arrays and in Tables."""
    subject.need_columns()
    learner, rows = subject.fitted()
    names = learner.get_feature_names_out().tolist()
    require(len(set(names)) == len(names), "a name comes twice")
    require(
        subject.said(learner, rows).shape == (len(rows), len(names)), "there are not as many names as columns"
    )
    made = learner.transform(rows)
    require(isinstance(made, Table), f"a Table becomes a {type(made).__name__}")
    require(
        all(name in made.schema and made.schema[name].is_numeric for name in names),
        "a column has another name",
    )


def targets_and_weights_are_kept(subject: Subject) -> None:
    """A Table comes back with its rows, its target and its weights, so that a learner may follow."""
    subject.need_columns()
    rows = subject.table()
    weights = np.linspace(0.5, 2.0, len(rows))
    rows = data.weighted(rows, weights)
    made = subject.new().fit(rows).transform(rows)
    require(len(made) == len(rows), "there are other rows")
    require(made.schema.target == rows.schema.target, "the target is another")
    require(np.array_equal(made.label_values(), rows.label_values()), "the labels are others")
    require(np.array_equal(made.row_weights, weights), "the weights are others")


def columns_of_a_row_are_its_own(subject: Subject) -> None:
    """What a row becomes does not depend on the rows beside it, nor on their order."""
    subject.need_columns()
    learner, rows = subject.fitted()
    order = np.random.default_rng(5).permutation(len(rows))[: len(rows) // 2]
    found = subject.answers(learner, rows.take(order))
    require(
        subject.alike(found, subject.answers(learner, rows)[order], 1e-12), "rows in another order differ"
    )


def columns_do_not_depend_on_the_target(subject: Subject) -> None:
    """What a row becomes does not depend on its own target, though `fit` may have learned from targets."""
    subject.need_columns()
    learner, rows = subject.fitted()
    expected = subject.answers(learner, rows)
    for what, labels in (
        ("other", rows.class_codes[::-1].copy()),
        ("no", np.full(len(rows), MISSING, np.int32)),
    ):
        found = subject.answers(learner, rows.replace(labels=labels))
        require(np.array_equal(found, expected), f"rows with {what} classes become others")
    bare = subject.answers(learner, data.unlabelled(rows))
    require(np.array_equal(bare, expected), "rows without a target become others")


def gaps_do_not_spread(subject: Subject) -> None:
    """A row without missing values has columns without missing values, whatever is missing elsewhere."""
    subject.need_columns()
    learner, rows = subject.fitted()
    whole = [np.isfinite(column) for column in rows.numeric.columns]
    whole += [column >= 0 for column in rows.nominal.columns]
    full = np.flatnonzero(np.all(whole, axis=0))
    require(
        np.isfinite(subject.said(learner, rows)[full]).all(), "a value is missing, or infinite, for no reason"
    )


LAWS = (
    fit_transform_is_fit_and_transform,
    every_column_has_a_name,
    targets_and_weights_are_kept,
    columns_of_a_row_are_its_own,
    columns_do_not_depend_on_the_target,
    gaps_do_not_spread,
)
