"""Check labels, scores, probabilities and weights from users, and convert them to the form that measures take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.data.columns import sorted_levels
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.rows.labels import encode_labels, label_vector
from acumen.types import MISSING, Array, Bools, Codes, Floats, Label

NO_WEIGHTS: Floats = np.empty(0)
NO_WEIGHTS.flags.writeable = False

#: More classes than these are numbers that someone took for classes.
MOST_LABELS = 10_000
#: How far from 1 the probabilities of a row may sum; single precision needs it.
SUM_TOLERANCE = 1e-5


def row_weights(weights: Any, n_rows: int, who: str) -> Floats:
    """Weights as float64, one per row; empty if all rows have weight one."""
    if weights is None or (isinstance(weights, np.ndarray) and not weights.size and weights.ndim == 1):
        return NO_WEIGHTS
    array = np.ascontiguousarray(weights, dtype=np.float64)
    if array.shape != (n_rows,):
        raise DataError(
            f"{who}: there are {n_rows} rows but weights of shape {array.shape}; give one per row."
        )
    if array.size and not (array.min() >= 0 and array.max() < np.inf):
        raise DataError(f"{who}: weights must be finite numbers of at least 0.")
    return array


def score_vector(scores: Any, n_rows: int, who: str) -> Floats:
    """Convert scores to float64, one per row; NaN is kept, since the caller decides how to sort it."""
    try:
        array = np.ascontiguousarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: scores must be numbers, one per row.") from None
    if array.ndim != 1:
        raise DataError(
            f"{who}: scores must be one number per row; got an array of shape {np.shape(scores)}. "
            "From a matrix of probabilities, take the column of the positive class."
        )
    if len(array) != n_rows:
        raise DataError(f"{who}: there are {n_rows} labels but {len(array)} scores; give one per row.")
    return array


def refuse_nan(scores: Floats, who: str) -> None:
    """Raise DataError, naming the row, if a score is NaN."""
    missing = np.isnan(scores)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise DataError(
            f"{who}: the score of row {row} (from 0) is not a number (nor are {missing.sum() - 1} others); "
            "leave these rows out."
        )


def positive_rows(y: Any, positive: Label, who: str) -> Bools:
    """Which rows are of the positive class; at least one must be, and no label may be missing."""
    labels = label_vector(y, who)
    if labels.dtype.kind in "OT":
        if any(v is None or v != v for v in labels.tolist()):
            raise DataError(f"{who}: y holds missing labels; leave these rows out.")
    elif labels.dtype.kind == "f" and np.isnan(labels).any():
        raise DataError(f"{who}: y holds missing labels (NaN); leave these rows out.")
    flags = np.asarray(labels == positive)
    if flags.shape != labels.shape:  # numpy's answer when the two cannot be compared
        flags = np.zeros(labels.shape, dtype=np.bool_)
    if not flags.any():
        if not len(labels):
            raise DataError(f"{who}: there are no rows.")
        known = [str(v) for v in np.unique(labels.astype(str))[:8]]
        raise DataError(
            f"{who}: no row is of the positive class {positive!r}; y holds {', '.join(known)}."
            + did_you_mean(str(positive), known)
        )
    return np.ascontiguousarray(flags, dtype=np.bool_)


def require_both_classes(flags: Bools, weights: Floats, positive: Label, who: str) -> None:
    """Raise DataError unless both positive and negative rows have weight."""
    for wanted, words in ((flags, f"of the positive class {positive!r}"), (~flags, "of another class")):
        if not (np.any(weights[wanted] > 0) if weights.size else wanted.any()):
            raise DataError(f"{who}: there must be at least one row {words}.")


def common_codes(
    y_true: Any, y_pred: Any, labels: Sequence[Label] | None, who: str
) -> tuple[Codes, Codes, tuple[Label, ...]]:
    """Codes of both over the sorted union of their labels, or over `labels`; a missing true label is -1."""
    truth, true_levels = encode_labels(label_vector(y_true, who), who)
    predicted, predicted_levels = encode_labels(label_vector(y_pred, who), who)
    if len(truth) != len(predicted):
        raise DataError(
            f"{who}: there are {len(truth)} true labels but {len(predicted)} predictions; give one per row."
        )
    if np.any(predicted == MISSING):
        row = int(np.flatnonzero(predicted == MISSING)[0])
        raise DataError(
            f"{who}: the prediction of row {row} (from 0) is missing; predict it or leave it out."
        )
    if len({isinstance(level, str) for level in (*true_levels, *predicted_levels)}) > 1:
        raise DataError(
            f"{who}: one of y_true and y_pred holds text and the other numbers; make the labels of one type."
        )
    all_levels = dict.fromkeys((*true_levels, *predicted_levels))
    order = sorted_levels(all_levels) if labels is None else given_labels(labels, list(all_levels), who)
    if len(order) > MOST_LABELS:
        raise DataError(
            f"{who}: there are {len(order)} different labels; these look like numbers, not classes."
        )
    place = {label: code for code, label in enumerate(order)}

    def recode(codes: Codes, levels: Sequence[Label]) -> Codes:
        return np.array([*(place[level] for level in levels), MISSING], dtype=np.int32)[codes]

    return recode(truth, true_levels), recode(predicted, predicted_levels), order


def given_labels(labels: Sequence[Label], found: Sequence[Label], who: str) -> tuple[Label, ...]:
    """The labels in the caller's order; they must be distinct and include all that occur."""
    order = tuple(np.asarray(labels, dtype=object).tolist())
    if len(set(order)) != len(order):
        raise ParameterError(f"{who}: labels must be distinct; got {order!r}.")
    for label in found:
        if label not in order:
            raise ParameterError(f"{who}: labels must list every class; {label!r} is not among them.")
    return order


def probability_rows(proba: Any, n_rows: int, n_classes: int, who: str) -> Floats:
    """Probabilities (rows, classes); classes that no model knew get columns of 0."""
    array = np.asarray(proba, dtype=np.float64)
    if array.ndim != 2 or len(array) != n_rows or array.shape[1] > n_classes:
        raise DataError(
            f"{who}: probabilities must be {n_rows} rows of at most {n_classes} classes; "
            f"got an array of shape {array.shape}."
        )
    if array.size and not (array.min() >= 0 and array.max() <= 1 + SUM_TOLERANCE):
        raise DataError(f"{who}: probabilities must be numbers from 0 to 1.")
    sums = array.sum(axis=1)
    if array.size and np.abs(sums - 1).max() > SUM_TOLERANCE:
        row = int(np.argmax(np.abs(sums - 1)))
        raise DataError(
            f"{who}: the probabilities of row {row} (from 0) must sum to 1; they sum to {sums[row]:g}."
        )
    if array.shape[1] == n_classes:
        return array
    return np.hstack([array, np.zeros((n_rows, n_classes - array.shape[1]))])


def ratio(part: Array | float, whole: Array | float) -> Floats:
    """part / whole; NaN if the whole is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)


def defined_mean(values: Floats, weights: Floats | None = None) -> float:
    """The (weighted) mean of the values that are not NaN; NaN when there is none."""
    known = ~np.isnan(values)
    weight = known.astype(np.float64) if weights is None else np.where(known, weights, 0.0)
    total = weight.sum()
    return float(np.where(known, values, 0.0) @ weight / total) if total > 0 else float("nan")


def plain(value: float) -> float | None:
    """A number for JSON: None if undefined."""
    return None if np.isnan(value) else float(value)
