"""The loss of each row's prediction; measures are means of these.

log_losses    -log of the probability given to the true class
brier_losses  squared distance of the probabilities from the truth
cost_of_rows  an entry of the cost matrix
log_loss, brier   the means, from labels

The log loss is exact: where the true class was given probability 0 it is infinite, and so is the mean. No
probability is clipped, as the figure would be the clip's and not the model's.

Areas under ROC curves where there are more than two classes.

one_vs_rest   each class's probability against all other classes
hand_till     the mean over pairs of classes (Hand and Till 2001)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen import _native
from acumen.assessment.inputs import given_labels, probability_rows, row_weights
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.rows.labels import encode_labels, label_vector
from acumen.types import Bools, Codes, Floats, Label


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
    """costs[predicted, true], one per row."""
    return costs[predicted, truth]


def weighted_sum(losses: Floats, weights: Floats) -> float:
    """The sum of weight x loss; a row of weight 0 adds nothing, even if its loss is infinite."""
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
    codes, table, weight = _require_labels(y, proba, classes, weights, "log_loss")
    return weighted_sum(log_losses(codes, table), weight) / (weight.sum() if weight.size else len(codes))


def brier(y: Any, proba: Any, classes: Sequence[Label], weights: Any = None) -> float:
    """The Brier score of any number of classes: the mean squared distance of the probabilities from the
    truth, from 0 to 2. With two classes it is twice the form that looks at one of them alone.
    Parameters are those of `log_loss`.
    """
    codes, table, weight = _require_labels(y, proba, classes, weights, "brier")
    return weighted_sum(brier_losses(codes, table), weight) / (weight.sum() if weight.size else len(codes))


def _require_labels(
    y: Any, proba: Any, classes: Sequence[Label], weights: Any, who: str
) -> tuple[Codes, Floats, Floats]:
    """As `_encode_rows`, of one labelled row or more."""
    codes, table, weight = _encode_rows(y, proba, classes, weights, who)
    if np.any(codes < 0):
        raise DataError(f"{who}: y holds missing labels; leave these rows out.")
    if not len(codes) or (weight.size and not weight.any()):
        raise DataError(f"{who}: there are no rows.")
    return codes, table, weight


def _encode_rows(
    y: Any, proba: Any, classes: Sequence[Label], weights: Any, who: str
) -> tuple[Codes, Floats, Floats]:
    """Class codes (-1 where the label is missing), probabilities and weights, checked."""
    codes, _ = encode_labels(label_vector(y, who), who, given_labels(classes, [], who))
    table = probability_rows(proba, len(codes), len(classes), who)
    return codes, table, row_weights(weights, len(codes), who)


def one_vs_rest(y: Any, proba: Any, classes: Sequence[Label], weights: Any = None) -> dict[Label, float]:
    """Area under the ROC curve of each class against all others.

    Parameters
    ----------
    y : array of labels
        Rows without a label are left out.
    proba : array of (rows, classes)
    classes : sequence of labels
        In the order of the columns.
    weights : array, optional

    Returns
    -------
    dict of label to float
        NaN for a class that no row, or every row, is of.
    """
    codes, table, weight = _encode_rows(y, proba, classes, weights, "one_vs_rest")
    labelled = codes >= 0
    return {
        label: _area(table[:, c], codes == c, weight, labelled)
        for c, label in enumerate(np.asarray(classes, dtype=object).tolist())
    }


def hand_till(y: Any, proba: Any, classes: Sequence[Label], weights: Any = None) -> float:
    """Hand and Till's M: the area under the curve for more than two classes.

    For each pair of classes, over the rows of these two, the mean of the areas of the one's probability
    and of the other's; M is the mean over the pairs. Pairs of which a class does not occur are left out;
    NaN if no pair is left. With two classes whose probabilities sum to 1 it is the ordinary area.
    Parameters are those of `one_vs_rest`.
    """
    codes, table, weight = _encode_rows(y, proba, classes, weights, "hand_till")
    return mean_pair_area(codes, table, weight)


def mean_pair_area(codes: Codes, proba: Floats, weights: Floats) -> float:
    """Hand and Till's M from codes; those below 0 are in no pair."""
    areas = []
    rows_of = [codes == c for c in range(proba.shape[1])]
    for a in range(len(rows_of)):
        for b in range(a + 1, len(rows_of)):
            both = rows_of[a] | rows_of[b]
            one = _area(proba[:, a], rows_of[a], weights, both)
            areas.append((one + _area(proba[:, b], rows_of[b], weights, both)) / 2)
    known = [area for area in areas if not np.isnan(area)]
    return float(np.mean(known)) if known else float("nan")


def _area(scores: Floats, flags: Bools, weights: Floats, rows: Bools) -> float:
    """The area over some of the rows; NaN if they are all of one kind."""
    weight = weights[rows] if weights.size else weights
    up, down, pairs = _native.pair_sums(np.ascontiguousarray(scores[rows]), flags[rows], weight, cores())
    return pairs / (up * down) if up and down else float("nan")
