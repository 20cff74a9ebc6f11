"""How long the area under the ROC curve of ten million scores takes, beside scikit-learn's."""

from __future__ import annotations

import os

import numpy as np
from clock import best
from sklearn.metrics import roc_auc_score

from acumen import roc
from acumen.assessment.roc import auc

ROWS = 10_000_000


def scores(n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Labels with scores of several shapes."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(np.int64)
    odds = rng.normal(size=n) + y
    return {
        "probabilities": (y, 1 / (1 + np.exp(-odds))),
        "log odds": (y, odds),
        "two digits": (y, (1 / (1 + np.exp(-odds))).round(2)),
        "all magnitudes": (y, np.exp(20 * odds)),
    }


if __name__ == "__main__":
    print(f"{ROWS:,} rows, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'area under the ROC curve':28s} {'acumen':>9s} {'weighted':>9s} {'sklearn':>9s}  faster")
    for name, (y, s) in scores(ROWS).items():
        assert abs(auc(y, s, 1) - roc_auc_score(y, s)) < 1e-12
        w = np.full(ROWS, 0.5)
        ours, weighed = best(lambda y=y, s=s: auc(y, s, 1)), best(lambda y=y, s=s, w=w: auc(y, s, 1, w), 2)
        theirs = best(lambda y=y, s=s: roc_auc_score(y, s), 2)
        print(f"{name:28s} {ours:7.3f} s {weighed:7.3f} s {theirs:7.3f} s  {theirs / ours:5.1f}x")
    y, s = scores(ROWS)["probabilities"]
    print(f"whole curve with interval    {best(lambda: roc(y, s, 1).interval(), 2):7.3f} s")
