"""How sure an area under the ROC curve is, and the difference of two: DeLong, DeLong and Clarke-Pearson (1988).

The variance needs only, for each row, the share of the other kind that it is on the right side of. These
shares come from cumulative counts of the sorted scores, in O(n log n) as by Sun and Xu (2014), not from
all pairs. Weights count as repeated rows throughout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from acumen.errors import ParameterError
from acumen.types import Bools, Floats


def auc_variance(true_positives: Floats, false_positives: Floats) -> float:
    """The variance of the area, from the cumulative counts of a ROC curve; NaN if one kind has one row."""
    tp, fp = true_positives, false_positives
    positives, negatives = tp[-1], fp[-1]
    area = np.diff(fp) @ (tp[1:] + tp[:-1]) / 2 / positives / negatives
    above = (tp[1:] + tp[:-1]) / 2 / positives  # what each negative row of a group is under
    below = 1 - (fp[1:] + fp[:-1]) / 2 / negatives  # what each positive row is above
    if not (positives > 1 and negatives > 1):
        return math.nan
    of_positive = np.diff(tp) @ (below - area) ** 2 / (positives - 1)
    of_negative = np.diff(fp) @ (above - area) ** 2 / (negatives - 1)
    return float(of_positive / positives + of_negative / negatives)


@dataclass(frozen=True, slots=True)
class AucDifference:
    """How much larger the first of two areas over the same rows is, and whether chance would do it.

    `p` is the two-sided probability of such a difference, or a larger one, if the areas were the same.
    """

    difference: float
    standard_error: float
    z: float
    p: float
    low: float
    high: float

    def __str__(self) -> str:
        return (
            f"difference of areas {self.difference:+.4f} ({self.low:+.4f} to {self.high:+.4f}), "
            f"z = {self.z:.3g}, p = {self.p:.3g}"
        )


def auc_difference(a: Floats, b: Floats, flags: Bools, weights: Floats, level: float) -> AucDifference:
    """DeLong's test from the placements of two scores of the same rows."""
    weight = weights if weights.size else np.ones(len(flags))
    difference, variance = 0.0, 0.0
    for kind in (flags, ~flags):
        w, gap = weight[kind], (a - b)[kind]
        total = w.sum()
        # The mean gap is the difference of the areas, whichever kind of row it is taken over.
        difference = float(w @ gap / total)
        spread = w @ (gap - difference) ** 2 / (total - 1) if total > 1 else math.nan
        variance += float(spread / total)
    error = math.sqrt(variance)
    if error > 0:
        z = difference / error
    elif error == 0:
        z = math.copysign(math.inf, difference) if difference else 0.0
    else:
        z = math.nan
    low, high = normal_interval(difference, error, level, "Roc", (-1.0, 1.0))
    return AucDifference(difference, error, z, 2 * _upper_tail(abs(z)), low, high)


def normal_interval(
    centre: float, error: float, level: float, who: str, ends: tuple[float, float]
) -> tuple[float, float]:
    """centre +- z * error, cut off at the ends of what can be; NaN where the error is."""
    if not (isinstance(level, (int, float, np.number)) and 0 < level < 1):
        raise ParameterError(f"{who}: level must be a number between 0 and 1; got {level!r}.")
    if math.isnan(error):
        return math.nan, math.nan
    from scipy.special import ndtri

    half = float(ndtri((1 + level) / 2)) * error
    return max(ends[0], centre - half), min(ends[1], centre + half)


def _upper_tail(z: float) -> float:
    """P(Z >= z) of the standard normal."""
    return 0.5 * math.erfc(z / math.sqrt(2))
