"""Friedman's test: do three or more learners differ over several tables at all?

Cochran's Q: do three or more models err equally often on one common test set?

Nemenyi's test: which learners differ in mean rank over several tables, and the critical difference.

    critical_difference   how far apart mean ranks must lie
    nemenyi               p-values of all pairs
    cliques               groups that the test cannot tell apart: the bars of the diagram

After Demsar (2006, Journal of Machine Learning Research 7).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.assessment.statistics.given import between_0_and_1, scores
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.signed import tied_ranks
from acumen.assessment.statistics.tails import chi2_above, f_above
from acumen.errors import DataError, ParameterError
from acumen.types import Floats


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
    denominator = n * (k - 1.0) - chi2
    if n == 1:
        f = p = math.nan
    else:  # learners in the same order on every table leave nothing below the line, up to rounding
        f = math.inf if denominator <= 1e-12 * n * k else (n - 1.0) * chi2 / denominator
        p = f_above(f, *df)
    return TestResult("Iman and Davenport's test", f, df, p, n=n, symbol="F", of="ranks")


def _chi_square(values: Any, who: str) -> tuple[float, int, int]:
    """The statistic, 0 where all learners tie on every table; the numbers of tables and of learners."""
    matrix = scores(values, who)
    n, k = matrix.shape
    lines = [tied_ranks(line) for line in matrix]
    mean = np.mean([ranks for ranks, _ in lines], axis=0)
    ties = sum(float((sizes.astype(np.float64) ** 3 - sizes).sum()) for _, sizes in lines)
    # Conover's form: variances of the ranks as they are, ties included.
    within = n * k * (k + 1) * (k - 1) / 12.0 - ties / 12.0
    between = float(((mean - (k + 1) / 2.0) ** 2).sum())
    return ((k - 1.0) * n**2 * between / within if within > 0 else 0.0), n, k


def cochran_q(values: Any) -> TestResult:
    """Cochran's Q (1950, Biometrika 37): McNemar's question of more than two models at once.

    Q = (k - 1) (k sum of C^2 - T^2) / (k T - sum of R^2), chi-square with k - 1 degrees of freedom; C are the totals
    of the models, R those of the rows, T that of all. Rows on which all models are right, or all wrong, say nothing;
    where there are no others, Q is 0 and p is 1. Of two models it is McNemar's chi-square without continuity
    correction. A small p says that they are not all equal, not which of them differ; the chi-square is fair
    from about 24 rows on which they disagree.

    Parameters
    ----------
    values : matrix of zeros and ones, or of truth values
        A line for each row of the test set, a column for each of two or more models: whether it errs (or is right).
    """
    matrix = np.asarray(values)
    if matrix.ndim != 2 or matrix.shape[1] < 2 or not len(matrix) or not np.isin(matrix, (0, 1)).all():
        raise DataError(
            "cochran_q: the values must be zeros and ones, a line for each row of the test set and a column for each "
            f"of two or more models; got an array of shape {matrix.shape}."
        )
    marks = matrix.astype(np.int64)
    k = marks.shape[1]
    models, rows = marks.sum(axis=0), marks.sum(axis=1)
    total = int(marks.sum())
    within = k * total - int((rows**2).sum())
    q = (k - 1) * (k * int((models**2).sum()) - total**2) / within if within else 0.0
    return TestResult(
        "Cochran's Q", q, k - 1.0, chi2_above(q, k - 1.0), n=len(marks), symbol="Q", of="share of errors"
    )


#: Where the density of the normal is above 1e-22; the trapezoid rule is exact to rounding on such a grid.
_GRID = np.linspace(-10.0, 10.0, 2001)
_DENSITY = np.exp(-(_GRID**2) / 2.0) / math.sqrt(2.0 * math.pi) * (_GRID[1] - _GRID[0])


def range_above(q: float, k: int) -> float:
    """P(k independent standard normals span at least q): the studentised range with infinite df.

    P(range <= q) is k times the integral of density(z) (Phi(z) - Phi(z - q))^(k - 1) over the largest, z.
    """
    from scipy.special import ndtr

    inside = (ndtr(_GRID) - ndtr(_GRID - q)) ** (k - 1)
    return float(min(1.0, max(0.0, 1.0 - k * float(_DENSITY @ inside))))


def range_quantile(alpha: float, k: int) -> float:
    """The q with `range_above(q, k)` = alpha, by halving."""
    low, high = 0.0, 40.0
    for _ in range(64):
        middle = (low + high) / 2.0
        low, high = (middle, high) if range_above(middle, k) > alpha else (low, middle)
    return (low + high) / 2.0


def nemenyi_quantile(k: int, alpha: float = 0.05) -> float:
    """Demsar's q_alpha: the quantile of the studentised range of k learners over the root of 2."""
    alpha = between_0_and_1(alpha, "alpha", "nemenyi_quantile")
    if k < 2:
        raise ParameterError(f"nemenyi_quantile: k must be a number of at least 2 learners; got {k!r}.")
    return range_quantile(alpha, k) / math.sqrt(2.0)


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """How far apart the mean ranks of two of k learners over n tables must lie to differ at `alpha`."""
    if n < 1:
        raise ParameterError(f"critical_difference: n must be a number of at least 1 table; got {n!r}.")
    return nemenyi_quantile(k, alpha) * _unit(k, n)


def nemenyi(ranks: Sequence[float] | Floats, n: int) -> Floats:
    """The p-value of each pair of learners, from their mean ranks over n tables; 1 on the diagonal."""
    if n < 1:
        raise ParameterError(f"nemenyi: n must be a number of at least 1 table; got {n!r}.")
    mean = np.asarray(ranks, dtype=np.float64)
    k = len(mean)
    p = np.ones((k, k))
    for i in range(k):
        for j in range(i):
            q = math.sqrt(2.0) * abs(mean[i] - mean[j]) / _unit(k, n)
            p[i, j] = p[j, i] = range_above(q, k)
    return p


def cliques(ranks: Sequence[float] | Floats, difference: float) -> list[tuple[int, ...]]:
    """The largest groups of two or more learners whose mean ranks lie within less than `difference`.

    Positions in `ranks`, best first; groups in order of their best. A learner may be in several.
    """
    mean = np.asarray(ranks, dtype=np.float64)
    order = np.argsort(mean, kind="stable")
    groups: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        stop = int(np.searchsorted(mean[order], mean[order[start]] + difference, side="left"))
        if stop > max(reached, start + 1):
            groups.append(tuple(int(i) for i in order[start:stop]))
            reached = stop
    return groups


def _unit(k: int, n: int) -> float:
    """The standard error of the difference of two mean ranks, if all learners were equally good."""
    return math.sqrt(k * (k + 1) / (6.0 * n))
