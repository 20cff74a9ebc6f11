"""Laws on weights and symmetries: what may change in the data without changing the model."""

from __future__ import annotations

import numpy as np

from acumen.checks import data
from acumen.checks.subject import Subject, require


def a_weight_of_two_is_a_repeated_row(subject: Subject) -> None:
    """A row of weight 2 teaches what two equal rows teach."""
    subject.need_no_chance()
    rows = subject.table()
    twice = np.where(np.arange(len(rows)) % 3 == 0, 2.0, 1.0)
    heavy = subject.new().fit(rows, sample_weight=twice)
    repeated = subject.new().fit(rows.take(np.repeat(np.arange(len(rows)), twice.astype(int))))
    subject.require_same(heavy, repeated, rows, "weights against repeated rows")
    own = subject.new().fit(data.weighted(rows, twice))
    subject.require_same(own, heavy, rows, "a Table's own weights against sample_weight")


def a_weight_of_zero_is_an_absent_row(subject: Subject) -> None:
    """Rows of weight 0 are as if they were not there, their levels and classes apart."""
    rows = subject.table()
    weights = np.where(np.arange(len(rows)) % 4 == 0, 0.0, 1.0)
    zero = subject.new().fit(rows, sample_weight=weights)
    absent = subject.new().fit(rows.take(np.flatnonzero(weights)))
    subject.require_same(zero, absent, rows, "rows of weight zero")


def all_weights_one_are_no_weights(subject: Subject) -> None:
    """Weights of 1 change nothing."""
    rows = subject.table()
    one = subject.new().fit(rows, sample_weight=np.ones(len(rows)))
    subject.require_same(one, subject.new().fit(rows), rows, "weights of one")


def class_weights_multiply_row_weights(subject: Subject) -> None:
    """`class_weight` multiplies the weights of each class's rows; "balanced" makes the classes equal."""
    subject.need("class_weight")
    rows = subject.table()
    assert rows.labels is not None
    factors = np.array([1.0, 3.0, 0.5])
    given = dict(zip(data.CLASSES, factors.tolist(), strict=True))
    wished = subject.new(class_weight=given).fit(rows)
    by_hand = subject.new().fit(rows, sample_weight=factors[rows.labels])
    subject.require_same(wished, by_hand, rows, "class weights")
    uneven = rows.take(np.flatnonzero((rows.labels != 2) | (np.arange(len(rows)) % 2 == 0)))
    assert uneven.labels is not None
    counts = np.bincount(uneven.labels, minlength=3)
    even = (len(uneven) / (3 * counts))[uneven.labels]
    balanced = subject.new(class_weight="balanced").fit(uneven)
    subject.require_same(balanced, subject.new().fit(uneven, sample_weight=even), rows, "balanced classes")


def the_order_of_rows_is_irrelevant(subject: Subject) -> None:
    """Shuffled rows give the same model."""
    subject.need_no_chance()
    rows = subject.table()
    order = np.random.default_rng(5).permutation(len(rows))
    subject.require_same(
        subject.new().fit(rows), subject.new().fit(rows.take(order)), rows, "shuffled rows", 1e-8
    )


def relabelling_classes_permutes_the_answers(subject: Subject) -> None:
    """Other names for the classes, in another order, change nothing but the names and the order."""
    subject.need_classes()
    subject.need_no_chance()
    rows = subject.table()
    assert rows.labels is not None
    place = np.array([2, 0, 1], dtype=np.int32)  # the class of code c gets code place[c]
    names = [""] * 3
    for code, name in enumerate(data.CLASSES):
        names[place[code]] = name.upper()
    other = subject.new().fit(data.with_classes(rows, names, place[rows.labels]))
    learner = subject.new().fit(rows)
    if subject.probabilistic:
        away = np.abs(learner.predict_proba(rows) - other.predict_proba(rows)[:, place]).max()
        require(away <= 1e-8, f"relabelled classes: probabilities differ by {away:g}")
    else:
        said = [str(label).upper() for label in learner.predict(rows)]
        require(said == other.predict(rows).tolist(), "relabelled classes: predictions differ")


LAWS = (
    a_weight_of_two_is_a_repeated_row,
    a_weight_of_zero_is_an_absent_row,
    all_weights_one_are_no_weights,
    class_weights_multiply_row_weights,
    the_order_of_rows_is_irrelevant,
    relabelling_classes_permutes_the_answers,
)
