"""Numeric attributes cut into buckets, each with one class, as 1R cuts them.

R. C. Holte, Very simple classification rules perform well on most commonly used datasets, Machine Learning
11, 1993, section 2.2. Going through the distinct values in ascending order, a bucket is closed after the
first value at which

    the weight of its most frequent class is at least `min_bucket`, and
    that class is not among the most frequent ones of the next value;

the last bucket takes what is left. Neighbouring buckets of one class are then joined. Where two classes are
equally frequent in a bucket the class of the bucket before it wins, so that fewer buckets are left; else
the class that comes first. The values' own order is all that counts, never the order of rows.
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.types import Array, Floats
from acumen.views.discretise.counts import ValueCounts
from acumen.views.discretise.intervals import part

_ROUNDING = 1e-9


def buckets(column: ValueCounts, min_bucket: float) -> tuple[Floats, Floats]:
    """The neighbouring values between which buckets meet, (buckets - 1, 2), and the class weights in each
    bucket, (buckets, classes).
    """
    weights = column.weights[:, :-1]
    seen = weights.sum(axis=1) > 0
    values, weights = column.values[seen], np.ascontiguousarray(weights[seen])
    if not len(values):
        return np.empty((0, 2)), np.empty((0, weights.shape[1]))
    # Six rows that weigh one by a division come to a little less than six.
    starts, counts = _joined(weights, _native.bucket_starts(weights, min_bucket * (1.0 - _ROUNDING)))
    at = np.array(starts[1:], dtype=np.intp)
    return np.stack([values[at - 1], values[at]], axis=1), counts


def edges_between(gaps: Floats) -> Floats:
    """The middle of each gap, so that each bucket is `(a, b]`; slow, hence only for buckets that are kept."""
    return np.array([part(low, high, "right") for low, high in gaps.tolist()], dtype=np.float64)


def _joined(weights: Floats, starts: Array) -> tuple[list[int], Floats]:
    """Neighbouring buckets of one class as one."""
    kept: list[int] = []
    made: list[Floats] = []
    before = -1
    for at, counts in zip(starts.tolist(), np.add.reduceat(weights, starts, axis=0), strict=True):
        leading = int(counts.argmax())
        if kept and counts[before] == counts[leading]:
            made[-1] = made[-1] + counts
            continue
        kept.append(at)
        made.append(counts)
        before = leading
    return kept, np.array(made)
