"""Forests, extra trees, bagging and boosting beside scikit-learn's (and intelex's), in one run, on both cores.

    python benchmarks/ensembles.py             all parts, one after the other
    python benchmarks/ensembles.py forest      100 trees, 100,000 x 20, to be fitted
    python benchmarks/ensembles.py predict     these trees' prediction of 100,000 rows
    python benchmarks/ensembles.py intelex     the same forest beside scikit-learn-intelex
    python benchmarks/ensembles.py extra       100 extra trees
    python benchmarks/ensembles.py bagging     50 full trees (scikit-learn alone takes minutes)
    python benchmarks/ensembles.py boosting    200 stumps
    python benchmarks/ensembles.py memory      of a fitted forest of 100, and of its file
    python benchmarks/ensembles.py growth      the cost as rows and trees double
    python benchmarks/ensembles.py --rows 5000 --repeats 1 extra memory     less of the same, to try it out

Accuracy on as many rows held out must be within noise of the peer's before a ratio is printed; these first fits are
timed too. What bounds each: a forest touches about 4.5 million cells of codes a tree (rows in bag x levels x 4
columns), at 1.5 to 2 ns each from the second cache; a walk down a tree waits for its nodes; a stump counts every cell
once a round.
"""

from __future__ import annotations

import argparse
import io
import pickle
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from clock import best, interleaved, line
from joblib import parallel_config
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)

import acumen

ROWS, REPEATS = 100_000, 2


@cache
def data(rows: int) -> tuple[Any, Any, Any, Any]:
    """Rows to learn from, and as many held out."""
    X, y = make_classification(2 * rows, 20, n_informative=10, n_redundant=4, flip_y=0.01, random_state=0)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def our_forest(trees: int = 100) -> Any:
    return acumen.RandomForest(trees, random_state=0)


def their_forest() -> Any:
    return RandomForestClassifier(100, n_jobs=2, random_state=0)


@cache
def fitted(rows: int) -> tuple[Any, Any]:
    """Both forests, for what is asked of fitted ones."""
    X, y, _, _ = data(rows)
    return our_forest().fit(X, y), their_forest().fit(X, y)


def as_good(ours: float, theirs: float, rows: int) -> None:
    """Fail where accuracy is lower by more than three standard errors."""
    error = (theirs * (1 - theirs) / rows) ** 0.5
    print(f"    accuracy on {rows:,} rows held out: {ours:.4f}, peer {theirs:.4f}", flush=True)
    assert ours > theirs - 3 * error, (ours, theirs)


def beside(
    name: str, ours: Callable[[], Any], theirs: Callable[[], Any], wanted: float, repeats: int = 0
) -> None:
    """Learners take turns; the answers of the first fits are compared before a ratio is printed."""
    X, y, held, truth = data(ROWS)
    kept: list[Any] = [None, None]

    def fit(at: int, make: Callable[[], Any]) -> Callable[[], None]:
        def work() -> None:
            kept[at] = make().fit(X, y)

        return work

    took = interleaved(repeats or REPEATS, fit(0, ours), fit(1, theirs))
    as_good(kept[0].score(held, truth), kept[1].score(held, truth), len(truth))
    line(f"{name}, {ROWS:,} x 20", *took, wanted)


def forest() -> None:
    beside("forest of 100", our_forest, their_forest, 15)


def predict() -> None:
    _, _, held, truth = data(ROWS)
    mine, other = fitted(ROWS)
    as_good(mine.score(held, truth), other.score(held, truth), len(truth))
    took = interleaved(REPEATS + 3, lambda: mine.predict(held), lambda: other.predict(held))
    line(f"prediction of {ROWS:,} rows by a forest of 100", *took, 4)


def intelex() -> None:
    try:
        from sklearnex.ensemble import RandomForestClassifier as Intelex
    except ImportError:
        print("    scikit-learn-intelex is not installed")
        return
    theirs = lambda: Intelex(100, n_jobs=2, random_state=0)  # noqa: E731
    beside("forest of 100 beside scikit-learn-intelex", our_forest, theirs, 1.8, REPEATS + 1)


def extra() -> None:
    beside(
        "extra trees, 100",
        lambda: acumen.ExtraTrees(100, random_state=0),
        lambda: ExtraTreesClassifier(100, n_jobs=2, random_state=0),
        8,
    )


class Threaded(BaggingClassifier):  # type: ignore[misc]
    """Its trees over threads, which it lets run side by side: processes of their own would not be seen by the clock."""

    def fit(self, X: Any, y: Any) -> Any:
        with parallel_config(backend="threading"):
            return super().fit(X, y)


def bagging() -> None:
    beside(
        "bagging of 50 full trees",
        lambda: acumen.Bagging(n_estimators=50, random_state=0),
        lambda: Threaded(n_estimators=50, n_jobs=2, random_state=0),
        20,
        1,
    )
    beside(
        "the same by Bagging(DecisionTree)",
        lambda: acumen.Bagging(
            acumen.DecisionTree(measure="gini", prune="none"), n_estimators=50, random_state=0
        ),
        lambda: Threaded(n_estimators=50, n_jobs=2, random_state=0),
        20,
        1,
    )


def boosting() -> None:
    beside(
        "AdaBoost, 200 stumps",
        lambda: acumen.AdaBoost(n_estimators=200),
        lambda: AdaBoostClassifier(n_estimators=200, random_state=0),
        50,
        1,
    )


def memory() -> None:
    """Bytes of arrays alone, the peer's too: what Python's own objects weigh is left out of both."""
    mine, other = fitted(ROWS)
    ours = mine.model_.n_bytes
    theirs = 0
    for tree in other.estimators_:
        state = tree.tree_.__getstate__()
        theirs += state["nodes"].nbytes + state["values"].nbytes
    less("memory of a fitted forest of 100", ours, theirs)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "forest.acm"
        acumen.save(mine, path)
        held = io.BytesIO()
        pickle.dump(other, held)
        less("its file beside a pickle", path.stat().st_size, held.tell())
        print(f"    opened in {best(lambda: acumen.store.open(path)):.3f} s")


def less(name: str, ours: float, theirs: float) -> None:
    """Bytes beside bytes; at most half is wanted."""
    share = ours / theirs
    said = "ok" if share <= 0.5 else "ABOVE"
    print(f"{name:<58} {ours / 1e6:9.1f} MB {theirs / 1e6:10.1f} MB  {share:.2f} of it (wanted 0.5) {said}")


def growth() -> None:
    for rows in (ROWS // 4, ROWS // 2, ROWS):
        X, y, _, _ = data(rows)
        for trees in (25, 50, 100):
            took = best(lambda: our_forest(trees).fit(X, y), 1)  # noqa: B023 - called now
            print(
                f"{rows:>9,} rows, {trees:>4} trees: {took:7.3f} s, {1e3 * took / trees:.1f} ms a tree",
                flush=True,
            )


PARTS = (forest, predict, intelex, extra, bagging, boosting, memory, growth)


def main() -> None:
    global ROWS, REPEATS
    names = [part.__name__ for part in PARTS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", help=", ".join(names))
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    asked = parser.parse_args()
    for name in asked.parts:
        if name not in names:
            parser.error(f"there is no part {name!r}; there are {', '.join(names)}")
    ROWS, REPEATS = asked.rows, asked.repeats
    for part in PARTS:
        if not asked.parts or part.__name__ in asked.parts:
            part()


if __name__ == "__main__":
    main()
