"""Which rows to learn from and which to test on: indices only, no learner.

plan        Split, and what every plan has: splits, len_for
folds       KFold, LeaveOneOut
shares      Holdout, ThreeWay, Subsample
bootstrap   Bootstrap
time_slice  TimeSlice
earliest    rows cut by time
deal        rows and groups dealt out to parts, class by class
"""

from __future__ import annotations

from acumen.resampling.bootstrap import Bootstrap
from acumen.resampling.folds import KFold, LeaveOneOut
from acumen.resampling.holdout import Holdout, Subsample, ThreeWay
from acumen.resampling.plan import ResamplingPlan, Split
from acumen.resampling.time_slice import TimeSlice

__all__ = [
    "Bootstrap",
    "Holdout",
    "KFold",
    "LeaveOneOut",
    "ResamplingPlan",
    "Split",
    "Subsample",
    "ThreeWay",
    "TimeSlice",
]
