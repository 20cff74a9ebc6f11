"""t-tests of whether one of two learners is better, from the values both had in the same splits.

    paired_t        as if splits were independent: the textbooks' test
    corrected_t     with the overlap of training sets taken into account: the one to trust
    five_by_two_t   five times two-fold cross-validation, Dietterich's t
    five_by_two_f   the same ten values combined, Alpaydin's F

Every difference is `a - b`. Where all differences are zero, p is 1; where they are all the same number
other than zero, the statistic is infinite and p is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.assessment.statistics.given import (
    ROUNDING,
    between_0_and_1,
    differences,
    numbers,
    pair,
    positive,
)
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.tails import f_above, t_quantile, t_two_sided
from acumen.errors import DataError
from acumen.types import Floats

Values = Sequence[float] | Floats


def paired_t(a: Values, b: Values, level: float = 0.95) -> TestResult:
    """Student's paired t-test: t = mean / sqrt(s^2 / K), with K - 1 degrees of freedom.

    It assumes independent splits. In cross-validation they share training rows, so this test reports
    differences that do not exist too often; `corrected_t` fixes that.

    Parameters
    ----------
    a, b : sequences of numbers
        One value for each of K splits, two or more, the same splits for both.
    level : float
        Of the interval for the mean difference.
    """
    return _t_test("paired t-test", a, b, 0.0, level)


def corrected_t(a: Values, b: Values, n_train: float, n_test: float, level: float = 0.95) -> TestResult:
    """The corrected resampled t-test of Nadeau and Bengio (2003, Machine Learning 52).

    t = mean / sqrt((1/J + n_test/n_train) s^2) over all J splits of all repeats, J - 1 degrees of freedom.
    The second term stands for the correlation between splits, which no number of repeats takes away.

    Parameters
    ----------
    a, b : sequences of numbers
        One value for each of J splits, two or more, the same splits for both.
    n_train, n_test : numbers
        Rows in a training and in a test part; means where the parts differ. Only their ratio counts.
    level : float
        Of the interval for the mean difference.
    """
    return _t_test("corrected resampled t-test", a, b, share(n_train, n_test, "corrected_t"), level)


def share(n_train: float, n_test: float, who: str) -> float:
    """n_test / n_train, checked."""
    return positive(n_test, "n_test", who) / positive(n_train, "n_train", who)


def centre_and_error(a: Values, b: Values, extra: float, who: str) -> tuple[float, float, int]:
    """The mean difference, its standard error sqrt((1/J + extra) s^2), and J."""
    d, tolerance = differences(*pair(a, b, who))
    centre, spread = float(d.mean()), float(d.std(ddof=1))
    if spread <= tolerance.max():  # the same difference everywhere, up to rounding
        spread = 0.0
    return centre, math.sqrt(1.0 / len(d) + extra) * spread, len(d)


def _t_test(name: str, a: Values, b: Values, extra: float, level: float) -> TestResult:
    level = between_0_and_1(level, "level", name)
    centre, se, n = centre_and_error(a, b, extra, name)
    t = ratio(centre, se)
    half = t_quantile((1.0 + level) / 2.0, n - 1.0) * se
    p = t_two_sided(t, n - 1.0)
    return TestResult(
        name=name,
        statistic=t,
        df=n - 1.0,
        p=p,
        estimate=centre,
        low=centre - half,
        high=centre + half,
        se=se,
        level=level,
        n=n,
    )


def ratio(top: float, bottom: float) -> float:
    """A difference in units of its error: 0 for no difference, infinite if it has no error."""
    if bottom > 0:
        return top / bottom
    return math.copysign(math.inf, top) if top else 0.0


# -- five times two-fold --------------------------------------------------------------------------


def five_by_two_t(a: Any, b: Any) -> TestResult:
    """The 5x2cv paired t-test of Dietterich (1998, Neural Computation 10), 5 degrees of freedom.

    The first split's difference over the root of the mean of five variances, one for each halving. The
    estimate is the mean of all ten differences; no interval goes with it.

    Parameters
    ----------
    a, b : arrays of shape (5, 2), or ten values in that order
        A line for each halving, the two values with either half tested.
    """
    d, variances = _halvings(a, b, "5x2cv t-test")
    t = ratio(float(d[0, 0]), math.sqrt(variances.sum() / 5.0))
    return TestResult("5x2cv t-test", t, 5.0, t_two_sided(t, 5.0), float(d.mean()), n=10)


def five_by_two_f(a: Any, b: Any) -> TestResult:
    """The combined 5x2cv F test of Alpaydin (1999, Neural Computation 11), 10 and 5 degrees of freedom.

    F = sum of the ten squared differences / (2 x sum of the five variances). It does not depend on which
    split came first, errs less often than Dietterich's t and finds more.

    Parameters
    ----------
    a, b : arrays of shape (5, 2), or ten values in that order
    """
    d, variances = _halvings(a, b, "5x2cv F test")
    f = ratio(float((d**2).sum()), 2.0 * float(variances.sum()))
    p = f_above(f, 10.0, 5.0)
    return TestResult("5x2cv F test", f, (10.0, 5.0), p, float(d.mean()), n=10, symbol="F")


def _halvings(a: Any, b: Any, who: str) -> tuple[Floats, Floats]:
    """The differences as 5 x 2, and the variance within each halving."""
    both = []
    for values in (a, b):
        try:
            halvings = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{who}: the values must be 5 x 2 numbers; got {values!r}.") from None
        if halvings.shape not in {(5, 2), (10,)}:
            raise DataError(
                f"{who}: each learner needs 5 x 2 values, of two-fold cross-validation repeated five times; "
                f"got shape {halvings.shape}."
            )
        both.append(numbers(halvings.ravel(), who))
    d, tolerance = (array.reshape(5, 2) for array in differences(*both))
    gap = d[:, 0] - d[:, 1]
    gap[np.abs(gap) <= np.maximum(tolerance.max(axis=1), ROUNDING * np.abs(d).max(axis=1))] = 0.0
    return d, gap**2 / 2.0  # (x - mean)^2 + (y - mean)^2 = (x - y)^2 / 2
