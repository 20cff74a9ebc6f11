"""A confidence interval for the area under a ROC curve that also holds near 1 and with few positive rows.

    area_interval   area, rows of both kinds, its estimated variance -> Interval

The normal interval around the area is too short near 1 and has no width at 1. Method 5 of Newcombe (2006, Statistics in
Medicine 25, 559-573) asks instead which areas are compatible with the one observed, each with the variance it would
have (Hanley and McNeil 1982, with both kinds of rows taken as half of all), as Wilson's interval does for a proportion.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from acumen.assessment.statistics.given import between_0_and_1
from acumen.assessment.statistics.intervals import Interval
from acumen.assessment.statistics.tails import normal_quantile
from acumen.errors import DataError

#: How many pairs out of order the formula of the variance counts for, against the variance estimated from the rows.
#: Simulated with normal scores, AUC .55 to .99, 40 to 2,000 rows, 2 to 50 % positive: 95 % intervals cover 93 to 98 %.
PRIOR = 5.0


def area_interval(
    area: float, positives: float, negatives: float, variance: float, level: float = 0.95
) -> Interval:
    """The areas with which the observed one is compatible.

    The variance at an area is Newcombe's, times the ratio of the estimated variance to Newcombe's at the observed area.
    The ratio is shrunk towards 1 where few pairs are out of order, since the estimate is then too small or zero.

    Parameters
    ----------
    area : float
    positives, negatives : float
        The number of rows of both kinds, or their weights.
    variance : float
        As DeLong or a bootstrap estimates it; NaN where it cannot be estimated.
    level : float
    """
    level = between_0_and_1(level, "level", "Roc")
    if not (0.0 <= area <= 1.0 and positives > 0 and negatives > 0):
        raise DataError(
            "area_interval: the area must lie between 0 and 1, with rows of both kinds; got "
            f"{area}, {positives} and {negatives}."
        )
    nearest = 0.5 / (positives * negatives)  # half a pair out of order, where none is
    expected = _variance(min(max(area, nearest), 1.0 - nearest), positives, negatives)
    informative = 4.0 * max(min(positives, negatives) - 1.0, 0.0) * area * (1.0 - area)
    ratio = 1.0
    if informative > 0 and math.isfinite(variance):
        ratio = (informative * variance / expected + PRIOR) / (informative + PRIOR)
    reach = normal_quantile((1.0 + level) / 2.0) ** 2 * ratio

    def compatible(other: float) -> bool:
        return (area - other) ** 2 <= reach * _variance(other, positives, negatives)

    low = 0.0 if area == 0.0 else _end(area, 0.0, compatible)
    high = 1.0 if area == 1.0 else _end(area, 1.0, compatible)
    return Interval(area, low, high, level, "score")


def _variance(area: float, positives: float, negatives: float) -> float:
    """Newcombe's variance of an area: Hanley and McNeil's with (positives + negatives) / 2 rows of either kind."""
    others = max((positives + negatives) / 2.0 - 1.0, 0.0)
    among = 1.0 + others * ((1.0 - area) / (2.0 - area) + area / (1.0 + area))
    return area * (1.0 - area) / (positives * negatives) * among


def _end(inside: float, outside: float, compatible: Callable[[float], bool]) -> float:
    """The last compatible area on the way outside, by halving."""
    for _ in range(60):
        middle = (inside + outside) / 2.0
        inside, outside = (middle, outside) if compatible(middle) else (inside, middle)
    return inside
