"""From class scores to a decision: changed priors and the costs of errors, for all learners.

resolve_costs    the costs parameter -> (predicted, true) matrix
resolve_priors   the priors parameter -> one probability per class
by_threshold     probabilities -> codes, predicting one class from a threshold on
threshold_costs  a threshold expressed as costs
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from acumen.errors import ParameterError, did_you_mean
from acumen.types import Codes, Floats, Label

_MOST = float(np.finfo(np.float64).max)
#: Up to this width numpy also adds the numbers of a row from left to right.
_NARROW = 7


def resolve_costs(costs: Any, classes: Sequence[Label], who: str) -> Floats | None:
    """A cost matrix: rows are predicted, columns true classes. [default: 1 for an error, 0 on the diagonal]"""
    if costs is None:
        return None
    k = len(classes)
    if isinstance(costs, Mapping):
        matrix = np.ones((k, k)) - np.eye(k)
        for pair, cost in costs.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ParameterError(f"{who}: a key of costs must be a pair (predicted, true); got {pair!r}.")
            at = _code(pair[0], classes, who, "costs"), _code(pair[1], classes, who, "costs")
            matrix[at] = _number(cost, who, f"the cost of {pair!r}")
    else:
        try:
            matrix = np.array(costs, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(
                f"{who}: costs must be a matrix of numbers or a mapping; got {costs!r}."
            ) from None
    if matrix.shape != (k, k):
        raise ParameterError(
            f"{who}: costs must be {k} x {k}, one row and column a class; got {matrix.shape}."
        )
    if not np.all(np.isfinite(matrix)):
        raise ParameterError(f"{who}: costs must be finite numbers.")
    return matrix


def resolve_priors(priors: Any, classes: Sequence[Label], who: str) -> Floats | None:
    """One probability per class, summing to 1."""
    if priors is None:
        return None
    k = len(classes)
    if isinstance(priors, str):
        if priors != "uniform":
            raise ParameterError(f"{who}: priors must be a mapping, an array or 'uniform'; got {priors!r}.")
        return np.full(k, 1.0 / k)
    if isinstance(priors, Mapping):
        values = np.full(k, np.nan)
        for label, share in priors.items():
            values[_code(label, classes, who, "priors")] = _number(share, who, f"the prior of {label!r}")
        if np.isnan(values).any():  # none that was given is NaN
            left_out = classes[int(np.flatnonzero(np.isnan(values))[0])]
            raise ParameterError(f"{who}: priors names no probability for class {left_out!r}.")
    else:
        try:
            values = np.asarray(priors, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            values = np.empty(0)
    if values.shape != (k,) or not np.all(np.isfinite(values)) or np.any(values < 0) or values.sum() <= 0:
        raise ParameterError(f"{who}: priors must be {k} numbers of at least 0, not all 0; got {priors!r}.")
    if abs(values.sum() - 1.0) > 1e-6:
        raise ParameterError(f"{who}: priors must sum to 1; they sum to {values.sum():g}.")
    return values / values.sum()


def by_threshold(proba: Floats, positive: int, threshold: float) -> Codes:
    """The class of each row: `positive` if it has at least this probability, else the most probable of the others."""
    others = proba.copy()
    others[:, positive] = -np.inf
    return np.where(proba[:, positive] >= threshold, positive, np.argmax(others, axis=1)).astype(np.int32)


def threshold_costs(
    classes: Sequence[Label], positive: int, threshold: float
) -> dict[tuple[Label, Label], float]:
    """The costs of errors under which `positive` of two classes is predicted exactly above this probability.

    Compare p (1 - t) with (1 - p) t: the first is larger if p is above t.
    """
    called, other = classes[positive], classes[1 - positive]
    return {(other, called): 1.0 - threshold, (called, other): threshold}


def resolve_class_weight(
    class_weight: Any, classes: Sequence[Label], totals: Floats, who: str
) -> Floats | None:
    """One factor per class for the row weights; "balanced" makes every class weigh the same."""
    if class_weight is None:
        return None
    factors = np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(
                f"{who}: class_weight must be a mapping or 'balanced'; got {class_weight!r}."
            )
        seen = totals > 0
        factors[seen] = totals.sum() / (np.count_nonzero(seen) * totals[seen])
        return factors
    if not isinstance(class_weight, Mapping):
        raise ParameterError(f"{who}: class_weight must be a mapping or 'balanced'; got {class_weight!r}.")
    for label, factor in class_weight.items():
        if not isinstance(factor, (int, float, np.number)) or not 0 <= factor < np.inf:
            raise ParameterError(
                f"{who}: the class weight of {label!r} must be a number of at least 0; got {factor!r}."
            )
        factors[_code(label, classes, who, "class_weight")] = factor
    return factors


def no_weight_left(who: str) -> ParameterError:
    """The error for class weights that leave no training row with a weight."""
    return ParameterError(
        f"{who}: class_weight must leave a weight above 0 to some class that has rows; it is 0 for all of them."
    )


def shift_of_priors(new: Floats | None, training: Floats) -> Floats | None:
    """What to add to log scores to change the priors: log(new / training).

    A class without training rows keeps its score, because a prior cannot make up for missing data.
    """
    if new is None:
        return None
    with np.errstate(divide="ignore"):
        shift = np.log(new) - np.log(np.where(training > 0, training, 1.0))
    return np.where(training > 0, shift, 0.0)


def softmax(scores: Floats) -> Floats:
    """Probabilities from log scores, row by row; finite whenever one score is."""
    top = _by_row(np.maximum, scores)
    top[~np.isfinite(top)] = 0.0
    with np.errstate(
        over="ignore"
    ):  # a class further below the best than the largest number has a share of 0
        shares = scores - top
    np.exp(shares, out=shares)
    total = _by_row(np.add, shares)
    # Every class has probability zero by the model: prefer none.
    empty = ~(total > 0)
    if empty.any():
        shares[empty[:, 0]] = 1.0
        total = shares.sum(axis=1, keepdims=True)
    shares /= total
    return shares


def _by_row(operation: np.ufunc, table: Floats) -> Floats:
    """Reduce each row, column by column; numpy's reduction along short rows is several times slower."""
    if not 0 < table.shape[1] <= _NARROW:
        return np.asarray(operation.reduce(table, axis=1, keepdims=True))
    result = table[:, :1].copy()
    for column in range(1, table.shape[1]):
        operation(result, table[:, column : column + 1], out=result)
    return result


def log_prior(totals: Floats) -> Floats:
    """The logarithm of each class's relative frequency; minus infinity for a class without rows."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(totals / totals.sum()))


def log_softmax(scores: Floats) -> Floats:
    """The logarithm of `softmax`, also for probabilities that underflow."""
    top = scores.max(axis=1, keepdims=True)
    top[~np.isfinite(top)] = 0.0
    logs = scores - top
    with np.errstate(divide="ignore", invalid="ignore"):
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    logs[np.isnan(logs).any(axis=1)] = -np.log(scores.shape[1])  # every class is impossible
    return logs


def _number(value: Any, who: str, what: str) -> float:
    if isinstance(value, (int, float, np.number)) and -_MOST <= value <= _MOST:
        return float(value)
    raise ParameterError(f"{who}: {what} must be a finite number; got {value!r}.")


def _code(label: Any, classes: Sequence[Label], who: str, what: str) -> int:
    for code, known in enumerate(classes):
        if known == label or str(known) == str(label):
            return code
    shown = ", ".join(repr(c) for c in classes[:8])
    raise ParameterError(
        f"{who}: {what} names the class {label!r}, but the classes are {shown}."
        + did_you_mean(str(label), [str(c) for c in classes])
    )
