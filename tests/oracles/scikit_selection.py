"""What scikit-learn 1.9.1 chooses and labels on small tables that `numpy.random.default_rng` draws.

SELF_TRAINING   SelfTrainingClassifier(GaussianNB(var_smoothing=1e-12), threshold=..., max_iter=6) on `clouds`: rows
                labelled in each round, and the label of each row in the end ("." has none)
SEQUENTIAL      SequentialFeatureSelector of the same GaussianNB on `flowers`, by the mean log probability of the
                class over LeaveOneOut: the columns chosen by size, forward and backward
INFORMATION     mutual_info_score / ln 2 of each attribute of the built-in table loan with its class
ISOTONIC        IsotonicRegression on `rising`
"""

from __future__ import annotations

import numpy as np

import acumen
from acumen.types import Codes, Floats

SELF_TRAINING = {
    0.8: (
        (40, 20, 3, 1),
        "012012012012012012012012012012010.0..1.0120...1...001201201..021.01.201201..1....010.120020.2012.1200101.0"
        "120120.201201.",
    ),
    0.95: (
        (14, 5, 3, 3, 3, 1),
        "012012012012012012012012012012.1..0..1..12........0..2....1....1.0..2.1.0.........1..1...20...12.12.0..1..."
        "2.12..2.12...",
    ),
}
SEQUENTIAL = {
    "forward": ((3,), (2, 3), (1, 2, 3), (0, 1, 2, 3)),
    "backward": ((3,), (2, 3), (1, 2, 3), (0, 1, 2, 3)),
}
INFORMATION = {
    "Age": 0.08300749985576876,
    "Has_Job": 0.3236501981515563,
    "Own_house": 0.4199730940219745,
    "Credit_Rating": 0.36298956253708525,
}
ISOTONIC = (
    -0.2234131923, 0.2358942274, 0.2358942274, 1.0221094757, 1.4854236458, 1.7717305023, 1.7717305023, 1.7717305023,
)  # fmt: skip


def clouds() -> tuple[Floats, Codes]:
    """Three clouds of 40 rows each; the first 30 rows have labels, the others -1."""
    rng = np.random.default_rng(12)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 2)) + 1.6 * np.column_stack([y == 1, y == 2])
    return X, np.where(np.arange(120) < 30, y, -1).astype(np.int32)


def flowers() -> tuple[Floats, Codes]:
    """Every third row of iris, with a column of noise."""
    iris = acumen.datasets.load("iris")
    noise = np.random.default_rng(5).normal(size=(150, 1))
    assert iris.labels is not None
    return np.column_stack([*iris.numeric.columns, noise])[::3], iris.labels[::3]


def rising() -> tuple[Floats, Floats]:
    """Eight places with five rows each, that rise with noise."""
    rng = np.random.default_rng(3)
    x = np.repeat(np.arange(8.0), 5)
    return x, 0.3 * x + rng.normal(size=40)
