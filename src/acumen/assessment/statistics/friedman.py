"""Friedman's test: do three or more learners differ over several tables at all?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from acumen.assessment.statistics.given import scores
from acumen.assessment.statistics.ranks import tied_ranks
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.tails import chi2_above, f_above


def friedman(values: Any) -> TestResult:
    """Friedman's chi-square (1937), corrected for ties, with k - 1 degrees of freedom.

    Parameters
    ----------
    values : matrix
        A line for each of N tables, a column for each of k learners. Which way is better does not matter.
    """
    statistic, n, k = _chi_square(values, "friedman")
    return TestResult(
        "Friedman's test", statistic, k - 1.0, chi2_above(statistic, k - 1.0), n=n, symbol="chi2", of="ranks"
    )


def iman_davenport(values: Any) -> TestResult:
    """Iman and Davenport's F (1980): Friedman's test made less timid.

    F = (N - 1) chi2 / (N (k - 1) - chi2), with k - 1 and (k - 1)(N - 1) degrees of freedom. On one table
    there is nothing to test: statistic and p are NaN.

    Parameters
    ----------
    values : matrix
        A line for each of N tables, a column for each of k learners.
    """
    chi2, n, k = _chi_square(values, "iman_davenport")
    df = (k - 1.0, (k - 1.0) * (n - 1.0))
    left = n * (k - 1.0) - chi2
    if n == 1:
        f = p = math.nan
    else:  # learners in the same order on every table leave nothing below the line, up to rounding
        f = math.inf if left <= 1e-12 * n * k else (n - 1.0) * chi2 / left
        p = f_above(f, *df)
    return TestResult("Iman and Davenport's test", f, df, p, n=n, symbol="F", of="ranks")


def _chi_square(values: Any, who: str) -> tuple[float, int, int]:
    """The statistic, 0 where all learners tie on every table; the numbers of tables and of learners."""
    found = scores(values, who)
    n, k = found.shape
    lines = [tied_ranks(line) for line in found]
    mean = np.mean([ranks for ranks, _ in lines], axis=0)
    ties = sum(float((sizes.astype(np.float64) ** 3 - sizes).sum()) for _, sizes in lines)
    # Conover's form: variances of the ranks as they are, ties included.
    within = n * k * (k + 1) * (k - 1) / 12.0 - ties / 12.0
    between = float(((mean - (k + 1) / 2.0) ** 2).sum())
    return ((k - 1.0) * n**2 * between / within if within > 0 else 0.0), n, k
