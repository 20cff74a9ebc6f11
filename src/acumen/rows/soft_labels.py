"""Soft labels: for each row a share of every class instead of one label.

A row that is 0.7 of one class and 0.3 of another is two rows of these weights, so that every learner that
minds row weights can learn from shares. At least one share must lie between 0 and 1: a matrix of 0 and 1 alone is
refused, since it may as well be labels as indicators or several targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.errors import DataError
from acumen.rows.labels import encode_labels, several_targets
from acumen.types import MISSING, Bools, Codes, Floats, Indices, Label

_TOLERANCE = 1e-6


def is_soft(y: Any) -> bool:
    """Whether `y` has a column for each class; one column alone is a column of labels."""
    return len(y.shape) == 2 and y.shape[1] > 1


def read_shares(y: Any, who: str, classes: Sequence[Label] | None) -> tuple[Floats, tuple[Label, ...]]:
    """The shares, (rows, classes), and the classes: the names of a frame's columns, or 0, 1, ... of an array's.

    A matrix of 0 and 1 alone is refused unless `classes` are declared: it may be shares, labels as indicators or
    several targets, and only its author knows.
    """
    try:
        shares = np.array(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise several_targets(np.shape(y), who) from None
    unlabelled = _is_unlabelled(shares)
    known = shares[~unlabelled]
    sums_to_one = bool(np.all(known >= 0) and np.all(np.abs(known.sum(axis=1) - 1.0) <= _TOLERANCE))
    if not sums_to_one:
        hint = " Shares of the classes (soft labels) must be at least 0 and sum to 1 in each row."
        raise several_targets(shares.shape, who, hint=hint)
    if classes is None and len(known) and np.isin(known, (0.0, 1.0)).all():
        example = "y.idxmax(axis=1)" if hasattr(y, "idxmax") else "y.argmax(axis=1)"
        raise several_targets(
            shares.shape, who,
            hint=f" All values are 0 or 1. If each column is a class, give one label a row: {example}.",
        )  # fmt: skip
    named = list(y.columns) if hasattr(y, "columns") else None
    if named is None:
        encoded = tuple(range(shares.shape[1])) if classes is None else tuple(classes)
        if len(encoded) != shares.shape[1]:
            raise DataError(f"{who}: y has shares of {shares.shape[1]} classes; there are {len(encoded)}.")
        return shares, encoded
    codes, encoded = encode_labels(np.array(named, dtype=object), who, classes)
    if len(set(codes.tolist())) != len(named) or MISSING in codes:
        raise DataError(f"{who}: the columns of y must be one for each class; got {named!r}.")
    ordered = np.where(unlabelled[:, None], np.nan, np.zeros((len(shares), len(encoded))))
    ordered[:, codes] = shares
    return ordered, encoded


def shared_out(table: Table, shares: Floats, weights: Floats) -> tuple[Table, Codes, Floats, Floats]:
    """Rows, labels, weights and shares that say the same: a row for each class that has a share in it."""
    unlabelled = _is_unlabelled(shares)
    every = np.column_stack([np.where(np.isnan(shares), 0.0, shares), unlabelled.astype(np.float64)])
    rows: Indices
    rows, columns = np.nonzero(every)
    labels = np.where(columns < shares.shape[1], columns, MISSING).astype(np.int32)
    factor = every[rows, columns]
    return table.take(rows), labels, factor * weights[rows] if weights.size else factor, factor


def _is_unlabelled(shares: Floats) -> Bools:
    return np.asarray(np.isnan(shares).all(axis=1))
