"""Nemenyi's test: which learners differ in mean rank over several tables, and the critical difference.

    critical_difference   how far apart mean ranks must lie
    nemenyi               p-values of all pairs
    cliques               groups that the test cannot tell apart: the bars of the diagram

After Demsar (2006, Journal of Machine Learning Research 7).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acumen.assessment.statistics.given import between_0_and_1
from acumen.errors import ParameterError
from acumen.types import Floats

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
    found: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        stop = int(np.searchsorted(mean[order], mean[order[start]] + difference, side="left"))
        if stop > max(reached, start + 1):
            found.append(tuple(int(i) for i in order[start:stop]))
            reached = stop
    return found


def _unit(k: int, n: int) -> float:
    """The standard error of the difference of two mean ranks, if all learners were equally good."""
    return math.sqrt(k * (k + 1) / (6.0 * n))
