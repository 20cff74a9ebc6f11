"""Tests that use only the order of differences, not their size: Wilcoxon's and the sign test; ranks with ties.

They suit values over independent things, such as one mean a table; splits of one table are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.assessment.statistics.given import ROUNDING, between_0_and_1, differences, one_of, pair, scores
from acumen.assessment.statistics.intervals import error_interval
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.rowwise import sums
from acumen.assessment.statistics.tails import coin_two_sided, normal_below, normal_quantile
from acumen.errors import ParameterError
from acumen.types import Array, Floats

Values = Sequence[float] | Floats

#: Up to so many differences other than zero "auto" counts exactly.
EXACT = 50


def wilcoxon(a: Values, b: Values, method: str = "auto", level: float = 0.95) -> TestResult:
    """Wilcoxon's signed-rank test (1945), two-sided.

    Differences of zero are left out; the others are ranked by size, ties sharing the mean of their places.
    W is the smaller of the rank sums of positive and of negative differences.

    Parameters
    ----------
    a, b : sequences of numbers
        One value for each table (or split), the same for both.
    method : {"auto", "exact", "normal"}
        "exact" goes through all ways the signs could have fallen, with ties as they are; "normal"
        approximates, with the variance corrected for ties; "auto" is exact up to 50 differences.
    level : float
        Of the interval for the Hodges-Lehmann estimate, the median of all means of two differences. The
        interval is infinite where there are too few differences for the level.
    """
    one_of(method, ("auto", "exact", "normal"), "method", "wilcoxon")
    level = between_0_and_1(level, "level", "wilcoxon")
    every, slack = differences(*pair(a, b, "wilcoxon", 1))
    there = every != 0
    d = every[there]
    ranks, sizes = tied_ranks(np.abs(d), slack[there])
    plus, minus = float(ranks[d > 0].sum()), float(ranks[d < 0].sum())
    w = min(plus, minus)
    exact = method == "exact" or (method == "auto" and len(d) <= EXACT)
    p = 1.0 if not len(d) else _exact_p(w, ranks) if exact else _normal_p(w, len(d), sizes)
    low, high = _walsh_interval(every, level)
    name = f"Wilcoxon's signed-rank test ({'exact' if exact else 'normal'})"
    return TestResult(
        name=name,
        statistic=w,
        df=None,
        p=p,
        estimate=_pseudo_median(every),
        low=low,
        high=high,
        se=math.nan,
        level=level,
        n=len(d),
        symbol="W",
        of="pseudo-median of a - b",
    )


def _exact_p(w: float, ranks: Floats) -> float:
    doubled = np.rint(2.0 * ranks).astype(np.int64)  # whole numbers even where ties share places
    below = sums(doubled)[: round(2.0 * w) + 1]
    return min(1.0, 2.0 * float(below.sum()))


def _normal_p(w: float, n: int, sizes: Array) -> float:
    ties = float((sizes.astype(np.float64) ** 3 - sizes).sum())
    variance = n * (n + 1) * (2 * n + 1) / 24.0 - ties / 48.0
    return min(1.0, 2.0 * normal_below((w - n * (n + 1) / 4.0) / math.sqrt(variance)))


def _walsh(d: Floats) -> Floats:
    """The means of all pairs of differences, each with itself too, in order."""
    i, j = np.triu_indices(len(d))
    return np.sort((d[i] + d[j]) / 2.0)


def _pseudo_median(d: Floats) -> float:
    return float(np.median(_walsh(d)))


def _walsh_interval(d: Floats, level: float) -> tuple[float, float]:
    """All shifts that the test, without ties, would not reject (Hollander and Wolfe, 3.3)."""
    n, tail = len(d), (1.0 - level) / 2.0
    if n <= EXACT:
        below = np.cumsum(sums(np.arange(1, n + 1)))
        left_out = int(np.searchsorted(below, tail, side="right"))  # sums s with P(S <= s) <= tail
    else:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
        left_out = math.floor(n * (n + 1) / 4.0 - normal_quantile(1.0 - tail) * spread) + 1
    if left_out <= 0:
        return -math.inf, math.inf
    means = _walsh(d)
    return float(means[left_out - 1]), float(means[len(means) - left_out])


def sign_test(a: Values, b: Values, level: float = 0.95) -> TestResult:
    """The sign test: how often a's value is the larger, against a fair coin; exact and two-sided.

    The statistic counts the splits in which `a > b`; ties are left out. The estimate is that count's share,
    with the interval of Clopper and Pearson.

    Parameters
    ----------
    a, b : sequences of numbers
        One value for each table (or split), the same for both.
    level : float
        Of the interval for the share.
    """
    level = between_0_and_1(level, "level", "sign_test")
    d, _ = differences(*pair(a, b, "sign_test", 1))
    above, n = int((d > 0).sum()), int((d != 0).sum())
    p = coin_two_sided(above, n)
    if not n:
        return TestResult("sign test", 0.0, None, p, level=level, symbol="wins", of="share of a > b")
    bounds = error_interval(above, n, level, "exact")
    return TestResult(
        name="sign test",
        statistic=above,
        df=None,
        p=p,
        estimate=bounds.estimate,
        low=bounds.low,
        high=bounds.high,
        se=math.nan,
        level=level,
        n=n,
        symbol="wins",
        of="share of a > b",
    )


# -- ranks and wins -------------------------------------------------------------------------------
#
# Ranks in which ties share the mean of their places; ranks and wins of learners over several tables.


def tied_ranks(values: Floats, tolerance: Floats | None = None) -> tuple[Floats, Array]:
    """Ranks from 1 for the smallest, and the size of each group of ties.

    Neighbours in order are tied if they differ by no more than the tolerance of either. [default: the
    rounding error of each value]
    """
    if not len(values):
        return np.empty(0), np.empty(0, dtype=np.intp)
    slack = ROUNDING * np.abs(values) if tolerance is None else tolerance
    order = np.argsort(values, kind="stable")
    gaps, slack = np.diff(values[order]), slack[order]
    starts = np.r_[0, 1 + np.flatnonzero(gaps > np.maximum(slack[1:], slack[:-1]))]
    sizes = np.diff(np.r_[starts, len(values)])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(starts + (sizes + 1.0) / 2.0, sizes)
    return ranks, sizes


def rank_table(values: Any, smaller_is_better: bool = True) -> Floats:
    """The rank of each learner on each table, 1 for the best; ties share the mean of their places."""
    matrix = scores(values, "rank_table")
    signed = matrix if smaller_is_better else -matrix
    return np.array([tied_ranks(line)[0] for line in signed])


def average_ranks(values: Any, smaller_is_better: bool = True) -> Floats:
    """The mean rank of each learner over the tables, 1 for one that is the best everywhere.

    Parameters
    ----------
    values : matrix
        A line for each table, a column for each learner.
    smaller_is_better : bool
        True for errors and losses, False for accuracies.
    """
    return rank_table(values, smaller_is_better).mean(axis=0)


def win_tie_loss(values: Any, smaller_is_better: bool = True, tolerance: float = 0.0) -> Array:
    """On how many tables each learner wins, ties and loses against each other.

    Parameters
    ----------
    values : matrix
        A line for each table, a column for each learner.
    smaller_is_better : bool
        True for errors and losses, False for accuracies.
    tolerance : float
        Scores no further apart than this are tied; rounding errors always are.

    Returns
    -------
    array of shape (learners, learners, 3)
        `[i, j]` holds the wins, ties and losses of learner i against learner j.
    """
    if not tolerance >= 0:
        raise ParameterError(f"win_tie_loss: tolerance must be a number of at least 0; got {tolerance!r}.")
    matrix = scores(values, "win_tie_loss")
    signed = -matrix if smaller_is_better else matrix
    gap = signed[:, :, None] - signed[:, None, :]
    size = np.maximum(np.abs(matrix)[:, :, None], np.abs(matrix)[:, None, :])
    slack = tolerance + ROUNDING * size
    return np.stack([(gap > slack).sum(0), (np.abs(gap) <= slack).sum(0), (gap < -slack).sum(0)], axis=-1)
