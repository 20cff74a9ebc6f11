"""The outcome of predicting some rows: all that the measures need. Outcomes of parts add.

Outcome    counts, sums of losses and, for the area under the curve, the scores themselves
RunFacts   what learning and predicting took

What came of predicting numbers: all that the measures of regressors need to know. Outcomes of parts add.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from acumen.assessment.confusion import Confusion
from acumen.assessment.inputs import probability_rows, ratio, row_weights
from acumen.assessment.losses import brier_losses, log_losses, mean_pair_area, weighted_sum
from acumen.errors import DataError, ParameterError
from acumen.summaries.algebra import Summary
from acumen.summaries.borrow import small_codes
from acumen.types import Codes, Floats, Label


@dataclass(frozen=True, slots=True, eq=False)
class PooledScores:
    """The probabilities of some rows, kept because the area under the curve is not a sum over rows."""

    truth: Codes
    proba: Floats
    weights: Floats  # never empty


@dataclass(frozen=True, slots=True, eq=False)
class Outcome(Summary):
    """The outcome of predicting some rows; outcomes over the same classes add.

    Attributes
    ----------
    confusion : Confusion
        Its labels are the classes.
    log_loss_sum, brier_sum : float
        Weighted sums over the labelled rows; NaN when there were no probabilities.
    pools : tuple of Pool, or None
        The scores of each part, if they were to be kept.
    """

    confusion: Confusion
    log_loss_sum: float = math.nan
    brier_sum: float = math.nan
    pools: tuple[PooledScores, ...] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        truth: Any,
        predicted: Any,
        classes: Sequence[Label],
        proba: Any = None,
        weights: Any = None,
        *,
        keep_scores: bool = False,
    ) -> Self:
        """Judge the predictions of some rows.

        Parameters
        ----------
        truth, predicted : arrays of codes over `classes`
            A true code below 0 is missing: the row is counted as unlabelled and nowhere else. A class
            that the model never saw belongs at the end of `classes`; its rows are errors and are listed.
        classes : sequence of labels
        proba : array of (rows, classes), optional
            Columns may be fewer than classes; the classes without one have probability 0.
        weights : array, optional
            Empty or absent: ones.
        keep_scores : bool, default False
            Keep the probabilities, as the area under the curve needs.
        """
        k = len(classes)
        codes, guesses = small_codes(truth, "Outcome: truth"), small_codes(predicted, "Outcome: predicted")
        n = len(codes)
        if len(guesses) != n:
            raise DataError(
                f"Outcome: there are {n} true codes but {len(guesses)} predictions; give one per row."
            )
        if n and not (guesses.min() >= 0 and guesses.max() < k):
            raise DataError(f"Outcome: predictions must be codes from 0 to {k - 1}.")
        weight = row_weights(weights, n, "Outcome")
        counts = Confusion.of_codes(codes, guesses, weight, classes)
        if proba is None:
            if keep_scores:
                raise ParameterError("Outcome: keep_scores needs probabilities; got none.")
            return cls(counts)
        table = probability_rows(proba, n, k, "Outcome")
        known = (codes >= 0) & (codes < k)
        if not known.all():
            codes, table, weight = codes[known], table[known], weight[known] if weight.size else weight
        pool = PooledScores(codes, table, weight if weight.size else np.ones(len(codes)))
        return cls(
            counts,
            weighted_sum(log_losses(codes, table), weight),
            weighted_sum(brier_losses(codes, table), weight),
            (pool,) if keep_scores else None,
        )

    @property
    def log_loss(self) -> float:
        """The mean log loss of the labelled rows."""
        return float(ratio(self.log_loss_sum, self.confusion.total))

    @property
    def brier(self) -> float:
        """The mean Brier loss of the labelled rows."""
        return float(ratio(self.brier_sum, self.confusion.total))

    @property
    def auc(self) -> float:
        """The area under the ROC curve over all rows together, for more than two classes Hand and Till's M;
        NaN when all rows are of one class."""
        if self.pools is None:
            raise ParameterError(
                "Outcome: the area under the curve needs scores; create the outcome with keep_scores=True."
            )
        truth, proba, weights = (
            np.concatenate([getattr(pool, name) for pool in self.pools])
            for name in ("truth", "proba", "weights")
        )
        return mean_pair_area(truth, proba, weights if np.any(weights != 1) else np.empty(0))

    def _difference(self, other: Self) -> str | None:
        if self.confusion.labels != other.confusion.labels:
            return "their classes differ"
        if (self.pools is None) != (other.pools is None):
            return "only one of them kept its scores"
        return None

    def _merge(self, other: Self) -> Self:
        return type(self)(
            self.confusion + other.confusion,
            self.log_loss_sum + other.log_loss_sum,
            self.brier_sum + other.brier_sum,
            None if self.pools is None or other.pools is None else self.pools + other.pools,
        )


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The cost of fitting and predicting: seconds, bytes, and nodes, rules or parameters; NaN if unknown."""

    fit_time: float = math.nan
    predict_time: float = math.nan
    memory: float = math.nan
    size: float = math.nan


@dataclass(frozen=True, slots=True, eq=False)
class NumericOutcome(Summary):
    """The outcome of predicting the numbers of some rows.

    Attributes
    ----------
    weight : float
        Of the rows whose truth is known.
    absolute, squared : float
        Weighted sums of the sizes and of the squares of the errors.
    mean, scatter : float
        Of the true numbers: their mean, and the weighted squares about it.
    missing : int
        Rows without a known truth, which count nowhere else.
    """

    weight: float
    absolute: float
    squared: float
    mean: float
    scatter: float
    missing: int = 0

    @classmethod
    def of(cls, truth: Any, predicted: Any, weights: Any = None) -> Self:
        """Judge the predictions of some rows; a true NaN is missing."""
        true, predictions = np.asarray(truth, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
        if true.ndim != 1 or predictions.shape != true.shape:
            raise DataError(
                f"NumericOutcome: there must be one prediction per row; got {predictions.shape} for {true.shape}."
            )
        weight = row_weights(weights, len(true), "NumericOutcome")
        known = ~np.isnan(true)
        w = (weight if weight.size else np.ones(len(true)))[known]
        true, apart = true[known], predictions[known] - true[known]
        total = float(w.sum())
        mean = float(w @ true) / total if total > 0 else 0.0
        return cls(
            total,
            float(w @ np.abs(apart)),
            float(w @ apart**2),
            mean,
            float(w @ (true - mean) ** 2),
            int(np.count_nonzero(~known)),
        )

    @property
    def rmse(self) -> float:
        """The root mean squared error."""
        return math.sqrt(self.squared / self.weight) if self.weight > 0 else math.nan

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return self.absolute / self.weight if self.weight > 0 else math.nan

    @property
    def r2(self) -> float:
        """The fraction of the variance of these rows that is explained; NaN if they do not vary."""
        return 1.0 - self.squared / self.scatter if self.scatter > 0 else math.nan

    def _difference(self, other: Self) -> str | None:
        return None

    def _merge(self, other: Self) -> Self:
        weight = self.weight + other.weight
        share = other.weight / weight if weight > 0 else 0.0
        apart = other.mean - self.mean
        return type(self)(
            weight,
            self.absolute + other.absolute,
            self.squared + other.squared,
            self.mean + apart * share,
            self.scatter + other.scatter + apart**2 * share * self.weight,
            self.missing + other.missing,
        )


def errors_of(measure: str, truth: Floats, predicted: Floats) -> Floats:
    """The contribution of each row to a measure: its absolute error, or the square of it."""
    apart = predicted - truth
    return np.abs(apart) if measure == "mae" else apart**2
