"""What users hand to a regressor's `fit`, as a table with a numeric target.

regression_table   X, y, sample_weight -> rows with a response and weights
known_rows         the rows whose response is a number
"""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from acumen import messages
from acumen.data.memory.cells import moments, objects
from acumen.data.report import Report
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.rows.intake import as_table, refuse_file, replace_target, row_weights, target_name
from acumen.rows.labels import label_vector
from acumen.types import Array, Floats


def regression_table(X: Any, y: Any, sample_weight: Any, who: str) -> Table:
    """Rows with a response (NaN where it is missing) and weights; rows of weight zero are ignored."""
    refuse_file(X, who)
    if y is None and not (isinstance(X, Table) and X.response is not None):
        if isinstance(X, Table) and X.schema.target is not None:
            raise DataError(f"{who}: {needs_numbers(X.schema.target.name)}")
        raise DataError(f"{who} requires y to be passed, but the target y is None.")
    table = as_table(X)
    weights = row_weights(sample_weight, table, who)
    if y is None:
        response, schema = table.target_numbers, table.schema
        _require_finite(response, who)
    else:
        response = response_vector(y, who)
        schema = Schema(table.schema.attributes, Attribute(target_name(y, table.schema)))
    if len(response) != len(table):
        raise DataError(
            f"{who}: Found input variables with inconsistent numbers of samples: [{len(table)}, {len(response)}]."
        )
    training = replace_target(table, schema, None, weights, response)
    if weights.size and not weights.all():
        training = training.take(np.flatnonzero(weights))
        if not len(training):
            raise DataError(f"{who}: every row has weight zero; there is nothing to learn from.")
    if training.response is None or np.isnan(training.response).all():
        raise DataError(f"{who}: no row has a known target; there is nothing to learn from.")
    return training


def needs_numbers(target: str) -> str:
    """What to do about a nominal target, as a sentence."""
    return (
        f"the target {target!r} is nominal, and a regressor needs numbers; read the table with "
        f"{messages.option('kinds', {target: 'numeric'})}, or take a classifier."
    )


def response_vector(y: Any, who: str) -> Floats:
    """`y` as one float64 a row, NaN where missing; text is refused unless it is missing.

    Dates and durations are days, as they are in columns of inputs.
    """
    values = label_vector(y if hasattr(y, "shape") else np.asarray(y), who, "number")
    if values.dtype.kind in "iubf":
        response = values.astype(np.float64)
    elif values.dtype.kind in "mM" or (values.dtype == object and any(map(_is_moment, values.tolist()))):
        response = _days(values, who)
    else:
        response = _of_objects(values, who)
    _require_finite(response, who)
    return np.ascontiguousarray(response)


def _is_moment(value: Any) -> bool:
    return isinstance(value, (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64))


def _days(values: Array, who: str) -> Floats:
    """Durations in days; dates in days since 1970-01-01."""
    column = (
        objects("y", values.astype(object), Report())
        if values.dtype == object
        else moments("y", values, Report())
    )
    if column.kind != "numeric":
        raise DataError(
            f"{who}: y mixes dates or durations with other values; a regressor needs one number a row."
        )
    return column.to_floats()


def _of_objects(values: Array, who: str) -> Floats:
    numbers = np.empty(len(values))
    for i, value in enumerate(values.tolist()):
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            numbers[i] = np.nan
            continue
        if isinstance(value, str):
            raise DataError(
                f"{who}: y holds the text {value!r}, and a regressor needs numbers; take a classifier for classes."
            )
        try:
            numbers[i] = float(value)
        except (TypeError, ValueError):
            kind = type(value).__name__
            raise DataError(f"{who}: y must be one number a row; row {i} (from 0) holds a {kind}.") from None
    return numbers


def _require_finite(response: Floats, who: str) -> None:
    if np.isinf(response).any():
        raise DataError(
            f"{who}: Input y contains infinity or a value too large for {response.dtype!r}; leave such rows out."
        )


def known_rows(table: Table) -> Table:
    """The rows whose response is known."""
    missing = np.isnan(table.target_numbers)
    return table.take(np.flatnonzero(~missing)) if missing.any() else table
