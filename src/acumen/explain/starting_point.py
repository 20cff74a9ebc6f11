"""Where an explanation starts: at the average of the training rows, for every learner alike.

    class_average    the log-odds of two classes among the training rows
    from_average     evidence that starts there, whatever the model itself starts from

A model counts its reasons from a point of its own: an average row, a typical row, the root of a tree. Where that is not
the training average, the difference is a part of its own (a rest), so that the parts still add up to the answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.explain.explanation import Evidence
from acumen.types import Floats

#: What explanations start from, in words.
TRAINING_AVERAGE = "average of the training rows"
#: Points that models count their reasons from.
CLASS_FREQUENCIES = "class frequencies in the model"
AVERAGE_ROW = "an average row"
TYPICAL_ROW = "a typical row"
#: Where a model names no point of its own, a class's reasons are counted from equal odds.
_EVEN = "even odds"
#: Log-odds that differ by less are the same but for rounding.
_SAME = 1e-9


def class_average(totals: Floats, winner: int, rival: int) -> float | None:
    """The log-odds of two classes among the training rows; None where one of them has no rows."""
    if not (totals[winner] > 0 and totals[rival] > 0):
        return None
    return float(np.log(totals[winner]) - np.log(totals[rival]))


def from_average(
    evidence: Sequence[Evidence],
    average: float,
    support: float | None = None,
    confidence: float | None = None,
) -> tuple[Evidence, ...]:
    """The same evidence, starting from `average`; the way to the model's own starting point is a rest."""
    starts = [part for part in evidence if part.role == "start"]
    others = [part for part in evidence if part.role != "start"]
    amount = sum(part.log_odds for part in starts)
    if not np.isfinite(amount):
        return tuple(evidence)
    away = amount - average
    if abs(away) <= _SAME:  # the model starts there too
        return (Evidence(None, TRAINING_AVERAGE, amount, support, confidence, role="start"), *others)
    name = ", ".join(part.text for part in starts) or _EVEN
    rest = Evidence(None, f"{name}, compared with the training average", away, role="rest")
    return (Evidence(None, TRAINING_AVERAGE, average, support, confidence, role="start"), *others, rest)
