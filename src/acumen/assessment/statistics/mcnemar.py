"""McNemar's test: two models on one common test set, by the rows on which just one of them errs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from acumen.assessment.statistics.given import between_0_and_1, one_of
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.tails import chi2_above, coin_two_sided, normal_quantile
from acumen.errors import DataError


def mcnemar(truth: Any, a: Any, b: Any, method: str = "exact", level: float = 0.95) -> TestResult:
    """Whether two models differ in error on the rows of one test set (McNemar 1947; Dietterich 1998).

    Rows on which both are right or both wrong say nothing. Of the others, half should be errors of `a` if
    the models were equally good.

    Parameters
    ----------
    truth, a, b : sequences of labels or codes
        What is true, and what either model predicted, row by row.
    method : {"exact", "chi-square"}
        The binomial distribution, or the chi-square with continuity correction and one degree of freedom,
        fair from about 25 such rows on.
    level : float
        Of the interval for the difference of the two error rates.
    """
    right, first, second = (np.asarray(labels) for labels in (truth, a, b))
    if right.ndim != 1 or first.shape != right.shape or second.shape != right.shape:
        raise DataError(
            "mcnemar: truth and both predictions need one label for each row of the same test set; "
            f"got shapes {right.shape}, {first.shape} and {second.shape}."
        )
    wrong_a, wrong_b = first != right, second != right
    return mcnemar_counts(
        int((wrong_a & ~wrong_b).sum()), int((wrong_b & ~wrong_a).sum()), len(right), method, level
    )


def mcnemar_counts(
    only_a: int, only_b: int, n: int, method: str = "exact", level: float = 0.95
) -> TestResult:
    """As `mcnemar`, from the numbers of rows on which only a, and only b, is wrong, among n rows.

    The estimate is the error rate of a less that of b. Its interval is Agresti and Min's (2005, Statistics
    in Medicine 24): Wald's, with half a row added to each of the four cells, which keeps its level even
    where few rows tell the models apart.
    """
    one_of(method, ("exact", "chi-square"), "method", "mcnemar")
    level = between_0_and_1(level, "level", "mcnemar")
    if only_a < 0 or only_b < 0 or n < 1 or only_a + only_b > n:
        raise DataError(
            "mcnemar: the rows on which one model errs must be counts within the test set's rows; "
            f"got {only_a} and {only_b} of {n}."
        )
    apart = only_a + only_b
    if method == "exact":
        name, statistic, df = "McNemar's test (exact)", float(only_a), None
        p, symbol = coin_two_sided(only_a, apart), "errors of a alone"
    else:
        name, df, symbol = "McNemar's test (chi-square)", 1.0, "chi2"
        statistic = max(abs(only_a - only_b) - 1, 0) ** 2 / apart if apart else 0.0
        p = chi2_above(statistic, 1.0)
    centre = (only_a - only_b) / (n + 2.0)
    se = math.sqrt((apart + 1.0) / (n + 2.0) - centre**2) / math.sqrt(n + 2.0)
    half = normal_quantile((1.0 + level) / 2.0) * se
    return TestResult(
        name=name,
        statistic=statistic,
        df=df,
        p=p,
        estimate=(only_a - only_b) / n,
        low=max(-1.0, centre - half),
        high=min(1.0, centre + half),
        se=se,
        level=level,
        n=n,
        symbol=symbol,
        of="error of a less error of b",
    )
