"""Test whether one of two learners is better, from the rows both were tested on.

    row_test      losses of both, one for every test of a row -> whether the mean difference exceeds chance
    flip_chance   how often random signs would give a difference at least as large

Splits are few and overlap; rows are many and, but for what the models learned from each other's test rows,
independent. A row that several repeats tested is one row: its differences are averaged before signs are flipped.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from acumen.assessment.statistics.given import between_0_and_1, differences, numbers, pair
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.tails import coin_two_sided, normal_quantile, t_two_sided
from acumen.errors import DataError, ParameterError
from acumen.types import Array, Floats

#: Up to so many rows that differ, every way the signs could have fallen is gone through; the normal beyond.
EXACT_ROWS = 200
#: Differences are rounded to this share of their sum, so that sums of them can be counted.
_GRID = 4096


def row_test(
    a: Any,
    b: Any,
    rows: Any = None,
    weights: Any = None,
    *,
    wider: float = 1.0,
    unit: float = 0.0,
    estimate: float | None = None,
    level: float = 0.95,
) -> TestResult:
    """Test whether two learners differ in mean loss over the rows both were tested on.

    p is the larger of two: that of flipping the signs of the rows' differences, which for zero-one losses and one
    test a row is McNemar's exact test; and, where `wider` is above 1, that of z = difference / se. The standard
    error is that of independent rows with the variance taken `wider` times: models of overlapping training rows err
    together, which no number of repeats averages away.

    Parameters
    ----------
    a, b : sequences of numbers
        The loss of either learner in each test.
    rows : sequence of whole numbers, optional
        Which row each test used. [default: every test a different row]
    weights : sequence of numbers, optional
        Of the rows, one for each test.
    wider : float
        What the variance is multiplied by, at least 1.
    unit : float
        The largest difference a row can have, if there is one (1 for errors). The variance includes two more rows,
        which disagree by this once, as Agresti and Min (2005) do for McNemar's interval. So learners that never
        disagreed are not reported as certainly equal.
    estimate : float, optional
        The difference to report, if it is known in another way. [default: the mean over rows]
    level : float
        The confidence level of the interval, which contains 0 unless p is below 1 - `level`.
    """
    who = "row_test"
    level = between_0_and_1(level, "level", who)
    if not wider >= 1:
        raise ParameterError(f"{who}: wider must be a number of at least 1; got {wider!r}.")
    first, second = pair(a, b, who, 1)
    place = _places(rows, len(first))
    d, _ = differences(first, second)
    tests = np.bincount(place)
    each = np.bincount(place, d) / tests
    square = np.bincount(place, d**2) / tests
    share = np.ones(len(each)) if weights is None else np.bincount(place, numbers(weights, who)) / tests
    if weights is not None and (len(weights) != len(first) or not (share >= 0).all() or not share.any()):
        raise DataError(f"{who}: weights must be numbers of at least 0, one for each test, not all 0.")
    share = share / share.sum()
    n = 1.0 / float((share**2).sum())  # the rows of equal weight that would say as much (Kish)
    centre = float(share @ each) if estimate is None else float(estimate)
    # About zero for the test, as if the learners were equal; about the estimate for the interval.
    scale = float(share**2 @ square) * n + unit**2 / n
    count = n + 2.0 if unit else n
    se = math.sqrt(wider * max(scale - centre**2, scale / n) / count)
    z = centre / math.sqrt(wider * scale / count) if scale else 0.0
    p = flip_chance(share * each)
    if wider > 1:
        p = max(p, t_two_sided(z, None))
    low = high = math.nan
    if se:
        half = normal_quantile((1.0 + level) / 2.0) * se
        if p >= 1.0 - level:
            half = max(half, abs(centre))
        low, high = centre - half, centre + half
    return TestResult(
        name="test of rows",
        statistic=z,
        df=None,
        p=p,
        estimate=centre,
        low=low,
        high=high,
        se=se or math.nan,
        level=level,
        n=len(each),
        symbol="z",
        least=2.0 ** (1 - max(1, int(np.count_nonzero(each)))),
    )


def flip_chance(d: Floats) -> float:
    """The two-sided probability of a sum at least as far from 0 if each sign were random.

    Exact, up to the rounding of differences to a grid, for as many as `EXACT_ROWS`; the normal beyond.
    """
    d = d[d != 0]
    sizes = np.abs(d)
    if not len(d):
        return 1.0
    if np.ptp(sizes) <= 1e-9 * sizes.max():
        return coin_two_sided(int((d > 0).sum()), len(d))
    if len(d) > EXACT_ROWS:
        return t_two_sided(float(d.sum()) / math.sqrt(float(d @ d)), None)
    whole = np.rint(sizes / sizes.sum() * _GRID).astype(np.int64)
    total, apart = int(whole.sum()), abs(int((np.sign(d) * whole).sum()))
    chances = sums(whole)
    return min(1.0, 2.0 * float(chances[: (total - apart) // 2 + 1].sum()))


def sums(whole: Array) -> Floats:
    """P(those of the whole numbers that a fair coin picks sum to s), for s from 0 to their total."""
    chances = np.zeros(int(whole.sum()) + 1)
    chances[0] = 1.0
    for value in whole.tolist():
        shifted = np.zeros_like(chances)
        shifted[value:] = chances[: len(chances) - value]
        chances = (chances + shifted) / 2.0
    return chances


def _places(rows: Any, n: int) -> Array:
    if rows is None:
        return np.arange(n)
    row_numbers = np.asarray(rows)
    if row_numbers.shape != (n,) or row_numbers.dtype.kind not in "iu":
        raise DataError(f"row_test: rows must be one whole number for each of {n} tests; got {rows!r}.")
    return np.asarray(np.unique(row_numbers, return_inverse=True)[1]).reshape(-1)
