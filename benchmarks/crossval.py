"""Exact cross-validation in one pass, beside scikit-learn's cross_val_score of the same model with both cores.

    python benchmarks/crossval.py [folds|loo|auc|compare]

Each case checks that the answers are equally good before it prints a ratio (peer's time over acumen's).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from clock import Took, interleaved, line
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

import acumen


def timed(work: Callable[[], Any], repeats: int = 1) -> tuple[Took, Any]:
    """The shortest of several runs, and the last answer."""
    answers: list[Any] = []
    (took,) = interleaved(repeats, lambda: answers.append(work()))
    return took, answers[-1]


def made(n: int, d: int) -> tuple[Any, Any, acumen.Table]:
    """Two classes that overlap, alike in all columns."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d)) + 0.2 * y[:, None]
    return X, y, acumen.read((X, y))


def uneven(n: int, d: int) -> tuple[Any, Any, acumen.Table]:
    """Five classes, each half as frequent as the one before, in correlated columns with units of their own."""
    rng = np.random.default_rng(1)
    y = np.minimum(rng.geometric(0.5, n) - 1, 4)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(5, d))[y]
    X[:, 1:] += 0.5 * X[:, :-1]
    X = X * np.exp(2 * rng.normal(size=d)) + 10 * rng.normal(size=d)
    return X, y, acumen.read((X, y))


PEERS = (
    ("naive Bayes", acumen.NaiveBayes(), GaussianNB()),
    ("shared covariance", acumen.FullBayes(covariance="shared"), LinearDiscriminantAnalysis(solver="lsqr")),
)


def folds() -> None:
    for kind, make in (("2 classes", made), ("5 uneven classes", uneven)):
        X, y, table = make(200_000, 20)
        cross_val_score(
            GaussianNB(), X[:2000], y[:2000], n_jobs=2
        )  # the workers are started before the clock
        for name, ours, theirs in PEERS:
            took, found = timed(
                lambda m=ours, t=table: acumen.assess(m, t, acumen.KFold(10), random_state=0), 5
            )
            split = StratifiedKFold(10, shuffle=True, random_state=0)
            peer, scores = timed(
                lambda m=theirs, s=split, X=X, y=y: cross_val_score(m, X, y, cv=s, n_jobs=2), 2
            )
            assert abs((1 - found.mean) - scores.mean()) < 2e-3
            line(f"10-fold of {name}, 200k x 20, {kind}", float(took), float(peer), 8)
            # Workers' processor time is not this process's: the same on one core tells what the peer takes of it.
            alone, _ = timed(lambda m=theirs, s=split, X=X, y=y: cross_val_score(m, X, y, cv=s), 1)
            print(
                f"  processor time: {took.cpu * 1e3:.0f} ms beside {alone.cpu * 1e3:.0f} ms on one core, "
                f"x{alone.cpu / took.cpu:.1f}"
            )


def loo() -> None:
    X, y, table = made(20_000, 20)
    for name, ours, theirs in PEERS:
        took, found = timed(lambda m=ours: acumen.assess(m, table, acumen.LeaveOneOut()), 5)
        peer, scores = timed(lambda m=theirs: cross_val_score(m, X, y, cv=LeaveOneOut(), n_jobs=2))
        assert np.mean((1 - found.values) == scores) > 0.999
        line(f"leave-one-out of {name}, 20k x 20", took, peer, 1000)


def auc() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 10_000_000)
    scores = rng.normal(size=len(y)) + y
    took, found = timed(lambda: acumen.roc(y, scores, 1).auc, 2)
    peer, theirs = timed(lambda: roc_auc_score(y, scores))
    assert abs(found - theirs) < 1e-9
    line("AUC of 10M scores", took, peer, 5)


def compare() -> None:
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("ACUMEN_SHARED_DATA", beside)) / "credit-g.arff"
    table = acumen.read(path)
    learners = [acumen.NaiveBayes(), acumen.FullBayes(), acumen.Parzen(), acumen.OneR(), acumen.Majority()]
    took, _ = timed(lambda: acumen.compare(learners, table, random_state=0), 2)
    print(
        f"compare five learners over 100 folds of credit-g: {took:.2f} s (wanted 5) {'ok' if took < 5 else 'ABOVE'}"
    )


CASES = (folds, loo, auc, compare)


def main() -> None:
    import sklearn

    print(f"acumen {acumen.__version__}, scikit-learn {sklearn.__version__}, numpy {np.__version__}")
    for case in CASES:
        if not sys.argv[1:] or case.__name__ in sys.argv[1:]:
            case()


if __name__ == "__main__":
    main()
