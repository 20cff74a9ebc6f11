"""Laws on what must not matter: a constant weight for every row; for folds units, names and the order of columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.checks.subject import NotApplicable, Subject, require
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table


def a_constant_weight_changes_nothing(subject: Subject) -> None:
    """Rows that all weigh 3.7, 0.1 or 1/n teach what rows without weights teach.

    Whole weights are counts of rows, and learners with a penalty take weights as they are: neither is concerned.
    """
    if subject.learner.scale_sensitive:
        raise NotApplicable("a penalty stands beside the sum of its losses")
    rows = subject.table()
    plain = subject.new().fit(rows)
    for weight in (3.7, 0.1, 1 / len(rows)):
        even = subject.new().fit(rows, sample_weight=np.full(len(rows), weight))
        subject.require_same(even, plain, rows, f"every row weighing {weight:g}", 1e-8)


def units_of_numbers_do_not_move_folds(subject: Subject) -> None:
    """Where rows are dealt to folds by what they hold, numbers in other units give the same answers."""
    _require_unmoved(subject, units_changed, "numbers in other units")


def names_of_levels_do_not_move_folds(subject: Subject) -> None:
    """Where rows are dealt to folds by what they hold, other names for the levels give the same answers."""
    _require_unmoved(subject, levels_renamed, "other names for the levels")


def the_order_of_columns_does_not_move_folds(subject: Subject) -> None:
    """Where rows are dealt to folds by what they hold, columns in another order give the same answers."""
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

    def renamed(attribute: Attribute) -> Attribute:
        return replace(attribute, levels=tuple(f"level {at}" for at in range(len(attribute.levels))))

    attributes = tuple(renamed(a) if a.is_nominal else a for a in rows.schema.attributes)
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


LAWS = (
    a_constant_weight_changes_nothing,
    units_of_numbers_do_not_move_folds,
    names_of_levels_do_not_move_folds,
    the_order_of_columns_does_not_move_folds,
)
