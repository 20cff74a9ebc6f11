"""The naive twin of the kernel behind 1R's buckets."""

from __future__ import annotations

import numpy as np


def bucket_starts(weights: np.ndarray, least: float) -> list[int]:
    """At which lines of `weights` (values, classes) a bucket begins."""
    starts, counts = ([0], np.zeros(weights.shape[1])) if len(weights) else ([], np.zeros(0))
    for at in range(len(weights) - 1):
        counts = counts + weights[at]
        leading = int(counts.argmax())
        if counts[leading] >= least and weights[at + 1, leading] < weights[at + 1].max():
            starts.append(at + 1)
            counts = np.zeros(weights.shape[1])
    return starts
