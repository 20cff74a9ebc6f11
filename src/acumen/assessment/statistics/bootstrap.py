"""The bootstrap's estimates of error, as functions of their parts.

    bootstrap_632        Efron (1983): training error and out-of-bag error, mixed once for all
    bootstrap_632_plus   Efron and Tibshirani (1997, JASA 92): the mixture follows the overfitting

The out-of-bag error is that of the leave-one-out bootstrap: of each row by the models that did not see it.

Information criteria: how well a model fits, less what its parameters buy. The smaller the better.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from acumen.errors import DataError, ParameterError

#: The chance of a row to be in a bootstrap sample of many rows is 1 - 1/e; the literature writes .632.
SEEN = 0.632


def bootstrap_632(training: float, out_of_bag: float) -> float:
    """.368 x training error + .632 x out-of-bag error.

    Too small for learners that fit every training row, such as one nearest neighbour.
    """
    return (1.0 - SEEN) * training + SEEN * out_of_bag


def bootstrap_632_plus(training: float, out_of_bag: float, no_information: float) -> float:
    """The .632+ estimate: nearer to the out-of-bag error the more the learner overfits.

    With E' = min(out_of_bag, no_information) the relative overfitting rate is
    R = (E' - training) / (no_information - training), or 0 unless both terms are above zero, and the estimate
    is the .632 one + (E' - training) x .368 x .632 R / (1 - .368 R): equations 28 to 32 of the paper.

    Parameters
    ----------
    training, out_of_bag : float
        Errors on the training rows and by the leave-one-out bootstrap.
    no_information : float
        The error if labels and predictions had nothing to do with each other; see `no_information_rate`.
    """
    capped = min(out_of_bag, no_information)
    rate = overfitting_rate(training, out_of_bag, no_information)
    extra = (1.0 - SEEN) * SEEN * rate / (1.0 - (1.0 - SEEN) * rate)
    return bootstrap_632(training, out_of_bag) + (capped - training) * extra


def overfitting_rate(training: float, out_of_bag: float, no_information: float) -> float:
    """0 where the out-of-bag error is no larger than the training error, 1 where nothing was learned."""
    capped = min(out_of_bag, no_information)
    if capped <= training:
        return 0.0
    return (capped - training) / (no_information - training)


def no_information_rate(truth: Any, predicted: Any, weights: Any = None) -> float:
    """The error if predictions fell on rows at random: 1 - sum over classes of P(true) x P(predicted).

    Parameters
    ----------
    truth, predicted : sequences of labels or codes
        Over the training rows, by the model learned from all of them.
    weights : sequence of numbers, optional
        Row weights.
    """
    true, predictions = np.asarray(truth), np.asarray(predicted)
    if true.ndim != 1 or true.shape != predictions.shape or not len(true):
        raise DataError(
            "no_information_rate: one label and one prediction are needed for each of one or more rows; "
            f"got shapes {true.shape} and {predictions.shape}."
        )
    mass = (
        np.ones(len(true)) if weights is None or not len(weights) else np.asarray(weights, dtype=np.float64)
    )
    if mass.shape != true.shape or not mass.sum() > 0:
        raise DataError("no_information_rate: weights must be one number for each row, with a sum above 0.")
    share = mass / mass.sum()
    met = sum(
        float(share[true == label].sum() * share[predictions == label].sum()) for label in np.unique(true)
    )
    return 1.0 - met


def aic(log_likelihood: float, k: float) -> float:
    """Akaike's criterion (1974) of a model with k free parameters: 2 k - 2 log L."""
    return 2.0 * k - 2.0 * log_likelihood


def bic(log_likelihood: float, k: float, n: float) -> float:
    """Schwarz's criterion (1978) of a model with k free parameters, from n rows: k log n - 2 log L."""
    if not n > 0:
        raise ParameterError(f"bic: n must be a number of rows above 0; got {n!r}.")
    return k * math.log(n) - 2.0 * log_likelihood
