"""Forests, extra trees, bagging and boosting beside scikit-learn's (and intelex's), in one run, on both cores.

    python benchmarks/ensembles.py             all cases
    python benchmarks/ensembles.py forest      100 trees, 100,000 x 20, and their prediction of 100,000 rows
    python benchmarks/ensembles.py extra       100 extra trees
    python benchmarks/ensembles.py bagging     50 full trees
    python benchmarks/ensembles.py boosting    200 stumps
    python benchmarks/ensembles.py memory      of a fitted forest of 100, and of its file
    python benchmarks/ensembles.py growth      the cost as rows and trees double

Accuracy on rows held out must be within noise of the peer's before a ratio is printed. What bounds each: a forest
touches about 4.5 million cells of codes a tree (rows in bag x levels x 4 columns), at 1.5 to 2 ns each from the
second cache; a walk down a tree waits for its nodes; a stump counts every cell once a round.
"""

from __future__ import annotations

import io
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clock import best, interleaved, line
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)

import acumen


def data(rows: int = 100_000) -> tuple[Any, Any, Any, Any]:
    """Rows to learn from, and as many held out."""
    X, y = make_classification(2 * rows, 20, n_informative=10, n_redundant=4, flip_y=0.01, random_state=0)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def as_good(ours: float, theirs: float, rows: int) -> None:
    """Fail where accuracy is lower by more than three standard errors."""
    error = (theirs * (1 - theirs) / rows) ** 0.5
    print(f"    accuracy on {rows} rows held out: {ours:.4f}, peer {theirs:.4f}")
    assert ours > theirs - 3 * error, (ours, theirs)


def beside(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], wanted: float) -> None:
    """Learners take turns; the answers are compared first."""
    X, y, held, truth = data()
    mine, other = ours(), theirs()
    as_good(mine.fit(X, y).score(held, truth), other.fit(X, y).score(held, truth), len(truth))
    took = interleaved(2, lambda: ours().fit(X, y), lambda: theirs().fit(X, y))
    line(name, *took, wanted)


def forest() -> None:
    beside(
        "forest of 100, 100,000 x 20",
        lambda: acumen.RandomForest(100, random_state=0),
        lambda: RandomForestClassifier(100, n_jobs=2, random_state=0),
        15,
    )
    X, y, held, _ = data()
    mine = acumen.RandomForest(100, random_state=0).fit(X, y)
    other = RandomForestClassifier(100, n_jobs=2, random_state=0).fit(X, y)
    line(
        "prediction of 100,000 rows",
        *interleaved(3, lambda: mine.predict(held), lambda: other.predict(held)),
        4,
    )
    try:
        from sklearnex.ensemble import RandomForestClassifier as Intelex
    except ImportError:
        print("    scikit-learn-intelex is not installed")
        return
    work = interleaved(
        2,
        lambda: acumen.RandomForest(100, random_state=0).fit(X, y),
        lambda: Intelex(100, n_jobs=2, random_state=0).fit(X, y),
    )
    line("forest of 100 beside scikit-learn-intelex", *work, 1.8)


def extra() -> None:
    beside(
        "extra trees, 100, 100,000 x 20",
        lambda: acumen.ExtraTrees(100, random_state=0),
        lambda: ExtraTreesClassifier(100, n_jobs=2, random_state=0),
        8,
    )


def bagging() -> None:
    beside(
        "bagging of 50 full trees, 100,000 x 20",
        lambda: acumen.Bagging(n=50, random_state=0),
        lambda: BaggingClassifier(n_estimators=50, n_jobs=2, random_state=0),
        20,
    )


def boosting() -> None:
    beside(
        "AdaBoost, 200 stumps, 100,000 x 20",
        lambda: acumen.AdaBoost(rounds=200),
        lambda: AdaBoostClassifier(n_estimators=200, random_state=0),
        50,
    )


def memory() -> None:
    X, y, _, _ = data()
    mine = acumen.RandomForest(100, random_state=0).fit(X, y)
    other = RandomForestClassifier(100, n_jobs=2, random_state=0).fit(X, y)
    ours = mine.model_.n_bytes
    theirs = sum(
        tree.tree_.__getstate__()["nodes"].nbytes + tree.tree_.value.nbytes for tree in other.estimators_
    )
    print(
        f"a fitted forest of 100: {ours / 1e6:.1f} MB, scikit-learn {theirs / 1e6:.1f} MB: {ours / theirs:.2f} of it"
    )
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "forest.acm"
        acumen.save(mine, path)
        file, held = path.stat().st_size, io.BytesIO()
        pickle.dump(other, held)
        print(
            f"its file: {file / 1e6:.1f} MB, a pickle {held.tell() / 1e6:.1f} MB: {file / held.tell():.2f} of it"
        )
        print(f"opened in {best(lambda: acumen.store.open(path)):.3f} s")


def growth() -> None:
    for rows in (25_000, 50_000, 100_000):
        X, y, _, _ = data(rows)
        for trees in (25, 50, 100):
            took = best(lambda: acumen.RandomForest(trees, random_state=0).fit(X, y), 1)  # noqa: B023 - called now
            print(f"{rows:>9,} rows, {trees:>4} trees: {took:7.3f} s, {1e3 * took / trees:.1f} ms a tree")


CASES = (forest, extra, bagging, boosting, memory, growth)


def main() -> None:
    wanted = sys.argv[1:]
    for case in CASES:
        if not wanted or case.__name__ in wanted:
            case()


if __name__ == "__main__":
    main()
