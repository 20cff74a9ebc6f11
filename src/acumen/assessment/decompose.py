"""Bias, variance and noise of predictions, from many fitted models.

    zero_one_terms   classes, Domingos (2000): loss = noise + bias + (unbiased - biased variance)
    kohavi_wolpert   classes, Kohavi and Wolpert (1996): loss = noise + bias^2 + variance
    squared_terms    numbers or probabilities: loss = noise + bias^2 + variance

In each the terms add up to the mean loss over rows and models, up to rounding. All models predict the same
rows; what they disagree on is variance, what they agree on and have wrong is bias. Where the truth's own
chances are not known, which is so outside of simulations, each label is taken for certain: noise is 0, and
what is noise in truth shows up as bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.errors import DataError
from acumen.types import Array, Codes, Floats


@dataclass(frozen=True, slots=True)
class Terms:
    """Means over the rows; `noise + bias + variance` is `loss`.

    For Domingos' decomposition `variance` is the net effect, `unbiased - biased`: where the main prediction
    is right, wavering adds errors (`unbiased`); where it is wrong, wavering takes some away (`biased`).
    For the others `unbiased` is the variance and `biased` is 0.
    """

    loss: float
    noise: float
    bias: float
    variance: float
    unbiased: float
    biased: float


def zero_one_terms(
    predicted: Any, truth: Any, chances: Any = None, weights: Any = None, n_classes: int | None = None
) -> Terms:
    """Domingos' decomposition of the zero-one loss (ICML 2000), for any number of classes.

    The main prediction of a row is the class most models say (of several the first). A row is biased when
    this is not its best class. On a biased row only those stray predictions help that hit the best class,
    so it is these that count as biased variance.

    Parameters
    ----------
    predicted : codes, shape (models, rows)
    truth : codes, shape (rows,)
        The labels; ignored where `chances` are given.
    chances : array (rows, classes), optional
        The true P(class | row), where known. The noise term is then what the labels' own chance adds to the
        loss against the best class (Domingos' c1 N).
    weights : array, optional
        Row weights.
    n_classes : int, optional
        The number of classes, where it is more than the codes show.
    """
    votes, target, mass = _votes(predicted, truth, chances, weights, n_classes)
    rows = np.arange(len(votes))
    best, main = target.argmax(axis=1), votes.argmax(axis=1)
    off = main != best
    unbiased = np.where(off, 0.0, 1.0 - votes[rows, main])
    biased = np.where(off, votes[rows, best], 0.0)
    against_best = 1.0 - votes[rows, best]
    loss = 1.0 - (votes * target).sum(axis=1)
    bias, plus, minus = (float(mass @ term) for term in (off.astype(np.float64), unbiased, biased))
    noise = float(mass @ (loss - against_best)) if chances is not None else 0.0
    return Terms(float(mass @ loss), noise, bias, plus - minus, plus, minus)


def kohavi_wolpert(
    predicted: Any, truth: Any, chances: Any = None, weights: Any = None, n_classes: int | None = None
) -> Terms:
    """Kohavi and Wolpert's decomposition of the zero-one loss (ICML 1996); parameters as `zero_one_terms`.

    bias^2 = 1/2 sum over classes of (P(true) - P(predicted))^2, variance = 1/2 (1 - sum of P(predicted)^2),
    noise = 1/2 (1 - sum of P(true)^2). P(predicted) is the share of models, without correction for their
    number, so with few models some variance is taken for bias.
    """
    votes, target, mass = _votes(predicted, truth, chances, weights, n_classes)
    bias = float(mass @ ((target - votes) ** 2).sum(axis=1)) / 2.0
    variance = float(mass @ (1.0 - (votes**2).sum(axis=1))) / 2.0
    noise = float(mass @ (1.0 - (target**2).sum(axis=1))) / 2.0
    loss = float(mass @ (1.0 - (votes * target).sum(axis=1)))
    return Terms(loss, noise, bias, variance, variance, 0.0)


def squared_terms(predicted: Any, truth: Any, noise: Any = 0.0, weights: Any = None) -> Terms:
    """Bias and variance of the squared loss, summed over the columns of a row where it has several.

    Parameters
    ----------
    predicted : array (models, rows) or (models, rows, columns)
        Numbers, or probabilities of the classes (then the loss is Brier's, summed over classes).
    truth : array (rows,) or (rows, columns)
        What is to be predicted, or its expectation where `noise` is given.
    noise : float or array (rows,), optional
        The variance of what is predicted around its expectation, where known; it adds to the loss.
    weights : array, optional
        Row weights.
    """
    predictions, true = np.asarray(predicted, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if predictions.ndim == 2 and true.ndim == 1:
        predictions, true = predictions[:, :, None], true[:, None]
    if predictions.ndim != 3 or predictions.shape[1:] != true.shape or not predictions.size:
        raise DataError(
            "squared_terms: every model needs a prediction for every row of the truth; "
            f"got shapes {np.shape(predicted)} and {np.shape(truth)}."
        )
    mass = _mass(weights, predictions.shape[1])
    mean = predictions.mean(axis=0)
    bias = float(mass @ ((mean - true) ** 2).sum(axis=1))
    variance = float(mass @ ((predictions - mean) ** 2).mean(axis=0).sum(axis=1))
    irreducible = float(mass @ np.broadcast_to(np.asarray(noise, dtype=np.float64), (predictions.shape[1],)))
    loss = float(mass @ ((predictions - true) ** 2).mean(axis=0).sum(axis=1)) + irreducible
    return Terms(loss, irreducible, bias, variance, variance, 0.0)


def _votes(
    predicted: Any, truth: Any, chances: Any, weights: Any, n_classes: int | None
) -> tuple[Floats, Floats, Floats]:
    """The share of models for each class, the chances of each class, and the share of each row."""
    predictions = np.asarray(predicted)
    if (
        predictions.ndim != 2
        or not predictions.size
        or predictions.dtype.kind not in "iu"
        or predictions.min() < 0
    ):
        raise DataError(
            "bias_variance: predictions must be class codes from 0 on, one line for each model; "
            f"got {predictions.dtype} of shape {predictions.shape}."
        )
    if chances is not None:
        target = np.asarray(chances, dtype=np.float64)
        fits = (
            target.ndim == 2 and len(target) == predictions.shape[1] and target.shape[1] > predictions.max()
        )
        if not fits or (target < 0).any() or not np.allclose(target.sum(axis=1), 1.0):
            raise DataError("bias_variance: chances must have one line for each row, which adds up to 1.")
    else:
        labels = np.asarray(truth)
        if labels.shape != predictions.shape[1:] or labels.dtype.kind not in "iu" or labels.min() < 0:
            raise DataError(
                "bias_variance: the truth must be one class code from 0 on for each row predicted; "
                f"got {labels.dtype} of shape {labels.shape} for {predictions.shape[1]} rows."
            )
        target = np.eye(max(int(predictions.max()), int(labels.max()), (n_classes or 0) - 1) + 1)[labels]
    return _shares(predictions, target.shape[1]), target, _mass(weights, predictions.shape[1])


def _shares(said: Codes, classes: int) -> Floats:
    counts = [np.count_nonzero(said == c, axis=0) for c in range(classes)]
    return np.stack(counts, axis=1) / len(said)


def _mass(weights: Any, n: int) -> Floats:
    """Row weights that add up to 1."""
    mass: Array = np.ones(n) if weights is None or not len(weights) else np.asarray(weights, dtype=np.float64)
    if mass.shape != (n,) or (mass < 0).any() or not mass.sum() > 0:
        raise DataError(f"bias_variance: weights must be {n} numbers of at least 0 with a sum above 0.")
    return mass / mass.sum()
