"""Intervals of a mean over splits, or of an error rate on one test set.

    interval         values of splits      -> an interval for their mean, by Student's t or the normal
    error_interval   errors among n rows   -> an interval for the error rate, by Wilson or exactly
    score_interval   the mean loss of rows -> Wilson's interval for any loss

The interval over splits takes their values as independent. Those of cross-validation are not, since
training sets overlap, so it is too narrow; `assess` and `compare` have theirs from rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.assessment.statistics.given import between_0_and_1, numbers, one_of
from acumen.assessment.statistics.tails import beta_quantile, normal_quantile, t_quantile
from acumen.errors import DataError
from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the interval around it; `low, high = interval` unpacks the ends."""

    estimate: float
    low: float
    high: float
    level: float = 0.95
    kind: str = "t"

    @property
    def half(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2.0

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.estimate:.4g} ({100 * self.level:g} % from {self.low:.4g} to {self.high:.4g})"


def mean(values: Sequence[float] | Floats) -> float:
    """The mean over splits."""
    return float(numbers(values, "mean").mean())


def variance(values: Sequence[float] | Floats) -> float:
    """The variance over splits, with divisor K - 1."""
    return float(np.var(numbers(values, "variance", 2), ddof=1))


def interval(values: Sequence[float] | Floats, level: float = 0.95, kind: str = "t") -> Interval:
    """An interval for the mean of the values of K splits.

    Parameters
    ----------
    values : sequence of two or more numbers
    level : float
        How often such an interval covers the mean it estimates.
    kind : {"t", "normal"}
        Student's t with K - 1 degrees of freedom, right for few splits, or the normal.
    """
    sample = numbers(values, "interval", 2)
    level = between_0_and_1(level, "level", "interval")
    one_of(kind, ("t", "normal"), "kind", "interval")
    df = len(sample) - 1.0 if kind == "t" else None
    centre = float(sample.mean())
    half = t_quantile((1.0 + level) / 2.0, df) * math.sqrt(variance(sample) / len(sample))
    return Interval(centre, centre - half, centre + half, level, kind)


def error_interval(errors: float, n: float, level: float = 0.95, kind: str = "wilson") -> Interval:
    """An interval for the error rate of a model that erred `errors` times on `n` test rows.

    Parameters
    ----------
    errors, n : numbers
        Counts, or sums of row weights.
    level : float
    kind : {"wilson", "exact"}
        Wilson's score interval (1927), near its level on average, or Clopper and Pearson's (1934), which
        never covers less often than its level and is wider.
    """
    level = between_0_and_1(level, "level", "error_interval")
    one_of(kind, ("wilson", "exact"), "kind", "error_interval")
    if not (math.isfinite(n) and n > 0 and 0 <= errors <= n):
        raise DataError(
            f"error_interval: the errors must number from 0 to n, and n must be above 0; got {errors} of {n}."
        )
    low, high = (_wilson if kind == "wilson" else _clopper_pearson)(float(errors), float(n), level)
    return Interval(errors / n, low, high, level, kind)


def score_interval(
    estimate: float,
    n: float,
    ratio: float = 1.0,
    least: float = 0.0,
    most: float = 1.0,
    level: float = 0.95,
) -> Interval:
    """Wilson's interval at an estimate that is a mean over rows, of any loss.

    All means mu from which the estimate lies no further than chance takes it, with the variance that a row's loss
    has under mu: ratio (mu - least) (most - mu), or ratio (mu - least) where losses have no upper bound. With ratio
    1, between 0 and 1, it is Wilson's own. The ends stay within `least` and `most`.

    Parameters
    ----------
    estimate : float
    n : float
        How many independent rows the estimate is from.
    ratio : float
        The variance of a row's loss, in terms of the above.
    least, most : float
        Between which losses lie; `most` may be infinite.
    level : float
    """
    level = between_0_and_1(level, "level", "score_interval")
    if not (math.isfinite(n) and n > 0 and ratio > 0 and least <= estimate <= most and least < most):
        raise DataError(
            "score_interval: n and ratio must be above 0 and the estimate from least to most; got "
            f"n = {n}, ratio = {ratio}, {estimate} from {least} to {most}."
        )
    if math.isfinite(most):
        width, rows = most - least, n / ratio
        low, high = _wilson((estimate - least) / width * rows, rows, level)
        low, high = least + width * low, least + width * high
    else:
        mean_, c = estimate - least, normal_quantile((1.0 + level) / 2.0) ** 2 * ratio / n
        half = math.sqrt(c * mean_ + c * c / 4.0)
        low, high = least + max(0.0, mean_ + c / 2.0 - half), least + mean_ + c / 2.0 + half
    # Rounding may not part the interval from the estimate it belongs to.
    return Interval(float(estimate), min(low, estimate), max(high, estimate), level, "score")


def _wilson(errors: float, n: float, level: float) -> tuple[float, float]:
    z2 = normal_quantile((1.0 + level) / 2.0) ** 2
    centre = (errors + z2 / 2.0) / (n + z2)
    half = math.sqrt(z2) / (n + z2) * math.sqrt(errors * (n - errors) / n + z2 / 4.0)
    # At the ends the formula gives 0 and 1 up to rounding.
    low = 0.0 if errors == 0 else max(0.0, centre - half)
    high = 1.0 if errors == n else min(1.0, centre + half)
    return low, high


def _clopper_pearson(errors: float, n: float, level: float) -> tuple[float, float]:
    tail = (1.0 - level) / 2.0
    low = 0.0 if errors == 0 else beta_quantile(tail, errors, n - errors + 1.0)
    high = 1.0 if errors == n else beta_quantile(1.0 - tail, errors + 1.0, n - errors)
    return low, high
