"""Selecting and completing beside their peers: `python benchmarks/selection.py [relief|wrapper]`.

relief     Relief-F of 5,000 x 100 beside skrebate
wrapper    forward selection of NaiveBayes, 20,000 x 50, beside scikit-learn's SequentialFeatureSelector (which begins
           anew at 50 attributes: half of its path is run)
"""

from __future__ import annotations

import sys

import numpy as np
from clock import interleaved

import acumen


def made(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d))
    X[:, :8] += 0.4 * y[:, None]
    return X, y


def relief() -> None:
    X, y = made(5000, 100)
    table = acumen.read(np.column_stack([X, y]), target=100)
    ours = interleaved(1, lambda: acumen.rank_attributes(table, by="relief"))[0]
    print(f"Relief-F 5,000 x 100: acumen {ours:.2f} s, {ours.cpu:.2f} s of the processor")
    try:
        from skrebate import ReliefF
    except ImportError:
        print("skrebate is not installed")
        return
    theirs = ReliefF(n_neighbors=10, n_features_to_select=8)
    took = interleaved(1, lambda: theirs.fit(X, y))[0]
    found = {entry.attribute: entry.score for entry in acumen.rank_attributes(table, by="relief")}
    alike = np.corrcoef([found[f"x{j}"] for j in range(100)], theirs.feature_importances_)[0, 1]
    print(
        f"skrebate {took.cpu:.1f} s of the processor, {took.cpu / ours.cpu:.0f}x; weights correlate {alike:.4f}"
    )


def wrapper() -> None:
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.naive_bayes import GaussianNB

    X, y = made(20_000, 50)
    table = acumen.read(np.column_stack([X, y]), target=50)
    ours = interleaved(1, lambda: acumen.Wrapper(acumen.NaiveBayes(), random_state=0).fit(table))[0]
    print(
        f"forward NaiveBayes 20,000 x 50, the whole path: acumen {ours.cpu:.2f} s of the processor",
        flush=True,
    )
    theirs = SequentialFeatureSelector(GaussianNB(), n_features_to_select=25, cv=5)
    took = interleaved(1, lambda: theirs.fit(X, y))[0]
    print(f"scikit-learn, half of it {took.cpu:.1f} s of the processor, {took.cpu / ours.cpu:.0f}x")


if __name__ == "__main__":
    parts = {"relief": relief, "wrapper": wrapper}
    for name in sys.argv[1:] or parts:
        parts[name]()
