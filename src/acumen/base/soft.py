"""Soft labels: for each row a share of every class instead of one label.

A row that is 0.7 of one class and 0.3 of another is two rows of these weights, so that every learner that
minds row weights can learn from shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.base.labels import encode_labels
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import MISSING, Bools, Codes, Floats, Indices, Label

_TOLERANCE = 1e-6


def is_soft(y: Any) -> bool:
    """Whether `y` has a column for each class; one column alone is a column of labels."""
    return len(y.shape) == 2 and y.shape[1] > 1


def read_shares(y: Any, who: str, classes: Sequence[Label] | None) -> tuple[Floats, tuple[Label, ...]]:
    """The shares, (rows, classes), and the classes: the names of a frame's columns, or 0, 1, ... of an array's."""
    try:
        shares = np.array(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{who}: y of shape {np.shape(y)} must hold the shares of the classes, which are numbers."
        ) from None
    unlabelled = _unlabelled(shares)
    known = shares[~unlabelled]
    if not np.all(known >= 0) or np.any(np.abs(known.sum(axis=1) - 1.0) > _TOLERANCE):
        raise DataError(
            f"{who}: y of shape {shares.shape} must hold the shares of the classes in each row, numbers of at least "
            "0 that sum to 1; give one label a row for labels."
        )
    named = list(y.columns) if hasattr(y, "columns") else None
    if named is None:
        made = tuple(range(shares.shape[1])) if classes is None else tuple(classes)
        if len(made) != shares.shape[1]:
            raise DataError(f"{who}: y has shares of {shares.shape[1]} classes; there are {len(made)}.")
        return shares, made
    codes, made = encode_labels(np.array(named, dtype=object), who, classes)
    if len(set(codes.tolist())) != len(named) or MISSING in codes:
        raise DataError(f"{who}: the columns of y must be one for each class; got {named!r}.")
    ordered = np.where(unlabelled[:, None], np.nan, np.zeros((len(shares), len(made))))
    ordered[:, codes] = shares
    return ordered, made


def shared_out(table: Table, shares: Floats, weights: Floats) -> tuple[Table, Codes, Floats, Floats]:
    """Rows, labels, weights and shares that say the same: a row for each class that has a share in it."""
    unlabelled = _unlabelled(shares)
    every = np.column_stack([np.where(np.isnan(shares), 0.0, shares), unlabelled.astype(np.float64)])
    rows: Indices
    rows, columns = np.nonzero(every)
    labels = np.where(columns < shares.shape[1], columns, MISSING).astype(np.int32)
    factor = every[rows, columns]
    return table.take(rows), labels, factor * weights[rows] if weights.size else factor, factor


def _unlabelled(shares: Floats) -> Bools:
    return np.asarray(np.isnan(shares).all(axis=1))
