"""What each row's prediction costs; the means of these are measures.

log_losses    -log of the probability given to the true class
brier_losses  squared distance of the probabilities from the truth
cost_of_rows  an entry of the cost matrix
log_loss, brier   the means, from labels

The log loss is exact: where the true class was given probability 0 it is infinite, and so is the mean. No
probability is clipped, as the figure would be the clip's and not the model's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.assessment.inputs import given_labels, probability_rows, row_weights
from acumen.errors import DataError
from acumen.rows.labels import encode_labels, label_vector
from acumen.types import Codes, Floats, Label


def log_losses(truth: Codes, proba: Floats) -> Floats:
    """-log p(true class), one a row, in nats; infinite where p is 0."""
    with np.errstate(divide="ignore"):
        return -np.log(proba[np.arange(len(truth)), truth])


def brier_losses(truth: Codes, proba: Floats) -> Floats:
    """The sum over classes of (p - 1 if true else 0)^2, one a row: from 0 to 2 (Brier 1950)."""
    rows = np.arange(len(truth))
    # Subtracting before squaring keeps the digits where the true class has nearly all.
    of_true = proba[rows, truth]
    others = proba.copy()
    others[rows, truth] = 0.0
    return np.einsum("ij,ij->i", others, others) + (1.0 - of_true) ** 2


def cost_of_rows(truth: Codes, predicted: Codes, costs: Floats) -> Floats:
    """costs[predicted, true], one a row."""
    return costs[predicted, truth]


def weighted_sum(losses: Floats, weights: Floats) -> float:
    """The sum of weight x loss; a row that weighs nothing adds nothing, even if its loss is infinite."""
    if not weights.size:
        return float(losses.sum())
    heavy = weights > 0
    return float(losses[heavy] @ weights[heavy])


def log_loss(y: Any, proba: Any, classes: Sequence[Label], weights: Any = None) -> float:
    """The mean of -log p(true class), in nats; infinite if a true class was ever given probability 0.

    Parameters
    ----------
    y : array of labels
    proba : array of (rows, classes)
    classes : sequence of labels
        In the order of the columns; classes beyond the last column have probability 0.
    weights : array, optional
    """
    codes, table, weight = _checked(y, proba, classes, weights, "log_loss")
    return weighted_sum(log_losses(codes, table), weight) / (weight.sum() if weight.size else len(codes))


def brier(y: Any, proba: Any, classes: Sequence[Label], weights: Any = None) -> float:
    """The Brier score of any number of classes: the mean squared distance of the probabilities from the
    truth, from 0 to 2. With two classes it is twice the form that looks at one of them alone.
    Parameters are those of `log_loss`.
    """
    codes, table, weight = _checked(y, proba, classes, weights, "brier")
    return weighted_sum(brier_losses(codes, table), weight) / (weight.sum() if weight.size else len(codes))


def _checked(
    y: Any, proba: Any, classes: Sequence[Label], weights: Any, who: str
) -> tuple[Codes, Floats, Floats]:
    codes, _ = encode_labels(label_vector(y, who), who, given_labels(classes, [], who))
    if np.any(codes < 0):
        raise DataError(f"{who}: y holds missing labels; leave these rows out.")
    table = probability_rows(proba, len(codes), len(classes), who)
    weight = row_weights(weights, len(codes), who)
    if not len(codes) or (weight.size and not weight.any()):
        raise DataError(f"{who}: there are no rows.")
    return codes, table, weight
