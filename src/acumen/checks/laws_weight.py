"""Laws on weights and symmetries: what may change in the data without changing the model.

Laws on what must not matter: a constant weight for every row; for folds units, names and the order of columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, refusal, require
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.types import Floats


def a_constant_weight_changes_nothing(subject: Subject) -> None:
    """Rows that all weigh 3.7, 0.1 or 1/n give the same model as rows without weights.

    Whole weights are counts of rows, and learners with a penalty take weights as they are: neither is concerned.
    """
    if subject.learner.scale_sensitive:
        raise NotApplicable("a penalty is added to the sum of its losses")
    rows = subject.table()
    plain = subject.new().fit(rows)
    for weight in (3.7, 0.1, 1 / len(rows)):
        even = subject.new().fit(rows, sample_weight=np.full(len(rows), weight))
        subject.require_same(even, plain, rows, f"every row weighing {weight:g}", 1e-8)


def units_of_numbers_do_not_move_folds(subject: Subject) -> None:
    """If rows are assigned to folds by their content, numbers in other units give the same predictions."""
    _require_unmoved(subject, units_changed, "numbers in other units")


def names_of_levels_do_not_move_folds(subject: Subject) -> None:
    """If rows are assigned to folds by their content, renamed categories give the same predictions."""
    _require_unmoved(subject, levels_renamed, "other names for the levels")


def the_order_of_columns_does_not_move_folds(subject: Subject) -> None:
    """If rows are assigned to folds by their content, columns in another order give the same predictions."""
    _require_unmoved(subject, columns_turned, "columns in another order")


def _require_unmoved(subject: Subject, change: Callable[[Table], Table], what: str) -> None:
    if not subject.learner.folds_by_content:
        raise NotApplicable("it deals no rows to folds by what they hold")
    subject.need_no_chance()
    rows = subject.table(text=False)
    plain, other = subject.new().fit(rows), subject.new().fit(change(rows))
    mine, theirs = subject.answers(plain, rows), subject.answers(other, change(rows))
    require(subject.alike(mine, theirs, 1e-5), f"{what} change the answers")


# -- the same rows, written otherwise -------------------------------------------------------------


def units_changed(rows: Table) -> Table:
    """The same rows with each number in another unit, from another zero."""
    numbers = [
        column * factor + zero
        for column, (factor, zero) in zip(
            rows.numeric.columns, itertools.cycle([(0.25, 3.0), (1000.0, 0.0), (1.8, 32.0)]), strict=False
        )
    ]
    return _remade(rows, rows.schema, numbers, list(rows.nominal.columns), list(rows.text))


def levels_renamed(rows: Table) -> Table:
    """The same rows with other names for levels, which then come in another order where they have none."""

    def rename_levels(attribute: Attribute) -> Attribute:
        return replace(attribute, levels=tuple(f"level {at}" for at in range(len(attribute.levels))))

    attributes = tuple(rename_levels(a) if a.is_nominal else a for a in rows.schema.attributes)
    nominal = [
        codes if a.ordered else np.where(codes >= 0, len(a.levels) - 1 - codes, codes).astype(np.int32)
        for a, codes in rows.nominal_columns()
    ]
    schema = Schema(attributes, rows.schema.target)
    return _remade(rows, schema, list(rows.numeric.columns), nominal, list(rows.text))


def columns_turned(rows: Table) -> Table:
    """The same rows, the last column first."""
    schema = Schema(rows.schema.attributes[::-1], rows.schema.target)
    return _remade(
        rows,
        schema,
        list(rows.numeric.columns)[::-1],
        list(rows.nominal.columns)[::-1],
        list(rows.text)[::-1],
    )


def _remade(
    rows: Table, schema: Schema, numeric: Sequence[Any], nominal: Sequence[Any], text: Sequence[Any]
) -> Table:
    return rows.replace(schema=schema, sparse=None, numeric=numeric, nominal=nominal, text=text)


def a_weight_of_two_is_a_repeated_row(subject: Subject) -> None:
    """A row of weight 2 gives the same model as two equal rows."""
    subject.need_no_chance()
    rows = subject.table()
    twice = np.where(np.arange(len(rows)) % 3 == 0, 2.0, 1.0)
    heavy = subject.new().fit(rows, sample_weight=twice)
    repeated = subject.new().fit(rows.take(np.repeat(np.arange(len(rows)), twice.astype(int))))
    subject.require_same(heavy, repeated, rows, "weights against repeated rows")
    weighted = subject.new().fit(data.with_weights(rows, twice))
    subject.require_same(weighted, heavy, rows, "a Table's own weights against sample_weight")


def the_unit_of_weights_is_irrelevant(subject: Subject) -> None:
    """Weights that are not whole are relative: multiplying them by a constant gives the same model.

    Learners whose penalty is added to a sum of losses take weights as they are, and say so in `scale_sensitive`.
    """
    if subject.learner.scale_sensitive:
        raise NotApplicable("a penalty is added to the sum of its losses")
    rows = subject.table()
    weights = np.random.default_rng(7).uniform(0.5, 2.5, len(rows))
    weights[::9] = 0.0
    plain = subject.new().fit(rows, sample_weight=weights)
    require(
        plain.training_["weights"] == "relative", "it does not say that the weights were read as relative"
    )
    for factor in (2.0**-9, 1e-5, 1 / weights.sum(), 3e4, 1e300):
        other = subject.new().fit(rows, sample_weight=weights * factor)
        subject.require_same(other, plain, rows, f"weights times {factor:g}", 1e-7)
    even = subject.new().fit(rows, sample_weight=np.full(len(rows), 1 / len(rows)))
    subject.require_same(even, subject.fitted_learner()[0], rows, "equal weights that sum to 1", 1e-7)


def a_weight_of_zero_is_an_absent_row(subject: Subject) -> None:
    """Rows of weight 0 have no effect, except that their categories and classes are declared."""
    rows = subject.table()
    weights = np.where(np.arange(len(rows)) % 4 == 0, 0.0, 1.0)
    zero = subject.new().fit(rows, sample_weight=weights)
    absent = subject.new().fit(rows.take(np.flatnonzero(weights)))
    subject.require_same(zero, absent, rows, "rows of weight zero")


def heavy_rows_attract_the_predictions_of_random_learners(subject: Subject) -> None:
    """A learner that draws at random predicts a class, or high numbers, more often if such rows weigh more.

    Repeated rows lead to other draws, so that this is all that can be asked of its weights. Every row occurs twice
    and the target is shuffled: equal rows then have different targets, between which only the weights decide.
    """
    if not subject.classes:
        subject.need_numbers()
    if not subject.random:
        raise NotApplicable("it draws no random numbers: its weights are compared with repeated rows")
    rows = subject.table()
    rows = rows.take(np.arange(len(rows)) // 2)
    order = np.random.default_rng(11).permutation(len(rows))
    if subject.numbers:
        assert rows.response is not None
        response = rows.response[order]
        rows = rows.replace(response=response)
        high = response > np.median(response)
    else:
        assert rows.labels is not None
        labels = rows.labels[order]
        rows = rows.replace(labels=labels)
        high = labels == 0

    def mean_prediction(weights: Floats) -> float:
        learner = subject.new().fit(rows, sample_weight=weights)
        if subject.probabilistic:
            return float(learner.predict_proba(rows)[:, 0].mean())
        predictions = learner.predict(rows)
        return float(np.mean(predictions if subject.numbers else predictions == learner.classes_[0]))

    heavy, light = mean_prediction(np.where(high, 20.0, 1.0)), mean_prediction(np.where(high, 1.0, 20.0))
    require(
        heavy > light, f"heavy rows give a mean prediction of {heavy:g}, the same rows when light {light:g}"
    )


def all_weights_one_are_no_weights(subject: Subject) -> None:
    """Weights of 1 have no effect."""
    plain, rows = subject.fitted_learner()
    one = subject.new().fit(rows, sample_weight=np.ones(len(rows)))
    subject.require_same(one, plain, rows, "weights of one")


def class_weights_multiply_row_weights(subject: Subject) -> None:
    """`class_weight` multiplies the weights of each class's rows; "balanced" gives all classes the same weight."""
    subject.need("class_weight")
    rows = subject.table()
    factors = np.array([1.0, 3.0, 0.5])
    class_weight = dict(zip(data.CLASSES, factors.tolist(), strict=True))
    wished = subject.new(class_weight=class_weight).fit(rows)
    by_hand = subject.new().fit(rows, sample_weight=factors[rows.class_codes])
    subject.require_same(wished, by_hand, rows, "class weights")
    uneven = rows.take(np.flatnonzero((rows.class_codes != 2) | (np.arange(len(rows)) % 2 == 0)))
    counts = np.bincount(uneven.class_codes, minlength=3)
    even = (len(uneven) / (3 * counts))[uneven.class_codes]
    balanced = subject.new(class_weight="balanced").fit(uneven)
    subject.require_same(balanced, subject.new().fit(uneven, sample_weight=even), rows, "balanced classes")


def class_weights_that_leave_no_row_are_refused(subject: Subject) -> None:
    """Class weights of 0 for every class with rows are refused with a message that names class_weight."""
    subject.need("class_weight")
    rows = subject.table()
    none = dict.fromkeys(data.CLASSES, 0.0)
    one_class = rows.take(np.flatnonzero(rows.class_codes == 0))
    for wish, some in ((none, rows), ({data.CLASSES[0]: 0}, one_class)):
        ways = ["fit", *(way for way in ("partial_fit", "fit_stream") if hasattr(subject.learner, way))]
        if subject.parameters.get("unlabelled", "ignore") == "em":
            ways = ["fit"]
        for way in ways:
            learner, argument = subject.new(class_weight=wish), [some] if way == "fit_stream" else some
            message = refusal((ParameterError, DataError), lambda: getattr(learner, way)(argument))  # noqa: B023 - called now
            require(
                message.startswith(f"{subject.name}: ") and "class_weight" in message,
                f"{way} says: {message}",
            )


def the_order_of_rows_is_irrelevant(subject: Subject) -> None:
    """Shuffled rows give the same model."""
    subject.need_no_chance()
    if subject.groups:
        raise NotApplicable("groups are numbered by their first row; they have a law of their own")
    plain, rows = subject.fitted_learner()
    order = np.random.default_rng(5).permutation(len(rows))
    subject.require_same(plain, subject.new().fit(rows.take(order)), rows, "shuffled rows", 1e-8)


def relabelling_classes_permutes_the_answers(subject: Subject) -> None:
    """Renaming and reordering the classes changes only their names and order in the answers."""
    if subject.is_ordinal:
        raise NotApplicable("the order of the classes means something to it")
    subject.need_classes()
    subject.need_no_chance()
    learner, rows = subject.fitted_learner()
    place = np.array([2, 0, 1], dtype=np.int32)  # the class of code c gets code place[c]
    names = [""] * 3
    for code, name in enumerate(data.CLASSES):
        names[place[code]] = name.upper()
    other = subject.new().fit(data.with_classes(rows, names, place[rows.class_codes]))
    if subject.probabilistic:
        away = np.abs(learner.predict_proba(rows) - other.predict_proba(rows)[:, place]).max()
        require(away <= 1e-8, f"relabelled classes: probabilities differ by {away:g}")
    else:
        relabelled = [str(label).upper() for label in learner.predict(rows)]
        require(relabelled == other.predict(rows).tolist(), "relabelled classes: predictions differ")


LAWS = (
    a_weight_of_two_is_a_repeated_row,
    heavy_rows_attract_the_predictions_of_random_learners,
    the_unit_of_weights_is_irrelevant,
    a_weight_of_zero_is_an_absent_row,
    all_weights_one_are_no_weights,
    class_weights_multiply_row_weights,
    class_weights_that_leave_no_row_are_refused,
    the_order_of_rows_is_irrelevant,
    relabelling_classes_permutes_the_answers,
    a_constant_weight_changes_nothing,
    units_of_numbers_do_not_move_folds,
    names_of_levels_do_not_move_folds,
    the_order_of_columns_does_not_move_folds,
)
