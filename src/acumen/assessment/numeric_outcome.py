"""What came of predicting numbers: all that the measures of regressors need to know. Outcomes of parts add."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen.assessment.inputs import row_weights
from acumen.errors import DataError
from acumen.summaries.algebra import Summary
from acumen.types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class NumericOutcome(Summary):
    """What came of predicting the numbers of some rows.

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
        true, said = np.asarray(truth, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
        if true.ndim != 1 or said.shape != true.shape:
            raise DataError(
                f"NumericOutcome: there must be one prediction a row; got {said.shape} for {true.shape}."
            )
        weight = row_weights(weights, len(true), "NumericOutcome")
        known = ~np.isnan(true)
        w = (weight if weight.size else np.ones(len(true)))[known]
        true, apart = true[known], said[known] - true[known]
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
        """The root of the mean squared error."""
        return math.sqrt(self.squared / self.weight) if self.weight > 0 else math.nan

    @property
    def mae(self) -> float:
        """The mean size of the errors."""
        return self.absolute / self.weight if self.weight > 0 else math.nan

    @property
    def r2(self) -> float:
        """The share of the variance of these rows that is explained; NaN where they do not vary."""
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
    """What each row adds to a measure: the size of its error, or its square."""
    apart = predicted - truth
    return np.abs(apart) if measure == "mae" else apart**2
