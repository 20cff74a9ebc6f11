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
from acumen.preprocessing.discretise.counts import ValueCounts
from acumen.preprocessing.discretise.intervals import part
from acumen.types import Array, Floats

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
    at = starts[1:].astype(np.intp)
    return np.stack([values[at - 1], values[at]], axis=1), counts


def edges_between(gaps: Floats) -> Floats:
    """The middle of each gap, so that each bucket is `(a, b]`; slow, hence only for buckets that are kept."""
    return np.array([part(low, high, "right") for low, high in gaps.tolist()], dtype=np.float64)


def _joined(weights: Floats, starts: Array) -> tuple[Array, Floats]:
    """Neighbouring buckets of one class as one."""
    counts = np.add.reduceat(weights, starts, axis=0)
    most = counts.max(axis=1)
    said = counts.argmax(axis=1)
    # What a bucket says depends on the one before it only where classes are equally frequent, which is rare.
    for at in np.flatnonzero((counts == most[:, None]).sum(axis=1) > 1).tolist():
        if at and counts[at, said[at - 1]] == most[at]:
            said[at] = said[at - 1]
    first = np.flatnonzero(np.concatenate([[True], said[1:] != said[:-1]]))
    return starts[first], np.add.reduceat(counts, first, axis=0)
